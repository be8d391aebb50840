//! The tangents of what happens at an event: of the crossing functions, and of the values to which states jump.

use super::super::interpret::record_of;
use super::super::tangent::{Seeds, StepChanges};
use super::{EvaluationTarget, Evaluator, Leaves, Point, env};
use crate::block::{Op, Reg, Update};

/// Tangents in one direction.
#[derive(Debug, Default)]
pub struct EventTangents {
    /// The tangents of all crossing functions, in the order of the units.
    pub crossings: Vec<f64>,
    /// The continuous states that jump, with the tangents of their new values.
    pub jumps: Vec<(usize, f64)>,
}

impl Evaluator {
    /// Computes the tangents at a point, along the tangents of the continuous states and of the time; `steps` has those of
    /// all else. With `is_deciding`, states may jump.
    pub fn event_tangents(
        &mut self,
        leaves: Leaves,
        point: Point,
        (states, time): (&[f64], f64),
        steps: &dyn StepChanges,
        is_deciding: bool,
    ) -> EventTangents {
        let mut found = EventTangents::default();
        let program = std::sync::Arc::clone(&self.program);
        let target = if is_deciding { EvaluationTarget::Decision } else { EvaluationTarget::Crossings };
        let mut slopes = vec![0.0; program.value_count];
        self.enter(leaves);
        for &visit in &*std::sync::Arc::clone(&self.visits) {
            let unit = &program.units[visit.unit];
            let kernel = program.kernel(unit);
            if !self.is_running(visit.unit, EvaluationTarget::Rates) {
                if !visit.is_begin {
                    let count: usize = kernel.crossings.iter().map(|&reg| kernel.width(reg)).sum();
                    found.crossings.resize(found.crossings.len() + count, 0.0);
                }
                continue;
            }
            let list = if visit.is_begin { &kernel.begin } else { &kernel.run_with_crossings };
            let values = (&self.values[..], &self.conditions);
            let seen = env(&program, visit.unit, leaves, point, target, values);
            self.interpreter.run(kernel, list, &seen);
            for (output, made) in visit.published(&program) {
                self.values[program.outputs[output].elements()]
                    .copy_from_slice(self.interpreter.value(kernel, made.reg));
            }
            let number = kernel.ops.iter().find_map(|op| match op {
                Op::Loop { number, .. } => Some(*number as usize),
                _ => None,
            });
            if let (Some(number), Some(loops)) = (number, self.interpreter.loops()) {
                let values = (&self.values[..], &self.conditions);
                let seen = env(&program, visit.unit, leaves, point, EvaluationTarget::Rates, values);
                let torn: Vec<f64> = program
                    .outputs_of(unit)
                    .flat_map(|output| self.values[program.outputs[output].elements()].to_vec())
                    .collect();
                loops.tangent(number, &seen, &torn, (&slopes, states, time), Some(steps), &mut self.looped);
            }
            let seeds = Seeds {
                inputs: &|input| &slopes[program.input_elements(unit, input)],
                states: &|state| &states[program.state(unit, state).elements()],
                records: &|record| record_of(&program, unit, leaves.context, record),
                now: point.time,
                time,
                looped: &self.looped,
                steps: Some((unit, steps)),
            };
            self.tangents.run(kernel, list, self.interpreter.scratch(), seeds);
            for (output, made) in visit.published(&program) {
                slopes[program.outputs[output].elements()].copy_from_slice(self.tangents.of(kernel, made.reg));
            }
            if visit.is_begin {
                continue;
            }
            kernel.crossings.iter().for_each(|&reg| found.crossings.extend_from_slice(self.tangents.of(kernel, reg)));
            for update in &kernel.updates {
                let Update::Jump { on, value, .. } = *update else { continue };
                let slot = program.state(unit, update.state());
                let element = |elements: &[f64], number: usize| match elements {
                    [element] => *element,
                    elements => elements.get(number).copied().unwrap_or_default(),
                };
                for number in 0..slot.width as usize {
                    let of = |reg: Reg| self.interpreter.value(kernel, reg);
                    if element(of(on), number) != 0.0 {
                        let tangent = element(self.tangents.of(kernel, value), number);
                        found.jumps.push((slot.offset as usize + number, tangent));
                    }
                }
            }
        }
        found
    }
}

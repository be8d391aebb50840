//! A solver that is not compiled into the step, and the rates that it asks for.

use std::sync::Arc;

use super::{Driven, Instruction, Machine};
use crate::engine::OutputId;
use crate::engine::program::record::Record;
use crate::engine::solve::{Leaves, System};

impl Machine {
    /// Runs the solver, which evaluates the rates through [`RateList`].
    pub(super) fn solve(&mut self, ins: &Instruction) {
        let code = Arc::clone(&self.code);
        let (Some(mut integrator), Some(driven)) = (self.integrator.take(), &code.driven) else { return };
        code.discrete.store(&mut self.context.discrete, &self.cells);
        self.next.copy_from_slice(&self.context.discrete);
        driven.nexts.store(&mut self.next, &self.cells);
        self.context.step = self.step;
        if !self.program.subsystems.is_empty() {
            // Enable conditions and held values are valid for the solver, too.
            self.context.values.resize(self.program.value_count, 0.0);
            code.values.store(&mut self.context.values, &self.cells);
        }
        let count = self.program.continuous_count as u32;
        let mut x = std::mem::take(&mut self.driven);
        x.clear();
        x.extend((0..count).map(|element| self.cells[ins.args[0].cell(&code.tables, element) as usize]));
        let mut memory = std::mem::take(&mut self.context.solver);
        let begin = driven.tangents.is_some().then(|| {
            integrator.follow();
            x.clone()
        });
        let ran = integrator.step(&mut RateList { machine: self, driven }, &mut memory, &mut x);
        self.context.solver = memory;
        if let (Some(begin), Ok(())) = (begin, &ran) {
            self.vary(&mut integrator, driven, (&begin, &x));
        }
        self.integrator = Some(integrator);
        self.fault = self.fault.take().or(ran.err());
        let modes = driven.modes.offsets().map(|offset| self.next[offset]);
        let held = driven.held.offsets().map(|offset| self.context.values[offset]);
        let made = x.iter().copied().chain(modes).chain(held);
        self.cells[ins.dst as usize..].iter_mut().zip(made).for_each(|(to, from)| *to = from);
        self.driven = x;
    }
}

/// Computes the rates with the list of the step code.
pub(super) struct RateList<'a> {
    pub machine: &'a mut Machine,
    pub driven: &'a Driven,
}

impl System for RateList<'_> {
    fn rates(&mut self, time: f64, x: &[f64], rates: &mut [f64]) {
        let RateList { machine, driven } = self;
        machine.evaluations += 1;
        machine.cells[driven.time as usize] = time;
        driven.x.load(x, &mut machine.cells);
        if let Some(rate_code) = machine.rate_code.take() {
            rate_code.run(machine, rates);
            machine.rate_code = Some(rate_code);
        } else {
            driven.list.iter().for_each(|ins| machine.execute(ins));
            driven.rates.store(rates, &machine.cells);
        }
    }

    fn tangents(&mut self, time: f64, x: &[f64], tangents: &mut Vec<f64>) -> bool {
        let RateList { machine, driven } = self;
        let Some(derivative) = &driven.derivative else { return false };
        machine.differentiations += 1;
        machine.cells[driven.time as usize] = time;
        driven.x.load(x, &mut machine.cells);
        tangents.resize(derivative.results.len() * derivative.directions as usize, 0.0);
        if let Some(derivative_code) = machine.derivative_code.take() {
            derivative_code.run(machine, tangents);
            machine.derivative_code = Some(derivative_code);
        } else {
            derivative.list.iter().for_each(|ins| machine.execute(ins));
            let directions = derivative.directions as usize;
            for (tangents, &first) in tangents.chunks_exact_mut(directions).zip(&derivative.results) {
                tangents.copy_from_slice(&machine.cells[first as usize..first as usize + directions]);
            }
        }
        true
    }

    fn is_cancelled(&self) -> bool {
        self.machine.is_cancelled()
    }

    fn records(&mut self) -> &mut [Record] {
        &mut self.machine.context.records
    }

    fn leaves(&self) -> Leaves<'_> {
        Leaves { context: &self.machine.context, next: &self.machine.next }
    }

    fn set_next(&mut self, next: &[f64]) {
        self.machine.next.copy_from_slice(next);
        self.driven.modes.load(next, &mut self.machine.cells);
    }

    fn history_mut(&mut self) -> &mut [f64] {
        &mut self.machine.context.history
    }

    fn set_held(&mut self, output: OutputId, values: &[f64]) {
        self.machine.context.values[self.machine.program.outputs[output].elements()].copy_from_slice(values);
    }
}

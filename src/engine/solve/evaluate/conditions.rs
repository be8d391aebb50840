//! Conditional subsystems between the points of the grid: where a solver of variable step has located an event, they
//! start and end.
//!
//! From there to the next point of the grid, what the engine has decided in the major step does not hold any more. Then
//! the driver takes the rates from [`Evaluator::rates`].

use std::ops::Range;
use std::sync::Arc;

use super::super::super::{ConditionalSubsystem, OutputId, Program, SubsystemId, SubsystemMap, UnitId, UnitMap};
use super::{EvaluationTarget, Evaluator, Leaves, Point};
use crate::block::{Reg, StateKind, Update};
use crate::engine::solve::interpret::Env;

/// The decisions of a solver about the conditional subsystems since the major step.
#[derive(Debug, Default)]
pub struct Conditions {
    /// For each subsystem whether its condition is located, and whether it is triggered then.
    is_located: SubsystemMap<bool>,
    is_triggered: SubsystemMap<bool>,
    /// For each enable unit its subsystem.
    pub(super) gates: Arc<UnitMap<Option<SubsystemId>>>,
    /// The outputs that hold their values where a subsystem ends.
    exits: Vec<OutputId>,
    /// Whether the rest has been set.
    pub is_set: bool,
    /// For each subsystem whether it runs, if those around it do.
    runs: SubsystemMap<bool>,
    /// The triggered subsystem that runs at this moment.
    pub(super) triggered: Option<SubsystemId>,
    /// The values of all outputs, of which those that are held are valid, and the numbers of runs.
    values: Vec<f64>,
    /// The discrete states, of which some have been reset.
    discrete: Vec<f64>,
}

/// The changes at an event.
#[derive(Debug, Default)]
pub struct Switched {
    pub is_any: bool,
    /// Parts of the histories, with the value that fills each.
    pub refills: Vec<(usize, f64)>,
}

/// The result of an enable unit.
struct Gate {
    subsystem: SubsystemId,
    runs: bool,
    resets: bool,
    /// The next values of its modes, by index.
    modes: Vec<(usize, f64)>,
}

/// Each enable condition changes about once at an event; with this many changes for each they toggle each other without
/// end.
const MAX_CHANGES: usize = 8;

impl Conditions {
    pub fn new(program: &Program) -> Conditions {
        let mut gates = program.by_unit(None);
        for (number, subsystem) in &program.subsystems {
            gates[subsystem.enable_unit] = Some(number);
        }
        let (is_located, exits) = (program.located_subsystems(), program.held_exits().collect());
        let is_triggered =
            |(number, subsystem): (_, &ConditionalSubsystem)| is_located[number] && subsystem.is_triggered;
        let is_triggered = program.subsystems.iter().map(is_triggered).collect();
        Conditions { is_located, is_triggered, gates: gates.into(), exits, ..Conditions::default() }
    }

    /// The discrete states, for which the context has those of the start of the step.
    pub fn discrete<'a>(&'a self, leaves: Leaves<'a>) -> &'a [f64] {
        if self.is_set { &self.discrete } else { &leaves.context.discrete }
    }

    fn is_any_located(&self) -> bool {
        self.is_located.values().any(|is_located| *is_located)
    }

    fn is_located(&self, unit: UnitId) -> bool {
        self.gates[unit].is_some_and(|subsystem| self.is_located[subsystem])
    }
}

impl Evaluator {
    /// Forgets what was decided since the last major step. A triggered subsystem that ran there does not run on.
    pub fn begin_step(&mut self, leaves: Leaves) {
        self.conditions.is_set = false;
        if !self.conditions.is_triggered.values().any(|is_triggered| *is_triggered) {
            return;
        }
        self.enter(leaves);
        if self.is_on.keys().any(|number| self.is_on[number] && self.conditions.is_triggered[number]) {
            self.set(leaves);
        }
    }

    /// Reads which conditional subsystems run, and the values that they hold.
    pub(super) fn enter(&mut self, leaves: Leaves) {
        let (program, conditions) = (&self.program, &self.conditions);
        let held = if conditions.is_set { &conditions.values } else { &leaves.context.values };
        for (number, subsystem) in program.subsystems.iter() {
            let runs = program.runs_of(number);
            for output in subsystem.exits.iter().map(|exit| exit.output).chain([runs]) {
                let elements = elements(program, output);
                self.values[elements.clone()].copy_from_slice(&held[elements]);
            }
            let is_around = subsystem.parent.is_none_or(|parent| self.is_on[parent]);
            let runs = match conditions.triggered {
                _ if !conditions.is_set => self.values[program.outputs[runs].offset as usize] >= 1.0,
                Some(triggered) if triggered == number => true,
                _ => conditions.runs[number],
            };
            // An iterated subsystem runs in the major step only.
            self.is_on[number] = is_around && !subsystem.is_iterated && runs;
        }
    }

    /// Whether a unit runs for the solver. Of the units that compute enable conditions only those do that are located.
    pub(super) fn is_running(&self, unit: UnitId, target: EvaluationTarget) -> bool {
        let subsystem = self.program.units[unit].subsystem;
        let is_seen = match target {
            EvaluationTarget::Crossings | EvaluationTarget::Conditions => self.conditions.is_located(unit),
            _ => false,
        };
        (self.conditions.gates[unit].is_none() || is_seen) && subsystem.is_none_or(|subsystem| self.is_on[subsystem])
    }

    /// Computes the rates of change of all states.
    pub fn rates(&mut self, leaves: Leaves, point: Point, rates: &mut [f64]) {
        rates.fill(0.0);
        self.walk(leaves, point, EvaluationTarget::Rates, |program, number, kernel, interpreter| {
            let Some(interpreter) = interpreter else { return };
            for update in &kernel.updates {
                let Update::Derivative { state, value } = *update else { continue };
                let slot = program.state(&program.units[number], state);
                let to = &mut rates[slot.elements()];
                spread(to, interpreter.value(kernel, value));
            }
        });
    }

    /// Lets conditional subsystems start and end, with states that are reset in `x` and `next`.
    pub fn switch(&mut self, leaves: Leaves, time: f64, x: &mut [f64], next: &mut [f64]) -> Switched {
        let mut switched = Switched::default();
        if !self.conditions.is_any_located() {
            return switched;
        }
        for _ in 0..MAX_CHANGES * self.is_on.len() {
            let before = next.to_vec();
            let leaves = Leaves { next: &before, ..leaves };
            let gates = self.gates(leaves, Point { time, x });
            let changes = |gate: &&Gate| gate.resets || gate.runs != self.is_on[gate.subsystem];
            let Some(gate) = gates.iter().find(changes) else {
                gates.iter().flat_map(|gate| &gate.modes).for_each(|&(mode, value)| next[mode] = value);
                return switched;
            };
            switched.is_any = true;
            self.set(leaves);
            gate.modes.iter().for_each(|&(mode, value)| next[mode] = value);
            let was_on = self.is_on[gate.subsystem];
            if was_on && !gate.runs {
                self.hold(leaves, Point { time, x }, gate.subsystem);
            }
            if gate.resets {
                self.reset(leaves, gate.subsystem, x, next, &mut switched);
            }
            if !self.conditions.is_triggered[gate.subsystem] {
                self.set_runs(gate.subsystem, gate.runs);
            } else if gate.runs {
                self.trigger(leaves, Point { time, x }, gate.subsystem, next);
            }
        }
        switched
    }

    /// Sets the values that the subsystems hold that end at a point of the grid. The major step there ends them.
    pub fn hold_at_grid(&mut self, leaves: Leaves, point: Point) {
        if !self.conditions.is_any_located() {
            return;
        }
        for gate in self.gates(leaves, point) {
            if !gate.runs && self.is_on[gate.subsystem] {
                self.set(leaves);
                self.hold(leaves, point, gate.subsystem);
            }
        }
    }

    /// The outputs that hold the values of subsystems, each with these values, if a solver has changed any.
    pub fn held_outputs(&self) -> impl Iterator<Item = (OutputId, &[f64])> {
        let exits = if self.conditions.is_set { &self.conditions.exits[..] } else { &[] };
        exits.iter().map(|&output| (output, &self.conditions.values[elements(&self.program, output)]))
    }

    /// Computes the enable conditions that are located, in running order.
    fn gates(&mut self, leaves: Leaves, point: Point) -> Vec<Gate> {
        let mut found = Vec::new();
        let gates = Arc::clone(&self.conditions.gates);
        self.walk(leaves, point, EvaluationTarget::Conditions, |program, number, kernel, interpreter| {
            let Some((interpreter, subsystem)) = interpreter.zip(gates[number]) else { return };
            let unit = &program.units[number];
            let value = |reg: Reg| interpreter.value(kernel, reg)[0];
            let mut modes = Vec::new();
            for update in &kernel.updates {
                if let Update::Next { state, value: reg } = *update {
                    modes.push((program.state(unit, state).offset as usize, value(reg)));
                }
            }
            let [runs, resets] = [0, 1].map(|output: usize| value(kernel.outputs[output].reg));
            found.push(Gate { subsystem, runs: runs >= 1.0, resets: resets != 0.0, modes });
        });
        found
    }

    /// Begins to decide otherwise than the major step.
    fn set(&mut self, leaves: Leaves) {
        if self.conditions.is_set {
            return;
        }
        let conditions = &mut self.conditions;
        conditions.values.clone_from(&leaves.context.values);
        conditions.discrete.clone_from(&leaves.context.discrete);
        conditions.is_set = true;
        conditions.runs.clear();
        let runs = self.is_on.iter().map(|(number, is_on)| *is_on && !conditions.is_triggered[number]);
        conditions.runs.extend(runs);
    }

    fn set_runs(&mut self, subsystem: SubsystemId, runs: bool) {
        self.conditions.runs[subsystem] = runs;
        let output = &self.program.outputs[self.program.runs_of(subsystem)];
        self.conditions.values[output.offset as usize] = f64::from(u8::from(runs));
    }

    /// Runs a triggered subsystem once.
    fn trigger(&mut self, leaves: Leaves, point: Point, subsystem: SubsystemId, next: &mut [f64]) {
        let program = Arc::clone(&self.program);
        // It may have run in this step already.
        for unit in program.subsystems[subsystem].units.iter().map(|&unit| &program.units[unit]) {
            for slot in program.states_of(unit).iter().filter(|slot| slot.kind == StateKind::Discrete) {
                let elements = slot.elements();
                self.conditions.discrete[elements.clone()].copy_from_slice(&next[elements]);
            }
        }
        self.conditions.triggered = Some(subsystem);
        self.walk(leaves, point, EvaluationTarget::Conditions, |program, number, kernel, interpreter| {
            let unit = &program.units[number];
            let Some(interpreter) = interpreter.filter(|_| unit.subsystem == Some(subsystem)) else { return };
            for update in &kernel.updates {
                let Update::Next { state, value } = *update else { continue };
                let slot = program.state(unit, state);
                spread(&mut next[slot.elements()], interpreter.value(kernel, value));
            }
        });
        self.conditions.triggered = None;
        for exit in &program.subsystems[subsystem].exits {
            let elements = elements(&program, exit.output);
            self.conditions.values[elements.clone()].copy_from_slice(&self.values[elements]);
        }
        self.set_runs(subsystem, true);
        self.conditions.runs[subsystem] = false;
    }

    /// Holds the outputs of a subsystem that ends, and of those inside it, which end with it.
    fn hold(&mut self, leaves: Leaves, point: Point, subsystem: SubsystemId) {
        self.walk(leaves, point, EvaluationTarget::Rates, |_, _, _, _| {});
        let program = Arc::clone(&self.program);
        for (number, inner) in &program.subsystems {
            if !program.is_within(Some(number), subsystem) {
                continue;
            }
            for exit in &inner.exits {
                let elements = elements(&program, exit.output);
                self.conditions.values[elements.clone()].copy_from_slice(&self.values[elements]);
                if number == subsystem && exit.idle_resets {
                    self.idle(leaves, exit.output);
                }
            }
            if !inner.is_iterated {
                self.set_runs(number, false);
            }
        }
    }

    /// Sets a held output to its initial value.
    fn idle(&mut self, leaves: Leaves, output: OutputId) {
        let program = Arc::clone(&self.program);
        let unit = &program.units[program.output_unit(output)];
        let kernel = program.kernel(unit);
        let made = &kernel.outputs[output - unit.first_output];
        let Some(idle) = made.idle else { return };
        self.interpreter.run(kernel, &kernel.idle, &Env::of_parameters(&program, unit, leaves.context));
        spread(&mut self.conditions.values[elements(&program, output)], self.interpreter.value(kernel, idle));
    }

    /// Resets all states in a subsystem to their initial values, and the outputs of those inside it.
    fn reset(
        &mut self,
        leaves: Leaves,
        subsystem: SubsystemId,
        x: &mut [f64],
        next: &mut [f64],
        switched: &mut Switched,
    ) {
        let program = Arc::clone(&self.program);
        for unit in program.units.values().filter(|unit| program.is_within(unit.subsystem, subsystem)) {
            let kernel = program.kernel(unit);
            self.interpreter.run(kernel, &kernel.init, &Env::of_parameters(&program, unit, leaves.context));
            for (state, slot) in kernel.states.iter().zip(program.states_of(unit)) {
                let initial = self.interpreter.value(kernel, state.initial);
                let elements = slot.elements();
                match slot.kind {
                    StateKind::Continuous => spread(&mut x[elements], initial),
                    StateKind::Discrete => {
                        spread(&mut next[elements.clone()], initial);
                        spread(&mut self.conditions.discrete[elements], initial);
                    }
                    // In a conditional model delays keep the points of the grid.
                    StateKind::Record => {}
                    StateKind::History { length } => {
                        let filled = slot.offset as usize..slot.offset as usize + length * slot.width as usize;
                        switched.refills.extend(filled.zip(initial.iter().copied().cycle()));
                    }
                }
            }
            if unit.subsystem != Some(subsystem) && kernel.is_held_exit() {
                self.idle(leaves, unit.first_output);
            }
        }
    }
}

/// The elements of an output among those of all.
pub(super) fn elements(program: &Program, output: OutputId) -> Range<usize> {
    let output = &program.outputs[output];
    output.elements()
}

/// Copies elements, of which a single one stands for all.
pub(super) fn spread(to: &mut [f64], from: &[f64]) {
    to.iter_mut().zip(from.iter().cycle()).for_each(|(to, from)| *to = *from);
}

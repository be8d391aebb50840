//! Evaluates what the solvers need of a program besides the rates: the Jacobian, crossing functions, decisions.
//!
//! It interprets the tapes, whichever engine asks, so that all engines get the same bits.

use std::sync::Arc;

use super::super::interpret::{Env, Interpreter};
use super::super::schedule::Schedule;
use super::super::{Context, Program};
use super::sparse::Jacobian;
use super::sparsity::Sparsity;
use super::tangent::{Seeds, Tangents};
use crate::block::{Clock, Kernel, KernelOutput, Op, Reg, StateKind, Update};

/// The values that are constant while the solver works on a step.
#[derive(Clone, Copy)]
pub struct Leaves<'a> {
    /// Only its step, parameters, discrete states and histories are read.
    pub context: &'a Context,
    /// The discrete states of the next step, modes among them.
    pub next: &'a [f64],
}

/// The time and the continuous states at which something is evaluated.
#[derive(Clone, Copy)]
pub struct Point<'a> {
    /// Seconds.
    pub time: f64,
    pub x: &'a [f64],
}

/// One execution of a unit: of its begin part, or of the rest.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    pub unit: usize,
    pub is_begin: bool,
}

impl Visit {
    pub fn list(self, kernel: &Kernel) -> &[Reg] {
        if self.is_begin { &kernel.begin } else { &kernel.run }
    }

    /// The outputs that this execution sets, each with its number.
    pub fn published(self, kernel: &Kernel) -> impl Iterator<Item = (usize, &KernelOutput)> {
        let has_inputs = !kernel.inputs.is_empty();
        kernel
            .outputs
            .iter()
            .enumerate()
            .filter(move |(_, made)| (has_inputs && made.needs.is_empty()) == self.is_begin)
    }
}

#[derive(Debug)]
pub struct Evaluator {
    program: Arc<Program>,
    visits: Vec<Visit>,
    /// The sources that limit the solver's steps.
    limiting: Vec<usize>,
    /// For each unit whether it computes the enable condition of a conditional subsystem.
    is_enable_unit: Vec<bool>,
    /// For each conditional subsystem whether it runs.
    is_on: Vec<bool>,
    interpreter: Interpreter,
    values: Vec<f64>,
    sparsity: Option<Sparsity>,
    tangents: Tangents,
    /// The tangents of all output values for each direction: one for each colour, and one for the time.
    value_tangents: Vec<Vec<f64>>,
    state_tangents: Vec<Vec<f64>>,
    /// The tangents of the rates, one direction after the other.
    found: Vec<f64>,
    /// The torn outputs of an algebraic loop: their values, and their derivatives in one direction.
    torn: Vec<f64>,
    looped: Vec<f64>,
    /// The elements of modes among the discrete states, as ranges of first and count.
    pub modes: Vec<(usize, usize)>,
    pub has_crossings: bool,
    /// Whether a rate or a crossing function depends on values that change from step to step, other than modes.
    pub is_stepwise: bool,
}

impl Evaluator {
    pub fn new(program: &Arc<Program>) -> Evaluator {
        let visits = visits(program);
        let size = program.kernels.iter().map(|kernel| kernel.scratch).max().unwrap_or(0);
        let kernels = visits.iter().map(|visit| program.kernel(&program.units[visit.unit]));
        let has_crossings = kernels.into_iter().any(|kernel| !kernel.crossings.is_empty());
        let limits = |visit: &&Visit| !program.kernel(&program.units[visit.unit]).step_limits.is_empty();
        let limiting = visits.iter().filter(limits).map(|visit| visit.unit).collect();
        let mut is_enable_unit = vec![false; program.units.len()];
        program.subsystems.iter().for_each(|subsystem| is_enable_unit[subsystem.enable_unit as usize] = true);
        Evaluator {
            program: Arc::clone(program),
            is_enable_unit,
            is_on: vec![false; program.subsystems.len()],
            interpreter: Interpreter::new(program),
            values: vec![0.0; program.value_count],
            sparsity: None,
            tangents: Tangents::new(size),
            value_tangents: Vec::new(),
            state_tangents: Vec::new(),
            found: Vec::new(),
            torn: Vec::new(),
            looped: Vec::new(),
            modes: modes(program),
            has_crossings,
            is_stepwise: is_stepwise(program, &visits),
            limiting,
            visits,
        }
    }

    /// Runs all units that matter and calls `seen` after each; without an interpreter for a unit that does not run.
    fn walk(
        &mut self,
        leaves: Leaves,
        point: Point,
        target: EvaluationTarget,
        mut seen: impl FnMut(&Program, usize, &Kernel, Option<&Interpreter>),
    ) {
        let program = Arc::clone(&self.program);
        self.enter(leaves);
        for &visit in &self.visits {
            let unit = &program.units[visit.unit];
            let kernel = program.kernel(unit);
            if !self.is_running(visit.unit) {
                if !visit.is_begin {
                    seen(&program, visit.unit, kernel, None);
                }
                continue;
            }
            let env = env(&program, visit.unit, leaves, point, target, &self.values);
            let list = if target == EvaluationTarget::Rates || visit.is_begin {
                visit.list(kernel)
            } else {
                &kernel.run_with_crossings
            };
            self.interpreter.run(kernel, list, &env);
            for (output, made) in visit.published(kernel) {
                let first = program.outputs[unit.first_output as usize + output].offset as usize;
                self.values[first..first + made.width].copy_from_slice(self.interpreter.value(kernel, made.reg));
            }
            if !visit.is_begin {
                seen(&program, visit.unit, kernel, Some(&self.interpreter));
            }
        }
    }

    /// Reads which conditional subsystems run in this step, and the values that they hold; both are constant while the
    /// solver works.
    fn enter(&mut self, leaves: Leaves) {
        let program = &self.program;
        for (number, subsystem) in program.subsystems.iter().enumerate() {
            let runs = program.runs_of(number as u32);
            for output in subsystem.exits.iter().map(|exit| exit.output).chain([runs]) {
                let output = &program.outputs[output as usize];
                let elements = output.offset as usize..(output.offset + output.width) as usize;
                self.values[elements.clone()].copy_from_slice(&leaves.context.values[elements]);
            }
            let is_around = subsystem.parent.is_none_or(|parent| self.is_on[parent as usize]);
            let runs = self.values[program.outputs[runs as usize].offset as usize];
            // An iterated subsystem runs in the major step only.
            self.is_on[number] = is_around && !subsystem.is_iterated && runs >= 1.0;
        }
    }

    /// Whether a unit runs for the solver. Units that compute enable conditions do not: they ran in the major step.
    fn is_running(&self, unit: usize) -> bool {
        let subsystem = self.program.units[unit].subsystem;
        !self.is_enable_unit[unit] && subsystem.is_none_or(|subsystem| self.is_on[subsystem as usize])
    }

    /// Sets `found` to the values of all crossing functions, in the order of the units.
    pub fn crossings(&mut self, leaves: Leaves, point: Point, found: &mut Vec<f64>) {
        found.clear();
        self.walk(leaves, point, EvaluationTarget::Crossings, |_, _, kernel, interpreter| {
            for &reg in &kernel.crossings {
                match interpreter {
                    Some(interpreter) => found.extend_from_slice(interpreter.value(kernel, reg)),
                    None => found.resize(found.len() + kernel.width(reg), 0.0),
                }
            }
        });
    }

    /// Returns the length in seconds beyond which a step from this point could miss what a source does; infinite if no
    /// source limits it.
    pub fn longest_step(&mut self, leaves: Leaves, time: f64) -> f64 {
        if self.limiting.is_empty() {
            return f64::INFINITY;
        }
        let program = Arc::clone(&self.program);
        self.enter(leaves);
        let mut longest = f64::INFINITY;
        for &number in &self.limiting {
            if !self.is_running(number) {
                continue;
            }
            let kernel = program.kernel(&program.units[number]);
            let point = Point { time, x: &[] };
            let env = env(&program, number, leaves, point, EvaluationTarget::Crossings, &[]);
            self.interpreter.run(kernel, &kernel.run_with_crossings, &env);
            let limits = kernel.step_limits.iter().flat_map(|&reg| self.interpreter.value(kernel, reg));
            longest = limits.copied().filter(|limit| *limit > 0.0).fold(longest, f64::min);
        }
        longest
    }

    /// Returns the unit that has the crossing function of this number.
    pub fn unit_of_crossing(&self, mut number: usize) -> Option<usize> {
        for visit in self.visits.iter().filter(|visit| !visit.is_begin) {
            let kernel = self.program.kernel(&self.program.units[visit.unit]);
            let count: usize = kernel.crossings.iter().map(|&reg| kernel.width(reg)).sum();
            if number < count {
                return Some(visit.unit);
            }
            number -= count;
        }
        None
    }

    /// Lets modes change, in `next`, and continuous states jump, in `x`.
    pub fn decide(&mut self, leaves: Leaves, time: f64, x: &mut [f64], next: &mut [f64]) {
        let before = x.to_vec();
        self.walk(
            leaves,
            Point { time, x: &before },
            EvaluationTarget::Decision,
            |program, number, kernel, interpreter| {
                let unit = &program.units[number];
                let Some(interpreter) = interpreter else { return };
                for update in &kernel.updates {
                    let slot = &program.states[unit.first_state as usize + update.state()];
                    let range = slot.offset as usize..(slot.offset + slot.width) as usize;
                    let elements = |reg: Reg| {
                        let elements = interpreter.value(kernel, reg);
                        move |element: usize| if elements.len() == 1 { elements[0] } else { elements[element] }
                    };
                    match *update {
                        Update::Next { state, value } if kernel.states[state].is_mode() => {
                            let value = elements(value);
                            next[range].iter_mut().enumerate().for_each(|(element, to)| *to = value(element));
                        }
                        Update::Jump { on, value, .. } => {
                            let (on, value) = (elements(on), elements(value));
                            for (element, x) in x[range].iter_mut().enumerate() {
                                if on(element) != 0.0 {
                                    *x = value(element);
                                }
                            }
                        }
                        _ => {}
                    }
                }
            },
        );
    }

    /// Computes the derivatives of the rates: in `jacobian` those by the states, in `slope` that of each rate by the time.
    /// A Jacobian without a size gets its pattern first.
    pub fn jacobian(&mut self, leaves: Leaves, point: Point, jacobian: &mut Jacobian, slope: &mut [f64]) {
        let program = Arc::clone(&self.program);
        let count = program.continuous_count;
        let sparsity = self.sparsity.take().unwrap_or_else(|| Sparsity::new(&program, &self.visits));
        let directions = sparsity.colour_count + 1;
        if self.value_tangents.len() != directions {
            self.value_tangents = vec![vec![0.0; program.value_count]; directions];
            self.state_tangents = vec![vec![0.0; count]; directions];
            for (state, &colour) in sparsity.colour.iter().enumerate() {
                self.state_tangents[colour as usize][state] = 1.0;
            }
        }
        // The tangents of the rates, one direction after the other.
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        found.resize(directions * count, 0.0);
        self.enter(leaves);
        for &visit in &self.visits {
            let unit = &program.units[visit.unit];
            let kernel = program.kernel(unit);
            if !self.is_running(visit.unit) {
                // A held output is constant.
                for output in program.outputs_of(unit) {
                    let output = &program.outputs[output];
                    let elements = output.offset as usize..(output.offset + output.width) as usize;
                    self.value_tangents.iter_mut().for_each(|tangents| tangents[elements.clone()].fill(0.0));
                }
                continue;
            }
            let list = visit.list(kernel);
            let seen = env(&program, visit.unit, leaves, point, EvaluationTarget::Rates, &self.values);
            self.interpreter.run(kernel, list, &seen);
            for (output, made) in visit.published(kernel) {
                let first = program.outputs[unit.first_output as usize + output].offset as usize;
                self.values[first..first + made.width].copy_from_slice(self.interpreter.value(kernel, made.reg));
            }
            let looped =
                kernel.ops.iter().find_map(|op| if let Op::Loop { number, .. } = op { Some(*number) } else { None });
            for direction in 0..directions {
                let time = f64::from(u8::from(direction + 1 == directions));
                let changes = (&*self.value_tangents[direction], &*self.state_tangents[direction], time);
                if let (Some(number), Some(loops)) = (looped, self.interpreter.loops()) {
                    let env = env(&program, visit.unit, leaves, point, EvaluationTarget::Rates, &self.values);
                    self.torn.clear();
                    for at in program.outputs_of(unit).map(|output| &program.outputs[output]) {
                        self.torn.extend_from_slice(&self.values[at.offset as usize..][..at.width as usize]);
                    }
                    loops.tangent(number as usize, &env, &self.torn, changes, None, &mut self.looped);
                }
                let (values, states) = (&self.value_tangents[direction], &self.state_tangents[direction]);
                let seeds = Seeds {
                    inputs: &|input| {
                        let source = program.sources[unit.first_input as usize + input].map_or(0, |from| from as usize);
                        let output = &program.outputs[source];
                        &values[output.offset as usize..(output.offset + output.width) as usize]
                    },
                    states: &|state| {
                        let slot = &program.states[unit.first_state as usize + state];
                        &states[slot.offset as usize..(slot.offset + slot.width) as usize]
                    },
                    time,
                    looped: &self.looped,
                    steps: None,
                };
                self.tangents.run(kernel, list, self.interpreter.scratch(), seeds);
                for (output, made) in visit.published(kernel) {
                    let first = program.outputs[unit.first_output as usize + output].offset as usize;
                    let elements = self.tangents.of(kernel, made.reg);
                    self.value_tangents[direction][first..first + made.width].copy_from_slice(elements);
                }
                if visit.is_begin {
                    continue;
                }
                for update in &kernel.updates {
                    let Update::Derivative { state, value } = *update else { continue };
                    let slot = &program.states[unit.first_state as usize + state];
                    let elements = self.tangents.of(kernel, value);
                    let to = &mut found[direction * count + slot.offset as usize..][..slot.width as usize];
                    to.iter_mut().enumerate().for_each(|(element, to)| {
                        *to = if elements.len() == 1 { elements[0] } else { elements[element] };
                    });
                }
            }
        }
        if jacobian.size() != count {
            *jacobian = Jacobian::new(&sparsity.rows);
        }
        for (column, &colour) in sparsity.colour.iter().enumerate() {
            let of_colour = &found[colour as usize * count..][..count];
            jacobian.set_column(column, |row| of_colour[row]);
        }
        slope.copy_from_slice(&found[(directions - 1) * count..]);
        self.sparsity = Some(sparsity);
        self.found = found;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EvaluationTarget {
    Rates,
    Crossings,
    Decision,
}

fn env<'a>(
    program: &'a Program,
    unit: usize,
    leaves: Leaves<'a>,
    point: Point<'a>,
    target: EvaluationTarget,
    values: &'a [f64],
) -> Env<'a> {
    Env {
        program,
        unit: &program.units[unit],
        values,
        context: leaves.context,
        continuous: point.x,
        next: leaves.next,
        time: point.time,
        is_major: false,
        is_deciding: target == EvaluationTarget::Decision,
        iteration: 0,
        // Iterated models run in the major step only.
        runs: 0.0,
        cancel: None,
    }
}

/// Returns whether an implicit solver keeps at most so many numbers for the derivatives of the rates, and for the factors
/// of its matrix.
pub fn is_solvable(program: &Program, most: usize) -> bool {
    let sparsity = Sparsity::within(program, &visits(program), most);
    sparsity.and_then(|sparsity| Jacobian::within(&sparsity.rows, most)).is_some()
}

/// Returns the elements of modes among the discrete states, as ranges of first and count.
pub fn modes(program: &Program) -> Vec<(usize, usize)> {
    let states = program.units.iter().flat_map(|unit| program.states_of(unit).iter().zip(&program.kernel(unit).states));
    let modes = states.filter(|(_, state)| state.is_mode());
    modes.map(|(slot, _)| (slot.offset as usize, slot.width as usize)).collect()
}

/// Returns the units on which rates, crossing functions, modes and jumps depend, in running order.
pub fn visits(program: &Program) -> Vec<Visit> {
    let mut owner = Vec::with_capacity(program.outputs.len());
    for (number, unit) in program.units.iter().enumerate() {
        owner.extend(program.outputs_of(unit).map(|_| number));
    }
    let mut is_needed = vec![false; program.units.len()];
    let order = Schedule::new(program).running_order(program);
    let is_root = |unit: &u32| {
        let kernel = program.kernel(&program.units[*unit as usize]);
        let is_root = |update: &Update| match *update {
            Update::Derivative { .. } | Update::Jump { .. } => true,
            Update::Next { state, .. } => kernel.states[state].is_mode(),
            _ => false,
        };
        !kernel.crossings.is_empty() || kernel.updates.iter().any(is_root)
    };
    let mut ahead: Vec<usize> = order.iter().filter(|unit| is_root(unit)).map(|&unit| unit as usize).collect();
    while let Some(number) = ahead.pop() {
        if std::mem::replace(&mut is_needed[number], true) {
            continue;
        }
        let unit = &program.units[number];
        let first = unit.first_input as usize;
        let sources = program.sources[first..first + program.kernel(unit).inputs.len()].iter().flatten();
        ahead.extend(sources.map(|&source| owner[source as usize]));
    }
    let begins = (0..program.units.len()).filter(|&unit| {
        let kernel = program.kernel(&program.units[unit]);
        is_needed[unit] && !kernel.inputs.is_empty() && !kernel.begin.is_empty()
    });
    let runs = order.iter().map(|&unit| unit as usize).filter(|&unit| is_needed[unit]);
    let begins = begins.map(|unit| Visit { unit, is_begin: true });
    begins.chain(runs.map(|unit| Visit { unit, is_begin: false })).collect()
}

fn is_stepwise(program: &Program, visits: &[Visit]) -> bool {
    // Enable conditions are computed in each step.
    if visits.iter().any(|visit| program.units[visit.unit].subsystem.is_some()) {
        return true;
    }
    let mut outputs = vec![false; program.outputs.len()];
    for visit in visits {
        let unit = &program.units[visit.unit];
        let kernel = program.kernel(unit);
        let mut registers = vec![false; kernel.ops.len()];
        for &reg in if visit.is_begin { &kernel.begin } else { &kernel.run_with_crossings } {
            let op = &kernel.ops[reg as usize];
            registers[reg as usize] = match op {
                Op::Past { .. } => true,
                Op::Clock(clock) => matches!(clock, Clock::StepTime | Clock::Step | Clock::Hit(_) | Clock::Count(_)),
                Op::State(state) => kernel.states[*state as usize].kind == StateKind::Discrete,
                Op::Held(state) => !kernel.states[*state as usize].is_mode(),
                Op::Input(input) => program.sources[unit.first_input as usize + *input as usize]
                    .is_some_and(|source| outputs[source as usize]),
                // Minor steps decide nothing.
                Op::Select { on, no, .. }
                    if matches!(kernel.ops[*on as usize], Op::Clock(Clock::Deciding | Clock::Major)) =>
                {
                    registers[*no as usize]
                }
                // The units of a loop are checked themselves; all of their outputs are read.
                Op::Loop { number, .. } => {
                    program.loops[*number as usize].members.iter().any(|&member| {
                        let kernel = program.kernel(&program.units[member]);
                        let tells = |op: &Op| match op {
                            Op::State(state) => kernel.states[*state as usize].kind == StateKind::Discrete,
                            Op::Past { .. } | Op::Held(_) => true,
                            Op::Clock(clock) => *clock != Clock::Time && *clock != Clock::Delta,
                            _ => false,
                        };
                        kernel.ops.iter().any(tells)
                    }) || op.operands().any(|operand| {
                        matches!(kernel.ops[operand as usize], Op::Input(_)) && registers[operand as usize]
                    })
                }
                op => op.operands().any(|operand| registers[operand as usize]),
            };
        }
        for (output, made) in visit.published(kernel) {
            outputs[unit.first_output as usize + output] = registers[made.reg as usize];
        }
        let is_rate = |update: &Update| match *update {
            Update::Derivative { value, .. } => registers[value as usize],
            _ => false,
        };
        let is_stepwise =
            kernel.updates.iter().any(is_rate) || kernel.crossings.iter().any(|&reg| registers[reg as usize]);
        if !visit.is_begin && is_stepwise {
            return true;
        }
    }
    false
}

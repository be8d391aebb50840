//! Evaluates what the solvers need of a program besides the rates: the Jacobian, crossing functions, decisions.
//!
//! It interprets the tapes, whichever engine asks, so that all engines get the same bits.

mod conditions;
mod events;
mod visits;

use std::sync::Arc;

use self::conditions::Conditions;
pub use self::visits::{Visit, is_solvable, layout, modes, visits};
use self::visits::{is_stepwise, visits_to};
use super::super::{Context, Program, SubsystemMap, UnitId};
use super::interpret::{Env, Interpreter, record_of};
use super::memory::Layout;
use super::sparse::Jacobian;
use super::sparsity::Sparsity;
use super::tangent::{Seeds, Tangents};
use crate::block::{Kernel, Op, Reg, Update};

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

/// The announcements of the sources.
#[derive(Clone, Copy, Debug)]
pub struct TimeAhead {
    /// The maximum length of a step in seconds; infinite if no source limits it.
    pub longest_step: f64,
    /// The time in seconds of the next event, at which a step ends; infinite if there is none.
    pub event: f64,
    /// Whether modes change there.
    pub is_edge: bool,
}

/// Whether a block has signals that the solver records.
fn records(kernel: &Kernel) -> bool {
    kernel.updates.iter().any(|update| matches!(update, Update::Record { .. }))
}

/// A signal that the solver records.
#[derive(Clone, Copy, Debug)]
pub struct RecordedSignal {
    /// Its index among the records.
    pub record: usize,
    pub width: usize,
    /// The time in seconds for which it is kept.
    pub longest: f64,
}

impl RecordedSignal {
    fn of(program: &Program, visits: &[Visit]) -> Vec<RecordedSignal> {
        let mut signals = Vec::new();
        for visit in visits.iter().filter(|visit| !visit.is_begin) {
            let unit = &program.units[visit.unit];
            let kernel = program.kernel(unit);
            for update in &kernel.updates {
                let &Update::Record { record, longest, .. } = update else { continue };
                let slot = program.states_of(unit)[record];
                // How long a block wants to look back follows from its settings.
                let Op::Const(longest) = kernel.ops[longest as usize] else { continue };
                signals.push(RecordedSignal { record: slot.offset as usize, width: slot.width as usize, longest });
            }
        }
        signals
    }
}

/// The shortest step, as a fraction of the time at which it begins.
pub const RESOLUTION: f64 = 16.0 * f64::EPSILON;

#[derive(Debug)]
pub struct Evaluator {
    program: Arc<Program>,
    visits: Arc<[Visit]>,
    /// The units on which recorded signals depend.
    recorded_visits: Arc<[Visit]>,
    signals: Vec<RecordedSignal>,
    /// The units that announce events of time, or limit the solver's steps.
    sources: Vec<UnitId>,
    /// Whether an announcement depends on inputs.
    is_driven: bool,
    pub conditions: Conditions,
    /// For each conditional subsystem whether it runs.
    is_on: SubsystemMap<bool>,
    interpreter: Interpreter,
    values: Vec<f64>,
    sparsity: Option<Sparsity>,
    tangents: Tangents,
    /// The tangents of all output values for each direction: one for each colour, and one for the time.
    value_tangents: Vec<Vec<f64>>,
    state_tangents: Vec<Vec<f64>>,
    /// The derivatives of all output values by the time.
    value_slopes: Vec<f64>,
    /// A buffer for the tangents of the rates.
    pub found: Vec<f64>,
    /// The torn outputs of an algebraic loop: their values, and their derivatives in one direction.
    torn: Vec<f64>,
    looped: Vec<f64>,
    /// The elements of modes among the discrete states.
    pub modes: Vec<usize>,
    /// The sizes of the solver's memory.
    pub layout: Layout,
    /// Whether a rate or a crossing function depends on values that change from step to step, other than modes.
    pub is_stepwise: bool,
}

impl Evaluator {
    pub fn new(program: &Arc<Program>) -> Evaluator {
        let visits: Arc<[Visit]> = visits(program).into();
        let size = program.kernels.values().map(|kernel| kernel.scratch).max().unwrap_or(0);
        let recorded_visits: Arc<[Visit]> =
            visits_to(program, &|unit| records(program.kernel(&program.units[unit]))).into();
        let announces =
            |visit: &&Visit| !visit.is_begin && !program.kernel(&program.units[visit.unit]).time_events.is_empty();
        let sources: Vec<UnitId> = visits.iter().filter(announces).map(|visit| visit.unit).collect();
        let is_driven = sources.iter().any(|&unit| {
            let kernel = program.kernel(&program.units[unit]);
            kernel.time_events.list.iter().any(|&reg| matches!(kernel.ops[reg as usize], Op::Input(_)))
        });
        Evaluator {
            program: Arc::clone(program),
            conditions: Conditions::new(program),
            is_on: program.by_subsystem(false),
            interpreter: Interpreter::new(program),
            values: vec![0.0; program.value_count],
            sparsity: None,
            tangents: Tangents::new(size),
            value_tangents: Vec::new(),
            state_tangents: Vec::new(),
            value_slopes: Vec::new(),
            found: Vec::new(),
            torn: Vec::new(),
            looped: Vec::new(),
            modes: modes(program),
            layout: layout(program, &visits),
            is_stepwise: is_stepwise(program, &visits),
            sources,
            is_driven,
            signals: RecordedSignal::of(program, &recorded_visits),
            recorded_visits,
            visits,
        }
    }

    /// The step of the simulation in seconds.
    pub fn delta(&self) -> f64 {
        self.program.delta
    }

    /// Runs all units that matter and calls `seen` after each; without an interpreter for a unit that does not run.
    fn walk(
        &mut self,
        leaves: Leaves,
        point: Point,
        target: EvaluationTarget,
        seen: impl FnMut(&Program, UnitId, &Kernel, Option<&Interpreter>),
    ) {
        self.walk_along(&Arc::clone(&self.visits), (leaves, point, target), seen);
    }

    /// The same with some of these units.
    fn walk_along(
        &mut self,
        visits: &[Visit],
        (leaves, point, target): (Leaves, Point, EvaluationTarget),
        mut seen: impl FnMut(&Program, UnitId, &Kernel, Option<&Interpreter>),
    ) {
        let program = Arc::clone(&self.program);
        self.enter(leaves);
        for &visit in visits {
            let unit = &program.units[visit.unit];
            let kernel = program.kernel(unit);
            let is_gate = self.conditions.gates[visit.unit].is_some();
            if is_gate && visit.is_begin {
                continue;
            }
            if !self.is_running(visit.unit, target) {
                if !visit.is_begin {
                    seen(&program, visit.unit, kernel, None);
                }
                continue;
            }
            let env = env(&program, visit.unit, leaves, point, target, (&self.values, &self.conditions));
            if is_gate {
                // The caller uses its decision.
                self.interpreter.run(kernel, &kernel.begin, &env);
                self.interpreter.run(kernel, &kernel.run_with_crossings, &env);
                seen(&program, visit.unit, kernel, Some(&self.interpreter));
                continue;
            }
            let list = if target == EvaluationTarget::Rates || visit.is_begin {
                visit.list(kernel)
            } else {
                &kernel.run_with_crossings
            };
            self.interpreter.run(kernel, list, &env);
            for (output, made) in visit.published(&program) {
                self.values[program.outputs[output].elements()]
                    .copy_from_slice(self.interpreter.value(kernel, made.reg));
            }
            if !visit.is_begin {
                seen(&program, visit.unit, kernel, Some(&self.interpreter));
            }
        }
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

    /// Returns what the sources announce at a time in seconds, at which no step was begun yet.
    pub fn time_ahead(&mut self, leaves: Leaves, Point { time, x }: Point) -> TimeAhead {
        let mut ahead = TimeAhead { longest_step: f64::INFINITY, event: f64::INFINITY, is_edge: false };
        if self.sources.is_empty() {
            return ahead;
        }
        let program = Arc::clone(&self.program);
        match self.is_driven {
            true => self.walk(leaves, Point { time, x }, EvaluationTarget::Rates, |_, _, _, _| {}),
            false => self.enter(leaves),
        }
        // An event as near as this counts as reached.
        let now = time + 2.0 * RESOLUTION * time.abs();
        let mut edge = f64::INFINITY;
        for &number in &self.sources {
            if !self.is_running(number, EvaluationTarget::Rates) {
                continue;
            }
            let kernel = program.kernel(&program.units[number]);
            let point = Point { time, x };
            let env =
                env(&program, number, leaves, point, EvaluationTarget::Crossings, (&self.values, &self.conditions));
            let events = &kernel.time_events;
            self.interpreter.run(kernel, &events.list, &env);
            let smallest = |regs: &[Reg], least: f64| {
                let elements = regs.iter().flat_map(|&reg| self.interpreter.value(kernel, reg));
                elements.copied().filter(|element| *element > least).fold(f64::INFINITY, f64::min)
            };
            ahead.longest_step = ahead.longest_step.min(smallest(&events.limits, 0.0));
            edge = edge.min(smallest(&events.edges, now));
            ahead.event = ahead.event.min(smallest(&events.kinks, now));
        }
        // Where an edge and a kink are as near as times are rounded, they are one event.
        ahead.event = ahead.event.min(edge);
        ahead.is_edge = edge - ahead.event <= 2.0 * RESOLUTION * ahead.event.abs();
        ahead
    }

    /// The recorded signals, in the order of [`Evaluator::recorded`].
    pub fn recorded_signals(&self) -> &[RecordedSignal] {
        &self.signals
    }

    /// Appends the values of all recorded signals to `found`.
    pub fn recorded(&mut self, leaves: Leaves, point: Point, found: &mut Vec<f64>) {
        let visits = Arc::clone(&self.recorded_visits);
        self.walk_along(&visits, (leaves, point, EvaluationTarget::Rates), |_, _, kernel, interpreter| {
            for update in &kernel.updates {
                let &Update::Record { record, value, .. } = update else { continue };
                let width = kernel.states[record].width;
                match interpreter {
                    Some(interpreter) => found.extend_from_slice(interpreter.value(kernel, value)),
                    None => found.resize(found.len() + width, 0.0),
                }
            }
        });
    }

    /// Sets `found` to the derivatives of all crossing functions by the time, along the rates of change of the states.
    pub fn crossing_slopes(&mut self, leaves: Leaves, point: Point, rates: &[f64], found: &mut Vec<f64>) {
        found.clear();
        let program = Arc::clone(&self.program);
        let mut slopes = std::mem::take(&mut self.value_slopes);
        slopes.resize(program.value_count, 0.0);
        self.enter(leaves);
        for &visit in &*Arc::clone(&self.visits) {
            let unit = &program.units[visit.unit];
            let kernel = program.kernel(unit);
            if !self.is_running(visit.unit, EvaluationTarget::Rates) {
                // A held output is constant.
                for output in program.outputs_of(unit).map(|output| &program.outputs[output]) {
                    slopes[output.elements()].fill(0.0);
                }
                if !visit.is_begin {
                    let count: usize = kernel.crossings.iter().map(|&reg| kernel.width(reg)).sum();
                    found.resize(found.len() + count, 0.0);
                }
                continue;
            }
            let list = if visit.is_begin { &kernel.begin } else { &kernel.run_with_crossings };
            let values = (&self.values[..], &self.conditions);
            let seen = env(&program, visit.unit, leaves, point, EvaluationTarget::Crossings, values);
            self.interpreter.run(kernel, list, &seen);
            for (output, made) in visit.published(&program) {
                self.values[program.outputs[output].elements()]
                    .copy_from_slice(self.interpreter.value(kernel, made.reg));
            }
            self.solve_loop(visit, leaves, point, (&slopes, rates, 1.0));
            let seeds = Seeds {
                inputs: &|input| &slopes[program.input_elements(unit, input)],
                states: &|state| &rates[program.state(unit, state).elements()],
                records: &|record| record_of(&program, unit, leaves.context, record),
                now: point.time,
                time: 1.0,
                looped: &self.looped,
                steps: None,
            };
            self.tangents.run(kernel, list, self.interpreter.scratch(), seeds);
            for (output, made) in visit.published(&program) {
                slopes[program.outputs[output].elements()].copy_from_slice(self.tangents.of(kernel, made.reg));
            }
            if !visit.is_begin {
                kernel.crossings.iter().for_each(|&reg| found.extend_from_slice(self.tangents.of(kernel, reg)));
            }
        }
        self.value_slopes = slopes;
    }

    /// Sets `looped` to the tangents of the torn outputs, if the visit is to a unit that solves an algebraic loop.
    fn solve_loop(&mut self, visit: Visit, leaves: Leaves, point: Point, changes: (&[f64], &[f64], f64)) {
        let program = Arc::clone(&self.program);
        let unit = &program.units[visit.unit];
        let number = |op: &Op| if let Op::Loop { number, .. } = op { Some(*number) } else { None };
        let number = program.kernel(unit).ops.iter().find_map(number);
        let (Some(number), Some(loops)) = (number, self.interpreter.loops()) else { return };
        let values = (&self.values[..], &self.conditions);
        let env = env(&program, visit.unit, leaves, point, EvaluationTarget::Rates, values);
        self.torn.clear();
        for at in program.outputs_of(unit).map(|output| &program.outputs[output]) {
            self.torn.extend_from_slice(&self.values[at.elements()]);
        }
        loops.tangent(number as usize, &env, &self.torn, changes, None, &mut self.looped);
    }

    /// Returns the unit that has the crossing function of this number.
    pub fn unit_of_crossing(&self, number: usize) -> Option<UnitId> {
        Evaluator::unit_of(&self.program, &self.visits, number)
    }

    /// The same, where `visits` are the executions of all units that matter.
    pub fn unit_of(program: &Program, visits: &[Visit], mut number: usize) -> Option<UnitId> {
        for visit in visits.iter().filter(|visit| !visit.is_begin) {
            let kernel = program.kernel(&program.units[visit.unit]);
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
                    let slot = program.state(unit, update.state());
                    let range = slot.elements();
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

    /// Computes the tangents of the rates: for each state those by all states of a colour, and at the end that by the
    /// time.
    pub fn tangents(&mut self, leaves: Leaves, point: Point, found: &mut Vec<f64>) {
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
        self.sparsity = Some(sparsity);
        found.clear();
        found.resize(directions * count, 0.0);
        self.enter(leaves);
        for &visit in &*Arc::clone(&self.visits) {
            let unit = &program.units[visit.unit];
            let kernel = program.kernel(unit);
            if !self.is_running(visit.unit, EvaluationTarget::Rates) {
                // A held output is constant.
                for output in program.outputs_of(unit) {
                    let output = &program.outputs[output];
                    let elements = output.elements();
                    self.value_tangents.iter_mut().for_each(|tangents| tangents[elements.clone()].fill(0.0));
                }
                continue;
            }
            let list = visit.list(kernel);
            let values = (&self.values[..], &self.conditions);
            let seen = env(&program, visit.unit, leaves, point, EvaluationTarget::Rates, values);
            self.interpreter.run(kernel, list, &seen);
            for (output, made) in visit.published(&program) {
                self.values[program.outputs[output].elements()]
                    .copy_from_slice(self.interpreter.value(kernel, made.reg));
            }
            for direction in 0..directions {
                let time = f64::from(u8::from(direction + 1 == directions));
                let mut values = std::mem::take(&mut self.value_tangents[direction]);
                let states = std::mem::take(&mut self.state_tangents[direction]);
                self.solve_loop(visit, leaves, point, (&values, &states, time));
                let seeds = Seeds {
                    inputs: &|input| &values[program.input_elements(unit, input)],
                    states: &|state| &states[program.state(unit, state).elements()],
                    records: &|record| record_of(&program, unit, leaves.context, record),
                    now: point.time,
                    time,
                    looped: &self.looped,
                    steps: None,
                };
                self.tangents.run(kernel, list, self.interpreter.scratch(), seeds);
                for (output, made) in visit.published(&program) {
                    values[program.outputs[output].elements()].copy_from_slice(self.tangents.of(kernel, made.reg));
                }
                (self.value_tangents[direction], self.state_tangents[direction]) = (values, states);
                if visit.is_begin {
                    continue;
                }
                for update in &kernel.updates {
                    let Update::Derivative { state, value } = *update else { continue };
                    let slot = program.state(unit, state);
                    let elements = self.tangents.of(kernel, value);
                    for element in 0..slot.width as usize {
                        found[(slot.offset as usize + element) * directions + direction] =
                            if elements.len() == 1 { elements[0] } else { elements[element] };
                    }
                }
            }
        }
    }

    /// Sets the derivatives of the rates from their tangents: in `jacobian` those by the states, in `slope` that of each
    /// rate by the time. A Jacobian without a size gets its pattern first.
    pub fn set_derivatives(&mut self, tangents: &[f64], jacobian: &mut Jacobian, slope: &mut [f64]) {
        let sparsity = self.sparsity.get_or_insert_with(|| Sparsity::new(&self.program, &self.visits));
        let directions = sparsity.colour_count + 1;
        if jacobian.size() != sparsity.colour.len() {
            *jacobian = Jacobian::new(&sparsity.rows);
        }
        for (column, &colour) in sparsity.colour.iter().enumerate() {
            jacobian.set_column(column, |row| tangents[row * directions + colour as usize]);
        }
        slope.iter_mut().enumerate().for_each(|(row, slope)| *slope = tangents[(row + 1) * directions - 1]);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EvaluationTarget {
    Rates,
    Crossings,
    Decision,
    /// The inputs of the enable conditions of subsystems.
    Conditions,
}

fn env<'a>(
    program: &'a Program,
    unit: UnitId,
    leaves: Leaves<'a>,
    point: Point<'a>,
    target: EvaluationTarget,
    (values, conditions): (&'a [f64], &'a Conditions),
) -> Env<'a> {
    Env {
        program,
        unit: &program.units[unit],
        values,
        context: leaves.context,
        discrete: conditions.discrete(leaves),
        continuous: point.x,
        next: leaves.next,
        time: point.time,
        is_major: conditions.triggered.is_some() && program.units[unit].subsystem == conditions.triggered,
        is_deciding: matches!(target, EvaluationTarget::Decision | EvaluationTarget::Conditions),
        iteration: 0,
        // Iterated models run in the major step only.
        runs: 0.0,
        cancel: None,
    }
}

//! The derivatives of all values of a step by states, histories, parameters and signals: exact, from the derivatives of
//! the tapes.

use std::sync::Arc;

use super::super::solve::{Seeds, StepChanges, StepSource, Tangents, Visit};
use super::super::{Context, OutputId, PrimaryMap, Program, SubsystemMap, Unit};
use crate::block::{Op, StateKind, Update};
use crate::engine::program::schedule::Schedule;
use crate::engine::solve::interpret::{Env, Interpreter, record_of};

/// A variable by which derivatives are taken: an index among the elements of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    Continuous(usize),
    Discrete(usize),
    /// An element of a history.
    History(usize),
    /// An element of a recorded signal, which is constant.
    Recorded {
        record: usize,
        element: usize,
    },
    Param(usize),
    /// An element of an output.
    Signal(usize),
}

impl Variable {
    /// Returns its value in a context; NaN for a signal.
    pub fn value(self, context: &Context) -> f64 {
        match self {
            Variable::Continuous(index) => context.continuous[index],
            Variable::Discrete(index) => context.discrete[index],
            Variable::History(index) => context.history[index],
            Variable::Recorded { record, element } => context.records[record].newest(element),
            Variable::Param(index) => context.params[index],
            Variable::Signal(_) => f64::NAN,
        }
    }
}

/// The part of a step whose derivatives are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepPart {
    /// The major step: outputs and new discrete states.
    Counted,
    /// A minor step of the solver: rates, with all else held as the major step left it.
    Between,
}

/// The derivatives of values, one vector for each variable.
#[derive(Debug, Default)]
pub struct Slopes {
    pub values: Vec<Vec<f64>>,
    pub rates: Vec<Vec<f64>>,
    /// The derivatives of the discrete states of the next step.
    pub next: Vec<Vec<f64>>,
    /// The derivatives of the histories at the next step.
    pub history: Vec<Vec<f64>>,
    /// The derivatives of the recorded signals, for each variable and record, and the signals.
    pub recorded: Vec<Vec<Vec<f64>>>,
    pub signals: Vec<Vec<f64>>,
    /// The derivatives of the opened elements as their blocks give them, in the order of [`OperatingPoint::cut`]: those
    /// in `values` are what their readers see.
    pub returned: Vec<Vec<f64>>,
}

/// The point at which derivatives are taken.
pub struct OperatingPoint<'a> {
    pub program: &'a Arc<Program>,
    /// The context at the beginning of the step.
    pub begin: &'a Context,
    /// The context after the step.
    pub after: &'a Context,
    /// Elements of signals that are opened: their readers see only the added input.
    pub cut: &'a [usize],
}

/// The tangents of all values in one direction.
#[derive(Clone)]
struct Direction {
    values: Vec<f64>,
    continuous: Vec<f64>,
    discrete: Vec<f64>,
    held: Vec<f64>,
    history: Vec<f64>,
    recorded: Vec<Vec<f64>>,
    params: Vec<f64>,
    returned: Vec<f64>,
    /// The element of a signal to which an input is added.
    put: Option<usize>,
}

impl OperatingPoint<'_> {
    /// Returns the slopes along all variables. With `held`, the slopes of the major step along the same variables, a
    /// minor step takes the changes of held values from there, and the continuous states have no changes of their own.
    pub fn slopes(&self, variables: &[Variable], look: StepPart, held: Option<&Slopes>) -> Slopes {
        let OperatingPoint { program, begin, after, .. } = *self;
        let is_counted = look == StepPart::Counted;
        let mut directions: Vec<Direction> = variables.iter().map(|&variable| self.direction(variable)).collect();
        if let Some(held) = held {
            for (direction, next) in directions.iter_mut().zip(&held.next) {
                direction.held.clone_from(next);
                direction.continuous.fill(0.0);
            }
        }
        let mut slopes = Slopes::default();
        for direction in &directions {
            slopes.rates.push(vec![0.0; program.continuous_count]);
            slopes.next.push(direction.discrete.clone());
            slopes.history.push(direction.history.clone());
            slopes.recorded.push(direction.recorded.clone());
        }
        slopes.signals = recorded_widths(program).map(|width| vec![0.0; width]).collect();
        let size = program.kernels.values().map(|kernel| kernel.scratch).max().unwrap_or(0);
        let (mut interpreter, mut tangents) = (Interpreter::new(program), Tangents::new(size));
        let mut values = after.values.clone();
        let is_on = is_on(program, after);
        let mut is_enable_unit = program.by_unit(false);
        program.subsystems.values().for_each(|subsystem| is_enable_unit[subsystem.enable_unit] = true);
        for visit in visits(program) {
            let unit = &program.units[visit.unit];
            let kernel = program.kernel(unit);
            let runs = unit.subsystem.is_none_or(|subsystem| is_on[subsystem]);
            // Units that compute enable conditions, do not run, or run several times have no derivatives.
            if is_enable_unit[visit.unit] || !runs || kernel.iterations.is_some() {
                continue;
            }
            let env = Env {
                program,
                unit,
                values: &values,
                context: begin,
                discrete: &begin.discrete,
                continuous: &begin.continuous,
                next: &after.discrete,
                time: begin.time(program),
                is_major: is_counted,
                is_deciding: is_counted,
                iteration: 0,
                runs: 0.0,
                cancel: None,
            };
            let list = visit.list(kernel);
            interpreter.run(kernel, list, &env);
            let loop_number = kernel.ops.iter().find_map(|op| match op {
                Op::Loop { number, .. } => Some(*number as usize),
                _ => None,
            });
            let loop_values: Vec<f64> = match loop_number {
                None => Vec::new(),
                Some(_) => {
                    program.outputs_of(unit).flat_map(|output| elements_of(program, &values, output).to_vec()).collect()
                }
            };
            let mut looped = Vec::new();
            for (number, direction) in directions.iter_mut().enumerate() {
                let steps = Steps { program, begin, direction, is_counted };
                if let (Some(number), Some(loops)) = (loop_number, interpreter.loops()) {
                    let change = (&*direction.values, &*direction.continuous, 0.0);
                    loops.tangent(number, &env, &loop_values, change, Some(&steps), &mut looped);
                }
                let seeds = Seeds {
                    inputs: &|input| &direction.values[program.input_elements(unit, input)],
                    states: &|state| &direction.continuous[program.state(unit, state).elements()],
                    records: &|record| record_of(program, unit, begin, record),
                    now: env.time,
                    time: 0.0,
                    looped: &looped,
                    steps: Some((unit, &steps)),
                };
                tangents.run(kernel, list, interpreter.scratch(), seeds);
                for (output, made) in visit.published(program) {
                    let elements = program.outputs[output].elements();
                    let to = &mut direction.values[elements.clone()];
                    to.copy_from_slice(tangents.of(kernel, made.reg));
                    for (element, to) in elements.zip(to) {
                        if let Some(number) = self.cut.iter().position(|cut| *cut == element) {
                            direction.returned[number] = *to;
                            *to = 0.0;
                        }
                        if direction.put == Some(element) {
                            *to += 1.0;
                        }
                    }
                }
                if visit.is_begin {
                    continue;
                }
                for update in &kernel.updates {
                    let slot = program.state(unit, update.state());
                    let (first, width) = (slot.offset as usize, slot.width as usize);
                    let set = |to: &mut [f64], reg| {
                        let elements = tangents.of(kernel, reg);
                        to.iter_mut().enumerate().for_each(|(element, to)| {
                            *to = if elements.len() == 1 { elements[0] } else { elements[element] };
                        });
                    };
                    match *update {
                        Update::Derivative { value, .. } => set(&mut slopes.rates[number][first..first + width], value),
                        Update::Next { value, .. } => set(&mut slopes.next[number][first..first + width], value),
                        Update::Record { value, .. } => {
                            let signal = &mut slopes.signals[first];
                            signal.copy_from_slice(interpreter.value(kernel, value));
                            set(&mut slopes.recorded[number][first], value);
                        }
                        Update::Push { on, value, .. } if interpreter.value(kernel, on)[0] != 0.0 => {
                            let StateKind::History { length } = slot.kind else { continue };
                            let next = begin.history[first + length * width] as usize;
                            let first = first + next * width;
                            set(&mut slopes.history[number][first..first + width], value);
                        }
                        _ => {}
                    }
                }
            }
            for (output, made) in visit.published(program) {
                values[program.outputs[output].elements()].copy_from_slice(interpreter.value(kernel, made.reg));
            }
        }
        (slopes.values, slopes.returned) =
            directions.into_iter().map(|direction| (direction.values, direction.returned)).unzip();
        slopes
    }

    fn direction(&self, variable: Variable) -> Direction {
        let program = self.program;
        let mut direction = Direction {
            values: vec![0.0; program.value_count],
            continuous: vec![0.0; program.continuous_count],
            discrete: vec![0.0; program.discrete_count],
            held: vec![0.0; program.discrete_count],
            history: vec![0.0; program.history_count],
            recorded: recorded_widths(program).map(|width| vec![0.0; width]).collect(),
            params: vec![0.0; program.params.len()],
            returned: vec![0.0; self.cut.len()],
            put: None,
        };
        match variable {
            Variable::Continuous(index) => direction.continuous[index] = 1.0,
            Variable::Discrete(index) => direction.discrete[index] = 1.0,
            Variable::History(index) => direction.history[index] = 1.0,
            Variable::Recorded { record, element } => direction.recorded[record][element] = 1.0,
            Variable::Param(index) => direction.params[index] = 1.0,
            Variable::Signal(element) => direction.put = Some(element),
        }
        direction
    }
}

/// The tangents that the tapes read besides those of inputs and continuous states.
struct Steps<'a> {
    program: &'a Program,
    begin: &'a Context,
    direction: &'a Direction,
    is_counted: bool,
}

impl StepChanges for Steps<'_> {
    fn elements(&self, unit: &Unit, source: StepSource) -> &[f64] {
        let slot = |state: usize| self.program.state(unit, state);
        let range = |state: usize| slot(state).elements();
        match source {
            StepSource::Param { number, width } => {
                let skipped: usize = self.program.kernel(unit).params[..number].iter().map(|(_, width)| width).sum();
                &self.direction.params[unit.first_param as usize + skipped..][..width]
            }
            StepSource::Discrete(state) => &self.direction.discrete[range(state)],
            // In a minor step they are those of the next step.
            StepSource::Held(state) if self.is_counted => &self.direction.discrete[range(state)],
            StepSource::Held(state) => &self.direction.held[range(state)],
            StepSource::Recorded(record) => &self.direction.recorded[slot(record).offset as usize],
            StepSource::Past { history, back } => {
                let slot = slot(history);
                let StateKind::History { length } = slot.kind else { return &[] };
                let (first, width) = (slot.offset as usize, slot.width as usize);
                let next = self.begin.history[first + length * width] as usize;
                // The conversion saturates.
                let back = (back as usize).clamp(1, length);
                let index = first + (next + length - back) % length * width;
                &self.direction.history[index..index + width]
            }
        }
    }
}

/// The number of elements of each recorded signal.
fn recorded_widths(program: &Program) -> impl Iterator<Item = usize> + '_ {
    let slots = program.states.iter().filter(|slot| slot.kind == StateKind::Record);
    slots.map(|slot| slot.width as usize)
}

pub fn elements_of<'a>(program: &Program, values: &'a [f64], output: OutputId) -> &'a [f64] {
    &values[program.outputs[output].elements()]
}

/// For each conditional subsystem whether it ran in the step; an iterated one counts as idle.
fn is_on(program: &Program, after: &Context) -> SubsystemMap<bool> {
    let mut is_on = PrimaryMap::with_capacity(program.subsystems.len());
    for (number, subsystem) in program.subsystems.iter() {
        let is_around = subsystem.parent.is_none_or(|parent| is_on[parent]);
        let runs = elements_of(program, &after.values, program.runs_of(number))[0];
        is_on.push(is_around && !subsystem.is_iterated && runs >= 1.0);
    }
    is_on
}

/// Returns all executions: first the parts at the beginning of a step, then each unit after the units that it reads.
fn visits(program: &Program) -> Vec<Visit> {
    let begins = program.units.keys().filter(|&unit| {
        let kernel = program.kernel(&program.units[unit]);
        !kernel.inputs.is_empty() && !kernel.begin.is_empty()
    });
    let order = Schedule::new(program).running_order(program);
    let runs = order.into_iter().map(|unit| Visit { unit, is_begin: false });
    begins.map(|unit| Visit { unit, is_begin: true }).chain(runs).collect()
}

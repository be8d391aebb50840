//! Linearization of a program at one of its steps.

use std::sync::Arc;

use super::super::simple::{Depth, Recorder, TracedQueue};
use super::super::{Context, Program};
use super::AnalysisError;
use super::matrix::Matrix;
use super::slopes::{OperatingPoint, Slopes, StepPart, Variable};
use crate::block::StateKind;
use crate::model::{BlockId, SignalKey};

/// The state space model `ẋ = A·x + B·u`, `y = C·x + D·u`; of a discrete system `x⁺` in place of `ẋ`. All signals are
/// deviations from the operating point.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// The step of the operating point.
    pub step: u64,
    pub states: Vec<LinearState>,
    /// The values of the states there.
    pub point: Vec<f64>,
    pub a: Matrix,
    pub b: Matrix,
    pub c: Matrix,
    pub d: Matrix,
    /// The sample time in seconds; none for a continuous system.
    pub period: Option<f64>,
    /// The number of states that are omitted because no input reaches them, or they reach no output.
    pub left_out: usize,
    /// Blocks whose derivatives are taken as 0 although they are not.
    pub still: Vec<(Vec<BlockId>, BlockId)>,
}

/// An element of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearState {
    /// The path of model blocks to the block, and the block.
    pub block: (Vec<BlockId>, BlockId),
    /// The name of the block in messages.
    pub title: String,
    /// The number of the state among the states of the block.
    pub number: usize,
    pub element: usize,
    /// For a value of a history, its age in steps.
    pub age: Option<usize>,
}

/// An element of a signal.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalElement {
    pub signal: SignalKey,
    pub element: usize,
}

/// The inputs and outputs of a linearization.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearizeRequest {
    /// An input is added to each of these signals.
    pub inputs: Vec<SignalElement>,
    pub outputs: Vec<SignalElement>,
    /// Whether the readers of an input signal see the added input alone, so that the loop is opened there.
    pub cuts_inputs: bool,
}

/// The analysis of more states than this would take too long.
const MAX_STATES: usize = 400;
/// The most states that are searched for those between the inputs and the outputs, and that are brought to an
/// equilibrium.
pub(super) const MAX_LISTED: usize = 10 * MAX_STATES;
/// The number of steps, at most, after which blocks of different sample times act together again.
const MAX_STEPS: u64 = 1000;

/// An element of a state, and its index in the context.
pub(super) struct StateElement {
    pub variable: Variable,
    pub state: LinearState,
}

impl Linear {
    /// Linearizes the step that comes next on the context. With inputs and outputs, the system has the states between
    /// them; otherwise all.
    ///
    /// # Errors
    /// If a signal does not exist or stands in an algebraic loop, the step fails, there are too many states, or the
    /// sample times have no common multiple within the limit.
    pub fn new(program: &Arc<Program>, context: &Context, wanted: &LinearizeRequest) -> Result<Linear, AnalysisError> {
        let find = |element: &SignalElement| value_index(program, element);
        let inputs = wanted.inputs.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let outputs = wanted.outputs.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        for input in &wanted.inputs {
            let in_loop = |unit: usize| program.loops.iter().any(|of| of.members.contains(&unit));
            let output = program.output_of(&input.signal).unwrap_or_default();
            if in_loop(program.outputs[output].unit as usize) {
                return Err(AnalysisError::InLoop(input.signal.clone()));
            }
        }
        let elements = state_elements(program, context, MAX_STATES)?;
        let after = after(program, context)?;
        let cut = if wanted.cuts_inputs { inputs.clone() } else { Vec::new() };
        let system = System { program, begin: context, after: &after, cut, elements, inputs, outputs };
        system.linear()
    }
}

/// Returns the context after the step.
pub(super) fn after(program: &Arc<Program>, context: &Context) -> Result<Context, AnalysisError> {
    let mut after = context.clone();
    let mut traced = TracedQueue::new(program, Recorder::new(program, Depth::Counts));
    match traced.step(&mut after) {
        None => Ok(after),
        Some(fault) => Err(AnalysisError::Step(fault.error(program, context).to_string())),
    }
}

fn value_index(program: &Program, element: &SignalElement) -> Result<usize, AnalysisError> {
    let output = program.output_of(&element.signal).ok_or_else(|| AnalysisError::NoSignal(element.signal.clone()))?;
    let output = &program.outputs[output];
    match element.element < output.width as usize {
        true => Ok(output.offset as usize + element.element),
        false => Err(AnalysisError::NoSignal(element.signal.clone())),
    }
}

/// Returns all elements of states. Modes and the start values of loop solvers are no states of the system.
///
/// # Errors
/// If there are more than [`MAX_LISTED`]; the error names the limit `most` of the caller.
pub(super) fn state_elements(
    program: &Program,
    context: &Context,
    most: usize,
) -> Result<Vec<StateElement>, AnalysisError> {
    let is_solver = |unit: usize| program.loops.iter().any(|of| of.unit == unit);
    let units = || program.units.iter().enumerate().filter(|(number, _)| !is_solver(*number));
    // They are counted first: a delay line may have more than fit into the memory.
    let states = units().flat_map(|(_, unit)| program.states_of(unit).iter().zip(&program.kernel(unit).states));
    let counts = states.filter(|(_, state)| !state.is_mode()).map(|(slot, _)| match slot.kind {
        StateKind::Continuous | StateKind::Discrete => slot.width as usize,
        StateKind::History { length } => slot.width as usize * length,
    });
    let all = counts.sum();
    if all > MAX_LISTED {
        return Err(AnalysisError::TooMany { states: all, most });
    }
    let mut elements = Vec::with_capacity(all);
    for (number, unit) in units() {
        for (own, (slot, state)) in program.states_of(unit).iter().zip(&program.kernel(unit).states).enumerate() {
            let width = slot.width as usize;
            let mut add = |variable, element, age| {
                let (block, title) = (program.block_of(number), program.title_of(number));
                elements
                    .push(StateElement { variable, state: LinearState { block, title, number: own, element, age } });
            };
            let first = slot.offset as usize;
            match slot.kind {
                _ if state.is_mode() => {}
                StateKind::Continuous => {
                    (0..width).for_each(|element| add(Variable::Continuous(first + element), element, None))
                }
                StateKind::Discrete => {
                    (0..width).for_each(|element| add(Variable::Discrete(first + element), element, None))
                }
                StateKind::History { length } => {
                    let next = context.history[first + length * width] as usize;
                    for age in 1..=length {
                        let index = first + (next + length - age) % length * width;
                        (0..width).for_each(|element| add(Variable::History(index + element), element, Some(age)));
                    }
                }
            }
        }
    }
    Ok(elements)
}

/// Returns the next step at which all blocks with sample times act; the step itself if there is none within the limit.
pub(super) fn common_step(program: &Program, step: u64) -> u64 {
    let all_act = |step: &u64| program.rates.iter().flatten().all(|rate| rate.is_hit(*step));
    (step..step.saturating_add(MAX_STEPS)).find(all_act).unwrap_or(step)
}

struct System<'a> {
    program: &'a Arc<Program>,
    begin: &'a Context,
    after: &'a Context,
    cut: Vec<usize>,
    elements: Vec<StateElement>,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
}

impl System<'_> {
    fn point<'a>(&'a self, begin: &'a Context, after: &'a Context) -> OperatingPoint<'a> {
        OperatingPoint { program: self.program, begin, after, cut: &self.cut }
    }

    fn variables(&self) -> Vec<Variable> {
        let states = self.elements.iter().map(|element| element.variable);
        states.chain(self.inputs.iter().map(|&element| Variable::Signal(element))).collect()
    }

    fn linear(mut self) -> Result<Linear, AnalysisError> {
        let all = self.elements.len();
        if !self.inputs.is_empty() && !self.outputs.is_empty() {
            // A step at which all blocks with a sample time act, and one at which they do not.
            let acting = common_step(self.program, self.begin.step);
            let looks = [acting, acting + 1].map(|step| {
                let begin = Context { step, ..self.begin.clone() };
                let looks = [StepPart::Counted, StepPart::Between];
                looks.map(|look| self.point(&begin, self.after).slopes(&self.variables(), look, None))
            });
            let reach = self.reach(looks.as_flattened());
            let mut index = 0..;
            self.elements.retain(|_| index.next().is_some_and(|index: usize| reach[index]));
        }
        let left_out = all - self.elements.len();
        if self.elements.len() > MAX_STATES {
            return Err(AnalysisError::TooMany { states: self.elements.len(), most: MAX_STATES });
        }
        let is_continuous = self.elements.iter().all(|element| matches!(element.variable, Variable::Continuous(_)));
        // A system without states is continuous, unless its blocks have sample times.
        let has_hits = self.program.rates.iter().flatten().any(|rate| rate.period > 1);
        if is_continuous && !(self.elements.is_empty() && has_hits) {
            let between = self.point(self.begin, self.after).slopes(&self.variables(), StepPart::Between, None);
            return Ok(self.continuous(&between, left_out));
        }
        self.discrete(left_out)
    }

    fn continuous(self, slopes: &Slopes, left_out: usize) -> Linear {
        let (n, m) = (self.elements.len(), self.inputs.len());
        let rate = |row: usize, variable: usize| match self.elements[row].variable {
            Variable::Continuous(index) => slopes.rates[variable][index],
            _ => 0.0,
        };
        let output = |row: usize, variable: usize| slopes.values[variable][self.outputs[row]];
        Linear {
            step: self.begin.step,
            a: Matrix::from(n, n, rate),
            b: Matrix::from(n, m, |row, column| rate(row, n + column)),
            c: Matrix::from(self.outputs.len(), n, output),
            d: Matrix::from(self.outputs.len(), m, |row, column| output(row, n + column)),
            period: None,
            left_out,
            still: still(self.program),
            point: self.elements.iter().map(|element| element.variable.value(self.begin)).collect(),
            states: self.elements.into_iter().map(|element| element.state).collect(),
        }
    }

    /// Multiplies the matrices of single steps over the common period of all sample times; inputs are held meanwhile.
    fn discrete(self, left_out: usize) -> Result<Linear, AnalysisError> {
        let (n, m) = (self.elements.len(), self.inputs.len());
        let periods = self.program.rates.iter().flatten().map(|rate| rate.period);
        let steps = periods.fold(1, least_common_multiple);
        if steps > MAX_STEPS {
            return Err(AnalysisError::Rates { steps, most: MAX_STEPS });
        }
        let (mut a, mut b) = (Matrix::identity(n), Matrix::zero(n, m));
        let (mut c, mut d) = (Matrix::zero(0, n), Matrix::zero(0, m));
        let mut begin = self.begin.clone();
        for number in 0..steps {
            // The operating point is that of the first step; only the set of blocks that act changes.
            begin.step = self.begin.step + number;
            let (step_a, step_b, slopes) = self.step(&begin);
            if number == 0 {
                let output = |row: usize, variable: usize| slopes.values[variable][self.outputs[row]];
                c = Matrix::from(self.outputs.len(), n, output);
                d = Matrix::from(self.outputs.len(), m, |row, column| output(row, n + column));
            }
            (a, b) = (step_a.times(&a), step_a.times(&b).plus(&step_b));
        }
        Ok(Linear {
            step: self.begin.step,
            a,
            b,
            c,
            d,
            period: Some(steps as f64 * self.program.delta),
            left_out,
            still: still(self.program),
            point: self.elements.iter().map(|element| element.variable.value(self.begin)).collect(),
            states: self.elements.into_iter().map(|element| element.state).collect(),
        })
    }

    /// Returns the derivatives of the states at the end of one step by those at its begin and by the inputs, and the
    /// slopes of the major step.
    fn step(&self, begin: &Context) -> (Matrix, Matrix, Slopes) {
        let (n, m) = (self.elements.len(), self.inputs.len());
        let variables = self.variables();
        let point = self.point(begin, self.after);
        let counted = point.slopes(&variables, StepPart::Counted, None);
        let moving: Vec<usize> =
            (0..n).filter(|&at| matches!(self.elements[at].variable, Variable::Continuous(_))).collect();
        let own: Vec<Variable> = moving.iter().map(|&at| self.elements[at].variable).collect();
        let free = point.slopes(&own, StepPart::Between, None);
        let held = point.slopes(&variables, StepPart::Between, Some(&counted));
        let rate = |slopes: &Slopes, row: usize, variable: usize| match own[row] {
            Variable::Continuous(index) => slopes.rates[variable][index],
            _ => 0.0,
        };
        // Held values are constant and drive the states: one matrix exponential has both (C. Van Loan, IEEE
        // Transactions on Automatic Control 23, 1978).
        let (count, all) = (moving.len(), n + m);
        let flow = Matrix::from(count + all, count + all, |row, column| match (row < count, column < count) {
            (true, true) => self.program.delta * rate(&free, row, column),
            (true, false) => self.program.delta * rate(&held, row, column - count),
            (false, _) => 0.0,
        });
        let flow = if count == 0 { Matrix::identity(all) } else { flow.exponential() };
        let element = |row: usize, column: usize| {
            let own = moving.iter().position(|&at| at == row);
            match (self.elements[row].variable, own) {
                (_, Some(row)) => {
                    let by_itself =
                        moving.iter().position(|&at| at == column).map_or(0.0, |column| flow.at(row, column));
                    by_itself + flow.at(row, count + column)
                }
                (Variable::Discrete(index), _) => counted.next[column][index],
                (Variable::History(_), _) => self.aged(begin, &counted, row, column),
                _ => 0.0,
            }
        };
        (Matrix::from(n, n, element), Matrix::from(n, m, |row, column| element(row, n + column)), counted)
    }

    /// Returns the derivative of a history value: after a step with a push all values are one step older.
    fn aged(&self, begin: &Context, counted: &Slopes, row: usize, column: usize) -> f64 {
        let (StateElement { variable: Variable::History(index), state }, Some(age)) =
            (&self.elements[row], self.elements[row].state.age)
        else {
            return 0.0;
        };
        let ring = self.program.states.iter().find_map(|slot| match slot.kind {
            StateKind::History { length } => {
                let (first, width) = (slot.offset as usize, slot.width as usize);
                (first..first + length * width).contains(index).then_some((first, width, length))
            }
            _ => None,
        });
        let Some((first, width, length)) = ring else { return 0.0 };
        let next = begin.history[first + length * width] as usize;
        let pushed = first + next * width + state.element;
        let was_pushed = self.was_pushed(begin, first);
        let slope = |index: usize| counted.history[column][index];
        match (was_pushed, age) {
            (false, _) => slope(*index),
            (true, 1) => slope(pushed),
            // The value that was one step younger.
            (true, age) => {
                let younger = first + (next + length - (age - 1)) % length * width + state.element;
                match younger == pushed {
                    true => 0.0,
                    false => f64::from(u8::from(self.variables().get(column) == Some(&Variable::History(younger)))),
                }
            }
        }
    }

    /// Whether a value is pushed to a history in the step, because its block acts.
    fn was_pushed(&self, begin: &Context, first: usize) -> bool {
        let owner = self.program.units.iter().position(|unit| {
            let mut slots = self.program.states_of(unit).iter();
            slots.any(|slot| matches!(slot.kind, StateKind::History { .. }) && slot.offset as usize == first)
        });
        let rate = owner.and_then(|unit| self.program.rates[unit]);
        rate.is_none_or(|rate| rate.is_hit(begin.step))
    }

    /// For each state whether an input reaches it and it reaches an output, by any of these slopes.
    fn reach(&self, looks: &[Slopes]) -> Vec<bool> {
        let n = self.elements.len();
        let moves = |variable: usize, state: usize| {
            looks.iter().any(|slopes| match self.elements[state].variable {
                Variable::Continuous(index) => slopes.rates[variable][index] != 0.0,
                Variable::Discrete(index) => variable != state && slopes.next[variable][index] != 0.0,
                Variable::History(index) => self.pushes(slopes, variable, index),
                _ => false,
            })
        };
        let spread = |mut ahead: Vec<usize>, next: &dyn Fn(usize) -> Vec<usize>| {
            let mut is_met = vec![false; n];
            while let Some(state) = ahead.pop() {
                if !std::mem::replace(&mut is_met[state], true) {
                    ahead.extend(next(state));
                }
            }
            is_met
        };
        let inputs = (n..n + self.inputs.len()).flat_map(|input| (0..n).filter(move |&state| moves(input, state)));
        let reached = spread(inputs.collect(), &|from| (0..n).filter(|&state| moves(from, state)).collect());
        let seen = (0..n).filter(|&state| {
            self.outputs.iter().any(|&element| looks.iter().any(|slopes| slopes.values[state][element] != 0.0))
        });
        let reaching = spread(seen.collect(), &|to| (0..n).filter(|&state| moves(state, to)).collect());
        reached.into_iter().zip(reaching).map(|(reached, reaching)| reached && reaching).collect()
    }

    /// Whether a variable changes the value that is pushed to the history that contains `index`, or is itself part of
    /// that history.
    fn pushes(&self, counted: &Slopes, variable: usize, index: usize) -> bool {
        let ring = |index: usize| {
            self.program.states.iter().position(|slot| match slot.kind {
                StateKind::History { length } => {
                    (slot.offset as usize..slot.offset as usize + length * slot.width as usize).contains(&index)
                }
                _ => false,
            })
        };
        let same_ring = match self.elements.get(variable).map(|element| element.variable) {
            Some(Variable::History(other)) => ring(other) == ring(index),
            _ => false,
        };
        let Some(slot) = ring(index).map(|slot| &self.program.states[slot]) else { return false };
        let StateKind::History { length } = slot.kind else { return false };
        let (first, width) = (slot.offset as usize, slot.width as usize);
        let next = self.begin.history[first + length * width] as usize;
        let pushed = first + next * width..first + (next + 1) * width;
        same_ring || counted.history[variable][pushed].iter().any(|slope| *slope != 0.0)
    }
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut larger, mut smaller) = (a.max(b), a.min(b).max(1));
    while !larger.is_multiple_of(smaller) {
        (larger, smaller) = (smaller, larger % smaller);
    }
    (a / smaller).saturating_mul(b)
}

/// Returns the blocks that are iterated within a step, whose derivatives are taken as 0.
fn still(program: &Program) -> Vec<(Vec<BlockId>, BlockId)> {
    let runs_often = |unit: &super::super::Unit| {
        let mut around =
            std::iter::successors(unit.subsystem, |&subsystem| program.subsystems[subsystem as usize].parent);
        around.any(|subsystem| program.subsystems[subsystem as usize].is_iterated)
    };
    let still = program
        .units
        .iter()
        .enumerate()
        .filter(|(_, unit)| !unit.is_hidden && (runs_often(unit) || program.kernel(unit).iterations.is_some()));
    still.map(|(number, _)| program.block_of(number)).collect()
}

//! Linearization of a program at one of its steps.

use std::sync::Arc;

use super::super::{Context, Program, Unit, UnitId};
use super::AnalysisError;
use super::delays::{Delayed, DelayedElement, LinearDelay, Substitute, delayed_elements};
use super::slopes::{OperatingPoint, Slopes, StepPart, Variable};
use crate::block::math::Matrix;
use crate::block::{Registry, SampleTime, StateKind};
use crate::engine::reference::{Depth, Recorder, TracedQueue};
use crate::model::{BlockAddress, SignalError, SignalKey, Simulation};

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
    /// The sample time in seconds; `None` for a continuous system.
    pub period: Option<f64>,
    /// The delays in time between the inputs and the outputs. A continuous system has Padé forms of them in its matrices.
    pub delays: Vec<LinearDelay>,
    /// The continuous system without these forms, whose frequency response is exact; `None` if it has no delays.
    pub(super) exact: Option<Delayed>,
    /// The number of states that are omitted because no input reaches them, or they reach no output.
    pub left_out: usize,
    /// Blocks whose derivatives are taken as 0 although they are not.
    pub still: Vec<BlockAddress>,
}

/// An element of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearState {
    /// The path of model blocks to the block, and the block.
    pub block: BlockAddress,
    /// The name of the block in messages.
    pub title: String,
    /// The number of the state among the states of the block.
    pub number: usize,
    pub element: usize,
    /// For a value of a history, its age in steps; for a state of a Padé form, its number from 1.
    pub age: Option<usize>,
}

/// An element of a signal.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalElement {
    pub signal: SignalKey,
    pub element: usize,
}

impl SignalElement {
    /// Parses the path of a signal, with the index of an element in brackets if it is a vector: `Bus.Output[2]`.
    ///
    /// # Errors
    /// If there is no such signal.
    pub fn parse(text: &str, simulation: &Simulation, registry: &Registry) -> Result<SignalElement, SignalError> {
        let text = text.trim();
        let indexed = text.strip_suffix(']').and_then(|text| text.rsplit_once('['));
        let indexed = indexed.and_then(|(path, element)| Some((path, element.parse().ok()?)));
        let (path, element) = indexed.unwrap_or((text, 0));
        Ok(SignalElement { signal: SignalKey::parse(path, simulation, registry)?, element })
    }
}

/// The inputs and outputs of a linearization.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearizeRequest {
    /// An input is added to each of these signals.
    pub inputs: Vec<SignalElement>,
    pub outputs: Vec<SignalElement>,
    /// Whether the readers of an input signal see the added input alone, so that the loop is opened there. An output at
    /// such a signal is what comes back to it.
    pub cuts_inputs: bool,
    /// The order of the Padé form of each delay in time, from 1 to [`LinearizeRequest::MAX_ORDER`].
    pub pade_order: usize,
}

impl LinearizeRequest {
    pub const MAX_ORDER: usize = 10;
    pub const DEFAULT_ORDER: usize = 3;
}

impl Default for LinearizeRequest {
    fn default() -> LinearizeRequest {
        let pade_order = LinearizeRequest::DEFAULT_ORDER;
        LinearizeRequest { inputs: Vec::new(), outputs: Vec::new(), cuts_inputs: false, pade_order }
    }
}

/// The analysis of more states than this would take too long.
const MAX_STATES: usize = 2000;
/// The most states that are searched for those between the inputs and the outputs, and that are brought to an
/// equilibrium.
pub(super) const MAX_LISTED: usize = 2 * MAX_STATES;
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
        Linear::over(program, context, wanted, None)
    }

    /// The same, over the sample time of a block if one is given: where it is discrete, the system has that sample time, and
    /// blocks that act less often keep their values.
    ///
    /// # Errors
    /// Those of [`Linear::new`].
    pub fn over(
        program: &Arc<Program>,
        context: &Context,
        wanted: &LinearizeRequest,
        sample: Option<SampleTime>,
    ) -> Result<Linear, AnalysisError> {
        let find = |element: &SignalElement| value_index(program, element);
        let inputs = wanted.inputs.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let outputs = wanted.outputs.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        for input in &wanted.inputs {
            let in_loop = |unit: UnitId| program.loops.iter().any(|of| of.members.contains(&unit));
            if program.output_of(&input.signal).is_some_and(|output| in_loop(program.output_unit(output))) {
                return Err(AnalysisError::InLoop(input.signal.clone()));
            }
        }
        let after = after(program, context)?;
        let mut cut = if wanted.cuts_inputs { inputs.clone() } else { Vec::new() };
        // A delayed signal at which the loop is opened is not treated as a delay.
        let mut delays = delayed_elements(program, context, &after);
        let is_delaying = |unit: UnitId| delays.iter().any(|delay| delay.unit == unit);
        let elements = state_elements_of(program, context, MAX_STATES, &|unit| !is_delaying(unit))?;
        delays.retain(|delay| !cut.contains(&delay.output));
        cut.extend(delays.iter().map(|delay| delay.output));
        let pade_order = wanted.pade_order.clamp(1, LinearizeRequest::MAX_ORDER);
        let opened = cut.len() - delays.len();
        let system = System {
            program,
            begin: context,
            after: &after,
            cut,
            opened,
            elements,
            inputs,
            outputs,
            delays,
            pade_order,
            sample,
        };
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
    state_elements_of(program, context, most, &|_| true)
}

/// The same of the units for which `is_meant` returns true.
fn state_elements_of(
    program: &Program,
    context: &Context,
    most: usize,
    is_meant: &dyn Fn(UnitId) -> bool,
) -> Result<Vec<StateElement>, AnalysisError> {
    let is_solver = |unit: UnitId| program.loops.iter().any(|of| of.unit == unit);
    let units = || program.units.iter().filter(|(number, _)| !is_solver(*number) && is_meant(*number));
    // They are counted first: a delay line may have more than fit into the memory.
    let states = units().flat_map(|(_, unit)| program.states_of(unit).iter().zip(&program.kernel(unit).states));
    let counts = states.filter(|(_, state)| !state.is_mode()).map(|(slot, _)| match slot.kind {
        StateKind::Continuous | StateKind::Discrete => slot.width as usize,
        StateKind::History { length } => slot.width as usize * length,
        StateKind::Record => slot.width as usize,
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
                StateKind::Record => {
                    let recorded = |element| Variable::Recorded { record: first, element };
                    (0..width).for_each(|element| add(recorded(element), element, None));
                }
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

/// Returns the first step from `step` on at which all blocks with sample times act, or `step` itself if there is none
/// within the limit.
pub(super) fn common_step(program: &Program, step: u64) -> u64 {
    let all_act = |step: &u64| program.rates.distinct().all(|rate| rate.is_hit(*step));
    (step..step.saturating_add(MAX_STEPS)).find(all_act).unwrap_or(step)
}

struct System<'a> {
    program: &'a Arc<Program>,
    begin: &'a Context,
    after: &'a Context,
    /// The opened signals, and then those of the delays.
    cut: Vec<usize>,
    /// The number of opened signals.
    opened: usize,
    elements: Vec<StateElement>,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    /// The delayed signals, whose outputs are further inputs of the system, and whose inputs are further outputs.
    delays: Vec<DelayedElement>,
    pade_order: usize,
    /// The sample time of the system, if it is not the common one of all blocks.
    sample: Option<SampleTime>,
}

impl System<'_> {
    /// Returns the first step of the sample time of the system within which no block acts that acts less often, or one at
    /// which all blocks act.
    fn first_step(&self) -> u64 {
        let Some(sample) = self.sample else { return common_step(self.program, self.begin.step) };
        let is_quiet = |first: &u64| {
            let mut slower = self.program.rates.distinct().filter(|rate| rate.period > sample.period);
            sample.is_hit(*first)
                && slower.all(|rate| !(*first..first.saturating_add(sample.period)).any(|step| rate.is_hit(step)))
        };
        let begin = self.begin.step;
        let found = (begin..begin.saturating_add(2 * MAX_STEPS)).find(is_quiet);
        found.unwrap_or_else(|| common_step(self.program, begin))
    }

    fn point<'a>(&'a self, begin: &'a Context, after: &'a Context) -> OperatingPoint<'a> {
        OperatingPoint { program: self.program, begin, after, cut: &self.cut }
    }

    fn variables(&self) -> Vec<Variable> {
        let states = self.elements.iter().map(|element| element.variable);
        let delayed = self.delays.iter().map(|delay| delay.output);
        states.chain(self.inputs.iter().copied().chain(delayed).map(Variable::Signal)).collect()
    }

    fn linear(mut self) -> Result<Linear, AnalysisError> {
        let all = self.elements.len();
        if !self.inputs.is_empty() && !self.outputs.is_empty() {
            // A step at which all blocks with a sample time act, and one at which they do not.
            let acting = self.first_step();
            let looks = [acting, acting + 1].map(|step| {
                let begin = Context { step, ..self.begin.clone() };
                let looks = [StepPart::Counted, StepPart::Between];
                looks.map(|look| self.point(&begin, self.after).slopes(&self.variables(), look, None))
            });
            let reach = self.reach(looks.as_flattened());
            let mut is_between = reach.into_iter();
            self.elements.retain(|_| is_between.next() == Some(true));
            self.delays.retain(|_| is_between.next() == Some(true));
        }
        let left_out = all - self.elements.len();
        if self.elements.len() > MAX_STATES {
            return Err(AnalysisError::TooMany { states: self.elements.len(), most: MAX_STATES });
        }
        let is_continuous = self.elements.iter().all(|element| matches!(element.variable, Variable::Continuous(_)));
        // A system without states is continuous, unless its blocks have sample times.
        let has_hits = self.program.rates.distinct().any(|rate| rate.period > 1);
        if is_continuous && !(self.elements.is_empty() && has_hits) {
            let between = self.point(self.begin, self.after).slopes(&self.variables(), StepPart::Between, None);
            return self.continuous(&between, left_out);
        }
        self.discrete(left_out)
    }

    /// Returns the derivative of an output by a variable. Where a loop is opened, the output is the signal that comes back
    /// to the opening.
    fn output(&self, slopes: &Slopes, variable: usize, element: usize) -> f64 {
        let opened = self.cut.iter().take(self.opened).position(|cut| *cut == element);
        opened.map_or(slopes.values[variable][element], |number| slopes.returned[variable][number])
    }

    /// Computes the matrices from the slopes: rows of states by `state`, rows of outputs and of delay inputs by their
    /// values.
    fn matrices(&self, slopes: &Slopes, state: &dyn Fn(usize, usize) -> f64) -> Delayed {
        let (n, m) = (self.elements.len(), self.inputs.len() + self.delays.len());
        let outputs: Vec<usize> = self.outputs.iter().copied().chain(self.delays.iter().map(|of| of.input)).collect();
        let output = |row: usize, variable: usize| match row < self.outputs.len() {
            true => self.output(slopes, variable, outputs[row]),
            false => slopes.values[variable][outputs[row]],
        };
        Delayed {
            a: Matrix::from(n, n, state),
            b: Matrix::from(n, m, |row, column| state(row, n + column)),
            c: Matrix::from(outputs.len(), n, output),
            d: Matrix::from(outputs.len(), m, |row, column| output(row, n + column)),
            seconds: self.delays.iter().map(|delay| delay.seconds).collect(),
        }
    }

    fn continuous(self, slopes: &Slopes, left_out: usize) -> Result<Linear, AnalysisError> {
        let rate = |row: usize, variable: usize| match self.elements[row].variable {
            Variable::Continuous(index) => slopes.rates[variable][index],
            _ => 0.0,
        };
        let system = self.matrices(slopes, &rate);
        let order = self.pade_order;
        if self.elements.len() + order * self.delays.len() > MAX_STATES {
            let states = self.elements.len() + order * self.delays.len();
            return Err(AnalysisError::TooMany { states, most: MAX_STATES });
        }
        let matrices = system.closed(&Substitute::pade(&system.seconds, order)).ok_or(AnalysisError::Pade(order))?;
        let lengths = system.seconds.iter().map(|seconds| if *seconds == 0.0 { 0 } else { order }).collect();
        let exact = (!self.delays.is_empty()).then_some(system);
        Ok(Linear { exact, ..self.found(matrices, None, left_out, lengths) })
    }

    /// Multiplies the matrices of single steps over the common period of all sample times; inputs are held meanwhile.
    fn discrete(self, left_out: usize) -> Result<Linear, AnalysisError> {
        let periods = self.program.rates.distinct().map(|rate| rate.period);
        let steps = self.sample.map_or_else(|| periods.fold(1, least_common_multiple), |sample| sample.period);
        let first = self.sample.map_or(self.begin.step, |_| self.first_step());
        if steps > MAX_STEPS {
            return Err(AnalysisError::Rates { steps, most: MAX_STEPS });
        }
        let delta = self.program.delta;
        let lengths: Vec<usize> =
            self.delays.iter().map(|delay| Substitute::line_length(delay.seconds, delta)).collect();
        let size = lengths.iter().fold(self.elements.len(), |sum, length| sum.saturating_add(*length));
        if size > MAX_STATES {
            return Err(AnalysisError::TooMany { states: size, most: MAX_STATES });
        }
        let seconds: Vec<f64> = self.delays.iter().map(|delay| delay.seconds).collect();
        let lines = Substitute::lines(&seconds, delta);
        let (mut a, mut b) = (Matrix::identity(size), Matrix::zero(size, self.inputs.len()));
        let mut seen = None;
        let mut begin = self.begin.clone();
        for number in 0..steps {
            // The operating point is that of the first step; only the set of blocks that act changes.
            begin.step = first + number;
            let [step_a, step_b, c, d] = self.step(&begin).closed(&lines).ok_or(AnalysisError::DelayLoop)?;
            seen.get_or_insert((c, d));
            (a, b) = (step_a.times(&a), step_a.times(&b).plus(&step_b));
        }
        let (c, d) = seen.unwrap_or((Matrix::zero(0, size), Matrix::zero(0, self.inputs.len())));
        let period = steps as f64 * self.program.delta;
        Ok(self.found([a, b, c, d], Some(period), left_out, lengths))
    }

    /// The linear system with these matrices, in which each delay has a number of states.
    fn found(self, [a, b, c, d]: [Matrix; 4], period: Option<f64>, left_out: usize, lengths: Vec<usize>) -> Linear {
        let program = self.program;
        let still = still(program);
        let mut point: Vec<f64> = self.elements.iter().map(|element| element.variable.value(self.begin)).collect();
        let mut states: Vec<LinearState> = self.elements.into_iter().map(|element| element.state).collect();
        let mut delays = Vec::new();
        for (delay, length) in self.delays.iter().zip(lengths) {
            let (block, title) = (program.block_of(delay.unit), program.title_of(delay.unit));
            for age in 1..=length {
                // In an equilibrium a line holds what it is fed, and a Padé form has that in its first state.
                let input = if period.is_some() || age == 1 { self.after.values[delay.input] } else { 0.0 };
                point.push(input);
                let (block, title) = (block.clone(), title.clone());
                states.push(LinearState { block, title, number: 0, element: delay.element, age: Some(age) });
            }
            delays.push(LinearDelay { block, title, seconds: delay.seconds });
        }
        delays.dedup();
        Linear { step: self.begin.step, states, point, a, b, c, d, period, delays, exact: None, left_out, still }
    }

    /// Returns the matrices of one step: the derivatives of the states at its end and of the outputs, by the states at its
    /// begin and by the inputs.
    fn step(&self, begin: &Context) -> Delayed {
        let (n, m) = (self.elements.len(), self.inputs.len() + self.delays.len());
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
        self.matrices(&counted, &element)
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
        let owner = self.program.units.iter().find(|(_, unit)| {
            let mut slots = self.program.states_of(unit).iter();
            slots.any(|slot| matches!(slot.kind, StateKind::History { .. }) && slot.offset as usize == first)
        });
        let rate = owner.and_then(|(unit, _)| self.program.rates.get(unit));
        rate.is_none_or(|rate| rate.is_hit(begin.step))
    }

    /// For each state, and then for each delay, whether an input reaches it and it reaches an output, by any of these
    /// slopes.
    fn reach(&self, looks: &[Slopes]) -> Vec<bool> {
        let (n, m) = (self.elements.len(), self.inputs.len());
        let all = n + self.delays.len();
        // Delays follow the inputs among the variables.
        let variable_of = |node: usize| if node < n { node } else { node + m };
        let moves = |variable: usize, node: usize| {
            looks.iter().any(|slopes| match self.elements.get(node).map(|element| element.variable) {
                Some(Variable::Continuous(index)) => slopes.rates[variable][index] != 0.0,
                Some(Variable::Discrete(index)) => variable != node && slopes.next[variable][index] != 0.0,
                Some(Variable::History(index)) => self.pushes(slopes, variable, index),
                Some(_) => false,
                None => slopes.values[variable][self.delays[node - n].input] != 0.0,
            })
        };
        let spread = |mut ahead: Vec<usize>, next: &dyn Fn(usize) -> Vec<usize>| {
            let mut is_met = vec![false; all];
            while let Some(node) = ahead.pop() {
                if !std::mem::replace(&mut is_met[node], true) {
                    ahead.extend(next(node));
                }
            }
            is_met
        };
        let from = |from: usize| (0..all).filter(move |&node| moves(variable_of(from), node)).collect();
        let inputs = (n..n + m).flat_map(|input| (0..all).filter(move |&node| moves(input, node)));
        let reached = spread(inputs.collect(), &from);
        let seen = (0..all).filter(|&node| {
            let slope = |slopes: &Slopes, element: usize| self.output(slopes, variable_of(node), element);
            self.outputs.iter().any(|&element| looks.iter().any(|slopes| slope(slopes, element) != 0.0))
        });
        let reaching = spread(seen.collect(), &|to| (0..all).filter(|&node| moves(variable_of(node), to)).collect());
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
fn still(program: &Program) -> Vec<BlockAddress> {
    let runs_often = |unit: &Unit| {
        let mut around = std::iter::successors(unit.subsystem, |&subsystem| program.subsystems[subsystem].parent);
        around.any(|subsystem| program.subsystems[subsystem].is_iterated)
    };
    let is_still = |unit: &Unit| runs_often(unit) || program.kernel(unit).iterations.is_some();
    let still = program.units.iter().filter(|(_, unit)| !unit.is_hidden && is_still(unit));
    still.map(|(number, _)| program.block_of(number)).collect()
}

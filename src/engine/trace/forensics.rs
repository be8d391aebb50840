//! Finds the origin of a non-finite value: follows it from the block where it was seen to the operation that produced
//! it, also into the step before if a state was non-finite already.

use std::sync::Arc;

use super::super::{Context, Execute, OutputId, Program, Samples, UnitId};
use super::registers::{NonFiniteOrigin, Origin, Registers, is_bad, number, shortened};
use crate::block::{Reg, StateKind, Update, element_name};
use crate::engine::program::context::canonical;
use crate::engine::program::fault::{Fault, non_finite};
use crate::engine::reference::{Depth, ExecutionRecord, RecordedPass, Recorder, RunPart, TracedQueue};
use crate::model::BlockAddress;

/// The way of a non-finite value, from where it was seen back to its cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The first link is where it was seen, the last where it was produced; never empty.
    pub links: Vec<ChainLink>,
}

/// A block on the way of a non-finite value.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainLink {
    pub step: u64,
    /// The time of the step in seconds.
    pub time: f64,
    /// The path of model blocks to the block, and the block.
    pub block: BlockAddress,
    /// The name of the block in messages.
    pub title: String,
    pub site: FaultSite,
    /// The number of the element; `None` for a scalar.
    pub element: Option<usize>,
    /// The value: infinite or NaN.
    pub value: f64,
    /// How it was produced, as a sentence without a full stop.
    pub how: String,
    /// The input through which it came in, if it did.
    pub came_in: Option<String>,
    /// The inputs of the block.
    pub inputs: Vec<LinkInput>,
}

/// An input of a block on the way, with its values and the block that feeds it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkInput {
    pub name: String,
    pub values: Vec<f64>,
    pub source: Option<BlockAddress>,
}

/// The part of a block that was non-finite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultSite {
    Output(String),
    /// A state, at the end of the step.
    State,
    /// No value: the block could not be computed at all.
    Nothing,
}

impl ChainLink {
    /// `step 4: “Output” of Product #3 in “Main” became inf: 1 / 0`.
    pub fn text(&self) -> String {
        let element = self.element.map(|element| format!("[{element}]")).unwrap_or_default();
        let what = match &self.site {
            FaultSite::Output(name) => format!("“{name}{element}” of {} became {}", self.title, number(self.value)),
            FaultSite::State => format!("the state{element} of {} became {}", self.title, number(self.value)),
            FaultSite::Nothing => self.title.clone(),
        };
        format!("step {}: {what}: {}", self.step, self.how)
    }
}

impl LinkInput {
    /// `Input 2 = 0`.
    pub fn text(&self) -> String {
        let values: Vec<String> = self.values.iter().map(|value| number(*value)).collect();
        let values = shortened(&values, ", ");
        if self.values.len() == 1 { format!("{} = {values}", self.name) } else { format!("{} = [{values}]", self.name) }
    }
}

/// The number of links of a chain, at most.
const MAX_LINKS: usize = 1000;

impl Chain {
    /// Returns why the next step of `context` fails; `before` is the context one step earlier, if it is known. `None`
    /// if the step does not fail.
    pub fn new(program: &Arc<Program>, context: &Context, before: Option<&Context>) -> Option<Chain> {
        let (failed, fault) = StepLog::new(program, context);
        let fault = fault?;
        let before = before.filter(|before| before.step + 1 == context.step);
        let mut walk = Walk { program, logs: vec![failed], before, links: Vec::new() };
        let mut point = walk.first(&fault);
        while let Some(next) = point
            && walk.links.len() < MAX_LINKS
        {
            point = walk.back(next);
        }
        if walk.links.is_empty() {
            walk.links.extend(nameless(program, context, &fault));
        }
        (!walk.links.is_empty()).then_some(Chain { links: walk.links })
    }
}

impl Chain {
    /// The same for the step that fails on `failed`: the steps from `earlier` on are repeated by `execute`, the engine
    /// of the run.
    pub fn after(
        program: &Arc<Program>,
        execute: &mut dyn Execute,
        earlier: &Context,
        failed: &Context,
    ) -> Option<Chain> {
        let count = failed.step.checked_sub(earlier.step + 1);
        let before = count.and_then(|count| {
            let mut before = earlier.clone();
            execute.run(&mut before, count, &mut Samples::default()).ok().map(|()| before)
        });
        Chain::new(program, failed, before.as_ref())
    }
}

/// Returns a link for a fault without a non-finite value.
fn nameless(program: &Program, context: &Context, fault: &Fault) -> Option<ChainLink> {
    let unit = fault.unit?;
    Some(ChainLink {
        step: context.step,
        time: context.time(program),
        block: program.block_of(unit),
        title: program.title_of(unit),
        site: FaultSite::Nothing,
        element: None,
        value: f64::NAN,
        how: fault.problem.clone(),
        came_in: None,
        inputs: Vec::new(),
    })
}

/// A recorded repetition of a step.
struct StepLog {
    context: Context,
    recorder: Recorder,
}

impl StepLog {
    fn new(program: &Arc<Program>, context: &Context) -> (StepLog, Option<Fault>) {
        let mut after = context.clone();
        let mut traced = TracedQueue::new(program, Recorder::new(program, Depth::Registers));
        let fault = traced.step(&mut after);
        let recorder = traced.into_recorder();
        (StepLog { context: context.clone(), recorder }, fault)
    }

    /// Returns the last execution of a part of a unit in a pass.
    fn run_of(&self, pass: usize, unit: UnitId, part: RunPart) -> Option<(&RecordedPass, &ExecutionRecord)> {
        let pass = self.recorder.passes.get(pass)?;
        let is_it = |run: &&ExecutionRecord| run.unit == unit && run.part == part;
        pass.runs.iter().rev().find(is_it).map(|run| (pass, run))
    }
}

/// The position of a non-finite value. `log` counts steps back, `pass` the passes of that step.
#[derive(Clone, Copy, Debug)]
enum TracePoint {
    Output {
        log: usize,
        pass: usize,
        output: OutputId,
        element: usize,
    },
    /// A state at the beginning of the step of the log, or as the pass assumes it.
    State {
        log: usize,
        pass: usize,
        unit: UnitId,
        state: usize,
        element: usize,
    },
    /// A rate of change in a pass.
    Rate {
        log: usize,
        pass: usize,
        unit: UnitId,
        state: usize,
        element: usize,
    },
}

struct Walk<'a> {
    program: &'a Arc<Program>,
    /// The failed step, and the one before it after it was repeated.
    logs: Vec<StepLog>,
    before: Option<&'a Context>,
    links: Vec<ChainLink>,
}

impl Walk<'_> {
    /// Returns the position at which the fault was seen.
    fn first(&self, fault: &Fault) -> Option<TracePoint> {
        let program = Arc::clone(self.program);
        let log = self.logs.first()?;
        let seen = log.recorder.passes.first()?;
        let elements = |output: OutputId| seen.values.get(program.outputs[output].elements()).unwrap_or_default();
        if let Some(unit) = non_finite(&program, elements).and_then(|fault| fault.unit) {
            let bad = |output: OutputId| {
                elements(output).iter().position(|element| is_bad(*element)).map(|element| (output, element))
            };
            let (output, element) = program.outputs_of(&program.units[unit]).find_map(bad)?;
            return Some(TracePoint::Output { log: 0, pass: 0, output, element });
        }
        // A solver found it: in the last of its passes with a non-finite rate, at the state that it names, or at any.
        let passes = log.recorder.passes.iter().enumerate().rev();
        let (pass, rates) =
            passes.map(|(pass, of)| (pass, &of.rates)).find(|(_, rates)| rates.iter().any(|rate| is_bad(*rate)))?;
        let mut states = self.states(StateKind::Continuous).filter(|(.., index)| is_bad(rates[*index]));
        let first = states.next()?;
        let (unit, state, element, _) = states.find(|(unit, ..)| Some(*unit) == fault.unit).unwrap_or(first);
        Some(TracePoint::Rate { log: 0, pass, unit, state, element })
    }

    /// Returns all elements of the states of a kind: the unit, its state, the element, and its index in the context.
    fn states(&self, kind: StateKind) -> impl Iterator<Item = (UnitId, usize, usize, usize)> {
        let program = Arc::clone(self.program);
        program.units.keys().flat_map(move |unit| {
            let slots = program.states_of(&program.units[unit]).iter().enumerate();
            let slots = slots.filter(|(_, slot)| slot.kind == kind);
            let elements = slots.flat_map(|(state, slot)| {
                (0..slot.width as usize).map(move |element| (unit, state, element, slot.offset as usize + element))
            });
            elements.collect::<Vec<_>>()
        })
    }

    /// Goes one block further back.
    fn back(&mut self, point: TracePoint) -> Option<TracePoint> {
        match point {
            TracePoint::Output { log, pass, output, element } => self.output(log, pass, output, element),
            TracePoint::State { log, pass, unit, state, element } => self.state(log, pass, unit, state, element),
            TracePoint::Rate { log, pass, unit, state, element } => {
                let kernel = self.program.kernel(&self.program.units[unit]);
                let reg = kernel.updates.iter().find_map(|update| match *update {
                    Update::Derivative { state: of, value } if of == state => Some(value),
                    _ => None,
                })?;
                self.update(log, pass, unit, reg, element)
            }
        }
    }

    fn output(&mut self, log: usize, pass: usize, output: OutputId, element: usize) -> Option<TracePoint> {
        let program = Arc::clone(self.program);
        let number = program.outputs[output].unit;
        let unit = &program.units[number];
        let kernel = program.kernel(unit);
        let made = &kernel.outputs[output - unit.first_output];
        let is_begin = made.needs.is_empty() && !kernel.inputs.is_empty();
        let part = if is_begin { RunPart::Publish } else { RunPart::Execute };
        let found = self.logs[log].run_of(pass, number, part).map(|(of, run)| (of.clone_values(&program, run), *run));
        let Some((elements, run)) = found else {
            // The output is held: since the major step, or since the step before.
            if pass > 0 {
                return Some(TracePoint::Output { log, pass: 0, output, element });
            }
            return self.step_back(log).map(|log| TracePoint::Output { log, pass: 0, output, element });
        };
        let registers = Registers { kernel, elements: &elements.registers };
        let origin = registers.origin(made.reg, element);
        let value = registers.value(made.reg, element);
        let name = program.output_name(number, output);
        // The element of a bus has a name instead of a number.
        let (site, element) = match made.bus {
            Some(_) => (FaultSite::Output(element_name(name, element, &made.signal_type())), None),
            None => (FaultSite::Output(name.to_owned()), (made.width > 1).then_some(element)),
        };
        self.link(log, &run, &elements, (site, element, value), &origin);
        self.follow(log, pass, number, &origin)
    }

    /// Follows a state that is non-finite at the beginning of the step of a log, or within it if a pass of the solver
    /// assumes it so.
    fn state(&mut self, log: usize, pass: usize, unit: UnitId, state: usize, element: usize) -> Option<TracePoint> {
        let program = Arc::clone(self.program);
        let slot = program.states_of(&program.units[unit])[state];
        let index = slot.offset as usize + element;
        if slot.kind == StateKind::Continuous && !is_bad(self.logs[log].context.continuous[index]) {
            // It became non-finite within this step.
            return self.integrated(log, pass, unit, state, element);
        }
        let Some(log) = self.step_back(log) else {
            self.was_so();
            return None;
        };
        let kernel = program.kernel(&program.units[unit]);
        match slot.kind {
            StateKind::Continuous => self.integrated(log, usize::MAX, unit, state, element),
            StateKind::Discrete => {
                let reg = kernel.updates.iter().find_map(|update| match *update {
                    Update::Next { state: of, value } if of == state => Some(value),
                    _ => None,
                })?;
                self.update(log, 0, unit, reg, element)
            }
            StateKind::History { .. } | StateKind::Record => {
                let reg = kernel.updates.iter().find_map(|update| match *update {
                    Update::Push { history: owner, value, .. } | Update::Record { record: owner, value, .. }
                        if owner == state =>
                    {
                        Some(value)
                    }
                    _ => None,
                })?;
                self.update(log, 0, unit, reg, element)
            }
        }
    }

    /// Follows a continuous state that became non-finite in the step of a log, before one of its passes.
    fn integrated(
        &mut self,
        log: usize,
        before: usize,
        unit: UnitId,
        state: usize,
        element: usize,
    ) -> Option<TracePoint> {
        let program = Arc::clone(self.program);
        let index = program.states_of(&program.units[unit])[state].offset as usize + element;
        let kernel = program.kernel(&program.units[unit]);
        let mut passes = self.logs[log].recorder.passes.iter().enumerate().take(before);
        let bad = passes.clone().find(|(_, pass)| pass.rates.get(index).is_some_and(|rate| is_bad(*rate)));
        if let Some((pass, _)) = bad {
            return self.back(TracePoint::Rate { log, pass, unit, state, element });
        }
        let jump = kernel.updates.iter().find_map(|update| match *update {
            Update::Jump { state: of, on, value } if of == state => Some((on, value)),
            _ => None,
        });
        if let (Some((on, value)), Some((pass, run))) = (jump, self.logs[log].run_of(0, unit, RunPart::Execute)) {
            let elements = pass.clone_values(&program, run);
            let registers = Registers { kernel, elements: &elements.registers };
            if registers.value(on, element) != 0.0 && is_bad(registers.value(value, element)) {
                return self.update(log, 0, unit, value, element);
            }
        }
        let (was, rate) = (self.logs[log].context.continuous[index], passes.next_back()?.1.rates.get(index).copied()?);
        let how =
            format!("it grew beyond all numbers: it was {} and changed by {} a second", number(was), number(rate));
        let (pass, run) = self.logs[log].run_of(0, unit, RunPart::Execute)?;
        let (elements, run) = (pass.clone_values(&program, run), *run);
        let made = NonFiniteOrigin { operation: Some(how), from: Origin::Here };
        let width = program.states_of(&program.units[unit])[state].width;
        self.link(
            log,
            &run,
            &elements,
            (FaultSite::State, (width > 1).then_some(element), f64::INFINITY.copysign(rate)),
            &made,
        );
        None
    }

    /// Follows the update of a state.
    fn update(&mut self, log: usize, pass: usize, unit: UnitId, reg: Reg, element: usize) -> Option<TracePoint> {
        let program = Arc::clone(self.program);
        let kernel = program.kernel(&program.units[unit]);
        let (of, run) = self.logs[log].run_of(pass, unit, RunPart::Execute)?;
        let (elements, run) = (of.clone_values(&program, run), *run);
        let registers = Registers { kernel, elements: &elements.registers };
        let (value, width) = (registers.value(reg, element), kernel.width(reg));
        let origin = registers.origin(reg, element);
        self.link(log, &run, &elements, (FaultSite::State, (width > 1).then_some(element), value), &origin);
        self.follow(log, pass, unit, &origin)
    }

    fn follow(&mut self, log: usize, pass: usize, unit: UnitId, origin: &NonFiniteOrigin) -> Option<TracePoint> {
        let of = &self.program.units[unit];
        match origin.from {
            Origin::Input(input, element) => {
                let output = self.program.source(of, input)?;
                let element = element.min((self.program.outputs[output].width as usize).saturating_sub(1));
                Some(TracePoint::Output { log, pass, output, element })
            }
            Origin::State(state, element) | Origin::Past(state, element, 1) => {
                Some(TracePoint::State { log, pass, unit, state, element })
            }
            Origin::Past(..) | Origin::Param(..) | Origin::Here => None,
        }
    }

    /// Returns the log of the step before; `None` if it is not known.
    fn step_back(&mut self, log: usize) -> Option<usize> {
        if log + 1 < self.logs.len() {
            return Some(log + 1);
        }
        if log > 0 {
            return None;
        }
        let (before, _) = StepLog::new(self.program, self.before?);
        self.logs.push(before);
        Some(log + 1)
    }

    /// Ends the way: the state was non-finite before the known steps.
    fn was_so(&mut self) {
        if let Some(link) = self.links.last_mut() {
            let since = if link.step == 0 { "it begins so" } else { "it was so in the steps before" };
            link.how = format!("{}; {since}", link.how);
        }
    }

    fn link(
        &mut self,
        log: usize,
        run: &ExecutionRecord,
        elements: &PortValues,
        (site, element, value): (FaultSite, Option<usize>, f64),
        origin: &NonFiniteOrigin,
    ) {
        let program = Arc::clone(self.program);
        let number = run.unit;
        let unit = &program.units[number];
        if unit.is_hidden {
            return;
        }
        let from = match origin.from {
            Origin::Input(input, _) => Some(format!("it came in at “{}”", program.input_name(number, input))),
            Origin::State(..) => Some("it is what the block remembers".to_owned()),
            Origin::Past(_, _, 1) => Some("it is what came in a step before".to_owned()),
            Origin::Past(_, _, back) => Some(format!("it is what came in {back} steps before")),
            Origin::Param(param, _) => Some(format!("the parameter “{}” is so", program.param_name(number, param))),
            Origin::Here => None,
        };
        let came_in = match origin.from {
            Origin::Input(input, _) => Some(program.input_name(number, input).to_owned()),
            _ => None,
        };
        let how = [origin.operation.clone(), from].into_iter().flatten().collect::<Vec<_>>();
        let how = if how.is_empty() { "it was made here".to_owned() } else { how.join("; ") };
        let mut rest = &*elements.inputs;
        // The begin part reads no inputs; their values are those of the step before.
        let widths = if run.is_begin() { &[][..] } else { &elements.widths };
        let inputs = widths.iter().enumerate().map(|(input, &width)| {
            let (values, behind) = rest.split_at(width.min(rest.len()));
            rest = behind;
            let source = program.source(unit, input);
            let source = source.map(|source| program.block_of(program.outputs[source].unit));
            let values = values.iter().copied().map(canonical).collect();
            LinkInput { name: program.input_name(number, input).to_owned(), values, source }
        });
        let link = ChainLink {
            step: self.logs[log].context.step,
            time: self.logs[log].context.time(&program),
            block: program.block_of(number),
            title: program.title_of(number),
            site,
            element,
            value: canonical(value),
            how,
            came_in,
            inputs: inputs.collect(),
        };
        self.links.push(link);
    }
}

/// A copy of the values of an execution.
struct PortValues {
    inputs: Vec<f64>,
    widths: Vec<usize>,
    registers: Vec<f64>,
}

impl RecordedPass {
    fn clone_values(&self, program: &Program, run: &ExecutionRecord) -> PortValues {
        let (inputs, _, registers) = self.values_of(program, run);
        PortValues {
            inputs: inputs.to_vec(),
            widths: self.input_widths(program, run).collect(),
            registers: registers.to_vec(),
        }
    }
}

//! Where a value that is no finite number came from: the way back from the block where it was seen to the operation
//! that made it, over the border of a step where a state was bad already.

use std::sync::Arc;

use super::super::context::canonical;
use super::super::fault::{Fault, non_finite};
use super::super::simple::{Depth, ExecutionRecord, RecordedPass, Recorder, TracedQueue};
use super::super::{Context, Execute, Program, Samples};
use super::registers::{Origin, Provenance, Registers, is_bad, number, shortened};
use crate::block::{Reg, StateKind, Update};
use crate::model::BlockId;

/// From where a bad value was seen, back to its cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The first is where it was seen, the last where it was made; never empty.
    pub links: Vec<ChainLink>,
}

/// A block on the way of a bad value.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainLink {
    pub step: u64,
    /// Seconds.
    pub time: f64,
    /// The model blocks that lead to the block, and the block.
    pub block: (Vec<BlockId>, BlockId),
    /// What a message calls the block.
    pub title: String,
    pub site: FaultSite,
    /// The element, where there are several.
    pub element: Option<usize>,
    /// Infinite or not-a-number.
    pub value: f64,
    /// How it came to be, as a sentence without a full stop.
    pub how: String,
    /// The input at which it came in, where it did.
    pub came_in: Option<String>,
    /// What stood at the block's inputs: names, values, and the blocks that gave them.
    pub inputs: Vec<LinkInput>,
}

/// An input of a block on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkInput {
    pub name: String,
    pub values: Vec<f64>,
    pub source: Option<(Vec<BlockId>, BlockId)>,
}

/// What of a block was bad.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultSite {
    Output(String),
    /// What it remembers, at the end of the step.
    State,
    /// Something that has no number: it could not be computed at all.
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

/// No chain is followed further than this.
const MOST_LINKS: usize = 1000;

impl Chain {
    /// Why the step fails that comes next on `context`; `before` is the context a step earlier, where that is known.
    /// None where the step does not fail.
    pub fn new(program: &Arc<Program>, context: &Context, before: Option<&Context>) -> Option<Chain> {
        let (failed, fault) = StepLog::new(program, context);
        let fault = fault?;
        let before = before.filter(|before| before.step + 1 == context.step);
        let mut walk = Walk { program, logs: vec![failed], before, links: Vec::new() };
        let mut point = walk.first(&fault);
        while let Some(next) = point
            && walk.links.len() < MOST_LINKS
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
    /// The same for a step that has failed on `failed`, with the way there: the steps from `earlier` on are made again by
    /// the engine that made them.
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

/// A fault that no number shows.
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

/// A step that was made again.
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

    /// The last run of a unit in a pass that sets this output, or all but those of the begin.
    fn run_of(&self, pass: usize, unit: usize, is_begin: bool) -> Option<(&RecordedPass, &ExecutionRecord)> {
        let pass = self.recorder.passes.get(pass)?;
        let is_it = |run: &&ExecutionRecord| run.unit as usize == unit && run.is_begin == is_begin;
        pass.runs.iter().rev().find(is_it).map(|run| (pass, run))
    }
}

/// A bad number: where it stands. `log` counts steps back, `pass` the passes of that step.
#[derive(Clone, Copy, Debug)]
enum TracePoint {
    Output {
        log: usize,
        pass: usize,
        output: usize,
        element: usize,
    },
    /// A state as it is at the begin of the log's step, or as the pass assumes it.
    State {
        log: usize,
        pass: usize,
        unit: usize,
        state: usize,
        element: usize,
    },
    /// A rate of change in a pass.
    Rate {
        log: usize,
        pass: usize,
        unit: usize,
        state: usize,
        element: usize,
    },
}

struct Walk<'a> {
    program: &'a Arc<Program>,
    /// The step that failed, and the one before it once that was made again.
    logs: Vec<StepLog>,
    before: Option<&'a Context>,
    links: Vec<ChainLink>,
}

impl Walk<'_> {
    /// Where the fault was seen.
    fn first(&self, fault: &Fault) -> Option<TracePoint> {
        let program = Arc::clone(self.program);
        let log = self.logs.first()?;
        let seen = log.recorder.passes.first()?;
        let elements = |output: usize| {
            let place = &program.outputs[output];
            seen.values.get(place.offset as usize..(place.offset + place.width) as usize).unwrap_or_default()
        };
        if let Some(unit) = non_finite(&program, elements).and_then(|fault| fault.unit) {
            let bad = |output: usize| {
                elements(output).iter().position(|element| is_bad(*element)).map(|element| (output, element))
            };
            let (output, element) = program.outputs_of(&program.units[unit]).find_map(bad)?;
            return Some(TracePoint::Output { log: 0, pass: 0, output, element });
        }
        // A solver met it: in the last of its passes that went wrong, at the state that it names or at any.
        let passes = log.recorder.passes.iter().enumerate().rev();
        let (pass, rates) =
            passes.map(|(pass, of)| (pass, &of.rates)).find(|(_, rates)| rates.iter().any(|rate| is_bad(*rate)))?;
        let mut states = self.states(StateKind::Continuous).filter(|(.., place)| is_bad(rates[*place]));
        let first = states.next()?;
        let (unit, state, element, _) = states.find(|(unit, ..)| Some(*unit) == fault.unit).unwrap_or(first);
        Some(TracePoint::Rate { log: 0, pass, unit, state, element })
    }

    /// All elements of the states of a kind: the unit, its state, the element, and its place.
    fn states(&self, kind: StateKind) -> impl Iterator<Item = (usize, usize, usize, usize)> {
        let program = Arc::clone(self.program);
        (0..program.units.len()).flat_map(move |unit| {
            let slots = program.states_of(&program.units[unit]).iter().enumerate();
            let slots = slots.filter(|(_, slot)| slot.kind == kind);
            let elements = slots.flat_map(|(state, slot)| {
                (0..slot.width as usize).map(move |element| (unit, state, element, slot.offset as usize + element))
            });
            elements.collect::<Vec<_>>()
        })
    }

    /// One block further back.
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

    fn output(&mut self, log: usize, pass: usize, output: usize, element: usize) -> Option<TracePoint> {
        let program = Arc::clone(self.program);
        let number = program.outputs[output].unit as usize;
        let unit = &program.units[number];
        let kernel = program.kernel(unit);
        let made = &kernel.outputs[output - unit.first_output as usize];
        let is_begin = made.needs.is_empty() && !kernel.inputs.is_empty();
        let found =
            self.logs[log].run_of(pass, number, is_begin).map(|(of, run)| (of.clone_values(&program, run), *run));
        let Some((elements, run)) = found else {
            // It holds what it had: since the major step, or since the step before.
            if pass > 0 {
                return Some(TracePoint::Output { log, pass: 0, output, element });
            }
            return self.step_back(log).map(|log| TracePoint::Output { log, pass: 0, output, element });
        };
        let registers = Registers { kernel, elements: &elements.registers };
        let origin = registers.origin(made.reg, element);
        let site = FaultSite::Output(program.output_name(number, output).to_owned());
        let value = registers.value(made.reg, element);
        let element = (made.width > 1).then_some(element);
        self.link(log, &run, &elements, (site, element, value), &origin);
        self.follow(log, pass, number, &origin)
    }

    /// A state that is bad at the begin of a log's step, or within it where a solver's pass assumes it so.
    fn state(&mut self, log: usize, pass: usize, unit: usize, state: usize, element: usize) -> Option<TracePoint> {
        let program = Arc::clone(self.program);
        let slot = program.states_of(&program.units[unit])[state];
        let place = slot.offset as usize + element;
        if slot.kind == StateKind::Continuous && !is_bad(self.logs[log].context.continuous[place]) {
            // It went bad within this step.
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
            StateKind::History { .. } => {
                let reg = kernel.updates.iter().find_map(|update| match *update {
                    Update::Push { history, value, .. } if history == state => Some(value),
                    _ => None,
                })?;
                self.update(log, 0, unit, reg, element)
            }
        }
    }

    /// How a continuous state became bad in a log's step, before one of its passes.
    fn integrated(
        &mut self,
        log: usize,
        before: usize,
        unit: usize,
        state: usize,
        element: usize,
    ) -> Option<TracePoint> {
        let program = Arc::clone(self.program);
        let place = program.states_of(&program.units[unit])[state].offset as usize + element;
        let kernel = program.kernel(&program.units[unit]);
        let mut passes = self.logs[log].recorder.passes.iter().enumerate().take(before);
        let bad = passes.clone().find(|(_, pass)| pass.rates.get(place).is_some_and(|rate| is_bad(*rate)));
        if let Some((pass, _)) = bad {
            return self.back(TracePoint::Rate { log, pass, unit, state, element });
        }
        let jump = kernel.updates.iter().find_map(|update| match *update {
            Update::Jump { state: of, on, value } if of == state => Some((on, value)),
            _ => None,
        });
        if let (Some((on, value)), Some((pass, run))) = (jump, self.logs[log].run_of(0, unit, false)) {
            let elements = pass.clone_values(&program, run);
            let registers = Registers { kernel, elements: &elements.registers };
            if registers.value(on, element) != 0.0 && is_bad(registers.value(value, element)) {
                return self.update(log, 0, unit, value, element);
            }
        }
        let (was, rate) = (self.logs[log].context.continuous[place], passes.next_back()?.1.rates.get(place).copied()?);
        let how =
            format!("it grew beyond all numbers: it was {} and changed by {} a second", number(was), number(rate));
        let (pass, run) = self.logs[log].run_of(0, unit, false)?;
        let (elements, run) = (pass.clone_values(&program, run), *run);
        let made = Provenance { operation: Some(how), from: Origin::Here };
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

    /// Follows what a block has made of its state.
    fn update(&mut self, log: usize, pass: usize, unit: usize, reg: Reg, element: usize) -> Option<TracePoint> {
        let program = Arc::clone(self.program);
        let kernel = program.kernel(&program.units[unit]);
        let (of, run) = self.logs[log].run_of(pass, unit, false)?;
        let (elements, run) = (of.clone_values(&program, run), *run);
        let registers = Registers { kernel, elements: &elements.registers };
        let (value, width) = (registers.value(reg, element), kernel.width(reg));
        let origin = registers.origin(reg, element);
        self.link(log, &run, &elements, (FaultSite::State, (width > 1).then_some(element), value), &origin);
        self.follow(log, pass, unit, &origin)
    }

    fn follow(&mut self, log: usize, pass: usize, unit: usize, origin: &Provenance) -> Option<TracePoint> {
        let of = &self.program.units[unit];
        match origin.from {
            Origin::Input(input, element) => {
                let output = self.program.sources[of.first_input as usize + input]? as usize;
                let element = element.min((self.program.outputs[output].width as usize).saturating_sub(1));
                Some(TracePoint::Output { log, pass, output, element })
            }
            Origin::State(state, element) | Origin::Past(state, element, 1) => {
                Some(TracePoint::State { log, pass, unit, state, element })
            }
            Origin::Past(..) | Origin::Param(..) | Origin::Here => None,
        }
    }

    /// The log of the step before a log's; none where that is not known.
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

    /// The way ends: the state was bad before all that is known.
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
        origin: &Provenance,
    ) {
        let program = Arc::clone(self.program);
        let number = run.unit as usize;
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
        // What is published at the begin waits for no input; what stands there is of the step before.
        let widths = if run.is_begin { &[][..] } else { &elements.widths };
        let inputs = widths.iter().enumerate().map(|(input, &width)| {
            let (values, behind) = rest.split_at(width.min(rest.len()));
            rest = behind;
            let source = program.sources[unit.first_input as usize + input];
            let source = source.map(|source| program.block_of(program.outputs[source as usize].unit as usize));
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

/// The elements of a run, kept.
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

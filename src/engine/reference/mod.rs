//! The reference engine: a queue, and the rules of a step stated literally. Every other engine is compared with it.
//!
//! A step starts with every block publishing the outputs that need no input; then the blocks without inputs run, in
//! ascending order. A block runs when its last missing input has been set, and again whenever an input is set again.
//! The step ends when the queue is empty; only then are states updated. A multi-stage solver repeats this with the
//! states assumed by each stage: the first pass is the major step, which determines outputs, discrete states and
//! samples; the others are minor steps.
//!
//! A conditional or iterated subsystem has its own queue: after its enable condition has been evaluated, each of its
//! runs starts, executes and ends like a step; then all its exits count as set. A block that sets its outputs in
//! several iterations continues with the next iteration when the queue is empty.

mod commit;
mod frame;
pub(super) mod membership;
mod recorder;
mod stage;
mod subsystems;
mod traced;

use std::sync::Arc;

use self::frame::{Frame, Limit, Push};
use self::membership::Parts;
pub(in crate::engine) use self::recorder::{Depth, ExecutionRecord, RecordedPass, Recorder, RunPart};
use self::stage::QueueRates;
pub(in crate::engine) use self::traced::TracedQueue;
use super::program::assertion::ReportRef;
use super::program::fault::{Fault, non_finite};
use super::solve::Integrator;
use super::solve::interpret::{Env, Interpreter};
use super::{Cancel, Context, Declined, Engine, Execute, OutputId, Program, RunError, Samples, Unit, UnitId, UnitMap};
use crate::block::{Clock, StateKind, Update};

pub(in crate::engine) struct Simple;

impl Engine for Simple {
    fn name(&self) -> &'static str {
        "simple"
    }

    fn doc(&self) -> &'static str {
        "The reference: runs blocks from a queue as their inputs arrive"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        Ok(Box::new(Queue::new(program)))
    }
}

/// Memory of a single step, reused.
struct Queue {
    program: Arc<Program>,
    interpreter: Interpreter,
    integrator: Option<Integrator>,
    /// The stack of frames: the step, then nested subsystems.
    frames: Vec<Frame>,
    /// Finished frames, kept for their memory.
    spare: Vec<Frame>,
    /// The units whose inputs are all set when a subsystem starts.
    complete: Vec<UnitId>,
    /// A copy of the context at the start of a step that may fail.
    before: Option<Context>,
    /// For each unit the number of inputs that are not set: at the beginning of a pass, and now.
    all_missing: UnitMap<u32>,
    missing: UnitMap<u32>,
    /// Whether an input was set in this pass.
    is_set: Vec<bool>,
    parts: Arc<Parts>,
    /// Discrete states to be taken over at the end of the step.
    next: Vec<f64>,
    /// The pending pushes to histories.
    pushed: Vec<Push>,
    push_lanes: Vec<f64>,
    limits: Vec<Limit>,
    limit_lanes: Vec<f64>,
    /// The rates of change of the continuous states, for each stage.
    rates: Vec<Vec<f64>>,
    /// The time of the current stage in seconds.
    time: f64,
    /// The assertion reports of this step.
    reported: Vec<ReportRef>,
    stage_continuous: Vec<f64>,
    /// A buffer for the states of a solver.
    driven: Vec<f64>,
    stage_values: Vec<f64>,
    /// Records the step if tracing is on.
    recorder: Option<Box<Recorder>>,
    /// Lets the run be cancelled.
    cancel: Option<Cancel>,
}

impl Execute for Queue {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        let program = Arc::clone(&self.program);
        samples.go_on();
        self.cancel = samples.cancel();
        for _ in 0..count {
            if samples.end().is_some() || self.is_cancelled() {
                break;
            }
            // A step that fails leaves the context as it was at its begin.
            if program.can_fail() {
                match &mut self.before {
                    Some(before) => before.copy_from(context),
                    None => self.before = Some(context.clone()),
                }
            }
            if let Err(fault) = self.step(&program, context, samples) {
                self.before.iter().for_each(|before| context.copy_from(before));
                if self.is_cancelled() {
                    break;
                }
                return Err(fault.error(&program, context));
            }
        }
        Ok(())
    }

    fn engine(&self) -> &'static str {
        Simple.name()
    }
}

/// The values of one pass: the major step or a minor step.
struct Pass<'a> {
    program: &'a Program,
    context: &'a mut Context,
    values: &'a mut [f64],
    stage: usize,
    executed: u64,
    cancel: Option<Cancel>,
}

impl Queue {
    fn new(program: &Arc<Program>) -> Queue {
        let missing = |unit| program.kernel(unit).inputs.len() as u32;
        let all_missing: UnitMap<u32> = program.units.values().map(missing).collect();
        let stages = program.solver.tableau().map_or(2, |tableau| tableau.parts.len());
        let stages = if program.continuous_count == 0 && !program.has_integrator() { 1 } else { stages };
        let parts = Parts::new(program);
        Queue {
            program: Arc::clone(program),
            interpreter: Interpreter::new(program),
            integrator: Integrator::new(program),
            frames: Vec::new(),
            spare: Vec::new(),
            complete: Vec::new(),
            before: None,
            missing: all_missing.clone(),
            all_missing,
            is_set: vec![false; program.sources.len()],
            parts: Arc::new(parts),
            next: vec![0.0; program.discrete_count],
            pushed: Vec::new(),
            push_lanes: Vec::new(),
            limits: Vec::new(),
            limit_lanes: Vec::new(),
            rates: vec![vec![0.0; program.continuous_count]; stages],
            time: 0.0,
            reported: Vec::new(),
            stage_continuous: vec![0.0; program.continuous_count],
            driven: Vec::new(),
            stage_values: if stages > 1 { vec![0.0; program.value_count] } else { Vec::new() },
            recorder: None,
            cancel: None,
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(Cancel::is_cancelled)
    }

    fn step(&mut self, program: &Program, context: &mut Context, samples: &mut Samples) -> Result<(), Fault> {
        self.next.copy_from_slice(&context.discrete);
        self.pushed.clear();
        self.push_lanes.clear();
        self.limits.clear();
        self.limit_lanes.clear();
        self.reported.clear();
        self.stage_continuous.copy_from_slice(&context.continuous);
        self.time = context.time(program);
        let mut values = std::mem::take(&mut context.values);
        let ran = self.pass(program, context, &mut values, 0);
        context.values = values;
        context.executed = ran?;
        if let Some(fault) = self.interpreter.fault.take() {
            return Err(fault);
        }
        if program.refuses_non_finite {
            let elements = |output| &context.values[program.outputs[output].elements()];
            non_finite(program, elements).map_or(Ok(()), Err)?;
        }
        samples.take(program, context);
        if let Err(fault) = self.integrate(program, context) {
            samples.retract(program);
            return Err(fault);
        }
        self.commit(context);
        samples.report(program, context.step, self.reported.drain(..));
        context.step += 1;
        Ok(())
    }

    /// Integrates the continuous states to the end of the step.
    fn integrate(&mut self, program: &Program, context: &mut Context) -> Result<(), Fault> {
        let Some(tableau) = program.solver.tableau() else { return self.drive(program, context) };
        let h = program.delta;
        let mut values = std::mem::take(&mut self.stage_values);
        for stage in 1..self.rates.len() {
            let rates = &self.rates;
            for (state, assumed) in self.stage_continuous.iter_mut().enumerate() {
                *assumed = tableau.stage_state(stage, context.continuous[state], |of| rates[of][state], h);
            }
            values.copy_from_slice(&context.values);
            self.time = (context.step as f64 + tableau.parts[stage]) * h;
            let ran = self.pass(program, context, &mut values, stage);
            if let Err(fault) = ran {
                self.stage_values = values;
                return Err(fault);
            }
        }
        self.stage_values = values;
        for (state, x) in context.continuous.iter_mut().enumerate() {
            *x = tableau.advance(*x, |of| self.rates[of][state], h);
        }
        Ok(())
    }

    /// Leaves the integration to a solver that evaluates the rates when it needs them.
    fn drive(&mut self, program: &Program, context: &mut Context) -> Result<(), Fault> {
        let Some(mut integrator) = self.integrator.take() else { return Ok(()) };
        let (mut x, mut memory) = (std::mem::take(&mut self.driven), std::mem::take(&mut context.solver));
        x.clone_from(&context.continuous);
        let ran = integrator.step(&mut QueueRates { queue: self, program, context }, &mut memory, &mut x);
        self.integrator = Some(integrator);
        context.solver = memory;
        self.driven = std::mem::replace(&mut context.continuous, x);
        ran
    }

    /// Makes one pass over all blocks. Returns the number of executed blocks.
    fn pass(
        &mut self,
        program: &Program,
        context: &mut Context,
        values: &mut [f64],
        stage: usize,
    ) -> Result<u64, Fault> {
        self.missing.values_mut().into_slice().copy_from_slice(self.all_missing.as_values_slice());
        self.is_set.fill(false);
        self.rates[stage].fill(0.0);
        self.frames.clear();
        if let Some(recorder) = &mut self.recorder {
            recorder.begin(stage);
        }
        let mut pass = Pass { program, context, values, stage, executed: 0, cancel: self.cancel.clone() };
        self.enter(&mut pass, None, 1);
        while let Some(frame) = self.frames.last_mut() {
            if let Some(unit) = frame.queue.pop_front() {
                self.run_unit(&mut pass, unit)?;
            } else if let Some((unit, iteration, iterations)) = frame.iterating.pop() {
                if iteration + 1 < iterations {
                    frame.iterating.push((unit, iteration + 1, iterations));
                }
                if self.is_cancelled() {
                    return Err(Fault::cancelled());
                }
                self.evaluate(&mut pass, unit, RunPart::Execute, iteration);
            } else {
                self.end_run(&mut pass)?;
            }
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.end(pass.values, &self.is_set, &self.rates[stage]);
        }
        Ok(pass.executed)
    }

    /// The fault if `unit` exceeds the limit on executions; the cause is a block that sets its outputs in several
    /// iterations, if there is one.
    fn beyond_runs(&self, program: &Program, unit: UnitId) -> Fault {
        let subsystem = self.frames.last().and_then(|frame| frame.subsystem);
        let iterating = self.frames.iter().rev().find_map(|frame| frame.iterating.last());
        program.beyond_runs(subsystem, Some(iterating.map_or(unit, |(unit, ..)| *unit)))
    }

    /// Runs a unit all of whose inputs are set.
    fn run_unit(&mut self, pass: &mut Pass, number: UnitId) -> Result<(), Fault> {
        let unit = &pass.program.units[number];
        let kernel = pass.program.kernel(unit);
        pass.executed += u64::from(!unit.is_hidden);
        if pass.executed > pass.program.max_executions {
            return Err(self.beyond_runs(pass.program, number));
        }
        if let Some(subsystem) = self.parts.enables[number] {
            // An enable condition is evaluated in the major step only.
            if pass.stage == 0 {
                self.evaluate(pass, number, RunPart::Execute, 0);
            }
            return self.decide(pass, subsystem);
        }
        let Some(count) = &kernel.iterations else {
            let run = self.frames.last().map_or(0, |frame| frame.run);
            self.evaluate(pass, number, RunPart::Execute, run);
            return Ok(());
        };
        self.interpreter.run(kernel, &count.list, &env(&self.next, &self.stage_continuous, self.time, pass, unit, 0));
        // The conversion saturates; NaN becomes 0.
        let iterations = self.interpreter.value(kernel, count.reg)[0] as u64;
        if iterations > 1
            && let Some(frame) = self.frames.last_mut()
        {
            frame.iterating.push((number, 1, iterations));
        }
        if iterations > 0 {
            self.evaluate(pass, number, RunPart::Execute, 0);
        }
        Ok(())
    }

    fn evaluate(&mut self, pass: &mut Pass, number: UnitId, part: RunPart, iteration: u64) {
        let program = pass.program;
        let unit = &program.units[number];
        let kernel = program.kernel(unit);
        let list = if part == RunPart::Publish { &kernel.begin } else { &kernel.run };
        let runs = self.runs(program);
        let env = env(&self.next, &self.stage_continuous, self.time, pass, unit, iteration);
        self.interpreter.run(kernel, list, &Env { runs, ..env });
        for (output, made) in program.outputs_of(unit).zip(&kernel.outputs) {
            // Outputs that need no input were published at the beginning and are not set again.
            if made.is_first(kernel) == (part == RunPart::Publish) {
                let value = self.interpreter.value(kernel, made.reg);
                pass.values[program.outputs[output].elements()].copy_from_slice(value);
                // An exit of a conditional subsystem is set when the subsystem ends.
                if made.idle.is_none() {
                    self.set_readers(program, output);
                }
            }
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.executed(
                program,
                ExecutionRecord::new(number, part, iteration),
                pass.values,
                self.interpreter.scratch(),
            );
        }
        if part == RunPart::Execute && !(kernel.updates.is_empty() && kernel.reports.is_empty()) {
            self.update(program, pass.context, pass.stage, number);
        }
    }

    /// The number of the run of all iterated subsystems that run now, as `Clock::Runs`.
    fn runs(&self, program: &Program) -> f64 {
        let is_iterated =
            |frame: &&Frame| frame.subsystem.is_some_and(|subsystem| program.subsystems[subsystem].is_iterated);
        let iterated = self.frames.iter().filter(is_iterated);
        iterated.fold(0.0, |outer, frame| outer * Clock::RUNS_OF_LEVEL + frame.run as f64)
    }

    fn set_readers(&mut self, program: &Program, output: OutputId) {
        let Queue { frames, parts, is_set, missing, recorder, .. } = self;
        let Some(frame) = frames.last_mut() else { return };
        let queued = frame.queue.len();
        frame.set_readers(program, parts, (is_set, missing), output);
        if let Some(recorder) = recorder {
            recorder.queued(parts.readers_of(program, output), frame.queue.range(queued..));
        }
    }

    /// Records the state updates of a unit.
    fn update(&mut self, program: &Program, context: &mut Context, stage: usize, number: UnitId) {
        let unit = &program.units[number];
        let kernel = program.kernel(unit);
        if stage == 0 {
            let reports = kernel.reports.iter().zip(0..);
            let reported = reports.filter(|(report, _)| self.interpreter.value(kernel, report.reg)[0] != 0.0);
            self.reported.extend(reported.map(|(_, report)| ReportRef { unit: number, report }));
        }
        if self.parts.has_turns && stage == 0 {
            // If a block runs again in the step, its last execution is valid.
            let states = unit.first_state as usize..unit.first_state as usize + kernel.states.len();
            let is_own = |offset: usize, kind: fn(&StateKind) -> bool| {
                program.states[states.clone()].iter().any(|slot| slot.offset as usize == offset && kind(&slot.kind))
            };
            self.pushed.retain(|push| !is_own(push.offset, |kind| matches!(kind, StateKind::History { .. })));
            self.limits.retain(|limit| !is_own(limit.offset, |kind| *kind == StateKind::Continuous));
        }
        for update in &kernel.updates {
            let slot = program.state(unit, update.state());
            let (offset, width) = (slot.offset as usize, slot.width as usize);
            let elements = |reg| {
                let elements = self.interpreter.value(kernel, reg);
                (0..width).map(move |element| if elements.len() == 1 { elements[0] } else { elements[element] })
            };
            match *update {
                Update::Derivative { value, .. } => {
                    let rates = &mut self.rates[stage][offset..offset + width];
                    rates.iter_mut().zip(elements(value)).for_each(|(to, from)| *to = from);
                }
                // The rest belongs to the major step.
                _ if stage > 0 => {}
                Update::Next { value, .. } => {
                    let next = &mut self.next[offset..offset + width];
                    next.iter_mut().zip(elements(value)).for_each(|(to, from)| *to = from);
                }
                Update::Jump { on, value, .. } => {
                    let states = context.continuous[offset..offset + width].iter_mut();
                    for ((x, on), value) in states.zip(elements(on)).zip(elements(value)) {
                        if on != 0.0 {
                            *x = value;
                        }
                    }
                }
                Update::Limit { low, high, .. } => {
                    self.limits.push(Limit { offset, width, first: self.limit_lanes.len() });
                    self.limit_lanes.extend(elements(low).chain(elements(high)));
                }
                // The solver does.
                Update::Record { .. } => {}
                Update::Push { on, .. } if self.interpreter.value(kernel, on)[0] == 0.0 => {}
                Update::Push { value, .. } => {
                    let StateKind::History { length } = slot.kind else { panic!("only a history is pushed to") };
                    self.pushed.push(Push { offset, width, length, first: self.push_lanes.len() });
                    self.push_lanes.extend(elements(value));
                }
            }
        }
    }
}

fn env<'a>(
    next: &'a [f64],
    continuous: &'a [f64],
    time: f64,
    pass: &'a Pass,
    unit: &'a Unit,
    iteration: u64,
) -> Env<'a> {
    let Pass { program, ref context, ref values, stage, ref cancel, .. } = *pass;
    let (is_major, cancel) = (stage == 0, cancel.as_ref());
    Env {
        program,
        unit,
        values,
        context,
        discrete: &context.discrete,
        continuous,
        next,
        time,
        is_major,
        is_deciding: is_major,
        iteration,
        runs: 0.0,
        cancel,
    }
}

//! A run of the engine thread.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::breakpoint::{Armed, ArmedLine, Breakpoint};
use super::pace::Pace;
use super::past::Past;
use super::view::{Backfill, Oracle, StepRequest, StepValues};
use super::{Edited, Event, ParamChange, Request, RunId, SharedProgram, Speed, Start};
use crate::block::Registry;
use crate::engine::{
    Cancel, Context, Engine, Engines, Execute, MigrationError, ParamError, Program, RemoteCost, RunError, Samples,
    WriteError, Writers, compile,
};
use crate::model::{Diagnostic, SignalKey, Simulation};

/// Why a run cannot continue with an edited simulation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveEditError {
    /// The edited simulation does not compile.
    #[error("the run continues without the edit: {}", first_error(.0))]
    Compile(Vec<Diagnostic>),
    #[error("the run continues without the edit: blocks write files, whose columns are fixed")]
    WritesFiles,
    #[error("the run continues without the edit: {0}")]
    Migration(#[from] MigrationError),
    #[error("the run continues without the edit: {0}")]
    Panicked(String),
}

fn first_error(found: &[Diagnostic]) -> &str {
    found.iter().find(|found| found.is_error()).map_or("", |found| &found.message)
}

/// How long the thread runs steps before it handles requests and sends events.
const CHUNK: Duration = Duration::from_millis(8);
/// The time is longer if the overhead of a call of the engine is large: this many times the overhead,
const TIMES_OVERHEAD: u32 = 5;
/// but no longer than this, after which a request is handled at the latest.
const MAX_CHUNK: Duration = Duration::from_millis(500);
/// The number of watched elements in a chunk, at most.
const CHUNK_ELEMENTS: usize = 1 << 18;
/// The number of steps, at least, by which an inspection advances before the thread handles requests.
const LOOK_STEPS: u64 = 16;

pub(super) struct Run {
    pub id: RunId,
    pub program: Arc<Program>,
    pub made: Prepared,
    pub context: Context,
    pub samples: Samples,
    /// The signals that are sent, and all that were requested; an edited program may have more of them.
    pub signals: Vec<SignalKey>,
    wanted: Vec<SignalKey>,
    /// The files that blocks write to.
    pub writers: Writers,
    /// The number of steps after which the run ends; `None`: until stopped.
    pub steps: Option<u64>,
    pub pace: Pace,
    pub state: RunnerState,
    /// The number of steps that take about the time of a chunk.
    chunk: u64,
    pub past: Past,
    /// The segments of the run before its simulation was edited, in the order of the steps.
    earlier: Vec<RunSegment>,
    breakpoints: Vec<Breakpoint>,
    armed: Vec<Armed>,
    armed_lines: Vec<ArmedLine>,
    /// Requests that arrived while the run goes back.
    pub deferred: Vec<Request>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum RunnerState {
    Running,
    Paused,
    /// Runs until this step is reached, then pauses.
    SteppingTo(u64),
    /// Computes steps again until this one is reached, without events, then pauses.
    GoingBackTo(u64),
}

/// Why a run ends that did not fail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RunEnd {
    Complete,
    Stopped,
}

/// The steps of a run before an edit of its simulation.
#[derive(Clone)]
struct RunSegment {
    /// The first step after the segment.
    until: u64,
    made: Prepared,
    past: Past,
}

/// A simulation prepared for running. Runs of one simulation share it: all state of a run is in its context.
#[derive(Clone)]
pub(super) struct Prepared {
    simulation: Arc<Simulation>,
    registry: Arc<Registry>,
    engine: Arc<dyn Engine>,
    refuses_non_finite: bool,
    program: Arc<Program>,
    execute: Rc<RefCell<Box<dyn Execute>>>,
    oracle: Rc<RefCell<Oracle>>,
}

impl Prepared {
    pub fn new(
        simulation: &Arc<Simulation>,
        registry: &Arc<Registry>,
        engine: &Arc<dyn Engine>,
        refuses_non_finite: bool,
    ) -> Result<Prepared, Vec<Diagnostic>> {
        let mut program = compile(simulation, registry)?;
        program.refuses_non_finite = refuses_non_finite;
        let program = Arc::new(program);
        let execute = engine.prepare(&program).map_err(|declined| {
            let help = format!("choose the engine “{}”", Engines::DEFAULT);
            vec![Diagnostic::error("declined", declined.to_string()).help(help).about("engine")]
        })?;
        Ok(Prepared {
            simulation: Arc::clone(simulation),
            registry: Arc::clone(registry),
            engine: Arc::clone(engine),
            refuses_non_finite,
            program,
            execute: Rc::new(RefCell::new(execute)),
            oracle: Rc::default(),
        })
    }

    /// Whether this start would prepare the same.
    pub fn is_for(&self, start: &Start) -> bool {
        Arc::ptr_eq(&self.simulation, &start.simulation)
            && Arc::ptr_eq(&self.registry, &start.registry)
            && self.refuses_non_finite == start.refuses_non_finite
    }

    pub fn engine(&self) -> &'static str {
        self.execute.borrow().engine()
    }

    pub fn remote_costs(&self) -> Vec<RemoteCost> {
        self.execute.borrow().remote_costs()
    }
}

impl Run {
    pub fn new(id: RunId, start: Start, made: Prepared, memory: usize) -> Result<Run, Vec<Diagnostic>> {
        let program = Arc::clone(&made.program);
        let writers = Writers::open(&program, start.registry.files())?;
        let context = Context::new(&program);
        let mut run = Run {
            id,
            pace: Pace::new(start.speed, program.delta),
            program,
            made,
            context,
            samples: Samples::default(),
            signals: Vec::new(),
            wanted: Vec::new(),
            writers,
            steps: start.steps,
            state: if start.is_paused { RunnerState::Paused } else { RunnerState::Running },
            chunk: 1,
            past: Past::new(memory),
            earlier: Vec::new(),
            breakpoints: Vec::new(),
            armed: Vec::new(),
            armed_lines: Vec::new(),
            deferred: Vec::new(),
        };
        run.past.note(&run.context, Duration::ZERO);
        run.watch(start.watch);
        Ok(run)
    }

    /// Returns a run that equals this one up to a step, and goes there; `None` if no context before it is kept.
    pub fn branch(&self, id: RunId, step: u64, memory: usize) -> Option<Run> {
        let step = step.min(self.context.step);
        let (made, past) = self.at(step);
        let mut past = past.up_to(step);
        past.set_limit(memory);
        let context = past.back_to(step)?;
        let program = Arc::clone(&made.program);
        let mut run = Run {
            id,
            pace: Pace::new(self.pace.speed, program.delta),
            program,
            made: made.clone(),
            context,
            samples: Samples::default(),
            signals: Vec::new(),
            wanted: Vec::new(),
            // The files belong to the run from which it branches off.
            writers: Writers::none(),
            steps: self.steps,
            state: RunnerState::GoingBackTo(step),
            chunk: self.chunk,
            past,
            earlier: Vec::new(),
            breakpoints: Vec::new(),
            armed: Vec::new(),
            armed_lines: Vec::new(),
            deferred: Vec::new(),
        };
        run.watch(self.wanted.clone());
        run.earlier = self.earlier.iter().filter(|earlier| earlier.until <= step).cloned().collect();
        Some(run)
    }

    /// Returns the prepared simulation of the run at a step, and its past there.
    fn at(&self, step: u64) -> (&Prepared, &Past) {
        let earlier = self.earlier.iter().find(|earlier| step < earlier.until);
        earlier.map_or((&self.made, &self.past), |earlier| (&earlier.made, &earlier.past))
    }

    /// Continues with an edited simulation.
    ///
    /// # Errors
    /// If it cannot; the run is unchanged then.
    pub fn edit(&mut self, edited: &Edited) -> Result<Event, LiveEditError> {
        let Edited { simulation, registry, engine } = edited;
        let made = Prepared::new(simulation, registry, engine, self.made.refuses_non_finite);
        let made = made.map_err(LiveEditError::Compile)?;
        let program = Arc::clone(&made.program);
        if !self.program.outlets().is_empty() || !program.outlets().is_empty() {
            return Err(LiveEditError::WritesFiles);
        }
        let (context, migration) = self.context.migrate(&self.program, &program)?;
        let until = context.step;
        self.go_on_with(made, context);
        let wanted = std::mem::take(&mut self.wanted);
        self.watch(wanted);
        let params = self.context.params.clone();
        Ok(Event::Edited { step: until, program: SharedProgram(program), params, migration })
    }

    /// Continues with another prepared simulation; the steps so far become a segment.
    fn go_on_with(&mut self, made: Prepared, context: Context) {
        let limit = self.past.limit();
        let past = std::mem::replace(&mut self.past, Past::new(limit));
        self.program = Arc::clone(&made.program);
        let made = std::mem::replace(&mut self.made, made);
        self.earlier.push(RunSegment { until: context.step, made, past });
        // All segments together use a quarter of the limit.
        let share = limit / 4 / self.earlier.len();
        for earlier in &mut self.earlier {
            earlier.past.set_limit(share.min(earlier.past.limit()));
        }
        self.context = context;
        self.past.note(&self.context, Duration::ZERO);
    }

    /// Sets whether the run pauses with an error at infinite values and NaN, from the next step on.
    pub fn refuse_non_finite(&mut self, refuses: bool) {
        let Prepared { simulation, registry, engine, refuses_non_finite, .. } = &self.made;
        if *refuses_non_finite == refuses {
            return;
        }
        // The same simulation was prepared before.
        let Ok(made) = Prepared::new(simulation, registry, engine, refuses) else { return };
        if refuses {
            // Completed steps may have such values, and are repeated as they were.
            self.go_on_with(made, self.context.clone());
        } else {
            self.program = Arc::clone(&made.program);
            self.made = made;
        }
    }

    pub fn watch(&mut self, signals: Vec<SignalKey>) {
        let found = signals.iter().filter(|signal| self.program.output_of(signal).is_some());
        self.signals = found.cloned().collect();
        self.wanted = signals;
        self.arm();
    }

    /// Sets the breakpoints.
    pub fn break_at(&mut self, breakpoints: Vec<Breakpoint>) {
        self.breakpoints = breakpoints;
        self.arm();
    }

    /// Activates the breakpoints that the program has.
    fn arm(&mut self) {
        self.armed = Armed::all(&self.program, &self.breakpoints);
        self.armed_lines = ArmedLine::all(&self.program, &self.breakpoints);
        self.renew_samples();
    }

    /// Watches the signals that are sent, then those of breakpoints, those of lines last, then those that are written to
    /// files.
    fn renew_samples(&mut self) {
        let signals = self.signals.iter().filter_map(|signal| self.program.output_of(signal));
        let armed = self.armed.iter().map(|armed| armed.output);
        let of_lines = self.armed_lines.iter().flat_map(|line| line.sources.iter().copied());
        self.samples = Samples::new(signals.chain(armed).chain(of_lines).chain(self.writers.outputs()));
    }

    /// Runs `count` steps, or fewer if a breakpoint is hit; returns its index in the list.
    pub fn run(&mut self, count: u64) -> (Result<(), RunError>, Option<usize>) {
        if !self.armed_lines.is_empty() {
            return self.run_by_steps(count);
        }
        if self.armed.is_empty() {
            return (self.made.execute.borrow_mut().run(&mut self.context, count, &mut self.samples), None);
        }
        let begin = self.context.clone();
        let mut ran = self.made.execute.borrow_mut().run(&mut self.context, count, &mut self.samples);
        let rows = self.samples.len();
        let watches = self.samples.watches().get(self.signals.len()..).unwrap_or_default();
        let hits = self.armed.iter().zip(watches).filter_map(|(armed, watch)| {
            let row = armed.first_hit(watch, rows)?;
            Some((row, armed.number))
        });
        let hit = hits.min();
        if let Some((row, _)) = hit
            && row + 1 < rows
        {
            // The steps after it are undone; the same steps give the same bits again.
            self.samples.clear();
            self.context = begin;
            ran = self.made.execute.borrow_mut().run(&mut self.context, row as u64 + 1, &mut self.samples);
        } else if hit.is_some() && ran.is_err() {
            // The failed step comes after it.
            ran = Ok(());
        }
        let rows = self.samples.len();
        let watches = self.samples.watches().get(self.signals.len()..).unwrap_or_default();
        self.armed.iter_mut().zip(watches).for_each(|(armed, watch)| armed.remember(watch, rows));
        (ran, hit.map(|(_, number)| number))
    }

    /// Runs up to `count` steps one at a time, for about the time of a chunk: which lines of code are executed is known
    /// from the context at the start of each step.
    fn run_by_steps(&mut self, count: u64) -> (Result<(), RunError>, Option<usize>) {
        let start = Instant::now();
        let mut begin = self.context.clone();
        for _ in 0..count {
            begin.copy_from(&self.context);
            let ran = self.made.execute.borrow_mut().run(&mut self.context, 1, &mut self.samples);
            if ran.is_err() || self.context.step == begin.step {
                return (ran, None);
            }
            let rows = self.samples.len();
            let watches = self.samples.watches().get(self.signals.len()..).unwrap_or_default();
            let of_lines = watches.get(self.armed.len()..).unwrap_or_default();
            let is_hit = |line: &&ArmedLine| line.is_hit(&self.program, &begin, of_lines);
            let of_signals = self.armed.iter().zip(watches).filter(|(armed, watch)| armed.is_hit_last(watch, rows));
            let hits = of_signals.map(|(armed, _)| armed.number);
            let hit = hits.chain(self.armed_lines.iter().filter(is_hit).map(|line| line.number)).min();
            self.armed.iter_mut().zip(watches).for_each(|(armed, watch)| armed.remember(watch, rows));
            if hit.is_some() || self.samples.end().is_some() || start.elapsed() > CHUNK {
                return (ran, hit);
            }
        }
        (Ok(()), None)
    }

    /// Computes steps again, without events.
    pub fn again(&mut self, count: u64) -> Result<(), RunError> {
        self.made.execute.borrow_mut().run(&mut self.context, count, &mut self.samples)
    }

    /// Changes a parameter at the next step.
    pub fn set_param(&mut self, change: ParamChange) -> Result<Event, ParamError> {
        self.context.set_param(&self.program, &change.param, &change.values)?;
        let event = Event::ParamSet(change.clone());
        self.past.change(change);
        Ok(event)
    }

    /// Makes the changes that take effect before the next step, and returns their events.
    pub fn change_again(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(change) = self.past.take_due(self.context.step) {
            // The same change succeeded before.
            let _ = self.context.set_param(&self.program, &change.param, &change.values);
            events.push(Event::ParamSet(change.clone()));
        }
        events
    }

    /// Begins to go to a step; returns false if no context before it is kept.
    pub fn go_to(&mut self, step: u64) -> bool {
        self.pace_from_here();
        if step > self.context.step {
            self.state = RunnerState::SteppingTo(step);
            return true;
        }
        let Some(context) = self.past.back_to(step) else { return false };
        self.context = context;
        self.armed.iter_mut().for_each(Armed::forget);
        self.state = RunnerState::GoingBackTo(step);
        true
    }

    /// Begins to inspect a completed step, or the next one; `None` if no context before it is kept.
    pub fn look(&self, step: Option<u64>) -> Option<StepRequest> {
        let step = step.unwrap_or(self.context.step).min(self.context.step);
        let context = match step == self.context.step {
            true => self.context.clone(),
            false => self.at(step).1.before(step)?.clone(),
        };
        Some(StepRequest { run: self.id, step, context })
    }

    /// Advances an inspection for about the time of a chunk; returns the values when it has arrived.
    pub fn look_on(&self, look: &mut StepRequest, cancel: &Cancel) -> Result<Option<StepValues>, RunError> {
        let (made, past) = self.at(look.step);
        let program = &made.program;
        let mut nobody = Samples::default();
        nobody.set_cancel(cancel);
        let to_change = past.change_there(program, &mut look.context);
        let left = look.step.saturating_sub(look.context.step);
        if left > 0 {
            let count = left.min(to_change).min(self.chunk.max(LOOK_STEPS));
            made.execute.borrow_mut().run(&mut look.context, count, &mut nobody)?;
            return Ok(None);
        }
        let (begin, mut context) = (look.context.clone(), look.context.clone());
        let (step, time) = (context.step, context.time(program));
        made.oracle.borrow_mut().step(program, &mut context, &mut nobody)?;
        // The step was cancelled; it is tried again after the request is handled.
        if context.step == begin.step {
            return Ok(None);
        }
        Ok(Some(StepValues { run: self.id, step, time, program: Arc::clone(program), begin, context }))
    }

    /// Begins to compute all steps again for samples of these signals; `None` if no context is kept, or the program has
    /// none of the signals. Of a run whose simulation was edited, only the steps since.
    pub fn fill(&self, signals: Vec<SignalKey>) -> Option<Backfill> {
        let context = self.past.first()?.clone();
        let is_there = |signal: &SignalKey| self.program.output_of(signal).is_some();
        let signals: Vec<SignalKey> = signals.into_iter().filter(is_there).collect();
        let samples = Samples::new(signals.iter().filter_map(|signal| self.program.output_of(signal)));
        (!signals.is_empty()).then_some(Backfill { run: self.id, context, until: self.context.step, signals, samples })
    }

    /// Advances a backfill for about the time of a chunk; returns whether it is complete, and its events.
    pub fn fill_on(&self, fill: &mut Backfill) -> Result<(bool, Vec<Event>), RunError> {
        let elements: usize =
            fill.samples.watches().iter().map(|w| self.program.outputs[w.output].width as usize).sum();
        let most = (CHUNK_ELEMENTS / elements.max(1)).max(1) as u64;
        let to_change = self.past.change_there(&self.program, &mut fill.context);
        let left = fill.until.saturating_sub(fill.context.step);
        let count = left.min(to_change).min(most).min(self.chunk.max(LOOK_STEPS));
        self.made.execute.borrow_mut().run(&mut fill.context, count, &mut fill.samples)?;
        let first = fill.samples.first();
        let watches = fill.samples.watches().iter().zip(&fill.signals).filter(|(watch, _)| !watch.values.is_empty());
        let events = watches.map(|(watch, signal)| {
            let width = self.program.outputs[watch.output].width as usize;
            let (run, signal, until) = (self.id, signal.clone(), fill.until);
            Event::Backfilled { run, signal, first, until, width, values: watch.values.clone() }
        });
        let events = events.collect();
        fill.samples.clear();
        Ok((fill.context.step >= fill.until, events))
    }

    /// Whether the target step is reached.
    pub fn has_arrived(&self) -> bool {
        match self.state {
            RunnerState::SteppingTo(step) | RunnerState::GoingBackTo(step) => self.context.step >= step,
            RunnerState::Running | RunnerState::Paused => false,
        }
    }

    /// Ends the run and returns its last event.
    pub fn finished(&mut self, end: RunEnd) -> Event {
        if let Err(WriteError { problem, block }) = self.writers.finish() {
            return Event::Failed { message: problem, block: Some(block) };
        }
        let exits = self.context.exits(&self.program);
        let held = self.context.held_switches(&self.program);
        Event::Finished { steps: self.context.step, was_stopped: end == RunEnd::Stopped, exits, held }
    }

    /// Limits the rewind buffer to `limit` bytes, for each segment.
    pub fn shrink(&mut self, limit: usize) {
        let pasts = self.earlier.iter_mut().map(|earlier| &mut earlier.past).chain([&mut self.past]);
        for past in pasts {
            past.set_limit(past.limit().min(limit));
        }
    }

    /// Ends the run for good; only its past remains.
    pub fn retire(&mut self) {
        // Whether the files are complete was reported when the run ended; for a replaced run it is not reported.
        self.writers = Writers::none();
        self.state = RunnerState::Paused;
        (self.armed, self.armed_lines, self.breakpoints) = (Vec::new(), Vec::new(), Vec::new());
        self.samples = Samples::default();
        self.deferred.clear();
    }

    pub fn is_complete(&self) -> bool {
        self.steps.is_some_and(|steps| self.context.step >= steps)
    }

    pub fn set_speed(&mut self, speed: Speed) {
        self.pace.speed = speed;
        self.pace_from_here();
    }

    pub fn pace_from_here(&mut self) {
        self.pace.begin(self.context.step);
    }

    /// Returns how long to wait for requests; `None`: until one arrives.
    pub fn idle_time(&self) -> Option<Duration> {
        match self.state {
            RunnerState::Paused if !self.is_complete() => None,
            RunnerState::Running if self.steps_due() == 0 && !self.is_complete() => {
                Some(self.pace.wait(self.context.step))
            }
            _ => Some(Duration::ZERO),
        }
    }

    /// Returns the number of steps of the next chunk.
    pub fn steps_due(&self) -> u64 {
        let done = self.context.step;
        let elements: usize =
            self.samples.watches().iter().map(|w| self.program.outputs[w.output].width as usize).sum();
        let most = (CHUNK_ELEMENTS / elements.max(1)).max(1) as u64;
        let to_change = self.past.next_change().map_or(u64::MAX, |step| step.saturating_sub(done));
        let left = self.steps.map_or(u64::MAX, |steps| steps.saturating_sub(done));
        let left = left.min(self.chunk).min(most).min(to_change);
        match self.state {
            RunnerState::Paused => 0,
            RunnerState::SteppingTo(target) | RunnerState::GoingBackTo(target) => left.min(target.saturating_sub(done)),
            RunnerState::Running => self.pace.due().map_or(left, |due| left.min(due.saturating_sub(done))),
        }
    }

    pub fn adapt_chunk(&mut self, count: u64, took: Duration) {
        let chunk = CHUNK.max((self.made.execute.borrow().call_overhead() * TIMES_OVERHEAD).min(MAX_CHUNK));
        if count < self.chunk && took < chunk {
            return;
        }
        let took = took.as_secs_f64().max(1e-7);
        let wanted = count as f64 * chunk.as_secs_f64() / took;
        // At most doubled, so that one quick chunk does not make the next one very long.
        self.chunk = (wanted as u64).clamp(1, self.chunk.saturating_mul(2)).min(1 << 24);
    }
}

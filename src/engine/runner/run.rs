//! What the engine thread runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::{Context, Engines, Execute, ParamError, Program, Samples, WriteError, Writers, compile};
use super::past::Past;
use super::{Event, ParamChange, Request, RunId, Runner, Speed, Start};
use crate::model::{Diagnostic, SignalKey};

/// How long the thread runs before it listens and sends.
const CHUNK: Duration = Duration::from_millis(8);
/// Watched lanes in a chunk, at most.
const CHUNK_LANES: usize = 1 << 18;

pub(super) struct Run {
    pub id: RunId,
    pub program: Arc<Program>,
    pub execute: Box<dyn Execute>,
    pub context: Context,
    pub samples: Samples,
    pub signals: Vec<SignalKey>,
    /// The files that blocks write.
    pub writers: Writers,
    steps: Option<u64>,
    pub speed: Speed,
    pub state: State,
    /// When the pacing began, and at which step.
    paced_from: (Instant, u64),
    /// Steps that take about a chunk's time.
    chunk: u64,
    pub past: Past,
    /// What was asked for while steps are made again.
    pub deferred: Vec<Request>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum State {
    Running,
    Paused,
    /// Runs up to this step, then pauses.
    SteppingTo(u64),
    /// Makes steps again up to this one, of which nobody hears, then pauses.
    GoingBackTo(u64),
}

impl Run {
    pub fn new(id: RunId, start: Start) -> Result<Run, Vec<Diagnostic>> {
        let mut program = compile(&start.simulation, &start.registry)?;
        program.refuses_non_finite = start.refuses_non_finite;
        let program = Arc::new(program);
        let execute = start.engine.prepare(&program).map_err(|declined| {
            let help = format!("choose the engine “{}”", Engines::DEFAULT);
            vec![Diagnostic::error("declined", declined.to_string()).help(help)]
        })?;
        let writers = Writers::open(&program, start.registry.files())?;
        let context = Context::new(&program);
        let mut run = Run {
            id,
            program,
            execute,
            context,
            samples: Samples::default(),
            signals: Vec::new(),
            writers,
            steps: start.steps,
            speed: start.speed,
            state: if start.is_paused { State::Paused } else { State::Running },
            paced_from: (Instant::now(), 0),
            chunk: 1,
            past: Past::new(Runner::MEMORY),
            deferred: Vec::new(),
        };
        run.past.note(&run.context, Duration::ZERO);
        run.watch(start.watch);
        Ok(run)
    }

    pub fn watch(&mut self, signals: Vec<SignalKey>) {
        let found = signals.into_iter().filter_map(|signal| Some((self.program.output_of(&signal)?, signal)));
        let (outputs, signals): (Vec<_>, Vec<_>) = found.unzip();
        self.samples = Samples::new(outputs.into_iter().chain(self.writers.outputs()));
        self.signals = signals;
    }

    /// Changes a parameter at the step that comes next.
    pub fn set_param(&mut self, change: ParamChange) -> Result<Event, ParamError> {
        self.context.set_param(&self.program, &change.path, change.block, &change.name, &change.values)?;
        let event = param_set(&change);
        self.past.change(change);
        Ok(event)
    }

    /// Makes the changes that are to act before the next step, and says which.
    pub fn change_again(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(change) = self.past.take_due(self.context.step) {
            let ParamChange { path, block, name, values, .. } = change;
            // It could be made once before.
            let _ = self.context.set_param(&self.program, path, *block, name, values);
            events.push(param_set(change));
        }
        events
    }

    /// Goes to a step, as far as is known now; whether there is a way.
    pub fn go_to(&mut self, step: u64) -> bool {
        self.pace_from_here();
        if step > self.context.step {
            self.state = State::SteppingTo(step);
            return true;
        }
        let Some(context) = self.past.back_to(step) else { return false };
        self.context = context;
        self.state = State::GoingBackTo(step);
        true
    }

    /// Whether the step is done that it runs to.
    pub fn has_arrived(&self) -> bool {
        match self.state {
            State::SteppingTo(step) | State::GoingBackTo(step) => self.context.step >= step,
            State::Running | State::Paused => false,
        }
    }

    /// Ends the run.
    pub fn finished(&mut self, was_stopped: bool) -> Event {
        if let Err(WriteError { problem, block }) = self.writers.finish() {
            return Event::Failed { message: problem, block: Some(block) };
        }
        let exits = self.context.exits(&self.program);
        Event::Finished { steps: self.context.step, was_stopped, exits }
    }

    pub fn is_complete(&self) -> bool {
        self.steps.is_some_and(|steps| self.context.step >= steps)
    }

    pub fn pace_from_here(&mut self) {
        self.paced_from = (Instant::now(), self.context.step);
    }

    /// How long nothing is to be done but listen; none: until something is heard.
    pub fn idle_time(&self) -> Option<Duration> {
        match (self.state, self.speed) {
            (State::Paused, _) if !self.is_complete() => None,
            (State::Running, Speed::RealTime(ratio)) if self.steps_due() == 0 && !self.is_complete() => {
                let next = (self.context.step + 1 - self.paced_from.1) as f64 * self.program.delta / ratio;
                let wait = next - self.paced_from.0.elapsed().as_secs_f64();
                Some(Duration::from_secs_f64(wait.clamp(0.0005, 0.25)))
            }
            _ => Some(Duration::ZERO),
        }
    }

    /// How many steps the next chunk has.
    pub fn steps_due(&self) -> u64 {
        let done = self.context.step;
        let lanes: usize = self.samples.watches().iter().map(|w| self.program.outputs[w.output].width as usize).sum();
        let most = (CHUNK_LANES / lanes.max(1)).max(1) as u64;
        let to_change = self.past.next_change().map_or(u64::MAX, |step| step.saturating_sub(done));
        let left = self.steps.map_or(u64::MAX, |steps| steps.saturating_sub(done));
        let left = left.min(self.chunk).min(most).min(to_change);
        match (self.state, self.speed) {
            (State::Paused, _) => 0,
            (State::SteppingTo(target) | State::GoingBackTo(target), _) => left.min(target.saturating_sub(done)),
            (State::Running, Speed::Fastest) => left,
            (State::Running, Speed::RealTime(ratio)) => {
                let (since, first) = self.paced_from;
                let due = first as f64 + since.elapsed().as_secs_f64() * ratio / self.program.delta;
                // The conversion saturates; a ratio that is no number makes nothing due.
                left.min((due as u64).saturating_sub(done))
            }
        }
    }

    pub fn adapt_chunk(&mut self, count: u64, took: Duration) {
        if count < self.chunk && took < CHUNK {
            return;
        }
        let took = took.as_secs_f64().max(1e-7);
        let wanted = count as f64 * CHUNK.as_secs_f64() / took;
        // At most doubled, so that one quick chunk does not make the next one endless.
        self.chunk = (wanted as u64).clamp(1, self.chunk.saturating_mul(2)).min(1 << 24);
    }
}

fn param_set(change: &ParamChange) -> Event {
    let ParamChange { step, path, block, name, values } = change.clone();
    Event::ParamSet { step, path, block, name, values }
}

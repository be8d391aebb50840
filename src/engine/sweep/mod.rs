//! Runs a model many times in parallel.
//!
//! Each run has a context of its own; the program, and the machine code of each worker, serve all runs that share it.
//! What a run computes depends on its number alone, never on who runs it or when.

mod curve;
mod points;
mod vary;

use std::num::{NonZeroU64, NonZeroUsize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_channel::{Sender, bounded};

use super::{Cancel, Context, Declined, Engine, Execute, OverrideError, Program, RunError, Samples};
use crate::block::Reaction;
use crate::model::{Diagnostic, SignalKey};

pub use curve::Curve;
pub use points::Points;
pub use vary::{MAX_RUNS, Runs, Values, Vary, VaryError};

/// What all runs have in common.
#[derive(Clone)]
pub struct Sweep {
    pub engine: Arc<dyn Engine>,
    /// How many steps each run takes, unless a block ends it.
    pub steps: u64,
    /// Signals to note; one that a run's program does not have is noted with no elements.
    pub watch: Vec<SignalKey>,
    /// The steps whose number is a multiple of it are noted, and the last; none: the last alone.
    pub every: Option<NonZeroU64>,
    /// How many runs go on at a time.
    pub workers: NonZeroUsize,
}

/// A run of a sweep that is ready to start.
pub struct SweepRun {
    pub program: Arc<Program>,
    pub context: Context,
}

/// Why a run of a sweep cannot start.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    #[error(transparent)]
    Override(#[from] OverrideError),
    /// The model does not compile with the run's values.
    #[error("{}", .0.first().map_or("", |first| &first.message))]
    Compile(Vec<Diagnostic>),
    #[error(transparent)]
    Declined(#[from] Declined),
}

impl Sweep {
    /// Runs the runs of these numbers; `ready` makes each one ready, `take` is handed each curve as it comes, in any
    /// order, and says whether to go on. Returns when all workers have ended.
    pub fn run(
        &self,
        runs: &[u64],
        ready: &(dyn Fn(u64) -> Result<SweepRun, SweepError> + Sync),
        mut take: impl FnMut(Curve) -> SweepFlow,
    ) {
        let next = AtomicUsize::new(0);
        let is_over = Cancel::new();
        let workers = self.workers.get().min(runs.len());
        // Somebody who takes slowly holds the workers up, not the memory.
        let (curves, taken) = bounded(workers * 2);
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let (curves, next, is_over) = (curves.clone(), &next, &is_over);
                scope.spawn(move || self.work(runs, next, is_over, ready, &curves));
            }
            drop(curves);
            for curve in &taken {
                if take(curve) == SweepFlow::Stop {
                    is_over.cancel();
                    break;
                }
            }
            // Workers that wait to hand over a curve hear that nobody takes it.
            drop(taken);
        });
    }

    fn work(
        &self,
        runs: &[u64],
        next: &AtomicUsize,
        is_over: &Cancel,
        ready: &(dyn Fn(u64) -> Result<SweepRun, SweepError> + Sync),
        curves: &Sender<Curve>,
    ) {
        let mut known: Option<WorkerState> = None;
        while !is_over.is_cancelled() {
            let Some(&run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            let curve = catch_unwind(AssertUnwindSafe(|| self.curve(run, ready, &mut known, is_over)));
            let curve = curve.unwrap_or_else(|_| {
                known = None;
                Ok(Some(Curve { run, failure: Some("a block panicked".to_owned()), ..Curve::default() }))
            });
            let curve = match curve {
                Ok(Some(curve)) => curve,
                Ok(None) => return,
                Err(error) => Curve { run, failure: Some(error.to_string()), ..Curve::default() },
            };
            if curves.send(curve).is_err() {
                return;
            }
        }
    }

    /// One run; none where the sweep was stopped meanwhile.
    fn curve(
        &self,
        run: u64,
        ready: &(dyn Fn(u64) -> Result<SweepRun, SweepError> + Sync),
        known: &mut Option<WorkerState>,
        is_over: &Cancel,
    ) -> Result<Option<Curve>, SweepError> {
        let SweepRun { program, mut context } = ready(run)?;
        let known = match known {
            Some(known) if Arc::ptr_eq(&known.program, &program) => known,
            _ => known.insert(WorkerState::new(&*self.engine, program, &self.watch)?),
        };
        let mut curve = Curve { run, values: vec![Vec::new(); self.watch.len()], ..Curve::default() };
        known.samples.clear();
        known.samples.set_cancel(is_over);
        let mut before = None;
        while context.step < self.steps {
            if is_over.is_cancelled() {
                return Ok(None);
            }
            let count = CHUNK.min(self.steps - context.step);
            let ran = known.execute.run(&mut context, count, &mut known.samples);
            let end = known.samples.end();
            let is_last = ran.is_err() || end.is_some() || context.step == self.steps;
            self.note(known, &mut curve);
            if is_last {
                self.note_last(known, before.take(), &mut curve);
            }
            curve.failure = ran.err().map(|error: RunError| error.to_string());
            if let Some(Reaction::Pause | Reaction::Stop) = end {
                curve.failure = known.samples.assertions().last().map(|assertion| assertion.message.clone());
            }
            if is_last {
                known.samples.clear();
                break;
            }
            before = known.last(self.watch.len());
            known.samples.clear();
        }
        Ok(Some(curve))
    }

    /// Keeps the steps that are asked for.
    fn note(&self, known: &WorkerState, curve: &mut Curve) {
        let Some(every) = self.every else { return };
        let end = known.end();
        let start = known.samples.first().checked_next_multiple_of(every.get()).unwrap_or(end);
        let noted = (start..end).step_by(usize::try_from(every.get()).unwrap_or(usize::MAX));
        noted.for_each(|step| known.keep(step, curve));
    }

    /// Keeps the last step of a run, too. `before` is the last step before the samples, which has it if a run fails in
    /// the first step of a chunk.
    fn note_last(&self, known: &WorkerState, before: Option<Curve>, curve: &mut Curve) {
        let is_noted = |step: &u64| self.every.is_some_and(|every| step.is_multiple_of(every.get()));
        if let Some(last) = known.last(curve.values.len()).or(before).filter(|last| !last.steps.iter().any(is_noted)) {
            curve.steps.extend(last.steps);
            curve.values.iter_mut().zip(last.values).for_each(|(all, values)| all.extend(values));
        }
    }
}

/// Whether a sweep goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepFlow {
    Continue,
    Stop,
}

/// Steps between two looks at whether the sweep is over.
const CHUNK: u64 = 4096;

/// The state that a worker keeps between runs.
struct WorkerState {
    program: Arc<Program>,
    execute: Box<dyn Execute>,
    samples: Samples,
    /// For each watched signal its index among the samples' watches.
    indices: Vec<Option<usize>>,
}

impl WorkerState {
    fn new(engine: &dyn Engine, program: Arc<Program>, watch: &[SignalKey]) -> Result<WorkerState, SweepError> {
        let execute = engine.prepare(&program)?;
        let outputs: Vec<Option<usize>> = watch.iter().map(|key| program.output_of(key)).collect();
        let mut indices = 0..;
        let indices = outputs.iter().map(|output| output.and_then(|_| indices.next())).collect();
        Ok(WorkerState { execute, samples: Samples::new(outputs.into_iter().flatten()), indices, program })
    }

    /// The step after the last sample.
    fn end(&self) -> u64 {
        self.samples.first() + self.samples.len() as u64
    }

    /// Returns the last step of the samples as a curve of so many signals; none if there are no samples, as where a run
    /// is cancelled in its first step.
    fn last(&self, signals: usize) -> Option<Curve> {
        let step = self.end().checked_sub(1).filter(|_| !self.samples.is_empty())?;
        let mut last = Curve { values: vec![Vec::new(); signals], ..Curve::default() };
        self.keep(step, &mut last);
        Some(last)
    }

    /// Adds a step of the samples to a curve.
    fn keep(&self, step: u64, curve: &mut Curve) {
        let samples = &self.samples;
        curve.steps.push(step);
        for (values, watch) in curve.values.iter_mut().zip(&self.indices) {
            let Some(watch) = watch.and_then(|index| samples.watches().get(index)) else { continue };
            let width = watch.values.len() / samples.len();
            let begin = (step - samples.first()) as usize * width;
            values.extend_from_slice(watch.values.get(begin..begin + width).unwrap_or_default());
        }
    }
}

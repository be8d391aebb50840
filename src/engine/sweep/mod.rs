//! Runs a model many times in parallel.
//!
//! Each run has a context of its own; the program, and the machine code of each worker, serve all runs that share it.
//! Where it pays, a worker executes several runs at once, as an [`Ensemble`]. The result of a run depends on its number
//! alone, never on the worker that executes it, the time, or the runs beside it.

mod curve;
mod ensemble;
mod measure;
mod points;
mod vary;

use std::num::{NonZeroU64, NonZeroUsize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_channel::{Sender, bounded};

use super::{Cancel, Context, Declined, Engine, Execute, OutputId, OverrideError, Program, RunError, Samples};
use crate::block::Reaction;
use crate::model::{Diagnostic, SignalKey};
use crate::threads;

use ensemble::Ensemble;

pub use curve::{Curve, CurveShape};
pub use measure::SweepMeasure;
pub use points::Points;
pub use vary::{DesignError, MAX_RUNS, Runs, Values, Vary, VaryError};

/// The settings that all runs have in common.
#[derive(Clone)]
pub struct Sweep {
    pub engine: Arc<dyn Engine>,
    /// How many steps each run takes, unless a block ends it.
    pub steps: u64,
    /// Signals to note; one that a run's program does not have is noted with no elements.
    pub watch: Vec<SignalKey>,
    /// The steps whose number is a multiple of this are noted, and the last one; `None`: only the last one.
    pub every: Option<NonZeroU64>,
    /// The number of runs that execute at the same time.
    pub workers: NonZeroUsize,
    /// Runs execute together, where that pays, if each worker has this many steps of all its runs to do;
    /// [`Sweep::STEPS_TOGETHER`], unless a test wants them to.
    pub steps_together: u64,
}

/// A run of a sweep that is ready to start.
pub struct SweepRun {
    pub program: Arc<Program>,
    pub context: Context,
}

/// Why a run of a sweep cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    /// The number of steps after which runs that execute together have made up for the longer compilation of their
    /// program.
    pub const STEPS_TOGETHER: u64 = 1 << 18;

    /// Executes the runs with these numbers. `ready` prepares each run; `take` receives each curve when it is complete,
    /// in any order, and returns whether to continue. Returns when all workers have ended.
    pub fn run(&self, runs: &[u64], ready: &Ready, take: impl FnMut(Curve) -> SweepFlow) {
        self.run_until(&Cancel::new(), runs, ready, take);
    }

    /// The same, until it is cancelled: runs that are not finished then have no curve.
    pub fn run_until(&self, is_over: &Cancel, runs: &[u64], ready: &Ready, mut take: impl FnMut(Curve) -> SweepFlow) {
        let next = AtomicUsize::new(0);
        let workers = self.workers.get().min(runs.len());
        let steps = self.steps.saturating_mul(runs.len() as u64) / workers.max(1) as u64;
        // Where there are fewer runs, some processors would have nothing to do.
        let is_worthwhile = runs.len() >= workers * ensemble::RUNS && steps >= self.steps_together;
        let at_once = if is_worthwhile { ensemble::RUNS } else { 1 };
        let portions: Vec<&[u64]> = runs.chunks(at_once).collect();
        // A slow receiver delays the workers, and does not fill the memory.
        let (curves, taken) = bounded(workers * 2);
        std::thread::scope(|scope| {
            let mut begun = 0;
            for number in 0..workers {
                let (curves, next, portions) = (curves.clone(), &next, &portions);
                let work = move || self.work(portions, next, is_over, ready, &curves);
                begun += usize::from(threads::spawn_in(scope, &format!("runs {}", number + 1), work).is_ok());
            }
            assert!(begun > 0 || workers == 0, "the system starts no thread");
            drop(curves);
            for curve in &taken {
                if take(curve) == SweepFlow::Stop {
                    is_over.cancel();
                    break;
                }
            }
            // Workers that wait to send a curve learn that it will not be taken.
            drop(taken);
        });
    }

    fn work(&self, portions: &[&[u64]], next: &AtomicUsize, is_over: &Cancel, ready: &Ready, curves: &Sender<Curve>) {
        let mut known: Option<WorkerState> = None;
        // Runs that cannot execute together are made ready once only: that may compile a program for each.
        let mut is_possible = true;
        while let Some(portion) = portions.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut together = Vec::new();
            if is_possible {
                let ran = catch_unwind(AssertUnwindSafe(|| self.together(portion, ready, &mut known, is_over)));
                match ran {
                    Ok(Some(curves)) => together = curves,
                    Ok(None) => is_possible = false,
                    Err(_) => known = None,
                }
            }
            // Each in turn, if they could not run together or one of them failed.
            for &run in *portion {
                if is_over.is_cancelled() {
                    return;
                }
                let curve = match together.iter().position(|curve| curve.run == run) {
                    Some(number) => together.swap_remove(number),
                    None => match self.guarded(run, ready, &mut known, is_over) {
                        Some(curve) => curve,
                        None => return,
                    },
                };
                if curves.send(curve).is_err() {
                    return;
                }
            }
        }
    }

    /// Executes one run and catches its panics; `None` if the sweep was stopped meanwhile.
    fn guarded(&self, run: u64, ready: &Ready, known: &mut Option<WorkerState>, is_over: &Cancel) -> Option<Curve> {
        let failed = |failure: String| Curve { run, failure: Some(failure), ..Curve::default() };
        let curve = catch_unwind(AssertUnwindSafe(|| self.alone(run, ready, known, is_over)));
        match curve {
            Ok(Ok(curve)) => curve,
            Ok(Err(error)) => Some(failed(error.to_string())),
            Err(_) => {
                *known = None;
                Some(failed("a block panicked".to_owned()))
            }
        }
    }

    fn alone(
        &self,
        run: u64,
        ready: &Ready,
        known: &mut Option<WorkerState>,
        is_over: &Cancel,
    ) -> Result<Option<Curve>, SweepError> {
        let SweepRun { program, mut context } = ready(run)?;
        let known = WorkerState::of(known, &program);
        let execution = match &mut known.alone {
            Some(execution) => execution,
            none => none.insert(Execution::new(&*self.engine, &program, &[self.outputs(&program)])?),
        };
        let mut curves = [Curve { run, values: vec![Vec::new(); self.watch.len()], ..Curve::default() }];
        Ok(self.execute(execution, &mut context, &mut curves, is_over).then(|| {
            let [curve] = curves;
            curve
        }))
    }

    /// Executes runs as an ensemble. The result is empty if one of them fails or ends before the others, and `None` if
    /// they cannot execute together.
    fn together(
        &self,
        runs: &[u64],
        ready: &Ready,
        known: &mut Option<WorkerState>,
        is_over: &Cancel,
    ) -> Option<Vec<Curve>> {
        let runs: [u64; ensemble::RUNS] = runs.try_into().ok()?;
        // The first run shows whether it pays to prepare the others.
        let Ok(SweepRun { program, context }) = ready(runs[0]) else { return Some(Vec::new()) };
        let known = WorkerState::of(known, &program);
        let (ensemble, execution) = known.ensemble(|| self.ensemble(&program))?;
        let mut contexts = vec![context];
        for &run in &runs[1..] {
            match ready(run) {
                Ok(SweepRun { program: other, context }) if Arc::ptr_eq(&other, &program) => contexts.push(context),
                Ok(_) => return None,
                Err(_) => return Some(Vec::new()),
            }
        }
        let contexts: [Context; ensemble::RUNS] = contexts.try_into().ok()?;
        let mut context = ensemble.context(&program, &contexts);
        let mut curves = runs.map(|run| Curve { run, values: vec![Vec::new(); self.watch.len()], ..Curve::default() });
        let is_done = self.execute(execution, &mut context, &mut curves, is_over);
        match is_done && curves.iter().all(|curve| curve.failure.is_none()) && context.step == self.steps {
            true => Some(curves.into()),
            false => Some(Vec::new()),
        }
    }

    /// Returns an ensemble of the program and its execution; `None` if the runs are executed one by one.
    fn ensemble(&self, program: &Program) -> Option<(Ensemble, Execution)> {
        let ensemble = Ensemble::new(program)?;
        let outputs = self.outputs(program);
        let of_run = |run| {
            let output = |output: &Option<OutputId>| output.map(|output| ensemble.output(program, output, run));
            outputs.iter().map(output).collect()
        };
        let outputs: Vec<Vec<Option<OutputId>>> = (0..ensemble::RUNS).map(of_run).collect();
        let execution = Execution::new(&*self.engine, &ensemble.program, &outputs).ok()?;
        Some((ensemble, execution))
    }

    /// The watched outputs of a program.
    fn outputs(&self, program: &Program) -> Vec<Option<OutputId>> {
        self.watch.iter().map(|key| program.output_of(key)).collect()
    }

    /// Runs a context to its end, which has a curve for each of its runs. Returns false if the sweep was stopped.
    fn execute(
        &self,
        execution: &mut Execution,
        context: &mut Context,
        curves: &mut [Curve],
        is_over: &Cancel,
    ) -> bool {
        execution.samples.clear();
        execution.samples.set_cancel(is_over);
        let mut before = None;
        while context.step < self.steps {
            if is_over.is_cancelled() {
                return false;
            }
            let count = CHUNK.min(self.steps - context.step);
            let ran = execution.execute.run(context, count, &mut execution.samples);
            let end = execution.samples.end();
            let is_last = ran.is_err() || end.is_some() || context.step == self.steps;
            self.note(execution, curves);
            if is_last {
                self.note_last(execution, before.take(), curves);
            }
            let mut failure = ran.err().map(|error: RunError| error.to_string());
            if let Some(Reaction::Pause | Reaction::Stop) = end {
                failure = execution.samples.assertions().last().map(|assertion| assertion.message.clone());
            }
            if is_last {
                curves.iter_mut().for_each(|curve| curve.failure.clone_from(&failure));
                execution.samples.clear();
                break;
            }
            before = execution.last(curves);
            execution.samples.clear();
        }
        true
    }

    /// Keeps the steps that are asked for.
    fn note(&self, execution: &Execution, curves: &mut [Curve]) {
        let Some(every) = self.every else { return };
        let end = execution.end();
        let start = execution.samples.first().checked_next_multiple_of(every.get()).unwrap_or(end);
        for step in (start..end).step_by(usize::try_from(every.get()).unwrap_or(usize::MAX)) {
            execution.keep(step, curves);
        }
    }

    /// Keeps the last step of a run, too. `before` is the last step before the samples, which has it if a run fails in
    /// the first step of a chunk.
    fn note_last(&self, execution: &Execution, before: Option<Vec<Curve>>, curves: &mut [Curve]) {
        let is_noted = |step: &u64| self.every.is_some_and(|every| step.is_multiple_of(every.get()));
        let Some(last) = execution.last(curves).or(before) else { return };
        for (curve, last) in curves.iter_mut().zip(last) {
            if !last.steps.iter().any(is_noted) {
                curve.steps.extend(last.steps);
                curve.values.iter_mut().zip(last.values).for_each(|(all, values)| all.extend(values));
            }
        }
    }
}

/// Makes the run of a number ready.
type Ready<'a> = dyn Fn(u64) -> Result<SweepRun, SweepError> + Sync + 'a;

/// Whether a sweep continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepFlow {
    Continue,
    Stop,
}

/// Steps between two looks at whether the sweep is over.
const CHUNK: u64 = 4096;

/// The state that a worker keeps between runs of a program.
struct WorkerState {
    program: Arc<Program>,
    alone: Option<Execution>,
    /// `Some(None)` if the runs cannot execute together.
    together: Option<Option<(Ensemble, Execution)>>,
}

impl WorkerState {
    /// Returns the state for a program; the state for another program is dropped.
    fn of<'a>(known: &'a mut Option<WorkerState>, program: &Arc<Program>) -> &'a mut WorkerState {
        if known.as_ref().is_some_and(|known| !Arc::ptr_eq(&known.program, program)) {
            *known = None;
        }
        known.get_or_insert_with(|| WorkerState { program: Arc::clone(program), alone: None, together: None })
    }

    fn ensemble(
        &mut self,
        make: impl FnOnce() -> Option<(Ensemble, Execution)>,
    ) -> Option<(&Ensemble, &mut Execution)> {
        let (ensemble, execution) = self.together.get_or_insert_with(make).as_mut()?;
        Some((ensemble, execution))
    }
}

/// A compiled program, and its samples.
struct Execution {
    execute: Box<dyn Execute>,
    samples: Samples,
    /// For each run and watched signal its index among the samples' watches.
    indices: Vec<Vec<Option<usize>>>,
}

impl Execution {
    /// Watches these outputs of each run.
    fn new(
        engine: &dyn Engine,
        program: &Arc<Program>,
        outputs: &[Vec<Option<OutputId>>],
    ) -> Result<Execution, Declined> {
        let alone = engine.on_one_thread();
        let execute = alone.as_deref().unwrap_or(engine).prepare(program)?;
        let mut indices = 0..;
        let mut of_run = |outputs: &Vec<Option<OutputId>>| -> Vec<Option<usize>> {
            outputs.iter().map(|output| output.and_then(|_| indices.next())).collect()
        };
        let indices = outputs.iter().map(&mut of_run).collect();
        let samples = Samples::new(outputs.iter().flatten().flatten().copied());
        Ok(Execution { execute, samples, indices })
    }

    /// The step after the last sample.
    fn end(&self) -> u64 {
        self.samples.first() + self.samples.len() as u64
    }

    /// Returns the last step of the samples as curves like those given; `None` if there are no samples, as where a run
    /// is cancelled in its first step.
    fn last(&self, like: &[Curve]) -> Option<Vec<Curve>> {
        let step = self.end().checked_sub(1).filter(|_| !self.samples.is_empty())?;
        let empty = |curve: &Curve| Curve { values: vec![Vec::new(); curve.values.len()], ..Curve::default() };
        let mut last: Vec<Curve> = like.iter().map(empty).collect();
        self.keep(step, &mut last);
        Some(last)
    }

    /// Adds a step of the samples to the curve of each run.
    fn keep(&self, step: u64, curves: &mut [Curve]) {
        let samples = &self.samples;
        for (curve, indices) in curves.iter_mut().zip(&self.indices) {
            curve.steps.push(step);
            for (values, watch) in curve.values.iter_mut().zip(indices) {
                let Some(watch) = watch.and_then(|index| samples.watches().get(index)) else { continue };
                let width = watch.values.len() / samples.len();
                let begin = (step - samples.first()) as usize * width;
                values.extend_from_slice(watch.values.get(begin..begin + width).unwrap_or_default());
            }
        }
    }
}

//! A sweep on background threads, or on a pool: runs with different parameter values, their curves and bands.

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::PoolProgress;
use super::bands::Bands;
use super::gathering::Gathering;
use super::indices::{IndexSet, RunMeasures};
use crate::block::{Cancel, Registry};
use crate::engine::{Engines, OverrideError, Points, RunSetup, Runs, Sweep, SweepFlow};
use crate::model::{Document, SignalKey, Simulation};
use crate::threads;

/// The input of a sweep on this computer.
pub struct SweepRequest {
    pub runs: Runs,
    pub count: u64,
    pub simulation: Arc<Simulation>,
    pub registry: Arc<Registry>,
    pub engines: Engines,
    /// The signal whose first element is recorded.
    pub signal: SignalKey,
}

/// A sweep, in progress or finished.
pub struct Ensemble {
    news: Receiver<News>,
    end: SweepStop,
    pub runs: Runs,
    pub count: u64,
    /// In order of arrival.
    pub curves: Vec<SweepCurve>,
    pub bands: Bands,
    /// For each of [`SweepMeasure::ALL`](crate::engine::SweepMeasure::ALL) the indices of the parameters, once the sweep is finished.
    pub indices: Vec<IndexSet>,
    pub failures: Failures,
    /// Why the sweep cannot start, or continue.
    pub refused: Option<String>,
    pub is_going_on: bool,
    /// The progress on the pool that computes it.
    pub pool: Option<PoolProgress>,
}

/// The curve of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepCurve {
    pub run: u64,
    /// The values at the times of the bands; fewer if the run ended early.
    pub values: Vec<f64>,
    /// The numbers that the run comes to, of these values.
    pub measures: RunMeasures,
}

/// A message of a sweep to the window.
pub(super) enum News {
    Curves {
        curves: Vec<SweepCurve>,
        failed: Vec<(u64, String)>,
        bands: Option<Bands>,
    },
    /// The end of a sweep whose design has indices.
    Indices(Vec<IndexSet>),
    /// The sweep cannot start, or continue.
    Refused(String),
    /// The runs, and their number, of a sweep that was found in a pool.
    #[cfg_attr(not(feature = "pool"), allow(dead_code, reason = "only pools need it"))]
    Runs(Runs, u64),
    /// Updates the progress on the pool.
    #[cfg_attr(not(feature = "pool"), allow(dead_code, reason = "only pools need it"))]
    Pool(Box<dyn FnOnce(&mut PoolProgress) + Send>),
    Over,
}

/// The failed runs of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failures {
    pub count: usize,
    /// The first of them with what failed, sorted by run.
    pub listed: Vec<(u64, String)>,
}

impl Failures {
    /// The maximum number of failed runs to list.
    pub const LISTED: usize = 200;

    fn add(&mut self, failed: Vec<(u64, String)>) {
        self.count += failed.len();
        self.listed.extend(failed);
        self.listed.sort();
        self.listed.truncate(Failures::LISTED);
    }
}

/// How a sweep on a pool is to end here.
#[derive(Clone, Debug, Default)]
pub(super) struct SweepStop {
    pub stop: Cancel,
    /// The pool is to end it too.
    pub removes: Arc<AtomicBool>,
}

/// The approximate number of points of a curve.
const POINTS: u64 = 400;

impl Ensemble {
    /// Starts a sweep on this computer; `wake` is called when there are new results.
    pub fn begin(request: SweepRequest, wake: impl Fn() + Send + 'static) -> Ensemble {
        let (runs, count) = (request.runs.clone(), request.count);
        let work = move |stop: &SweepStop, sender: &Sender<News>, wake: &dyn Fn()| {
            work(request, &stop.stop, sender, wake);
        };
        Ensemble::start((runs, count), None, work, wake)
    }

    /// Starts a sweep on a thread of its own.
    pub(super) fn start(
        (runs, count): (Runs, u64),
        pool: Option<PoolProgress>,
        work: impl FnOnce(&SweepStop, &Sender<News>, &dyn Fn()) + Send + 'static,
        wake: impl Fn() + Send + 'static,
    ) -> Ensemble {
        let (sender, news) = unbounded();
        let end = SweepStop::default();
        let stop = end.clone();
        // Without a thread there are no results; the receiver gets an error.
        let _ = threads::spawn("runs", move || {
            work(&stop, &sender, &wake);
            // The receiver may be gone.
            let _ = sender.send(News::Over);
            wake();
        });
        Ensemble {
            refused: None,
            news,
            end,
            runs,
            count,
            curves: Vec::new(),
            bands: Bands::default(),
            indices: Vec::new(),
            failures: Failures::default(),
            is_going_on: true,
            pool,
        }
    }

    /// Takes the results that have arrived.
    pub fn poll(&mut self) {
        for news in self.news.try_iter() {
            match news {
                News::Over => self.is_going_on = false,
                News::Indices(indices) => self.indices = indices,
                News::Refused(why) => self.refused = Some(why),
                News::Runs(runs, count) => (self.runs, self.count) = (runs, count),
                News::Pool(change) => {
                    if let Some(pool) = &mut self.pool {
                        change(pool);
                    }
                }
                News::Curves { curves, failed, bands } => {
                    self.curves.extend(curves);
                    self.failures.add(failed);
                    self.bands = bands.unwrap_or_else(|| std::mem::take(&mut self.bands));
                }
            }
        }
    }

    /// Cancels the runs that have not started; a pool forgets the sweep.
    pub fn stop(&self) {
        self.end.removes.store(true, Ordering::Relaxed);
        self.end.stop.cancel();
    }

    /// Lets a pool continue the sweep without this window.
    pub fn leave(&self) {
        self.end.stop.cancel();
    }

    pub fn done(&self) -> usize {
        self.curves.len() + self.failures.count
    }

    /// Returns the index of the curve nearest to a value at a time.
    pub fn nearest(&self, time: f64, value: f64) -> Option<usize> {
        let index = self.bands.times.partition_point(|known| *known < time);
        let after = self.bands.times.get(index).map_or(f64::INFINITY, |known| known - time);
        let before = index.checked_sub(1).and_then(|index| self.bands.times.get(index));
        let index = if before.is_some_and(|known| time - known < after) { index - 1 } else { index };
        let far = |curve: &SweepCurve| {
            let here = curve.values.get(index).copied().filter(|here| here.is_finite());
            here.map_or(f64::INFINITY, |here| (here - value).abs())
        };
        let curves = self.curves.iter().enumerate();
        curves.min_by(|(_, a), (_, b)| far(a).total_cmp(&far(b))).map(|(number, _)| number)
    }
}

impl Drop for Ensemble {
    fn drop(&mut self) {
        self.leave();
    }
}

fn work(request: SweepRequest, stop: &Cancel, sender: &Sender<News>, wake: &dyn Fn()) {
    let SweepRequest { runs, count, simulation, registry, engines, signal } = request;
    let (steps, delta) = (simulation.steps, simulation.delta);
    let points = match points(&runs, &simulation, registry) {
        Ok(points) => points,
        Err(why) => {
            // The receiver may be gone.
            let _ = sender.send(News::Refused(why.to_string()));
            return;
        }
    };
    let Some(engine) = engines.get(Engines::DEFAULT) else { return };
    let every = NonZeroU64::new((steps / POINTS).max(1));
    // One processor is left for the window.
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get().saturating_sub(1)).max(1);
    let workers = NonZeroUsize::new(workers).unwrap_or(NonZeroUsize::MIN);
    let steps_together = Sweep::STEPS_TOGETHER;
    let sweep = Sweep { engine: Arc::clone(engine), steps, watch: vec![signal], every, workers, steps_together };
    let numbers: Vec<u64> = (0..count).collect();
    let ready = |run: u64| points.ready(&runs.values(run));
    let mut gathering = Gathering::new(sender, wake, delta);
    sweep.run(&numbers, &ready, |curve| match gathering.take(curve) {
        SweepFlow::Continue if !stop.is_cancelled() => SweepFlow::Continue,
        _ => SweepFlow::Stop,
    });
    gathering.finish(&runs);
}

/// Why a sweep cannot run.
#[derive(Debug, thiserror::Error)]
enum PointsError {
    #[error("The simulation has no end; set a number of steps first")]
    Endless,
    /// The first of its errors.
    #[error("The simulation does not run: {0}")]
    Invalid(String),
    #[error(transparent)]
    Points(#[from] OverrideError),
}

/// Compiles the model shared by all runs.
fn points(runs: &Runs, simulation: &Arc<Simulation>, registry: Arc<Registry>) -> Result<Points, PointsError> {
    if simulation.steps == 0 {
        return Err(PointsError::Endless);
    }
    let setup = RunSetup::of(&Document::new(Simulation::clone(simulation), registry));
    let program = setup.compile().map_err(|found| {
        let first = found.iter().find(|found| found.is_error()).map(|found| found.message.clone());
        PointsError::Invalid(first.unwrap_or_default())
    })?;
    Ok(Points::new(runs, setup, &Arc::new(program))?)
}

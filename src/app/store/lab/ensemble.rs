//! A sweep on background threads: runs with different parameter values, their curves and quantile bands.

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::block::Registry;
use crate::engine::{Curve, Engines, OverrideError, Points, Runs, Sweep, SweepFlow, compile};
use crate::model::{Document, SignalKey, Simulation};

/// The input of a sweep.
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
    is_over: Arc<AtomicBool>,
    pub runs: Runs,
    pub count: u64,
    pub signal: SignalKey,
    /// In order of arrival.
    pub curves: Vec<SweepCurve>,
    pub bands: Bands,
    /// The number of failed runs, and the first failure.
    pub failed: (usize, Option<String>),
    /// Why the sweep cannot start.
    pub refused: Option<String>,
    pub is_going_on: bool,
}

/// The curve of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepCurve {
    pub run: u64,
    /// The values at the times of the bands; fewer if the run ended early.
    pub values: Vec<f64>,
}

/// The quantiles of the runs over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bands {
    /// Seconds.
    pub times: Vec<f64>,
    /// For each of [`Bands::PARTS`] the quantile at each time; NaN where no run has a value.
    pub values: Vec<Vec<f64>>,
}

impl Bands {
    pub const PARTS: [f64; 7] = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0];

    /// Computes the quantiles with linear interpolation between ranks (R. J. Hyndman, Y. Fan: Sample
    /// quantiles in statistical packages, The American Statistician 50, 1996, definition 7).
    pub fn of(times: Vec<f64>, curves: &[SweepCurve]) -> Bands {
        let mut values = vec![vec![f64::NAN; times.len()]; Bands::PARTS.len()];
        let mut ranked: Vec<f64> = Vec::with_capacity(curves.len());
        for index in 0..times.len() {
            ranked.clear();
            let here = curves.iter().filter_map(|curve| curve.values.get(index));
            ranked.extend(here.copied().filter(|value| value.is_finite()));
            ranked.sort_unstable_by(f64::total_cmp);
            for (band, part) in values.iter_mut().zip(Bands::PARTS) {
                if let Some(to) = band.get_mut(index) {
                    *to = quantile(&ranked, part);
                }
            }
        }
        Bands { times, values }
    }
}

fn quantile(ranked: &[f64], part: f64) -> f64 {
    let at = part * ranked.len().saturating_sub(1) as f64;
    let below = at.floor() as usize;
    match (ranked.get(below), ranked.get(below + 1)) {
        (Some(low), Some(high)) => low + (high - low) * (at - below as f64),
        (Some(last), None) => *last,
        (None, _) => f64::NAN,
    }
}

enum News {
    Curves {
        curves: Vec<SweepCurve>,
        failed: Vec<String>,
        bands: Option<Bands>,
    },
    /// The sweep cannot start.
    Refused(String),
    Over,
}

/// The approximate number of points of a curve, and the interval between updates.
const POINTS: u64 = 400;
const EVERY: Duration = Duration::from_millis(120);

impl Ensemble {
    /// Starts a sweep; `wake` is called when there are new results.
    pub fn begin(request: SweepRequest, wake: impl Fn() + Send + 'static) -> Ensemble {
        let (sender, news) = unbounded();
        let is_over = Arc::new(AtomicBool::new(false));
        let (runs, count, signal) = (request.runs.clone(), request.count, request.signal.clone());
        let stop = Arc::clone(&is_over);
        std::thread::spawn(move || {
            work(request, &stop, &sender, &wake);
            // The receiver may be gone.
            let _ = sender.send(News::Over);
            wake();
        });
        let (curves, failed, refused) = (Vec::new(), (0, None), None);
        Ensemble {
            refused,
            news,
            is_over,
            runs,
            count,
            signal,
            curves,
            bands: Bands::default(),
            failed,
            is_going_on: true,
        }
    }

    /// Takes the results that have arrived.
    pub fn poll(&mut self) {
        for news in self.news.try_iter() {
            match news {
                News::Over => self.is_going_on = false,
                News::Refused(why) => self.refused = Some(why),
                News::Curves { curves, failed, bands } => {
                    self.curves.extend(curves);
                    self.failed.0 += failed.len();
                    self.failed.1 = self.failed.1.take().or_else(|| failed.into_iter().next());
                    self.bands = bands.unwrap_or_else(|| std::mem::take(&mut self.bands));
                }
            }
        }
    }

    /// Cancels the runs that have not started.
    pub fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub fn done(&self) -> usize {
        self.curves.len() + self.failed.0
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
        self.stop();
    }
}

fn work(request: SweepRequest, stop: &AtomicBool, sender: &Sender<News>, wake: &dyn Fn()) {
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
    let mut all: Vec<SweepCurve> = Vec::new();
    let (mut fresh, mut failed, mut times) = (Vec::new(), Vec::new(), Vec::<f64>::new());
    let mut since = Instant::now();
    let tell = |all: &[SweepCurve], times: &[f64], fresh: &mut Vec<SweepCurve>, failed: &mut Vec<String>| {
        let bands = Some(Bands::of(times.to_vec(), all));
        let (curves, failed) = (std::mem::take(fresh), std::mem::take(failed));
        let is_heard = sender.send(News::Curves { curves, failed, bands }).is_ok();
        wake();
        is_heard
    };
    sweep.run(&numbers, &ready, |curve| {
        let Curve { run, steps, values, failure } = curve;
        if steps.len() > times.len() {
            times = steps.iter().map(|step| *step as f64 * delta).collect();
        }
        let width = values.first().map_or(0, |values| values.len().checked_div(steps.len()).unwrap_or(0));
        let element = values.into_iter().next().unwrap_or_default().into_iter().step_by(width.max(1));
        let values: Vec<f64> = element.take(steps.len()).collect();
        match failure {
            Some(failure) if values.is_empty() => failed.push(failure),
            _ => {
                let curve = SweepCurve { run, values };
                all.push(curve.clone());
                fresh.push(curve);
            }
        }
        let mut is_heard = true;
        if since.elapsed() > EVERY {
            is_heard = tell(&all, &times, &mut fresh, &mut failed);
            since = Instant::now();
        }
        if is_heard && !stop.load(Ordering::Relaxed) { SweepFlow::Continue } else { SweepFlow::Stop }
    });
    tell(&all, &times, &mut fresh, &mut failed);
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
    let program = compile(simulation, &registry).map_err(|found| {
        let first = found.iter().find(|found| found.is_error()).map(|found| found.message.clone());
        PointsError::Invalid(first.unwrap_or_default())
    })?;
    let document = Document::new(Simulation::clone(simulation), registry);
    Ok(Points::new(runs, document, Vec::new(), &Arc::new(program))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(run: u64, values: &[f64]) -> SweepCurve {
        SweepCurve { run, values: values.to_vec() }
    }

    /// The first quartile of 1 to 5 is 2, the median 3; that of 1, 2 is interpolated.
    #[test]
    fn bands_lie_where_ranks_say() {
        let curves: Vec<SweepCurve> =
            [3.0, 1.0, 5.0, 2.0, 4.0].iter().zip(0..).map(|(value, run)| curve(run, &[*value])).collect();
        let bands = Bands::of(vec![0.0], &curves);
        let got: Vec<f64> = bands.values.iter().map(|band| band[0]).collect();
        assert_eq!(got, [1.0, 1.2, 2.0, 3.0, 4.0, 4.8, 5.0]);
        let bands = Bands::of(vec![0.0, 1.0], &[curve(0, &[1.0]), curve(1, &[2.0, f64::NAN])]);
        assert_eq!((bands.values[2][0], bands.values[3][0]), (1.25, 1.5));
        assert!(bands.values.iter().all(|band| band[1].is_nan()), "no run has a value there");
    }
}

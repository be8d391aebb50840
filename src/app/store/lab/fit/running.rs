//! A fit on a background thread: its curves while it runs, and its result.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};

use super::experiment::{CurveRuns, FitError, FitInput, SimulatedCurve, text_of};
use crate::block::Cancel;
use crate::calibration::{FitOptions, FitOutcome, FitProgress};
use crate::model::Simulation;
use crate::threads;

/// The least sum so far at an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitSum {
    /// Counts the better points of all starts.
    pub number: u64,
    pub sum: f64,
}

enum News {
    Before(Vec<SimulatedCurve>),
    /// A point that is better than all before, with its curves where they were computed.
    Better(FitProgress, Option<Vec<SimulatedCurve>>),
}

/// The largest number of messages that wait for the window; further curves on the way are left out.
const WAITING: usize = 256;
/// Curves that were computed faster are shown one after the other at this rate, so that the eye can follow.
const SHOWN: Duration = Duration::from_millis(45);
/// Curves that took longer wait this many times as long until the next ones, so that they hardly slow the fit down.
const QUICK: Duration = Duration::from_millis(5);
const PART: u32 = 4;
/// So many curves on the way are shown one after the other; of those after them, the ones that come at `SHOWN`.
const MANY: usize = 40;

/// A fit, in progress or finished.
pub struct RunningFit {
    news: Receiver<News>,
    done: Receiver<Result<FitOutcome, String>>,
    cancel: Cancel,
    pub input: FitInput,
    /// The last state of the document, and whether it gives the same results as that of the fit.
    compared: (Arc<Simulation>, bool),
    /// The curves with the starts of the parameters.
    pub before: Vec<SimulatedCurve>,
    /// The curves with the best values so far.
    pub now: Vec<SimulatedCurve>,
    /// Curves that are still to be shown.
    frames: VecDeque<Vec<SimulatedCurve>>,
    shown: Option<Instant>,
    pub progress: Option<FitProgress>,
    pub sums: Vec<FitSum>,
    pub outcome: Option<Result<FitOutcome, String>>,
    /// It was stopped since the simulation changed.
    pub is_outdated: bool,
}

impl RunningFit {
    /// Starts a fit; `wake` is called when there is something new.
    pub fn begin(input: FitInput, wake: impl Fn() + Send + 'static) -> RunningFit {
        let (sender, news) = bounded(WAITING);
        let (result, done) = bounded(1);
        let cancel = Cancel::new();
        let (stop, job) = (cancel.clone(), input.clone());
        // Without a thread the receivers get an error.
        let _ = threads::spawn("fit", move || {
            let outcome = work(&job, &stop, &sender, &wake).map_err(|error| text_of(&error));
            // The receiver may be gone.
            let _ = result.send(outcome);
            drop((sender, result));
            wake();
        });
        RunningFit {
            news,
            done,
            cancel,
            compared: (Arc::clone(&input.simulation), true),
            input,
            before: Vec::new(),
            now: Vec::new(),
            frames: VecDeque::new(),
            shown: None,
            progress: None,
            sums: Vec::new(),
            outcome: None,
            is_outdated: false,
        }
    }

    pub fn is_going_on(&self) -> bool {
        self.outcome.is_none()
    }

    /// Returns whether curves are still to be shown.
    pub fn is_moving(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Ends the fit, which then has the best values so far.
    pub fn stop(&self) {
        self.cancel.cancel();
    }

    /// Takes the messages of the thread, and shows the next curves.
    pub(super) fn poll(&mut self) {
        for news in self.news.try_iter() {
            match news {
                News::Before(curves) => (self.now, self.before) = (curves.clone(), curves),
                News::Better(progress, curves) => {
                    let number = self.sums.last().map_or(0, |last| last.number + 1);
                    self.sums.push(FitSum { number, sum: progress.sum });
                    self.progress = Some(progress);
                    self.frames.extend(curves);
                }
            }
        }
        if self.outcome.is_none() {
            self.outcome = match self.done.try_recv() {
                Ok(outcome) => Some(outcome),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => Some(Err("The fit has ended without a result".to_owned())),
            };
        }
        if self.shown.is_none_or(|shown| shown.elapsed() >= SHOWN)
            && let Some(curves) = self.frames.pop_front()
        {
            (self.now, self.shown) = (curves, Some(Instant::now()));
        }
    }

    /// Compares the simulation of the fit with the document; a fit in progress ends where results differ.
    pub(super) fn compare(
        &mut self,
        simulation: &Arc<Simulation>,
        is_same: impl Fn(&Arc<Simulation>, &Arc<Simulation>) -> bool,
    ) {
        if !Arc::ptr_eq(&self.compared.0, simulation) {
            self.compared = (Arc::clone(simulation), is_same(&self.input.simulation, simulation));
        }
        if self.is_going_on() && !self.compared.1 && !self.is_outdated {
            self.is_outdated = true;
            self.stop();
        }
    }

    /// Returns whether the document still gives the results of the simulation that was fitted.
    pub fn is_of_document(&self) -> bool {
        self.compared.1
    }
}

impl Drop for RunningFit {
    fn drop(&mut self) {
        self.stop();
    }
}

fn work(input: &FitInput, cancel: &Cancel, sender: &Sender<News>, wake: &dyn Fn()) -> Result<FitOutcome, FitError> {
    let calibration = input.calibration()?;
    let mut frames = Frames { runs: input.curves(&input.params)?, free_at: Instant::now(), count: 0, cancel };
    let first = calibration.initial();
    if let Some(curves) = frames.runs.at(&first, cancel) {
        let _ = sender.try_send(News::Before(curves));
        wake();
    }
    // One processor is left for the window.
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get().saturating_sub(1));
    let workers = NonZeroUsize::new(workers).unwrap_or(NonZeroUsize::MIN);
    let options = FitOptions { workers, ..input.options.clone() };
    let mut best = f64::INFINITY;
    let outcome = calibration.fit(&options, cancel, &mut |progress| {
        if progress.sum < best {
            best = progress.sum;
            let curves = frames.next(&progress.values);
            // Where the channel is full, a point is left out; the result has a channel of its own.
            let _ = sender.try_send(News::Better(progress, curves));
            wake();
        }
    })?;
    let values: Vec<f64> = outcome.params.iter().map(|param| param.value).collect();
    // The last curves are those of the result, even if it was stopped.
    if let Some(curves) = frames.runs.at(&values, &Cancel::new()) {
        let progress = FitProgress { start: 0, iteration: outcome.iterations, values, sum: outcome.after };
        let _ = sender.send_timeout(News::Better(progress, Some(curves)), Duration::from_secs(1));
    }
    Ok(outcome)
}

/// The curves on the way.
struct Frames<'a> {
    runs: CurveRuns,
    /// No curves are computed before.
    free_at: Instant,
    count: usize,
    cancel: &'a Cancel,
}

impl Frames<'_> {
    /// Returns the curves with these values, unless those before took too much of the time.
    fn next(&mut self, values: &[f64]) -> Option<Vec<SimulatedCurve>> {
        let begun = Instant::now();
        if begun < self.free_at {
            return None;
        }
        let curves = self.runs.at(values, self.cancel);
        self.count += 1;
        let took = begun.elapsed();
        let wait = if took > QUICK { took * PART } else { Duration::ZERO };
        self.free_at = Instant::now() + if self.count > MANY { wait.max(SHOWN) } else { wait };
        curves
    }
}

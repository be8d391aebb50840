//! Gathers the curves of a sweep where they come from, and hands them to the window now and then with new bands.

use std::time::{Duration, Instant};

use crossbeam_channel::Sender;

use super::SweepCurve;
use super::bands::Bands;
use super::ensemble::News;
use super::indices::IndexSet;
use crate::engine::{Curve, Runs, SweepFlow, SweepMeasure};

/// The interval between updates.
const EVERY: Duration = Duration::from_millis(120);
/// Bands of many curves take long; updates take at most this part of the time.
const PART: u32 = 4;

/// The curves so far.
pub(super) struct Gathering<'a> {
    news: &'a Sender<News>,
    wake: &'a dyn Fn(),
    /// The step length in seconds.
    delta: f64,
    all: Vec<SweepCurve>,
    fresh: Vec<SweepCurve>,
    failed: Vec<(u64, String)>,
    times: Vec<f64>,
    told: Instant,
    pause: Duration,
}

impl<'a> Gathering<'a> {
    pub fn new(news: &'a Sender<News>, wake: &'a dyn Fn(), delta: f64) -> Gathering<'a> {
        let (all, fresh, failed, times) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Gathering { news, wake, delta, all, fresh, failed, times, told: Instant::now(), pause: EVERY }
    }

    /// Takes a curve; of the signal its first element.
    pub fn take(&mut self, curve: Curve) -> SweepFlow {
        let Curve { run, steps, values, failure } = curve;
        if steps.len() > self.times.len() {
            self.times = steps.iter().map(|step| *step as f64 * self.delta).collect();
        }
        let width = values.first().map_or(0, |values| values.len().checked_div(steps.len()).unwrap_or(0));
        let element = values.into_iter().next().unwrap_or_default().into_iter().step_by(width.max(1));
        let values: Vec<f64> = element.take(steps.len()).collect();
        match failure {
            Some(failure) if values.is_empty() => self.failed.push((run, failure)),
            failure => {
                let measured = |measure: SweepMeasure| match failure {
                    Some(_) => f64::NAN,
                    None => measure.of(values.iter().copied()),
                };
                let measures = SweepMeasure::ALL.map(measured);
                let curve = SweepCurve { run, values, measures };
                self.all.push(curve.clone());
                self.fresh.push(curve);
            }
        }
        if self.told.elapsed() > self.pause { self.tell() } else { SweepFlow::Continue }
    }

    /// Sends the last results and, for designs that have them, the indices of the parameters.
    pub fn finish(&mut self, runs: &Runs) {
        let indices = IndexSet::of(runs, &self.all);
        if self.tell() == SweepFlow::Continue && !indices.is_empty() {
            // The receiver may be gone.
            let _ = self.news.send(News::Indices(indices));
        }
    }

    /// Sends the new results; the sweep stops if the window is gone.
    pub fn tell(&mut self) -> SweepFlow {
        let begin = Instant::now();
        let bands = Some(Bands::of(self.times.clone(), &self.all));
        let (curves, failed) = (std::mem::take(&mut self.fresh), std::mem::take(&mut self.failed));
        let sent = self.news.send(News::Curves { curves, failed, bands });
        (self.wake)();
        self.told = Instant::now();
        self.pause = EVERY.max(begin.elapsed() * PART);
        if sent.is_ok() { SweepFlow::Continue } else { SweepFlow::Stop }
    }
}

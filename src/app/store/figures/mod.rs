//! Computes spectra, histograms and measurements from recorded curves, for plots and tables. They are computed on a
//! separate thread, one after the other, since a curve may be long; the window shows the last result until the next
//! arrives. `prepare` makes the shapes that are drawn.

mod prepare;

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui;

use super::background::{Background, Progress};
use crate::app::doc::plots::Segmentation;
use crate::engine::{Chunk, Column};
use crate::measure::{
    Comparison, CrossSpectrum, Distortion, Histogram, Peak, Periodicity, Scaling, Series, Spectrum, Statistics,
    StepResponse, Tolerance, Window, compare, cross_spectrum, distortion, histogram, peaks, periodicity, spectrogram,
    statistics, step_response, welch,
};

pub use prepare::{PowerMap, RANGE_DB, SpaceCurve, XyCurve};

/// Where a result is shown: a plot by its index, or a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FigureKey {
    Plot(usize),
    Scope(u64),
    Small(usize),
    Measurements,
    Comparison,
}

/// A computation and its input.
#[derive(Clone, Debug)]
pub struct Job {
    pub what: Computation,
    /// Each curve with the step length of its run in seconds.
    pub curves: Vec<(Column, f64)>,
    /// The time range in seconds.
    pub range: (f64, f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Computation {
    Spectra(Segmentation, Scaling),
    /// Each curve but the first against the first.
    Cross(Segmentation),
    Spectrogram(Window),
    Histograms,
    /// Each curve but the first over the first.
    Xy,
    /// Each curve but the first two over those.
    Space,
    Measurements,
    Distortion,
    /// Pairs of curves: each is followed by its reference.
    Compare(Tolerance),
}

/// A result, with one entry per curve.
#[derive(Clone, Debug)]
pub enum Figure {
    Spectra(Vec<Spectrum>),
    Cross(Vec<CrossSpectrum>),
    Spectrogram(Option<Arc<PowerMap>>),
    Histograms(Vec<Option<Histogram>>),
    /// The curves, and the decimation factor of their samples.
    Xy(Vec<XyCurve>, usize),
    Space(Vec<SpaceCurve>, usize),
    Measurements(Vec<Measured>),
    Distortion(Vec<Option<Distortion>>),
    /// Each with the step at which its samples start.
    Compared(Vec<(u64, Comparison)>),
}

/// All measurements on one curve.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    pub statistics: Option<Statistics>,
    pub step: Option<StepResponse>,
    pub periodicity: Option<Periodicity>,
    pub peaks: Vec<Peak>,
}

/// Identifies a job without keeping its input.
pub type Signature = String;

struct Entry {
    signature: Signature,
    is_busy: bool,
    begun: Instant,
    /// Duration of the last computation.
    cost: Duration,
    shown: Option<Arc<Figure>>,
}

/// The computations and their results.
pub struct Figures {
    /// One at a time: the engine needs the processor too.
    running: Option<(FigureKey, Background<Figure>)>,
    waiting: VecDeque<(FigureKey, Job)>,
    entries: HashMap<FigureKey, Entry>,
    ctx: egui::Context,
}

/// Minimum time between the starts of two jobs for a key, in durations of the last one.
const REST: u32 = 4;

/// Maximum number of samples for a spectrum: the latest are used.
pub const MAX_SAMPLES: usize = 1 << 20;
/// Maximum number of samples for distortion, whose fit takes several passes.
const MAX_FITTED: usize = 1 << 17;
/// Samples per segment of a spectrogram; there are roughly as many segments as lines.
const PARTS: std::ops::RangeInclusive<usize> = 32..=4096;

impl Figures {
    pub fn new(ctx: &egui::Context) -> Figures {
        Figures { running: None, waiting: VecDeque::new(), entries: HashMap::new(), ctx: ctx.clone() }
    }

    /// Receives finished results.
    pub fn poll(&mut self) {
        while let Some((key, figure)) = &self.running {
            let (key, progress) = (*key, figure.poll());
            if !self.take(key, progress) {
                return;
            }
        }
    }

    /// Waits until no computation is pending; for tests.
    pub fn wait(&mut self, timeout: Duration) {
        while let Some((key, figure)) = &self.running {
            let (key, progress) = (*key, figure.wait(timeout));
            if !self.take(key, progress) {
                return;
            }
        }
    }

    /// Keeps the result of the running computation and starts the next one; returns whether it has ended.
    fn take(&mut self, key: FigureKey, progress: Progress<Figure>) -> bool {
        let shown = match progress {
            Progress::Busy => return false,
            Progress::Done(figure) => Some(Arc::new(figure)),
            // The last result stays.
            Progress::Lost => None,
        };
        if let Some(entry) = self.entries.get_mut(&key) {
            (entry.shown, entry.is_busy) = (shown.or(entry.shown.take()), false);
            entry.cost = entry.begun.elapsed();
        }
        self.running = None;
        self.start_next();
        true
    }

    fn start_next(&mut self) {
        if self.running.is_none()
            && let Some((key, job)) = self.waiting.pop_front()
        {
            self.running = Some((key, Background::start(&self.ctx, move || compute(&job))));
        }
    }

    /// Returns the latest result for a key. If `signature` differs from that of the last job, a new job starts as soon
    /// as the last is done.
    pub fn get(&mut self, key: FigureKey, signature: Signature, job: impl FnOnce() -> Job) -> Option<Arc<Figure>> {
        let fresh = || Entry {
            signature: Signature::new(),
            is_busy: false,
            begun: Instant::now(),
            cost: Duration::ZERO,
            shown: None,
        };
        let entry = self.entries.entry(key).or_insert_with(fresh);
        if entry.is_busy || entry.signature == signature {
            return entry.shown.clone();
        }
        let rest = (entry.cost * REST).saturating_sub(entry.begun.elapsed());
        if !rest.is_zero() {
            self.ctx.request_repaint_after(rest);
            return entry.shown.clone();
        }
        (entry.signature, entry.is_busy, entry.begun) = (signature, true, Instant::now());
        let shown = entry.shown.clone();
        self.waiting.push_back((key, job()));
        self.start_next();
        shown
    }
}

/// Returns the steps whose times lie in a range of seconds.
pub fn steps_within((from, to): (f64, f64), delta: f64) -> Range<u64> {
    // The range is widened slightly to compensate for rounding.
    let first = (from / delta - 1e-6).ceil().max(0.0) as u64;
    let last = (to / delta + 1e-6).floor();
    first..if last < 0.0 { first } else { (last as u64 + 1).max(first) }
}

fn compute(job: &Job) -> Figure {
    match job.what {
        Computation::Spectra(cut, scaling) => Figure::Spectra(each(job, |values, delta| {
            welch(Series { values: &values, start: 0.0, delta }, &cut.of(values.len()), scaling)
        })),
        Computation::Cross(cut) => cross(job, cut),
        Computation::Spectrogram(window) => {
            let mut all = each(job, |values, delta| (values, delta)).into_iter();
            let first = all.next().and_then(|(values, delta)| {
                let end = job
                    .curves
                    .first()
                    .map_or(0, |(column, _)| steps_within(job.range, delta).end.min(column.steps().end));
                let start = end.saturating_sub(values.len() as u64) as f64 * delta;
                let length = parts_of(values.len());
                spectrogram(Series { values: &values, start, delta }, window, length, (length / 4).max(1))
            });
            Figure::Spectrogram(first.as_ref().and_then(prepare::power_map).map(Arc::new))
        }
        Computation::Histograms => Figure::Histograms(each(job, |values, _| histogram(&values))),
        Computation::Xy => prepare::xy(job),
        Computation::Space => prepare::space(job),
        Computation::Compare(tolerance) => Figure::Compared(
            job.curves.as_chunks::<2>().0.iter().map(|pair| compared(pair, job.range, tolerance)).collect(),
        ),
        Computation::Measurements => {
            Figure::Measurements(job.curves.iter().map(|curve| measure(curve, job.range)).collect())
        }
        Computation::Distortion => Figure::Distortion(each(job, |values, delta| {
            let latest = values.get(values.len().saturating_sub(MAX_FITTED)..).unwrap_or(&[]);
            distortion(Series { values: latest, start: 0.0, delta })
        })),
    }
}

/// Returns a segment length for which there are roughly as many segments as lines.
fn parts_of(count: usize) -> usize {
    let about = (4.0 * (count as f64).sqrt()) as usize;
    about.next_power_of_two().clamp(*PARTS.start(), *PARTS.end())
}

/// Applies `of` to the latest samples of each curve in the range. NaN is replaced by the previous value; leading NaNs
/// are dropped.
fn each<T>(job: &Job, of: impl Fn(Vec<f64>, f64) -> T) -> Vec<T> {
    let curve = |(column, delta): &(Column, f64)| {
        let steps = steps_within(job.range, *delta);
        let end = steps.end.min(column.steps().end);
        let start = steps.start.max(end.saturating_sub(MAX_SAMPLES as u64)).max(column.steps().start);
        let mut values = column.range(start..end.max(start));
        let begun = values.iter().position(|value| value.is_finite()).unwrap_or(values.len());
        values.drain(..begun);
        hold(&mut values);
        of(values, *delta)
    };
    job.curves.iter().map(curve).collect()
}

/// Returns the cross spectrum of the first curve and each other, over their latest common steps.
fn cross(job: &Job, cut: Segmentation) -> Figure {
    let Some(((first, delta), others)) = job.curves.split_first() else { return Figure::Cross(Vec::new()) };
    let seen = steps_within(job.range, *delta);
    let of = |(other, _): &(Column, f64)| {
        let end = seen.end.min(first.steps().end).min(other.steps().end);
        let start = seen.start.max(first.steps().start).max(other.steps().start);
        let steps = start.max(end.saturating_sub(MAX_SAMPLES as u64))..end.max(start);
        let (mut x, mut y) = (first.range(steps.clone()), other.range(steps));
        // Both start where both have values, so that they stay in step.
        let begun = x.iter().zip(&y).position(|(x, y)| x.is_finite() && y.is_finite()).unwrap_or(x.len());
        for values in [&mut x, &mut y] {
            values.drain(..begun.min(values.len()));
            hold(values);
        }
        cross_spectrum(Series { values: &x, start: 0.0, delta: *delta }, &y, &cut.of(x.len()))
    };
    Figure::Cross(others.iter().map(of).collect())
}

/// Replaces values that are not finite by the one before.
fn hold(values: &mut [f64]) {
    let mut last = 0.0;
    for value in values {
        if value.is_finite() {
            last = *value;
        } else {
            *value = last;
        }
    }
}

/// Compares two curves over their common steps; curves of runs with different step lengths are compared by step number.
fn compared(
    [(curve, delta), (reference, _)]: &[(Column, f64); 2],
    range: (f64, f64),
    tolerance: Tolerance,
) -> (u64, Comparison) {
    let seen = steps_within(range, *delta);
    let start = seen.start.max(curve.steps().start).max(reference.steps().start);
    let end = seen.end.min(curve.steps().end).min(reference.steps().end).max(start);
    // In chunks, since both may be long.
    let mut all = compare([], [], tolerance);
    let mut from = start;
    while from < end {
        let to = (from + Chunk::LEN as u64).min(end);
        all = all.followed_by(&compare(curve.range(from..to), reference.range(from..to), tolerance));
        from = to;
    }
    (start, all)
}

fn measure((column, delta): &(Column, f64), range: (f64, f64)) -> Measured {
    let steps = steps_within(range, *delta);
    let steps = steps.start.max(column.steps().start)..steps.end.min(column.steps().end);
    let count = steps.end.saturating_sub(steps.start) as usize;
    if count > MAX_SAMPLES {
        // Measurements that need several passes are left out; the rest is one pass in chunks.
        let mut all: Option<Statistics> = None;
        column.each(steps, |part| {
            all = match (all, statistics(part.iter().copied())) {
                (Some(one), Some(other)) => Some(one.joined(&other)),
                (one, other) => one.or(other),
            };
        });
        return Measured { statistics: all, ..Measured::default() };
    }
    let values = column.range(steps.clone());
    let series = Series { values: &values, start: steps.start as f64 * delta, delta: *delta };
    let statistics = statistics(values.iter().copied());
    let height = statistics.map_or(0.0, |found| found.peak_to_peak() * 0.05);
    Measured {
        statistics,
        step: step_response(series),
        periodicity: periodicity(series),
        peaks: if height > 0.0 { peaks(series, height) } else { Vec::new() },
    }
}

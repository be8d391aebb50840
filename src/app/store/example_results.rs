//! The results of the examples for the welcome page. Each example whose card is in view runs once in a session, on a
//! thread of its own, one after the other; what its first plot shows is kept as a few hundred points. `panels::welcome`
//! draws them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui;

use super::background::{Background, Progress};
use super::examples::EXAMPLES;
use super::{files, report_run};
use crate::app::doc::curve::{Between, points_of};
use crate::app::doc::plots::{PlotKind, PlotList, PlotSpec, Trace};
use crate::app::doc::reader::NameReader;
use crate::app::ui::chart::LineKind;
use crate::block::Registry;
use crate::engine::{Column, Engine, Recording};
use crate::measure::{Series, welch};
use crate::model::Simulation;

/// The results that are known, and the run that computes the next.
#[derive(Default)]
pub struct ExampleResults {
    running: Option<(usize, Background<Option<ExampleResult>>)>,
    /// Examples in view without a result, in the order in which they were asked for in this frame.
    wanted: Vec<usize>,
    known: BTreeMap<usize, Option<Arc<ExampleResult>>>,
}

/// The curves of an example's main plot.
#[derive(Clone, Debug, PartialEq)]
pub struct ExampleResult {
    pub curves: Vec<ResultCurve>,
    /// The least and the greatest value of both axes, which are at 0 and 1.
    pub x: (f64, f64),
    pub y: (f64, f64),
}

/// A curve in a unit square.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultCurve {
    pub points: Vec<ResultPoint>,
    /// The order of its signal in the plot, which is its colour.
    pub color: usize,
    /// 0 for the first element of a vector, towards 1 for the last.
    pub fade: f32,
    pub line: LineKind,
}

/// A point of a curve. All numbers are from 0 to 1; a gap has NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResultPoint {
    /// The part of the run, or of the horizontal axis, after which it is drawn.
    pub part: f32,
    pub x: f32,
    /// Upwards.
    pub y: f32,
}

/// A point before it is scaled: the part of the run, and both values.
type Raw = (f64, f64, f64);

/// The time after which the run of an example ends as it is.
const LONGEST_RUN: Duration = Duration::from_secs(3);
/// The parts of the time axis for which minimum and maximum are kept.
const PARTS: usize = 120;
/// Maximum number of points of a curve over another.
const MAX_POINTS: usize = 1600;
/// Maximum number of curves.
const MAX_CURVES: usize = 20;

impl ExampleResults {
    /// Receives a finished result. The welcome page calls it at the start of each frame in which it is shown.
    pub fn poll(&mut self) {
        self.wanted.clear();
        if let Some((number, work)) = &self.running {
            let progress = work.poll();
            self.take(*number, progress);
        }
    }

    /// Returns the result of an example; without one, asks for it.
    pub fn get(&mut self, number: usize) -> Option<Arc<ExampleResult>> {
        let known = self.known.get(&number);
        if known.is_none() {
            self.wanted.push(number);
        }
        known.cloned().flatten()
    }

    /// Starts the run of the first example that was asked for in this frame, unless another still runs.
    pub fn start_next(&mut self, ctx: &egui::Context, registry: &Arc<Registry>, engine: Option<&Arc<dyn Engine>>) {
        let is_running = self.running.as_ref().map(|(number, _)| *number);
        let next = self.wanted.iter().copied().find(|number| Some(*number) != is_running);
        if let (None, Some(number), Some(engine)) = (is_running, next, engine) {
            let (registry, engine) = (Arc::clone(registry), Arc::clone(engine));
            self.running = Some((number, Background::start(ctx, move || result_of(number, &registry, &*engine))));
        }
    }

    /// Returns whether an example has run, with or without a result.
    pub fn is_known(&self, number: usize) -> bool {
        self.known.contains_key(&number)
    }

    /// Waits for the run that is in progress; for tests.
    pub fn wait(&mut self, timeout: Duration) {
        if let Some((number, work)) = &self.running {
            let progress = work.wait(timeout);
            self.take(*number, progress);
        }
    }

    /// Returns how many examples have a result.
    pub fn count(&self) -> usize {
        self.known.values().flatten().count()
    }

    fn take(&mut self, number: usize, progress: Progress<Option<ExampleResult>>) {
        let result = match progress {
            Progress::Busy => return,
            Progress::Done(result) => result,
            // It is not asked for again.
            Progress::Lost => None,
        };
        self.known.insert(number, result.map(Arc::new));
        self.running = None;
    }
}

/// Runs an example and returns the curves of its main plot: the first with one signal over another, otherwise the first.
/// None if it cannot run.
pub fn result_of(number: usize, registry: &Arc<Registry>, engine: &dyn Engine) -> Option<ExampleResult> {
    let simulation = Arc::new(files::read(EXAMPLES.get(number)?.text).ok()?.simulation);
    let list = PlotList::read(&NameReader::new(&simulation, registry));
    let is_plane = |spec: &&PlotSpec| matches!(spec.kind, PlotKind::Xy | PlotKind::Phase);
    let spec = list.plots.iter().find(is_plane).or_else(|| list.plots.first())?;
    let begun = Instant::now();
    let goes_on = || begun.elapsed() < LONGEST_RUN;
    let signals = spec.signals().cloned().collect();
    let record = report_run::run(&simulation, registry, signals, engine, None, &goes_on).ok()?;
    let raw = match spec.kind {
        PlotKind::Xy | PlotKind::Phase => plane(spec, &record.recording),
        PlotKind::Spectrum => spectra(spec, &record.recording, &simulation),
        _ => over_time(spec, &record.recording, &simulation, record.end()),
    };
    scaled(raw).filter(|result| !result.curves.is_empty())
}

/// A curve whose points are not scaled yet.
struct RawCurve {
    points: Vec<Raw>,
    color: usize,
    fade: f32,
    line: LineKind,
}

/// Returns the visible traces of a plot with their columns.
fn columns<'a>(
    spec: &'a PlotSpec,
    recording: &'a Recording,
) -> impl Iterator<Item = (&'a Trace, usize, f32, &'a Column)> {
    let seen = spec.traces.iter().filter(|trace| !trace.is_hidden).enumerate();
    let each = |(number, trace): (usize, &'a Trace)| {
        let columns = recording.columns(&trace.signal);
        let fade = move |element: usize| element as f32 / columns.len() as f32;
        columns
            .iter()
            .enumerate()
            .map(move |(element, column)| (trace, trace.color.unwrap_or(number), fade(element), column))
    };
    seen.flat_map(each).take(MAX_CURVES)
}

fn over_time(spec: &PlotSpec, recording: &Recording, simulation: &Simulation, end: f64) -> Vec<RawCurve> {
    let curve = |(trace, color, fade, column): (&Trace, usize, f32, &Column)| {
        let between = match trace.line {
            Some(LineKind::Stairs) => Between::Held,
            _ => Between::of(recording, &trace.signal),
        };
        let points = points_of(column, simulation.delta, (0.0, end), PARTS, between);
        let points = points.into_iter().map(|(time, value)| (time / end, time, value)).collect();
        let line = trace.line.filter(|line| *line != LineKind::Stairs).unwrap_or_default();
        RawCurve { points, color, fade, line }
    };
    columns(spec, recording).map(curve).collect()
}

/// Returns each curve over the first; of three dimensions, the last over the first, which is a view from the side.
fn plane(spec: &PlotSpec, recording: &Recording) -> Vec<RawCurve> {
    let mut all = columns(spec, recording);
    let Some((.., first)) = all.next() else { return Vec::new() };
    let mut others: Vec<_> = all.collect();
    if spec.kind == PlotKind::Phase {
        others.drain(..others.len().saturating_sub(1));
    }
    let (x, count) = (first.values(), first.len());
    let every = count.div_ceil(MAX_POINTS).max(1);
    let curve = |(number, (_, _, fade, column)): (usize, (&Trace, usize, f32, &Column))| {
        let pairs = x.iter().zip(column.values()).enumerate().step_by(every);
        let points = pairs.map(|(index, (x, y))| (index as f64 / count as f64, *x, y)).collect();
        RawCurve { points, color: number, fade, line: LineKind::Solid }
    };
    others.into_iter().enumerate().map(curve).collect()
}

fn spectra(spec: &PlotSpec, recording: &Recording, simulation: &Simulation) -> Vec<RawCurve> {
    let curve = |(_, color, fade, column): (&Trace, usize, f32, &Column)| {
        let values = column.values();
        let segments = spec.segmentation().of(values.len());
        let found = welch(Series { values: &values, start: 0.0, delta: simulation.delta }, &segments, spec.scaling);
        let (from, to) = spec.x_range.unwrap_or((0.0, found.step * found.lines.len() as f64));
        let lines = found.lines.iter().enumerate().map(|(number, line)| (number as f64 * found.step, *line));
        let within = lines.filter(|(frequency, _)| (from..=to).contains(frequency));
        let points = within.map(|(frequency, line)| ((frequency - from) / (to - from), frequency, line)).collect();
        RawCurve { points, color, fade, line: LineKind::Solid }
    };
    columns(spec, recording).map(curve).collect()
}

/// Scales curves into the unit square, all alike. None if no point has finite values.
fn scaled(raw: Vec<RawCurve>) -> Option<ExampleResult> {
    let finite = |point: &&Raw| point.1.is_finite() && point.2.is_finite();
    let all = || raw.iter().flat_map(|curve| &curve.points).filter(finite);
    let limits = |of: fn(&Raw) -> f64| {
        let (low, high) = all()
            .map(of)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        // A constant is drawn in the middle.
        let is_constant = high - low <= 1e-12 * high.abs().max(low.abs());
        if is_constant { (low - 1.0, high + 1.0) } else { (low, high) }
    };
    all().next()?;
    let (x, y) = (limits(|point| point.1), limits(|point| point.2));
    let part_of = |value: f64, (low, high): (f64, f64)| ((value - low) / (high - low)) as f32;
    let point = |&(part, at, value): &Raw| ResultPoint {
        part: part as f32,
        x: part_of(at, x),
        y: if value.is_finite() { part_of(value, y) } else { f32::NAN },
    };
    let curve = |curve: &RawCurve| ResultCurve {
        points: curve.points.iter().map(point).collect(),
        color: curve.color,
        fade: curve.fade,
        line: curve.line,
    };
    Some(ExampleResult { curves: raw.iter().map(curve).collect(), x, y })
}

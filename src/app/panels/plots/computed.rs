//! Figures that are computed from the samples on other threads: spectra, histograms, curves over each other.

use std::sync::Arc;

use super::axes::{MARGIN, below, kept_axis, value_axis};
use super::build::{axis_title, common_unit};
use super::curves::{ElementCurve, PlotData};
use super::plot_frame::{Colors, Layer, PlotFrame};
use super::spectra;
use super::view::PlotView;
use crate::app::doc::plots::{PlotKind, PlotSpec};
use crate::app::store::figures::{
    Computation, Figure, FigureKey, Figures, Job, PowerMap, RANGE_DB, XyCurve, steps_within,
};
use crate::app::ui::chart::{Axis, AxisSide, Labels, Scale};
use crate::app::ui::theme::Theme;
use crate::engine::Extent;

/// The resources for building a plot.
pub struct PlotContext<'a> {
    /// The width of the plot in points.
    pub width: usize,
    pub figures: &'a mut Figures,
    pub key: FigureKey,
}

pub fn computed(
    source: &PlotData,
    spec: &PlotSpec,
    view: &PlotView,
    time: Axis,
    curves: &[ElementCurve],
    context: &mut PlotContext,
) -> PlotFrame {
    let what = match spec.kind {
        PlotKind::Spectrum => Computation::Spectra(spec.segmentation(), spec.scaling),
        PlotKind::Cross => Computation::Cross(spec.segmentation()),
        PlotKind::Spectrogram => Computation::Spectrogram(spec.window),
        PlotKind::Histogram => Computation::Histograms,
        PlotKind::Phase => Computation::Space,
        _ => Computation::Xy,
    };
    let own: Vec<&ElementCurve> = curves.iter().filter(|curve| curve.is_own).collect();
    let used: &[&ElementCurve] = if spec.kind == PlotKind::Spectrogram { own.get(..1).unwrap_or(&own) } else { &own };
    let range = (time.low, time.high);
    let signature = signature(&what, used, range);
    let job = || Job { what, curves: used.iter().map(|curve| (curve.column.clone(), curve.delta)).collect(), range };
    let figure = context.figures.get(context.key, signature, job);
    let mut shown = match figure.as_deref() {
        Some(Figure::Spectra(spectra)) => spectra::spectra_of(spec, view, context.width, used, spectra),
        Some(Figure::Cross(found)) => spectra::cross_of(spec, view, context.width, used, found),
        Some(Figure::Histograms(histograms)) => histograms_of(spec, view, used, histograms),
        Some(Figure::Space(curves, every)) => super::space::space_of(source, spec, view, used, curves, *every),
        Some(Figure::Xy(curves, every)) => xy_of(source, spec, view, used, curves, *every),
        Some(Figure::Spectrogram(found)) => spectrogram_of(spec, view, time, source.theme, found.as_ref()),
        _ => nothing(spec, time),
    };
    if shown.note.is_empty() && own.is_empty() && !spec.traces.is_empty() {
        shown.note = "Nothing recorded yet".to_owned();
    }
    shown
}

/// Returns a key that changes when a computed figure becomes outdated.
pub fn signature(what: &Computation, curves: &[&ElementCurve], range: (f64, f64)) -> String {
    let mut text = format!("{what:?} {:x} {:x}", range.0.to_bits(), range.1.to_bits());
    for curve in curves {
        let steps = steps_within(range, curve.delta);
        let known = curve.column.steps();
        // The generation identifies the run's column, including truncations.
        let (from, to) = (steps.start.max(known.start), steps.end.min(known.end));
        text.push_str(&format!(" {}:{from}-{to}", curve.column.generation()));
    }
    text
}

fn nothing(spec: &PlotSpec, time: Axis) -> PlotFrame {
    let x = if spec.kind.is_over_time() { time } else { Axis::new(0.0, 1.0) };
    let (left, note) = (Axis::new(0.0, 1.0), String::new());
    PlotFrame {
        x,
        left,
        right: None,
        labels: Labels::default(),
        layers: Vec::new(),
        note,
        is_square: false,
        space: None,
    }
}

/// Reduces points to the minimum and maximum of each part of the axis, in order.
pub fn thinned(points: impl Iterator<Item = (f64, f64)>, axis: Axis, width: usize) -> Vec<(f64, f64)> {
    /// A part of the axis with its minimum and maximum.
    type Part = (i64, (f64, f64), (f64, f64));
    let mut kept: Vec<(f64, f64)> = Vec::new();
    let mut open: Option<Part> = None;
    let mut close = |part: Option<Part>| {
        if let Some((_, low, high)) = part {
            let (first, second) = if low.0 <= high.0 { (low, high) } else { (high, low) };
            kept.push(first);
            if first != second {
                kept.push(second);
            }
        }
    };
    for point in points {
        let at = axis.part(point.0);
        if !(-0.05..=1.05).contains(&at) {
            continue;
        }
        let part = (at * width as f64) as i64;
        open = match open {
            Some((known, low, high)) if known == part => {
                let low = if point.1 < low.1 { point } else { low };
                Some((part, low, if point.1 > high.1 { point } else { high }))
            }
            before => {
                close(before);
                Some((part, point, point))
            }
        };
    }
    close(open);
    kept
}

fn histograms_of(
    spec: &PlotSpec,
    view: &PlotView,
    curves: &[&ElementCurve],
    histograms: &[Option<crate::measure::Histogram>],
) -> PlotFrame {
    let mut layers = Vec::new();
    let (mut across, mut up) = (Extent::EMPTY, Extent::EMPTY);
    for (curve, found) in curves.iter().zip(histograms) {
        let Some(found) = found else { continue };
        let edge = |bin: usize| found.low + found.width * bin as f64;
        let bars = found.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let bars: Vec<(f64, f64, f64)> = bars.map(|(n, count)| (edge(n), edge(n + 1), *count as f64)).collect();
        across = across.with(found.low).with(edge(found.counts.len()));
        up = bars.iter().fold(up, |up, bar| up.with(bar.2));
        layers.push(Layer::Bars { bars, color: curve.color });
    }
    up.low = if spec.left_is_log { 0.8 } else { 0.0 };
    let x =
        below(view, spec, Scale::Linear).unwrap_or_else(|| Axis::fitted(across.low, across.high, 0.03, Scale::Linear));
    let mut left = value_axis(view.left, spec.left_range, up, spec.left_is_log);
    if view.left.is_none() && spec.left_range.is_none() && !spec.left_is_log {
        left.low = 0.0;
    }
    let labels = Labels { left: "Samples".to_owned(), ..Labels::default() };
    PlotFrame { x, left, right: None, labels, layers, note: String::new(), is_square: false, space: None }
}

fn xy_of(
    source: &PlotData,
    spec: &PlotSpec,
    view: &PlotView,
    curves: &[&ElementCurve],
    paths: &[XyCurve],
    every: usize,
) -> PlotFrame {
    let (mut across, mut up) = (Extent::EMPTY, Extent::EMPTY);
    let mut layers = Vec::new();
    let of_axis = |[all, above]: [Extent; 2], is_log: bool| if is_log { above } else { all };
    for (curve, path) in curves.iter().skip(1).zip(paths) {
        across = across.join(of_axis(path.x, spec.x_is_log));
        up = up.join(of_axis(path.y, spec.left_is_log));
        layers.push(Layer::Curve {
            points: Arc::clone(&path.points),
            side: AxisSide::Left,
            line: curve.line,
            width: curve.width,
            color: curve.color,
        });
    }
    let fitted = || Axis::fitted(across.low, across.high, MARGIN, spec.x_is_log);
    let x = below(view, spec, spec.x_is_log).unwrap_or_else(fitted);
    let (x_title, _) = axis_title(source, curves.iter().take(1).map(|curve| curve.trace));
    let (left_title, unit) = axis_title(source, curves.iter().skip(1).map(|curve| curve.trace));
    let labels = Labels { x: x_title, left: left_title, short: [unit, String::new()], ..Labels::default() };
    let has_one_unit = common_unit(source, curves.iter().map(|curve| &curve.trace.signal)).is_some();
    let is_free = spec.x_range.is_none() && spec.left_range.is_none() && !spec.x_is_log && !spec.left_is_log;
    let note = match (curves.len(), every) {
        (0 | 1, _) => "Add a second curve: it is drawn over the first".to_owned(),
        (_, 1) => String::new(),
        (_, every) => format!("every {every}th sample"),
    };
    PlotFrame {
        x,
        left: value_axis(view.left, spec.left_range, up, spec.left_is_log),
        right: None,
        labels,
        layers,
        note,
        is_square: has_one_unit && is_free && curves.len() > 1,
        space: None,
    }
}

fn spectrogram_of(
    spec: &PlotSpec,
    view: &PlotView,
    time: Axis,
    theme: &Theme,
    found: Option<&Arc<PowerMap>>,
) -> PlotFrame {
    let labels = Labels { x_unit: " s", left: "Frequency, Hz".to_owned(), ..Labels::default() };
    let shown = PlotFrame {
        x: time,
        left: Axis::new(0.0, 1.0),
        right: None,
        labels,
        layers: Vec::new(),
        note: String::new(),
        is_square: false,
        space: None,
    };
    let Some(map) = found else {
        return PlotFrame { note: "A spectrogram needs more samples".to_owned(), ..shown };
    };
    let left = view.left.or_else(|| kept_axis(spec.left_range, Scale::Linear)).unwrap_or(Axis::new(0.0, map.y.1));
    let colors = Colors { map: Arc::clone(map), ground: theme.panel, texture: None };
    let note = format!("{RANGE_DB} dB below the peak");
    PlotFrame { left, layers: vec![Layer::Colors(colors)], note, ..shown }
}

//! Builds a plot's frame from its specification and the recorded samples.

use std::sync::Arc;

use eframe::egui::Color32;

use super::plot_frame::{Colors, Layer, PlotFrame};
use super::view::{PlotView, Seen};
use crate::app::doc::curve::{Between, points_of};
use crate::app::doc::derived::Derived;
use crate::app::doc::plots::{Decibels, PlotKind, PlotList, PlotSpec, Trace};
use crate::app::store::figures::{
    Computation, Figure, FigureKey, Figures, Job, PowerMap, RANGE_DB, XyCurve, steps_within,
};
use crate::app::ui::chart::{Axis, AxisSide, Labels, LineKind, Scale};
use crate::app::ui::theme::Theme;
use crate::app::ui::{numbers, style};
use crate::engine::{Column, Extent, Recording};
use crate::measure::{Scaling, Tolerance, Trigger};
use crate::model::Simulation;

/// The recorded data of plots, with names and colours.
#[derive(Clone, Copy)]
pub struct PlotData<'a> {
    pub simulation: &'a Simulation,
    pub derived: &'a Derived,
    pub list: &'a PlotList,
    pub recording: &'a Recording,
    pub others: &'a [Overlay<'a>],
    /// A tolerance band around the curves of the other runs.
    pub band: Option<Tolerance>,
    /// Seconds at which the time axis ends.
    pub end: f64,
    pub theme: &'a Theme,
}

/// Another run, drawn in the background.
#[derive(Clone, Copy)]
pub struct Overlay<'a> {
    pub name: &'a str,
    pub recording: &'a Recording,
    /// The opacity of its curves, 0 to 1.
    pub strength: f32,
    pub line: LineKind,
    /// The previous run, which is shown automatically.
    pub is_ghost: bool,
}

/// The margin above and below curves, relative to their height.
const MARGIN: f64 = 0.08;

/// The curve of one element of a signal, with its style.
pub struct ElementCurve<'a> {
    pub trace: &'a Trace,
    pub column: &'a Column,
    pub delta: f64,
    pub color: Color32,
    pub line: LineKind,
    pub between: Between,
    pub width: f32,
    /// It belongs to the current run.
    pub is_own: bool,
    pub number: usize,
}

/// The colour of a curve.
pub fn color_of(list: &PlotList, trace: &Trace, theme: &Theme) -> Color32 {
    let index = trace.color.or_else(|| list.color_index(&trace.signal)).unwrap_or(0);
    theme.curves.get(index % theme.curves.len()).copied().unwrap_or(theme.accent)
}

/// Returns the colour of signals that are in no plot.
pub fn pale(theme: &Theme) -> Color32 {
    style::mix(theme.panel, theme.text, 0.4)
}

/// Returns the colours of a signal's elements: its own first, then those unused by other curves, then the rest;
/// further elements get paler colours.
pub fn element_colors(list: &PlotList, trace: &Trace, count: usize, theme: &Theme) -> Vec<Color32> {
    let own = color_of(list, trace, theme);
    if count < 2 {
        return vec![own; count];
    }
    let of_others: Vec<Color32> = list
        .plots
        .iter()
        .flat_map(|plot| &plot.traces)
        .filter(|other| other.signal != trace.signal)
        .map(|other| color_of(list, other, theme))
        .collect();
    let is_taken = |color: &Color32| of_others.contains(color);
    let (free, rest): (Vec<Color32>, Vec<Color32>) =
        theme.curves.iter().copied().filter(|color| *color != own).partition(|color| !is_taken(color));
    let all: Vec<Color32> = std::iter::once(own).chain(free).chain(rest).collect();
    let pale = |number: usize| (number / all.len()).min(3) as f32 * 0.22;
    let color = |number: usize| all.get(number % all.len()).map(|color| style::mix(*color, theme.panel, pale(number)));
    (0..count).filter_map(color).collect()
}

/// Returns all curves of a plot, those of other runs first.
pub fn curves<'a>(source: &PlotData<'a>, spec: &'a PlotSpec) -> Vec<ElementCurve<'a>> {
    let theme = source.theme;
    let mut curves = Vec::new();
    let seen = || spec.traces.iter().filter(|trace| !trace.is_hidden);
    for other in source.others {
        for trace in seen() {
            let columns = other.recording.columns(&trace.signal);
            let colors = element_colors(source.list, trace, columns.len(), theme);
            for (number, (column, color)) in columns.iter().zip(colors).enumerate() {
                let color = style::mix(theme.panel, color, other.strength);
                let (delta, line, between) = (other.recording.delta, other.line, between(trace, other.recording));
                curves.push(ElementCurve {
                    trace,
                    column,
                    delta,
                    color,
                    line,
                    between,
                    width: 1.2,
                    is_own: false,
                    number,
                });
            }
        }
    }
    for trace in seen() {
        let columns = source.recording.columns(&trace.signal);
        let colors = element_colors(source.list, trace, columns.len(), theme);
        for (number, (column, color)) in columns.iter().zip(colors).enumerate() {
            let (delta, line, width) = (source.recording.delta, trace.line.unwrap_or_default(), trace.width);
            let between = between(trace, source.recording);
            curves.push(ElementCurve { trace, column, delta, color, line, between, width, is_own: true, number });
        }
    }
    curves
}

/// Returns the interpolation between samples, unless the user chose a line style.
fn between(trace: &Trace, recording: &Recording) -> Between {
    if trace.line.is_none() { Between::of(recording, &trace.signal) } else { Between::Straight }
}

/// Returns the user's limits of the linked time axis.
pub fn kept_time(list: &PlotList) -> Option<(f64, f64)> {
    list.plots.iter().filter(|plot| plot.kind.is_over_time()).find_map(|plot| plot.x_range)
}

/// Returns the time axis for a visible range and the user's limits.
pub fn time_axis(seen: Seen, end: f64, kept: Option<(f64, f64)>) -> Axis {
    match seen {
        Seen::All => kept_axis(kept, Scale::Linear).unwrap_or(Axis::new(0.0, if end > 0.0 { end } else { 1.0 })),
        Seen::Last(width) => Axis::new((end - width).max(0.0), end.max(width)),
        Seen::Fixed(axis) => axis,
    }
}

/// Returns the time axis moved to the last trigger event.
pub fn triggered(source: &PlotData, spec: &PlotSpec, axis: Axis) -> Option<Axis> {
    let wanted = spec.trigger.as_ref()?;
    let trigger = Trigger { level: wanted.level, edge: wanted.edge };
    let column = source.recording.columns(&wanted.signal).first()?;
    let (delta, width) = (source.recording.delta, axis.width());
    // The trigger is at a quarter of the width, so three quarters must be recorded after it.
    let behind = (0.75 * width / delta).floor() as u64;
    let steps = column.steps();
    let mut end = steps.end.saturating_sub(behind).max(steps.start);
    const PART: u64 = 4096;
    while end > steps.start {
        let start = end.saturating_sub(PART).max(steps.start);
        let extent = column.extent(start..end + 1);
        if trigger.is_within(extent.low, extent.high)
            && let Some(place) = trigger.last(&column.range(start..end + 1))
        {
            let time = (start as f64 + place) * delta;
            return Some(Axis::new(time - 0.25 * width, time + 0.75 * width));
        }
        end = start;
    }
    None
}

/// The resources for building a plot.
pub struct PlotContext<'a> {
    /// The width of the plot in points.
    pub width: usize,
    pub figures: &'a mut Figures,
    pub place: FigureKey,
}

/// Builds the frame of a plot.
pub fn build(source: &PlotData, spec: &PlotSpec, view: &PlotView, time: Axis, context: &mut PlotContext) -> PlotFrame {
    let curves = curves(source, spec);
    let mut shown = match spec.kind {
        PlotKind::Time => over_time(source, spec, view, time, context.width, &curves),
        PlotKind::Digital => digital(source, time, context.width, &curves),
        PlotKind::Xy | PlotKind::Phase | PlotKind::Spectrum | PlotKind::Spectrogram | PlotKind::Histogram => {
            computed(source, spec, view, time, &curves, context)
        }
    };
    let titles = |side: AxisSide| {
        let names: Vec<String> = spec
            .traces
            .iter()
            .filter(|trace| trace.side == side)
            .map(|trace| source.derived.name_of(&trace.signal))
            .collect();
        names.join(", ")
    };
    // With two Y axes the titles tell which curve belongs to which.
    if spec.kind == PlotKind::Time && spec.has_right() {
        (shown.labels.left, shown.labels.right) = (titles(AxisSide::Left), titles(AxisSide::Right));
    }
    shown
}

/// Returns an axis with the user's limits, if valid.
fn kept_axis(kept: Option<(f64, f64)>, scale: impl Into<Scale>) -> Option<Axis> {
    let is_log = scale.into() == Scale::Log;
    kept.filter(|(low, _)| !is_log || *low > 0.0).map(|(low, high)| Axis { low, high, is_log })
}

/// Returns the visible X range, else the user's limits.
fn below(view: &PlotView, spec: &PlotSpec, scale: impl Into<Scale>) -> Option<Axis> {
    let is_log = scale.into() == Scale::Log;
    match view.x {
        Seen::Fixed(axis) if axis.is_log == is_log => Some(axis),
        _ => kept_axis(spec.x_range, is_log),
    }
}

/// Returns a Y axis: the visible range, else the user's limits, else fitted to the values.
fn value_axis(seen: Option<Axis>, kept: Option<(f64, f64)>, extent: Extent, scale: impl Into<Scale>) -> Axis {
    let is_log = scale.into() == Scale::Log;
    match seen.filter(|axis| axis.is_log == is_log).or_else(|| kept_axis(kept, is_log)) {
        Some(axis) => axis,
        None => Axis::fitted(extent.low, extent.high, if is_log { MARGIN / 2.0 } else { MARGIN }, is_log),
    }
}

fn extent_in(curves: &[ElementCurve], time: Axis, side: AxisSide, scale: impl Into<Scale>) -> Extent {
    let is_log = scale.into() == Scale::Log;
    let of_side = curves.iter().filter(|curve| curve.trace.side == side);
    let extent = of_side.fold(Extent::EMPTY, |all, curve| {
        let first = (time.low / curve.delta).floor().max(0.0) as u64;
        let last = (time.high / curve.delta).ceil().max(0.0) as u64 + 1;
        all.join(curve.column.extent(first..last))
    });
    // A logarithmic axis needs values above 0.
    if is_log && extent.low <= 0.0 { Extent { low: extent.high * 1e-6, ..extent } } else { extent }
}

fn over_time(
    source: &PlotData,
    spec: &PlotSpec,
    view: &PlotView,
    time: Axis,
    width: usize,
    curves: &[ElementCurve],
) -> PlotFrame {
    let axis = |side, seen, kept, is_log| value_axis(seen, kept, extent_in(curves, time, side, is_log), is_log);
    let left = axis(AxisSide::Left, view.left, spec.left_range, spec.left_is_log);
    let right = spec.has_right().then(|| axis(AxisSide::Right, view.right, spec.right_range, spec.right_is_log));
    let others = curves.iter().filter(|curve| !curve.is_own && curve.trace.side == AxisSide::Left);
    let mut layers: Vec<Layer> =
        source.band.iter().flat_map(|band| others.clone().map(|curve| band_of(curve, time, width, *band))).collect();
    layers.extend(curves.iter().map(|curve| curve_of(curve, time, width)));
    if let Some(trigger) = &spec.trigger {
        let side = spec.traces.iter().find(|trace| trace.signal == trigger.signal).map_or(AxisSide::Left, |t| t.side);
        layers.push(Layer::Level { y: trigger.level, side, color: source.theme.warning, name: "T".to_owned() });
    }
    let labels = Labels { x_unit: " s", ..Labels::default() };
    PlotFrame { x: time, left, right, labels, layers, note: String::new(), space: None }
}

fn curve_of(curve: &ElementCurve, time: Axis, width: usize) -> Layer {
    let points = points_of(curve.column, curve.delta, (time.low, time.high), width, curve.between);
    Layer::Curve {
        points: points.into(),
        side: curve.trace.side,
        line: curve.line,
        width: curve.width,
        color: curve.color,
    }
}

/// Returns the tolerance band around a curve.
fn band_of(curve: &ElementCurve, time: Axis, width: usize, tolerance: Tolerance) -> Layer {
    // A vertex every few points of the screen is enough.
    let points = points_of(curve.column, curve.delta, (time.low, time.high), (width / 4).max(2), curve.between);
    let edges = points.into_iter().map(|(x, y)| (x, y - tolerance.about(y), y + tolerance.about(y)));
    Layer::Band { edges: edges.collect(), color: curve.color.gamma_multiply(0.22) }
}

/// The part of its row that a digital curve uses.
const LANE: f64 = 0.68;

fn digital(source: &PlotData, time: Axis, width: usize, curves: &[ElementCurve]) -> PlotFrame {
    let own: Vec<&ElementCurve> = curves.iter().filter(|curve| curve.is_own).collect();
    let count = own.len().max(1);
    let mut layers = Vec::new();
    let mut names = Vec::new();
    for (number, curve) in own.iter().enumerate() {
        let floor = (count - 1 - number) as f64 + (1.0 - LANE) / 2.0;
        let extent = curve.column.extent(0..u64::MAX);
        let (low, high) = match extent {
            extent if extent.is_empty() => (0.0, 1.0),
            // A constant signal is high unless it is 0.
            Extent { low, high } if low == high => (low.min(0.0), if high == 0.0 { 1.0 } else { high.max(0.0) }),
            Extent { low, high } => (low, high),
        };
        let points = points_of(curve.column, curve.delta, (time.low, time.high), width, Between::Straight);
        let height = |value: f64| floor + LANE * (value - low) / (high - low);
        let points = points.into_iter().map(|(x, y)| (x, height(y))).collect::<Vec<_>>().into();
        let line = LineKind::Stairs;
        layers.push(Layer::Curve { points, side: AxisSide::Left, line, width: curve.width, color: curve.color });
        let name = source.derived.name_of(&curve.trace.signal);
        let is_vector = source.recording.columns(&curve.trace.signal).len() > 1;
        let name = if is_vector { format!("{name}[{}]", curve.number) } else { name };
        names.push((floor + LANE / 2.0, name));
    }
    let labels = Labels { x_unit: " s", lanes: Some(names), ..Labels::default() };
    PlotFrame {
        x: time,
        left: Axis::new(0.0, count as f64),
        right: None,
        labels,
        layers,
        note: String::new(),
        space: None,
    }
}

fn computed(
    source: &PlotData,
    spec: &PlotSpec,
    view: &PlotView,
    time: Axis,
    curves: &[ElementCurve],
    context: &mut PlotContext,
) -> PlotFrame {
    let what = match spec.kind {
        PlotKind::Spectrum => Computation::Spectra(spec.window, spec.scaling),
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
    let figure = context.figures.get(context.place, signature, job);
    let mut shown = match figure.as_deref() {
        Some(Figure::Spectra(spectra)) => spectra_of(spec, view, context.width, used, spectra),
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
    PlotFrame { x, left, right: None, labels: Labels::default(), layers: Vec::new(), note, space: None }
}

/// Reduces points to the minimum and maximum of each part of the axis, in order.
fn thinned(points: impl Iterator<Item = (f64, f64)>, axis: Axis, width: usize) -> Vec<(f64, f64)> {
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

fn spectra_of(
    spec: &PlotSpec,
    view: &PlotView,
    width: usize,
    curves: &[&ElementCurve],
    spectra: &[crate::measure::Spectrum],
) -> PlotFrame {
    let is_power = spec.scaling == Scaling::Density;
    let height = |line: f64| match spec.decibels {
        Decibels::No => line,
        Decibels::Yes => (if is_power { 10.0 } else { 20.0 }) * line.max(1e-300).log10(),
    };
    let last = spectra.iter().map(|found| found.step * (found.lines.len().max(2) - 1) as f64).fold(0.0, f64::max);
    let first = spectra.iter().map(|found| found.step).fold(f64::INFINITY, f64::min);
    let x = below(view, spec, spec.x_is_log).unwrap_or_else(|| match spec.x_is_log {
        true => Axis { low: first.min(last / 10.0).max(1e-12), high: last.max(1e-9), is_log: true },
        false => Axis::new(0.0, if last > 0.0 { last } else { 1.0 }),
    });
    let is_log = spec.left_is_log && spec.decibels == Decibels::No;
    let mut extent = Extent::EMPTY;
    let mut layers = Vec::new();
    for (curve, found) in curves.iter().zip(spectra) {
        let points = found.lines.iter().enumerate().map(|(n, line)| (n as f64 * found.step, height(*line)));
        let points = thinned(points, x, width);
        for (at, value) in &points {
            if (x.low..=x.high).contains(at) && (!is_log || *value > 0.0) && value.is_finite() {
                extent = extent.with(*value);
            }
        }
        layers.push(Layer::Curve {
            points: points.into(),
            side: AxisSide::Left,
            line: LineKind::Solid,
            width: curve.width,
            color: curve.color,
        });
    }
    // Rounding noise is far below and hidden.
    if spec.decibels == Decibels::Yes {
        extent.low = extent.low.max(extent.high - 160.0);
    } else if is_log {
        extent.low = extent.low.max(extent.high * 1e-8);
    } else {
        extent.low = extent.low.min(0.0);
    }
    let (what, unit) = match spec.scaling {
        Scaling::Amplitude => ("Amplitude", "dB"),
        Scaling::Rms => ("RMS", "dB"),
        Scaling::Density => ("Power density, 1/Hz", "dB/Hz"),
    };
    let left_title = if spec.decibels == Decibels::Yes { format!("{what}, {unit}") } else { what.to_owned() };
    let labels = Labels { x_unit: " Hz", left: left_title, ..Labels::default() };
    let note = match (curves.first(), spectra.first().and_then(|found| found.highest())) {
        (Some(_), Some((frequency, line))) if spectra.len() == 1 => {
            format!("peak {} at {} Hz", numbers::digits(height(line), 4), numbers::digits(frequency, 4))
        }
        _ => String::new(),
    };
    PlotFrame {
        x,
        left: value_axis(view.left, spec.left_range, extent, is_log),
        right: None,
        labels,
        layers,
        note,
        space: None,
    }
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
    PlotFrame { x, left, right: None, labels, layers, note: String::new(), space: None }
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
    let name = |curve: &ElementCurve| source.derived.name_of(&curve.trace.signal);
    let labels = Labels {
        x: curves.first().map(|curve| name(curve)).unwrap_or_default(),
        left: curves.iter().skip(1).map(|curve| name(curve)).collect::<Vec<_>>().join(", "),
        ..Labels::default()
    };
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

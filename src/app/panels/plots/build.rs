//! Builds a plot's frame from its specification and the recorded samples.

use super::axes::{extent_in, value_axis};
use super::computed::{PlotContext, computed};
use super::curves::{ElementCurve, PlotData, curves};
use super::plot_frame::{Layer, PlotFrame};
use super::view::PlotView;
use crate::app::doc::curve::{Between, points_of};
use crate::app::doc::plots::{AxisLabels, PlotKind, PlotSpec, Trace};
use crate::app::ui::chart::{Axis, AxisSide, Labels, LineKind};
use crate::engine::Extent;
use crate::measure::Tolerance;
use crate::model::SignalKey;

/// Builds the frame of a plot.
pub fn build(source: &PlotData, spec: &PlotSpec, view: &PlotView, time: Axis, context: &mut PlotContext) -> PlotFrame {
    let curves = curves(source, spec);
    let mut shown = match spec.kind {
        PlotKind::Time => over_time(source, spec, view, time, context.width, &curves),
        PlotKind::Digital => digital(source, time, context.width, &curves),
        PlotKind::Xy
        | PlotKind::Phase
        | PlotKind::Spectrum
        | PlotKind::Cross
        | PlotKind::Spectrogram
        | PlotKind::Histogram => computed(source, spec, view, time, &curves, context),
    };
    if spec.kind == PlotKind::Time {
        let [left, right] = [AxisSide::Left, AxisSide::Right]
            .map(|side| axis_title(source, spec.traces.iter().filter(|trace| trace.side == side && !trace.is_hidden)));
        (shown.labels.left, shown.labels.short[0]) = left;
        (shown.labels.right, shown.labels.short[1]) = right;
    }
    // The title of a plot with one axis names its quantity, often with the unit.
    if shown.labels.short[0].is_empty() && !spec.has_right() {
        shown.labels.short[0].clone_from(&spec.title);
    }
    let AxisLabels { x, left, right } = &spec.axis_labels;
    let labels = &mut shown.labels;
    let mut automatic = vec![&mut labels.x, &mut labels.left, &mut labels.right];
    if let Some(space) = &mut shown.space {
        automatic = space.names.iter_mut().collect();
    }
    for (automatic, own) in automatic.into_iter().zip([x, left, right]).filter(|(_, own)| !own.is_empty()) {
        automatic.clone_from(own);
    }
    shown
}

/// Returns the title of an axis, the names of its curves with the unit that all of them have, and that unit.
pub fn axis_title<'a>(source: &PlotData, traces: impl Iterator<Item = &'a Trace>) -> (String, String) {
    let signals: Vec<_> = traces.map(|trace| &trace.signal).collect();
    let names: Vec<String> = signals.iter().map(|signal| source.derived.name_of(signal)).collect();
    let unit = common_unit(source, signals.into_iter()).unwrap_or_default().to_owned();
    let names = names.join(", ");
    (if unit.is_empty() { names } else { format!("{names}, {unit}") }, unit)
}

/// Returns the unit that all signals have, if it is known.
pub fn common_unit<'a>(source: &PlotData<'a>, signals: impl Iterator<Item = &'a SignalKey>) -> Option<&'a str> {
    let mut units = signals.map(|signal| source.derived.unit_of(signal));
    let first = units.next()??;
    units.all(|unit| unit == Some(first)).then_some(first)
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
    PlotFrame { x: time, left, right, labels, layers, note: String::new(), is_square: false, space: None }
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
    let points = points_of(curve.column, curve.delta, (time.low, time.high), width, curve.between);
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
        names.push((floor + LANE / 2.0, source.element_name(&curve.trace.signal, curve.number)));
    }
    let labels = Labels { x_unit: " s", rows: Some(names), ..Labels::default() };
    PlotFrame {
        x: time,
        left: Axis::new(0.0, count as f64),
        right: None,
        labels,
        layers,
        note: String::new(),
        is_square: false,
        space: None,
    }
}

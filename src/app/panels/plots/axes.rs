//! The axes of plots: the visible range, else the user's limits, else fitted to the values.

use super::curves::{ElementCurve, PlotData};
use super::view::{PlotView, Seen};
use crate::app::doc::plots::{PlotList, PlotSpec};
use crate::app::ui::chart::{Axis, AxisSide, Scale};
use crate::engine::Extent;
use crate::measure::Trigger;

/// The margin above and below curves, relative to their height.
pub const MARGIN: f64 = 0.08;

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
            && let Some(crossing) = trigger.last(&column.range(start..end + 1))
        {
            let time = (start as f64 + crossing) * delta;
            return Some(Axis::new(time - 0.25 * width, time + 0.75 * width));
        }
        end = start;
    }
    None
}

/// Returns an axis with the user's limits, if valid.
pub fn kept_axis(kept: Option<(f64, f64)>, scale: impl Into<Scale>) -> Option<Axis> {
    let is_log = scale.into() == Scale::Log;
    kept.filter(|(low, _)| !is_log || *low > 0.0).map(|(low, high)| Axis { low, high, is_log })
}

/// Returns the visible X range, else the user's limits.
pub fn below(view: &PlotView, spec: &PlotSpec, scale: impl Into<Scale>) -> Option<Axis> {
    let is_log = scale.into() == Scale::Log;
    match view.x {
        Seen::Fixed(axis) if axis.is_log == is_log => Some(axis),
        _ => kept_axis(spec.x_range, is_log),
    }
}

/// Returns a Y axis: the visible range, else the user's limits, else fitted to the values.
pub fn value_axis(seen: Option<Axis>, kept: Option<(f64, f64)>, extent: Extent, scale: impl Into<Scale>) -> Axis {
    let is_log = scale.into() == Scale::Log;
    match seen.filter(|axis| axis.is_log == is_log).or_else(|| kept_axis(kept, is_log)) {
        Some(axis) => axis,
        None => Axis::fitted(extent.low, extent.high, if is_log { MARGIN / 2.0 } else { MARGIN }, is_log),
    }
}

pub fn extent_in(curves: &[ElementCurve], time: Axis, side: AxisSide, scale: impl Into<Scale>) -> Extent {
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

//! Prepares results for drawing, so that a frame needs no further work: x-y curves with their ranges, and the image of
//! a spectrogram. Axes, theme and rotation are left to the window.

use std::sync::Arc;

use super::{Figure, Job, steps_within};
use crate::engine::{Column, Extent};
use crate::measure::Spectrogram;

/// Maximum number of points of an x-y curve.
const MAX_POINTS: usize = 60_000;
/// Maximum number of cells of a spectrogram, horizontally and vertically.
const CELLS: (usize, usize) = (480, 256);
/// Dynamic range shown below the highest power.
pub const RANGE_DB: f64 = 80.0;

/// A curve plotted over another.
#[derive(Clone, Debug)]
pub struct XyCurve {
    pub points: Arc<[(f64, f64)]>,
    /// Its range: of all values, and of those above 0 for a logarithmic axis.
    pub x: [Extent; 2],
    pub y: [Extent; 2],
}

/// A curve plotted over two others.
#[derive(Clone, Debug)]
pub struct SpaceCurve {
    pub points: Arc<[[f64; 3]]>,
    /// The ranges of the points at which all three curves have values.
    pub extents: [Extent; 3],
}

/// A spectrogram as a grid of cells.
#[derive(Clone, Debug)]
pub struct PowerMap {
    /// Ranges in seconds and Hz.
    pub x: (f64, f64),
    pub y: (f64, f64),
    pub columns: usize,
    pub rows: usize,
    /// Rows from bottom to top: 1 is the highest power, 0 is [`RANGE_DB`] below it or less.
    pub cells: Vec<f32>,
}

/// Returns the decimated values of a job's curves at the steps of the first curve, and the decimation factor.
fn thinned(job: &Job) -> (Vec<Vec<f64>>, usize) {
    let Some((first, delta)) = job.curves.first() else { return (Vec::new(), 1) };
    let steps = steps_within(job.range, *delta);
    let steps = steps.start.max(first.steps().start)..steps.end.min(first.steps().end);
    let count = steps.end.saturating_sub(steps.start) as usize;
    let every = count.div_ceil(MAX_POINTS).max(1);
    let thinned = |column: &Column| {
        let mut kept = Vec::with_capacity(count / every + 1);
        let mut index = 0;
        let lead = column.steps().start.saturating_sub(steps.start).min(count as u64) as usize;
        let mut take = |value: f64| {
            if index % every == 0 {
                kept.push(value);
            }
            index += 1;
        };
        (0..lead).for_each(|_| take(f64::NAN));
        column.each(steps.clone(), |part| part.iter().for_each(|&value| take(value)));
        kept
    };
    (job.curves.iter().map(|(column, _)| thinned(column)).collect(), every)
}

/// Returns each curve but the first over the first.
pub fn xy(job: &Job) -> Figure {
    let (values, every) = thinned(job);
    let Some((x, others)) = values.split_first() else { return Figure::Xy(Vec::new(), 1) };
    let curve = |y: &Vec<f64>| {
        let points: Arc<[(f64, f64)]> = x.iter().copied().zip(y.iter().copied()).collect();
        let mut curve = XyCurve { points: Arc::clone(&points), x: [Extent::EMPTY; 2], y: [Extent::EMPTY; 2] };
        for (x, y) in points.iter().filter(|(x, y)| x.is_finite() && y.is_finite()) {
            for ([all, above], value) in [(&mut curve.x, *x), (&mut curve.y, *y)] {
                *all = all.with(value);
                *above = if value > 0.0 { above.with(value) } else { *above };
            }
        }
        curve
    };
    Figure::Xy(others.iter().map(curve).collect(), every)
}

/// Returns each curve but the first two over those.
pub fn space(job: &Job) -> Figure {
    let (values, every) = thinned(job);
    let [x, y, others @ ..] = &values[..] else { return Figure::Space(Vec::new(), every) };
    let curve = |z: &Vec<f64>| {
        let points: Arc<[[f64; 3]]> = x.iter().zip(y).zip(z).map(|((x, y), z)| [*x, *y, *z]).collect();
        let mut extents = [Extent::EMPTY; 3];
        for point in points.iter().filter(|point| point.iter().all(|value| value.is_finite())) {
            for (extent, value) in extents.iter_mut().zip(point) {
                *extent = extent.with(*value);
            }
        }
        SpaceCurve { points, extents }
    };
    Figure::Space(others.iter().map(curve).collect(), every)
}

/// Returns None if there are no segments.
pub fn power_map(found: &Spectrogram) -> Option<PowerMap> {
    let lines = found.parts.first()?.len().max(2);
    let (columns, rows) = (found.parts.len().min(CELLS.0), (lines - 1).min(CELLS.1));
    // A cell shows the highest power that falls into it.
    let mut cells = vec![0.0_f64; columns * rows];
    for (number, part) in found.parts.iter().enumerate() {
        let column = number * columns / found.parts.len();
        for (line, power) in part.iter().enumerate().skip(1) {
            let row = (line - 1) * rows / (lines - 1);
            if let Some(cell) = cells.get_mut(row * columns + column) {
                *cell = cell.max(*power);
            }
        }
    }
    let highest = cells.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let part = |power: f64| (1.0 + 10.0 * (power.max(1e-300) / highest).log10() / RANGE_DB).clamp(0.0, 1.0);
    let half = found.time_step / 2.0;
    let to = found.start + found.time_step * (found.parts.len() - 1) as f64;
    Some(PowerMap {
        x: (found.start - half, to + half),
        y: (found.frequency_step / 2.0, found.frequency_step * (lines as f64 - 0.5)),
        columns,
        rows,
        cells: cells.into_iter().map(|power| part(power) as f32).collect(),
    })
}

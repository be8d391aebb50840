//! The drawing of a condition: regions that the curve must not enter, lines, and the handles of lines. Without egui.

use crate::measure::{RISE, SETTLING_BAND};
use crate::requirement::{Condition, Figure, Relation, StepLevels, When};

/// An area in time and value; its ends may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForbiddenRegion {
    pub times: (f64, f64),
    pub values: (f64, f64),
}

/// A line, which can be dragged where it has a handle. Its ends may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkEdge {
    pub from: (f64, f64),
    pub to: (f64, f64),
    pub handle: Option<BoundHandle>,
    pub is_dashed: bool,
}

/// The number of a condition that a line shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BoundHandle {
    /// The bound, along the axis of values: it is `(value − zero) / unit`.
    Bound {
        zero: f64,
        unit: f64,
    },
    /// The bound, along the axis of times: the time since this one.
    Time {
        since: f64,
    },
    /// The beginning and the end of the window.
    From,
    To,
}

/// The drawing of a condition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConditionMarks {
    pub regions: Vec<ForbiddenRegion>,
    pub edges: Vec<MarkEdge>,
    /// A reference curve: its source, and the distance that is allowed.
    pub reference: Option<(String, f64)>,
}

const ALWAYS: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
/// The part of the run at its end in which a bound of the last value is drawn.
const LAST: f64 = 0.04;
/// The handle of a plain bound.
const PLAIN: BoundHandle = BoundHandle::Bound { zero: 0.0, unit: 1.0 };

/// Returns the drawing of a condition on a signal whose step response has these levels, in a run of some seconds.
pub fn marks_of(condition: &Condition, levels: Option<StepLevels>, seconds: f64) -> ConditionMarks {
    match condition {
        Condition::Value { relation, bound, when, window, .. } => value_marks(*relation, *bound, *when, *window),
        Condition::Figure { figure, relation, bound, .. } => {
            figure_marks(*figure, *relation, *bound, (levels, seconds)).unwrap_or_default()
        }
        Condition::Follows { source, tolerance, .. } => {
            ConditionMarks { reference: Some((source.clone(), *tolerance)), ..ConditionMarks::default() }
        }
    }
}

/// The values beyond a bound.
fn beyond(is_upper: bool, bound: f64) -> (f64, f64) {
    if is_upper { (bound, f64::INFINITY) } else { (f64::NEG_INFINITY, bound) }
}

fn level(value: f64, times: (f64, f64), handle: Option<BoundHandle>) -> MarkEdge {
    MarkEdge { from: (times.0, value), to: (times.1, value), handle, is_dashed: false }
}

fn moment(time: f64, values: (f64, f64), handle: Option<BoundHandle>) -> MarkEdge {
    MarkEdge { from: (time, values.0), to: (time, values.1), handle, is_dashed: false }
}

fn value_marks(relation: Relation, bound: f64, when: When, window: (f64, f64)) -> ConditionMarks {
    let beyond = beyond(relation.is_upper(), bound);
    let mut marks = ConditionMarks { edges: vec![level(bound, window, Some(PLAIN))], ..ConditionMarks::default() };
    if when == When::Eventually {
        // A goal is no area to keep out of: the line that must be reached, and its window.
        let inside = if relation.is_upper() { (f64::NEG_INFINITY, bound) } else { (bound, f64::INFINITY) };
        marks.edges.iter_mut().for_each(|edge| edge.is_dashed = true);
        for (time, handle) in [(window.0, BoundHandle::From), (window.1, BoundHandle::To)] {
            if time.is_finite() {
                marks.edges.push(MarkEdge { is_dashed: true, ..moment(time, inside, Some(handle)) });
            }
        }
        return marks;
    }
    marks.regions.push(ForbiddenRegion { times: window, values: beyond });
    for (time, handle) in [(window.0, BoundHandle::From), (window.1, BoundHandle::To)] {
        if time.is_finite() {
            marks.edges.push(moment(time, beyond, Some(handle)));
        }
    }
    marks
}

fn figure_marks(
    figure: Figure,
    relation: Relation,
    bound: f64,
    (levels, seconds): (Option<StepLevels>, f64),
) -> Option<ConditionMarks> {
    let is_upper = relation.is_upper();
    let mut marks = ConditionMarks::default();
    match figure {
        Figure::Maximum | Figure::Minimum => {
            // A maximum of at least something is a line to reach.
            let is_region = is_upper == (figure == Figure::Maximum);
            marks.edges.push(MarkEdge { is_dashed: !is_region, ..level(bound, ALWAYS, Some(PLAIN)) });
            if is_region {
                marks.regions.push(ForbiddenRegion { times: ALWAYS, values: beyond(is_upper, bound) });
            }
        }
        Figure::Mean | Figure::Rms => {
            marks.edges.push(MarkEdge { is_dashed: true, ..level(bound, ALWAYS, Some(PLAIN)) });
        }
        Figure::Final => {
            let times = ((1.0 - LAST) * seconds, f64::INFINITY);
            marks.edges.push(level(bound, times, Some(PLAIN)));
            marks.regions.push(ForbiddenRegion { times, values: beyond(is_upper, bound) });
        }
        Figure::PeakToPeak | Figure::AbsoluteArea => {}
        Figure::Overshoot => {
            let StepLevels { begin, rest, .. } = levels?;
            let unit = (rest - begin) / 100.0;
            let value = rest + bound * unit;
            let handle = BoundHandle::Bound { zero: rest, unit };
            marks.edges.push(MarkEdge { is_dashed: !is_upper, ..level(value, ALWAYS, Some(handle)) });
            marks.edges.push(MarkEdge { is_dashed: true, ..level(rest, ALWAYS, None) });
            if is_upper {
                marks.regions.push(ForbiddenRegion { times: ALWAYS, values: beyond(unit > 0.0, value) });
            }
        }
        Figure::RiseTime => {
            let StepLevels { begin, rest, rises_at } = levels?;
            let [low, high] = RISE.map(|part| begin + part * (rest - begin));
            let until = rises_at + bound;
            let handle = BoundHandle::Time { since: rises_at };
            let values = if rest > begin { (f64::NEG_INFINITY, high) } else { (high, f64::INFINITY) };
            marks.edges.push(MarkEdge { is_dashed: !is_upper, ..moment(until, values, Some(handle)) });
            marks.edges.push(MarkEdge { is_dashed: true, ..level(low, (f64::NEG_INFINITY, until), None) });
            marks.edges.push(MarkEdge { is_dashed: true, ..level(high, ALWAYS, None) });
            if is_upper {
                marks.regions.push(ForbiddenRegion { times: (until, f64::INFINITY), values });
            }
        }
        Figure::SettlingTime => {
            let StepLevels { begin, rest, .. } = levels?;
            let band = SETTLING_BAND * (rest - begin).abs();
            let times = (bound, f64::INFINITY);
            marks.edges.push(MarkEdge {
                is_dashed: !is_upper,
                ..moment(bound, ALWAYS, Some(BoundHandle::Time { since: 0.0 }))
            });
            for (is_above, value) in [(true, rest + band), (false, rest - band)] {
                marks.edges.push(level(value, times, None));
                if is_upper {
                    marks.regions.push(ForbiddenRegion { times, values: beyond(is_above, value) });
                }
            }
        }
    }
    Some(marks)
}

impl BoundHandle {
    /// Whether it is dragged along the axis of times.
    pub fn is_along_time(self) -> bool {
        !matches!(self, BoundHandle::Bound { .. })
    }

    /// Returns the number of the condition at a position on its axis; `pixel` is how much of the axis a point of the screen
    /// has.
    pub fn number_at(self, at: f64, pixel: f64) -> f64 {
        let (number, pixel) = match self {
            BoundHandle::Bound { zero, unit } => ((at - zero) / unit, pixel / unit.abs()),
            BoundHandle::Time { since } => ((at - since).max(0.0), pixel),
            BoundHandle::From | BoundHandle::To => (at.max(0.0), pixel),
        };
        rounded(number, pixel)
    }

    /// Sets the number of a condition.
    pub fn set(self, condition: &mut Condition, number: f64) {
        match (self, condition) {
            (BoundHandle::From, Condition::Value { window, .. }) => window.0 = number.min(window.1),
            (BoundHandle::To, Condition::Value { window, .. }) => window.1 = number.max(window.0),
            (BoundHandle::From | BoundHandle::To, _) | (_, Condition::Follows { .. }) => {}
            (_, Condition::Value { bound, .. } | Condition::Figure { bound, .. }) => *bound = number,
        }
    }
}

/// Returns the nearest multiple of 1, 2 or 5 times a power of ten, the least of these steps that is not below a pixel.
fn rounded(number: f64, pixel: f64) -> f64 {
    let least = pixel * (1.0 - 1e-9);
    let power = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|step| *step >= least);
    match step {
        // A step below 1 is divided by, which gives the nearest decimal; no -0.
        Some(step) if step < 1.0 && step > 0.0 => (number / step).round() / (1.0 / step).round() + 0.0,
        Some(step) if step.is_finite() && step > 0.0 => (number / step).round() * step.round() + 0.0,
        _ => number,
    }
}

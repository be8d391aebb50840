//! The kinds of requirements in the list, and the conditions that they are.

use crate::requirement::{Condition, Figure, Relation, When};

/// A kind of requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequirementKind {
    Upper,
    Lower,
    Rises,
    Falls,
    Figure(Figure),
    Reference,
}

/// A kind with its name and its tooltip.
pub struct KindRow {
    pub kind: RequirementKind,
    pub name: &'static str,
    pub about: &'static str,
}

const fn row(kind: RequirementKind, name: &'static str, about: &'static str) -> KindRow {
    KindRow { kind, name, about }
}

/// All kinds, in the order of the list.
pub const KINDS: [KindRow; 15] = [
    row(RequirementKind::Upper, "Upper bound", "The signal stays below a bound, always or in a window of time"),
    row(RequirementKind::Lower, "Lower bound", "The signal stays above a bound, always or in a window of time"),
    row(RequirementKind::Rises, "Reaches", "The signal is at or above a bound at least once in a window of time"),
    row(RequirementKind::Falls, "Falls to", "The signal is at or below a bound at least once in a window of time"),
    row(RequirementKind::Figure(Figure::Overshoot), "Overshoot", "Of the step response, in percent of the step"),
    row(RequirementKind::Figure(Figure::RiseTime), "Rise time", "Of the step response, from 10 % to 90 % of the step"),
    row(
        RequirementKind::Figure(Figure::SettlingTime),
        "Settling time",
        "Until the step response stays within 2 % of the step around its last values",
    ),
    row(RequirementKind::Figure(Figure::Final), "Final value", "The last value of the run"),
    row(RequirementKind::Figure(Figure::Maximum), "Maximum", "The largest value of the run"),
    row(RequirementKind::Figure(Figure::Minimum), "Minimum", "The smallest value of the run"),
    row(RequirementKind::Figure(Figure::Mean), "Mean", "The mean of all values"),
    row(RequirementKind::Figure(Figure::Rms), "RMS", "The root mean square of all values"),
    row(RequirementKind::Figure(Figure::PeakToPeak), "Peak-to-peak", "The maximum less the minimum"),
    row(RequirementKind::Figure(Figure::AbsoluteArea), "Absolute area", "The integral of the absolute value over time"),
    row(
        RequirementKind::Reference,
        "Reference curve",
        "The signal stays close to a column of a data file in the folder of the simulation",
    ),
];

/// Returns the name of a figure in the window.
pub fn figure_name(figure: Figure) -> &'static str {
    let kind = RequirementKind::Figure(figure);
    KINDS.iter().find(|row| row.kind == kind).map_or(figure.name(), |row| row.name)
}

/// The unit of the bound of a condition.
pub fn unit_of(condition: &Condition) -> &'static str {
    match condition {
        Condition::Figure { figure: Figure::Overshoot, .. } => "%",
        Condition::Figure { figure: Figure::RiseTime | Figure::SettlingTime, .. } => "s",
        _ => "",
    }
}

/// The default overshoot, in percent, and times, as parts of the run.
const OVERSHOOT: f64 = 5.0;
const RISE: f64 = 0.1;
const SETTLING: f64 = 0.5;
/// The default distance from a reference curve.
const TOLERANCE: f64 = 0.1;

/// The source of the numbers of new requirements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Defaults {
    /// The length of a run, in seconds.
    pub seconds: f64,
    /// The range of the signal, and its last value.
    pub low: f64,
    pub high: f64,
    pub last: f64,
}

impl RequirementKind {
    pub fn of(condition: &Condition) -> RequirementKind {
        match condition {
            Condition::Value { relation, when: When::Always, .. } if relation.is_upper() => RequirementKind::Upper,
            Condition::Value { when: When::Always, .. } => RequirementKind::Lower,
            Condition::Value { relation, .. } if relation.is_upper() => RequirementKind::Falls,
            Condition::Value { .. } => RequirementKind::Rises,
            Condition::Figure { figure, .. } => RequirementKind::Figure(*figure),
            Condition::Follows { .. } => RequirementKind::Reference,
        }
    }

    pub fn name(self) -> &'static str {
        KINDS.iter().find(|row| row.kind == self).map_or("", |row| row.name)
    }

    /// Returns a condition of this kind on a signal, with numbers that suit it.
    pub fn condition(self, signal: &str, defaults: &Defaults) -> Condition {
        let Defaults { seconds, low, high, last } = *defaults;
        let signal = signal.to_owned();
        let always = (f64::NEG_INFINITY, f64::INFINITY);
        let value = |relation, bound: f64, when| Condition::Value {
            signal: signal.clone(),
            relation,
            bound: short(bound),
            when,
            window: always,
        };
        let figure = |figure, relation, bound: f64| Condition::Figure {
            figure,
            signal: signal.clone(),
            relation,
            bound: short(bound),
        };
        let at_most = Relation::AtMost;
        match self {
            RequirementKind::Upper => value(at_most, high, When::Always),
            RequirementKind::Lower => value(Relation::AtLeast, low, When::Always),
            RequirementKind::Rises => value(Relation::AtLeast, high, When::Eventually),
            RequirementKind::Falls => value(at_most, low, When::Eventually),
            RequirementKind::Figure(of @ Figure::Overshoot) => figure(of, at_most, OVERSHOOT),
            RequirementKind::Figure(of @ Figure::RiseTime) => figure(of, at_most, RISE * seconds),
            RequirementKind::Figure(of @ Figure::SettlingTime) => figure(of, at_most, SETTLING * seconds),
            RequirementKind::Figure(of @ Figure::Minimum) => figure(of, Relation::AtLeast, low),
            RequirementKind::Figure(of @ Figure::PeakToPeak) => figure(of, at_most, high - low),
            RequirementKind::Figure(of @ Figure::AbsoluteArea) => {
                figure(of, at_most, seconds * high.abs().max(low.abs()))
            }
            RequirementKind::Figure(of @ (Figure::Mean | Figure::Final)) => figure(of, at_most, last),
            RequirementKind::Figure(of) => figure(of, at_most, high),
            RequirementKind::Reference => {
                Condition::Follows { signal, source: "reference.csv".to_owned(), tolerance: TOLERANCE }
            }
        }
    }
}

/// Returns a number with few digits; 0 if it is none.
fn short(value: f64) -> f64 {
    if value.is_finite() { format!("{value:.2e}").parse().unwrap_or(value) } else { 0.0 }
}

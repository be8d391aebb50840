//! Requirements as users write them.
//!
//! ```text
//! speed < 120                          at all times
//! speed < 120 from 0 to 20             at all times of a window, in seconds
//! eventually speed >= 100 to 30        at one time at least
//! overshoot of y < 5                   a figure of the whole run
//! y follows step.csv:y within 0.05     a reference curve
//! eventually w > 3000 to 30 or v < 35 to 4
//! ```

use std::fmt;

use super::Figure;
use crate::block::{number_text, parse_number};

/// A requirement on a run, which must meet at least one of the conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// As the user wrote it.
    pub text: String,
    /// One, or several that are joined by “or”.
    pub any: Vec<Condition>,
}

/// A condition on a signal. A vector must meet it with each of its elements.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// The values at all times of a window, or at one of them.
    Value { signal: String, relation: Relation, bound: f64, when: When, window: (f64, f64) },
    /// A figure of the whole run.
    Figure { figure: Figure, signal: String, relation: Relation, bound: f64 },
    /// The distance from a reference curve, at the times that it has. The source is for the caller to read.
    Follows { signal: String, source: String, tolerance: f64 },
}

/// When a condition must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Always,
    Eventually,
}

/// How a value compares with its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Below,
    AtMost,
    Above,
    AtLeast,
}

impl Relation {
    /// Whether the bound is an upper one.
    pub fn is_upper(self) -> bool {
        matches!(self, Relation::Below | Relation::AtMost)
    }

    /// Returns how far a value is from a violation, below 0 where it is one.
    pub fn margin(self, value: f64, bound: f64) -> f64 {
        if self.is_upper() { bound - value } else { value - bound }
    }

    /// Returns the derivative of the margin by the value.
    pub fn slope(self) -> f64 {
        if self.is_upper() { -1.0 } else { 1.0 }
    }

    /// As users write it.
    pub fn sign(self) -> &'static str {
        match self {
            Relation::Below => "<",
            Relation::AtMost => "<=",
            Relation::Above => ">",
            Relation::AtLeast => ">=",
        }
    }

    /// Whether a value with this margin holds.
    pub fn holds(self, margin: f64) -> bool {
        match self {
            Relation::Below | Relation::Above => margin > 0.0,
            Relation::AtMost | Relation::AtLeast => margin >= 0.0,
        }
    }
}

/// Why a text is no requirement.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RequirementTextError {
    #[error(
        "{0}: expected SIGNAL < NUMBER [from T] [to T], FIGURE of SIGNAL < NUMBER, or SIGNAL follows FILE:COLUMN within NUMBER"
    )]
    Malformed(String),
    #[error("{0}: “{1}” is no figure; there are {list}", list = figures())]
    Figure(String, String),
    #[error("{0}: the window must end after its beginning")]
    Window(String),
    #[error("{0}: expected FIGURE of SIGNAL; figures are {list}", list = figures())]
    Objective(String),
}

fn figures() -> String {
    Figure::ALL.map(Figure::name).join(", ")
}

impl fmt::Display for Requirement {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(&self.text)
    }
}

/// The text that [`Requirement::parse`] reads.
impl fmt::Display for Condition {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Condition::Value { signal, relation, bound, when, window } => {
                let when = if *when == When::Eventually { "eventually " } else { "" };
                write!(to, "{when}{signal} {} {}", relation.sign(), number_text(*bound))?;
                for (word, time) in [("from", window.0), ("to", window.1)] {
                    if time.is_finite() {
                        write!(to, " {word} {}", number_text(time))?;
                    }
                }
                Ok(())
            }
            Condition::Figure { figure, signal, relation, bound } => {
                write!(to, "{} of {signal} {} {}", figure.name(), relation.sign(), number_text(*bound))
            }
            Condition::Follows { signal, source, tolerance } => {
                write!(to, "{signal} follows {source} within {}", number_text(*tolerance))
            }
        }
    }
}

/// Splits the source of a reference curve into the path of its file and the column, if it names one. A path may have a colon;
/// the last one is before the column.
pub fn reference_parts(source: &str, is_file: impl FnOnce(&str) -> bool) -> (&str, Option<&str>) {
    match source.rsplit_once(':') {
        Some((path, column)) if !is_file(source) => (path, Some(column.trim())),
        _ => (source, None),
    }
}

impl Condition {
    /// The signal that it is about.
    pub fn signal(&self) -> &str {
        match self {
            Condition::Value { signal, .. } | Condition::Figure { signal, .. } | Condition::Follows { signal, .. } => {
                signal
            }
        }
    }

    /// Makes it about another signal.
    pub fn set_signal(&mut self, name: &str) {
        match self {
            Condition::Value { signal, .. } | Condition::Figure { signal, .. } | Condition::Follows { signal, .. } => {
                name.clone_into(signal);
            }
        }
    }
}

impl Requirement {
    /// Parses a requirement.
    ///
    /// # Errors
    /// If the text is malformed.
    pub fn parse(text: &str) -> Result<Requirement, RequirementTextError> {
        let any = text.split(" or ").map(|part| condition(part.trim())).collect::<Result<Vec<_>, _>>()?;
        Ok(Requirement { text: text.trim().to_owned(), any })
    }
}

/// Parses `FIGURE of SIGNAL`.
///
/// # Errors
/// If the text is malformed.
pub fn parse_figure(text: &str) -> Result<(Figure, String), RequirementTextError> {
    let malformed = || RequirementTextError::Objective(text.to_owned());
    let (figure, signal) = text.trim().split_once(" of ").ok_or_else(malformed)?;
    let figure = Figure::parse(figure.trim()).ok_or_else(malformed)?;
    Ok((figure, signal.trim().to_owned()))
}

/// Longer ones first.
const RELATIONS: [(&str, Relation); 6] = [
    ("<=", Relation::AtMost),
    ("≤", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("≥", Relation::AtLeast),
    ("<", Relation::Below),
    (">", Relation::Above),
];

fn condition(text: &str) -> Result<Condition, RequirementTextError> {
    let malformed = || RequirementTextError::Malformed(text.to_owned());
    let number = |part: &str| parse_number(part.trim()).ok().filter(|number| number.is_finite()).ok_or_else(malformed);
    if let Some((signal, rest)) = text.split_once(" follows ") {
        let (source, tolerance) = rest.rsplit_once(" within ").ok_or_else(malformed)?;
        let (signal, source) = (signal.trim().to_owned(), source.trim().to_owned());
        return Ok(Condition::Follows { signal, source, tolerance: number(tolerance)? });
    }
    // A signal may have such signs in its name, and the bound has none.
    let found = RELATIONS.iter().filter_map(|(sign, relation)| Some((text.rfind(sign)?, sign.len(), *relation)));
    let (at, length, relation) = found.max_by_key(|(at, length, _)| (at + length, *length)).ok_or_else(malformed)?;
    let (Some(left), Some(right)) = (text.get(..at), text.get(at + length..)) else { return Err(malformed()) };
    let (bound, window) = window(right, &number).ok_or_else(malformed)??;
    if window.0 > window.1 {
        return Err(RequirementTextError::Window(text.to_owned()));
    }
    let left = left.trim();
    if let Some((figure, signal)) = left.split_once(" of ") {
        let figure = Figure::parse(figure.trim())
            .ok_or_else(|| RequirementTextError::Figure(text.to_owned(), figure.trim().to_owned()))?;
        let is_whole = window == (f64::NEG_INFINITY, f64::INFINITY);
        let signal = signal.trim().to_owned();
        return match is_whole {
            true => Ok(Condition::Figure { figure, signal, relation, bound }),
            false => Err(malformed()),
        };
    }
    let (when, signal) = match (left.strip_prefix("eventually "), left.strip_prefix("always ")) {
        (Some(signal), _) => (When::Eventually, signal),
        (_, Some(signal)) => (When::Always, signal),
        _ => (When::Always, left),
    };
    if signal.trim().is_empty() {
        return Err(malformed());
    }
    Ok(Condition::Value { signal: signal.trim().to_owned(), relation, bound, when, window })
}

type Parsed<T> = Result<T, RequirementTextError>;

/// Parses `NUMBER [from T] [to T]`; `None` if it has another form.
fn window(text: &str, number: &dyn Fn(&str) -> Parsed<f64>) -> Option<Parsed<(f64, (f64, f64))>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (bound, from, to) = match words[..] {
        [bound] => (bound, None, None),
        [bound, "from", from] => (bound, Some(from), None),
        [bound, "to", to] => (bound, None, Some(to)),
        [bound, "from", from, "to", to] => (bound, Some(from), Some(to)),
        _ => return None,
    };
    let time = |text: Option<&str>, otherwise: f64| text.map_or(Ok(otherwise), number);
    let all = || Ok((number(bound)?, (time(from, f64::NEG_INFINITY)?, time(to, f64::INFINITY)?)));
    Some(all())
}

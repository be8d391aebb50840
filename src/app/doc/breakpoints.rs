//! Breakpoints of the document: the wire's attribute `view:break` holds the condition as text.
//!
//! A wire's breakpoint applies to all instances of its model.

use std::sync::Arc;

use super::plots::name_of;
use super::typed;
use crate::engine::{Breakpoint, Condition};
use crate::model::{BlockId, Change, Connection, Edit, Simulation};

/// The attribute of a connection.
pub const ATTRIBUTE: &str = Connection::BREAKPOINT;
/// The prefix of a disabled condition.
const OFF: &str = "off ";

/// A breakpoint of a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct OnWire {
    pub condition: Condition,
    pub is_on: bool,
}

impl OnWire {
    /// Parses `> 5`, `< 5`, `crosses 5`, `changes`, `not finite`, optionally after `off`.
    pub fn parse(text: &str) -> Option<OnWire> {
        let text = text.trim();
        let (is_on, text) = match text.strip_prefix(OFF) {
            Some(rest) => (false, rest.trim()),
            None => (true, text),
        };
        let number = |text: &str| text.trim().parse::<f64>().ok().or_else(|| typed::number(text));
        let limit = |word: &str| text.strip_prefix(word).and_then(number);
        let condition = match text {
            "changes" => Condition::Changes,
            "not finite" => Condition::NonFinite,
            _ => limit(">")
                .map(Condition::Above)
                .or_else(|| limit("<").map(Condition::Below))
                .or_else(|| limit("crosses").map(Condition::Crosses))?,
        };
        Some(OnWire { condition, is_on })
    }

    /// Returns the text that [`OnWire::parse`] reads.
    pub fn text(&self) -> String {
        let off = if self.is_on { "" } else { OFF };
        format!("{off}{}", condition_text(self.condition))
    }
}

fn condition_text(condition: Condition) -> String {
    match condition {
        Condition::Above(limit) => format!("> {limit}"),
        Condition::Below(limit) => format!("< {limit}"),
        Condition::Crosses(limit) => format!("crosses {limit}"),
        Condition::Changes => "changes".to_owned(),
        Condition::NonFinite => "not finite".to_owned(),
    }
}

/// Returns the edit that sets or removes a wire's breakpoint.
pub fn set(model: &Arc<str>, (to, input): (BlockId, &Arc<str>), on: Option<&OnWire>) -> Change {
    let label = match on {
        Some(on) if on.is_on => "Set breakpoint",
        Some(_) => "Disable breakpoint",
        None => "Remove breakpoint",
    };
    let value = on.map(|on| Arc::from(on.text()));
    let (model, input) = (Arc::clone(model), Arc::clone(input));
    Change::one(label, Edit::SetConnectionAttribute { model, to, input, name: ATTRIBUTE.into(), value })
}

/// `Motor speed > 5`, `line 3 of Controller`.
pub fn text_of(simulation: &Simulation, breakpoint: &Breakpoint) -> String {
    match breakpoint {
        Breakpoint::Signal { signal, condition } => {
            format!("{} {}", name_of(simulation, signal), condition_text(*condition))
        }
        Breakpoint::Line { block, line, .. } => {
            let title = block.find(simulation).map_or("?", |block| block.title());
            format!("line {line} of {title}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breakpoint_is_read_as_it_is_written() {
        for text in ["> 5", "off < -0.5", "crosses 1e300", "changes", "off not finite"] {
            let on = OnWire::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(OnWire::parse(&on.text()), Some(on), "{text}");
        }
        for text in ["", "5", "> much", "off", "crosses"] {
            assert_eq!(OnWire::parse(text), None, "{text}");
        }
    }
}

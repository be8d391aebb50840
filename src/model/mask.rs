//! The mask of a model: how its variables appear as block parameters, and which values they accept.
//!
//! The mask is defined by attributes of the variable: `label`, `unit`, `doc`, `min`, `max`, and `choices`, a list of
//! values separated by `|`, each with an optional label: `off=0|slow=1|fast=2.5`.

use super::Variable;
use crate::block::language::{NoNames, numbers};
use crate::block::number_text;

/// The mask of one variable: how instances of the model show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// Empty to show the variable's name.
    pub label: String,
    pub unit: String,
    /// A description of the variable.
    pub doc: String,
    pub min: f64,
    pub max: f64,
    /// The accepted values; empty if any number is accepted.
    pub choices: Vec<Choice>,
}

/// A value that a variable accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The displayed text; the value's text if it has no label.
    pub label: String,
    pub value: f64,
}

/// An error in an attribute of a variable.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{attribute} is “{text}”: {problem}")]
pub struct MaskError {
    pub attribute: &'static str,
    pub text: String,
    pub problem: String,
}

impl Default for Mask {
    /// A mask that accepts any number.
    fn default() -> Mask {
        let nothing = String::new;
        let (min, max) = (f64::NEG_INFINITY, f64::INFINITY);
        Mask { label: nothing(), unit: nothing(), doc: nothing(), min, max, choices: Vec::new() }
    }
}

impl Mask {
    /// The attributes that define a mask.
    pub const ATTRIBUTES: [&str; 6] = ["label", "unit", "doc", "min", "max", "choices"];

    /// Reads the mask from the attributes of a variable.
    ///
    /// # Errors
    /// If a limit or a choice is not a number.
    pub fn of(variable: &Variable) -> Result<Mask, MaskError> {
        let text = |name| variable.attributes.get(name).unwrap_or_default();
        let limit = |name, default| match text(name) {
            "" => Ok(default),
            text => number(name, text),
        };
        let (min, max) = (limit("min", f64::NEG_INFINITY)?, limit("max", f64::INFINITY)?);
        if min > max {
            let problem = format!("it is above max, which is {}", number_text(max));
            return Err(MaskError { attribute: "min", text: text("min").to_owned(), problem });
        }
        let choices = text("choices").split('|').filter(|choice| !choice.trim().is_empty());
        let choice = |choice: &str| {
            let (label, value) = choice.split_once('=').unwrap_or((choice, choice));
            Ok(Choice { label: label.trim().to_owned(), value: number("choices", value.trim())? })
        };
        Ok(Mask {
            label: text("label").to_owned(),
            unit: text("unit").to_owned(),
            doc: text("doc").to_owned(),
            min,
            max,
            choices: choices.map(choice).collect::<Result<_, _>>()?,
        })
    }

    /// Returns why the variable does not accept these values, or none if it does.
    pub fn problem_with(&self, values: &[f64]) -> Option<String> {
        if let Some(value) = values.iter().find(|&&value| value < self.min || value > self.max) {
            let value = number_text(*value);
            return Some(match (self.min.is_finite(), self.max.is_finite()) {
                (true, false) => format!("{value} is below the minimum {}", number_text(self.min)),
                (false, true) => format!("{value} is above the maximum {}", number_text(self.max)),
                _ => format!("{value} is outside the range {} to {}", number_text(self.min), number_text(self.max)),
            });
        }
        let is_choice = |value: &&f64| self.choices.iter().any(|choice| choice.value == **value);
        let other = values.iter().find(|value| !self.choices.is_empty() && !is_choice(value))?;
        let known = self.choices.iter().map(|choice| match number_text(choice.value) {
            value if value == choice.label => value,
            value => format!("{value} ({})", choice.label),
        });
        Some(format!("{} is not one of {}", number_text(*other), known.collect::<Vec<_>>().join(", ")))
    }
}

fn number(attribute: &'static str, text: &str) -> Result<f64, MaskError> {
    let error = |problem: String| MaskError { attribute, text: text.to_owned(), problem };
    match numbers(text, &NoNames).map_err(|problem| error(problem.to_string()))?[..] {
        [number] if !number.is_nan() => Ok(number),
        _ => Err(error("expected one number".to_owned())),
    }
}

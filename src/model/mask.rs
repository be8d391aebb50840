//! A model's variables as the parameters of a block: what its uses show, and which values they take.
//!
//! Attributes of the variable say it: `label`, `unit`, `doc`, `min`, `max`, and `choices`, values with `|` between them,
//! each with a word before it where it has one: `off=0|slow=1|fast=2.5`.

use super::Variable;
use crate::block::expression::{NoNames, numbers};
use crate::block::number_text;

/// How a variable is shown to those who use its model.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// Empty where the variable's name is shown.
    pub label: String,
    pub unit: String,
    /// What it is for.
    pub doc: String,
    pub min: f64,
    pub max: f64,
    /// The values that it takes, where it takes those alone.
    pub choices: Vec<Choice>,
}

/// A value that a variable takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// As it is shown; the value's text where it has no word of its own.
    pub label: String,
    pub value: f64,
}

/// What is wrong with an attribute of a variable.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{attribute} is “{text}”: {problem}")]
pub struct MaskError {
    pub attribute: &'static str,
    pub text: String,
    pub problem: String,
}

impl Default for Mask {
    /// A variable as it is: any number will do.
    fn default() -> Mask {
        let nothing = String::new;
        let (min, max) = (f64::NEG_INFINITY, f64::INFINITY);
        Mask { label: nothing(), unit: nothing(), doc: nothing(), min, max, choices: Vec::new() }
    }
}

impl Mask {
    /// The attributes that make it.
    pub const ATTRIBUTES: [&str; 6] = ["label", "unit", "doc", "min", "max", "choices"];

    /// # Errors
    /// Where limits or choices are no numbers.
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

    /// Why the variable cannot have these values; none where it can.
    pub fn problem_with(&self, values: &[f64]) -> Option<String> {
        if let Some(value) = values.iter().find(|&&value| value < self.min || value > self.max) {
            let value = number_text(*value);
            return Some(match (self.min.is_finite(), self.max.is_finite()) {
                (true, false) => format!("{value} is less than {}, the least it can be", number_text(self.min)),
                (false, true) => format!("{value} is more than {}, the most it can be", number_text(self.max)),
                _ => format!("{value} is not between {} and {}", number_text(self.min), number_text(self.max)),
            });
        }
        let is_choice = |value: &&f64| self.choices.iter().any(|choice| choice.value == **value);
        let other = values.iter().find(|value| !self.choices.is_empty() && !is_choice(value))?;
        let known = self.choices.iter().map(|choice| match number_text(choice.value) {
            value if value == choice.label => value,
            value => format!("{value} ({})", choice.label),
        });
        Some(format!("{} is none of {}", number_text(*other), known.collect::<Vec<_>>().join(", ")))
    }
}

fn number(attribute: &'static str, text: &str) -> Result<f64, MaskError> {
    let error = |problem: String| MaskError { attribute, text: text.to_owned(), problem };
    match numbers(text, &NoNames).map_err(|problem| error(problem.to_string()))?[..] {
        [number] if !number.is_nan() => Ok(number),
        _ => Err(error("one number is expected".to_owned())),
    }
}

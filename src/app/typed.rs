//! Typed texts of parameter values: how they are stored, and their errors.

use super::numbers;
use crate::block::expression::{Expression, Names, constant};

/// Normalizes a typed text of a parameter; an invalid one is kept unchanged.
pub fn number_texts(text: &str, problem: &dyn Fn(&[String]) -> Option<String>) -> Vec<String> {
    let texts = numbers::split(text);
    let is_whole = texts.join(" ") == text.trim();
    if !is_whole && problem(&texts).is_some() { vec![text.trim().to_owned()] } else { texts }
}

/// Returns the first undefined name in the expressions.
pub fn unknown_name(texts: &[String], names: &dyn Names) -> Option<String> {
    // Longer lists are left to the check.
    const MAX_TEXTS: usize = 50;
    texts.iter().take(MAX_TEXTS).filter(|text| text.len() < 1000).find_map(|text| {
        let expression = Expression::parse(text).ok()?;
        let mut unknown = None;
        expression.each_name(&mut |name, _| {
            let is_known = constant(name).is_some() || !matches!(names.value(name), Ok(None));
            if !is_known && unknown.is_none() {
                unknown = Some(name.to_owned());
            }
        });
        unknown
    })
}

/// Returns `Unknown variable "kk"` if that is the problem, otherwise the message of the check.
pub fn problem_text(texts: &[String], names: &dyn Names, problem: String) -> String {
    unknown_name(texts, names).map_or(problem, |name| format!("Unknown variable \"{name}\""))
}

//! Texts that a user types as the values of a parameter: how they are kept, and what is wrong with them.

use super::numbers;
use crate::block::expression::{Expression, Names, constant};

/// A text that was typed as the values of a parameter; one that cannot be understood stays as it is.
pub fn number_texts(text: &str, problem: &dyn Fn(&[String]) -> Option<String>) -> Vec<String> {
    let texts = numbers::split(text);
    let is_whole = texts.join(" ") == text.trim();
    if !is_whole && problem(&texts).is_some() { vec![text.trim().to_owned()] } else { texts }
}

/// The first name in expressions that nothing has.
pub fn unknown_name(texts: &[String], names: &dyn Names) -> Option<String> {
    // What long lists hold is left to the check.
    const MOST: usize = 50;
    texts.iter().take(MOST).filter(|text| text.len() < 1000).find_map(|text| {
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

/// `Unknown variable "kk"`, where that is what is wrong, else what the check of the values says.
pub fn problem_text(texts: &[String], names: &dyn Names, problem: String) -> String {
    unknown_name(texts, names).map_or(problem, |name| format!("Unknown variable \"{name}\""))
}

//! Typed texts of parameter values: how they are stored, and their errors.

use crate::block::language::Names;
use crate::model::unknown_name;

/// Normalizes a typed text of a parameter; an invalid one is kept unchanged.
pub fn number_texts(text: &str, problem: &dyn Fn(&[String]) -> Option<String>) -> Vec<String> {
    let texts = split(text);
    let is_whole = texts.join(" ") == text.trim();
    if !is_whole && problem(&texts).is_some() { vec![text.trim().to_owned()] } else { texts }
}

/// Returns `Unknown variable "kk"` if that is the problem, otherwise the message of the check.
pub fn problem_text(texts: &[String], names: &dyn Names, problem: String) -> String {
    unknown_name(texts, names).map_or(problem, |name| format!("Unknown variable \"{name}\""))
}

/// Splits typed text into numbers separated by blanks, commas or semicolons, optionally in brackets. Any other text is
/// one expression.
pub fn split(text: &str) -> Vec<String> {
    let parts = parts(text);
    // A matrix keeps its rows: it is one value.
    if parts.len() > 1 && text.contains(';') {
        return vec![text.trim().to_owned()];
    }
    match parts.iter().all(|part| crate::block::parse_number(part).is_ok()) {
        true => parts,
        false => vec![text.trim().to_owned()],
    }
}

/// Returns the numbers in a row, ignoring separators and row structure.
pub fn row(text: &str) -> Option<Vec<f64>> {
    parts(text).iter().map(|part| part.parse().ok()).collect()
}

fn parts(text: &str) -> Vec<String> {
    let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
    inner
        .split(|c: char| c.is_whitespace() || c == ',' || c == ';')
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

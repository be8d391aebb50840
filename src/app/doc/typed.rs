//! Typed texts of parameter values: how they are stored, and their errors.

use crate::app::ui::numbers::typed::{Wanted, number_before, understood};
use crate::block::language::Names;
use crate::block::{ParamDef, ParamKind};
use crate::model::unknown_name;

/// Normalizes a typed text of a parameter; an invalid one is kept unchanged.
pub fn number_texts(text: &str, wanted: Wanted, problem: &dyn Fn(&[String]) -> Option<String>) -> Vec<String> {
    // A doubt is kept as it is typed, and its question is the problem.
    let Ok(text) = understood(text, wanted) else { return vec![text.trim().to_owned()] };
    let (text, texts) = (&*text, split(&text));
    let is_whole = texts.join(" ") == text.trim();
    if !is_whole && problem(&texts).is_some() { vec![text.trim().to_owned()] } else { texts }
}

/// Returns the content of a parameter's field.
pub fn wanted_of(param: &ParamDef) -> Wanted {
    match param.kind {
        ParamKind::Number { vector: true, .. } => Wanted::Several,
        _ => Wanted::One,
    }
}

/// Returns the question about a text that can be meant in two ways.
pub fn question(text: &str, wanted: Wanted) -> Option<String> {
    understood(text, wanted).err().map(|doubt| doubt.question())
}

/// Returns a typed text of one number or expression as it is stored; a doubtful one unchanged.
pub fn expression(text: &str) -> String {
    understood(text, Wanted::One).unwrap_or_else(|doubt| doubt.text)
}

/// Reads one typed number.
pub fn number(text: &str) -> Option<f64> {
    understood(text, Wanted::One).ok()?.parse().ok().filter(|value: &f64| value.is_finite())
}

/// As [`number`], with a unit behind it if it has one.
pub fn number_with(text: &str, unit: &str) -> Option<f64> {
    number(number_before(text, unit))
}

/// Reads one typed whole number.
pub fn whole(text: &str) -> Option<u64> {
    understood(text, Wanted::Whole).ok()?.parse().ok()
}

/// As [`whole`], for a value that can also be dragged.
pub fn dragged_whole(text: &str) -> Option<f64> {
    whole(text).map(|value| value as f64)
}

/// Returns typed numbers of a list, separated by commas; a doubtful text, and one of other numbers, unchanged.
pub fn list(text: &str) -> String {
    match understood(text, Wanted::Several) {
        Ok(text) if !text.contains(',') => {
            text.split([' ', '\t', ';']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(",")
        }
        Ok(text) => text,
        Err(doubt) => doubt.text,
    }
}

/// Returns what is wrong with the text of one number: the question of a doubt, or `problem`.
pub fn number_problem(text: &str, problem: &str) -> String {
    question(text, Wanted::One).unwrap_or_else(|| problem.to_owned())
}

/// Returns `Unknown variable "kk"` if that is the problem, otherwise the message of the check.
pub fn problem_text(texts: &[String], names: &dyn Names, problem: String) -> String {
    unknown_name(texts, names).map_or(problem, |name| format!("Unknown variable \"{name}\""))
}

/// Splits typed text into numbers separated by blanks, commas or semicolons, optionally in brackets. Any other text is
/// one expression, a doubtful one too.
pub fn split(text: &str) -> Vec<String> {
    let Ok(text) = understood(text, Wanted::Several) else { return vec![text.trim().to_owned()] };
    let text = &*text;
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
pub fn row(text: &str, wanted: Wanted) -> Option<Vec<f64>> {
    let text = understood(text, wanted).ok()?;
    parts(&text).iter().map(|part| part.parse().ok()).collect()
}

fn parts(text: &str) -> Vec<String> {
    let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
    inner
        .split(|c: char| c.is_whitespace() || c == ',' || c == ';')
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

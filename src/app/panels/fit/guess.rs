//! Guesses from the names of columns: which one has the times, and which signal each belongs to.

use std::collections::HashMap;

use super::state::FitSignal;
use crate::block::DataTable;

/// The names of columns of times.
const TIMES: [&str; 6] = ["time", "t", "times", "timestamp", "seconds", "sec"];

/// Returns the column of times: that of such a name, else the first one whose numbers rise from 0 or more on, else the first
/// one; `None` if the file defines the time from row to row, or has no columns.
pub fn guess_time(table: &DataTable) -> Option<String> {
    if table.interval.is_some() {
        return None;
    }
    let is_time = |name: &str| TIMES.contains(&&*letters(without_unit(name)));
    let named = table.columns.iter().find(|column| is_time(&column.name));
    let rises = |values: &[f64]| {
        values.first().is_some_and(|first| *first >= 0.0) && values.is_sorted_by(|one, next| one < next)
    };
    let rising = || table.columns.iter().find(|column| rises(&column.values));
    named.or_else(rising).or(table.columns.first()).map(|column| column.name.clone())
}

/// The signals by their names, for columns that look for theirs.
pub struct SignalNames<'a> {
    signals: &'a [FitSignal],
    /// The indices of signals by name: exactly the same, the same but for letter case and signs, and that of the block.
    by_name: [HashMap<String, Vec<usize>>; 3],
}

impl<'a> SignalNames<'a> {
    pub fn of(signals: &'a [FitSignal]) -> SignalNames<'a> {
        let mut by_name: [HashMap<String, Vec<usize>>; 3] = Default::default();
        for (index, signal) in signals.iter().enumerate() {
            for name in std::iter::once(&signal.name).chain(&signal.others) {
                let of_block = name.strip_suffix(".Output").unwrap_or(name);
                let keys = [name.clone(), letters(name), letters(of_block)];
                for (map, key) in by_name.iter_mut().zip(keys) {
                    map.entry(key).or_default().push(index);
                }
            }
        }
        SignalNames { signals, by_name }
    }

    /// Returns the signal of a column: that with the same name, else with the same but for letter case, signs and a unit in
    /// brackets, else that of the block of this name. Of several it is the first one that is free.
    pub fn find(&self, column: &str, is_free: impl Fn(&FitSignal) -> bool) -> Option<&'a FitSignal> {
        let (whole, name) = (letters(column), letters(without_unit(column)));
        let [exact, like, of_block] = &self.by_name;
        let mut lists =
            [exact.get(column), like.get(&whole), like.get(&name), of_block.get(&whole), of_block.get(&name)];
        if whole.is_empty() {
            lists = [exact.get(column), None, None, None, None];
        }
        let mut found = lists.into_iter().flatten().flatten().filter_map(|index| self.signals.get(*index));
        found.find(|signal| is_free(signal))
    }
}

/// Returns a name without a unit at its end: `v` of `v (m/s)` and `v [m/s]`.
fn without_unit(name: &str) -> &str {
    let name = name.trim();
    let begin = match name.chars().last() {
        Some(')') => name.rfind('('),
        Some(']') => name.rfind('['),
        _ => None,
    };
    match begin.and_then(|begin| Some((name.get(..begin)?.trim(), name.get(begin + 1..name.len() - 1)?))) {
        // The index of an element is no unit.
        Some((begin, unit)) if !begin.is_empty() && unit.parse::<usize>().is_err() => begin,
        _ => name,
    }
}

/// Returns the letters and digits of a name, in lower case.
fn letters(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

//! The rows of the report: which there are for a filter and a search, by system, and where each begins.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{ImportView, Shows};
use crate::app::doc::import_lines::{ImportLines, Now, without_value};
use crate::model::imported::Class;

/// A row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// The title of a group, and how many rows it has.
    Group(String, usize),
    /// An entry of the report, by its number.
    Entry(usize),
    /// A note about the whole model, by its number.
    Note(usize),
    /// A variable without a value.
    Missing(Arc<str>),
}

/// The rows for a filter and a search.
#[derive(Default)]
pub struct Rows {
    of: Option<(Shows, String, u64)>,
    rows: Vec<Row>,
    /// Where each row begins, and where the last one ends.
    starts: Vec<f32>,
}

/// The heights of rows: of a title and of an exact block, and of a line with a text below.
const LOW: f32 = 26.0;
const HIGH: f32 = 42.0;

impl Rows {
    /// Returns the rows; they are collected only for another filter, another search or another state of the document.
    pub fn of(&mut self, shows: Shows, query: &str, lines: &ImportLines, view: &ImportView) -> &Rows {
        let now = (shows, query.trim().to_lowercase(), view.revision);
        if self.of.as_ref() != Some(&now) {
            self.rows = collect(shows, &now.1, lines, view);
            let mut end = 0.0;
            self.starts = vec![0.0];
            self.starts.extend(self.rows.iter().map(|row| {
                end += height(row, lines);
                end
            }));
            self.of = Some(now);
        }
        self
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The height of all rows.
    pub fn height(&self) -> f32 {
        self.starts.last().copied().unwrap_or(0.0)
    }

    /// Returns the rows that are at least in part between two heights, each with its place and its height.
    pub fn between(&self, top: f32, bottom: f32) -> impl Iterator<Item = (f32, f32, &Row)> {
        let first = self.starts.partition_point(|start| *start <= top).saturating_sub(1);
        let places = self.starts.iter().zip(self.starts.iter().skip(1)).zip(&self.rows).skip(first);
        places.map(|((start, end), row)| (*start, end - start, row)).take_while(move |(start, ..)| *start < bottom)
    }
}

fn height(row: &Row, lines: &ImportLines) -> f32 {
    match row {
        Row::Entry(number) if lines.entry(*number).is_some_and(|entry| !entry.notes.is_empty()) => HIGH,
        _ => LOW,
    }
}

fn collect(shows: Shows, query: &str, lines: &ImportLines, view: &ImportView) -> Vec<Row> {
    let words: Vec<&str> = query.split_whitespace().collect();
    let matches = |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
        words.iter().all(|word| texts.iter().any(|text| text.contains(word)))
    };
    let mut rows = Vec::new();
    let mut group = |title: &str, members: Vec<Row>| {
        if !members.is_empty() {
            rows.push(Row::Group(title.to_owned(), members.len()));
            rows.extend(members);
        }
    };
    if shows.has_missing() {
        let missing = without_value(view.simulation).map(|(name, _)| name).filter(|name| matches(&[name]));
        group("Missing values", missing.map(|name| Row::Missing(Arc::clone(name))).collect());
    }
    if shows.has_notes() {
        let notes = lines.report().notes.iter().enumerate().filter(|(_, note)| matches(&[note]));
        group("Notes about the whole model", notes.map(|(number, _)| Row::Note(number)).collect());
    }
    // In the order in which the systems are met.
    let mut order: Vec<&str> = Vec::new();
    let mut by_system: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, entry) in lines.report().entries.iter().enumerate() {
        if !shows.has(entry.class) {
            continue;
        }
        let (system, title) = (lines.system(number), lines.title(number));
        let is_found = words.is_empty()
            || matches(&[system, title, &entry.kind, &entry.notes.join(" "), &current_title(number, lines, view)]);
        if is_found {
            by_system.entry(system).or_insert_with(|| {
                order.push(system);
                Vec::new()
            });
            by_system.entry(system).or_default().push(number);
        }
    }
    for system in order {
        let mut members = by_system.remove(system).unwrap_or_default();
        // Placeholders come first, exact blocks last.
        members.sort_by_key(|number| std::cmp::Reverse(lines.entry(*number).map(|entry| entry.class)));
        let title = if system.is_empty() { &*view.simulation.root } else { system };
        group(title, members.into_iter().map(Row::Entry).collect());
    }
    rows
}

/// The title of a block by now; empty if it is deleted.
fn current_title(number: usize, lines: &ImportLines, view: &ImportView) -> String {
    match lines.now(number, view.simulation, view.revision) {
        Now::Present { block, .. } | Now::Replaced { block, .. } => block.title().to_owned(),
        Now::NoBlock | Now::Deleted => String::new(),
    }
}

impl Shows {
    pub fn has(self, class: Class) -> bool {
        match self {
            Shows::All => true,
            Shows::ToCheck => class != Class::Exact,
            Shows::Only(only) => class == only,
            Shows::Missing | Shows::Notes => false,
        }
    }

    fn has_missing(self) -> bool {
        matches!(self, Shows::All | Shows::ToCheck)
    }

    fn has_notes(self) -> bool {
        matches!(self, Shows::All | Shows::ToCheck | Shows::Notes)
    }
}

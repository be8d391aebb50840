//! Names that only a script outside the file sets: blocks hold the values with which the file was saved.

use std::collections::BTreeMap;

use super::diagram::{Diagram, Node};

/// Blocks whose stored numbers are those of their dialog, in the same order.
const SAME_ORDER: [&str; 11] = [
    "EVTDLY_c",
    "EVTDLY_f",
    "SampleCLK",
    "GENSIN_f",
    "GAINBLK",
    "GAINBLK_f",
    "GAIN_f",
    "CONST",
    "CONST_m",
    "CONST_f",
    "TIME_DELAY",
];

/// Returns the values of single names in dialogs that no context sets.
pub fn values(diagram: &Diagram) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    collect(diagram, &mut Vec::new(), &mut found);
    found
}

fn collect<'a>(diagram: &'a Diagram, contexts: &mut Vec<&'a [String]>, found: &mut BTreeMap<String, f64>) {
    contexts.push(&diagram.context);
    for node in &diagram.nodes {
        for (name, value) in names(node) {
            if !contexts.iter().any(|context| context.iter().any(|line| sets(line, name))) {
                found.entry(name.to_owned()).or_insert(value);
            }
        }
        if let Some(inside) = &node.inside {
            collect(inside, contexts, found);
        }
    }
    contexts.pop();
}

/// The names in the dialog of a block with their stored values.
fn names(node: &Node) -> Vec<(&str, f64)> {
    let stored = node.value_of("realParameters").map(|data| data.numbers()).unwrap_or_default();
    let texts = node.exprs.texts();
    if !SAME_ORDER.contains(&&*node.function) || stored.len() > texts.len() {
        return Vec::new();
    }
    let is_name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    texts.iter().map(|text| text.trim()).zip(stored.iter().copied()).filter(|(text, _)| is_name(text)).collect()
}

/// Whether a line of a context sets a name.
fn sets(line: &str, name: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.split([';', ',']).any(|statement| {
        let left = statement.split_once('=').map_or("", |(left, _)| left);
        left.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
    })
}

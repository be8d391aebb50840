//! The list of the sources: every block is compared with somebody else's mathematics.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use simulate::block::{BlockDef, ParamKind, Settings, library};

use super::{folder, tables};

/// A row of `sources.csv`.
struct Source {
    block: String,
    /// Who has computed the values, or why there are none.
    source: String,
    /// Scripts of the folder and names of tests; empty where there is no mathematics.
    places: Vec<String>,
}

fn sources() -> Vec<Source> {
    let mut reader = csv::Reader::from_path(folder().join("sources.csv")).expect("the list");
    let rows = reader.records().map(|row| row.expect("a row"));
    let source = |row: csv::StringRecord| {
        let field = |index| row.get(index).expect("three fields").to_owned();
        Source { block: field(0), source: field(1), places: field(2).split_whitespace().map(str::to_owned).collect() }
    };
    rows.map(source).collect()
}

fn name(def: &BlockDef) -> String {
    format!("{}/{}", def.group, def.name)
}

/// Returns the tests of all files in a folder, with the text of their file.
fn tests_in(folder: &Path, tests: &mut BTreeMap<String, String>) {
    for path in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            tests_in(&path, tests);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a text");
            for after in text.split("#[test]\n").skip(1) {
                let name = after.trim_start().trim_start_matches("fn ").split('(').next().expect("a name");
                tests.insert(name.to_owned(), text.clone());
            }
        }
    }
}

#[test]
fn every_block_has_an_independent_source() {
    let rows = sources();
    let listed: Vec<&str> = rows.iter().map(|row| row.block.as_str()).collect();
    let blocks: Vec<String> = library::defs().map(name).collect();
    let (known, rowed): (BTreeSet<&str>, BTreeSet<&str>) =
        (blocks.iter().map(String::as_str).collect(), listed.iter().copied().collect());
    let missing: Vec<_> = known.difference(&rowed).collect();
    assert!(missing.is_empty(), "tests/reference/sources.csv names no source of {missing:?}");
    let unknown: Vec<_> = rowed.difference(&known).collect();
    assert!(unknown.is_empty(), "tests/reference/sources.csv has rows of blocks that do not exist: {unknown:?}");
    assert_eq!(rowed.len(), listed.len(), "a block has one row");
    assert!(listed.is_sorted(), "the rows are sorted");
}

#[test]
fn every_source_is_there() {
    let tables = tables();
    let mut tests = BTreeMap::new();
    tests_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"), &mut tests);
    for Source { block, source, places } in sources() {
        assert!(!source.is_empty(), "{block} has no source");
        let def = library::defs().find(|def| name(def) == block).expect("a block of the library");
        let outputs = def.output_count(&Settings::defaults(def));
        assert!(!places.is_empty() || outputs == 0, "{block} has outputs, but is compared nowhere");
        for place in places {
            if let Some(script) = place.strip_suffix(".py") {
                let table = tables.get(script).unwrap_or_else(|| panic!("{block}: {place} has written no table"));
                assert!(folder().join(&place).is_file(), "{block}: there is no {place}");
                let is_there = table.traces.iter().any(|trace| trace.block == block);
                assert!(is_there, "{block}: {place} has no trace of it");
            } else {
                let text = tests.get(&place).unwrap_or_else(|| panic!("{block}: there is no test {place}"));
                assert!(text.contains(&block), "{block}: the file of {place} does not name it");
            }
        }
    }
}

/// A block that is in a table has its traces in the script that the list names.
#[test]
fn every_table_is_listed() {
    let places: BTreeMap<String, Vec<String>> = sources().into_iter().map(|row| (row.block, row.places)).collect();
    for (script, table) in tables() {
        for block in table.traces.iter().map(|trace| &trace.block) {
            let is_listed = places.get(block).is_some_and(|places| places.contains(&format!("{script}.py")));
            assert!(is_listed, "tests/reference/sources.csv does not say that {script}.py has traces of {block}");
        }
    }
}

/// Each way in which a block may compute is compared: every choice of every parameter, and both values of a flag, is the
/// setting of some trace, where the block is compared by traces.
#[test]
fn every_choice_is_compared() {
    let tables = tables();
    let traces = || tables.values().flat_map(|table| &table.traces);
    let mut missing = Vec::new();
    for def in library::defs() {
        let block = name(def);
        let own: Vec<_> = traces().filter(|trace| trace.block == block).collect();
        // Random numbers are compared with their distribution. Checks report in four ways, which `assertions.rs` tests, and without a report they have their output alone.
        let is_action = |param: &str| def.group == "Check" && matches!(param, "Action" | "Output");
        for param in def.params.iter().filter(|param| !own.is_empty() && !is_action(param.name)) {
            let default = param.default_texts();
            let has = |choice: &str| {
                own.iter().any(|trace| {
                    let set = trace.options.get(param.name).unwrap_or(&default);
                    set.first().is_some_and(|value| value == choice)
                })
            };
            let choices: &[&str] = match param.kind {
                ParamKind::Choice { of, .. } if of.contains(&"random") => &of[..of.len() - 1],
                ParamKind::Choice { of, .. } => of,
                ParamKind::Flag { .. } => &["0", "1"],
                _ => &[],
            };
            missing.extend(
                choices.iter().filter(|choice| !has(choice)).map(|choice| format!("{block} {}: {choice}", param.name)),
            );
        }
    }
    assert!(missing.is_empty(), "{} choices are in no trace:\n{}", missing.len(), missing.join("\n"));
}

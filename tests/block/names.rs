//! Every name of the shared list of blocks, and the block that a search for it finds: `names.csv`.

use std::path::Path;

use simulate::block::{BlockDef, Registry};

/// A row: priority, library, name, the block that is found by it, or the reason why there is none.
fn rows() -> Vec<[String; 5]> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/block/names.csv");
    let mut reader = csv::Reader::from_path(path).expect("the table");
    let row = |record: csv::StringRecord| std::array::from_fn(|column| record[column].to_owned());
    reader.records().map(|record| row(record.expect("a row"))).collect()
}

fn is_called(def: &BlockDef, name: &str) -> bool {
    let mut names = std::iter::once(&def.name).chain(def.aliases);
    names.any(|known| known.eq_ignore_ascii_case(name))
}

#[test]
fn every_name_finds_its_block_or_has_a_reason() {
    let registry = Registry::standard();
    let mut wrong = Vec::new();
    for [priority, library, name, block, reason] in rows() {
        let found: Vec<&BlockDef> = registry.iter().filter(|def| is_called(def, &name)).collect();
        let paths: Vec<String> = found.iter().map(|def| format!("{}/{}", def.group, def.name)).collect();
        let is_right = match block.is_empty() {
            true => !reason.is_empty(),
            false => reason.is_empty() && paths.contains(&block),
        };
        if !is_right {
            wrong.push(format!("{library}, {name} ({priority}): {block:?} {reason:?}, found {paths:?}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// The blocks that everybody expects exist, other than displays of the window and the parts of models.
#[test]
fn nothing_that_everybody_expects_is_missing() {
    const ELSEWHERE: [&str; 4] = [
        "a panel or sink of the window",
        "part of the model (entry, exit, model block), not a library block",
        "made by the role of a model's entry, not a library block",
        "foreign code",
    ];
    let missing = rows().into_iter().filter(|[priority, _, _, block, reason]| {
        priority == "1" && block.is_empty() && !ELSEWHERE.contains(&reason.as_str())
    });
    assert_eq!(missing.collect::<Vec<_>>(), [[""; 5]; 0]);
}

/// The copy has the length of the list, so that no row was lost.
#[test]
fn all_priorities_are_in_the_table() {
    let count = |wanted: &str| rows().iter().filter(|[priority, ..]| priority == wanted).count();
    assert_eq!([count("1"), count("2"), count("3")], [111, 121, 124]);
}

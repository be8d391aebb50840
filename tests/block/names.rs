//! The names by which users of other programs look for blocks: `names.csv`.

use std::path::Path;

use simulate::block::{BlockDef, Registry};

fn is_called(def: &BlockDef, name: &str) -> bool {
    let mut names = std::iter::once(&def.name).chain(def.aliases);
    names.any(|known| known.eq_ignore_ascii_case(name))
}

/// A name that a user knows keeps leading to its block, and the block keeps the name that files have.
#[test]
fn every_name_finds_its_block() {
    let registry = Registry::standard();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/block/names.csv");
    let mut reader = csv::Reader::from_path(path).expect("the table");
    let mut wrong = Vec::new();
    for row in reader.records().map(|row| row.expect("a row")) {
        let (name, block) = (&row[0], &row[1]);
        let (group, own) = block.split_once('/').expect("a group and a name");
        if !registry.get(group, own).is_some_and(|def| is_called(def, name)) {
            wrong.push(format!("{name} does not find {block}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

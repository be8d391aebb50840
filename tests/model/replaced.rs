//! Blocks that are replaced by blocks of another kind keep what the new kind has, too.

use simulate::block::Registry;
use simulate::model::{Block, BlockId, BlockKind, Change, replace_block};

use crate::sketch::Sketch;

/// Returns the options of a block after it was replaced, with their texts.
fn options(kind: BlockKind) -> Vec<(String, Vec<String>)> {
    let given: &[(&str, &[&str])] =
        &[("Initial Value", &["1", "2"]), ("Sample Time", &["0.2"]), ("Sample Offset", &["0.1"])];
    let simulation = Sketch::new(0.1).block(0, "Discrete/Unit Delay", given).simulation;
    let main = simulation.root_model().expect("a root");
    let registry = Registry::standard();
    let edits = replace_block(&simulation, &registry, main, BlockId(0), kind);
    let replaced = Change::new("Replace", edits).applied(&simulation, &registry).expect("it is allowed");
    let block: &Block = replaced.root_model().and_then(|main| main.block(BlockId(0))).expect("the block");
    let all = block.options().map(|option| (option.name.to_string(), option.texts().map(str::to_owned).collect()));
    all.collect()
}

#[test]
fn options_stay_where_the_new_kind_has_them() {
    let option = |name: &str, texts: &[&str]| (name.to_owned(), texts.iter().map(|text| (*text).to_owned()).collect());
    let initial = option("Initial Value", &["1", "2"]);
    let sampled = [option("Sample Time", &["0.2"]), option("Sample Offset", &["0.1"])];
    let kind = |group: &str, name: &str| BlockKind::library(group, name);
    let [time, offset] = sampled.clone();
    assert_eq!(options(kind("Discrete", "Delay")), [initial.clone(), time, offset]);
    assert_eq!(options(kind("Math", "Integrate")), std::slice::from_ref(&initial));
    assert_eq!(options(kind("Math", "Gain")), []);
    // A single value is all that this one accepts.
    assert_eq!(options(kind("Discrete", "Tapped Delay")), sampled);
    assert_eq!(options(BlockKind::exit("y")), [initial]);
    assert_eq!(options(BlockKind::model("Main 2")), []);
}

//! A default that is stated and one that is not are the same; a value that differs is a change.

use simulate::block::Registry;
use simulate::diff::diff;
use simulate::format::simt::{self, Simt};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader as _};
use simulate::model::Simulation;

fn read(text: &str) -> Simulation {
    Simt.read(text.as_bytes(), &LoadOptions::default()).expect("a text").simulation
}

fn changes(first: &str, second: &str) -> Vec<String> {
    let changes = diff(&read(first), &read(second));
    changes.iter().filter(|change| !change.is_layout).map(ToString::to_string).collect()
}

fn with(header: &str, lines: &str) -> String {
    format!("simulation Main{header}\n\nmodel Main\n{lines}\n")
}

#[test]
fn a_stated_default_is_no_change() {
    let short = with("", "G: Gain\nS: Sum");
    let stated = with(", solver = rk4", "G: Gain, Gain = 1\nS: Sum, Signs = ++");
    assert_eq!(changes(&short, &stated), [""; 0]);
    assert_eq!(changes(&stated, &short), [""; 0]);
    let other = with(", solver = euler", "G: Gain, Gain = 2\nS: Sum");
    assert_eq!(changes(&short, &other), ["simulation, solver: default → euler", "Main/G.Gain: default → 2"]);
}

/// An input that no wire leads to has its initial value only if that is stated.
#[test]
fn a_stated_initial_value_of_an_open_input_is_a_change() {
    let inner = |value: &str| format!("P: model P\n\nmodel P\nu: input{value}\ny: output\nu -> y");
    let (without, stated) = (with("", &inner("")), with("", &inner(", Initial Value = 0")));
    assert_eq!(changes(&without, &stated), ["P/u.Initial Value: default → 0"]);
}

/// The compact text of each example has all of its meaning.
#[test]
fn compact_texts_differ_in_looks_alone() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/examples");
    let mut count = 0;
    for file in std::fs::read_dir(folder).expect("a folder") {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "simx") {
            continue;
        }
        let bytes = std::fs::read(&path).expect("a file");
        let first = Simx.read(&bytes, &LoadOptions::default()).expect("an example").simulation;
        let text = simt::text(&first, &Registry::standard()).expect("a text");
        let changes = diff(&first, &read(&text));
        let meant: Vec<String> = changes.iter().filter(|change| !change.is_layout).map(ToString::to_string).collect();
        assert_eq!(meant, [""; 0], "{}", path.display());
        count += 1;
    }
    assert!(count >= 29);
}

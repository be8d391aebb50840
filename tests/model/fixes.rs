//! The fixes of diagnostics: each one mends its problem in the example of the catalogue.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::compile;
use simulate::format::{Formats, LoadOptions};
use simulate::model::{
    BlockId, CODES, Change, Diagnostic, Document, Fix, Position, Simulation, VIEW_FLIP, check, delayed, fixes, grounded,
};

/// All problems of a simulation that an edit may mend: of the check, and of the compiler if there are none.
fn problems(simulation: &Simulation, registry: &Registry) -> Vec<Diagnostic> {
    let mut found = check(simulation, registry);
    if !found.iter().any(Diagnostic::is_error) {
        found.extend(compile(simulation, registry).err().into_iter().flatten());
    }
    found
}

fn count(simulation: &Simulation, registry: &Registry, code: &str) -> usize {
    problems(simulation, registry).iter().filter(|found| found.code == code).count()
}

fn read(text: &str) -> Simulation {
    let formats = Formats::standard();
    formats.parse(Path::new("example.simx"), text.as_bytes(), &LoadOptions::default()).expect("it is read").simulation
}

fn bytes(simulation: &Simulation) -> Vec<u8> {
    Formats::standard().bytes_of(Path::new("example.simx"), simulation).expect("it is written")
}

/// Applies a change and takes it back; returns how many problems of the code are left after it.
fn apply(simulation: &Simulation, registry: &Arc<Registry>, change: Change, code: &str) -> usize {
    let label = change.label.clone();
    let mut document = Document::new(simulation.clone(), Arc::clone(registry));
    document.apply(&change).unwrap_or_else(|error| panic!("{code}: {label}: {error}"));
    let left = count(document.simulation(), registry, code);
    assert!(document.undo().is_some(), "{code}: {label} is undone");
    assert_eq!(bytes(document.simulation()), bytes(simulation), "{code}: {label} is undone");
    left
}

/// The codes of the catalogue that have a file as an example, and no fix in it: what is to be done is the author's
/// choice, the mistake is in the text of the file and not in the document, or the example has nothing to connect.
const WITHOUT_FIX: &[&str] = &[
    "bad-id",
    "bad-variable",
    "bad-variant",
    "bus-mismatch",
    "continuous-in-loop",
    "duplicate-connection",
    "duplicate-id",
    "duplicate-model",
    "duplicate-option",
    "duplicate-variable",
    "element-in-text",
    "malformed",
    "missing-attribute",
    // Only the user knows the value.
    "missing-value",
    "model-with-id",
    "no-variant",
    "not-a-bus",
    "not-a-simulation",
    "store-in-each",
    "stray-text",
    "too-large",
    "unconnected-each",
    "unknown-bus-element",
    "unknown-element",
    "width",
];

#[test]
fn each_fix_of_the_catalogues_examples_mends_its_problem() {
    let registry = Registry::standard();
    let mut without = BTreeSet::new();
    let mut tried = BTreeSet::new();
    for def in CODES {
        let Some(text) = def.example.file() else { continue };
        let formats = Formats::standard();
        let Ok(loaded) = formats.parse(Path::new("example.simx"), text.as_bytes(), &LoadOptions::default()) else {
            without.insert(def.code);
            continue;
        };
        let simulation = loaded.simulation;
        let before = count(&simulation, &registry, def.code);
        let mut has_fix = false;
        for found in problems(&simulation, &registry).into_iter().filter(|found| found.code == def.code) {
            for (fix, text) in fixes(&simulation, &registry, &found) {
                assert!(!text.is_empty());
                let changes = fix.changes(&simulation, &registry, &found);
                assert!(!changes.is_empty(), "{}: {text} is offered, so it does something", def.code);
                for change in changes {
                    let label = change.label.clone();
                    let left = apply(&simulation, &registry, change, def.code);
                    assert!(left < before, "{}: {label}: {left} of {before} are left", def.code);
                    tried.insert(format!("{fix:?}"));
                    has_fix = true;
                }
            }
        }
        if !has_fix {
            without.insert(def.code);
        }
    }
    assert_eq!(without, WITHOUT_FIX.iter().copied().collect());
    println!("{} fixes: {tried:?}", tried.len());
}

fn only(simulation: &Simulation, code: &str, fix: Fix) -> Vec<Change> {
    let registry = Registry::standard();
    let found = problems(simulation, &registry);
    let found: Vec<_> = found.iter().filter(|found| found.code == code).collect();
    assert_eq!(found.len(), 1, "one problem: {found:?}");
    fix.changes(simulation, &registry, found[0])
}

fn in_root(content: &str) -> Simulation {
    read(&format!(
        "<simulation steps=\"10\" delta=\"0.02\" root=\"Main\" \
         xmlns:view=\"urn:simulate:view\"><model name=\"Main\">{content}</model></simulation>"
    ))
}

#[test]
fn an_unknown_variable_is_created_where_the_parameter_looks_for_it() {
    let simulation = in_root(
        r#"<block id="1" group="Math" name="Gain"><option name="Gain"><value>2 * kk + pi</value></option></block>"#,
    );
    let [change] = &only(&simulation, "bad-option", Fix::CreateVariable)[..] else { panic!("one change") };
    assert_eq!(change.label, "Create variable kk");
    let changed = change.applied(&simulation, &Registry::standard()).expect("it is applied");
    assert!(changed.model("Main").is_some_and(|model| model.variables.contains_key("kk")));
}

/// The name of two blocks gets the first number that no other has.
#[test]
fn a_tag_is_renamed_to_one_that_is_free() {
    let goto = |id: u64, tag: &str| {
        format!(
            r#"<block id="{id}" group="Routing" name="Goto"><option name="Tag"><value>{tag}</value></option></block>"#
        )
    };
    let simulation = in_root(&[goto(1, "speed"), goto(2, "speed"), goto(3, "speed 2")].concat());
    let changes = only(&simulation, "duplicate-tag", Fix::Rename);
    let labels: Vec<&str> = changes.iter().map(|change| &*change.label).collect();
    assert!(!labels.is_empty() && labels.iter().all(|label| label.ends_with("to speed 3")), "{labels:?}");
}

#[test]
fn a_variable_that_another_one_needs_is_created() {
    let simulation = in_root(r#"<variable name="a" value="2 * kk"/>"#);
    let [change] = &only(&simulation, "bad-variable", Fix::CreateVariable)[..] else { panic!("one change") };
    let changed = change.applied(&simulation, &Registry::standard()).expect("it is applied");
    assert_eq!(count(&changed, &Registry::standard(), "bad-variable"), 0);
}

/// 0.03 s and 0.02 s have the greatest common divisor 0.01 s.
#[test]
fn a_sample_time_sets_the_longest_step_that_fits() {
    let simulation = in_root(
        r#"<block id="1" group="Var" name="Static"/>
        <block id="2" group="Discrete" name="Unit Delay"><option name="Sample Time"><value>0.03</value></option></block>
        <connection from="1" output="Output" to="2" input="Input"/>"#,
    );
    let registry = Registry::standard();
    let [change] = &only(&simulation, "bad-option", Fix::SetStepLength)[..] else { panic!("one change") };
    let changed = change.applied(&simulation, &registry).expect("it is applied");
    assert_eq!(changed.delta, 0.01);
    assert_eq!(count(&changed, &registry, "bad-option"), 0);
}

#[test]
fn an_open_input_is_connected_to_the_nearest_output() {
    let simulation = in_root(
        r#"<block id="1" group="Var" name="Static" view:x="-400" view:y="0"/>
        <block id="2" group="Var" name="Static" view:x="-80" view:y="10"/>
        <block id="3" group="Math" name="Gain" view:x="0" view:y="0"/>"#,
    );
    let changes = only(&simulation, "unconnected-input", Fix::Connect);
    let changed = changes[0].applied(&simulation, &Registry::standard()).expect("it is applied");
    let root = changed.root_model().expect("a root");
    let source = root.source(simulate::model::BlockId(3), "Input").expect("it is connected");
    assert_eq!(source.from.0, 2);
    assert_eq!(changes.len(), 2, "the own output is no choice");
}

#[test]
fn a_loop_gets_a_delay_between_its_blocks() {
    let simulation = in_root(
        r#"<block id="1" group="Math" name="Gain" view:x="0" view:y="0"/><block id="2" group="Math" name="Gain" view:x="100" view:y="40"/>
        <connection from="1" output="Output" to="2" input="Input"/>
        <connection from="2" output="Output" to="1" input="Input"/>"#,
    );
    let [change] = &only(&simulation, "loop", Fix::InsertDelay)[..] else { panic!("one change") };
    let changed = change.applied(&simulation, &Registry::standard()).expect("it is applied");
    let root = changed.root_model().expect("a root");
    let delay = root.blocks.values().find(|block| block.is_called("Unit Delay")).expect("a delay");
    let position = delay.position().expect("a position");
    assert!((0.0..=100.0).contains(&position.x) && position.y > 40.0, "{position:?}");
    assert_eq!(root.connections.len(), 3);
}

/// Names that are like the wrong one come first; one that is not is no choice.
#[test]
fn a_misspelt_block_is_replaced_by_a_similar_one() {
    let simulation = in_root(r#"<block id="1" group="Math" name="Gian"/>"#);
    let changes = only(&simulation, "unknown-block", Fix::Replace);
    assert_eq!(changes[0].label, "Replace Gian #1 by Math/Gain");
    assert!(changes.iter().all(|change| !change.label.ends_with("Sine")));
    let strange = in_root(r#"<block id="1" group="Math" name="Xyzzy"/>"#);
    assert!(only(&strange, "unknown-block", Fix::Replace).is_empty());
}

#[test]
fn a_placeholder_that_is_replaced_keeps_its_wire() {
    let simulation = in_root(
        r#"<block id="1" group="Var" name="Static"/><block id="2" group="Placeholder" name="Gain" inputs="1" outputs="1"/>
           <connection from="1" output="Output" to="2" input="Input 1"/>"#,
    );
    let changes = only(&simulation, "placeholder", Fix::Replace);
    let gain = changes.iter().find(|change| change.label.ends_with(" by Math/Gain")).expect("the gain");
    let changed = gain.applied(&simulation, &Registry::standard()).expect("it is applied");
    let root = changed.root_model().expect("a root");
    assert_eq!(root.source(BlockId(2), "Input").map(|wire| wire.from), Some(BlockId(1)));
}

/// A constant for an input that is not connected stands at the left of the block, each further one below; a unit delay in
/// a wire that leads back faces left.
#[test]
fn what_a_fix_adds_has_a_place_beside_what_it_mends() {
    let simulation = in_root(
        r#"<block id="1" group="Math" name="Sum" view:x="300" view:y="50"/><block id="2" group="Math" name="Gain"/>"#,
    );
    let model = simulation.root_model().expect("the root");
    for (id, number, want) in [(1, 0, Some((220.0, 50.0))), (1, 2, Some((220.0, 130.0))), (2, 1, None)] {
        let block = model.block(BlockId(id)).expect("the block");
        let input = if id == 1 { "Input 1" } else { "Input" };
        let change = grounded(model, block, &input.into(), number, BlockId(9));
        let changed = change.applied(&simulation, &Registry::standard()).expect("it is applied");
        let root = changed.root_model().expect("the root");
        let ground = root.block(BlockId(9)).expect("the constant");
        assert_eq!(ground.position().map(|at| (at.x, at.y)), want, "{id}");
        assert_eq!(root.source(BlockId(id), input).map(|wire| wire.from), Some(BlockId(9)));
    }
}

/// The nearest outputs are offered first, and a constant 0 stands where the second input is.
#[test]
fn an_open_input_is_connected_to_what_is_near() {
    let simulation = in_root(
        r#"<block id="1" group="Var" name="Static" view:x="0" view:y="0"/>
           <block id="2" group="Var" name="Static" view:x="280" view:y="0"/>
           <block id="3" group="Var" name="Static" view:x="300" view:y="500"/>
           <block id="4" group="Var" name="Static"/>
           <block id="5" group="Math" name="Sum" view:x="300" view:y="50"/>
           <exit id="6" name="y"/>
           <connection from="1" output="Output" to="5" input="Input 1"/>
           <connection from="5" output="Output" to="6" input="Input"/>"#,
    );
    let sources: Vec<i128> = only(&simulation, "unconnected-input", Fix::Connect)
        .iter()
        .map(|change| {
            let changed = change.applied(&simulation, &Registry::standard()).expect("it is applied");
            let root = changed.root_model().expect("the root");
            root.source(BlockId(5), "Input 2").expect("it is connected").from.0
        })
        .collect();
    assert_eq!(sources, [2, 1, 3, 4]);
    let [zero] = &only(&simulation, "unconnected-input", Fix::ConnectZero)[..] else { panic!("one change") };
    let changed = zero.applied(&simulation, &Registry::standard()).expect("it is applied");
    let root = changed.root_model().expect("the root");
    let ground = root.source(BlockId(5), "Input 2").and_then(|wire| root.block(wire.from)).expect("the constant");
    assert_eq!(ground.position().map(|at| (at.x, at.y)), Some((220.0, 90.0)));
}

/// A unit delay in a loop stands below the middle of its wire, and faces left where that leads back.
#[test]
fn a_delay_in_a_loop_has_its_place_and_direction() {
    for (x, place, faces_left) in [(300.0, 200.0, true), (100.0, 100.0, true), (-100.0, 0.0, false)] {
        let simulation = in_root(&format!(
            r#"<block id="1" group="Math" name="Gain" view:x="100" view:y="40"/>
               <block id="2" group="Math" name="Gain" view:x="{x}" view:y="10"/>
               <exit id="3" name="y"/>
               <connection from="1" output="Output" to="3" input="Input"/>
               <connection from="1" output="Output" to="2" input="Input"/>
               <connection from="2" output="Output" to="1" input="Input"/>"#
        ));
        let model = simulation.root_model().expect("the root");
        let back = model.source(BlockId(1), "Input").expect("the wire that leads back");
        let at = Position { x: place, y: 120.0 };
        let edits = delayed(model, back, Some(at));
        let changed = Change::new("Delay", edits).applied(&simulation, &Registry::standard()).expect("it is applied");
        let root = changed.root_model().expect("the root");
        let delay = root.source(BlockId(1), "Input").and_then(|wire| root.block(wire.from)).expect("the delay");
        assert_eq!(delay.position(), Some(at));
        assert_eq!(delay.attributes.get(VIEW_FLIP) == Some("1"), faces_left, "{x}");
        let fed = root.source(delay.id, "Input").expect("the delay is fed");
        assert_eq!((fed.from, &*fed.output), (BlockId(2), "Output"));
        // The fix chooses a wire of the loop, and the place itself.
        let [change] = &only(&simulation, "loop", Fix::InsertDelay)[..] else { panic!("one change") };
        let changed = change.applied(&simulation, &Registry::standard()).expect("it is applied");
        let root = changed.root_model().expect("the root");
        let delay = root.blocks.values().find(|block| block.title() == "Unit Delay").expect("the delay");
        assert_eq!(delay.position(), Some(at));
    }
}

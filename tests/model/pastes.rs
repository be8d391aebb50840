//! Blocks that are pasted into another model or simulation, with what they need.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::format::{LoadOptions, Loader as _, simx::Simx};
use simulate::model::{
    BlockId, Change, ChangeKind, Diagnostic, Document, Fragment, Pasted, Position, Simulation, Variable, check,
};

use crate::sketch::{Run, Sketch};

/// A constant k behind a `Plant` that multiplies by g; the exit is 7·(2·3)·3, as k = 2·g and g = 3.
fn source() -> Simulation {
    let mut simulation = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["7*k"])])
        .block(1, "model Plant", &[])
        .block(2, "exit result", &[])
        .wires("Main", &[("0.Output", "1.u"), ("1.y", "2.Input")])
        .block_in("Plant", 0, "entry u", &[])
        .block_in("Plant", 1, "Math/Gain", &[("Gain", &["g"])])
        .block_in("Plant", 2, "exit y", &[])
        .wires("Plant", &[("0.Output", "1.Input"), ("1.Output", "2.Input")])
        .simulation;
    simulation.set_variable("g", Variable::new("3"));
    simulation.model_mut("Main").expect("the root").set_variable("k", Variable::new("2*g"));
    simulation
}

const RESULT: f64 = 7.0 * 6.0 * 3.0;

/// All of a model, with what it needs.
fn all_of(simulation: &Simulation, model: &str) -> Fragment {
    let simulation = Arc::new(simulation.clone());
    let model = simulation.model(model).expect("the model");
    let ids: Vec<BlockId> = model.blocks.keys().copied().collect();
    Fragment::of(model, &ids).with_definitions(&simulation, &model.name)
}

/// Pastes into a model of a document, as the window does.
fn paste(document: &mut Document, fragment: &Fragment, model: &str) -> Vec<String> {
    let simulation = Arc::clone(document.simulation());
    let model = simulation.model(model).expect("the model");
    let Pasted { edits, renamed, .. } =
        fragment.paste_into(&simulation, &Registry::standard(), model, Position::default());
    document.apply(&Change::new("Paste", edits).of_kind(ChangeKind::Paste)).expect("it can be pasted");
    renamed
}

fn document(simulation: Simulation) -> Document {
    Document::new(simulation, Registry::standard())
}

fn problems(document: &Document) -> Vec<Diagnostic> {
    check(document.simulation(), &Registry::standard())
}

fn result(document: &Document) -> f64 {
    Run::new(document.simulation(), "simple").steps(1).exit("result")[0]
}

fn names<T>(map: &std::collections::BTreeMap<Arc<str>, T>) -> Vec<&str> {
    map.keys().map(|name| &**name).collect()
}

#[test]
fn blocks_bring_their_models_and_variables_into_an_empty_simulation() {
    let mut empty = document(Simulation::new("Main"));
    assert!(paste(&mut empty, &all_of(&source(), "Main"), "Main").is_empty(), "nothing is renamed");
    assert_eq!((problems(&empty), result(&empty)), (vec![], RESULT));
    empty.undo();
    assert_eq!((names(&empty.simulation().models), empty.simulation().variables.len()), (vec!["Main"], 0));
    assert!(empty.simulation().root_model().is_some_and(|main| main.variables.is_empty()), "one step back");
}

/// Another Plant, k and g: what comes along gets names of its own, and what was there computes as before.
#[test]
fn definitions_of_the_same_name_and_another_content_are_kept_apart() {
    let mut other = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["k"])])
        .block(1, "model Plant", &[])
        .block(2, "exit own", &[])
        .wires("Main", &[("0.Output", "1.u"), ("1.y", "2.Input")])
        .block_in("Plant", 0, "entry u", &[])
        .block_in("Plant", 2, "exit y", &[])
        .wires("Plant", &[("0.Output", "2.Input")])
        .simulation;
    other.set_variable("k", Variable::new("11"));
    other.set_variable("g", Variable::new("100"));
    let mut other = document(other);
    let renamed = paste(&mut other, &all_of(&source(), "Main"), "Main");
    assert_eq!(renamed, ["“Plant” as “Plant 2”", "“k” as “k_2”"]);
    assert_eq!((problems(&other), result(&other)), (vec![], RESULT));
    assert_eq!(Run::new(other.simulation(), "simple").steps(1).exit("own"), [11.0]);
    // Once more: all is there by now.
    let renamed = paste(&mut other, &all_of(&source(), "Main"), "Main");
    assert_eq!(renamed, ["“Plant” as “Plant 2”", "“k” as “k_2”"]);
    assert_eq!(names(&other.simulation().models), ["Main", "Plant", "Plant 2"]);
    let main = other.simulation().root_model().expect("the root");
    assert_eq!(names(&main.variables), ["g_2", "k_2"], "k_2 is twice g_2");
}

/// The names in texts that are no expressions stay as they are, and so do the inputs of a formula.
#[test]
fn only_variables_follow_a_new_name() {
    let mut from = Sketch::new(1.0)
        .block(0, "User/Formula", &[("Inputs", &["k"]), ("Formula", &["y = k + u"])])
        .block(1, "User/Formula", &[("Inputs", &["u"]), ("Formula", &["y = k + u"])])
        .block(2, "Routing/Goto", &[("Tag", &["k"])])
        .block(3, "Math/Gain", &[("Gain", &["k", "2*k", "1e5"])])
        .simulation;
    from.set_variable("k", Variable::new("1"));
    from.set_variable("u", Variable::new("2"));
    let mut to = Simulation::new("Main");
    to.set_variable("k", Variable::new("8"));
    let mut to = document(to);
    paste(&mut to, &all_of(&from, "Main"), "Main");
    let main = to.simulation().root_model().expect("the root");
    let text = |id: i128, option: &str| {
        let block = main.block(BlockId(id)).expect("the block");
        block.option_texts(option).unwrap_or_default().join(" | ")
    };
    assert_eq!((text(0, "Formula"), text(0, "Inputs")), ("y = k + u".into(), "k".into()));
    assert_eq!((text(1, "Formula"), text(1, "Inputs")), ("y = k_2 + u".into(), "u".into()));
    assert_eq!((text(2, "Tag"), text(3, "Gain")), ("k".into(), "k_2 | 2*k_2 | 1e5".into()));
}

/// A chain of variables as long as a file may hold; without recursion.
#[test]
fn a_long_chain_of_variables_comes_along() {
    let count = 20_000;
    let mut from = Sketch::new(1.0).block(0, "Var/Static", &[("Value", &["a19999"])]).simulation;
    from.set_variable("a0", Variable::new("1"));
    for index in 1..count {
        from.set_variable(&format!("a{index}"), Variable::new(&format!("a{}", index - 1)));
    }
    let mut empty = document(Simulation::new("Main"));
    paste(&mut empty, &all_of(&from, "Main"), "Main");
    assert_eq!(empty.simulation().root_model().map(|main| main.variables.len()), Some(count));
}

/// Within a document an instance stays one of its model, whatever became of that since it was copied.
#[test]
fn an_instance_follows_the_model_of_its_document() {
    let before = source();
    let copied = all_of(&before, "Main");
    let mut after = before.clone();
    let gain = after.model_mut("Plant").and_then(|plant| plant.block_mut(BlockId(1))).expect("the gain");
    gain.set_option("Gain", Some(&["g + 1"]));
    let mut now = document(after);
    let current = copied.with_current_definitions(now.simulation());
    assert!(paste(&mut now, &current, "Main").is_empty());
    assert_eq!(names(&now.simulation().models), ["Main", "Plant"]);
    // A definition that the document has no longer comes back.
    let mut without = document(Simulation::new("Main"));
    let current = copied.with_current_definitions(without.simulation());
    paste(&mut without, &current, "Main");
    assert_eq!(names(&without.simulation().models), ["Main", "Plant"]);
}

/// A variable of a model comes along into another model of the same simulation.
#[test]
fn a_variable_of_the_model_comes_into_another_model() {
    let simulation = source();
    let main = simulation.model("Main").expect("the root");
    let only = Fragment::of(main, &[BlockId(0)]).with_definitions(&Arc::new(simulation.clone()), &main.name);
    let mut document = document(simulation.clone());
    assert!(paste(&mut document, &only, "Plant").is_empty());
    let plant = document.simulation().model("Plant").expect("the model");
    assert_eq!(plant.variables.get("k").map(|k| &*k.value), Some("2*g"), "g is one of the simulation");
    assert_eq!(problems(&document), problems(&self::document(simulation)));
}

/// A model that contains itself does not come along, and its name does not become that of another model.
#[test]
fn what_contains_itself_binds_to_nothing_else() {
    let mut from = source();
    let plant = from.model_mut("Plant").expect("the model");
    plant.add_block(simulate::model::Block::new(BlockId(9), simulate::model::BlockKind::model("Plant")));
    let mut other = document(source());
    paste(&mut other, &all_of(&from, "Main"), "Main");
    assert_eq!(other.simulation().instances_of("Plant").count(), 1);
    assert!(problems(&other).iter().any(|found| found.is_error() && found.message.contains("Plant 2")));
}

/// What a text on the clipboard holds, pasted as the issue of each of these files wants it.
#[test]
fn the_clipboards_text_has_all_that_its_blocks_need() {
    let read = |text: &str| Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it can be read").simulation;
    let from = read(include_str!("pastes/from.simx"));
    for (name, into, models) in [
        ("empty", include_str!("pastes/into_empty.simx"), vec!["Main", "Plant"]),
        ("other plant", include_str!("pastes/into_other_plant.simx"), vec!["Main", "Plant", "Plant 2"]),
    ] {
        let text = Simx.write(&all_of(&from, "Main").alone(&Registry::standard(), "Clipboard")).expect("it is written");
        let fragment = all_of(&read(std::str::from_utf8(&text).expect("text")), "Clipboard");
        let mut document = document(read(into));
        paste(&mut document, &fragment, "Main");
        assert_eq!(names(&document.simulation().models), models, "{name}");
        assert!(problems(&document).iter().all(|found| !found.is_error()), "{name}: {:?}", problems(&document));
        let main = document.simulation().root_model().expect("the root");
        let pasted = main.blocks.values().find(|block| block.title() == "K").expect("the gain");
        // k is twice g, and g is 3 wherever the blocks come from.
        let value = simulate::model::in_scope(document.simulation(), &[], main, |scope| {
            simulate::block::values_of(pasted.option_texts("Gain").unwrap_or_default()[0], scope)
        });
        assert_eq!(value.expect("a value").values, [6.0], "{name}");
    }
}

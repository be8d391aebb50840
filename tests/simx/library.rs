//! User libraries: folders of simulations, and models copied from them.

use std::fs;
use std::sync::Arc;

use simulate::block::Registry;
use simulate::format::{Formats, Library};
use simulate::model::{
    Block, BlockId, BlockKind, Change, Connection, CopiedModel, Document, Edit, Position, Simulation, copy_model,
};

use super::load_sound;
use crate::sketch::Run;

/// `Controller` uses `Gain2` and the file's variable `scale`, which depends on `base`.
const CONTROL: &str = r#"<simulation root="Demo">
	<variable name="base" value="3"/><variable name="scale" value="2*base"/><variable name="unused" value="1"/>
	<model name="Demo" library="no"><model id="0" model="Controller"/></model>
	<model name="Controller" doc="Scales">
		<entry id="0" name="u"/><model id="1" model="Gain2"><option name="g"><value>scale</value></option></model>
		<exit id="2" name="y"/>
		<connection from="0" output="Output" to="1" input="u"/><connection from="1" output="y" to="2" input="Input"/>
	</model>
	<model name="Gain2">
		<variable name="g" value="2"/>
		<entry id="0" name="u"/><block id="1" group="Math" name="Gain"><option name="Gain"><value>g</value></option></block>
		<exit id="2" name="y"/>
		<connection from="0" output="Output" to="1" input="Input"/><connection from="1" output="Output" to="2" input="Input"/>
	</model>
</simulation>"#;

#[test]
fn every_model_of_every_file_in_a_folder_is_there() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("more/deeper")).unwrap();
    for (name, text) in [
        ("control.simx", CONTROL),
        ("more/one.simx", r#"<simulation root="One"><model name="One"/></simulation>"#),
        ("more/deeper/two.simx", r#"<simulation root="Two"><model name="Two"/></simulation>"#),
        (".hidden.simx", CONTROL),
        ("notes.txt", "no simulation"),
        ("broken.simx", "<simulation"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let library = Library::load(folder.path(), &Formats::standard());
    let items: Vec<(&str, &str, &str)> =
        library.items.iter().map(|item| (&*item.group, &*item.name, item.doc())).collect();
    assert_eq!(items, [("control", "Controller", "Scales"), ("control", "Gain2", ""), ("more/one", "One", "")]);
    let problems: Vec<_> = library.problems.iter().map(|(path, _)| path.file_name().unwrap().to_owned()).collect();
    assert_eq!(problems, ["broken.simx"]);
    let nowhere = Library::load(&folder.path().join("nowhere"), &Formats::standard());
    assert!(nowhere.items.is_empty() && nowhere.problems.is_empty());
}

/// Copies `Controller` and inserts it between a constant and an exit.
fn taken(document: &mut Document, id: u64) -> Arc<str> {
    let library = load_sound(CONTROL);
    let CopiedModel { mut edits, name, .. } =
        copy_model(&library, "Controller", document.simulation()).expect("it is there");
    let main: Arc<str> = "Main".into();
    let add = |id: u64, kind| Edit::AddBlock {
        model: Arc::clone(&main),
        block: Box::new(Block::new(BlockId(id.into()), kind)),
    };
    let wire = |from: u64, output: &str, to: u64, input: &str| {
        let connection = Connection::new(BlockId(from.into()), output, BlockId(to.into()), input);
        Edit::Connect { model: Arc::clone(&main), connection: Box::new(connection) }
    };
    edits.extend([
        add(id, BlockKind::library("Var", "Static")),
        add(id + 1, BlockKind::model(&name)),
        add(id + 2, BlockKind::exit(&format!("y{id}"))),
        wire(id, "Output", id + 1, "u"),
        wire(id + 1, "y", id + 2, "Input"),
    ]);
    document.apply(&Change::new("Take a model", edits)).expect("it fits");
    name
}

fn names(simulation: &Simulation) -> Vec<&str> {
    simulation.models.keys().map(|name| &**name).collect()
}

#[test]
fn a_model_is_taken_with_all_that_it_uses() {
    let mut document = Document::new(Simulation::new("Main"), Registry::standard());
    assert_eq!(&*taken(&mut document, 0), "Controller");
    assert_eq!(names(document.simulation()), ["Controller", "Gain2", "Main"]);
    // The variables of the file belong to the model now.
    let controller = document.simulation().model("Controller").expect("the model");
    assert_eq!(controller.variables.keys().map(|name| &**name).collect::<Vec<_>>(), ["base", "scale"]);
    assert_eq!(Run::new(document.simulation(), "flat").steps(1).exit("y0"), [6.0]);
    document.undo();
    assert_eq!(**document.simulation(), Simulation::new("Main"));
}

#[test]
fn a_model_that_is_there_as_it_is_is_used_again() {
    let mut document = Document::new(Simulation::new("Main"), Registry::standard());
    taken(&mut document, 0);
    // Block positions and line ends are ignored in the comparison.
    let moves = vec![(BlockId(1), Position { x: 5.0, y: 6.0 })];
    document.apply(&Change::one("Move", Edit::Move { model: "Gain2".into(), moves })).expect("it moves");
    let saved = load_sound(&super::write(document.simulation()));
    let mut document = Document::new(saved, Registry::standard());
    assert_eq!(&*taken(&mut document, 10), "Controller");
    assert_eq!(names(document.simulation()), ["Controller", "Gain2", "Main"]);
}

#[test]
fn a_model_that_has_become_another_is_left_alone() {
    let mut document = Document::new(Simulation::new("Main"), Registry::standard());
    taken(&mut document, 0);
    let values = Some(vec!["-1".to_owned()]);
    let edit = Edit::SetOption { model: "Gain2".into(), id: BlockId(1), name: "Gain".into(), values };
    document.apply(&Change::one("Set", edit)).expect("it can be set");
    assert_eq!(&*taken(&mut document, 10), "Controller 2");
    assert_eq!(names(document.simulation()), ["Controller", "Controller 2", "Gain2", "Gain2 2", "Main"]);
    // The third one reuses the copies of the second one.
    assert_eq!(&*taken(&mut document, 20), "Controller 2");
    let mut run = Run::new(document.simulation(), "simple");
    run.steps(1);
    assert_eq!((run.exit("y0"), run.exit("y10"), run.exit("y20")), (vec![-1.0], vec![6.0], vec![6.0]));
}

#[test]
fn what_is_not_there_or_nested_in_itself_is_not_taken() {
    let library = load_sound(CONTROL);
    assert!(copy_model(&library, "Nothing", &Simulation::new("Main")).is_none());
    let mut ring = library.clone();
    let inner = ring.model_mut("Gain2").expect("the model");
    inner.add_block(Block::new(BlockId(9), BlockKind::model("Controller")));
    assert!(copy_model(&ring, "Controller", &Simulation::new("Main")).is_none());
    // The root's name is in use like any other.
    let CopiedModel { edits, name, .. } =
        copy_model(&library, "Gain2", &Simulation::new("Gain2")).expect("it is there");
    assert_eq!((edits.len(), &*name), (1, "Gain2 2"));
}

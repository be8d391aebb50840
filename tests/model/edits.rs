//! Edits of a document: blocks, wires, names, attributes, pasted fragments, undo and redo.

use std::sync::Arc;

use proptest::prelude::*;
use simulate::block::Registry;
use simulate::format::Formats;
use simulate::model::{
    Block, BlockId, BlockKind, Change, Connection, Document, Edit, EditError, Fragment, Model, Pasted, Position,
    Simulation, check, replace_block,
};

use super::{apply, bytes, document, nested, ports};
use crate::sketch::Sketch;

#[test]
fn a_model_block_has_the_entries_and_exits_that_nothing_matches() {
    let mut document = document(nested());
    assert_eq!(ports(&document, "Main", 1), (vec!["u".into()], vec!["y".into()]));
    let block = Block::new(BlockId(9), BlockKind::exit("z"));
    apply(&mut document, Edit::AddBlock { model: "Inner".into(), block: Box::new(block) });
    assert_eq!(ports(&document, "Main", 1).1, ["y", "z"], "a new exit is a port at once");
    apply(&mut document, Edit::RenamePort { model: "Inner".into(), id: BlockId(9), name: "u".into() });
    assert_eq!(ports(&document, "Main", 1), (vec![], vec!["y".into()]), "a pair is no port");
}

#[test]
fn renaming_a_port_keeps_the_wires_of_all_instances() {
    let mut document = document(nested());
    let before = document.simulation().clone();
    apply(&mut document, Edit::RenamePort { model: "Inner".into(), id: BlockId(0), name: "force".into() });
    apply(&mut document, Edit::RenamePort { model: "Inner".into(), id: BlockId(1), name: "way".into() });
    let main = document.simulation().model("Main").expect("the model").clone();
    assert_eq!(main.source(BlockId(1), "force").map(|c| c.from), Some(BlockId(0)));
    assert_eq!(main.source(BlockId(2), "Input").map(|c| c.output.to_string()), Some("way".to_owned()));
    assert_eq!(check(document.simulation(), document.registry()), []);
    document.undo();
    document.undo();
    assert_eq!(*document.simulation(), before);
}

/// Two entries of one name are one port: it stays for the other when one of them gets another name.
#[test]
fn a_port_stays_for_another_entry_of_its_name() {
    let mut document = document(nested());
    let entry = Block::new(BlockId(7), BlockKind::entry("u"));
    apply(&mut document, Edit::AddBlock { model: "Inner".into(), block: Box::new(entry) });
    let other = Block::new(BlockId(8), BlockKind::entry("other"));
    apply(&mut document, Edit::AddBlock { model: "Inner".into(), block: Box::new(other) });
    let fed = |document: &Document, name: &str| {
        let main = document.simulation().model("Main").expect("the model");
        main.source(BlockId(1), name).map(|wire| wire.from)
    };
    apply(&mut document, Edit::RenamePort { model: "Inner".into(), id: BlockId(7), name: "v".into() });
    assert_eq!((fed(&document, "u"), fed(&document, "v")), (Some(BlockId(0)), None));
    assert_eq!(ports(&document, "Main", 1).0, ["u", "v", "other"]);
    apply(&mut document, Edit::RenamePort { model: "Inner".into(), id: BlockId(0), name: "w".into() });
    assert_eq!((fed(&document, "u"), fed(&document, "w")), (None, Some(BlockId(0))), "it was the last of that name");
}

#[test]
fn renaming_a_model_updates_its_instances_and_the_root() {
    let mut document = document(nested());
    apply(&mut document, Edit::RenameModel { from: "Inner".into(), to: "Plant".into() });
    apply(&mut document, Edit::RenameModel { from: "Main".into(), to: "Top".into() });
    let simulation = document.simulation();
    assert_eq!(&*simulation.root, "Top");
    assert_eq!(simulation.instances_of("Plant").count(), 1);
    assert_eq!(check(simulation, document.registry()), []);
}

#[test]
fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let mut document = document(nested());
    let before = document.simulation().clone();
    let main: Arc<str> = "Main".into();
    let add = |kind| Edit::AddBlock { model: "Inner".into(), block: Box::new(Block::new(BlockId(9), kind)) };
    let connect = |from, output: &str, to, input: &str| Edit::Connect {
        model: Arc::clone(&main),
        connection: Box::new(Connection::new(BlockId(from), output, BlockId(to), input)),
    };
    let id_taken = Edit::AddBlock {
        model: Arc::clone(&main),
        block: Box::new(Block::new(BlockId(1), BlockKind::library("Math", "Gain"))),
    };
    type IsExpected = fn(&EditError) -> bool;
    let rename_port = |model: &str, id: u64, name: &str| Edit::RenamePort {
        model: model.into(),
        id: BlockId(id.into()),
        name: name.into(),
    };
    let rename_model = |from: &str, to: &str| Edit::RenameModel { from: from.into(), to: to.into() };
    let disconnect = Edit::Disconnect { model: Arc::clone(&main), to: BlockId(0), input: "Input".into() };
    let refused: [(Edit, IsExpected); 17] = [
        (Edit::SetDelta(0.0), |error| matches!(error, EditError::BadDelta)),
        (Edit::SetDelta(f64::NAN), |error| matches!(error, EditError::BadDelta)),
        (Edit::SetRoot("Nowhere".into()), |error| matches!(error, EditError::UnknownModel(_))),
        (Edit::RemoveModel { name: "Inner".into() }, |error| matches!(error, EditError::InUse { .. })),
        (Edit::RemoveModel { name: Arc::clone(&main) }, |error| matches!(error, EditError::IsRoot(_))),
        (add(BlockKind::model("Main")), |error| matches!(error, EditError::EndlessNesting(_))),
        (add(BlockKind::exit("y")), |error| matches!(error, EditError::NameTaken(_))),
        (id_taken, |error| matches!(error, EditError::IdTaken(BlockId(1)))),
        (connect(0, "Output", 1, "nothing"), |error| matches!(error, EditError::UnknownPort { .. })),
        (connect(0, "Nothing", 1, "u"), |error| matches!(error, EditError::UnknownPort { .. })),
        (connect(7, "Output", 1, "u"), |error| matches!(error, EditError::UnknownBlock(..))),
        (disconnect, |error| matches!(error, EditError::NotConnected { block: BlockId(0), .. })),
        (rename_model("Nowhere", "Other"), |error| matches!(error, EditError::UnknownModel(_))),
        // One exit of several has the name.
        (rename_port("Inner", 1, "x"), |error| matches!(error, EditError::NameTaken(_))),
        (rename_port("Inner", 1, ""), |error| matches!(error, EditError::NoName)),
        (rename_port("Main", 1, "x"), |error| matches!(error, EditError::UnknownBlock(..))),
        (rename_port("Main", 7, "x"), |error| matches!(error, EditError::UnknownBlock(..))),
    ];
    for (edit, is_expected) in refused {
        // The first edit of the change is valid, but must not stay either.
        let change = Change::new("Edits", vec![Edit::SetSteps(99), edit.clone()]);
        match document.apply(&change) {
            Err(error) => assert!(is_expected(&error), "{edit:?}: {error}"),
            Ok(()) => panic!("{edit:?} was not refused"),
        }
        assert_eq!(*document.simulation(), before);
    }
    assert_eq!(document.undo_labels().count(), 0);
}

/// Attributes of blocks are set, replaced, removed, and come back with undo; other attributes and the options stay.
#[test]
fn attributes_of_blocks_are_edited() {
    let mut document = document(nested());
    let set = |value: Option<&str>| Edit::SetBlockAttribute {
        model: "Main".into(),
        id: BlockId(0),
        name: "label".into(),
        value: value.map(Into::into),
    };
    let label = |document: &Document| {
        let block = document.simulation().model("Main")?.block(BlockId(0))?.clone();
        block.attributes.iter().find(|(name, _)| *name == "label").map(|(_, value)| value.to_string())
    };
    apply(&mut document, set(Some("Source")));
    assert_eq!(label(&document).as_deref(), Some("Source"));
    apply(&mut document, set(Some("Input")));
    assert_eq!(label(&document).as_deref(), Some("Input"));
    apply(&mut document, set(None));
    assert_eq!(label(&document), None);
    document.undo();
    assert_eq!(label(&document).as_deref(), Some("Input"));
}

#[test]
fn a_second_source_takes_the_input_over() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[])
        .block(1, "Var/Clock", &[])
        .block(2, "exit y", &[])
        .wire("0.Output", "2.Input");
    let mut document = document(sketch.simulation);
    let connection = Box::new(Connection::new(BlockId(1), "Output", BlockId(2), "Input"));
    apply(&mut document, Edit::Connect { model: "Main".into(), connection });
    let main = document.simulation().model("Main").expect("the model").clone();
    assert_eq!(main.connections.len(), 1);
    assert_eq!(main.source(BlockId(2), "Input").map(|c| c.from), Some(BlockId(1)));
}

#[test]
fn a_pasted_fragment_has_ids_and_names_of_its_own() {
    let mut document = document(nested());
    let inner = document.simulation().model("Inner").expect("the model").clone();
    let fragment = Fragment::of(&inner, &[BlockId(0), BlockId(1)]);
    let shift = Position { x: 20.0, y: 20.0 };
    let Pasted { edits, ids, .. } = fragment.paste_into(document.simulation(), &Registry::standard(), &inner, shift);
    document.apply(&Change::new("Paste", edits)).expect("it can be pasted");
    let inner = document.simulation().model("Inner").expect("the model").clone();
    assert_eq!((ids.len(), inner.blocks.len(), inner.connections.len()), (2, 6, 3));
    assert_eq!(ports(&document, "Main", 1), (vec!["u".into(), "u 2".into()], vec!["y".into(), "y 2".into()]));
}

/// Labels and titles of model blocks name signals, so they must be unique.
#[test]
fn pasted_titles_are_unique() {
    let mut model = Model::new("Main");
    let labelled = |id, label: &str| {
        let mut block = Block::new(BlockId(id), BlockKind::library("Math", "Gain"));
        block.attributes.set("label", label);
        block
    };
    model.add_block(labelled(0, "Speed"));
    model.add_block(labelled(1, "Motor 2"));
    model.add_block(Block::new(BlockId(2), BlockKind::model("Plant")));
    model.add_block(Block::new(BlockId(3), BlockKind::library("Math", "Abs")));
    let fragment = Fragment::of(&model, &[BlockId(0), BlockId(1), BlockId(2), BlockId(3)]);
    for want in [["Speed 2", "Motor 3", "Plant 2", "Abs"], ["Speed 3", "Motor 4", "Plant 3", "Abs"]] {
        let simulation = Simulation::new("Main");
        let edits = fragment.paste_into(&simulation, &Registry::standard(), &model, Position::default()).edits;
        let pasted: Vec<Block> = edits
            .into_iter()
            .filter_map(|edit| if let Edit::AddBlock { block, .. } = edit { Some(*block) } else { None })
            .collect();
        assert_eq!(pasted.iter().map(Block::title).collect::<Vec<_>>(), want);
        pasted.into_iter().for_each(|block| assert!(model.add_block(block)));
    }
}

#[test]
fn an_id_is_not_given_out_again() {
    let mut model = Model::new("M");
    for _ in 0..3 {
        let id = model.free_id();
        assert!(model.add_block(Block::new(id, BlockKind::entry("x"))));
    }
    model.remove_blocks(&[BlockId(2)].into());
    assert_eq!(model.free_id(), BlockId(3));
}

/// Found by reading for the fuzz target `clipboard`: pasted blocks got ids beyond the greatest, or ids in use.
#[test]
fn blocks_that_are_pasted_beside_the_greatest_id_have_ids_of_their_own() {
    let blocks = |ids: &[i128]| {
        let mut model = Model::new("Main");
        for id in ids {
            assert!(model.add_block(Block::new(BlockId(*id), BlockKind::library("Math", "Gain"))));
        }
        model
    };
    let three = Fragment::of(&blocks(&[0, 1, 2]), &[0, 1, 2].map(BlockId));
    let greatest = BlockId::MAX.0;
    for (taken, want) in [
        (vec![0, 1, greatest], [2, 3, 4]),
        (vec![1, 3, greatest], [0, 2, 4]),
        (vec![0, 2, greatest - 1], [greatest, 1, 3]),
    ] {
        let mut simulation = Simulation::new("Main");
        let Pasted { edits, ids, .. } =
            three.paste_into(&simulation, &Registry::standard(), &blocks(&taken), Position::default());
        assert_eq!(ids, want.map(BlockId));
        simulation.models.insert("Main".into(), Arc::new(blocks(&taken)));
        let mut document = document(simulation);
        document.apply(&Change::new("Paste", edits)).expect("it can be pasted");
    }
}

#[test]
fn positions_stay_in_the_original_programs_form() {
    let text = r#"<simulation root="M"><model name="M"><block id="0" group="Math" name="Gain">
        <data name="view:x">10</data><data name="view:y">20</data></block></model></simulation>"#;
    let formats = Formats::standard();
    let loader = formats.iter().next().expect("a format");
    let loaded = loader.read(text.as_bytes(), &Default::default()).expect("it can be read");
    let mut document = document(loaded.simulation);
    let moves = vec![(BlockId(0), Position { x: 30.0, y: 40.5 })];
    apply(&mut document, Edit::Move { model: "M".into(), moves });
    let written = String::from_utf8(bytes(document.simulation())).expect("text");
    assert!(written.contains(r#"<data name="view:x">30</data><data name="view:y">40.5</data>"#), "{written}");
}

/// An attribute that the original program wrote as data changes there, and is removed there.
#[test]
fn an_attribute_that_is_data_is_removed_as_data() {
    use simulate::format::{LoadOptions, Loader, simx::Simx};
    let text = r#"<simulation steps="1" delta="1" root="M"><model name="M">
        <block id="1" group="Math" name="Gain"><data name="view:x">3</data><data name="view:note">a</data></block>
        </model></simulation>"#;
    let loaded = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it can be read");
    let mut document = document(loaded.simulation);
    let mut set = |value: Option<&str>| {
        let (name, value) = ("view:note".into(), value.map(Arc::from));
        apply(&mut document, Edit::SetBlockAttribute { model: "M".into(), id: BlockId(1), name, value });
        String::from_utf8(bytes(document.simulation())).expect("text")
    };
    let written = set(Some("b"));
    assert!(written.contains(r#"<data name="view:note">b</data>"#), "{written}");
    let written = set(None);
    assert!(!written.contains("view:note") && written.contains(r#"<data name="view:x">3</data>"#), "{written}");
}

/// Every kind of edit on a small document, with valid and invalid numbers.
fn any_edit() -> impl Strategy<Value = Edit> {
    let model = prop_oneof![Just("Main"), Just("Inner"), Just("Other")].prop_map(Arc::from);
    let id = (0i128..8).prop_map(BlockId);
    let name = prop_oneof![Just("u"), Just("y"), Just("x"), Just("Other"), Just("")].prop_map(Arc::from);
    let port = prop_oneof![Just("Input"), Just("Output"), Just("Input 1"), Just("u"), Just("y")].prop_map(Arc::from);
    let kind = prop_oneof![
        Just(BlockKind::library("Math", "Gain")),
        Just(BlockKind::library("Math", "Sum")),
        Just(BlockKind::library("Math", "Integrate")),
        Just(BlockKind::entry("x")),
        Just(BlockKind::exit("y")),
        Just(BlockKind::model("Inner")),
        Just(BlockKind::model("Other")),
    ];
    let (model, id, name, port) = (model.boxed(), id.boxed(), name.boxed(), port.boxed());
    prop_oneof![
        (model.clone(), id.clone(), kind)
            .prop_map(|(model, id, kind)| Edit::AddBlock { model, block: Box::new(Block::new(id, kind)) }),
        (model.clone(), id.clone()).prop_map(|(model, id)| Edit::RemoveBlocks { model, ids: vec![id] }),
        (model.clone(), id.clone(), port.clone(), id.clone(), port.clone()).prop_map(
            |(model, from, output, to, input)| {
                Edit::Connect { model, connection: Box::new(Connection::new(from, &output, to, &input)) }
            }
        ),
        (model.clone(), id.clone(), port).prop_map(|(model, to, input)| Edit::Disconnect { model, to, input }),
        (model.clone(), id.clone(), -50.0..50.0, -50.0..50.0)
            .prop_map(|(model, id, x, y)| Edit::Move { model, moves: vec![(id, Position { x, y })] }),
        (model.clone(), id.clone(), proptest::option::of(proptest::collection::vec("[0-9x]{0,2}", 0..3)))
            .prop_map(|(model, id, values)| Edit::SetOption { model, id, name: "Gain".into(), values }),
        (model.clone(), id.clone(), name.clone()).prop_map(|(model, id, name)| Edit::RenamePort { model, id, name }),
        name.clone().prop_map(|name| Edit::AddModel { name }),
        model.clone().prop_map(|name| Edit::RemoveModel { name }),
        (model.clone(), name).prop_map(|(from, to)| Edit::RenameModel { from, to }),
        model.prop_map(Edit::SetRoot),
        (0u64..5).prop_map(Edit::SetSteps),
    ]
}

/// Checks the invariants after a change.
fn assert_rules(simulation: &Simulation) {
    for (name, model) in &simulation.models {
        assert_eq!(*name, model.name);
        for (key, connection) in &model.connections {
            assert_eq!(*key, connection.key());
            assert!(
                model.block(connection.from).is_some() && model.block(connection.to).is_some(),
                "no end in the air"
            );
        }
        let mut seqs: Vec<u64> = model.blocks.values().map(|block| block.seq).collect();
        seqs.extend(model.connections.values().map(|connection| connection.seq));
        seqs.sort_unstable();
        assert!(seqs.windows(2).all(|pair| pair[0] < pair[1]), "each has a place of its own");
    }
    let found = check(simulation, &Registry::standard());
    assert!(!found.iter().any(|problem| problem.code == "endless-nesting"), "{found:#?}");
}

proptest! {
    #![proptest_config(crate::random_cases(300))]

    #[test]
    fn undo_leads_back_to_the_first_byte_and_redo_to_the_last(edits in proptest::collection::vec(any_edit(), 1..40)) {
        let mut document = document(nested());
        let mut states = vec![bytes(document.simulation())];
        for edit in edits {
            if document.apply(&Change::one("Edit", edit)).is_ok() {
                assert_rules(document.simulation());
                states.push(bytes(document.simulation()));
            }
        }
        let last = states.len() - 1;
        for state in (0..last).rev() {
            prop_assert!(document.undo().is_some());
            prop_assert_eq!(&bytes(document.simulation()), &states[state]);
        }
        prop_assert!(document.undo().is_none());
        prop_assert!(document.is_saved());
        for state in &states[1..] {
            prop_assert!(document.redo().is_some());
            prop_assert_eq!(&bytes(document.simulation()), state);
        }
        prop_assert!(document.redo().is_none());
    }
}

/// A change discards the undone changes, and their revision numbers are not used again.
#[test]
fn a_change_after_undo_leaves_nothing_to_redo() {
    let mut document = document(nested());
    let set = |document: &mut Document, steps: u64| {
        let change = Change::one(format!("Run {steps} steps"), Edit::SetSteps(steps));
        document.apply(&change).expect("the edit is allowed");
        document.revision()
    };
    let first = set(&mut document, 1);
    let gone = set(&mut document, 2);
    document.mark_saved(gone);
    assert_eq!(document.undo(), Some("Run 2 steps"));
    assert_eq!(document.revision(), first);
    assert_eq!(document.redo_labels().collect::<Vec<_>>(), ["Run 2 steps"]);
    let other = set(&mut document, 3);
    assert_eq!(document.redo_labels().count(), 0);
    assert_eq!(document.redo(), None);
    assert_eq!(document.simulation().steps, 3);
    assert!(![0, first, gone].contains(&other), "{other}");
    assert!(!document.is_saved(), "what is on disk is what was undone");
}

/// After an undo and a redo the menu shows the same labels as before.
#[test]
fn labels_go_along_with_undo_and_redo() {
    let mut document = document(nested());
    for steps in [1, 2] {
        let change = Change::one(format!("Run {steps} steps"), Edit::SetSteps(steps));
        document.apply(&change).expect("the edit is allowed");
    }
    let labels = |document: &Document| -> (Vec<String>, Vec<String>) {
        let undo = document.undo_labels().map(str::to_owned).collect();
        (undo, document.redo_labels().map(str::to_owned).collect())
    };
    let (one, two) = ("Run 1 steps", "Run 2 steps");
    let own = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>();
    assert_eq!(labels(&document), (own(&[two, one]), own(&[])));
    assert_eq!(document.undo(), Some(two));
    assert_eq!(document.undo(), Some(one));
    assert_eq!(labels(&document), (own(&[]), own(&[one, two])));
    assert_eq!(document.redo(), Some(one));
    assert_eq!(labels(&document), (own(&[one]), own(&[two])));
    assert_eq!(document.redo(), Some(two));
    assert_eq!(labels(&document), (own(&[two, one]), own(&[])));
}

/// An invalid `delta` or `steps` stays in the file until it is set.
#[test]
fn a_number_that_could_not_be_read_gives_way_to_a_new_one() {
    let loaded = crate::simx::load("<simulation steps=\"many\" delta=\"short\"/>").simulation;
    let mut document = document(loaded);
    apply(&mut document, Edit::SetSteps(7));
    apply(&mut document, Edit::SetDelta(0.5));
    let written = crate::simx::write(document.simulation());
    assert!(written.contains("<simulation steps=\"7\" delta=\"0.5\"/>"), "{written}");
    let again = crate::simx::load_sound(&written);
    assert_eq!((again.steps, again.delta), (7, 0.5));
}

/// Wires go to the port of the same name, or else to that at the same place; what has no port is gone.
#[test]
fn a_block_of_another_kind_takes_the_wires_over() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[])
        .block(1, "Var/Static", &[])
        .block(2, "Math/Multiply", &[])
        .block(3, "exit y", &[])
        .wire("0.Output", "2.Multiplicand 1")
        .wire("1.Output", "2.Multiplicand 2")
        .wire("2.Product", "3.Input");
    let replaced = |kind: BlockKind| {
        let mut document = document(sketch.simulation.clone());
        let main = Arc::clone(document.simulation().root_model().expect("a root"));
        let edits = replace_block(document.simulation(), document.registry(), &main, BlockId(2), kind);
        document.apply(&Change::new("Replace", edits)).expect("it is allowed");
        let main = document.simulation().root_model().expect("a root");
        let mut wires: Vec<_> = main
            .connections
            .values()
            .map(|wire| format!("{}.{} {}.{}", wire.from.0, wire.output, wire.to.0, wire.input))
            .collect();
        wires.sort();
        wires
    };
    let kind = |group: &str, name: &str| BlockKind::library(group, name);
    let same = ["0.Output 2.Multiplicand 1", "1.Output 2.Multiplicand 2", "2.Product 3.Input"];
    assert_eq!(replaced(kind("Math", "Multiply")), same);
    assert_eq!(replaced(kind("Math", "Sum")), ["0.Output 2.Input 1", "1.Output 2.Input 2", "2.Output 3.Input"]);
    assert_eq!(replaced(kind("Math", "Gain")), ["0.Output 2.Input", "2.Output 3.Input"]);
    assert_eq!(replaced(kind("Var", "Clock")), ["2.Output 3.Input"]);
    assert_eq!(replaced(kind("Sink", "Terminator")), ["0.Output 2.Input"]);
}

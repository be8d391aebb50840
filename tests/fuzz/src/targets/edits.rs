//! Random edits of a document: its rules hold after each, undo leads back to the first bytes and redo to the last.

use std::collections::BTreeSet;
use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use simulate::block::Registry;
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader};
use simulate::model::{
    Block, BlockId, BlockKind, Change, Connection, Document, Edit, EditError, Fragment, Model, Pasted, Position,
    Simulation, Variable, check, copy_model, expand, group, nesting, replace_block,
};

use super::texts::nested;
use super::{MEGABYTE, Memory};

/// Each edit leaves a snapshot, in which a model is there once more.
pub const MEMORY: Memory = Memory { fixed: 32 * MEGABYTE, times: 4000 };

const MODELS: [&str; 5] = ["Main", "Inner", "Other", "Inner 2", ""];
const PORTS: [&str; 8] = ["Input", "Output", "Input 1", "Input 2", "u", "y", "x", "p"];
const NAMES: [&str; 10] = ["u", "y", "x", "p", "Gain", "Value", "", "view:x", "a b", "Inputs"];
const TEXTS: [&str; 10] = ["1", "k", "p+1", "", "\"<&>", "nan", "é\n\t", "3", "\u{1}", "[1 2"];
const IDS: [i128; 10] = [0, 1, 2, 3, 4, 5, -4, i64::MIN as i128, u64::MAX as i128, u64::MAX as i128 - 1];
const KINDS: [(&str, &str); 6] = [
    ("Math", "Gain"),
    ("Math", "Sum"),
    ("Math", "Integrate"),
    ("Routing", "Goto"),
    ("Routing", "From"),
    ("No", "Such"),
];

fn model(u: &mut Unstructured) -> Result<Arc<str>> {
    u.choose(&MODELS).map(|name| (*name).into())
}

fn name(u: &mut Unstructured) -> Result<Arc<str>> {
    u.choose(&NAMES).map(|name| (*name).into())
}

fn port(u: &mut Unstructured) -> Result<Arc<str>> {
    u.choose(&PORTS).map(|name| (*name).into())
}

fn id(u: &mut Unstructured) -> Result<BlockId> {
    u.choose(&IDS).copied().map(BlockId)
}

fn ids(u: &mut Unstructured) -> Result<Vec<BlockId>> {
    (0..u.int_in_range(0..=4)?).map(|_| id(u)).collect()
}

fn value(u: &mut Unstructured) -> Result<Option<Arc<str>>> {
    Ok(if u.arbitrary()? { Some((*u.choose(&TEXTS)?).into()) } else { None })
}

fn kind(u: &mut Unstructured) -> Result<BlockKind> {
    Ok(match u.int_in_range(0..=5)? {
        0 => BlockKind::entry(u.choose(&PORTS)?),
        1 => BlockKind::exit(u.choose(&PORTS)?),
        2 => BlockKind::model(u.choose(&MODELS)?),
        _ => {
            let (group, name) = u.choose(&KINDS)?;
            BlockKind::library(group, name)
        }
    })
}

fn block(u: &mut Unstructured) -> Result<Box<Block>> {
    let mut block = Block::new(id(u)?, kind(u)?);
    if u.arbitrary()? {
        block = block.with_option(u.choose(&NAMES)?, &[u.choose(&TEXTS)?]);
    }
    if u.arbitrary()? {
        block.attributes.set("label", u.choose(&TEXTS)?);
    }
    Ok(Box::new(block))
}

fn position(u: &mut Unstructured) -> Result<Position> {
    let (x, y): (f64, f64) = u.arbitrary()?;
    Ok(Position { x, y })
}

fn edit(u: &mut Unstructured, now: &Simulation) -> Result<Edit> {
    Ok(match u.int_in_range(0..=20)? {
        0 => Edit::SetSteps(u.arbitrary()?),
        1 => Edit::SetDelta(u.arbitrary()?),
        2 => Edit::SetRoot(model(u)?),
        3 => Edit::SetSimulationAttribute { name: name(u)?, value: value(u)? },
        4 => {
            let model = if u.arbitrary()? { Some(model(u)?) } else { None };
            let variable = value(u)?.map(|value| Variable::new(&value));
            Edit::SetVariable { model, name: name(u)?, variable }
        }
        5 => {
            let model = if u.arbitrary()? { Some(model(u)?) } else { None };
            Edit::SetVariableAttribute { model, name: name(u)?, attribute: name(u)?, value: value(u)? }
        }
        6 => Edit::AddModel { name: model(u)? },
        7 => Edit::SetModelAttribute { model: model(u)?, name: name(u)?, value: value(u)? },
        8 => {
            let known = now.model(&model(u)?);
            let mut copy = known.map_or_else(|| Model::new("Other"), |known| Model::clone(known));
            copy.name = model(u)?;
            Edit::InsertModel { model: Box::new(copy) }
        }
        9 => Edit::RemoveModel { name: model(u)? },
        10 => Edit::RenameModel { from: model(u)?, to: model(u)? },
        11 | 12 => Edit::AddBlock { model: model(u)?, block: block(u)? },
        13 => Edit::RemoveBlocks { model: model(u)?, ids: ids(u)? },
        14 => Edit::ReplaceBlock { model: model(u)?, block: block(u)? },
        15 => {
            let connection = Connection::new(id(u)?, &port(u)?, id(u)?, &port(u)?);
            Edit::Connect { model: model(u)?, connection: Box::new(connection) }
        }
        16 => Edit::Disconnect { model: model(u)?, to: id(u)?, input: port(u)? },
        17 => Edit::Move { model: model(u)?, moves: vec![(id(u)?, position(u)?)] },
        18 => {
            let values = value(u)?.map(|value| vec![value.to_string()]);
            Edit::SetOption { model: model(u)?, id: id(u)?, name: name(u)?, values }
        }
        19 => {
            let (model, name, value) = (model(u)?, name(u)?, value(u)?);
            match u.arbitrary()? {
                true => Edit::SetBlockAttribute { model, id: id(u)?, name, value },
                false => Edit::SetConnectionAttribute { model, to: id(u)?, input: port(u)?, name, value },
            }
        }
        _ => Edit::RenamePort { model: model(u)?, id: id(u)?, name: port(u)? },
    })
}

/// A change as the window makes it.
fn change(u: &mut Unstructured, now: &Simulation, registry: &Registry) -> Result<Change> {
    let edits = match u.int_in_range(0..=9)? {
        0 => {
            let ids: BTreeSet<BlockId> = ids(u)?.into_iter().collect();
            let wanted = *u.choose(&MODELS)?;
            let model = now.model(&model(u)?);
            model.and_then(|model| group(now, model, &ids, wanted)).map(|(edits, _)| edits).unwrap_or_default()
        }
        1 => {
            let (model, id) = (model(u)?, id(u)?);
            let expanded = now.model(&model).map(|model| expand(now, model, id));
            expanded.and_then(|made| made.ok()).map(|(edits, _)| edits).unwrap_or_default()
        }
        2 => {
            let (model, id, kind) = (model(u)?, id(u)?, kind(u)?);
            now.model(&model).map(|model| replace_block(now, registry, model, id, kind)).unwrap_or_default()
        }
        3 => {
            let (from, into, ids) = (model(u)?, model(u)?, ids(u)?);
            let fragment = now.model(&from).map(|model| Fragment::of(model, &ids)).unwrap_or_default();
            let pasted = |model| fragment.paste_into(now, registry, model, Position::default()).edits;
            now.model(&into).map(|model| pasted(model)).unwrap_or_default()
        }
        4 => copy_model(nested(), &model(u)?, now).map(|copied| copied.edits).unwrap_or_default(),
        _ => (0..u.int_in_range(1..=3)?).map(|_| edit(u, now)).collect::<Result<_>>()?,
    };
    Ok(Change::new("Edit", edits))
}

/// Checks the rules of a document.
fn assert_rules(simulation: &Simulation) {
    for (name, model) in &simulation.models {
        assert!(*name == model.name, "a model under another name");
        for (id, block) in &model.blocks {
            assert!(*id == block.id, "a block under another id");
            assert!((BlockId::MIN..=BlockId::MAX).contains(id), "the id {id} cannot be read again");
        }
        for (key, connection) in &model.connections {
            assert!(*key == connection.key(), "a connection under another input");
            let has = |id| model.block(id).is_some();
            assert!(has(connection.from) && has(connection.to), "a connection without an end");
        }
        let blocks = model.blocks.values().map(|block| block.seq);
        let places: Vec<u64> = blocks.chain(model.connections.values().map(|wire| wire.seq)).collect();
        let each: BTreeSet<u64> = places.iter().copied().collect();
        assert!(each.len() == places.len(), "two parts of a model at the same place");
    }
    assert!(nesting(simulation).rings.is_empty(), "an endless nesting");
}

/// Checks that a document can be written, and the file read again as the same.
fn assert_kept(simulation: &Simulation, bytes: Option<&Vec<u8>>) {
    let bytes = bytes.expect("what was edited can be saved");
    let again = Simx.read(bytes, &LoadOptions::default()).expect("what was written can be read").simulation;
    assert!(again.models.keys().eq(simulation.models.keys()), "other models after reading and writing");
    assert!(Simx.write(&again).ok().as_ref() == Some(bytes), "another file after reading and writing");
}

fn bytes(simulation: &Simulation) -> Option<Vec<u8>> {
    Simx.write(simulation).ok()
}

pub fn run(data: &[u8]) {
    let u = &mut Unstructured::new(data);
    let registry = Registry::standard();
    let mut document = Document::new(nested().clone(), Arc::clone(&registry));
    let mut states = vec![bytes(document.simulation())];
    // How many changes at the end were undone.
    let mut undone = 0;
    while !u.is_empty() && states.len() < 32 {
        let Ok(what) = u.int_in_range(0..=9u8) else { break };
        match what {
            0 if states.len() > 1 => {
                assert!(document.undo().is_some());
                states.pop();
                undone += 1;
                assert!(bytes(document.simulation()) == states.last().cloned().flatten(), "undo leads elsewhere");
            }
            _ => {
                let now = Arc::clone(document.simulation());
                let Ok(change) = change(u, &now, &registry) else { break };
                match document.apply(&change) {
                    Ok(()) => {
                        let saved = bytes(document.simulation());
                        assert_kept(document.simulation(), saved.as_ref());
                        states.push(saved);
                        undone = 0;
                    }
                    Err(error) => {
                        assert!(!error.to_string().is_empty());
                        assert!(*document.simulation() == now, "a change that was refused has changed something");
                    }
                }
            }
        }
        assert_rules(document.simulation());
    }
    let _ = check(document.simulation(), &registry);
    for state in states.iter().rev().skip(1) {
        assert!(document.undo().is_some(), "a change cannot be undone");
        assert!(bytes(document.simulation()) == *state, "undo leads elsewhere");
    }
    assert!(document.undo().is_none() && document.is_saved(), "undo leads before the first state");
    for state in states.iter().skip(1) {
        assert!(document.redo().is_some(), "a change cannot be made again");
        assert!(bytes(document.simulation()) == *state, "redo leads elsewhere");
    }
    assert!(document.redo_labels().count() == undone, "another number of changes can be made again");
}

/// The text of the clipboard, pasted into a document.
pub fn clipboard(data: &[u8]) {
    let Ok(loaded) = Simx.read(data, &LoadOptions::default()) else { return };
    let Some(root) = loaded.simulation.root_model() else { return };
    let ids: Vec<BlockId> = root.blocks.keys().copied().collect();
    let name = Arc::clone(&root.name);
    let fragment = Fragment::of(root, &ids).with_definitions(&Arc::new(loaded.simulation), &name);
    let registry = Registry::standard();
    let mut document = Document::new(nested().clone(), Registry::standard());
    for name in ["Main", "Inner"] {
        let before = Arc::clone(document.simulation());
        let model = before.model(name).expect("the model");
        let shift = Position { x: 20.0, y: 20.0 };
        let Pasted { edits, ids: pasted, .. } = fragment.paste_into(&before, &registry, model, shift);
        assert!(pasted.len() == fragment.blocks.len());
        match document.apply(&Change::new("Paste", edits)) {
            Ok(()) => {
                assert_rules(document.simulation());
                assert_kept(document.simulation(), bytes(document.simulation()).as_ref());
                document.undo();
            }
            Err(EditError::IdTaken(id)) => panic!("the id {id} was given twice"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        assert!(**document.simulation() == *before);
    }
}

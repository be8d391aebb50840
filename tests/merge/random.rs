//! Random edits of both sides.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use simulate::Registry;
use simulate::model::{
    Block, BlockId, BlockKind, Change, Connection, Document, Edit, Position, Simulation, Variable, conflicts, expand,
    group,
};

use super::{MOTOR, changed, merged, parsed, written};

/// The attribute that identifies a block through all edits.
const TAG: &str = "tag";

/// An edit of a random place.
#[derive(Clone, Debug)]
struct Gesture {
    what: u8,
    model: u8,
    block: u8,
    other: u8,
}

fn gestures() -> impl Strategy<Value = Vec<Gesture>> {
    let gesture = (0..12_u8, any::<u8>(), any::<u8>(), any::<u8>());
    proptest::collection::vec(
        gesture.prop_map(|(what, model, block, other)| Gesture { what, model, block, other }),
        0..7,
    )
}

fn tagged_base() -> Simulation {
    let mut base = parsed(&changed(MOTOR, &[]));
    let names: Vec<Arc<str>> = base.models.keys().cloned().collect();
    for name in names {
        let model = base.model_mut(&name).expect("a model");
        let ids: Vec<BlockId> = model.blocks.keys().copied().collect();
        for id in ids {
            let block = model.block_mut(id).expect("a block");
            block.attributes.set(TAG, &format!("{name}{id}"));
        }
    }
    parsed(&written(&base))
}

/// Returns the edits of a gesture; none if its place has nothing to edit.
fn edits(simulation: &Simulation, gesture: &Gesture, side: &str, number: usize) -> Option<Vec<Edit>> {
    let models: Vec<_> = simulation.models.values().collect();
    let model = models[usize::from(gesture.model) % models.len()];
    let blocks: Vec<_> = model.blocks.values().collect();
    let pick = |raw: u8| (!blocks.is_empty()).then(|| blocks[usize::from(raw) % blocks.len()]);
    let (name, block) = (|| Arc::clone(&model.name), || pick(gesture.block));
    let is_port = |block: &Block| matches!(block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. });
    let value = || format!("{}", u32::from(gesture.other) + 1);
    Some(match gesture.what {
        0 | 1 => {
            let block = block().filter(|block| block.options().next().is_some())?;
            let option = Arc::clone(&block.options().next()?.name);
            vec![Edit::SetOption { model: name(), id: block.id, name: option, values: Some(vec![value()]) }]
        }
        2 => {
            let block = block().filter(|block| !is_port(block))?;
            let label = Some(format!("{side}{number}").into());
            vec![Edit::SetBlockAttribute { model: name(), id: block.id, name: "label".into(), value: label }]
        }
        3 => vec![Edit::RemoveBlocks { model: name(), ids: vec![block()?.id] }],
        4 | 5 => {
            let mut new = Block::new(model.free_id(), BlockKind::library("Math", "Gain"));
            new.attributes.set(TAG, &format!("new {side}{number}"));
            new.set_position(Position { x: f64::from(gesture.other), y: number as f64 });
            let from =
                block().filter(|block| !matches!(block.kind, BlockKind::Exit { .. } | BlockKind::Model { .. }))?;
            let wire = Connection::new(from.id, "Output", new.id, "Input");
            vec![
                Edit::AddBlock { model: name(), block: Box::new(new) },
                Edit::Connect { model: name(), connection: Box::new(wire) },
            ]
        }
        6 => {
            let wire = model.connections.values().nth(usize::from(gesture.block) % model.connections.len().max(1))?;
            vec![Edit::Disconnect { model: name(), to: wire.to, input: Arc::clone(&wire.input) }]
        }
        7 => {
            let wire = model.connections.values().nth(usize::from(gesture.block) % model.connections.len().max(1))?;
            let mut wire = Connection::clone(wire);
            let from = pick(gesture.other)
                .filter(|block| !matches!(block.kind, BlockKind::Exit { .. } | BlockKind::Model { .. }))?;
            (wire.from, wire.output) = (from.id, "Output".into());
            vec![Edit::Connect { model: name(), connection: Box::new(wire) }]
        }
        8 => {
            let ids = [pick(gesture.block)?.id, pick(gesture.other)?.id].into_iter().collect();
            group(simulation, model, &ids, &format!("Group {side}{number}"))?.0
        }
        9 => {
            let instance = blocks.iter().find(|block| matches!(block.kind, BlockKind::Model { .. }))?;
            expand(simulation, model, instance.id).ok()?.0
        }
        10 => vec![Edit::RenameModel { from: name(), to: format!("Model {side}{number}").into() }],
        _ => vec![Edit::SetVariable {
            model: None,
            name: format!("v{}", gesture.other % 4).into(),
            variable: Some(Variable::new(&value())),
        }],
    })
}

/// The document after those gestures that are possible, as its file has it.
fn edited(base: &Simulation, gestures: &[Gesture], side: &str) -> Simulation {
    let mut document = Document::new(base.clone(), Registry::standard());
    for (number, gesture) in gestures.iter().enumerate() {
        if let Some(edits) = edits(document.simulation(), gesture, side, number) {
            // A change that would close a loop is refused.
            let _ = document.apply(&Change::new("", edits));
        }
    }
    parsed(&written(document.simulation()))
}

/// The blocks by their tags. One that a side has moved and the other changed may be there twice, with a conflict.
fn tags(simulation: &Simulation) -> BTreeMap<String, Vec<&Block>> {
    let mut tags: BTreeMap<String, Vec<&Block>> = BTreeMap::new();
    for block in simulation.models.values().flat_map(|model| model.blocks.values()) {
        if let Some(tag) = block.attributes.get(TAG) {
            tags.entry(tag.to_owned()).or_default().push(block);
        }
    }
    tags
}

/// The values of all options of the blocks with a tag.
fn values(blocks: &[&Block]) -> BTreeSet<Vec<String>> {
    let texts = |block: &&Block| block.options().flat_map(|option| option.texts().map(str::to_owned)).collect();
    blocks.iter().map(texts).collect()
}

/// Checks that a merge has all that it must have.
fn check_whole(base: &Simulation, sides: [&Simulation; 2], found: &Simulation) -> Result<(), TestCaseError> {
    let [before, now] = [base, found].map(tags);
    let [ours, theirs] = sides.map(tags);
    let all: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    for tag in all {
        let is_new = !before.contains_key(tag);
        let is_in_both = ours.contains_key(tag) && theirs.contains_key(tag);
        if is_new || is_in_both {
            prop_assert!(now.contains_key(tag), "{tag} is lost");
        }
        let (Some(base), Some(our), Some(their), Some(now)) =
            (before.get(tag), ours.get(tag), theirs.get(tag), now.get(tag))
        else {
            continue;
        };
        // A value that only one side changed is there.
        let [base, our, their, now] = [base, our, their, now].map(|blocks| values(blocks));
        if base == our {
            prop_assert!(now.is_superset(&their), "{tag}: {now:?}, {their:?}");
        } else if base == their {
            prop_assert!(now.is_superset(&our), "{tag}: {now:?}, {our:?}");
        }
    }
    for model in found.models.values() {
        for wire in model.connections.values() {
            let has_ends = model.block(wire.from).is_some() && model.block(wire.to).is_some();
            prop_assert!(has_ends, "{wire:?} in {} has no end", model.name);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::random_cases(300))]

    #[test]
    fn a_merge_with_an_unchanged_side_is_the_other_side(gestures in gestures()) {
        let base = tagged_base();
        let side = edited(&base, &gestures, "a");
        // A side that was written again is not the same object.
        let same = parsed(&written(&base));
        for found in [merged(&base, &same, &side), merged(&base, &side, &same), merged(&base, &side, &side)] {
            prop_assert_eq!(written(&found.simulation), written(&side));
        }
    }

    #[test]
    fn a_merge_with_a_side_that_changed_something_else_has_all_of_the_other(gestures in gestures()) {
        let base = tagged_base();
        let side = edited(&base, &gestures, "a");
        let mut other = base.clone();
        other.steps = 101;
        let mut wanted = side.clone();
        wanted.steps = 101;
        for found in [merged(&base, &other, &side), merged(&base, &side, &other)] {
            prop_assert_eq!(written(&found.simulation), written(&wanted));
        }
    }

    #[test]
    fn nothing_is_lost(ours in gestures(), theirs in gestures()) {
        let base = tagged_base();
        let [ours, theirs] = [(&ours, "a"), (&theirs, "b")].map(|(gestures, side)| edited(&base, gestures, side));
        let there = merged(&base, &ours, &theirs).simulation;
        check_whole(&base, [&ours, &theirs], &there)?;
        let back = merged(&base, &theirs, &ours).simulation;
        check_whole(&base, [&theirs, &ours], &back)?;
        // Without a conflict, both directions give the same bytes.
        prop_assert_eq!(conflicts(&there).is_empty(), conflicts(&back).is_empty());
        if conflicts(&there).is_empty() {
            prop_assert_eq!(written(&there), written(&back));
        }
        // Merged again with the same, nothing changes.
        prop_assert_eq!(written(&merged(&base, &ours, &theirs).simulation), written(&there));
    }
}

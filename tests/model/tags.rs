//! Replacing wires by tags and tags by wires does not change results.

use std::collections::BTreeSet;
use std::sync::Arc;

use simulate::block::{ParamDef, Registry};
use simulate::engine::compile;
use simulate::model::{
    BlockId, Connection, InputKey, Model, Position, Simulation, TagError, has_wire_tag, tags_for_wires, wires_for_tags,
};

use super::levels::{applied, examples, outcome, with_exits};
use crate::sketch::Sketch;

fn root(simulation: &Simulation) -> Arc<Model> {
    Arc::clone(simulation.root_model().expect("a root"))
}

fn nowhere(_: &Connection) -> (Position, Position) {
    Default::default()
}

/// Block, input and source of each wire.
fn wires(model: &Model) -> BTreeSet<(BlockId, String, BlockId, String)> {
    let all = model.connections.values();
    all.map(|wire| (wire.to, wire.input.to_string(), wire.from, wire.output.to_string())).collect()
}

#[test]
fn names_in_place_of_any_wires_change_no_result_nor_does_going_back() {
    let registry = Registry::standard();
    let mut count = 0;
    for (name, simulation) in examples() {
        let simulation = with_exits(&simulation);
        let before = outcome(&simulation);
        let all: Vec<InputKey> = root(&simulation).connections.keys().cloned().collect();
        let parts: [BTreeSet<InputKey>; 3] = [
            all.iter().cloned().collect(),
            all.iter().step_by(2).cloned().collect(),
            all.first().cloned().into_iter().collect(),
        ];
        for (number, keys) in parts.iter().enumerate() {
            let model = root(&simulation);
            let Some((edits, added)) = tags_for_wires(&simulation, &registry, &model, keys, &nowhere) else { continue };
            let named = applied(&simulation, edits);
            assert_eq!(outcome(&named), before, "{name}, part {number}");
            let edits = wires_for_tags(&named, &registry, &root(&named), &added).expect("they can be wires again");
            let back = applied(&named, edits);
            assert_eq!(wires(&root(&back)), wires(&model), "{name}, part {number}");
            assert_eq!(root(&back).blocks.len(), model.blocks.len(), "{name}, part {number}");
            count += 1;
        }
    }
    assert!(count > 10, "there were wires");
}

#[test]
fn wires_of_one_output_share_a_name_and_a_second_one_joins_it() {
    let registry = Registry::standard();
    let simulation = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .block(1, "Math/Gain", &[])
        .block(2, "Math/Abs", &[])
        .wire("0.Output", "1.Input")
        .wire("0.Output", "2.Input")
        .simulation;
    let key = |id| BTreeSet::from([InputKey::new(BlockId(id), "Input")]);
    let (edits, added) = tags_for_wires(&simulation, &registry, &root(&simulation), &key(1), &nowhere).expect("a wire");
    assert_eq!(added.len(), 2);
    let one = applied(&simulation, edits);
    let (edits, added) = tags_for_wires(&one, &registry, &root(&one), &key(2), &nowhere).expect("a wire");
    assert_eq!(added.len(), 1, "the name is there");
    let both = applied(&one, edits);
    assert!(compile(&both, &registry).is_ok());
    // One of them becomes a wire again: the tag stays for the other.
    let edits = wires_for_tags(&both, &registry, &root(&both), &added).expect("it can be a wire again");
    let one_again = applied(&both, edits);
    assert_eq!(root(&one_again).blocks.len(), 5);
}

/// A tag of several wires has the name of the first of them.
#[test]
fn a_tag_has_the_name_of_its_first_wire() {
    let registry = Registry::standard();
    let mut simulation = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .block(1, "Math/Gain", &[])
        .block(2, "Math/Abs", &[])
        .wire("0.Output", "1.Input")
        .wire("0.Output", "2.Input")
        .simulation;
    let main = simulation.model_mut("Main").expect("the root");
    for (id, name) in [(1, "speed"), (2, "velocity")] {
        let wire = main.connections.get_mut(&InputKey::new(BlockId(id), "Input")).expect("the wire");
        Arc::make_mut(wire).attributes.set(Connection::NAME, name);
    }
    let keys = [1, 2].map(|id| InputKey::new(BlockId(id), "Input")).into();
    let (edits, _) = tags_for_wires(&simulation, &registry, &root(&simulation), &keys, &nowhere).expect("wires");
    let tagged = root(&applied(&simulation, edits));
    let tags = tagged.blocks.values().filter_map(|block| block.option_texts("Tag")).flatten().collect::<Vec<_>>();
    assert_eq!(tags, ["speed"; 3]);
}

/// Of a wire to a Goto block there is nothing to replace. One to a data store is like others, and goes to the tag that
/// its output has already.
#[test]
fn a_wire_that_has_a_tag_gets_no_second_one() {
    let registry = Registry::standard();
    let simulation = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .block(1, "Routing/Goto", &[("Tag", &["speed"])])
        .block(2, "Routing/Data Store Write", &[])
        .block(3, "Routing/Data Store Memory", &[])
        .wire("0.Output", "1.Input")
        .wire("0.Output", "2.Input")
        .simulation;
    let tags = |ids: &[u64]| {
        let keys = ids.iter().map(|id| InputKey::new(BlockId((*id).into()), "Input")).collect();
        tags_for_wires(&simulation, &registry, &root(&simulation), &keys, &nowhere).map(|(edits, added)| {
            let ends = wires(&root(&applied(&simulation, edits)));
            (added.len(), ends.into_iter().map(|(to, _, from, _)| (from.0, to.0)).collect::<Vec<_>>())
        })
    };
    assert_eq!(tags(&[1]), None);
    assert_eq!(tags(&[2]), Some((1, vec![(0, 1), (4, 2)])));
    assert_eq!(tags(&[1, 2]), tags(&[2]));
}

/// A Goto block of another source is not joined, though its wire comes from an output of the same name; and the wire to
/// the new one has the name and the unit of the signal.
#[test]
fn a_tag_belongs_to_its_source() {
    let registry = Registry::standard();
    let mut simulation = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .block(1, "Routing/Goto", &[("Tag", &["speed"])])
        .block(2, "Var/Static", &[("Value", &["4"])])
        .block(3, "Math/Abs", &[])
        .wire("0.Output", "1.Input")
        .wire("2.Output", "3.Input")
        .simulation;
    let key = InputKey::new(BlockId(3), "Input");
    let main = simulation.model_mut("Main").expect("the root");
    let wire = main.connections.get_mut(&key).expect("the wire");
    Arc::make_mut(wire).attributes.set(Connection::NAME, "torque");
    Arc::make_mut(wire).attributes.set(Connection::UNIT, "N*m");
    Arc::make_mut(wire).attributes.set("view:route", "1 2");
    Arc::make_mut(wire).attributes.set("note", "kept");
    let keys = BTreeSet::from([key]);
    let (edits, added) = tags_for_wires(&simulation, &registry, &root(&simulation), &keys, &nowhere).expect("a wire");
    assert_eq!(added, BTreeSet::from([BlockId(4), BlockId(5)]));
    let tagged = root(&applied(&simulation, edits));
    let tags = tagged.blocks.values().filter_map(|block| block.option_texts("Tag")).flatten().collect::<Vec<_>>();
    assert_eq!(tags, ["speed", "torque", "torque"]);
    let lead = tagged.connections.values().find(|wire| wire.from == BlockId(2)).expect("the wire of the source");
    assert_eq!(lead.to, BlockId(4));
    let of = |wire: &Connection| {
        [Connection::NAME, Connection::UNIT].map(|name| wire.attributes.get(name).unwrap_or("none").to_owned())
    };
    assert_eq!(of(lead), ["torque", "N*m"]);
    // What a wire has besides stays with the part that goes on to its end, but for its route: also on the way back.
    let rest = |model: &Model| {
        let wire = model.connections.values().find(|wire| wire.to == BlockId(3)).expect("the wire");
        ["note", "view:route"].map(|name| wire.attributes.get(name).map(str::to_owned))
    };
    assert_eq!(rest(&tagged), [Some("kept".to_owned()), None]);
    let mut routed = Simulation::clone(&simulation);
    routed.models.insert("Main".into(), Arc::clone(&tagged));
    let main = routed.model_mut("Main").expect("the root");
    let last = main.connections.get_mut(&InputKey::new(BlockId(3), "Input")).expect("the wire");
    Arc::make_mut(last).attributes.set("view:route", "3 4");
    let edits = wires_for_tags(&routed, &registry, &root(&routed), &added).expect("it can be a wire again");
    assert_eq!(rest(&root(&applied(&routed, edits))), [Some("kept".to_owned()), None]);
}

#[test]
fn a_name_from_elsewhere_stays() {
    let registry = Registry::standard();
    let simulation = Sketch::new(1.0)
        .block(0, "Routing/From", &[("Tag", &["speed"])])
        .block(1, "Math/Abs", &[])
        .wire("0.Output", "1.Input")
        .block(2, "Routing/Goto", &[("Tag", &["torque"])])
        .block(3, "Routing/From", &[("Tag", &["torque"])])
        .simulation;
    let refusal = |id| wires_for_tags(&simulation, &registry, &root(&simulation), &BTreeSet::from([BlockId(id)])).err();
    assert_eq!(refusal(0), Some(TagError::Elsewhere("speed".into())));
    assert_eq!(refusal(3), Some(TagError::Unfed("torque".into())));
    assert_eq!(refusal(2), Some(TagError::Unfed("torque".into())));
    assert_eq!(refusal(1), Some(TagError::NoTag));
}

/// A tag that a model further inside receives stays, whatever other tags are in that model.
#[test]
fn a_name_that_is_used_inside_stays_when_its_wire_comes_back() {
    let registry = Registry::standard();
    let reach: (&str, &[&str]) = (ParamDef::TAG_REACH.name, &["inside"]);
    let sketch = |inner: &str| {
        Sketch::new(1.0)
            .block_in("Child", 0, "Routing/From", &[("Tag", &[inner])])
            .block_in("Child", 1, "Math/Abs", &[])
            .block_in("Child", 2, "Routing/Goto", &[("Tag", &["other"])])
            .wire_in("Child", "0.Output", "1.Input")
            .wire_in("Child", "1.Output", "2.Input")
            .block(0, "Var/Static", &[("Value", &["3"])])
            .block(1, "Routing/Goto", &[("Tag", &["speed"]), reach])
            .block(2, "Routing/From", &[("Tag", &["speed"])])
            .block(3, "Math/Gain", &[])
            .block(4, "model Child", &[])
            .wire("0.Output", "1.Input")
            .wire("2.Output", "3.Input")
            .simulation
    };
    for (inner, sender_stays) in [("speed", true), ("torque", false)] {
        let simulation = sketch(inner);
        let edits = wires_for_tags(&simulation, &registry, &root(&simulation), &BTreeSet::from([BlockId(2)]));
        let wired = applied(&simulation, edits.expect("it can be a wire again"));
        assert_eq!(root(&wired).block(BlockId(1)).is_some(), sender_stays, "{inner}");
        assert!(root(&wired).block(BlockId(2)).is_none());
    }
}

/// Goto and From can become wires; a data store, which has a tag too, cannot.
#[test]
fn only_goto_and_from_have_tags_of_wires() {
    let registry = Registry::standard();
    let kinds = [
        ("Routing/Goto", true),
        ("Routing/From", true),
        ("Routing/Data Store Memory", false),
        ("Routing/Data Store Read", false),
        ("Routing/Data Store Write", false),
        ("Math/Gain", false),
        ("entry u", false),
    ];
    for (what, has_one) in kinds {
        let simulation = Sketch::new(1.0).block(1, what, &[]).simulation;
        let model = root(&simulation);
        let block = model.block(BlockId(1)).expect("the block");
        assert_eq!(has_wire_tag(&simulation, &registry, &model, block), has_one, "{what}");
    }
}

/// A wire that was a tag has the name of the signal that the tag had.
#[test]
fn a_wire_in_place_of_a_tag_carries_the_name_of_its_signal() {
    let registry = Registry::standard();
    let mut simulation = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .block(1, "Routing/Goto", &[("Tag", &["speed"])])
        .block(2, "Routing/From", &[("Tag", &["speed"])])
        .block(3, "Math/Abs", &[])
        .wire("0.Output", "1.Input")
        .wire("2.Output", "3.Input")
        .simulation;
    let main = simulation.model_mut("Main").expect("the root");
    for (key, name, unit) in [(1, "velocity", "m/s"), (3, "other", "km/h")] {
        let wire = main.connections.get_mut(&InputKey::new(BlockId(key), "Input")).expect("the wire");
        let attributes = &mut Arc::make_mut(wire).attributes;
        attributes.set(Connection::NAME, name);
        attributes.set(Connection::UNIT, unit);
    }
    let edits = wires_for_tags(&simulation, &registry, &root(&simulation), &BTreeSet::from([BlockId(2)]));
    let wired = applied(&simulation, edits.expect("it can be a wire"));
    let wire = Arc::clone(root(&wired).connections.get(&InputKey::new(BlockId(3), "Input")).expect("a wire"));
    assert_eq!((wire.from, wire.attributes.get(Connection::NAME)), (BlockId(0), Some("velocity")));
    assert_eq!(wire.attributes.get(Connection::UNIT), Some("m/s"));
}

/// What files say of a wire stays with it when a tag takes its place, and when the tag becomes a wire again; its route,
/// which belonged to the whole wire, does not.
#[test]
fn a_wire_keeps_its_attributes_but_its_route_when_it_becomes_a_tag() {
    let registry = Registry::standard();
    let mut simulation =
        Sketch::new(1.0).block(0, "Var/Static", &[]).block(1, "Math/Gain", &[]).wire("0.Output", "1.Input").simulation;
    let key = InputKey::new(BlockId(1), "Input");
    let marked = |simulation: &mut Simulation| {
        let main = simulation.model_mut("Main").expect("the root");
        let wire = Arc::make_mut(main.connections.get_mut(&key).expect("the wire"));
        wire.attributes.set("note", "kept");
        wire.attributes.set("view:route", "1 2 3 4");
    };
    let seen = |simulation: &Simulation| {
        let main = root(simulation);
        let attributes = &main.connections.get(&key).expect("the wire").attributes;
        (attributes.get("note").map(str::to_owned), attributes.get("view:route").map(str::to_owned))
    };
    marked(&mut simulation);
    let (edits, added) =
        tags_for_wires(&simulation, &registry, &root(&simulation), &[key.clone()].into(), &nowhere).expect("a wire");
    let mut tagged = applied(&simulation, edits);
    assert_eq!(seen(&tagged), (Some("kept".to_owned()), None));
    marked(&mut tagged);
    let edits = wires_for_tags(&tagged, &registry, &root(&tagged), &added).expect("it can be a wire again");
    assert_eq!(seen(&applied(&tagged, edits)), (Some("kept".to_owned()), None));
}

//! Replaces a wire by Goto and From blocks, and back. Neither changes a result.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::simulation::free_name;
use super::{
    Block, BlockId, BlockKind, Connection, Edit, InputKey, Model, Position, Scope, Simulation, library_ports,
    settings_of,
};
use crate::block::{BlockDef, ParamDef, Registry, Settings, TagRole};

/// Why tags cannot be replaced by wires.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TagError {
    #[error("no block in this model provides “{0}”: it comes from another model")]
    Elsewhere(Arc<str>),
    #[error("the block that provides “{0}” is not connected")]
    Unfed(Arc<str>),
    #[error("no selected block provides or reads a tag")]
    NoTag,
}

/// Returns the edits that replace the wires of these inputs by tags, and the ids of the new blocks. `positions` returns
/// those of the blocks at the start and at the end of a wire. None if there are no such wires, or the library has no such
/// blocks.
pub fn tags_for_wires(
    simulation: &Simulation,
    registry: &Registry,
    model: &Model,
    keys: &BTreeSet<InputKey>,
    positions: &dyn Fn(&Connection) -> (Position, Position),
) -> Option<(Vec<Edit>, BTreeSet<BlockId>)> {
    let (giver, taker) = pair(registry)?;
    let mut nets: BTreeMap<(BlockId, &Arc<str>), Vec<&Arc<Connection>>> = BTreeMap::new();
    for wire in keys.iter().filter_map(|key| model.connections.get(key)) {
        // A wire to a Goto block has a tag already.
        if tag_of(simulation, registry, model, model.block(wire.to)?).is_none_or(|tag| tag.role != TagRole::Sender) {
            nets.entry((wire.from, &wire.output)).or_default().push(wire);
        }
    }
    let mut taken = names_in(simulation, registry);
    let mut ids = model.free_ids();
    let mut edits = Vec::new();
    let mut added = BTreeSet::new();
    let mut add = |def: &BlockDef, name: &str, at: Position, edits: &mut Vec<Edit>| {
        let id = ids.next()?;
        let (param, ..) = def.tag()?;
        let block = Block::new(id, BlockKind::library(def.group, def.name)).with_option(param, &[name]).at(at.x, at.y);
        edits.push(Edit::AddBlock { model: Arc::clone(&model.name), block: Box::new(block) });
        added.insert(id);
        Some(id)
    };
    let connect = |wire: Connection| Edit::Connect { model: Arc::clone(&model.name), connection: Box::new(wire) };
    for ((from, output), wires) in nets {
        let known = model.connections.values().filter(|wire| wire.from == from && wire.output == *output);
        let mut known = known.filter_map(|wire| tag_of(simulation, registry, model, model.block(wire.to)?));
        let name = match known.find(|tag| tag.role == TagRole::Sender) {
            Some(tag) => tag.name,
            None => {
                let first = wires.first()?;
                let source = model.block(from)?;
                let wanted = first.attributes.get(Connection::NAME).unwrap_or(source.title());
                let name = free_name(wanted, |name| taken.contains(name));
                taken.insert(name.as_str().into());
                let id = add(giver, &name, positions(first).0, &mut edits)?;
                let mut lead = Connection::new(from, output, id, &input_of(giver)?);
                lead.carry_signal_of(Some(first));
                edits.push(connect(lead));
                name.into()
            }
        };
        for wire in wires {
            let id = add(taker, &name, positions(wire).1, &mut edits)?;
            let mut moved = Connection::clone(wire);
            (moved.from, moved.output) = (id, output_of(taker)?);
            // The route belonged to the whole wire.
            moved.attributes = moved.attributes.iter().filter(|(name, _)| !name.starts_with("view:")).collect();
            edits.push(connect(moved));
        }
    }
    (!edits.is_empty()).then_some((edits, added))
}

/// Returns the edits that replace the tags of these blocks by wires: for a From block its own, for a Goto block those
/// of all its From blocks in this model. A Goto block is removed when nothing reads its tag any more.
///
/// # Errors
/// If a tag comes from another model or has no source.
pub fn wires_for_tags(
    simulation: &Simulation,
    registry: &Registry,
    model: &Model,
    ids: &BTreeSet<BlockId>,
) -> Result<Vec<Edit>, TagError> {
    let tags: Vec<(BlockId, Tag)> = model
        .blocks
        .values()
        .filter_map(|block| Some((block.id, tag_of(simulation, registry, model, block)?)))
        .filter(|(_, tag)| matches!(tag.role, TagRole::Sender | TagRole::Receiver))
        .collect();
    let giver_of = |tag: &Tag| tags.iter().find(|(_, other)| other.role == TagRole::Sender && other.is_called(tag));
    let is_meant =
        |id: &BlockId, tag: &Tag| ids.contains(id) || giver_of(tag).is_some_and(|(giver, _)| ids.contains(giver));
    let takers: Vec<&(BlockId, Tag)> =
        tags.iter().filter(|(id, tag)| tag.role == TagRole::Receiver && is_meant(id, tag)).collect();
    // Readers of a data store stay.
    let takers: Vec<_> = takers.into_iter().filter(|(id, tag)| giver_of(tag).is_some() || ids.contains(id)).collect();
    if takers.is_empty() {
        return Err(TagError::NoTag);
    }
    let mut edits = Vec::new();
    let mut gone: BTreeSet<BlockId> = takers.iter().map(|(id, _)| *id).collect();
    for (id, tag) in &takers {
        let (giver, given) = giver_of(tag).ok_or_else(|| TagError::Elsewhere(Arc::clone(&tag.name)))?;
        let source = model.connections.values().find(|wire| wire.to == *giver);
        let source = source.ok_or_else(|| TagError::Unfed(Arc::clone(&tag.name)))?;
        for wire in model.connections.values().filter(|wire| wire.from == *id) {
            let mut moved = Connection::clone(wire);
            (moved.from, moved.output) = (source.from, Arc::clone(&source.output));
            moved.attributes = moved.attributes.iter().filter(|(name, _)| !name.starts_with("view:")).collect();
            moved.carry_signal_of(Some(source));
            edits.push(Edit::Connect { model: Arc::clone(&model.name), connection: Box::new(moved) });
        }
        let others = tags
            .iter()
            .filter(|(id, other)| other.role == TagRole::Receiver && other.is_called(tag) && !gone.contains(id));
        if others.count() == 0 && (!given.reaches_inside || !is_taken_elsewhere(simulation, registry, model, tag)) {
            gone.insert(*giver);
        }
    }
    edits.push(Edit::RemoveBlocks { model: Arc::clone(&model.name), ids: gone.into_iter().collect() });
    Ok(edits)
}

/// Whether a block is a Goto or From block whose tag can be replaced by wires.
pub fn has_wire_tag(simulation: &Simulation, registry: &Registry, model: &Model, block: &Block) -> bool {
    tag_of(simulation, registry, model, block)
        .is_some_and(|tag| matches!(tag.role, TagRole::Sender | TagRole::Receiver))
        && pair(registry).is_some_and(|(giver, taker)| {
            [giver, taker].iter().any(|def| block.kind == BlockKind::library(def.group, def.name))
        })
}

/// Returns the library's Goto and From blocks.
fn pair(registry: &Registry) -> Option<(&'static BlockDef, &'static BlockDef)> {
    let tagged = || registry.iter().filter_map(|def| Some((def, def.tag()?)));
    tagged().filter(|(_, (_, _, role))| *role == TagRole::Sender).find_map(|(giver, (_, space, _))| {
        let taker = tagged().find(|(_, (_, other, role))| *other == space && *role == TagRole::Receiver);
        taker.map(|(taker, _)| (giver, taker))
    })
}

struct Tag {
    space: &'static str,
    role: TagRole,
    name: Arc<str>,
    reaches_inside: bool,
}

impl Tag {
    fn is_called(&self, other: &Tag) -> bool {
        self.space == other.space && self.name == other.name
    }
}

fn tag_of(simulation: &Simulation, registry: &Registry, model: &Model, block: &Block) -> Option<Tag> {
    let BlockKind::Library { group, name } = &block.kind else { return None };
    let def = registry.get(group, name)?;
    let (param, space, role) = def.tag()?;
    let settings = settings_of(def, block, &Scope::of_model(simulation, model)).0;
    let reach = ParamDef::TAG_REACH.name;
    let reaches_inside = def.param(reach).is_none() || settings.choice(reach) != "local";
    Some(Tag { space, role, name: settings.text(param).into(), reaches_inside })
}

fn tags_in<'a>(simulation: &'a Simulation, registry: &'a Registry, model: &'a Model) -> impl Iterator<Item = Tag> + 'a {
    model.blocks.values().filter_map(move |block| tag_of(simulation, registry, model, block))
}

/// Returns all tags, to choose an unused one.
fn names_in(simulation: &Simulation, registry: &Registry) -> BTreeSet<Arc<str>> {
    simulation.models.values().flat_map(|model| tags_in(simulation, registry, model)).map(|tag| tag.name).collect()
}

fn is_taken_elsewhere(simulation: &Simulation, registry: &Registry, here: &Model, tag: &Tag) -> bool {
    let others = simulation.models.values().filter(|model| model.name != here.name);
    let mut tags = others.flat_map(|model| tags_in(simulation, registry, model));
    tags.any(|other| other.role == TagRole::Receiver && other.is_called(tag))
}

fn input_of(def: &BlockDef) -> Option<Arc<str>> {
    library_ports(def, &Settings::defaults(def)).inputs.into_iter().next()
}

fn output_of(def: &BlockDef) -> Option<Arc<str>> {
    library_ports(def, &Settings::defaults(def)).outputs.into_iter().next()
}

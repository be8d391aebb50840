//! The addresses that attributes store follow a change of the document, in the same undo step.

use std::sync::Arc;

use super::port_names;
use super::ports::counterpart;
use super::relocation::{AddressMap, Relocation};
use super::stored::{self, Address, Kind, Outcome};
use super::{Block, BlockId, Change, ChangeKind, Edit, Model, SignalKey, Simulation, block_ports};
use crate::block::Registry;

/// Returns the relocations of all edits of a change.
fn relocations(edits: &[Edit], before: &Simulation, after: &Simulation, registry: &Registry) -> Vec<Relocation> {
    let of_edit = |edit: &Edit| match edit {
        Edit::Relocate(relocation) => vec![Relocation::clone(relocation)],
        Edit::RenamePort { model, id, name } => {
            before.model(model).map(|model| port_names::relocations(before, model, *id, name)).unwrap_or_default()
        }
        Edit::ReplaceBlock { model, block } => {
            replaced(before, after, registry, (model, block.id)).into_iter().collect()
        }
        _ => Vec::new(),
    };
    edits.iter().flat_map(of_edit).filter(|relocation| !relocation.is_empty()).collect()
}

/// Returns the relocation of the outputs of a block that another kind replaces: to the port of the same name, or else of
/// the same index, as its wires go.
fn replaced(
    before: &Simulation,
    after: &Simulation,
    registry: &Registry,
    (model, id): (&Arc<str>, BlockId),
) -> Option<Relocation> {
    let (old, new) = (before.model(model)?, after.model(model)?);
    let is_same = |old: &Block, new: &Block| old.kind == new.kind && old.options().eq(new.options());
    let (old_block, new_block) = (old.block(id)?, new.block(id)?);
    if is_same(old_block, new_block) {
        return None;
    }
    let old = block_ports(before, registry, old, old_block).outputs;
    let new = block_ports(after, registry, new, new_block).outputs;
    let pair = |output: &Arc<str>| {
        let now = counterpart(output, &old, &new).filter(|now| now != output)?;
        Some((SignalKey::new(&[], id, output), SignalKey::new(&[], id, &now)))
    };
    Some(Relocation { signals: old.iter().filter_map(pair).collect(), ..Relocation::new(model) })
}

/// Lets the addresses in the attributes of a changed simulation follow the edits that changed it. What the edits
/// write themselves stays as they wrote it, and so does an address that led nowhere before. Returns the relocations.
pub(super) fn follow(
    edits: &[Edit],
    before: &Simulation,
    changed: &mut Simulation,
    registry: &Registry,
) -> Vec<Relocation> {
    if !edits.iter().any(may_move) {
        return Vec::new();
    }
    let relocations = relocations(edits, before, changed, registry);
    let map = AddressMap { before, after: changed, registry, relocations: &relocations };
    let is_written = |attribute: &str| {
        edits.iter().any(|edit| matches!(edit, Edit::SetSimulationAttribute { name, .. } if **name == *attribute))
    };
    let mut texts: Vec<(&str, String)> = Vec::new();
    for attribute in stored::OF_SIMULATION.into_iter().filter(|attribute| !is_written(attribute)) {
        let text = changed.attributes.get(attribute);
        texts.extend(text.and_then(|text| Some((attribute, map.rewritten(attribute, text)?))));
    }
    let blocks = if relocations.is_empty() { Vec::new() } else { map.blocks() };
    for (attribute, text) in texts {
        changed.attributes.set(attribute, &text);
    }
    for (model, id, attribute, text) in blocks {
        if let Some(block) = changed.model_mut(&model).and_then(|model| model.block_mut(id)) {
            block.attributes.set(attribute, &text);
        }
    }
    relocations
}

/// Whether an address may lead elsewhere after an edit.
fn may_move(edit: &Edit) -> bool {
    match edit {
        Edit::Relocate(_)
        | Edit::RenamePort { .. }
        | Edit::RenameModel { .. }
        | Edit::ReplaceBlock { .. }
        | Edit::AddBlock { .. } => true,
        Edit::SetBlockAttribute { name, .. } => **name == *"label",
        _ => false,
    }
}

impl AddressMap<'_> {
    /// Returns the text of an attribute with the addresses of now, if it differs.
    fn rewritten(&self, attribute: &str, text: &str) -> Option<String> {
        let new = stored::rewritten(attribute, text, &mut |stored| self.outcome(stored.text, stored.what));
        (new != text).then_some(new)
    }

    fn outcome(&self, text: &str, what: Kind) -> Outcome {
        // A block that was cut has left its address behind, and may be pasted elsewhere now.
        let read = Address::read(text, what, self.before, self.registry).or_else(|| Address::of_ids(text, what));
        let now = match read {
            Some(Address::Signal(signal)) => Address::Signal(self.signal(&signal)),
            Some(Address::Param(param, element)) => Address::Param(self.param(&param), element),
            None => return Outcome::Keep,
        };
        let is_same = Address::read(text, what, self.after, self.registry).is_some_and(|same| same == now);
        match !is_same && now.exists(self.after, self.registry) {
            true => Outcome::Replace(now.text()),
            false => Outcome::Keep,
        }
    }

    /// Returns the attributes of blocks that store other addresses now.
    fn blocks(&self) -> Vec<(Arc<str>, BlockId, &'static str, String)> {
        let mut found = Vec::new();
        for model in self.after.models.values() {
            for block in model.blocks.values() {
                let mut add = |attribute: &'static str, text: Option<String>| {
                    found.extend(text.map(|text| (Arc::clone(&model.name), block.id, attribute, text)));
                };
                if let Some(text) = block.attributes.get(stored::PLOTS) {
                    add(stored::PLOTS, self.rewritten(stored::PLOTS, text));
                }
                if let Some(text) = block.attributes.get(stored::PINNED) {
                    add(stored::PINNED, self.pinned(model, block, text));
                }
            }
        }
        found
    }

    /// Returns the text of the widgets beside a block, which names outputs of the block alone.
    fn pinned(&self, model: &Model, block: &Block, text: &str) -> Option<String> {
        let own = || self.relocations.iter().filter(|relocation| relocation.model == model.name);
        let renamed = |output: &str| {
            let is_it = |key: &SignalKey| key.path.is_empty() && key.block == block.id;
            let pairs = own().flat_map(|relocation| &relocation.signals);
            let mut pairs = pairs.filter(|(old, new)| is_it(old) && is_it(new) && *old.output == *output);
            pairs.next().map(|(_, new)| new.output.to_string())
        };
        let new = stored::rewritten(stored::PINNED, text, &mut |stored| match stored.what {
            Kind::Signal => renamed(stored.text).map_or(Outcome::Keep, Outcome::Replace),
            Kind::Param => Outcome::Keep,
        });
        (new != text).then_some(new)
    }
}

impl Change {
    /// Whether no result changes: blocks are grouped or expanded, or only names and the layout change. An entry and an exit
    /// of one name have a state together, so that a new name may change results.
    pub(super) fn keeps_results(&self, before: &Simulation) -> bool {
        let is_name = |name: &str| name == "label" || name.starts_with("view:");
        let is_alone = |model: &Arc<str>, id: BlockId, new: &str| {
            let Some(model) = before.model(model) else { return false };
            let ports = || model.entries().chain(model.exits());
            let old = ports().find(|(block, _)| block.id == id).map(|(_, name)| name);
            ports().all(|(block, name)| block.id == id || (Some(name) != old && **name != *new))
        };
        self.kind == ChangeKind::Regroup
            || self.edits.iter().all(|edit| match edit {
                Edit::RenamePort { model, id, name } => is_alone(model, *id, name),
                Edit::RenameModel { .. } | Edit::Move { .. } | Edit::Relocate(_) => true,
                Edit::SetSimulationAttribute { name, .. }
                | Edit::SetModelAttribute { name, .. }
                | Edit::SetBlockAttribute { name, .. }
                | Edit::SetConnectionAttribute { name, .. } => is_name(name),
                _ => false,
            })
    }
}

//! Merges the content of a model: blocks, wires, variables, comments.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::tag::{self, ExtraKey, States, attributes, keyed_extras, means_the_same, wires_mean_the_same};
use super::three_way::{Pick, order, pick};
use crate::model::{
    Block, BlockId, BlockKind, Conflict, Connection, Extra, Holder, InputKey, Model, Property, Variable, Variables,
};

/// The conflicts found so far, with their tags.
pub type Found = Vec<(Holder, Conflict)>;

/// A child of a model's tag.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ChildKey {
    Block(BlockId),
    Wire(InputKey),
    Variable(Arc<str>),
    Extra(ExtraKey),
}

/// Merges a model that both sides have; `base` is an empty one if both have added it.
pub fn model(states: States<Model>, found: &mut Found) -> Model {
    let name = &states.ours.name;
    let mut own = Vec::new();
    let mut merged = Model::new(name);
    merged.attributes = attributes(states.map(|model| &model.attributes), &mut own);
    found.extend(own.into_iter().map(|conflict| (Holder::Model(Arc::clone(name)), conflict)));

    let mut blocks = Blocks::of(states);
    let kept_blocks = blocks.merged(found);
    let kept_wires = wires(states, &blocks, &kept_blocks, found);
    let kept_variables = variables(states.map(|model| &model.variables), Some(name), found);

    let lists = [states.base, states.ours, states.theirs].map(children);
    let extras = lists
        .each_ref()
        .map(|list| list.iter().filter(|key| matches!(key, ChildKey::Extra(_))).collect::<BTreeSet<&ChildKey>>());
    let keeps = |key: &ChildKey| match key {
        ChildKey::Block(id) => kept_blocks.contains_key(id),
        ChildKey::Wire(wire) => kept_wires.contains_key(wire),
        ChildKey::Variable(name) => kept_variables.contains_key(name),
        ChildKey::Extra(_) => {
            let [base, ours, theirs] = extras.each_ref().map(|extras| extras.contains(key));
            !base || (ours && theirs)
        }
    };
    for key in order(&lists[0], [&lists[1], &lists[2]], keeps) {
        match key {
            ChildKey::Block(id) => {
                if let Some(block) = kept_blocks.get(&id) {
                    merged.add_block(Block::clone(block));
                }
            }
            ChildKey::Wire(key) => {
                if let Some(wire) = kept_wires.get(&key) {
                    merged.connect(Connection::clone(wire));
                }
            }
            ChildKey::Variable(name) => {
                if let Some(variable) = kept_variables.get(&name) {
                    merged.set_variable(&name, Variable::clone(variable));
                }
            }
            ChildKey::Extra((xml, _)) => merged.add_extra(Extra::new(xml)),
        }
    }
    merged
}

/// The children of a model in the order of the file.
fn children(model: &Model) -> Vec<ChildKey> {
    let blocks = model.blocks.values().map(|block| (block.seq, ChildKey::Block(block.id)));
    let wires = model.connections.values().map(|wire| (wire.seq, ChildKey::Wire(wire.key())));
    let variables = model.variables.iter().map(|(name, of)| (of.seq, ChildKey::Variable(Arc::clone(name))));
    let extras = model.extras.keys().zip(keyed_extras(model.extras.values()));
    let extras = extras.map(|(seq, key)| (*seq, ChildKey::Extra(key)));
    let mut all: Vec<(u64, ChildKey)> = blocks.chain(wires).chain(variables).chain(extras).collect();
    all.sort_by_key(|(seq, _)| *seq);
    all.into_iter().map(|(_, key)| key).collect()
}

/// The blocks of the three states.
struct Blocks<'a> {
    states: States<'a, Model>,
    /// The blocks at the ends of wires that a side has added or changed.
    touched: [BTreeSet<BlockId>; 2],
    /// The blocks that a side has deleted and that stay nevertheless, since the other side has changed them.
    restored: [BTreeSet<BlockId>; 2],
}

impl<'a> Blocks<'a> {
    fn of(states: States<'a, Model>) -> Blocks<'a> {
        let touched = [states.ours, states.theirs].map(|side| {
            let is_new = |wire: &&Arc<Connection>| {
                let known = states.base.connections.get(&wire.key());
                known.is_none_or(|known| !Arc::ptr_eq(known, wire) && !wires_mean_the_same(known, wire))
            };
            side.connections.values().filter(is_new).flat_map(|wire| [wire.from, wire.to]).collect()
        });
        Blocks { states, touched, restored: Default::default() }
    }

    fn merged(&mut self, found: &mut Found) -> BTreeMap<BlockId, Arc<Block>> {
        let States { base, ours, theirs } = self.states;
        let ids: BTreeSet<BlockId> =
            [base, ours, theirs].iter().flat_map(|model| model.blocks.keys().copied()).collect();
        let mut kept = BTreeMap::new();
        for id in ids {
            let block = match (base.block(id), ours.block(id), theirs.block(id)) {
                (None, Some(only), None) | (None, None, Some(only)) => Some(Arc::clone(only)),
                (Some(base), Some(ours), Some(theirs)) => Some(self.both((Some(base), ours, theirs), found)),
                (None, Some(ours), Some(theirs)) => Some(self.both((None, ours, theirs), found)),
                (Some(base), Some(ours), None) => self.deleted(1, (base, ours), found),
                (Some(base), None, Some(theirs)) => self.deleted(0, (base, theirs), found),
                (_, None, None) => None,
            };
            kept.extend(block.map(|block| (id, block)));
        }
        kept
    }

    fn both(
        &self,
        (base, ours, theirs): (Option<&Arc<Block>>, &Arc<Block>, &Arc<Block>),
        found: &mut Found,
    ) -> Arc<Block> {
        if base.is_some_and(|base| is_same(base, theirs)) || is_same(ours, theirs) {
            return Arc::clone(ours);
        }
        if base.is_some_and(|base| is_same(base, ours)) {
            return Arc::clone(theirs);
        }
        let empty = Block::new(ours.id, ours.kind.clone());
        let (block, conflicts) = tag::block(States { base: base.map_or(&empty, |base| base), ours, theirs });
        let holder = Holder::Block(Arc::clone(&self.states.ours.name), block.id);
        found.extend(conflicts.into_iter().map(|conflict| (holder.clone(), conflict)));
        Arc::new(block)
    }

    /// A block that a side (0 for ours) has deleted and the other has as `kept`.
    fn deleted(
        &mut self,
        by: usize,
        (base, kept): (&Arc<Block>, &Arc<Block>),
        found: &mut Found,
    ) -> Option<Arc<Block>> {
        if means_the_same(base, kept) && !self.touched[1 - by].contains(&kept.id) {
            return None;
        }
        self.restored[by].insert(kept.id);
        found.push((Holder::Block(Arc::clone(&self.states.ours.name), kept.id), deleted_by(by)));
        Some(Arc::clone(kept))
    }

    /// Whether a side has deleted an end of a wire that stays nevertheless.
    fn is_restored(&self, by: usize, wire: &Connection) -> bool {
        self.restored[by].contains(&wire.from) || self.restored[by].contains(&wire.to)
    }
}

/// The conflict about what a side (0 for ours) has deleted and the other has changed.
pub fn deleted_by(side: usize) -> Conflict {
    let there = Some("changed");
    let [ours, theirs] = if side == 0 { [None, there] } else { [there, None] };
    Conflict::of_texts(Property::Presence, Some("unchanged"), ours, theirs)
}

fn is_same(first: &Arc<Block>, second: &Arc<Block>) -> bool {
    Arc::ptr_eq(first, second)
        || (first.kind == second.kind && first.attributes == second.attributes && first.body == second.body)
}

fn wires(
    states: States<Model>,
    blocks: &Blocks,
    kept: &BTreeMap<BlockId, Arc<Block>>,
    found: &mut Found,
) -> BTreeMap<InputKey, Arc<Connection>> {
    let all = [states.base, states.ours, states.theirs];
    let keys: BTreeSet<&InputKey> = all.iter().flat_map(|model| model.connections.keys()).collect();
    let mut merged = BTreeMap::new();
    for key in keys {
        let [base, mut ours, mut theirs] = all.map(|model| model.connections.get(key));
        for (by, side) in [(0, &mut ours), (1, &mut theirs)] {
            if side.is_none() && base.is_some_and(|wire| blocks.is_restored(by, wire)) {
                *side = base;
            }
        }
        let holder = || Holder::Wire(Arc::clone(&states.ours.name), key.clone());
        let wire = wire((base, ours, theirs), &mut |conflict| found.push((holder(), conflict)));
        let has_ends = |wire: &Arc<Connection>| kept.contains_key(&wire.from) && kept.contains_key(&wire.to);
        // One that a side itself has without an end is kept as it is there.
        let was_open = |wire: &Arc<Connection>| {
            let is_open_in = |model: &Model| {
                let has_wire = model.connections.get(key).is_some_and(|known| known.from == wire.from);
                has_wire && (model.block(wire.from).is_none() || model.block(wire.to).is_none())
            };
            is_open_in(states.ours) || is_open_in(states.theirs)
        };
        merged.extend(wire.filter(|wire| has_ends(wire) || was_open(wire)).map(|wire| (key.clone(), wire)));
    }
    merged
}

type Wires<'a> = (Option<&'a Arc<Connection>>, Option<&'a Arc<Connection>>, Option<&'a Arc<Connection>>);

fn wire((base, ours, theirs): Wires, conflict: &mut dyn FnMut(Conflict)) -> Option<Arc<Connection>> {
    let source =
        |wire: Option<&Arc<Connection>>| wire.map(|wire| vec![wire.from.0.to_string(), wire.output.to_string()]);
    let sources = || Conflict::new(Property::Source, source(base), source(ours), source(theirs));
    let (ours, theirs) = match (ours, theirs) {
        (Some(ours), Some(theirs)) => (ours, theirs),
        (None, None) => return None,
        (Some(only), None) | (None, Some(only)) => {
            let is_deleted = base.is_some_and(|base| wires_mean_the_same(base, only));
            if base.is_some() && !is_deleted {
                conflict(sources());
            }
            return (!is_deleted).then(|| Arc::clone(only));
        }
    };
    let [of_base, of_ours, of_theirs] =
        [base, Some(ours), Some(theirs)].map(|wire| wire.map(|wire| (wire.from, &wire.output)));
    let chosen = match pick(&of_base, &of_ours, &of_theirs) {
        Pick::Ours => ours,
        Pick::Theirs => theirs,
        Pick::Conflict => {
            conflict(sources());
            ours
        }
    };
    let empty = Connection::new(ours.from, "", ours.to, "");
    let states = States { base: base.map_or(&empty, |base| base), ours, theirs };
    let mut wire = Connection::clone(chosen);
    let mut conflicts = Vec::new();
    wire.attributes = attributes(states.map(|wire| &wire.attributes), &mut conflicts);
    wire.body = tag::extras(states.map(|wire| &wire.body[..]));
    conflicts.into_iter().for_each(conflict);
    Some(Arc::new(wire))
}

/// Merges the variables of a model, or of the simulation.
pub fn variables(
    states: States<Variables>,
    model: Option<&Arc<str>>,
    found: &mut Found,
) -> BTreeMap<Arc<str>, Arc<Variable>> {
    let all = [states.base, states.ours, states.theirs];
    let names: BTreeSet<&Arc<str>> = all.iter().flat_map(|variables| variables.keys()).collect();
    let mut merged = BTreeMap::new();
    for name in names {
        let mut conflicts = Vec::new();
        let variable = variable(all.map(|variables| variables.get(name)), &mut conflicts);
        let holder = Holder::Variable(model.cloned(), Arc::clone(name));
        found.extend(conflicts.into_iter().map(|conflict| (holder.clone(), conflict)));
        merged.extend(variable.map(|variable| (Arc::clone(name), variable)));
    }
    merged
}

fn variable([base, ours, theirs]: [Option<&Arc<Variable>>; 3], conflicts: &mut Vec<Conflict>) -> Option<Arc<Variable>> {
    let value = |variable: Option<&Arc<Variable>>| variable.map(|variable| Arc::clone(&variable.value));
    let values = [base, ours, theirs].map(value);
    let conflict = || {
        let [base, ours, theirs] = values.each_ref().map(|value| value.as_deref());
        Conflict::of_texts(Property::Value, base, ours, theirs)
    };
    let (ours, theirs) = match (ours, theirs) {
        (Some(ours), Some(theirs)) => (ours, theirs),
        (None, None) => return None,
        (Some(only), None) | (None, Some(only)) => {
            let is_same = |base: &&Arc<Variable>| {
                (&base.value, &base.attributes, &base.body) == (&only.value, &only.attributes, &only.body)
            };
            if base.is_some() && base.filter(is_same).is_none() {
                conflicts.push(conflict());
            }
            return base.filter(is_same).is_none().then(|| Arc::clone(only));
        }
    };
    let empty = Variable::default();
    let states = States { base: base.map_or(&empty, |base| base), ours, theirs };
    let mut variable = Variable::clone(ours);
    match pick(&values[0], &values[1], &values[2]) {
        Pick::Ours => {}
        Pick::Theirs => variable.value = Arc::clone(&theirs.value),
        Pick::Conflict => conflicts.push(conflict()),
    }
    variable.attributes = attributes(states.map(|variable| &variable.attributes), conflicts);
    variable.body = tag::extras(states.map(|variable| &variable.body[..]));
    Some(Arc::new(variable))
}

/// Whether two models mean the same: all but the layout and the order.
pub fn models_mean_the_same(first: &Model, second: &Model) -> bool {
    let blocks = || {
        let same = |id: &BlockId, block: &Block| second.block(*id).is_some_and(|other| means_the_same(block, other));
        first.blocks.len() == second.blocks.len() && first.blocks.iter().all(|(id, block)| same(id, block))
    };
    let wires = || {
        let same = |key: &InputKey, wire: &Connection| {
            second.connections.get(key).is_some_and(|other| wires_mean_the_same(wire, other))
        };
        first.connections.len() == second.connections.len()
            && first.connections.iter().all(|(key, wire)| same(key, wire))
    };
    let variables = || {
        let values = |model: &Model| -> Vec<(Arc<str>, Arc<str>)> {
            model.variables.iter().map(|(name, of)| (Arc::clone(name), Arc::clone(&of.value))).collect()
        };
        values(first) == values(second)
    };
    tag::meaning(&first.attributes).eq(tag::meaning(&second.attributes))
        && first.extras.values().eq(second.extras.values())
        && variables()
        && blocks()
        && wires()
}

/// The models that the blocks of a model are instances of.
pub fn used_models(model: &Model) -> impl Iterator<Item = Arc<str>> {
    let instances = model.blocks.values().filter(|block| matches!(block.kind, BlockKind::Model { .. }));
    instances.flat_map(|block| block.models())
}

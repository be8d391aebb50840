//! A text as the next state of a document: what the text does not say, ids and looks, stays as it is in the document.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::Simt;
use super::build::{Built, build};
use super::compact::{frame, is_look, looks};
use super::read::read;
use super::write::is_expressible;
use crate::block::Registry;
use crate::format::{LoadError, Loaded, Loader as _, SaveError, SourceMap, simx};
use crate::model::{
    Attributes, Block, BlockId, BlockKind, BlockOption, BodyItem, Connection, Extra, InputKey, Model, Simulation,
    TextPosition, Variable, is_default, is_default_solver,
};

/// Reads a text as the next state of a document. A model is the one of the same name, a block the one of the same title
/// and kind, else the one of the same id and kind. It keeps its id, unless the line has another one, and its looks; wires
/// and the simulation keep theirs. What is new gets an id that no block has had, and no position.
///
/// # Errors
/// If the text breaks the rules of the format. Names that are not found are diagnostics, as when a file is loaded.
pub fn apply(text: &str, onto: &Simulation, registry: &Registry) -> Result<Loaded, LoadError> {
    let text = simx::decode(text.as_bytes())?;
    let Built { loaded, written } = build(read(&text)?, registry);
    let new = loaded.simulation;
    let mut next = frame(&new);
    let mut attributes = new.attributes.clone();
    if attributes.get("solver").is_none() && is_default_solver(&onto.attributes) {
        attributes.set("solver", onto.solver());
    }
    next.attributes = merged(&attributes, &onto.attributes);
    let mut ids: BTreeMap<Arc<str>, BTreeMap<BlockId, BlockId>> = BTreeMap::new();
    let order = spliced(outer_keys(onto), outer_keys(&new));
    for key in order {
        match key {
            Key::Model(name) => {
                let Some(model) = new.model(&name) else { continue };
                let model = match onto.model(&name) {
                    None => Model::clone(model),
                    Some(old) => {
                        let is_written = |id: BlockId| written.contains(&(Arc::clone(&name), id));
                        let matches = Matches::of(model, old, is_written);
                        let applied = matches.applied(model, &Old { simulation: onto, model: old, registry });
                        ids.insert(Arc::clone(&name), matches.ids);
                        applied
                    }
                };
                next.add_model(model);
            }
            Key::Variable(name) => {
                if let Some(variable) = new.variables.get(&name) {
                    next.set_variable(&name, Variable::clone(variable));
                }
            }
            Key::Extra(xml, _) => next.add_extra(Extra { xml }),
            Key::Block(_) | Key::Wire(_) => {}
        }
    }
    let source_map = relocated(&loaded.source_map, &new, &ids);
    let mut diagnostics = loaded.diagnostics;
    for diagnostic in &mut diagnostics {
        let location = &mut diagnostic.location;
        if let (Some(model), Some(block)) = (&location.model, &mut location.block)
            && let Some(id) = ids.get(model).and_then(|ids| ids.get(block))
        {
            *block = *id;
        }
    }
    Ok(Loaded { simulation: next, diagnostics, source_map, ..Loaded::default() })
}

/// Returns the positions of a text, with the ids that its blocks have got.
fn relocated(map: &SourceMap, new: &Simulation, ids: &BTreeMap<Arc<str>, BTreeMap<BlockId, BlockId>>) -> SourceMap {
    let mut relocated = SourceMap::default();
    if let Some(position) = map.simulation() {
        relocated.set_simulation(position);
    }
    for model in new.models.values() {
        let Some(position) = map.model(&model.name) else { continue };
        relocated.add_model(&model.name, position);
        let id_of = |id: BlockId| ids.get(&model.name).and_then(|ids| ids.get(&id)).copied().unwrap_or(id);
        for id in model.blocks.keys() {
            if let Some(position) = map.block(&model.name, *id) {
                relocated.add_block(&model.name, id_of(*id), position);
            }
        }
        for wire in model.connections.values() {
            if let Some(position) = map.connection(&model.name, &wire.key()) {
                let wire = Connection { from: id_of(wire.from), to: id_of(wire.to), ..Connection::clone(wire) };
                relocated.add_connection(&model.name, &wire, position);
            }
        }
    }
    relocated
}

/// A model of the document.
struct Old<'a> {
    simulation: &'a Simulation,
    model: &'a Model,
    registry: &'a Registry,
}

/// The blocks of a text and those of a document that they stand for.
struct Matches {
    /// The ids in the text and those that the blocks get.
    ids: BTreeMap<BlockId, BlockId>,
    /// The blocks of the document, by the ids that they get.
    old: BTreeMap<BlockId, Arc<Block>>,
}

impl Matches {
    fn of(new: &Model, old: &Model, is_written: impl Fn(BlockId) -> bool) -> Matches {
        let mut pairs: BTreeMap<BlockId, BlockId> = BTreeMap::new();
        let mut taken: HashSet<BlockId> = HashSet::new();
        let (new_groups, old_groups) = (by_title(new), by_title(old));
        for (key, news) in &new_groups {
            let olds = old_groups.get(key).map(Vec::as_slice).unwrap_or_default();
            let is_unique = news.len() == 1 && olds.len() == 1;
            let mut left = Vec::new();
            for id in news {
                let own = olds.iter().find(|old| **old == *id && is_written(*id) && !is_unique);
                match own {
                    Some(old) => {
                        pairs.insert(*id, *old);
                        taken.insert(*old);
                    }
                    None => left.push(*id),
                }
            }
            let free: Vec<BlockId> = olds.iter().copied().filter(|old| !taken.contains(old)).collect();
            // Of several with one title the order decides, if none is added or removed.
            if left.len() == free.len() {
                taken.extend(&free);
                pairs.extend(left.into_iter().zip(free));
            }
        }
        for block in new.blocks.values().filter(|block| !pairs.contains_key(&block.id)).collect::<Vec<_>>() {
            let same = old.block(block.id).filter(|old| is_same_kind(&old.kind, &block.kind));
            if same.is_some_and(|old| taken.insert(old.id)) {
                pairs.insert(block.id, block.id);
            }
        }
        Matches::with_ids(new, old, &pairs, is_written)
    }

    /// Gives each block its id: that of its line, that of the document, or one that no block has had.
    fn with_ids(
        new: &Model,
        old: &Model,
        pairs: &BTreeMap<BlockId, BlockId>,
        is_written: impl Fn(BlockId) -> bool,
    ) -> Matches {
        let mut used: HashSet<BlockId> = new.blocks.keys().copied().filter(|id| is_written(*id)).collect();
        let mut ids = BTreeMap::new();
        let mut without = Vec::new();
        for id in in_order(new) {
            match (is_written(id), pairs.get(&id)) {
                (true, _) => drop(ids.insert(id, id)),
                (false, Some(known)) if used.insert(*known) => drop(ids.insert(id, *known)),
                (false, _) => without.push(id),
            }
        }
        let mut free = old.free_ids().filter(|id| !used.contains(id));
        for id in without {
            ids.insert(id, free.next().unwrap_or(id));
        }
        let old_of = |(new, known): (&BlockId, &BlockId)| Some((*ids.get(new)?, Arc::clone(old.block(*known)?)));
        let old = pairs.iter().filter_map(old_of).collect();
        Matches { ids, old }
    }

    /// Returns the model of the text with the ids, looks and order of the document.
    fn applied(&self, new: &Model, old: &Old) -> Model {
        let mut new = new.clone();
        new.renumber(&self.ids);
        let order = spliced(self.keys_of_old(old.model), keys(&new));
        let applied = self.ordered(&new, old, order);
        // The order of inputs and outputs is that of the ports.
        match ports(&applied) == ports(&new) {
            true => applied,
            false => self.ordered(&new, old, keys(&new)),
        }
    }

    /// Returns the keys of the document's content, with the ids that its blocks get.
    fn keys_of_old(&self, old: &Model) -> Vec<Key> {
        let now: HashMap<BlockId, BlockId> = self.old.iter().map(|(now, block)| (block.id, *now)).collect();
        let key = |key| match key {
            Key::Block(id) => now.get(&id).map(|id| Key::Block(*id)),
            Key::Wire(InputKey { block, input }) => {
                now.get(&block).map(|block| Key::Wire(InputKey { block: *block, input }))
            }
            other => Some(other),
        };
        keys(old).into_iter().filter_map(key).collect()
    }

    fn ordered(&self, new: &Model, old: &Old, order: Vec<Key>) -> Model {
        let mut model = Model::new(&new.name);
        model.attributes = merged(&new.attributes, &old.model.attributes);
        for key in order {
            match key {
                Key::Block(id) => {
                    if let Some(block) = new.block(id) {
                        model.add_block(match self.old.get(&id) {
                            Some(before) => with_looks(block, before, old),
                            None => Block::clone(block),
                        });
                    }
                }
                Key::Wire(key) => {
                    if let Some(wire) = new.connections.get(&key) {
                        model.connect(self.wire(wire, old.model));
                    }
                }
                Key::Variable(name) => {
                    if let Some(variable) = new.variables.get(&name) {
                        model.set_variable(&name, Variable::clone(variable));
                    }
                }
                Key::Extra(xml, _) => model.add_extra(Extra { xml }),
                Key::Model(_) => {}
            }
        }
        model
    }

    /// Returns a wire with the looks of the one that the document has between the same ports.
    fn wire(&self, wire: &Connection, old: &Model) -> Connection {
        let before = |id: BlockId| self.old.get(&id).map(|block| block.id);
        let known = before(wire.to).and_then(|to| old.source(to, &wire.input));
        let known = known.filter(|known| before(wire.from) == Some(known.from) && known.output == wire.output);
        let attributes = match known {
            Some(known) => merged(&wire.attributes, &known.attributes),
            None => wire.attributes.clone(),
        };
        Connection { attributes, ..wire.clone() }
    }
}

type TitleKey = (String, String);

/// Returns the blocks of a model by kind and title, in file order.
fn by_title(model: &Model) -> BTreeMap<TitleKey, Vec<BlockId>> {
    let mut groups: BTreeMap<TitleKey, Vec<BlockId>> = BTreeMap::new();
    for id in in_order(model) {
        if let Some(block) = model.block(id) {
            let kind = match &block.kind {
                BlockKind::Entry { .. } => "entry".to_owned(),
                BlockKind::Exit { .. } => "exit".to_owned(),
                BlockKind::Model { model } => format!("model {model}"),
                BlockKind::Library { group, name } => format!("{group}/{name}"),
            };
            groups.entry((kind, block.title().to_owned())).or_default().push(id);
        }
    }
    groups
}

fn in_order(model: &Model) -> Vec<BlockId> {
    let mut blocks: Vec<(u64, BlockId)> = model.blocks.values().map(|block| (block.seq, block.id)).collect();
    blocks.sort_unstable();
    blocks.into_iter().map(|(_, id)| id).collect()
}

fn is_same_kind(one: &BlockKind, other: &BlockKind) -> bool {
    match (one, other) {
        (BlockKind::Library { .. }, BlockKind::Library { .. }) => one == other,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

/// Returns the names of the inputs and outputs of a model, in file order.
fn ports(model: &Model) -> Vec<BlockKind> {
    let kinds = in_order(model).into_iter().filter_map(|id| model.block(id).map(|block| block.kind.clone()));
    let (mut entries, exits): (Vec<BlockKind>, Vec<BlockKind>) = kinds
        .filter(|kind| matches!(kind, BlockKind::Entry { .. } | BlockKind::Exit { .. }))
        .partition(|kind| matches!(kind, BlockKind::Entry { .. }));
    entries.extend(exits);
    entries
}

/// Returns the attributes of a text in the order of the document, with the looks that the text does not state.
fn merged(new: &Attributes, old: &Attributes) -> Attributes {
    let kept: BTreeSet<&str> = looks(old).map(|(name, _)| name).collect();
    let known = old.iter().filter_map(|(name, value)| match new.get(name) {
        Some(value) => Some((name, value)),
        None => kept.contains(name).then_some((name, value)),
    });
    let further = new.iter().filter(|(name, _)| old.get(name).is_none());
    known.chain(further).collect()
}

/// Returns a block of a text with the looks and the stated defaults of the one in the document.
fn with_looks(new: &Block, old: &Block, document: &Old) -> Block {
    let Old { simulation, model, registry } = document;
    let mut block = new.clone();
    block.attributes = merged(&new.attributes, &old.attributes);
    let is_stated = |item: &BodyItem| matches!(item, BodyItem::Data { name, .. } if new.view(name).is_some());
    let is_kept_look = |item: &BodyItem| is_look(item) && !is_stated(item);
    let is_kept_default = |option: &BlockOption| {
        new.option(&option.name).is_none() && is_default(simulation, model, old, &option.name, registry)
    };
    let is_unsaid = |item: &BodyItem| match item {
        BodyItem::Option(option) => is_kept_default(option),
        item => is_look(item),
    };
    let kept = old.body.iter().filter(|item| !is_look(item) || is_kept_look(item));
    if kept.clone().filter(|item| !is_unsaid(item)).eq(&new.body) {
        block.body = kept.cloned().collect();
        return block;
    }
    if !is_expressible(new) {
        block.body.extend(old.body.iter().filter(|item| is_kept_look(item)).cloned());
        return block;
    }
    let mut body = Vec::new();
    let mut seen = HashSet::new();
    for item in &old.body {
        match item {
            BodyItem::Option(option) if !seen.insert(&option.name) => {}
            BodyItem::Option(option) => match new.option(&option.name) {
                Some(now) if now.texts().eq(option.texts()) => body.push(item.clone()),
                Some(now) => body.push(BodyItem::Option(now.clone())),
                None if is_kept_default(option) => body.push(item.clone()),
                None => {}
            },
            item if is_kept_look(item) => body.push(item.clone()),
            _ => {}
        }
    }
    let further = new.options().filter(|option| old.option(&option.name).is_none());
    body.extend(further.map(|option| BodyItem::Option(option.clone())));
    block.body = body;
    block
}

/// What identifies an item of a simulation or a model.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Model(Arc<str>),
    Block(BlockId),
    Wire(InputKey),
    Variable(Arc<str>),
    /// With its number among equal ones.
    Extra(Arc<str>, usize),
}

fn outer_keys(simulation: &Simulation) -> Vec<Key> {
    let models = simulation.models.values().map(|model| (model.seq, Key::Model(Arc::clone(&model.name))));
    let variables = simulation.variables.iter().map(|(name, value)| (value.seq, Key::Variable(Arc::clone(name))));
    let extras = simulation.extras.iter().map(|(seq, extra)| (*seq, Key::Extra(Arc::clone(&extra.xml), 0)));
    numbered(models.chain(variables).chain(extras).collect())
}

/// Returns the keys of a model's content, in file order.
fn keys(model: &Model) -> Vec<Key> {
    let blocks = model.blocks.values().map(|block| (block.seq, Key::Block(block.id)));
    let wires = model.connections.values().map(|wire| (wire.seq, Key::Wire(wire.key())));
    let variables = model.variables.iter().map(|(name, value)| (value.seq, Key::Variable(Arc::clone(name))));
    let extras = model.extras.iter().map(|(seq, extra)| (*seq, Key::Extra(Arc::clone(&extra.xml), 0)));
    numbered(blocks.chain(wires).chain(variables).chain(extras).collect())
}

/// Sorts keys in file order, and numbers equal extras.
fn numbered(mut keys: Vec<(u64, Key)>) -> Vec<Key> {
    keys.sort_by_key(|(seq, _)| *seq);
    let mut seen: HashMap<Arc<str>, usize> = HashMap::new();
    let number = |(_, key)| match key {
        Key::Extra(xml, _) => {
            let count = seen.entry(Arc::clone(&xml)).or_default();
            *count += 1;
            Key::Extra(xml, *count)
        }
        other => other,
    };
    keys.into_iter().map(number).collect()
}

/// Returns the new keys in the old order; a key that is new follows the one that it follows in the new order.
fn spliced(old: Vec<Key>, new: Vec<Key>) -> Vec<Key> {
    let known: HashSet<Key> = old.iter().cloned().collect();
    let present: HashSet<Key> = new.iter().cloned().collect();
    let mut first = Vec::new();
    let mut following: HashMap<Key, Vec<Key>> = HashMap::new();
    let mut before: Option<Key> = None;
    for key in new {
        match (known.contains(&key), &before) {
            (true, _) => before = Some(key),
            (false, None) => first.push(key),
            (false, Some(before)) => following.entry(before.clone()).or_default().push(key),
        }
    }
    let mut order = first;
    for key in old.into_iter().filter(|key| present.contains(key)) {
        let further = following.remove(&key);
        order.push(key);
        order.extend(further.into_iter().flatten());
    }
    order
}

/// The same for a text that has only sections of models: all else of the document stays, and models that it does not have
/// yet are added. A text that begins with its own line `simulation` is the whole next state. Positions of errors and
/// diagnostics count in the text that is given.
///
/// # Errors
/// As [`apply`].
pub fn apply_part(text: &str, onto: &Simulation, registry: &Registry) -> Result<Loaded, LoadError> {
    if Simt.recognizes(text.as_bytes()) {
        return apply(text, onto, registry);
    }
    let up = |position: &mut TextPosition, lines: usize| position.line = position.line.saturating_sub(lines).max(1);
    let moved = |error: LoadError, lines: usize| match error {
        LoadError::Malformed { mut position, problem } => {
            up(&mut position, lines);
            LoadError::Malformed { position, problem }
        }
        other => other,
    };
    let decoded = simx::decode(text.as_bytes())?;
    let draft = read(&format!("simulation x\n{decoded}")).map_err(|error| moved(error, 1))?;
    let given: BTreeSet<Arc<str>> = draft.model_names().collect();
    let mut others = onto.clone();
    others.models.retain(|name, _| !given.contains(name));
    let mut outside = others.clone();
    outside.models.clear();
    let unwritable = |error: SaveError| {
        let position = TextPosition { line: 1, column: 1 };
        LoadError::Malformed { position, problem: format!("the rest of the document cannot be written: {error}") }
    };
    let head = super::text(&outside, registry).map_err(unwritable)?;
    let all = super::text(&others, registry).map_err(unwritable)?;
    // The given sections stand in front of the others, behind the settings and variables of the simulation.
    let rest = all.strip_prefix(&head).unwrap_or_default();
    let lines = head.lines().count();
    let loaded = apply(&format!("{head}{decoded}\n{rest}"), onto, registry);
    let mut loaded = loaded.map_err(|error| moved(error, lines))?;
    for name in onto.models.keys().filter(|name| !given.contains(*name)) {
        let (Some(old), Some(new)) = (onto.models.get(name), loaded.simulation.models.get_mut(name)) else { continue };
        // What the text does not mention is not even put into another order.
        let seq = new.seq;
        *new = Arc::clone(old);
        if new.seq != seq {
            Arc::make_mut(new).seq = seq;
        }
    }
    loaded.source_map = SourceMap::default();
    for diagnostic in &mut loaded.diagnostics {
        diagnostic.location.text.iter_mut().for_each(|position| up(position, lines));
    }
    Ok(loaded)
}

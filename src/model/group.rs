//! Groups blocks into a subsystem and expands a subsystem. Neither changes a result.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::expression_names::{options_with_names, variables_in, with_names_replaced};
use super::{
    Attributes, Block, BlockAddress, BlockId, BlockKind, BlockPorts, Connection, Edit, Flow, InputKey, Model,
    ParamAddress, Position, Relocation, Scope, SignalKey, Simulation, Variable, seeds_of,
};
use crate::block::Registry;
use crate::block::language::Names;

/// The prefix of the attributes for a wire's route, which is invalid if an end of the wire changes.
const VIEW: &str = "view:";

/// Why a model block cannot be expanded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpandError {
    #[error("{0} is not an instance of a model")]
    NoModel(BlockId),
    #[error("“{0}” is a conditional or iterated subsystem; its blocks would run unconditionally here")]
    Conditional(Arc<str>),
    #[error("the input “{0}” is not connected, and its initial value would be lost")]
    Unconnected(Arc<str>),
    #[error("“{0}” has another meaning outside the model")]
    Name(String),
    #[error("the wires through “{0}” form a loop without a block")]
    Ring(Arc<str>),
}

/// Returns the edits that move blocks into a new model and replace them by an instance of it, and the id of the
/// instance. Entries and exits stay, since moving them would change the ports of the model. None if no other block is
/// given.
pub fn group(
    simulation: &Simulation,
    model: &Model,
    ids: &BTreeSet<BlockId>,
    wanted: &str,
) -> Option<(Vec<Edit>, BlockId)> {
    let mut blocks: Vec<&Arc<Block>> = ids.iter().filter_map(|id| model.block(*id)).collect();
    blocks.retain(|block| !matches!(block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. }));
    blocks.sort_by_key(|block| block.seq);
    let ids: BTreeSet<BlockId> = blocks.iter().map(|block| block.id).collect();
    if ids.is_empty() {
        return None;
    }
    let name: Arc<str> = simulation.free_model_name(wanted).into();
    let mut inner = Model::new(&name);
    for block in &blocks {
        inner.add_block(Block::clone(block));
    }
    let block = model.free_id();
    let mut outside = Vec::new();
    let mut wires: Vec<&Arc<Connection>> = model.connections.values().collect();
    wires.sort_by_key(|wire| wire.seq);
    // Each outside output gets one entry; entries are sorted from top to bottom.
    let mut entries: BTreeMap<(BlockId, Arc<str>), (BlockId, Arc<str>)> = BTreeMap::new();
    let mut exits: BTreeMap<(BlockId, Arc<str>), Arc<str>> = BTreeMap::new();
    let height = |id: BlockId| model.block(id).and_then(|block| block.position()).map_or(0.0, |at| at.y);
    let mut crossing: Vec<&Arc<Connection>> =
        wires.iter().copied().filter(|wire| ids.contains(&wire.from) != ids.contains(&wire.to)).collect();
    crossing.sort_by(|a, b| {
        let inside = |wire: &Connection| if ids.contains(&wire.to) { wire.to } else { wire.from };
        height(inside(a)).total_cmp(&height(inside(b)))
    });
    let bounds = bounds(blocks.iter().filter_map(|block| block.position()));
    for wire in crossing {
        let key = (wire.from, Arc::clone(&wire.output));
        let position = |id: BlockId, x: f64| Position { x, y: height(id) };
        if ids.contains(&wire.to) {
            if !entries.contains_key(&key) {
                let port: Arc<str> = inner.free_port_name(&port_name(model, wire)).into();
                let mut entry = Block::new(inner.free_id(), BlockKind::Entry { name: Arc::clone(&port) });
                if let Some((low, _)) = bounds {
                    entry.set_position(position(wire.to, low.x - 130.0));
                }
                outside.push(joined(wire, (wire.from, &wire.output), (block, &port)));
                entries.insert(key.clone(), (entry.id, port));
                inner.add_block(entry);
            }
            if let Some((entry, _)) = entries.get(&key) {
                inner.connect(ended(wire, (*entry, &BlockPorts::OUTPUT.into()), (wire.to, &wire.input)));
            }
        } else {
            if !exits.contains_key(&key) {
                let port: Arc<str> = inner.free_port_name(&port_name(model, wire)).into();
                let mut exit = Block::new(inner.free_id(), BlockKind::Exit { name: Arc::clone(&port) });
                if let Some((_, high)) = bounds {
                    exit.set_position(position(wire.from, high.x + 130.0));
                }
                inner.connect(joined(wire, (wire.from, &wire.output), (exit.id, &BlockPorts::INPUT.into())));
                inner.add_block(exit);
                exits.insert(key.clone(), port);
            }
            if let Some(port) = exits.get(&key) {
                outside.push(ended(wire, (block, port), (wire.to, &wire.input)));
            }
        }
    }
    for wire in wires.iter().filter(|wire| ids.contains(&wire.from) && ids.contains(&wire.to)) {
        inner.connect(Connection::clone(wire));
    }

    let mut instance = Block::new(block, BlockKind::Model { model: Arc::clone(&name) });
    if let Some((low, high)) = bounds {
        let middle = |low: f64, high: f64| ((low + high) / 20.0).round() * 10.0;
        instance.set_position(Position { x: middle(low.x, high.x), y: middle(low.y, high.y) });
    }
    for variable in variables_used(model, &blocks) {
        // The new model gets a default value; the instance passes the outer model's variable.
        instance.set_option(&variable, Some(&[&*variable]));
        let value = value_text(&Scope::of_model(simulation, model), &variable);
        let known = model.variables.get(&variable);
        let own = known.map(|known| Variable { value: value.into(), ..Variable::clone(known) });
        inner.set_variable(&variable, own.unwrap_or_default());
    }
    let outer = || Arc::clone(&model.name);
    let mut edits = vec![Edit::AddModel { name: Arc::clone(&name) }];
    edits.extend(inner.variables.iter().map(|(variable, value)| Edit::SetVariable {
        model: Some(Arc::clone(&name)),
        name: Arc::clone(variable),
        variable: Some(Variable::clone(value)),
    }));
    edits.extend(contents(&inner));
    let moved = ids.iter().map(|id| (BlockAddress::new(&[], *id), BlockAddress::new(&[block], *id)));
    let relocation = Relocation { blocks: moved.collect(), ..Relocation::new(&model.name) };
    edits.push(Edit::Relocate(Box::new(relocation)));
    edits.push(Edit::RemoveBlocks { model: outer(), ids: ids.into_iter().collect() });
    edits.push(Edit::AddBlock { model: outer(), block: Box::new(instance) });
    edits.extend(outside.into_iter().map(|wire| Edit::Connect { model: outer(), connection: Box::new(wire) }));
    Some((edits, block))
}

/// Returns the edits that replace an instance of a model by the model's blocks. They remove the model if it has no
/// other instance.
///
/// # Errors
/// If that would change a result.
pub fn expand(simulation: &Simulation, model: &Model, id: BlockId) -> Result<(Vec<Edit>, Vec<BlockId>), ExpandError> {
    let instance = model.block(id).ok_or(ExpandError::NoModel(id))?;
    let BlockKind::Model { model: name } = &instance.kind else { return Err(ExpandError::NoModel(id)) };
    let inner = simulation.model(name).ok_or(ExpandError::NoModel(id))?;
    if Flow::of(inner).is_atomic() {
        return Err(ExpandError::Conditional(Arc::clone(name)));
    }
    let expansion = Expansion { model, inner, instance };
    let mut taken = model.clone();
    let mut numbers: BTreeMap<BlockId, BlockId> = BTreeMap::new();
    let mut names: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
    let mut edits = vec![Edit::RemoveBlocks { model: Arc::clone(&model.name), ids: vec![id] }];
    let mut blocks: Vec<&Arc<Block>> = inner.blocks.values().filter(|block| !expansion.is_port(block)).collect();
    blocks.sort_by_key(|block| block.seq);
    let shift = shift_to(instance, &blocks);
    for block in blocks {
        let mut copy = Block::clone(block);
        copy.id = taken.free_id();
        numbers.insert(block.id, copy.id);
        if let BlockKind::Entry { name } | BlockKind::Exit { name } = &mut copy.kind {
            // An entry and an exit of one name stay a pair, under a free name.
            let new = names.entry(Arc::clone(name)).or_insert_with(|| taken.free_port_name(name).into());
            *name = Arc::clone(new);
        }
        expansion.substitute_in(&mut copy)?;
        expansion.keep_seeds(&mut copy);
        if let Some(at) = copy.position() {
            copy.set_position(Position { x: at.x + shift.x, y: at.y + shift.y });
        }
        taken.add_block(copy.clone());
        edits.push(Edit::AddBlock { model: Arc::clone(&model.name), block: Box::new(copy) });
    }
    let mut connect = |wire: Connection| {
        edits.push(Edit::Connect { model: Arc::clone(&model.name), connection: Box::new(wire) });
    };
    let mut wires: Vec<&Arc<Connection>> = inner.connections.values().collect();
    wires.sort_by_key(|wire| wire.seq);
    for wire in wires {
        let Some(&to) = numbers.get(&wire.to) else { continue };
        if let Some((from, output)) = expansion.source(&numbers, wire.from, &wire.output)? {
            let mut wire_here = ended(wire, (from, &output), (to, &wire.input));
            expansion.outer_wire(wire.from).into_iter().for_each(|outer| keep_missing(&mut wire_here, outer));
            connect(wire_here);
        }
    }
    let mut wires: Vec<&Arc<Connection>> =
        model.connections.values().filter(|wire| wire.from == id && wire.to != id).collect();
    wires.sort_by_key(|wire| wire.seq);
    for wire in wires {
        if let Some((from, output)) = expansion.behind_exit(&numbers, &wire.output, 0)? {
            let mut wire_here = ended(wire, (from, &output), (wire.to, &wire.input));
            expansion.inner_wire(&wire.output).into_iter().for_each(|inner| keep_missing(&mut wire_here, inner));
            connect(wire_here);
        }
    }
    let is_used_elsewhere = simulation.users_of(name).any(|(user, block)| user.name != model.name || block != id);
    if !is_used_elsewhere && simulation.root != *name {
        edits.push(Edit::RemoveModel { name: Arc::clone(name) });
    }
    edits.push(Edit::Relocate(Box::new(expansion.relocation(&numbers))));
    Ok((edits, numbers.into_values().collect()))
}

struct Expansion<'a> {
    /// The model that contains the instance.
    model: &'a Model,
    inner: &'a Model,
    instance: &'a Block,
}

impl Expansion<'_> {
    /// Gives a block the seeds of the instance before its own, so that it draws the same random numbers as within it.
    fn keep_seeds(&self, block: &mut Block) {
        let outer = seeds_of(self.instance).unwrap_or_default();
        let draws = match &block.kind {
            BlockKind::Library { group, name } => {
                Registry::standard().get(group, name).is_some_and(|def| def.is_random())
            }
            BlockKind::Model { .. } => true,
            BlockKind::Entry { .. } | BlockKind::Exit { .. } => false,
        };
        if draws && outer.iter().any(|seed| *seed != 0) {
            let all = outer.into_iter().chain(seeds_of(block).unwrap_or_default());
            let texts: Vec<String> = all.map(|seed| seed.to_string()).collect();
            block.attributes.set(Block::SEED, &texts.join(" "));
        }
    }

    /// Returns where the blocks and signals of the instance are now. A parameter of the instance becomes the one
    /// parameter inside that was its name alone; where there are several or none, it has no successor.
    fn relocation(&self, numbers: &BTreeMap<BlockId, BlockId>) -> Relocation {
        let id = self.instance.id;
        let mut relocation = Relocation::new(&self.model.name);
        let moved = numbers.iter().map(|(old, new)| (BlockAddress::new(&[id], *old), BlockAddress::new(&[], *new)));
        relocation.blocks = moved.collect();
        for block in self.inner.blocks.values().filter(|block| self.is_port(block)) {
            let (old, new) = match &block.kind {
                BlockKind::Entry { name } => {
                    let source = self.source(numbers, block.id, name);
                    (vec![SignalKey::new(&[id], block.id, BlockPorts::OUTPUT)], source)
                }
                BlockKind::Exit { name } => {
                    let inside = SignalKey::new(&[id], block.id, BlockPorts::INPUT);
                    (vec![SignalKey::new(&[], id, name), inside], self.behind_exit(numbers, name, 0))
                }
                _ => continue,
            };
            let Ok(Some((from, output))) = new else { continue };
            let new = SignalKey::new(&[], from, &output);
            relocation.signals.extend(old.into_iter().map(|old| (old, new.clone())));
        }
        for variable in self.inner.variables.keys() {
            let mut users = self.users_of(variable, numbers);
            if let (Some(new), None) = (users.next(), users.next()) {
                relocation.params.push((ParamAddress::new(&[], id, variable), new));
            }
        }
        relocation
    }

    /// Returns the parameters of the moved blocks that are the name of a variable, and nothing else.
    fn users_of<'a>(
        &'a self,
        variable: &'a str,
        numbers: &'a BTreeMap<BlockId, BlockId>,
    ) -> impl Iterator<Item = ParamAddress> + 'a {
        let blocks = self.inner.blocks.values().filter_map(|block| Some((block, *numbers.get(&block.id)?)));
        blocks.flat_map(move |(block, new)| {
            let options = block.options().filter(move |option| {
                let texts: Vec<&str> = option.texts().collect();
                matches!(texts.as_slice(), [one] if one.trim() == variable)
            });
            options.map(move |option| ParamAddress::new(&[], new, &option.name))
        })
    }

    /// Whether a block is an entry or exit without a counterpart of the same name.
    fn is_port(&self, block: &Block) -> bool {
        match &block.kind {
            BlockKind::Entry { name } => !self.inner.exits().any(|(_, known)| known == name),
            BlockKind::Exit { name } => !self.inner.entries().any(|(_, known)| known == name),
            _ => false,
        }
    }

    /// Returns the wire at the input of the instance that an entry stands for.
    fn outer_wire(&self, entry: BlockId) -> Option<&Connection> {
        match &self.inner.block(entry)?.kind {
            BlockKind::Entry { name } => self.model.source(self.instance.id, name).map(|wire| &**wire),
            _ => None,
        }
    }

    /// Returns the wire at the exit of this name.
    fn inner_wire(&self, exit: &str) -> Option<&Connection> {
        let (exit, _) = self.inner.exits().find(|(_, name)| ***name == *exit)?;
        self.inner.source(exit.id, BlockPorts::INPUT).map(|wire| &**wire)
    }

    /// Finds the outer source of an output inside the model.
    fn source(
        &self,
        numbers: &BTreeMap<BlockId, BlockId>,
        from: BlockId,
        output: &Arc<str>,
    ) -> Result<Option<(BlockId, Arc<str>)>, ExpandError> {
        self.source_at(numbers, from, output, 0)
    }

    fn source_at(
        &self,
        numbers: &BTreeMap<BlockId, BlockId>,
        from: BlockId,
        output: &Arc<str>,
        depth: usize,
    ) -> Result<Option<(BlockId, Arc<str>)>, ExpandError> {
        if let Some(&here) = numbers.get(&from) {
            return Ok(Some((here, Arc::clone(output))));
        }
        let Some(BlockKind::Entry { name }) = self.inner.block(from).map(|block| &block.kind) else { return Ok(None) };
        let key = InputKey { block: self.instance.id, input: Arc::clone(name) };
        let wire = self.model.connections.get(&key).ok_or_else(|| ExpandError::Unconnected(Arc::clone(name)))?;
        match wire.from == self.instance.id {
            true => self.behind_exit(numbers, &wire.output, depth + 1),
            false => Ok(Some((wire.from, Arc::clone(&wire.output)))),
        }
    }

    /// Finds the outer source of an exit.
    fn behind_exit(
        &self,
        numbers: &BTreeMap<BlockId, BlockId>,
        name: &Arc<str>,
        depth: usize,
    ) -> Result<Option<(BlockId, Arc<str>)>, ExpandError> {
        if depth > self.inner.blocks.len() {
            return Err(ExpandError::Ring(Arc::clone(&self.inner.name)));
        }
        let exit = self.inner.exits().find(|(_, known)| *known == name).map(|(exit, _)| exit.id);
        let wire = exit.and_then(|exit| self.inner.source(exit, BlockPorts::INPUT));
        wire.map_or(Ok(None), |wire| self.source_at(numbers, wire.from, &wire.output, depth))
    }

    /// Replaces the names of the model's variables by their values.
    fn substitute_in(&self, block: &mut Block) -> Result<(), ExpandError> {
        for found in options_with_names(block, &Registry::standard()) {
            let mut changed = Vec::new();
            for text in block.option_texts(&found.option).unwrap_or_default() {
                changed.push(self.substituted(text, &found.names, 0)?);
            }
            block.set_option(&found.option, Some(&changed));
        }
        Ok(())
    }

    fn substituted(&self, text: &str, names: &BTreeSet<String>, depth: usize) -> Result<String, ExpandError> {
        if let Some(other) = names
            .iter()
            .find(|name| !self.inner.variables.contains_key(&***name) && self.model.variables.contains_key(&***name))
        {
            return Err(ExpandError::Name(other.clone()));
        }
        let mut result = text.to_owned();
        for name in names.iter().filter(|name| self.inner.variables.contains_key(&***name)) {
            let value = match self.instance.option_texts(name).as_deref() {
                Some([one]) => (*one).to_owned(),
                Some(several) => format!("[{}]", several.join(" ")),
                None if depth > self.inner.variables.len() => return Err(ExpandError::Name(name.clone())),
                None => {
                    let own = self.inner.variables.get(&**name).map(|own| own.value.to_string()).unwrap_or_default();
                    self.substituted(&own, &variables_in(&own), depth + 1)?
                }
            };
            // A name or a number needs no parentheses.
            let is_plain = value.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
            let value = if is_plain { value } else { format!("({value})") };
            result = with_names_replaced(&result, |word| (word == name).then(|| value.clone()));
        }
        Ok(result)
    }
}

/// Returns the name of the port through which a wire enters or leaves a new subsystem: that of the signal, or else of
/// the port or block that it comes from, or of the exit that it leads to.
fn port_name(model: &Model, wire: &Connection) -> String {
    let named = |attributes: &Attributes, name: &str| {
        attributes.get(name).filter(|text| !text.trim().is_empty()).map(str::to_owned)
    };
    let signal = model.signal_name(wire.from, &wire.output).filter(|name| !name.trim().is_empty());
    let Some(source) = model.block(wire.from) else { return wire.output.to_string() };
    let exit = || match &model.block(wire.to)?.kind {
        BlockKind::Exit { name } => Some(name.to_string()),
        _ => None,
    };
    // Titles that only state the place of a port say less than the block that has it.
    let is_plain = ["Out", BlockPorts::OUTPUT].contains(&&*wire.output);
    let own = || match &source.kind {
        BlockKind::Entry { name } => Some(name.to_string()),
        BlockKind::Model { .. } if !is_plain => Some(wire.output.to_string()),
        _ => None,
    };
    let signal = signal.map(str::to_owned).or_else(|| named(&source.attributes, "label"));
    signal.or_else(own).or_else(exit).unwrap_or_else(|| source.title().to_owned())
}

/// Returns a copy of a wire between other ports, without its route.
fn joined(wire: &Connection, from: (BlockId, &Arc<str>), to: (BlockId, &Arc<str>)) -> Connection {
    let mut joined = Connection::clone(wire);
    joined.attributes = wire.attributes.iter().filter(|(name, _)| !name.starts_with(VIEW)).collect();
    (joined.from, joined.output) = (from.0, Arc::clone(from.1));
    (joined.to, joined.input) = (to.0, Arc::clone(to.1));
    joined
}

/// The same for the piece that ends where the wire ended; it keeps the breakpoint.
fn ended(wire: &Connection, from: (BlockId, &Arc<str>), to: (BlockId, &Arc<str>)) -> Connection {
    let mut ended = joined(wire, from, to);
    if let Some(condition) = wire.attributes.get(Connection::BREAKPOINT) {
        ended.attributes.set(Connection::BREAKPOINT, condition);
    }
    ended
}

/// Gives a wire the name and the breakpoint of one that it replaces, where it has none of its own.
fn keep_missing(wire: &mut Connection, gone: &Connection) {
    for attribute in [Connection::NAME, Connection::BREAKPOINT] {
        if let (None, Some(text)) = (wire.attributes.get(attribute), gone.attributes.get(attribute)) {
            wire.attributes.set(attribute, text);
        }
    }
}

/// Returns the edits that fill an empty model.
fn contents(model: &Model) -> Vec<Edit> {
    let mut blocks: Vec<&Arc<Block>> = model.blocks.values().collect();
    blocks.sort_by_key(|block| block.seq);
    let add = blocks
        .into_iter()
        .map(|block| Edit::AddBlock { model: Arc::clone(&model.name), block: Box::new(Block::clone(block)) });
    let mut wires: Vec<&Arc<Connection>> = model.connections.values().collect();
    wires.sort_by_key(|wire| wire.seq);
    let connect = wires
        .into_iter()
        .map(|wire| Edit::Connect { model: Arc::clone(&model.name), connection: Box::new(Connection::clone(wire)) });
    add.chain(connect).collect()
}

fn bounds(positions: impl Iterator<Item = Position>) -> Option<(Position, Position)> {
    positions.map(|at| (at, at)).reduce(|(low, high), (at, _)| {
        let low = Position { x: low.x.min(at.x), y: low.y.min(at.y) };
        (low, Position { x: high.x.max(at.x), y: high.y.max(at.y) })
    })
}

/// Returns the shift that centres the blocks of a model on its instance.
fn shift_to(instance: &Block, blocks: &[&Arc<Block>]) -> Position {
    let Some((low, high)) = bounds(blocks.iter().filter_map(|block| block.position())) else {
        return Position::default();
    };
    let at = instance.position().unwrap_or_default();
    let whole = |shift: f64| (shift / 10.0).round() * 10.0;
    Position { x: whole(at.x - (low.x + high.x) / 2.0), y: whole(at.y - (low.y + high.y) / 2.0) }
}

/// Returns the variables of a model that some of its blocks use.
fn variables_used(model: &Model, blocks: &[&Arc<Block>]) -> BTreeSet<Arc<str>> {
    let registry = Registry::standard();
    let options = blocks.iter().flat_map(|block| options_with_names(block, &registry));
    let names: BTreeSet<String> = options.flat_map(|option| option.names).collect();
    model.variables.keys().filter(|variable| names.contains(&***variable)).cloned().collect()
}

fn value_text(scope: &Scope, name: &str) -> String {
    let matrix = scope.value(name).ok().flatten().unwrap_or_default();
    match matrix.values.as_slice() {
        [one] => one.to_string(),
        values => {
            let row = |row: &[f64]| row.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
            let rows: Vec<String> = values.chunks(matrix.columns().max(1)).map(row).collect();
            format!("[{}]", rows.join("; "))
        }
    }
}

//! Fixes of wires: connects, moves or removes them, or inserts a block into them.

use std::sync::Arc;

use super::{MAX_CHOICES, Site};
use crate::block::library;
use crate::model::{
    Block, BlockId, BlockKind, BlockPorts, Change, Connection, Edit, InputKey, Model, PortRef, Position, VIEW_FLIP,
    block_ports,
};

/// The model, the block and the name of an input that is not connected.
pub(super) type OpenInput<'a> = (&'a Arc<Model>, &'a Arc<Block>, &'a Arc<str>);

impl<'a> Site<'a> {
    pub(super) fn open_input(&self) -> Option<OpenInput<'a>> {
        let (model, block) = (self.model?, self.block?);
        match &self.found.location.port {
            Some(PortRef::Input(input)) if model.source(block.id, input).is_none() => Some((model, block, input)),
            _ => None,
        }
    }

    /// Whether another block of the model has an output.
    pub(super) fn has_other_output(&self, &(model, block, _): &OpenInput) -> bool {
        let mut others = model.blocks.values().filter(|other| other.id != block.id);
        others.any(|other| !block_ports(self.simulation, self.registry, model, other).outputs.is_empty())
    }

    pub(super) fn connect(&self) -> Vec<Change> {
        let Some((model, block, input)) = self.open_input() else { return Vec::new() };
        let distance = |other: &Block| match (block.position(), other.position()) {
            (Some(to), Some(from)) => (to.x - from.x).hypot(to.y - from.y),
            _ => f64::INFINITY,
        };
        let mut nearest: Vec<_> = model.blocks.values().filter(|other| other.id != block.id).collect();
        nearest.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        let outputs = nearest.into_iter().flat_map(|from| {
            let ports = block_ports(self.simulation, self.registry, model, from);
            ports.outputs.into_iter().map(move |output| (from, output))
        });
        let connect = |(from, output): (&Arc<Block>, Arc<str>)| {
            let wire = Connection::new(from.id, &output, block.id, input);
            let edit = Edit::Connect { model: Arc::clone(&model.name), connection: Box::new(wire) };
            Change::one(format!("Connect {output} of {} {} to {input}", from.title(), from.id), edit)
        };
        outputs.take(MAX_CHOICES).map(connect).collect()
    }

    pub(super) fn connect_zero(&self) -> Option<Change> {
        let (model, block, input) = self.open_input()?;
        let inputs = block_ports(self.simulation, self.registry, model, block).inputs;
        let number = inputs.iter().position(|known| known == input)?;
        Some(grounded(model, block, input, number, model.free_id()))
    }

    /// Returns the wires that the problem is about: those at the port, as far as their other end is not a port.
    fn wrong_wires(&self) -> Vec<&'a Arc<Connection>> {
        let (Some(model), Some(id)) = (self.model, self.found.location.block) else { return Vec::new() };
        match &self.found.location.port {
            Some(PortRef::Input(input)) => model.source(id, input).into_iter().collect(),
            Some(PortRef::Output(output)) => {
                let is_dangling = self.found.code == "dangling-connection";
                let wires = model.connections.values().filter(|wire| wire.from == id && wire.output == *output);
                wires.filter(|wire| !is_dangling || model.block(wire.to).is_none()).collect()
            }
            None => Vec::new(),
        }
    }

    pub(super) fn remove_wires(&self) -> Option<Change> {
        let (model, wires) = (self.model?, self.wrong_wires());
        let label = match wires.len() {
            0 => return None,
            1 => "Remove wire".to_owned(),
            count => format!("Remove {count} wires"),
        };
        Some(Change::new(label, wires.into_iter().map(|wire| disconnect(model, &wire.key())).collect()))
    }

    /// Moves the end of the wires to another port: of an input one that is free.
    pub(super) fn reconnect(&self) -> Vec<Change> {
        let (Some(model), Some(block)) = (self.model, self.block) else { return Vec::new() };
        let wires = self.wrong_wires();
        let ports = block_ports(self.simulation, self.registry, model, block);
        let moved = |wire: &Connection, port: &Arc<str>| {
            let mut moved = wire.clone();
            match &self.found.location.port {
                Some(PortRef::Input(_)) => moved.input = Arc::clone(port),
                _ => moved.output = Arc::clone(port),
            }
            moved
        };
        let (ports, is_input) = match (&self.found.location.port, wires.is_empty()) {
            (_, true) | (None, _) => return Vec::new(),
            (Some(PortRef::Input(_)), _) => (ports.inputs, true),
            (Some(PortRef::Output(_)), _) => (ports.outputs, false),
        };
        let free = ports.into_iter().filter(|port| !is_input || model.source(block.id, port).is_none());
        let change = |port: Arc<str>| {
            let connect = |wire: &&Arc<Connection>| {
                let connection = Box::new(moved(wire, &port));
                let name = Arc::clone(&model.name);
                [disconnect(model, &wire.key()), Edit::Connect { model: name, connection }]
            };
            let edits = wires.iter().flat_map(connect).collect();
            Change::new(format!("Move wire to {port} of {} {}", block.title(), block.id), edits)
        };
        free.take(MAX_CHOICES).map(change).collect()
    }

    pub(super) fn remove_units(&self) -> Option<Change> {
        let (model, id) = (self.model?, self.found.location.block?);
        let wires = model.connections.values().filter(|wire| wire.to == id || wire.from == id);
        let declared = wires.filter(|wire| wire.attributes.get(Connection::UNIT).is_some());
        let edits: Vec<Edit> = declared
            .map(|wire| Edit::SetConnectionAttribute {
                model: Arc::clone(&model.name),
                to: wire.to,
                input: Arc::clone(&wire.input),
                name: Connection::UNIT.into(),
                value: None,
            })
            .collect();
        (!edits.is_empty()).then(|| Change::new("Remove unit of wire", edits))
    }

    pub(super) fn insert_delay(&self) -> Option<Change> {
        let model = self.model?;
        let keys = self.found.location.wires.iter();
        // The wire that leads back is the best place: the first block of the loop is the one that is named first.
        let wire = keys.filter_map(|key| model.connections.get(key)).next()?;
        let (from, to) = (model.block(wire.from)?, model.block(wire.to)?);
        let between = from
            .position()
            .zip(to.position())
            .map(|(from, to)| Position { x: (from.x + to.x) / 2.0, y: from.y.max(to.y) + 80.0 });
        let edits = std::iter::once(disconnect(model, &wire.key())).chain(delayed(model, wire, between)).collect();
        Some(Change::new(format!("Insert a unit delay in front of {} {}", to.title(), to.id), edits))
    }
}

/// Returns the change that connects a constant 0 at the left of an input, which is the `number`th of its block. The
/// new block gets the id `id`.
pub fn grounded(model: &Model, block: &Block, input: &Arc<str>, number: usize, id: BlockId) -> Change {
    let zero = library::zero();
    let mut ground = Block::new(id, BlockKind::library(zero.group, zero.name));
    if let Some(at) = block.position() {
        ground.set_position(Position { x: at.x - 80.0, y: at.y + 40.0 * number as f64 });
    }
    let wire = Connection::new(id, BlockPorts::OUTPUT, block.id, input);
    let name = || Arc::clone(&model.name);
    let edits = vec![
        Edit::AddBlock { model: name(), block: Box::new(ground) },
        Edit::Connect { model: name(), connection: Box::new(wire) },
    ];
    Change::new(format!("Connect 0 to {input} of {} {}", block.title(), block.id), edits)
}

/// Returns the edits that insert a unit delay at `position` into a wire to be made. In a wire that leads back to the
/// left it faces left.
pub fn delayed(model: &Model, connection: &Connection, position: Option<Position>) -> Vec<Edit> {
    let (def, input, output) = library::unit_delay();
    let mut block = Block::new(model.free_id(), BlockKind::library(def.group, def.name));
    if let Some(position) = position {
        block.set_position(position);
    }
    let x = |id: BlockId| model.block(id).and_then(|block| block.position()).map(|position| position.x);
    if let (Some(from), Some(to)) = (x(connection.from), x(connection.to))
        && from >= to
    {
        block.set_view(VIEW_FLIP, Some("1"));
    }
    let into = Connection::new(connection.from, &connection.output, block.id, input);
    let behind = Connection::new(block.id, output, connection.to, &connection.input);
    let name = || Arc::clone(&model.name);
    vec![
        Edit::AddBlock { model: name(), block: Box::new(block) },
        Edit::Connect { model: name(), connection: Box::new(into) },
        Edit::Connect { model: name(), connection: Box::new(behind) },
    ]
}

fn disconnect(model: &Model, key: &InputKey) -> Edit {
    Edit::Disconnect { model: Arc::clone(&model.name), to: key.block, input: Arc::clone(&key.input) }
}

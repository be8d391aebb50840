//! Blocks that are commented out or through: they stay in the document, and a run ignores them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::{Block, BlockId, BlockKind, Connection, Model, Simulation, block_ports};
use crate::block::Registry;

/// How a block is left out of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commented {
    /// With its wires: blocks that it fed have open inputs.
    Out,
    /// Each output has the value of the input in the same place.
    Through,
}

impl Commented {
    /// The attribute of a block's tag.
    pub const ATTRIBUTE: &str = "comment";

    /// Returns how a block is left out, if it is. Entries and exits cannot be.
    pub fn of(block: &Block) -> Option<Commented> {
        if matches!(block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. }) {
            return None;
        }
        match block.attributes.get(Commented::ATTRIBUTE)? {
            "out" => Some(Commented::Out),
            "through" => Some(Commented::Through),
            // Other values are unknown and stay in the document.
            _ => None,
        }
    }

    /// The value of the attribute.
    pub fn name(self) -> &'static str {
        match self {
            Commented::Out => "out",
            Commented::Through => "through",
        }
    }
}

/// Returns the simulation without the blocks that are left out of runs.
pub fn without_commented<'a>(simulation: &'a Simulation, registry: &Registry) -> Cow<'a, Simulation> {
    let has_some = |model: &&Arc<Model>| model.blocks.values().any(|block| Commented::of(block).is_some());
    let models: Vec<&Arc<Model>> = simulation.models.values().filter(has_some).collect();
    if models.is_empty() {
        return Cow::Borrowed(simulation);
    }
    let mut rest = simulation.clone();
    for model in models {
        let bridges = bridges(simulation, registry, model);
        let gone = model.blocks.values().filter(|block| Commented::of(block).is_some()).map(|block| block.id);
        let gone: BTreeSet<BlockId> = gone.collect();
        if let Some(model) = rest.model_mut(&model.name) {
            model.remove_blocks(&gone);
            bridges.into_iter().for_each(|bridge| drop(model.connect(bridge)));
        }
    }
    Cow::Owned(rest)
}

/// Returns the connections around the blocks that are commented through.
fn bridges(simulation: &Simulation, registry: &Registry, model: &Model) -> Vec<Connection> {
    let is_left = |id: BlockId| model.block(id).is_some_and(|block| Commented::of(block).is_none());
    let around = |connection: &Arc<Connection>| {
        if is_left(connection.from) || !is_left(connection.to) {
            return None;
        }
        let (from, output) = source(simulation, registry, model, connection)?;
        Some(Connection { from, output, ..Connection::clone(connection) })
    };
    model.connections.values().filter_map(around).collect()
}

/// Follows a connection back through blocks that are commented through.
fn source(
    simulation: &Simulation,
    registry: &Registry,
    model: &Model,
    connection: &Arc<Connection>,
) -> Option<(BlockId, Arc<str>)> {
    let mut seen = BTreeSet::new();
    let mut at = connection;
    loop {
        let block = model.block(at.from)?;
        match Commented::of(block) {
            None => return Some((at.from, Arc::clone(&at.output))),
            Some(Commented::Out) => return None,
            Some(Commented::Through) => {
                let ports = block_ports(simulation, registry, model, block);
                let index = ports.outputs.iter().position(|output| *output == at.output)?;
                // A ring of such blocks has no source.
                if !seen.insert((at.from, index)) {
                    return None;
                }
                at = model.source(at.from, ports.inputs.get(index)?)?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(comments: [Option<&str>; 3]) -> Simulation {
        let mut simulation = Simulation::new("Main");
        let model = simulation.model_mut("Main").expect("the root");
        for (id, comment) in [(1, comments[0]), (2, comments[1]), (3, comments[2])] {
            let mut block = Block::new(BlockId(id), BlockKind::library("Math", "Gain"));
            comment.into_iter().for_each(|comment| block.attributes.set(Commented::ATTRIBUTE, comment));
            model.add_block(block);
        }
        model.add_block(Block::new(BlockId(4), BlockKind::exit("y")));
        for (from, to) in [(1, 2), (2, 3), (3, 4)] {
            model.connect(Connection::new(BlockId(from), "Output", BlockId(to), "Input"));
        }
        simulation
    }

    fn wires(simulation: &Simulation) -> Vec<(i128, i128)> {
        let rest = without_commented(simulation, &Registry::standard());
        let model = rest.root_model().expect("the root");
        model.connections.values().map(|wire| (wire.from.0, wire.to.0)).collect()
    }

    #[test]
    fn wires_lead_around_blocks_that_are_commented_through() {
        assert_eq!(wires(&chain([None, None, None])), [(1, 2), (2, 3), (3, 4)]);
        assert_eq!(wires(&chain([None, Some("through"), None])), [(1, 3), (3, 4)]);
        assert_eq!(wires(&chain([None, Some("through"), Some("through")])), [(1, 4)]);
        assert_eq!(wires(&chain([None, Some("out"), None])), [(3, 4)]);
        assert_eq!(wires(&chain([Some("out"), Some("through"), None])), [(3, 4)]);
        // Unknown words change nothing.
        assert_eq!(wires(&chain([None, Some("later"), None])), [(1, 2), (2, 3), (3, 4)]);
    }

    #[test]
    fn a_ring_of_such_blocks_ends() {
        let mut simulation = chain([Some("through"), Some("through"), Some("through")]);
        let model = simulation.model_mut("Main").expect("the root");
        model.connect(Connection::new(BlockId(3), "Output", BlockId(1), "Input"));
        assert_eq!(wires(&simulation), []);
    }
}

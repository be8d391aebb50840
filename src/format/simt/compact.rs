//! The canonical document for reading: the meaning of a simulation, without looks and without options that are equal to
//! their defaults.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::block::Registry;
use crate::model::{
    Attributes, Block, BlockId, BodyItem, Connection, Extra, Model, Simulation, Variable, is_default, is_default_solver,
};

/// The prefix of attributes and data that only the window uses, and its declaration.
const LOOKS: &str = "view:";
const DECLARATION: &str = "xmlns:view";

/// Returns a simulation that means the same, without looks and default options: variables first, then blocks, then wires
/// by the output that they come from. The order of blocks and comments stays.
pub fn compact(simulation: &Simulation, registry: &Registry) -> Simulation {
    let mut compact = frame(simulation);
    compact.attributes = without_looks(&simulation.attributes);
    if is_default_solver(&simulation.attributes) {
        compact.attributes.remove("solver");
    }
    let models = simulation.models.values().map(|model| (model.seq, Part::Model(model)));
    let variables = simulation.variables.iter().map(|(name, variable)| (variable.seq, Part::Variable(name, variable)));
    let extras = simulation.extras.iter().map(|(&seq, extra)| (seq, Part::Extra(extra)));
    for part in sorted(models.chain(variables).chain(extras).collect(), &BTreeMap::new()) {
        match part {
            Part::Model(model) => drop(compact.add_model(compact_model(simulation, model, registry))),
            Part::Variable(name, variable) => compact.set_variable(name, Variable::clone(variable)),
            Part::Extra(extra) => compact.add_extra(extra.clone()),
            Part::Block(_) | Part::Connection(_) => {}
        }
    }
    compact
}

/// Returns a simulation without its attributes and content.
pub(super) fn frame(simulation: &Simulation) -> Simulation {
    let mut frame = Simulation::default();
    (frame.steps, frame.delta, frame.root) = (simulation.steps, simulation.delta, Arc::clone(&simulation.root));
    (frame.prolog, frame.epilog) = (simulation.prolog.clone(), simulation.epilog.clone());
    frame
}

enum Part<'a> {
    Model(&'a Model),
    Block(&'a Block),
    Connection(&'a Connection),
    Variable(&'a str, &'a Variable),
    Extra(&'a Extra),
}

fn compact_model(simulation: &Simulation, model: &Model, registry: &Registry) -> Model {
    let mut compact = Model::new(&model.name);
    compact.attributes = without_looks(&model.attributes);
    let blocks = model.blocks.values().map(|block| (block.seq, Part::Block(block)));
    let connections = model.connections.values().map(|connection| (connection.seq, Part::Connection(connection)));
    let variables = model.variables.iter().map(|(name, variable)| (variable.seq, Part::Variable(name, variable)));
    let extras = model.extras.iter().map(|(&seq, extra)| (seq, Part::Extra(extra)));
    let order: BTreeMap<BlockId, u64> = model.blocks.values().map(|block| (block.id, block.seq)).collect();
    for part in sorted(blocks.chain(connections).chain(variables).chain(extras).collect(), &order) {
        match part {
            Part::Block(block) => drop(compact.add_block(compact_block(simulation, model, block, registry))),
            Part::Connection(connection) => {
                let attributes = without_looks(&connection.attributes);
                compact.connect(Connection { attributes, ..connection.clone() });
            }
            Part::Variable(name, variable) => compact.set_variable(name, Variable::clone(variable)),
            Part::Extra(extra) => compact.add_extra(extra.clone()),
            Part::Model(_) => {}
        }
    }
    compact
}

/// The place of a part in the canonical order: its kind, the output of a wire, and where it was.
type Place<'a> = (u8, u64, &'a str, u64);

/// Puts parts in canonical order; a comment stays before the part that follows it, and other extras come last.
fn sorted<'a>(mut parts: Vec<(u64, Part<'a>)>, blocks: &BTreeMap<BlockId, u64>) -> Vec<Part<'a>> {
    parts.sort_by_key(|(seq, _)| *seq);
    let mut placed: Vec<(Place<'a>, Part<'a>)> = Vec::with_capacity(parts.len());
    let mut next: Place = (u8::MAX, 0, "", 0);
    for (seq, part) in parts.into_iter().rev() {
        next = match &part {
            Part::Variable(..) => (0, 0, "", seq),
            Part::Model(_) | Part::Block(_) => (1, 0, "", seq),
            Part::Connection(wire) => (2, blocks.get(&wire.from).copied().unwrap_or(u64::MAX), &wire.output, seq),
            Part::Extra(extra) if extra.xml.starts_with("<!--") => next,
            // An invalid element may repeat an id or a name, so it stays after the valid one.
            Part::Extra(_) => {
                placed.push(((u8::MAX, 0, "", seq), part));
                continue;
            }
        };
        placed.push((next, part));
    }
    // The order of equal places is that of the file.
    placed.reverse();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, part)| part).collect()
}

fn compact_block(simulation: &Simulation, model: &Model, block: &Block, registry: &Registry) -> Block {
    let mut compact = block.clone();
    compact.attributes = without_looks(&block.attributes);
    compact.body.retain(|item| !matches!(item, BodyItem::Data { name, .. } if name.starts_with(LOOKS)));
    let names: Vec<Arc<str>> = compact.options().map(|option| Arc::clone(&option.name)).collect();
    for name in names {
        if is_default(simulation, model, &compact, &name, registry) {
            compact.set_option::<&str>(&name, None);
        }
    }
    compact
}

/// Returns attributes without those of the window.
fn without_looks(attributes: &Attributes) -> Attributes {
    attributes.iter().filter(|(name, _)| !name.starts_with(LOOKS) && *name != DECLARATION).collect()
}

/// Returns the attributes of the window, and its declaration.
pub(super) fn looks(attributes: &Attributes) -> impl Iterator<Item = (&str, &str)> {
    attributes.iter().filter(|(name, _)| name.starts_with(LOOKS) || *name == DECLARATION)
}

/// Whether an item of a block only says how it looks.
pub(super) fn is_look(item: &BodyItem) -> bool {
    matches!(item, BodyItem::Data { name, .. } if name.starts_with(LOOKS))
}

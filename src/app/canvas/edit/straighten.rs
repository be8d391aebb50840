//! Advice on almost straight wires.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::app::canvas::scene::BlockView;
use crate::app::doc::advice::{Advice, Rule};
use crate::block::Registry;
use crate::model::{BlockId, Change, Edit, Model, Position, Simulation};

/// Maximum offset of an almost straight wire, in diagram units.
const ALMOST: f32 = 15.0;

/// Finds blocks whose wires become straight by a small move.
pub fn crooked(simulation: &Simulation, registry: &Registry, model: &Model, found: &mut Vec<Advice>) {
    let views: BTreeMap<BlockId, BlockView> = model
        .blocks
        .values()
        .filter(|block| block.position().is_some())
        .map(|block| (block.id, BlockView::new(simulation, registry, model, block)))
        .collect();
    // For both blocks of a wire, its offset and the block at the other end.
    let mut misses: BTreeMap<BlockId, Vec<(f32, BlockId)>> = BTreeMap::new();
    for wire in model.connections.values() {
        let (Some(from), Some(to)) = (views.get(&wire.from), views.get(&wire.to)) else { continue };
        let (Some(start), Some(end)) = (from.output_at(&wire.output), to.input_at(&wire.input)) else { continue };
        if from.outline.facing != to.outline.facing || wire.from == wire.to {
            continue;
        }
        misses.entry(wire.to).or_default().push((start.y - end.y, wire.from));
        misses.entry(wire.from).or_default().push((end.y - start.y, wire.to));
    }
    let mut moved = BTreeSet::new();
    for (id, misses) in &misses {
        let is_straight = |miss: f32| miss.abs() < 0.5;
        let gain = |shift: f32| misses.iter().filter(|(miss, _)| is_straight(*miss - shift)).count();
        let almost = misses.iter().map(|(miss, _)| *miss).filter(|miss| !is_straight(*miss) && miss.abs() <= ALMOST);
        let Some(shift) = almost.max_by_key(|miss| gain(*miss)).filter(|shift| gain(*shift) > gain(0.0)) else {
            continue;
        };
        let Some(block) = model.block(*id) else { continue };
        let Some(at) = block.position() else { continue };
        // Neighbours of a moved block are checked again after its move.
        if misses.iter().any(|(_, neighbour)| moved.contains(neighbour)) {
            continue;
        }
        moved.insert(*id);
        let moves = vec![(*id, Position { x: at.x, y: at.y + f64::from(shift) })];
        let edit = Edit::Move { model: Arc::clone(&model.name), moves };
        let message = format!("Move {} {id} by {:.0}", block.title(), shift.abs());
        let message = format!("{message} {} to straighten a wire", if shift > 0.0 { "down" } else { "up" });
        let fix = ("Straighten", Change::one(format!("Straighten wires of {}", block.title()), edit));
        let model = Arc::clone(&model.name);
        found.push(Advice { rule: Rule::CrookedWire, message, model, block: Some(*id), fix });
    }
}

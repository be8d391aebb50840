//! Finds which units of a program run in which worker: the location of a unit is here, or the remote block that contains
//! it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::block::{Registry, StateKind};
use crate::engine::program::remote_blocks::{HERE, RemoteBlock, RemoteBlocks};
use crate::engine::program::symbols::SymbolKind;
use crate::engine::{EntityRef, Program, Unit, UnitId, UnitMap};
use crate::model::{BlockId, Simulation, remote_blocks};

/// The maximum number of remote blocks; further ones run here.
const MAX_BLOCKS: usize = 64;

impl RemoteBlocks {
    /// Finds the remote blocks of a program that was compiled from `simulation` with `registry`.
    pub(super) fn find(program: &Program, simulation: &Simulation, registry: &Registry) -> Option<RemoteBlocks> {
        remote_blocks(simulation).next()?;
        let (mut blocks, instances) = blocks_of(program, simulation);
        let mut locations: UnitMap<u32> =
            program.units.values().map(|unit| location_of(program, unit, &instances)).collect();
        keep_loops(program, &mut locations);
        keep_histories(program, &mut locations);
        for (number, &location) in locations.iter() {
            if let Some(block) = blocks.get_mut(location as usize) {
                if block.units == 0 {
                    block.unit = number;
                }
                block.units += 1;
            }
        }
        // Blocks without units need no worker.
        let mut numbers = vec![HERE; blocks.len()];
        let used = blocks.iter().enumerate().filter(|(_, block)| block.units > 0).map(|(number, _)| number);
        used.zip(0..).for_each(|(block, number)| numbers[block] = number);
        blocks.retain(|block| block.units > 0);
        locations
            .values_mut()
            .for_each(|location| *location = numbers.get(*location as usize).copied().unwrap_or(HERE));
        let (simulation, registry) = (Arc::new(simulation.clone()), Arc::new(registry.clone()));
        (!blocks.is_empty()).then(|| RemoteBlocks { blocks, simulation, registry, locations: locations.into() })
    }
}

/// Returns the remote blocks, and for each instance the number of the one that contains it. All iterations of a for-each
/// model are in one.
fn blocks_of(program: &Program, simulation: &Simulation) -> (Vec<RemoteBlock>, Vec<u32>) {
    let symbols = &program.symbols;
    let mut known: BTreeMap<Vec<BlockId>, u32> = BTreeMap::new();
    let mut blocks = Vec::new();
    let mut locations = Vec::with_capacity(symbols.instances.len());
    for (number, instance) in (0..).zip(&symbols.instances) {
        // The instance around it stands before it.
        let around =
            instance.parent.and_then(|parent| locations.get(parent.instance as usize).copied()).unwrap_or(HERE);
        let own = || {
            let parent = instance.parent?;
            let id = symbols.block(parent).id;
            let pool = simulation.model(&symbols.model(parent.instance).model)?.block(id)?.pool()?;
            let mut path = symbols.path_of(number);
            if let Some(&location) = known.get(&path) {
                return Some(location);
            }
            let location = blocks.len() as u32;
            if blocks.len() == MAX_BLOCKS {
                return None;
            }
            known.insert(path.clone(), location);
            path.pop();
            blocks.push(RemoteBlock { pool: pool.into(), path, block: id, units: 0, unit: UnitId::new(0) });
            Some(location)
        };
        let mut own = own;
        locations.push(if around == HERE { own().unwrap_or(HERE) } else { around });
    }
    (blocks, locations)
}

/// Returns the location of a unit; a hidden unit of a model block is where the model inside is.
fn location_of(program: &Program, unit: &Unit, instances: &[u32]) -> u32 {
    let symbols = &program.symbols;
    let instance = match program.symbol(unit).kind {
        SymbolKind::Unit { .. } => Some(unit.origin.instance),
        SymbolKind::Child { number, .. } => {
            let first = symbols.instances[unit.origin.instance as usize].first_model_block as usize;
            symbols.model_blocks.get(first + number).map(|block| block.first_instance)
        }
    };
    instance.and_then(|instance| instances.get(instance as usize).copied()).unwrap_or(HERE)
}

/// An algebraic loop through a border is solved here, with all its units.
fn keep_loops(program: &Program, locations: &mut UnitMap<u32>) {
    for algebraic_loop in &program.loops {
        let first = algebraic_loop.members.first().map_or(HERE, |&member| locations[member]);
        let is_inside = algebraic_loop.members.iter().all(|&member| locations[member] == first);
        let location = if is_inside { first } else { HERE };
        algebraic_loop.members.iter().for_each(|&member| locations[member] = location);
        locations[algebraic_loop.unit] = location;
    }
}

/// A solver that evaluates more than the rates reads the histories, so that units with one stay here.
fn keep_histories(program: &Program, locations: &mut UnitMap<u32>) {
    if !program.has_integrator() {
        return;
    }
    for (location, unit) in locations.values_mut().zip(program.units.values()) {
        if program.states_of(unit).iter().any(|slot| matches!(slot.kind, StateKind::History { .. } | StateKind::Record))
        {
            *location = HERE;
        }
    }
}

//! Which units of a program run in which worker: the place of a unit is here, or the remote block that contains it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::symbols::SymbolKind;
use super::super::{Program, Unit};
use crate::block::{Registry, StateKind};
use crate::model::{BlockId, Simulation, remote_blocks};

/// A model block whose units run in a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteBlock {
    /// The name of the pool.
    pub pool: Arc<str>,
    /// The model blocks that lead to it, and its id.
    pub path: Vec<BlockId>,
    pub block: BlockId,
    /// Number of units that run in the worker.
    pub units: usize,
    /// One of its units, which errors name.
    pub(super) unit: usize,
}

/// The remote blocks of a program, and what their workers compile.
#[derive(Clone, Debug)]
pub struct RemoteBlocks {
    pub blocks: Vec<RemoteBlock>,
    pub simulation: Arc<Simulation>,
    pub registry: Arc<Registry>,
    /// For each unit the number of its block, or [`HERE`].
    pub(super) places: Arc<[u32]>,
}

/// The place of units that run here.
pub(super) const HERE: u32 = u32::MAX;

/// The maximum number of remote blocks; further ones run here.
const MAX_BLOCKS: usize = 64;

impl RemoteBlocks {
    /// Finds the remote blocks of a program; `simulation` is what it was compiled from, with its registry.
    pub(in super::super) fn find(
        program: &Program,
        simulation: &Simulation,
        registry: &Registry,
    ) -> Option<RemoteBlocks> {
        remote_blocks(simulation).next()?;
        let (mut blocks, instances) = blocks_of(program, simulation);
        let mut places: Vec<u32> = program.units.iter().map(|unit| place_of(program, unit, &instances)).collect();
        keep_loops(program, &mut places);
        keep_histories(program, &mut places);
        for (number, &place) in places.iter().enumerate() {
            if let Some(block) = blocks.get_mut(place as usize) {
                block.units += 1;
                block.unit = block.unit.min(number);
            }
        }
        // Blocks without units need no worker.
        let mut numbers = vec![HERE; blocks.len()];
        let used = blocks.iter().enumerate().filter(|(_, block)| block.units > 0).map(|(number, _)| number);
        used.zip(0..).for_each(|(block, number)| numbers[block] = number);
        blocks.retain(|block| block.units > 0);
        places.iter_mut().for_each(|place| *place = numbers.get(*place as usize).copied().unwrap_or(HERE));
        let (simulation, registry) = (Arc::new(simulation.clone()), Arc::new(registry.clone()));
        (!blocks.is_empty()).then(|| RemoteBlocks { blocks, simulation, registry, places: places.into() })
    }
}

/// Returns the remote blocks, and for each instance the number of the one that contains it. All iterations of a for-each
/// model are in one.
fn blocks_of(program: &Program, simulation: &Simulation) -> (Vec<RemoteBlock>, Vec<u32>) {
    let symbols = &program.symbols;
    let mut known: BTreeMap<Vec<BlockId>, u32> = BTreeMap::new();
    let mut blocks = Vec::new();
    let mut places = Vec::with_capacity(symbols.instances.len());
    for (number, instance) in (0..).zip(&symbols.instances) {
        // The instance around it stands before it.
        let around = instance.parent.and_then(|(parent, _)| places.get(parent as usize).copied()).unwrap_or(HERE);
        let own = || {
            let (parent, index) = instance.parent?;
            let id = symbols.block(parent, index).id;
            let pool = simulation.model(&symbols.model(parent).model)?.block(id)?.pool()?;
            let mut path = symbols.path_of(number);
            if let Some(&place) = known.get(&path) {
                return Some(place);
            }
            let place = blocks.len() as u32;
            if blocks.len() == MAX_BLOCKS {
                return None;
            }
            known.insert(path.clone(), place);
            path.pop();
            blocks.push(RemoteBlock { pool: pool.into(), path, block: id, units: 0, unit: usize::MAX });
            Some(place)
        };
        let mut own = own;
        places.push(if around == HERE { own().unwrap_or(HERE) } else { around });
    }
    (blocks, places)
}

/// Returns the place of a unit; a hidden unit of a model block is where the model inside is.
fn place_of(program: &Program, unit: &Unit, instances: &[u32]) -> u32 {
    let symbols = &program.symbols;
    let instance = match program.symbol(unit).kind {
        SymbolKind::Unit { .. } => Some(unit.instance),
        SymbolKind::Child { number, .. } => {
            let first = symbols.instances[unit.instance as usize].first_model_block as usize;
            symbols.model_blocks.get(first + number).map(|block| block.first_instance)
        }
    };
    instance.and_then(|instance| instances.get(instance as usize).copied()).unwrap_or(HERE)
}

/// An algebraic loop through a border is solved here, with all its units.
fn keep_loops(program: &Program, places: &mut [u32]) {
    for algebraic_loop in &program.loops {
        let first = algebraic_loop.members.first().map_or(HERE, |&member| places[member]);
        let is_inside = algebraic_loop.members.iter().all(|&member| places[member] == first);
        let place = if is_inside { first } else { HERE };
        algebraic_loop.members.iter().for_each(|&member| places[member] = place);
        places[algebraic_loop.unit] = place;
    }
}

/// A solver that evaluates more than the rates reads the histories, so that units with one stay here.
fn keep_histories(program: &Program, places: &mut [u32]) {
    if program.continuous_count == 0 || program.solver.tableau().is_some() {
        return;
    }
    for (place, unit) in places.iter_mut().zip(&program.units) {
        if program.states_of(unit).iter().any(|slot| matches!(slot.kind, StateKind::History { .. })) {
            *place = HERE;
        }
    }
}

//! Pairs the units of a program with those of its predecessor.

use std::collections::HashMap;

use crate::engine::program::symbols::{InstanceBlock, ModelBlock, ModelSymbols, SymbolKind};
use crate::engine::{OutputId, Program, UnitId, UnitMap};

/// For each unit of a program, the same unit of the old program.
pub struct Pairs {
    pub of: UnitMap<Result<UnitId, Mismatch>>,
}

/// The reason why a unit has no counterpart to take its state from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    New,
    OtherKind,
    /// It is this unit of the old program, but its states have another shape.
    OtherStates(UnitId),
}

impl Pairs {
    pub fn new(from: &Program, to: &Program) -> Pairs {
        let mut pairs = Pairs { of: to.by_unit(Err(Mismatch::New)) };
        let instances = instances(from, to);
        for (instance, old) in instances.iter().enumerate() {
            let Some(old) = *old else { continue };
            let (new_instance, old_instance) = (&to.symbols.instances[instance], &from.symbols.instances[old as usize]);
            let (model, old_model) = (to.symbols.model(instance as u32), from.symbols.model(old));
            for block in &model.blocks {
                let SymbolKind::Unit { number, def } = block.kind else { continue };
                let Some(index) = old_model.index_of(block.id) else { continue };
                let here = new_instance.first_unit + number;
                pairs.of[here] = match old_model.blocks[index].kind {
                    SymbolKind::Unit { number, def: old_def }
                        if (def.group, def.name) == (old_def.group, old_def.name) =>
                    {
                        pair(from, old_instance.first_unit + number, to, here)
                    }
                    _ => Err(Mismatch::OtherKind),
                };
            }
        }
        pairs.unseen(from, to, &instances);
        pairs.loops(from, to);
        pairs
    }

    /// The old program's unit of the same kind, whether or not its state is kept.
    pub fn same_kind(&self, unit: UnitId) -> Option<UnitId> {
        match self.of[unit] {
            Ok(old) | Err(Mismatch::OtherStates(old)) => Some(old),
            Err(_) => None,
        }
    }

    /// Pairs the hidden units of model blocks: enable conditions, splits and joins.
    fn unseen(&mut self, from: &Program, to: &Program, instances: &[Option<u32>]) {
        for block in &to.symbols.model_blocks {
            let Some(old) = old_model_block(from, to, instances, block.parent) else { continue };
            let (model, old_model) = (to.symbols.model_inside(block), from.symbols.model_inside(old));
            let shape = |block: &ModelBlock, model: &ModelSymbols| {
                (block.subsystem.is_some(), model.split_inputs.len(), block.hidden_count(model))
            };
            if shape(block, model) == shape(old, old_model) {
                for unit in 0..block.hidden_count(model) {
                    let (here, there) = (block.first_hidden + unit, old.first_hidden + unit);
                    self.of[here] = pair(from, there, to, here);
                }
            }
        }
    }

    /// Pairs the loop solvers: they are the same if the same outputs are torn.
    fn loops(&mut self, from: &Program, to: &Program) {
        let known: HashMap<&[OutputId], UnitId> = from.loops.iter().map(|of| (&*of.torn, of.unit)).collect();
        for of in &to.loops {
            let torn: Option<Vec<OutputId>> = of.torn.iter().map(|&output| self.old_output(from, to, output)).collect();
            if let Some(&old) = torn.as_deref().and_then(|torn| known.get(torn)) {
                self.of[of.unit] = pair(from, old, to, of.unit);
            }
        }
    }

    /// The output of the program before that an output was.
    fn old_output(&self, from: &Program, to: &Program, output: OutputId) -> Option<OutputId> {
        let unit = to.outputs[output].unit;
        let old = &from.units[self.of[unit].ok()?];
        let number = output - to.units[unit].first_output;
        from.outputs_of(old).nth(number)
    }
}

/// A unit that was another, where its states have the same shape.
fn pair(from: &Program, old: UnitId, to: &Program, new: UnitId) -> Result<UnitId, Mismatch> {
    let shapes = |program: &Program, unit: UnitId| {
        let states = &program.kernel(&program.units[unit]).states;
        states.iter().map(|state| (state.kind, state.width, state.mode)).collect::<Vec<_>>()
    };
    if shapes(from, old) == shapes(to, new) { Ok(old) } else { Err(Mismatch::OtherStates(old)) }
}

/// For each instance of a model in a program, the same instance of the old program.
fn instances(from: &Program, to: &Program) -> Vec<Option<u32>> {
    let mut known: Vec<Option<u32>> = Vec::with_capacity(to.symbols.instances.len());
    for (number, instance) in to.symbols.instances.iter().enumerate() {
        let old = match instance.parent {
            None => (!from.symbols.instances.is_empty()
                && is_same_model(from, from.symbols.model(0), to.symbols.model(number as u32)))
            .then_some(0),
            Some(parent) => old_model_block(from, to, &known, parent).and_then(|old| {
                let block = &to.symbols.model_blocks[instance.model_block? as usize];
                let is_same = is_same_model(from, from.symbols.model_inside(old), to.symbols.model_inside(block));
                let has_iteration = old.iterations.is_some() == block.iterations.is_some()
                    && instance.iteration < old.iterations.unwrap_or(1);
                (is_same && has_iteration).then_some(old.first_instance + instance.iteration)
            }),
        };
        known.push(old);
    }
    known
}

/// The old program's model block that a model block is; `instances` has the old instances of those around it.
fn old_model_block<'a>(
    from: &'a Program,
    to: &Program,
    instances: &[Option<u32>],
    block: InstanceBlock,
) -> Option<&'a ModelBlock> {
    let old = (*instances.get(block.instance as usize)?)?;
    from.symbols.model_block(old, to.symbols.block(block).id)
}

/// Whether a model is the same, also if it was renamed or copied for this instance; a model of a name that the old
/// program knows is the one of that name.
fn is_same_model(from: &Program, old: &ModelSymbols, new: &ModelSymbols) -> bool {
    old.model == new.model || from.symbols.models.iter().all(|model| model.model != new.model)
}

//! The symbol table of a program: which block of which model a unit is, and which unit a block, a signal or a parameter
//! of the document is.
//!
//! It is all that a program keeps of its models. [`crate::engine::compile()`] makes it while it flattens them, `lookup` answers
//! questions from it, and migration pairs the tables of two programs.

use std::sync::Arc;

use crate::block::{BlockDef, boundary};
use crate::engine::{SubsystemId, UnitId};
use crate::model::{BlockId, BlockPorts};

/// The models that a program uses, and all their instances.
#[derive(Debug)]
pub(in crate::engine) struct SymbolTable {
    /// Each after the models inside it.
    pub models: Vec<Arc<ModelSymbols>>,
    /// In breadth-first order, the root first.
    pub instances: Vec<Instance>,
    /// The model blocks of all instances, in the order of these.
    pub model_blocks: Vec<ModelBlock>,
}

/// The blocks of a model by index.
#[derive(Debug)]
pub(in crate::engine) struct ModelSymbols {
    pub model: Arc<str>,
    /// In ascending id. Remarks are left out.
    pub blocks: Vec<BlockSymbol>,
    /// For each output of the model, the block index of its exit.
    pub exits: Vec<usize>,
    /// All exits by name, in file order, each with its block index; also those that are no outputs.
    pub named_exits: Vec<(Arc<str>, usize)>,
    /// The inputs that a for-each model splits into elements; empty for any other model.
    pub split_inputs: Vec<usize>,
}

/// A block of a model.
#[derive(Debug)]
pub(in crate::engine) struct BlockSymbol {
    pub id: BlockId,
    pub kind: SymbolKind,
    pub ports: Arc<BlockPorts>,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum SymbolKind {
    /// An entry, an exit or a library block, with its number among those of the model.
    Unit { number: usize, def: &'static BlockDef },
    /// A model block, with its number among those of the model and the index of the model inside.
    Child { number: usize, model: usize },
}

/// A block of an instance, by index.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct InstanceBlock {
    pub instance: u32,
    /// Its index in the model of the instance.
    pub block: u32,
}

/// An instance of a model; for a for-each model, one iteration of it.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Instance {
    /// Index in the table's models.
    pub model: u32,
    /// Its model block in the instance around it; the root has none.
    pub parent: Option<InstanceBlock>,
    /// Index of its first unit in the program's units.
    pub first_unit: UnitId,
    /// Index of its first model block in the table's model blocks.
    pub first_model_block: u32,
    /// Index of its own model block in the table's model blocks; the root has none.
    pub model_block: Option<u32>,
    /// 0 except in a for-each model.
    pub iteration: u32,
    /// The conditional or iterated subsystem that its units belong to.
    pub subsystem: Option<SubsystemId>,
}

/// A model block of an instance.
///
/// Its hidden units are adjacent: the enable unit of a conditional or iterated model, then for a for-each model the
/// units that split its inputs and those that join its outputs.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct ModelBlock {
    /// The block that it is.
    pub parent: InstanceBlock,
    /// Index of the model inside in the table's models.
    pub model: u32,
    /// The first of its instances.
    pub first_instance: u32,
    /// The number of its instances if it is a for-each model.
    pub iterations: Option<u32>,
    /// The subsystem that it forms if it is conditional or iterated.
    pub subsystem: Option<SubsystemId>,
    /// Index of its first hidden unit in the program's units.
    pub first_hidden: UnitId,
}

impl ModelSymbols {
    /// The index of a block.
    pub fn index_of(&self, id: BlockId) -> Option<usize> {
        self.blocks.binary_search_by_key(&id, |block| block.id).ok()
    }
}

impl BlockSymbol {
    /// The number of an output; the input of an exit counts as its output.
    pub fn output(&self, name: &str) -> Option<usize> {
        match self.kind {
            SymbolKind::Unit { def, .. } if std::ptr::eq(def, &boundary::EXIT) => {
                (name == BlockPorts::INPUT).then_some(0)
            }
            _ => self.ports.outputs.iter().position(|known| &**known == name),
        }
    }

    /// The names of its outputs; of an exit, that of its input.
    pub fn output_names(&self) -> &[Arc<str>] {
        if self.ports.outputs.is_empty() { &self.ports.inputs } else { &self.ports.outputs }
    }

    /// The definition; a model block has none.
    pub fn def(&self) -> Option<&'static BlockDef> {
        match self.kind {
            SymbolKind::Unit { def, .. } => Some(def),
            SymbolKind::Child { .. } => None,
        }
    }
}

impl ModelBlock {
    /// The number of its hidden units; `model` is the model inside.
    pub fn hidden_count(&self, model: &ModelSymbols) -> usize {
        let ports = if self.iterations.is_some() { model.split_inputs.len() + model.exits.len() } else { 0 };
        usize::from(self.subsystem.is_some()) + ports
    }

    /// The unit that evaluates the enable condition.
    pub fn enable_unit(&self) -> Option<UnitId> {
        self.subsystem.map(|_| self.first_hidden)
    }

    /// The unit that splits an input into elements.
    pub fn split_unit(&self, model: &ModelSymbols, input: usize) -> Option<UnitId> {
        self.iterations?;
        let number = model.split_inputs.iter().position(|&split| split == input)?;
        Some(self.first_hidden + usize::from(self.subsystem.is_some()) + number)
    }

    /// The unit that joins an output of all iterations.
    pub fn join_unit(&self, model: &ModelSymbols, output: usize) -> Option<UnitId> {
        self.iterations?;
        let first = self.first_hidden + usize::from(self.subsystem.is_some()) + model.split_inputs.len();
        (output < model.exits.len()).then_some(first + output)
    }
}

impl SymbolTable {
    /// The model of an instance.
    pub fn model(&self, instance: u32) -> &ModelSymbols {
        &self.models[self.instances[instance as usize].model as usize]
    }

    /// The model inside a model block.
    pub fn model_inside(&self, block: &ModelBlock) -> &ModelSymbols {
        &self.models[block.model as usize]
    }

    /// The symbol of a block.
    pub fn block(&self, InstanceBlock { instance, block }: InstanceBlock) -> &BlockSymbol {
        &self.model(instance).blocks[block as usize]
    }

    /// A block and the model blocks around it, from the inside to the outside.
    pub fn way_out(&self, block: InstanceBlock) -> impl Iterator<Item = InstanceBlock> + '_ {
        std::iter::successors(Some(block), |block| self.instances[block.instance as usize].parent)
    }

    /// The block indices that lead from the root to a block of an instance.
    pub fn indices_of(&self, block: InstanceBlock) -> Vec<u32> {
        let mut indices: Vec<u32> = self.way_out(block).map(|block| block.block).collect();
        indices.reverse();
        indices
    }

    /// The ids of the model blocks that lead from the root to an instance.
    pub fn path_of(&self, instance: u32) -> Vec<BlockId> {
        let around = self.instances[instance as usize].parent.into_iter().flat_map(|block| self.way_out(block));
        let mut path: Vec<BlockId> = around.map(|block| self.block(block).id).collect();
        path.reverse();
        path
    }

    /// The unit behind an output of a block, with the unit's own output: through any model blocks.
    pub fn resolve(&self, mut instance: u32, mut index: usize, mut output: usize) -> Option<(UnitId, usize)> {
        loop {
            let Instance { first_unit, first_model_block, .. } = self.instances[instance as usize];
            match self.model(instance).blocks.get(index)?.kind {
                SymbolKind::Unit { number, .. } => return Some((first_unit + number, output)),
                SymbolKind::Child { number, model } => {
                    let block = &self.model_blocks[first_model_block as usize + number];
                    let model = &self.models[model];
                    if let Some(join) = block.join_unit(model, output) {
                        return Some((join, 0));
                    }
                    (instance, index, output) = (block.first_instance, *model.exits.get(output)?, 0);
                }
            }
        }
    }

    /// The model block of an instance with this id.
    pub fn model_block(&self, instance: u32, id: BlockId) -> Option<&ModelBlock> {
        let first = self.instances.get(instance as usize)?.first_model_block as usize;
        let model = self.model(instance);
        match model.blocks[model.index_of(id)?].kind {
            SymbolKind::Child { number, .. } => self.model_blocks.get(first + number),
            SymbolKind::Unit { .. } => None,
        }
    }

    /// The unit of a block that is not a model block.
    pub fn unit(&self, instance: u32, id: BlockId) -> Option<UnitId> {
        let first = self.instances[instance as usize].first_unit;
        let model = self.model(instance);
        match model.blocks[model.index_of(id)?].kind {
            SymbolKind::Unit { number, .. } => Some(first + number),
            SymbolKind::Child { .. } => None,
        }
    }

    /// The instance at a path of model blocks; of a for-each model, the first iteration.
    pub fn instance_at(&self, path: &[BlockId]) -> Option<u32> {
        path.iter().try_fold(0, |instance, id| Some(self.model_block(instance, *id)?.first_instance))
    }

    /// All instances at a path of model blocks: one, or one per iteration of a for-each model.
    pub fn instances_at(&self, path: &[BlockId]) -> Vec<u32> {
        path.iter().fold(vec![0], |instances, id| {
            let blocks = instances.into_iter().filter_map(|instance| self.model_block(instance, *id));
            blocks
                .flat_map(|block| block.first_instance..block.first_instance + block.iterations.unwrap_or(1))
                .collect()
        })
    }
}

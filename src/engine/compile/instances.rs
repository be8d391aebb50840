//! Templates → instances: all instances of all models in breadth-first order, and the subsystems that they form.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::template::{TemplateEnable, Templates};
use crate::engine::program::symbols::{Instance, InstanceBlock, ModelBlock, SymbolKind, SymbolTable};
use crate::engine::{EntityRef, PrimaryMap, SubsystemId, UnitId};
use crate::model::Diagnostic;

/// The instances of a simulation's models.
pub(super) struct Instances {
    pub symbols: SymbolTable,
    /// The conditional and iterated subsystems, each after the one that contains it.
    pub subsystems: PrimaryMap<SubsystemId, SubsystemScope>,
    /// Number of units of blocks; the units after them are hidden.
    pub visible_count: usize,
    /// Number of all units, hidden ones included.
    pub unit_count: usize,
}

/// A conditional or iterated subsystem.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubsystemScope {
    /// The subsystem that contains it.
    pub parent: Option<SubsystemId>,
    /// The index of its model block in the symbol table.
    pub model_block: u32,
    /// Whether it may run several times in a step.
    pub is_iterated: bool,
    /// Whether the time between its runs varies: it, or a subsystem around it, is enabled or triggered, and it runs once
    /// in a step at most.
    pub is_intermittent: bool,
    /// The number of subsystems that contain it, itself included.
    depth: u32,
}

/// The number of iterations of each for-each model block, by the block indices that lead to it from the root; 1 if it
/// is not contained.
pub(super) type IterationCounts = BTreeMap<Vec<u32>, u32>;

/// Maximum number of units. Models nested twofold, thirty levels deep, would be a thousand million.
const MAX_UNITS: usize = 5_000_000;
/// Maximum number of model blocks within each other: variables of instances are evaluated by recursion.
const MAX_LEVELS: u32 = 200;
/// Maximum number of subsystems within each other: an engine keeps the state of each while an inner one runs.
const MAX_SUBSYSTEM_DEPTH: u32 = 100;

impl Instances {
    /// # Errors
    /// Where there are too many blocks, or models or subsystems are nested too deep.
    pub fn new(templates: &Templates, iterations: &IterationCounts) -> Result<Instances, Vec<Diagnostic>> {
        let models = templates.models.iter().map(|template| Arc::clone(&template.symbols)).collect();
        let symbols = SymbolTable { models, instances: Vec::new(), model_blocks: Vec::new() };
        let mut instances = Instances { symbols, subsystems: PrimaryMap::new(), visible_count: 0, unit_count: 0 };
        instances.add_all(templates, iterations)?;
        instances.unit_count = instances.visible_count;
        let SymbolTable { models, model_blocks, .. } = &mut instances.symbols;
        for block in model_blocks {
            block.first_hidden = UnitId::new(instances.unit_count);
            instances.unit_count += block.hidden_count(&models[block.model as usize]);
        }
        Ok(instances)
    }

    fn add_all(&mut self, templates: &Templates, iterations: &IterationCounts) -> Result<(), Vec<Diagnostic>> {
        let root = Instance {
            model: templates.root as u32,
            parent: None,
            first_unit: UnitId::new(0),
            first_model_block: 0,
            model_block: None,
            iteration: 0,
            subsystem: None,
        };
        // With the number of model blocks around each.
        let mut pending = VecDeque::from([(root, 0)]);
        let mut instance_count = 1;
        while let Some((mut instance, level)) = pending.pop_front() {
            let number = self.symbols.instances.len() as u32;
            let template = &templates.models[instance.model as usize];
            instance.first_unit = UnitId::new(self.visible_count);
            instance.first_model_block = self.symbols.model_blocks.len() as u32;
            self.visible_count += template.unit_count;
            self.symbols.instances.push(instance);
            for (block, index) in template.symbols.blocks.iter().zip(0..) {
                let SymbolKind::Child { model, .. } = block.kind else { continue };
                let (parent, first_instance) = (InstanceBlock { instance: number, block: index }, instance_count);
                let added = self.add_model_block(templates, parent, model, first_instance, iterations)?;
                let count = added.iterations.unwrap_or(1);
                instance_count += count;
                // They need not be made if there are too many.
                if self.visible_count + instance_count as usize > MAX_UNITS {
                    return Err(too_large());
                }
                if level + 1 > MAX_LEVELS {
                    return Err(too_deep());
                }
                let inside = Instance {
                    model: model as u32,
                    parent: Some(parent),
                    model_block: Some(self.symbols.model_blocks.len() as u32 - 1),
                    subsystem: added.subsystem.or(instance.subsystem),
                    ..root
                };
                pending.extend((0..count).map(|iteration| (Instance { iteration, ..inside }, level + 1)));
            }
            if self.visible_count.max(self.symbols.model_blocks.len()) > MAX_UNITS {
                return Err(too_large());
            }
        }
        Ok(())
    }

    fn add_model_block(
        &mut self,
        templates: &Templates,
        parent: InstanceBlock,
        model: usize,
        first_instance: u32,
        iterations: &IterationCounts,
    ) -> Result<ModelBlock, Vec<Diagnostic>> {
        let template = &templates.models[model];
        let count = || iterations.get(&self.symbols.indices_of(parent)).copied().unwrap_or(1);
        let iterations = (!template.symbols.split_inputs.is_empty()).then(count);
        let around = self.symbols.instances[parent.instance as usize].subsystem;
        let subsystem = match &template.enable {
            Some(enable) => Some(self.add_subsystem(around, enable)?),
            None => None,
        };
        let (model, first_hidden) = (model as u32, UnitId::new(0));
        let block = ModelBlock { parent, model, first_instance, iterations, subsystem, first_hidden };
        self.symbols.model_blocks.push(block);
        Ok(block)
    }

    /// Adds the subsystem of the next model block.
    fn add_subsystem(
        &mut self,
        parent: Option<SubsystemId>,
        enable: &TemplateEnable,
    ) -> Result<SubsystemId, Vec<Diagnostic>> {
        let depth = 1 + parent.map_or(0, |parent| self.subsystems[parent].depth);
        if depth > MAX_SUBSYSTEM_DEPTH {
            let message = format!("more than {MAX_SUBSYSTEM_DEPTH} conditional or iterated models stand in each other");
            return Err(vec![Diagnostic::error("too-large", message)]);
        }
        let model_block = self.symbols.model_blocks.len() as u32;
        let is_within = parent.is_some_and(|parent| self.subsystems[parent].is_intermittent);
        let is_iterated = enable.is_iterated;
        let is_intermittent = !is_iterated && (enable.is_gated() || is_within);
        Ok(self.subsystems.push(SubsystemScope { parent, model_block, is_iterated, is_intermittent, depth }))
    }
}

fn too_deep() -> Vec<Diagnostic> {
    let message = format!("the models are nested more than {MAX_LEVELS} levels deep");
    vec![Diagnostic::error("too-large", message).help("merge the innermost models into one")]
}

fn too_large() -> Vec<Diagnostic> {
    let message = format!("the instances of all models have more than {MAX_UNITS} blocks");
    vec![Diagnostic::error("too-large", message).help("use fewer instances of models within other models")]
}

//! A simulation made ready to run: model blocks dissolved into one flat list of units, every value at its place.

use std::ops::Range;
use std::sync::Arc;

use super::plan::{Plan, PlanKind};
use super::{Solver, Tolerances};
use crate::block::{Kernel, Setting, StateKind};
use crate::model::{BlockId, SignalKey};

/// What all engines run. Nothing in it changes during a run; the values are in a [`super::Context`].
#[derive(Debug)]
pub struct Program {
    /// As the file says; 0: until stopped.
    pub steps: u64,
    /// Seconds a step.
    pub delta: f64,
    pub solver: Solver,
    pub tolerances: Tolerances,
    /// Whether a step in which an output becomes infinite or not-a-number fails, with the block named.
    pub refuses_non_finite: bool,
    pub units: Vec<Unit>,
    pub kernels: Vec<Arc<Kernel>>,
    /// For each unit's inputs in turn, the number of the output that feeds it.
    pub sources: Vec<Option<u32>>,
    pub outputs: Vec<Output>,
    /// For each output's readers in turn, the unit and its input.
    pub readers: Vec<(u32, u32)>,
    pub states: Vec<StateSlot>,
    /// Initial values of the parameters, unit by unit.
    pub params: Vec<f64>,
    /// Lanes of all outputs together.
    pub value_count: usize,
    pub discrete_count: usize,
    pub continuous_count: usize,
    pub history_count: usize,
    pub(super) plans: Vec<Plan>,
    pub(super) instances: Vec<Instance>,
}

/// A block of the flat list: an entry, an exit or a library block in one use of its model.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    pub kernel: u32,
    /// Where the unit's inputs begin in `sources`.
    pub first_input: u32,
    /// Where its outputs begin in `outputs`.
    pub first_output: u32,
    /// Where its states begin in `states`.
    pub first_state: u32,
    /// Where its parameters begin in `params`.
    pub first_param: u32,
    pub(super) instance: u32,
    /// The block's place in the instance's plan.
    pub(super) place: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// Where its lanes begin among the values.
    pub offset: u32,
    pub width: u32,
    /// Where its readers begin in `readers`; they end where the next output's begin.
    pub first_reader: u32,
    pub reader_count: u32,
}

/// Where a state's lanes lie among those of its kind; for a history the place of its ring.
#[derive(Clone, Copy, Debug)]
pub struct StateSlot {
    pub kind: StateKind,
    pub offset: u32,
    pub width: u32,
}

/// One use of a model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    pub plan: u32,
    /// The instance it stands in and the block's place in that one's plan; the root has none.
    pub parent: Option<(u32, u32)>,
    pub first_unit: u32,
    pub first_child: u32,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamError {
    #[error("there is no such block")]
    UnknownBlock,
    #[error("the block has no parameter “{0}”")]
    UnknownParam(String),
    #[error("“{0}” cannot be changed without compiling again")]
    Fixed(String),
    #[error("“{name}” has {expected} values, not {got}")]
    Width { name: String, expected: usize, got: usize },
}

impl Program {
    pub fn kernel(&self, unit: &Unit) -> &Kernel {
        &self.kernels[unit.kernel as usize]
    }

    /// Whether a step may fail.
    pub(super) fn can_fail(&self) -> bool {
        self.refuses_non_finite || (self.continuous_count > 0 && self.solver.tableau().is_none())
    }

    /// The name of a unit's output: of an exit its input's.
    pub(super) fn output_name(&self, unit: usize, output: usize) -> &str {
        let unit = &self.units[unit];
        let ports = &self.plan_block(unit).ports;
        let names = if ports.outputs.is_empty() { &ports.inputs } else { &ports.outputs };
        names.get(output - unit.first_output as usize).map_or("", |name| name)
    }

    /// The outputs of a unit, by number.
    pub fn outputs_of(&self, unit: &Unit) -> Range<usize> {
        let first = unit.first_output as usize;
        first..first + self.kernel(unit).outputs.len()
    }

    /// The readers of an output: units and their inputs.
    pub fn readers_of(&self, output: usize) -> &[(u32, u32)] {
        let Output { first_reader, reader_count, .. } = self.outputs[output];
        &self.readers[first_reader as usize..(first_reader + reader_count) as usize]
    }

    /// The number of a signal's output.
    pub fn output_of(&self, signal: &SignalKey) -> Option<usize> {
        let instance = self.instance_at(&signal.path)?;
        let plan = &self.plans[self.instances[instance].plan as usize];
        let place = plan.place(signal.block)?;
        let output = plan.block(place).output(&signal.output)?;
        self.resolve(instance, place, output)
    }

    /// The exits of the root model by name, in the order of the file, each with its output's number.
    pub fn exits(&self) -> Vec<(Arc<str>, SignalKey, usize)> {
        let Some(root) = self.instances.first() else { return Vec::new() };
        let plan = &self.plans[root.plan as usize];
        let exit = |(name, place): &(Arc<str>, usize)| {
            let key = SignalKey::new(&[], plan.block(*place).id, crate::model::BlockPorts::INPUT);
            Some((Arc::clone(name), key, self.resolve(0, *place, 0)?))
        };
        plan.named_exits.iter().filter_map(exit).collect()
    }

    /// Every output of every unit as a signal, in the order of the program.
    pub fn signals(&self) -> impl Iterator<Item = (SignalKey, usize)> {
        self.units.iter().flat_map(move |unit| {
            let block = self.plan_block(unit);
            let path = self.path_of(unit);
            let names = match block.ports.outputs.is_empty() {
                true => &block.ports.inputs,
                false => &block.ports.outputs,
            };
            let keys = names.iter().zip(self.outputs_of(unit));
            keys.map(move |(name, output)| (SignalKey::new(&path, block.id, name), output))
        })
    }

    /// The block a unit stands for: the model blocks that lead to it, and its id.
    pub fn block_of(&self, unit: usize) -> (Vec<BlockId>, BlockId) {
        let unit = &self.units[unit];
        (self.path_of(unit), self.plan_block(unit).id)
    }

    /// The model a unit's block stands in.
    pub fn model_of(&self, unit: usize) -> &Arc<str> {
        let instance = &self.instances[self.units[unit].instance as usize];
        &self.plans[instance.plan as usize].model
    }

    /// The unit of a block that is no model block.
    pub fn unit_of(&self, path: &[BlockId], block: BlockId) -> Option<usize> {
        let instance = &self.instances[self.instance_at(path)?];
        let plan = &self.plans[instance.plan as usize];
        match plan.block(plan.place(block)?).kind {
            PlanKind::Unit { number, .. } => Some(instance.first_unit as usize + number),
            PlanKind::Child { .. } => None,
        }
    }

    /// Where a parameter's values lie among the parameters.
    ///
    /// # Errors
    /// Where the block, or a changeable parameter of that name and width, is not there.
    pub fn param_place(
        &self,
        path: &[BlockId],
        block: BlockId,
        name: &str,
        width: usize,
    ) -> Result<Range<usize>, ParamError> {
        let unit = &self.units[self.unit_of(path, block).ok_or(ParamError::UnknownBlock)?];
        let PlanKind::Unit { settings, .. } = &self.plan_block(unit).kind else { return Err(ParamError::UnknownBlock) };
        let index = settings.index_of(name).ok_or_else(|| ParamError::UnknownParam(name.to_owned()))?;
        let mut first = unit.first_param as usize;
        for &(param, lanes) in &self.kernel(unit).params {
            if param == index {
                return match lanes == width {
                    true => Ok(first..first + lanes),
                    false => Err(ParamError::Width { name: name.to_owned(), expected: lanes, got: width }),
                };
            }
            first += lanes;
        }
        Err(ParamError::Fixed(name.to_owned()))
    }

    /// Number of the output that `output` of the block at `place` is, through any model blocks.
    pub(super) fn resolve(&self, mut instance: usize, mut place: usize, mut output: usize) -> Option<usize> {
        loop {
            let Instance { plan, first_unit, first_child, .. } = self.instances[instance];
            match self.plans[plan as usize].block(place).kind {
                PlanKind::Unit { number, .. } => {
                    let unit = &self.units[first_unit as usize + number];
                    return Some(unit.first_output as usize + output);
                }
                PlanKind::Child { number, plan } => {
                    instance = first_child as usize + number;
                    place = *self.plans[plan].exits.get(output)?;
                    output = 0;
                }
            }
        }
    }

    pub(super) fn plan_block(&self, unit: &Unit) -> &super::plan::PlanBlock {
        let instance = &self.instances[unit.instance as usize];
        self.plans[instance.plan as usize].block(unit.place as usize)
    }

    fn path_of(&self, unit: &Unit) -> Vec<BlockId> {
        let mut path = Vec::new();
        let mut instance = unit.instance;
        while let Some((parent, place)) = self.instances[instance as usize].parent {
            let plan = &self.plans[self.instances[parent as usize].plan as usize];
            path.push(plan.block(place as usize).id);
            instance = parent;
        }
        path.reverse();
        path
    }

    fn instance_at(&self, path: &[BlockId]) -> Option<usize> {
        path.iter().try_fold(0, |instance, id| {
            let Instance { plan, first_child, .. } = *self.instances.get(instance)?;
            let plan = &self.plans[plan as usize];
            match plan.block(plan.place(*id)?).kind {
                PlanKind::Child { number, .. } => Some(first_child as usize + number),
                PlanKind::Unit { .. } => None,
            }
        })
    }
}

/// The values of a kernel's changeable parameters, one after the other.
pub(super) fn param_values<'a>(
    kernel: &'a Kernel,
    settings: &'a crate::block::Settings,
) -> impl Iterator<Item = f64> + 'a {
    let values = kernel.params.iter().filter_map(|&(index, _)| settings.params().nth(index));
    values
        .flat_map(|(_, setting)| match setting {
            Setting::Number(values) => values.as_slice(),
            _ => &[],
        })
        .copied()
}

//! The compiled simulation: model blocks flattened into one list of units, every value at a fixed offset.

use std::ops::Range;
use std::sync::Arc;

use super::fault::Fault;
use super::schedule::is_pass_through;
use super::solve::AlgebraicLoop;
use super::compile::template::{ModelTemplate, TemplateKind};
use super::compile::instances::{Instance, Tree, Use};
use super::{Solver, Tolerances};
use crate::block::{Kernel, SampleTime, Setting, StateKind};
use crate::model::{BlockId, SignalKey, is_hidden_port};

/// The input of all engines. It does not change during a run; the values are in a [`super::Context`].
#[derive(Debug)]
pub struct Program {
    /// Number of steps given by the file; 0: until stopped.
    pub steps: u64,
    /// Step length in seconds.
    pub delta: f64,
    pub solver: Solver,
    pub tolerances: Tolerances,
    /// Limit on block executions in a step; a step that exceeds it fails. See [`Program::MOST_RUNS`].
    pub most_runs: u64,
    /// Whether a step fails, naming the block, if an output becomes infinite or NaN.
    pub refuses_non_finite: bool,
    pub units: Vec<Unit>,
    /// For each unit, the sample time at which it acts or its outputs change; `None` if never.
    pub rates: Vec<Option<SampleTime>>,
    /// For each unit, whether its outputs hold their value from one sample hit to the next.
    pub held: Vec<bool>,
    pub kernels: Vec<Arc<Kernel>>,
    /// For the inputs of all units in order, the number of the output connected to each.
    pub sources: Vec<Option<u32>>,
    pub outputs: Vec<Output>,
    /// For the readers of all outputs in order, the unit and its input.
    pub readers: Vec<(u32, u32)>,
    pub states: Vec<StateSlot>,
    /// Initial parameter values, unit by unit.
    pub params: Vec<f64>,
    /// Conditional and iterated subsystems, each after the one that contains it.
    pub subsystems: Vec<ConditionalSubsystem>,
    /// Total number of elements of all outputs.
    pub value_count: usize,
    pub discrete_count: usize,
    pub continuous_count: usize,
    pub history_count: usize,
    /// Algebraic loops, each with the unit that solves it; these units are the last ones.
    pub loops: Vec<AlgebraicLoop>,
    pub(super) templates: Vec<ModelTemplate>,
    pub(super) tree: Tree,
}

/// An entry of the flat list: an entry, an exit or a library block of one instance of its model, or a hidden unit that
/// the compiler added for a conditional or iterated model block.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    pub kernel: u32,
    /// Offset of its inputs in `sources`.
    pub first_input: u32,
    /// Offset of its outputs in `outputs`.
    pub first_output: u32,
    /// Offset of its states in `states`.
    pub first_state: u32,
    /// Offset of its parameters in `params`.
    pub first_param: u32,
    /// The subsystem that it belongs to; `None`: it runs in every step.
    pub subsystem: Option<u32>,
    /// Whether the compiler added it; a hidden unit does not count as an executed block.
    pub is_hidden: bool,
    pub(super) instance: u32,
    /// The block's index in the instance's template.
    pub(super) place: u32,
}

/// Units that run together if their enable condition holds, after all inputs of the model block are set.
///
/// A run publishes the outputs that depend on states alone, then executes every unit whose inputs are set. An iterated
/// subsystem updates its states at the end of each run, others at the end of the step. After the last run, or if there
/// is none, all exits count as set. Minor steps keep the decision of the major step; an iterated subsystem runs in the
/// major step only, and its exits hold their values.
#[derive(Clone, Debug)]
pub struct ConditionalSubsystem {
    /// The subsystem that contains it.
    pub parent: Option<u32>,
    /// The unit that evaluates the enable condition. It belongs to the surrounding subsystem. Its first output is the
    /// number of runs; its second is nonzero if the states are reset before them.
    pub enable_unit: u32,
    /// Whether it may run several times in a step.
    pub is_iterated: bool,
    /// The output that must be above 0 for another run, unless the number of runs is given.
    pub condition: Option<u32>,
    /// Limit on runs in a step; exceeding it ends the run with an error.
    pub limit: u64,
    /// Whether the states can are reset at all.
    pub can_reset: bool,
    /// Its own units, without those of nested subsystems.
    pub units: Vec<u32>,
    /// Its outputs.
    pub exits: Vec<SubsystemExit>,
}

#[derive(Clone, Copy, Debug)]
pub struct SubsystemExit {
    pub output: u32,
    /// Whether it is reset to its initial value in a step without a run.
    pub idle_resets: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// The unit that computes it.
    pub unit: u32,
    /// Offset of its elements among the values.
    pub offset: u32,
    pub width: u32,
    /// Offset of its readers in `readers`.
    pub first_reader: u32,
    pub reader_count: u32,
}

/// The offset and width of a state among those of its kind; for a history, the offset of its ring.
#[derive(Clone, Copy, Debug)]
pub struct StateSlot {
    pub kind: StateKind,
    pub offset: u32,
    pub width: u32,
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

impl ConditionalSubsystem {
    /// What is said of a step with more runs than the limit.
    pub(super) fn beyond_limit(&self) -> Fault {
        let problem = format!("it would run more than {} times in this step, which is its limit", self.limit);
        Fault { unit: Some(self.enable_unit as usize), problem }
    }
}

impl Program {
    /// A step with more block executions than this is considered endless.
    pub const MOST_RUNS: u64 = 100_000_000;

    /// The error for a step that exceeds the limit on block executions. It names the outermost iterated subsystem that
    /// is running, otherwise the first iterated subsystem, otherwise the unit that exceeded the limit.
    pub(super) fn beyond_runs(&self, subsystem: Option<u32>, unit: Option<usize>) -> Fault {
        let around = std::iter::successors(subsystem, |&subsystem| self.subsystems[subsystem as usize].parent);
        let outermost = around
            .map(|subsystem| &self.subsystems[subsystem as usize])
            .filter(|subsystem| subsystem.is_iterated)
            .last();
        let part = outermost.or_else(|| self.subsystems.iter().find(|subsystem| subsystem.is_iterated));
        let unit = part.map(|part| part.enable_unit as usize).or(unit);
        Fault { unit, problem: format!("the step has run more than {} blocks", self.most_runs) }
    }

    /// Whether every step executes the same blocks equally often: no block is conditional, iterated, or sets its
    /// outputs several times. Otherwise the number of executions in one step only approximates the others.
    pub fn has_fixed_length(&self) -> bool {
        self.subsystems.is_empty() && self.kernels.iter().all(|kernel| kernel.iterations.is_none())
    }

    pub fn kernel(&self, unit: &Unit) -> &Kernel {
        &self.kernels[unit.kernel as usize]
    }

    /// Whether a step may fail.
    pub(super) fn can_fail(&self) -> bool {
        self.refuses_non_finite
            || !self.loops.is_empty()
            || (self.continuous_count > 0 && self.solver.tableau().is_none())
            || self.subsystems.iter().any(|subsystem| subsystem.is_iterated)
            || self.kernels.iter().any(|kernel| kernel.iterations.is_some() || kernel.has_calls())
    }

    pub(super) fn states_of(&self, unit: &Unit) -> &[StateSlot] {
        let first = unit.first_state as usize;
        &self.states[first..first + self.kernel(unit).states.len()]
    }

    /// The states of a loop's units, each with its number.
    pub(super) fn states_of_loop<'a>(
        &'a self,
        of: &'a AlgebraicLoop,
    ) -> impl Iterator<Item = (u32, &'a StateSlot)> + 'a {
        of.members.iter().flat_map(move |&member| {
            let unit = &self.units[member];
            let count = self.kernel(unit).states.len() as u32;
            (unit.first_state..unit.first_state + count).map(move |state| (state, &self.states[state as usize]))
        })
    }

    /// The unit's name in messages.
    pub(super) fn title(&self, unit: usize) -> String {
        let (unit, model) = (&self.units[unit], self.model_of(unit));
        let block = self.template_block(unit);
        let name = match &block.kind {
            TemplateKind::Unit { def, .. } => def.name,
            TemplateKind::Child { .. } => "",
        };
        format!("{name} {} of “{model}”", block.id)
    }

    /// The name of a unit's output; for an exit, the name of its input.
    pub(super) fn output_name(&self, unit: usize, output: usize) -> &str {
        let unit = &self.units[unit];
        let ports = &self.template_block(unit).ports;
        let names = if ports.outputs.is_empty() { &ports.inputs } else { &ports.outputs };
        names.get(output - unit.first_output as usize).map_or("", |name| name)
    }

    /// The name of a unit's input; an entry's input is hidden.
    pub(super) fn input_name(&self, unit: usize, input: usize) -> &str {
        let ports = &self.template_block(&self.units[unit]).ports;
        ports.inputs.get(input).map_or("Outside", |name| name)
    }

    /// The name of a unit's parameter, by its number on the tape.
    pub(super) fn param_name(&self, unit: usize, number: usize) -> &str {
        let unit = &self.units[unit];
        let TemplateKind::Unit { def, .. } = &self.template_block(unit).kind else { return "" };
        let index = self.kernel(unit).params.get(number).map(|(index, _)| *index);
        index.and_then(|index| def.params.get(index)).map_or("", |param| param.name)
    }

    /// The outputs of a unit, by number.
    pub fn outputs_of(&self, unit: &Unit) -> Range<usize> {
        let first = unit.first_output as usize;
        first..first + self.kernel(unit).outputs.len()
    }

    /// The unit that makes an output.
    pub(super) fn output_unit(&self, output: u32) -> u32 {
        self.outputs[output as usize].unit
    }

    /// The readers of an output: units and their inputs.
    pub fn readers_of(&self, output: usize) -> &[(u32, u32)] {
        let Output { first_reader, reader_count, .. } = self.outputs[output];
        &self.readers[first_reader as usize..(first_reader + reader_count) as usize]
    }

    /// The number of a signal's output.
    pub fn output_of(&self, signal: &SignalKey) -> Option<usize> {
        let instance = self.instance_at(&signal.path)?;
        let template = &self.templates[self.tree.instances[instance].template as usize];
        let place = template.place(signal.block)?;
        let output = template.block(place).output(&signal.output)?;
        self.resolve(instance, place, output)
    }

    /// The number of elements of a signal.
    pub fn width_of(&self, signal: &SignalKey) -> Option<usize> {
        Some(self.outputs.get(self.output_of(signal)?)?.width as usize)
    }

    /// The sample time of a signal: `None` if the signal is unknown, `Some(None)` if it never changes.
    pub fn rate_of(&self, signal: &SignalKey) -> Option<Option<SampleTime>> {
        let output = self.outputs.get(self.output_of(signal)?)?;
        self.rates.get(output.unit as usize).copied()
    }

    /// Whether a signal holds its value from one hit of a sample time to the next; false where it is unknown.
    pub fn is_held(&self, signal: &SignalKey) -> bool {
        let unit = self.output_of(signal).and_then(|output| Some(self.outputs.get(output)?.unit));
        unit.and_then(|unit| self.held.get(unit as usize)).is_some_and(|is_held| *is_held)
    }

    /// The exits of the root model by name, in the order of the file, each with its output's number.
    pub fn exits(&self) -> Vec<(Arc<str>, SignalKey, usize)> {
        let Some(root) = self.tree.instances.first() else { return Vec::new() };
        let template = &self.templates[root.template as usize];
        let exit = |(name, place): &(Arc<str>, usize)| {
            let key = SignalKey::new(&[], template.block(*place).id, crate::model::BlockPorts::INPUT);
            Some((Arc::clone(name), key, self.resolve(0, *place, 0)?))
        };
        template.named_exits.iter().filter_map(exit).collect()
    }

    /// Every output of every block as a signal, in program order; of a for-each model, those of the first iteration.
    pub fn signals(&self) -> impl Iterator<Item = (SignalKey, usize)> {
        self.units.iter().filter(|unit| self.is_seen(unit)).flat_map(move |unit| {
            let block = self.template_block(unit);
            let path = self.path_of(unit);
            let names = match block.ports.outputs.is_empty() {
                true => &block.ports.inputs,
                false => &block.ports.outputs,
            };
            let keys = names.iter().zip(self.outputs_of(unit)).filter(|(name, _)| !is_hidden_port(name));
            keys.map(move |(name, output)| (SignalKey::new(&path, block.id, name), output))
        })
    }

    /// The block of a unit: its path of model blocks, and its id.
    pub fn block_of(&self, unit: usize) -> (Vec<BlockId>, BlockId) {
        let unit = &self.units[unit];
        (self.path_of(unit), self.template_block(unit).id)
    }

    /// The name of a unit's block in messages.
    pub(super) fn title_of(&self, unit: usize) -> String {
        let block = self.template_block(&self.units[unit]);
        let name = match &block.kind {
            TemplateKind::Unit { def, .. } => def.name,
            TemplateKind::Child { template, .. } => &*self.templates[*template].model,
        };
        format!("{name} {} in “{}”", block.id, self.model_of(unit))
    }

    /// The model that contains a unit's block.
    pub fn model_of(&self, unit: usize) -> &Arc<str> {
        let instance = &self.tree.instances[self.units[unit].instance as usize];
        &self.templates[instance.template as usize].model
    }

    /// The unit of a block that is not a model block; of a for-each model, that of the first iteration.
    pub fn unit_of(&self, path: &[BlockId], block: BlockId) -> Option<usize> {
        self.unit_in(self.instance_at(path)?, block)
    }

    fn unit_in(&self, instance: usize, block: BlockId) -> Option<usize> {
        let instance = &self.tree.instances[instance];
        let template = &self.templates[instance.template as usize];
        match template.block(template.place(block)?).kind {
            TemplateKind::Unit { number, .. } => Some(instance.first_unit as usize + number),
            TemplateKind::Child { .. } => None,
        }
    }

    /// Whether the unit's signals can be addressed by a key.
    pub(super) fn is_seen(&self, unit: &Unit) -> bool {
        let mut instance = &self.tree.instances[unit.instance as usize];
        while let (0, Some((parent, _))) = (instance.iteration, instance.parent) {
            instance = &self.tree.instances[parent as usize];
        }
        !unit.is_hidden && instance.iteration == 0
    }

    /// The ranges of a parameter's values: one, or one per iteration of a for-each model.
    ///
    /// # Errors
    /// Where the block, or a changeable parameter of that name and width, is not there.
    pub fn param_places(
        &self,
        path: &[BlockId],
        block: BlockId,
        name: &str,
        width: usize,
    ) -> Result<Vec<Range<usize>>, ParamError> {
        let units = self.instances_at(path).into_iter().filter_map(|instance| self.unit_in(instance, block));
        let places =
            units.map(|unit| self.param_place(&self.units[unit], name, width)).collect::<Result<Vec<_>, _>>()?;
        if places.is_empty() { Err(ParamError::UnknownBlock) } else { Ok(places) }
    }

    /// How many values a changeable parameter has.
    ///
    /// # Errors
    /// Where the block, or a changeable parameter of that name, is not there.
    pub fn param_width(&self, path: &[BlockId], block: BlockId, name: &str) -> Result<usize, ParamError> {
        match self.param_places(path, block, name, usize::MAX) {
            Err(ParamError::Width { expected, .. }) => Ok(expected),
            Err(error) => Err(error),
            Ok(places) => Ok(places.first().map_or(0, |place| place.len())),
        }
    }

    fn param_place(&self, unit: &Unit, name: &str, width: usize) -> Result<Range<usize>, ParamError> {
        let TemplateKind::Unit { def, .. } = &self.template_block(unit).kind else {
            return Err(ParamError::UnknownBlock);
        };
        let index = def.params.iter().position(|param| param.name == name);
        let index = index.ok_or_else(|| ParamError::UnknownParam(name.to_owned()))?;
        let mut first = unit.first_param as usize;
        for &(param, count) in &self.kernel(unit).params {
            if param == index {
                return match count == width {
                    true => Ok(first..first + count),
                    false => Err(ParamError::Width { name: name.to_owned(), expected: count, got: width }),
                };
            }
            first += count;
        }
        Err(ParamError::Fixed(name.to_owned()))
    }

    /// Number of the output that `output` of the block at `place` is, through any model blocks.
    pub(super) fn resolve(&self, instance: usize, place: usize, output: usize) -> Option<usize> {
        let (unit, output) = self.tree.resolve(&self.templates, instance, place, output)?;
        Some(self.units[unit].first_output as usize + output)
    }

    /// The output that holds the number of runs of the conditional subsystem whose exit `output` is; pass-through exits
    /// and entries in between are followed.
    pub(super) fn runs_behind(&self, output: u32) -> Option<u32> {
        let mut output = &self.outputs[output as usize];
        loop {
            let unit = &self.units[output.unit as usize];
            let kernel = self.kernel(unit);
            if kernel.outputs.iter().any(|made| made.idle.is_some()) {
                return unit.subsystem.map(|subsystem| self.runs_of(subsystem));
            }
            if !is_pass_through(kernel) {
                return None;
            }
            output = &self.outputs[self.sources[unit.first_input as usize]? as usize];
        }
    }

    /// The output that holds the subsystem's number of runs; the next output says whether the states are reset.
    pub(super) fn runs_of(&self, subsystem: u32) -> u32 {
        self.units[self.subsystems[subsystem as usize].enable_unit as usize].first_output
    }

    pub(super) fn template_block(&self, unit: &Unit) -> &super::compile::template::TemplateBlock {
        let instance = &self.tree.instances[unit.instance as usize];
        self.templates[instance.template as usize].block(unit.place as usize)
    }

    fn path_of(&self, unit: &Unit) -> Vec<BlockId> {
        let mut path = Vec::new();
        let mut instance = unit.instance;
        while let Some((parent, place)) = self.tree.instances[instance as usize].parent {
            let template = &self.templates[self.tree.instances[parent as usize].template as usize];
            path.push(template.block(place as usize).id);
            instance = parent;
        }
        path.reverse();
        path
    }

    /// The instance at a path; of a for-each model, the first.
    fn instance_at(&self, path: &[BlockId]) -> Option<usize> {
        path.iter().try_fold(0, |instance, id| Some(self.use_in(instance, *id)?.first as usize))
    }

    /// All instances at a path, one per iteration of a for-each model.
    fn instances_at(&self, path: &[BlockId]) -> Vec<usize> {
        path.iter().fold(vec![0], |instances, id| {
            let uses = instances.into_iter().filter_map(|instance| self.use_in(instance, *id));
            uses.flat_map(|of| (of.first..of.first + of.iterations.unwrap_or(1)).map(|number| number as usize))
                .collect()
        })
    }

    fn use_in(&self, instance: usize, id: BlockId) -> Option<&Use> {
        let Instance { template, first_use, .. } = *self.tree.instances.get(instance)?;
        let template = &self.templates[template as usize];
        match template.block(template.place(id)?).kind {
            TemplateKind::Child { number, .. } => self.tree.uses.get(first_use as usize + number),
            TemplateKind::Unit { .. } => None,
        }
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

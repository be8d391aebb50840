//! Looks up the units, signals and parameters of a program by the blocks of the document, and back.

use std::ops::Range;
use std::sync::Arc;

use super::symbols::{BlockSymbol, SymbolKind};
use super::{Output, Program, Unit};
use crate::block::{BlockDef, SampleTime, SignalType};
use crate::engine::{OutputId, UnitId};
use crate::model::{BlockAddress, BlockPorts, ParamAddress, SignalKey, is_hidden_port};

/// The reason why a parameter cannot be changed in a run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
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
    /// The block that a unit is; for a hidden unit, its model block.
    pub(in crate::engine) fn symbol(&self, unit: &Unit) -> &BlockSymbol {
        self.symbols.block(unit.origin)
    }

    /// The definition of a unit's block; a hidden unit has none.
    pub(crate) fn definition_of(&self, unit: UnitId) -> Option<&'static BlockDef> {
        self.symbol(&self.units[unit]).def()
    }

    /// The address of a unit's block.
    pub fn block_of(&self, unit: UnitId) -> BlockAddress {
        let unit = &self.units[unit];
        BlockAddress { path: self.symbols.path_of(unit.origin.instance), block: self.symbol(unit).id }
    }

    /// The model that contains a unit's block.
    pub fn model_of(&self, unit: UnitId) -> &Arc<str> {
        &self.symbols.model(self.units[unit].origin.instance).model
    }

    /// The name of a unit's definition, its id and its model, as `Gain 3 of “Plant”`.
    pub(in crate::engine) fn title(&self, unit: UnitId) -> String {
        let symbol = self.symbol(&self.units[unit]);
        let name = symbol.def().map_or("", |def| def.name);
        format!("{name} {} of “{}”", symbol.id, self.model_of(unit))
    }

    /// The name of a unit's definition or of the model inside, its id and its model, as `Gain 3 in “Plant”`.
    pub(crate) fn title_of(&self, unit: UnitId) -> String {
        let symbol = self.symbol(&self.units[unit]);
        let name = match symbol.kind {
            SymbolKind::Unit { def, .. } => def.name,
            SymbolKind::Child { model, .. } => &*self.symbols.models[model].model,
        };
        format!("{name} {} in “{}”", symbol.id, self.model_of(unit))
    }

    /// The name of a unit's output; for an exit, the name of its input.
    pub(crate) fn output_name(&self, unit: UnitId, output: OutputId) -> &str {
        let unit = &self.units[unit];
        let number = output - unit.first_output;
        self.symbol(unit).output_names().get(number).map_or("", |name| name)
    }

    /// The name of a unit's input; an entry's input is hidden.
    pub(in crate::engine) fn input_name(&self, unit: UnitId, input: usize) -> &str {
        self.symbol(&self.units[unit]).ports.inputs.get(input).map_or("Outside", |name| name)
    }

    /// The name of a unit's parameter by its number on the tape.
    pub(crate) fn param_name(&self, unit: UnitId, number: usize) -> &str {
        let unit = &self.units[unit];
        let param = self.kernel(unit).params.get(number).and_then(|(index, _)| {
            let def = self.symbol(unit).def()?;
            def.params.get(*index)
        });
        param.map_or("", |param| param.name)
    }

    /// The unit of a block that is not a model block; of a for-each model, that of the first iteration.
    pub fn unit_of(&self, block: &BlockAddress) -> Option<UnitId> {
        self.symbols.unit(self.symbols.instance_at(&block.path)?, block.block)
    }

    /// Whether the unit's signals can be addressed by a key.
    pub(in crate::engine) fn is_seen(&self, unit: &Unit) -> bool {
        let instances = &self.symbols.instances;
        let mut instance = &instances[unit.origin.instance as usize];
        while let (0, Some(around)) = (instance.iteration, instance.parent) {
            instance = &instances[around.instance as usize];
        }
        !unit.is_hidden && instance.iteration == 0
    }

    /// The output that a signal is.
    pub fn output_of(&self, signal: &SignalKey) -> Option<OutputId> {
        let instance = self.symbols.instance_at(&signal.path)?;
        let model = self.symbols.model(instance);
        let index = model.index_of(signal.block)?;
        self.resolve(instance, index, model.blocks[index].output(&signal.output)?)
    }

    /// The output of a unit that an output of a block is, through any model blocks.
    pub(in crate::engine) fn resolve(&self, instance: u32, index: usize, output: usize) -> Option<OutputId> {
        let (unit, output) = self.symbols.resolve(instance, index, output)?;
        Some(self.units[unit].first_output + output)
    }

    /// The number of elements of a signal.
    pub fn width_of(&self, signal: &SignalKey) -> Option<usize> {
        Some(self.output_behind(signal)?.width as usize)
    }

    /// The number of elements of a signal, and their names if it is a bus.
    pub fn type_of(&self, signal: &SignalKey) -> Option<SignalType> {
        Some(self.output_type(self.output_of(signal)?))
    }

    /// The number of elements of an output, and their names if it is a bus.
    pub fn output_type(&self, output: OutputId) -> SignalType {
        let Output { unit, width, .. } = self.outputs[output];
        let unit = &self.units[unit];
        let of_tape = self.kernel(unit).outputs.get(output - unit.first_output);
        of_tape.map_or(SignalType::plain(width as usize), |output| output.signal_type())
    }

    /// The sample time of a signal: `None` if the signal is unknown, `Some(None)` if it never changes.
    pub fn rate_of(&self, signal: &SignalKey) -> Option<Option<SampleTime>> {
        Some(self.rates.get(self.output_behind(signal)?.unit))
    }

    /// Whether a signal holds its value from one hit of a sample time to the next; false where it is unknown.
    pub fn is_held(&self, signal: &SignalKey) -> bool {
        let unit = self.output_behind(signal).map(|output| output.unit);
        unit.and_then(|unit| self.held.get(unit)).is_some_and(|is_held| *is_held)
    }

    fn output_behind(&self, signal: &SignalKey) -> Option<&Output> {
        self.outputs.get(self.output_of(signal)?)
    }

    /// The exits of the root model by name, in the order of the file, each with its output.
    pub fn exits(&self) -> Vec<(Arc<str>, SignalKey, OutputId)> {
        if self.symbols.instances.is_empty() {
            return Vec::new();
        }
        let root = self.symbols.model(0);
        let exit = |(name, index): &(Arc<str>, usize)| {
            let key = SignalKey::new(&[], root.blocks[*index].id, BlockPorts::INPUT);
            Some((Arc::clone(name), key, self.resolve(0, *index, 0)?))
        };
        root.named_exits.iter().filter_map(exit).collect()
    }

    /// Every output of every block as a signal, in program order; of a for-each model, those of the first iteration.
    pub fn signals(&self) -> impl Iterator<Item = (SignalKey, OutputId)> {
        self.units.values().filter(|unit| self.is_seen(unit)).flat_map(move |unit| {
            let symbol = self.symbol(unit);
            let path = self.symbols.path_of(unit.origin.instance);
            let keys = symbol.output_names().iter().zip(self.outputs_of(unit));
            let keys = keys.filter(|(name, _)| !is_hidden_port(name));
            keys.map(move |(name, output)| (SignalKey::new(&path, symbol.id, name), output))
        })
    }

    /// The ranges of a parameter's values: one, or one per iteration of a for-each model.
    ///
    /// # Errors
    /// Where the block, or a changeable parameter of that name and width, is not there.
    pub fn param_ranges(&self, param: &ParamAddress, width: usize) -> Result<Vec<Range<usize>>, ParamError> {
        let BlockAddress { path, block } = &param.block;
        let instances = self.symbols.instances_at(path).into_iter();
        let units = instances.filter_map(|instance| self.symbols.unit(instance, *block));
        let ranges =
            units.map(|unit| self.param_range(&self.units[unit], &param.name, width)).collect::<Result<Vec<_>, _>>()?;
        if ranges.is_empty() { Err(ParamError::UnknownBlock) } else { Ok(ranges) }
    }

    /// How many values a changeable parameter has.
    ///
    /// # Errors
    /// Where the block, or a changeable parameter of that name, is not there.
    pub fn param_width(&self, param: &ParamAddress) -> Result<usize, ParamError> {
        match self.param_ranges(param, usize::MAX) {
            Err(ParamError::Width { expected, .. }) => Ok(expected),
            Err(error) => Err(error),
            Ok(ranges) => Ok(ranges.first().map_or(0, |range| range.len())),
        }
    }

    fn param_range(&self, unit: &Unit, name: &str, width: usize) -> Result<Range<usize>, ParamError> {
        let def = self.symbol(unit).def().ok_or(ParamError::UnknownBlock)?;
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
}

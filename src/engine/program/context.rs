//! All values of a run. The program and a copy of the context suffice to continue the run.

use std::sync::Arc;

use super::record::Record;
use crate::block::StateKind;
use crate::engine::{OutputId, ParamError, Program};
use crate::model::{BlockAddress, ParamAddress};

/// The state of a run between two steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The step that comes next; as many are done.
    pub step: u64,
    /// Runs of blocks in the last step: its approximate length.
    pub executed: u64,
    /// The outputs' last values; [`UNSET`] where none was ever given.
    pub values: Vec<f64>,
    pub discrete: Vec<f64>,
    pub continuous: Vec<f64>,
    /// Rings of past values, one after the other; behind each the index of the slot where the next value goes.
    pub history: Vec<f64>,
    /// The records of signals that a solver of variable step makes.
    pub records: Vec<Record>,
    pub params: Vec<f64>,
    /// The memory of the solver; empty if it has none.
    pub solver: Vec<f64>,
}

const STATE: &str = "@state ";

/// The name of a block's state in a parameter change; states are numbered from 0.
pub fn state_name(number: usize) -> String {
    format!("{STATE}{number}")
}

/// The number, from 0, of the state with this name in a parameter change; `None` if the name is that of a parameter.
pub fn state_of_name(name: &str) -> Option<usize> {
    name.strip_prefix(STATE)?.parse().ok()
}

/// A value that was never set: a not-a-number of its own, which no arithmetic makes.
pub const UNSET: f64 = f64::from_bits(0x7FF8_0000_0005_E7E0);

pub fn is_unset(value: f64) -> bool {
    value.to_bits() == UNSET.to_bits()
}

/// A value as it leaves a run: every not-a-number but [`UNSET`] is the same.
///
/// Which of several not-a-numbers an operation returns, and with what sign, is the machine's choice.
#[inline]
pub(in crate::engine) fn canonical(value: f64) -> f64 {
    if value.is_nan() && !is_unset(value) { f64::NAN } else { value }
}

impl Context {
    /// Becomes the same as another of the program, in the memory that it has.
    pub(in crate::engine) fn copy_from(&mut self, other: &Context) {
        let Context { step, executed, values, discrete, continuous, history, records, params, solver } = other;
        (self.step, self.executed) = (*step, *executed);
        self.values.clone_from(values);
        self.discrete.clone_from(discrete);
        self.continuous.clone_from(continuous);
        self.history.clone_from(history);
        self.records.clone_from(records);
        self.params.clone_from(params);
        self.solver.clone_from(solver);
    }

    /// A context before its first step, with the parameters as the file has them.
    pub fn new(program: &Program) -> Context {
        let mut context = Context {
            step: 0,
            executed: 0,
            values: Vec::new(),
            discrete: Vec::new(),
            continuous: Vec::new(),
            history: Vec::new(),
            records: Vec::new(),
            params: program.params.clone(),
            solver: Vec::new(),
        };
        context.reset(program);
        context
    }

    /// Changes a parameter of a block in one instance of its model, in all elements that it runs for. States keep their
    /// values; but a name made by [`state_name`] sets a state as if it were a parameter.
    ///
    /// # Errors
    /// If there is no such parameter, or it cannot change between steps.
    pub fn set_param(&mut self, program: &Program, param: &ParamAddress, values: &[f64]) -> Result<(), ParamError> {
        if let Some(number) = param.name.strip_prefix(STATE).and_then(|number| number.parse().ok()) {
            return self.set_state(program, &param.block, number, values);
        }
        for range in program.param_ranges(param, values.len())? {
            self.params[range].copy_from_slice(values);
        }
        Ok(())
    }

    /// Gives a state other values from the next step on.
    fn set_state(
        &mut self,
        program: &Program,
        block: &BlockAddress,
        number: usize,
        values: &[f64],
    ) -> Result<(), ParamError> {
        let unit = program.unit_of(block).ok_or(ParamError::UnknownBlock)?;
        let name = || format!("state {}", number + 1);
        let slot =
            program.states_of(&program.units[unit]).get(number).ok_or_else(|| ParamError::UnknownParam(name()))?;
        let (expected, got) = (slot.width as usize, values.len());
        if expected != got {
            return Err(ParamError::Width { name: name(), expected, got });
        }
        let kept = match slot.kind {
            StateKind::Discrete => &mut self.discrete,
            StateKind::Continuous => &mut self.continuous,
            StateKind::History { .. } | StateKind::Record => return Err(ParamError::Fixed(name())),
        };
        let first = slot.offset as usize;
        kept[first..first + expected].copy_from_slice(values);
        // The memory of a solver belongs to the trajectory that ends here.
        self.solver.clear();
        Ok(())
    }

    /// The elements of an output; empty where it was never set.
    pub fn output(&self, program: &Program, output: OutputId) -> &[f64] {
        let output = &program.outputs[output];
        let elements = &self.values[output.elements()];
        if elements.iter().any(|element| is_unset(*element)) { &[] } else { elements }
    }

    /// Seconds at the beginning of the next step.
    pub fn time(&self, program: &Program) -> f64 {
        self.step as f64 * program.delta
    }

    /// The values of the root's exits, by name, in the order of the file; `None` for an exit that was never set.
    pub fn exits(&self, program: &Program) -> Vec<(Arc<str>, Option<Vec<f64>>)> {
        let named = program.exits().into_iter().map(|(name, _, output)| {
            let elements = self.output(program, output);
            (name, (!elements.is_empty()).then(|| elements.to_vec()))
        });
        named.collect()
    }
}

//! The engine `flat`: [`Machine`] interprets the step code.

use std::sync::Arc;

use super::{Machine, StepCode};
use crate::engine::compile::repeats::Repeats;
use crate::engine::{Context, Declined, Engine, Execute, Program, RunError, Samples};

/// Interprets the instruction list of the whole step; used where no machine code can be generated.
pub(in crate::engine) struct Flat;

impl Engine for Flat {
    fn name(&self) -> &'static str {
        "flat"
    }

    fn doc(&self) -> &'static str {
        "Runs one list of instructions for the whole step, without machine code"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        Repeats::check(program, self.name())?;
        Ok(Flat::run_of(Machine::new(program)))
    }
}

impl Flat {
    /// Returns a run of a machine's step code.
    pub(in crate::engine) fn run_of(machine: Machine) -> Box<dyn Execute> {
        Box::new(Interpreted(machine))
    }
}

struct Interpreted(Machine);

impl StepCode {
    /// Returns the values of all cells before a step, as they follow from the parameters; the other cells are 0.
    pub fn evaluated(code: &Arc<StepCode>, program: &Arc<Program>, params: &[f64]) -> Box<[f64]> {
        let mut machine = Machine::helper(program, Arc::clone(code));
        machine.enter_params(params);
        machine.cells
    }
}

impl Execute for Interpreted {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        self.0.run(context, count, samples, &mut Machine::steps)
    }

    fn engine(&self) -> &'static str {
        Flat.name()
    }
}

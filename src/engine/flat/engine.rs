//! Code run by [`Machine`], as an engine of its own.

use std::sync::Arc;

use super::super::{Context, Declined, Engine, Execute, Program, RunError, Samples};
use super::Machine;

/// The list of a whole step, interpreted: what runs where no machine code can be made.
pub(in super::super) struct Flat;

impl Engine for Flat {
    fn name(&self) -> &'static str {
        "flat"
    }

    fn doc(&self) -> &'static str {
        "Runs one list of instructions for the whole step, without machine code"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        Ok(Box::new(Interpreted(Machine::new(program))))
    }
}

struct Interpreted(Machine);

impl Execute for Interpreted {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        if count == 0 {
            return Ok(());
        }
        self.0.enter(context);
        for _ in 1..count {
            self.0.step(samples);
        }
        self.0.last_step(context, samples);
        self.0.leave(context);
        Ok(())
    }

    fn engine(&self) -> &'static str {
        Flat.name()
    }
}

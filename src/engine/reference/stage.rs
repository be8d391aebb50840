//! Computes the rates for a solver by a pass over all blocks.

use super::Queue;
use crate::engine::program::record::Record;
use crate::engine::solve::{Leaves, System};
use crate::engine::{Context, OutputId, Program};

/// Computes the rates by a pass over all blocks.
pub(super) struct QueueRates<'a> {
    pub queue: &'a mut Queue,
    pub program: &'a Program,
    pub context: &'a mut Context,
}

impl System for QueueRates<'_> {
    fn rates(&mut self, time: f64, x: &[f64], rates: &mut [f64]) {
        let QueueRates { queue, program, context } = self;
        let mut values = std::mem::take(&mut queue.stage_values);
        values.copy_from_slice(&context.values);
        queue.stage_continuous.copy_from_slice(x);
        queue.time = time;
        // Too many executions have failed the major step already; the caller checks whether the run was cancelled.
        let _ = queue.pass(program, context, &mut values, 1);
        queue.stage_values = values;
        rates.copy_from_slice(&queue.rates[1]);
    }

    fn is_cancelled(&self) -> bool {
        self.queue.is_cancelled()
    }

    fn records(&mut self) -> &mut [Record] {
        &mut self.context.records
    }

    fn leaves(&self) -> Leaves<'_> {
        Leaves { context: self.context, next: &self.queue.next }
    }

    fn set_next(&mut self, next: &[f64]) {
        self.queue.next.copy_from_slice(next);
    }

    fn history_mut(&mut self) -> &mut [f64] {
        &mut self.context.history
    }

    fn set_held(&mut self, output: OutputId, values: &[f64]) {
        self.context.values[self.program.outputs[output].elements()].copy_from_slice(values);
    }
}

//! Runs steps on the reference engine and records them.

use std::sync::Arc;

use super::{Queue, Recorder};
use crate::engine::program::fault::Fault;
use crate::engine::{Context, Program, Samples};

/// The reference engine with a recorder.
pub struct TracedQueue {
    queue: Queue,
}

impl TracedQueue {
    pub fn new(program: &Arc<Program>, recorder: Recorder) -> TracedQueue {
        let mut queue = Queue::new(program);
        queue.recorder = Some(Box::new(recorder));
        TracedQueue { queue }
    }

    /// Runs the next step of the context. If it fails, returns the fault and leaves the context at the beginning of the
    /// step.
    pub fn step(&mut self, context: &mut Context) -> Option<Fault> {
        let program = Arc::clone(&self.queue.program);
        let before = program.can_fail().then(|| context.clone());
        let fault = self.queue.step(&program, context, &mut Samples::default()).err()?;
        before.into_iter().for_each(|before| *context = before);
        Some(fault)
    }

    /// Returns the record.
    pub fn into_recorder(mut self) -> Recorder {
        self.queue.recorder.take().map(|recorder| *recorder).unwrap_or_default()
    }
}

//! The instructions that are precomputed for a batch of steps, before they are scheduled.

use crate::engine::step_code::Instruction;

/// Number of steps in a batch.
pub(in crate::engine::native) const STEPS: u32 = 64;

/// A part of the precomputation before it is scheduled.
pub(in crate::engine::native) enum Plan {
    /// Instructions over the steps of a batch.
    Rows(Vec<Instruction>),
    /// Instructions of each step.
    Recurrences(RecurrencePlan),
}

/// Recurrences that share a loop.
pub(in crate::engine::native) struct RecurrencePlan {
    pub list: Vec<Instruction>,
    /// The number of instructions of the major step.
    pub sampled: usize,
    /// The cells of the states.
    pub states: Vec<u32>,
    /// The cells that others read, each with its row.
    pub results: Vec<(u32, u32)>,
}

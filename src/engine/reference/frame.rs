//! The frames that the queue engine executes, and the pending updates for the end of a step.

use std::collections::VecDeque;

use super::membership::Parts;
use crate::engine::{OutputId, Program, SubsystemId, UnitId, UnitMap};

/// The execution of the step, or of a conditional or iterated subsystem.
pub struct Frame {
    pub subsystem: Option<SubsystemId>,
    pub queue: VecDeque<UnitId>,
    /// Blocks that set their outputs in several iterations, with the next iteration and the number of iterations.
    pub iterating: Vec<(UnitId, u64, u64)>,
    pub run: u64,
    pub runs: u64,
    /// The number of pending pushes when the run began.
    pub first_push: usize,
}

impl Frame {
    /// Returns a frame that reuses the memory of `spare`.
    pub fn new(spare: Option<Frame>, subsystem: Option<SubsystemId>, runs: u64, first_push: usize) -> Frame {
        let (mut queue, mut iterating) = spare.map(|spare| (spare.queue, spare.iterating)).unwrap_or_default();
        queue.clear();
        iterating.clear();
        Frame { subsystem, queue, iterating, run: 0, runs, first_push }
    }
}

impl Frame {
    /// Marks the inputs that an output feeds as set, and queues the units whose inputs are all set.
    pub fn set_readers(
        &mut self,
        program: &Program,
        parts: &Parts,
        (is_set, missing): (&mut [bool], &mut UnitMap<u32>),
        output: OutputId,
    ) {
        for reader in parts.readers_of(program, output) {
            let missing = &mut missing[reader.unit];
            if !std::mem::replace(&mut is_set[reader.input as usize], true) {
                *missing -= 1;
            }
            // A unit of a conditional subsystem waits until that begins.
            if *missing == 0 && reader.subsystem == self.subsystem {
                self.queue.push_back(reader.unit);
            }
        }
    }
}

/// A value to be pushed to a history at the end of the step.
pub struct Push {
    pub offset: usize,
    pub width: usize,
    pub length: usize,
    /// The index of its first element among those of all pushes.
    pub first: usize,
}

/// The limits of continuous states at the end of the step.
pub struct Limit {
    pub offset: usize,
    pub width: usize,
    /// The index of its first lower limit among all; the upper limits follow the lower ones.
    pub first: usize,
}

//! What the queue engine runs at a time, and what it keeps for the end of a step.

use std::collections::VecDeque;

use super::super::Program;
use super::super::parts::Parts;

/// The step, or the runs of a conditional or iterated subsystem.
pub struct Frame {
    pub subsystem: Option<u32>,
    pub queue: VecDeque<u32>,
    /// Blocks that set their outputs in several iterations, with the next turn and how many there are.
    pub iterating: Vec<(u32, u64, u64)>,
    pub run: u64,
    pub runs: u64,
    /// How many values were to be pushed when the run began.
    pub first_push: usize,
}

impl Frame {
    /// In the memory of one that is over, where there is one.
    pub fn new(spare: Option<Frame>, subsystem: Option<u32>, runs: u64, first_push: usize) -> Frame {
        let (mut queue, mut iterating) = spare.map(|spare| (spare.queue, spare.iterating)).unwrap_or_default();
        queue.clear();
        iterating.clear();
        Frame { subsystem, queue, iterating, run: 0, runs, first_push }
    }
}

impl Frame {
    /// Sets the inputs that an output feeds, and queues the units that miss no more.
    pub fn set_readers(
        &mut self,
        program: &Program,
        parts: &Parts,
        (is_set, missing): (&mut [bool], &mut [u32]),
        output: usize,
    ) {
        for reader in parts.readers_of(program, output) {
            let missing = &mut missing[reader.unit as usize];
            if !std::mem::replace(&mut is_set[reader.input as usize], true) {
                *missing -= 1;
            }
            // A unit of a conditional subsystem waits for that to begin.
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
    /// Where its elements begin among those of all.
    pub first: usize,
}

/// What continuous states are kept between at the end of the step.
pub struct Limit {
    pub offset: usize,
    pub width: usize,
    /// Where its lower limits begin among those of all; the upper ones stand behind them.
    pub first: usize,
}

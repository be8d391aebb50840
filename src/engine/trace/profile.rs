//! Measures the cost of each block: how often it runs, and how long one execution takes.
//!
//! Executions are counted by repeating steps on the reference engine. Then the tape of each block is run many times,
//! with the values of the last of these steps, and timed as a whole: reading a clock at each execution would cost more
//! than most blocks. The times are those of the interpreter; machine code is faster, by a similar factor for most
//! blocks. A run is never slowed by this.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::{Context, Program, UnitId};
use crate::engine::reference::{Depth, Recorder, TracedQueue};
use crate::engine::solve::interpret::{Env, Interpreter};
use crate::model::BlockAddress;

/// The costs of all blocks over some steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The first of the steps.
    pub first: u64,
    pub steps: u64,
    /// The most expensive first; equal ones in the order of the program. The first iteration of a for-each model has
    /// the executions of all.
    pub blocks: Vec<BlockCost>,
}

/// The cost of a block in all the steps.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockCost {
    /// The path of model blocks to the block, and the block.
    pub block: BlockAddress,
    /// The number of its executions, including those in minor steps.
    pub runs: u64,
    /// Seconds of one execution.
    pub each: f64,
}

impl BlockCost {
    /// Returns the seconds of all its executions together.
    pub fn total(&self) -> f64 {
        self.runs as f64 * self.each
    }
}

/// The length of one measurement of a block; the quickest of several counts, since other work of the machine only makes
/// it slower.
const ROUND: Duration = Duration::from_micros(20);
const ROUNDS: u32 = 5;
/// The number of executions in a measurement, at most.
const MAX_EXECUTIONS: u32 = 1000;

impl Profile {
    /// Repeats `steps` steps from the context on, at least one; fewer if one of them fails or `goes_on` returns false.
    pub fn new(program: &Arc<Program>, context: &Context, steps: u64, goes_on: &dyn Fn() -> bool) -> Profile {
        let mut context = context.clone();
        let first = context.step;
        let mut traced = TracedQueue::new(program, Recorder::new(program, Depth::Counts));
        let mut before = context.clone();
        while context.step < first + steps.max(1) && goes_on() {
            before.clone_from(&context);
            if traced.step(&mut context).is_some() {
                break;
            }
        }
        let mut interpreter = Interpreter::new(program);
        let mut blocks: Vec<BlockCost> = Vec::new();
        let mut indices = BTreeMap::new();
        for (number, &runs) in &traced.into_recorder().counts {
            if !goes_on() || program.units[number].is_hidden {
                continue;
            }
            let each = if runs == 0 { 0.0 } else { time(program, number, &before, &context, &mut interpreter) };
            let block = program.block_of(number);
            match indices.entry(block.clone()) {
                Entry::Occupied(first_iteration) => {
                    let index: &usize = first_iteration.get();
                    blocks[*index].runs += runs;
                }
                Entry::Vacant(vacant) => {
                    vacant.insert(blocks.len());
                    blocks.push(BlockCost { block, runs, each });
                }
            }
        }
        blocks.sort_by(|a, b| b.total().total_cmp(&a.total()));
        Profile { first, steps: context.step - first, blocks }
    }

    /// Returns the seconds of all blocks together.
    pub fn total(&self) -> f64 {
        self.blocks.iter().map(BlockCost::total).sum()
    }
}

/// Measures the seconds of one execution of a unit, with the values of its inputs in the last step.
fn time(program: &Program, number: UnitId, before: &Context, after: &Context, interpreter: &mut Interpreter) -> f64 {
    let unit = &program.units[number];
    let kernel = program.kernel(unit);
    let env = Env {
        program,
        unit,
        values: &after.values,
        context: before,
        discrete: &before.discrete,
        continuous: &before.continuous,
        next: &after.discrete,
        time: before.time(program),
        is_major: true,
        is_deciding: true,
        iteration: 0,
        runs: 0.0,
        cancel: None,
    };
    let mut count = 1;
    let mut quickest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..count {
            interpreter.run(kernel, &kernel.run, &env);
        }
        let took = start.elapsed();
        quickest = quickest.min(took.as_secs_f64() / f64::from(count));
        // As many executions as fill a measurement.
        let wanted = ROUND.as_secs_f64() / quickest.max(1e-9);
        count = (wanted as u32).clamp(1, MAX_EXECUTIONS);
    }
    interpreter.fault = None;
    quickest
}

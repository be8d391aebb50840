//! Runs heavy parts of a step on several threads.
//!
//! The main context runs the step; it sends heavy independent parts to worker threads as jobs, and receives their
//! results ([`fork`]). [`parts`] cuts the instruction list of the step into jobs, [`divide`] decides which are
//! combined; [`worker`] runs on a thread. Every instruction gets the same operands as in the list, so the bits do not
//! depend on the thread that runs it.
//!
//! Measurements decide whether threads are used: [`ModeTimes`] tries both modes, with threads and in place, and keeps
//! the faster one. A model without heavy parts starts no thread.

mod divide;
mod fork;
mod fragments;
mod worker;

use std::sync::Arc;
use std::time::Instant;

use self::fork::Forked;
use super::native::{Compiled, TierUp};
use super::program::execute::decline_iterations;
use super::{Context, Declined, Engine, Execute, Program, RunError, Samples};
use crate::block::Op;
use crate::engine::KernelMap;

/// Runs heavy parts of a step on several threads, where that is faster.
pub struct Threaded {
    /// The number of threads, including that of the main context; `None`: one more than there are processors.
    limit: Option<usize>,
    when: ThreadUse,
    tier_up: TierUp,
}

/// When threads are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThreadUse {
    /// If measurements show that it is faster.
    Pays,
    /// Wherever possible, however light the parts.
    Possible,
}

impl Threaded {
    /// Returns the engine with one thread more than there are processors.
    pub fn new() -> Threaded {
        Threaded { limit: None, when: ThreadUse::Pays, tier_up: TierUp::default() }
    }

    /// Returns the engine with this number of threads, at least one.
    pub fn limited(threads: usize) -> Threaded {
        Threaded { limit: Some(threads), ..Threaded::new() }
    }

    /// Returns the engine with this number of threads, and without measurements: every possible part is sent to a
    /// worker.
    pub fn handing_out_all(threads: usize) -> Threaded {
        Threaded { limit: Some(threads), when: ThreadUse::Possible, ..Threaded::new() }
    }

    /// Sets when steps that run on one thread change over to machine code.
    pub fn with(self, tier_up: TierUp) -> Threaded {
        Threaded { tier_up, ..self }
    }

    /// Returns the maximum number of threads of a run, including that of the main context.
    pub fn threads(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        self.limit.unwrap_or_else(|| processors() + 1).max(1)
    }
}

impl Default for Threaded {
    fn default() -> Threaded {
        Threaded::new()
    }
}

impl Engine for Threaded {
    fn name(&self) -> &'static str {
        "threaded"
    }

    fn doc(&self) -> &'static str {
        "Runs heavy parts of a step on several threads, where that is faster"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        decline_iterations(program, self.name())?;
        let in_place = Compiled(self.tier_up).prepare(program)?;
        let forked = self.is_worth_it(program).then(|| Forked::new(program, self.threads(), self.when));
        Ok(Box::new(ThreadedRun { in_place, forked, pace: ModeTimes::new(self.when), is_named: true, untried: 0.0 }))
    }
}

impl Threaded {
    /// Returns the run in place, which begins to use threads later if the program is heavy and measurements show that it
    /// is faster so.
    pub(super) fn later(&self, program: &Arc<Program>, in_place: Box<dyn Execute>) -> Box<dyn Execute> {
        if decline_iterations(program, self.name()).is_err() || !self.is_worth_it(program) {
            return in_place;
        }
        let forked = Some(Forked::new(program, self.threads(), self.when));
        let pace = ModeTimes::new(self.when);
        let untried = if self.when == ThreadUse::Pays { SHORT_RUN } else { 0.0 };
        Box::new(ThreadedRun { in_place, forked, pace, is_named: false, untried })
    }

    fn is_worth_it(&self, program: &Program) -> bool {
        self.threads() > 1 && (self.when == ThreadUse::Possible || work(program) >= LEAST_WORK)
    }
}

/// Seconds: a shorter run gains less than it costs to cut its steps into parts.
const SHORT_RUN: f64 = 0.3;

/// Nanoseconds per step, estimated; a lighter step is complete before another thread could start.
const LEAST_WORK: f64 = 15_000.0;

/// Estimates the time that the interpreter takes for a step, in nanoseconds.
fn work(program: &Program) -> f64 {
    if program.subsystems.values().any(|subsystem| subsystem.is_iterated) {
        return f64::INFINITY;
    }
    let cost = |op: &Op| match op {
        Op::Unary(op, _) => op.row().cost.interpreted,
        Op::Binary(op, ..) => op.row().cost.interpreted,
        Op::Random { .. } => 4.0,
        Op::Const(_) | Op::Param(_) | Op::Input(_) | Op::State(_) | Op::Clock(_) | Op::Slice { .. } => 0.0,
        _ => 0.4,
    };
    let of_kernel = |kernel: &Arc<crate::block::Kernel>| -> f64 {
        kernel.run.iter().map(|&reg| cost(&kernel.ops[reg as usize]) * (3.0 + kernel.width(reg) as f64)).sum()
    };
    let costs: KernelMap<f64> = program.kernels.values().map(of_kernel).collect();
    program.units.values().map(|unit| costs[unit.kernel]).sum()
}

struct ThreadedRun {
    in_place: Box<dyn Execute>,
    forked: Option<Forked>,
    pace: ModeTimes,
    /// The user chose threads, and reads their name.
    is_named: bool,
    /// Seconds in place before threads are tried: whole calls, which callers keep short.
    untried: f64,
}

impl Execute for ThreadedRun {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        let end = context.step.saturating_add(count);
        samples.go_on();
        while context.step < end && samples.end().is_none() && !samples.is_cancelled() {
            let left = end - context.step;
            let Some(forked) = self.forked.as_mut().filter(|forked| forked.can_divide()) else {
                return self.in_place.run(context, left, samples);
            };
            if self.untried > 0.0 {
                let start = Instant::now();
                self.in_place.run(context, left, samples)?;
                self.untried -= start.elapsed().as_secs_f64();
                continue;
            }
            let (way, steps) = self.pace.next(left);
            let (start, first) = (Instant::now(), context.step);
            match way {
                StepMode::InPlace => self.in_place.run(context, steps, samples)?,
                StepMode::Forked => forked.run(context, steps, samples)?,
            }
            self.pace.note(way, (context.step - first).max(1), start.elapsed().as_secs_f64());
        }
        Ok(())
    }

    fn engine(&self) -> &'static str {
        match self.is_named || self.pace.better() == StepMode::Forked {
            true => "threaded",
            false => self.in_place.engine(),
        }
    }

    fn runs_machine_code(&self) -> bool {
        self.in_place.runs_machine_code()
    }

    fn reason(&self) -> Option<&str> {
        self.forked.is_none().then_some("in place, since no part of the model is heavy enough for a thread of its own")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepMode {
    InPlace,
    Forked,
}

/// Measures which of the two modes is faster.
struct ModeTimes {
    when: ThreadUse,
    /// Seconds per step, in the order of [`StepMode`].
    costs: [Option<f64>; 2],
    /// Seconds since the slower mode was tried, and the number of seconds before it is tried again.
    since: f64,
    patience: f64,
}

/// Seconds.
const FIRST_PATIENCE: f64 = 0.02;
const MAX_PATIENCE: f64 = 4.0;
/// The fraction of the time that trials may take.
const TRIALS: f64 = 0.03;
/// The minimum number of steps of a trial: in place, one step of each call is of another kind.
const SHORTEST_TRIAL: u64 = 6;

impl ModeTimes {
    fn new(when: ThreadUse) -> ModeTimes {
        ModeTimes { when, costs: [None; 2], since: 0.0, patience: FIRST_PATIENCE }
    }

    fn better(&self) -> StepMode {
        match self.costs {
            // Threads must gain enough to justify the processors that they take from others.
            [Some(in_place), Some(forked)] if forked < 0.9 * in_place => StepMode::Forked,
            _ => StepMode::InPlace,
        }
    }

    /// Returns the mode of the next steps and their number, at most `left`.
    fn next(&self, left: u64) -> (StepMode, u64) {
        if self.when == ThreadUse::Possible {
            return (StepMode::Forked, left);
        }
        for (way, cost) in [StepMode::InPlace, StepMode::Forked].into_iter().zip(self.costs) {
            if cost.is_none() {
                return (way, left.min(SHORTEST_TRIAL));
            }
        }
        let better = self.better();
        let is_trial = self.since >= self.patience;
        let (way, seconds) = match (is_trial, better) {
            (false, better) => (better, self.patience - self.since),
            (true, StepMode::InPlace) => (StepMode::Forked, self.patience * TRIALS),
            (true, StepMode::Forked) => (StepMode::InPlace, self.patience * TRIALS),
        };
        // The conversion saturates.
        let steps = (seconds / self.costs[way as usize].unwrap_or(1.0).max(1e-9)) as u64;
        (way, left.min(steps.max(SHORTEST_TRIAL)))
    }

    fn note(&mut self, way: StepMode, steps: u64, seconds: f64) {
        let before = self.better();
        let is_trial = way != before || self.costs[way as usize].is_none();
        // A measurement of few steps is inaccurate.
        if steps >= SHORTEST_TRIAL || self.costs[way as usize].is_none() {
            self.costs[way as usize] = Some(seconds / steps as f64);
        }
        if self.better() != before {
            (self.since, self.patience) = (0.0, FIRST_PATIENCE.max(seconds / TRIALS));
        } else if is_trial {
            self.since = 0.0;
            self.patience = (2.0 * self.patience).max(seconds / TRIALS).min(MAX_PATIENCE.max(seconds / TRIALS));
        } else {
            self.since += seconds;
        }
    }
}

#[cfg(test)]
mod tests;

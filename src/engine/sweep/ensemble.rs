//! Several runs of a program as one run of a larger program: each unit stands there once for each run, side by side, so
//! that engines execute the same operation of all runs with the same instruction.
//!
//! The units of one run are not connected with those of another, and every operation has the same operands in the same
//! order as in a run of its own; so each run has the same bits as if it ran alone.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::{Context, EntityRef, Output, OutputId, Program, Unit, UnitId};
use crate::block::{Binary, Kernel, Op, StateKind};
use crate::engine::program::schedule::Schedule;

/// The number of runs in an ensemble: enough that engines treat equal units as rows.
pub const RUNS: usize = 8;
/// Larger programs do not stay in the processor's caches if there are several of them.
const MAX_VALUES: usize = 1 << 13;
/// The least part of the units that must be scalar, in quarters.
const SCALAR: usize = 3;

/// A program that executes [`RUNS`] runs of another one.
pub struct Ensemble {
    pub program: Arc<Program>,
}

impl Ensemble {
    /// Makes the program for several runs at once. Returns `None` if that would not pay, or if the runs would depend on
    /// each other: because a solver chooses its steps, steps differ in the blocks that they execute, or blocks call
    /// foreign code or write files.
    pub fn new(single: &Program) -> Option<Ensemble> {
        let kernels = || single.units.values().map(|unit| single.kernel(unit));
        let is_scalar = |kernel: &Kernel| {
            kernel.widths.iter().all(|width| *width == 1) && kernel.states.iter().all(|state| state.width == 1)
        };
        let is_fit = single.has_fixed_length()
            && single.loops.is_empty()
            && single.written_files.is_empty()
            && !single.has_integrator()
            && single.value_count <= MAX_VALUES
            && !kernels().any(Kernel::has_calls)
            && kernels().filter(|kernel| is_scalar(kernel)).count() * 4 >= single.units.len() * SCALAR
            && kernels().filter(|kernel| is_gate(kernel)).count() * 2 <= single.units.len()
            && !has_rows(single);
        is_fit.then(|| Ensemble { program: Arc::new(repeated(single)) })
    }

    /// The output of the ensemble's program that corresponds to an output of one of the runs.
    pub fn output(&self, single: &Program, output: OutputId, run: usize) -> OutputId {
        output_of(single, output, &self.program, run)
    }

    /// Combines the contexts of runs of `single`.
    pub fn context(&self, single: &Program, contexts: &[Context; RUNS]) -> Context {
        let Program { value_count, discrete_count, continuous_count, history_count, .. } = *self.program;
        let mut all = Context {
            step: contexts[0].step,
            executed: 0,
            values: vec![0.0; value_count],
            discrete: vec![0.0; discrete_count],
            continuous: vec![0.0; continuous_count],
            history: vec![0.0; history_count],
            records: Vec::new(),
            params: vec![0.0; self.program.params.len()],
            solver: Vec::new(),
        };
        for (unit, of_runs) in single.units.values().zip(self.program.units.as_values_slice().chunks(RUNS)) {
            for (of_run, context) in of_runs.iter().zip(contexts) {
                self.copy(single, unit, context, of_run, &mut all);
            }
        }
        all
    }

    /// Copies parameters, states and outputs of a unit to those of the unit that stands for it.
    fn copy(&self, single: &Program, from: &Unit, context: &Context, to: &Unit, all: &mut Context) {
        let kernel = single.kernel(from);
        let copy = |to: &mut [f64], at: u32, from: &[f64], offset: u32, count: usize| {
            to[at as usize..][..count].copy_from_slice(&from[offset as usize..][..count]);
        };
        let params = kernel.params.iter().map(|(_, width)| *width).sum();
        copy(&mut all.params, to.first_param, &context.params, from.first_param, params);
        for (from, to) in single.states_of(from).iter().zip(self.program.states_of(to)) {
            let (states, of) = match from.kind {
                StateKind::Discrete => (&mut all.discrete, &context.discrete),
                StateKind::Continuous => (&mut all.continuous, &context.continuous),
                StateKind::History { .. } => (&mut all.history, &context.history),
                // No ensemble runs with a solver that records.
                StateKind::Record => continue,
            };
            copy(states, to.offset, of, from.offset, from.size());
        }
        for (from, to) in single.outputs_of(from).zip(self.program.outputs_of(to)) {
            let Output { offset, width, .. } = single.outputs[from];
            copy(&mut all.values, self.program.outputs[to].offset, &context.values, offset, width as usize);
        }
    }
}

/// Whether a unit combines truths. A single run has its truths in integer registers, of which there are enough; those of
/// several runs would be vectors in memory.
fn is_gate(kernel: &Kernel) -> bool {
    kernel.ops.iter().any(|op| matches!(op, Op::Binary(Binary::And | Binary::Or | Binary::Xor, ..)))
}

/// Whether half of the units execute in rows even without other runs: several of these gain little, and take more cache.
fn has_rows(single: &Program) -> bool {
    let schedule = Schedule::new(single);
    let key = |unit: &UnitId| (schedule.levels[*unit], single.units[*unit].kernel);
    let mut counts: HashMap<_, usize> = HashMap::new();
    schedule.order.iter().for_each(|unit| *counts.entry(key(unit)).or_default() += 1);
    let in_rows: usize = counts.values().filter(|count| **count >= RUNS).sum();
    in_rows * 2 > schedule.order.len()
}

/// Returns the program with each unit [`RUNS`] times. It has no loops, subsystems and files to write.
fn repeated(single: &Program) -> Program {
    let methods = (single.solver, single.tolerances);
    let mut program = Program {
        steps: single.steps,
        delta: single.delta,
        max_executions: single.max_executions.saturating_mul(RUNS as u64),
        refuses_non_finite: single.refuses_non_finite,
        rates: single.rates.repeated(RUNS),
        held: single.held.values().flat_map(|is_held| [*is_held; RUNS]).collect(),
        ..Program::empty(methods, single.kernels.clone(), Arc::clone(&single.symbols))
    };
    for unit in single.units.values() {
        let params = single.kernel(unit).params.iter().map(|(_, width)| *width).sum();
        for _ in 0..RUNS {
            program.add_unit(*unit);
            program.params.extend_from_slice(&single.params[unit.first_param as usize..][..params]);
        }
    }
    let of_run = |from: Option<OutputId>, run| from.map(|from| output_of(single, from, &program, run));
    let of_runs =
        |unit| (0..RUNS).flat_map(move |run| single.sources_of(unit).iter().map(move |from| of_run(*from, run)));
    program.sources = single.units.values().flat_map(of_runs).collect();
    program.index_readers();
    program
}

/// The output of the repeated program that corresponds to an output of a run.
fn output_of(single: &Program, output: OutputId, repeated: &Program, run: usize) -> OutputId {
    let unit = single.outputs[output].unit;
    let number = output - single.units[unit].first_output;
    repeated.units[UnitId::new(unit.index() * RUNS + run)].first_output + number
}

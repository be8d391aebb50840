//! Loop fission: values that depend on no state are precomputed for a batch of steps, so that scalars become loops over
//! the steps of the batch.
//!
//! A delay of such a signal is the same row of values read one element earlier, so a chain of delays costs nothing but
//! a few elements in front of the row, which keep the last values of the previous batch. Small [`recurrence`]s whose
//! inputs are precomputed are themselves executed for the whole batch, each in a loop with its states in registers, so
//! that what depends on them alone can be precomputed, too.
//!
//! [`finder`] finds what can be precomputed, [`split`] makes the parts of the [`plan`], with the instructions of
//! [`widener`].

mod finder;
pub(in crate::engine::native) mod plan;
mod recurrence;
mod split;
mod widener;

use std::collections::HashSet;

use super::body::{Bodies, Body, bodies, is_scalar};
use super::double_buffer::{DoubleBuffer, double_buffer};
use super::pace;
use crate::engine::step_code::guards::{Start, guarded};
use crate::engine::step_code::schedule::fusion::{FusionSchedule, live};
use crate::engine::step_code::schedule::gathers::part;
use crate::engine::step_code::{CellRange, Instruction, Opcode, StepCode};
use finder::Finder;
use split::StepPlan;

/// A batch with fewer arithmetic operations than this does not pay.
const WORTH: usize = 6;
/// Steps that would be split into more parts than this are not split.
const MAX_PARTS: usize = 128;

/// When to split a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Fission {
    /// Where the estimates say that it is faster.
    WhereFaster,
    /// Wherever it leaves the bits of the step as they are.
    WherePossible,
}

/// A step split in two: the part that is precomputed for a batch of steps, if that pays, and the rest of each step.
pub(in crate::engine::native) struct LoopFission {
    /// The bodies of the branches, by number.
    pub bodies: Vec<Option<Body>>,
    /// The precomputed parts, in order.
    pub precompute: Vec<Part>,
    pub step: StepCode,
    pub schedule: FusionSchedule,
    pub delays: Delays,
    pub double_buffer: DoubleBuffer,
    /// Whether this is the step of a program, rather than another instruction list.
    pub is_step: bool,
    /// Whether cells must have the values of the step before, also those of results.
    pub needs_step_before: bool,
}

/// A part of the precomputation.
pub(in crate::engine::native) struct Part {
    pub code: StepCode,
    pub schedule: FusionSchedule,
    /// For a part that is executed step by step, the cells that it leaves in rows, each with its row.
    pub results: Option<Vec<(u32, u32)>>,
}

/// States that only delay precomputed values.
#[derive(Default)]
pub(in crate::engine::native) struct Delays {
    /// A state's cell, and the cell in front of a row that has its value at the start of a batch.
    pub states: Vec<(u32, u32)>,
    /// Rows with cells in front: the first cell of the row, and their number.
    pub rows: Vec<CellRange>,
}

impl LoopFission {
    /// Splits the step code for the watched outputs, given by their first cells and widths.
    pub fn new(code: &StepCode, watched: &[CellRange], fission: Fission) -> LoopFission {
        let guarded = guarded(code, watched, Start::Step);
        let code = guarded.as_ref().map_or(code, |guarded| &guarded.code);
        let mut split = LoopFission::split_or_whole(code, watched, fission);
        split.needs_step_before = guarded.as_ref().is_some_and(|guarded| guarded.needs_step_before);
        // Values of the step before are where they were only if no states change places.
        if !split.needs_step_before {
            split.double_buffer(watched);
        }
        split
    }

    fn double_buffer(&mut self, watched: &[CellRange]) {
        let elsewhere = || {
            let mut cells: HashSet<u32> = self.delays.states.iter().map(|(cell, _)| *cell).collect();
            for Part { code, .. } in &self.precompute {
                for ins in &code.step {
                    code.each_read(ins, |cell, _| cells.extend([cell]));
                    cells.extend(code.writes(ins));
                }
            }
            cells
        };
        self.double_buffer = double_buffer(&mut self.step, &mut self.schedule, watched, elsewhere);
    }

    fn split_or_whole(code: &StepCode, watched: &[CellRange], fission: Fission) -> LoopFission {
        let is_live = live(code, watched, &[]);
        if let Some(split) = LoopFission::with_recurrences(code, &is_live, watched, fission) {
            return split;
        }
        let finder = Finder::new(code, &is_live, watched);
        let arithmetic =
            (0..code.step.len()).filter(|&at| finder.is_precomputed[at] && !is_clock(code.step[at].opcode));
        let work: usize = arithmetic.map(|at| code.step[at].elements as usize).sum();
        let is_slower =
            fission == Fission::WhereFaster && (work < WORTH || pace::hides(code, &is_live, &finder.is_precomputed));
        if work == 0 || is_slower {
            let Bodies { list: bodies, cells } = bodies(code, watched, code.cells);
            let mut step = part(code, code.step.clone(), code.sampled, cells);
            step.reports.clone_from(&code.reports);
            let schedule = FusionSchedule::new(&step, watched, &is_scalar(&bodies));
            return LoopFission {
                bodies,
                precompute: Vec::new(),
                step,
                schedule,
                delays: Delays::default(),
                double_buffer: DoubleBuffer::default(),
                is_step: true,
                needs_step_before: false,
            };
        }
        StepPlan::new(&finder, watched).finish(&finder, watched)
    }

    /// Splits the step code with recurrences if there are some and, unless any split is wanted, that is faster.
    fn with_recurrences(
        code: &StepCode,
        is_live: &[bool],
        watched: &[CellRange],
        fission: Fission,
    ) -> Option<LoopFission> {
        // After a step that fails or reports, the states must be those of that step.
        let is_sure = code.reports.is_none()
            && code.step.iter().zip(is_live).all(|(ins, is_live)| !is_live || !ins.opcode.can_fail());
        if !is_sure {
            return None;
        }
        let finder = Finder::with_recurrences(code, is_live, watched);
        finder.precomputed_recurrences().next()?;
        let plan = StepPlan::new(&finder, watched);
        let whole: Vec<Instruction> =
            code.step.iter().zip(is_live).filter(|(_, is_live)| **is_live).map(|(ins, _)| *ins).collect();
        let is_worth = plan.precompute.len() <= MAX_PARTS
            && (fission == Fission::WherePossible || pace::is_faster(code, &plan.precompute, [&plan.step, &whole]));
        is_worth.then(|| plan.finish(&finder, watched))
    }

    /// Another instruction list on the step code's cells, without branches and without fission. It leaves in memory what the
    /// next run of it reads and the `kept` cells.
    pub fn whole(code: &StepCode, list: &[Instruction], watched: &[CellRange], kept: &[bool]) -> LoopFission {
        let step = part(code, list.to_vec(), list.len(), code.cells);
        let schedule = FusionSchedule::of_list(&step, watched, kept);
        let bodies = code.branches.iter().map(|_| None).collect();
        LoopFission {
            bodies,
            precompute: Vec::new(),
            step,
            schedule,
            delays: Delays::default(),
            double_buffer: DoubleBuffer::default(),
            is_step: false,
            needs_step_before: false,
        }
    }

    /// Cells of all parts.
    pub fn cells(&self) -> usize {
        self.step.cells
    }

    /// The precomputed parts, then the step.
    pub fn parts(&self) -> impl Iterator<Item = (&StepCode, &FusionSchedule)> {
        let precompute = self.precompute.iter().map(|part| (&part.code, &part.schedule));
        precompute.chain([(&self.step, &self.schedule)])
    }
}

fn is_clock(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Step | Opcode::StepTime | Opcode::StageTime(_) | Opcode::Copy)
}

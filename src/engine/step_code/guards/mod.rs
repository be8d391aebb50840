//! Moves computations whose results change only at sample hits into branches that run at these hits, and joins branches
//! that have the same guard.
//!
//! A block with a sample time holds its output: `now = hit ? value : before`, where `before` is a state that takes over
//! `now` at the end of the step. Between two hits `now` has the bits of the step before, and so has everything that is
//! computed from `now` and from constants alone: its cells have them already. Such instructions move into branches
//! guarded by the hit, together with those whose results are not read outside the branch. The first step of a call is
//! interpreted, so that all cells have values.
//!
//! Subsystems that are enabled by the same value run together, each with the updates of its states and with the
//! instructions whose results only it reads. Values that change in a step are then computed and stored only once.

mod divide;
mod finder;
mod scheduler;
mod values;

use std::sync::Arc;

use crate::engine::step_code::schedule::fusion::early;
use crate::engine::step_code::{Branch, CellRange, Instruction, Opcode, StepCode};
use divide::divided;
use finder::{GuardFinder, phases};
use scheduler::BranchScheduler;
use values::is_uniform;

/// Steps that read and write more cells than this are left as they are.
const MAX_ACCESSES: usize = 1 << 20;
/// Limit on the number of examined cells.
pub(in crate::engine) const MAX_WORK: usize = 1 << 26;
/// Limit on attempts to find branches that are all large enough.
const MAX_ROUNDS: usize = 8;
/// The branches of a step at most.
const MAX_BRANCHES: usize = 200;

/// What the cells have before the first step that is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Start {
    /// The values of a step: one was interpreted before.
    Step,
    /// Nothing but the states.
    Reset,
}

/// Step code with such branches.
pub(in crate::engine) struct Guarded {
    pub code: StepCode,
    /// Whether cells must have the values of the step before.
    pub needs_step_before: bool,
}

/// Returns the step code with such branches, for the watched outputs; `None` if there are none.
pub(in crate::engine) fn guarded(code: &StepCode, watched: &[CellRange], start: Start) -> Option<Guarded> {
    let has_branches = code.step.iter().any(|ins| matches!(ins.opcode, Opcode::Branch(_)));
    // A solver that evaluates the rates on demand reads cells that are not listed in the step.
    if !has_hits(code) && !has_branches || code.driven.is_some() {
        return None;
    }
    let accesses =
        |ins: &Instruction| ins.reads().map(|(_, count)| count as usize).sum::<usize>() + ins.written() as usize;
    if code.step.iter().map(accesses).sum::<usize>() > MAX_ACCESSES {
        return None;
    }
    let divided = if has_hits(code) { divided(code, watched, start) } else { None };
    let code = divided.as_ref().unwrap_or(code);
    let finder = GuardFinder::new(code, watched, start);
    let is_early = early(code, &[]);
    let mut is_always = vec![false; code.step.len()];
    let (mut step, sampled, branches) = (0..MAX_ROUNDS).find_map(|_| {
        let guards = finder.guards(&is_always);
        let (major, rest) = phases(code, watched, &finder.is_live, &guards);
        let branches = code.branches.to_vec();
        let mut schedule = BranchScheduler { code, guards: &guards, is_early: &is_early, branches, small: Vec::new() };
        let mut step = schedule.list(&major);
        let sampled = step.len();
        step.extend(schedule.list(&rest));
        // Instructions outside of branches read valid values in every step: the guards are found again without the
        // small ones.
        schedule.small.iter().for_each(|at| is_always[*at] = true);
        schedule.small.is_empty().then_some((step, sampled, schedule.branches))
    })?;
    let is_changed = !finder.branches.is_empty() || branches.len() > code.branches.len();
    if !is_changed
        || branches.len() > code.branches.len() + MAX_BRANCHES
        || branches.len().saturating_mul(code.cells + code.tables.len()) > MAX_WORK
    {
        return None;
    }
    narrow(code, watched, &branches, is_early, &mut step);
    let needs_step_before = has_hits(code);
    Some(Guarded { code: with_step(code, step, sampled, Arc::new(branches)), needs_step_before })
}

fn has_hits(code: &StepCode) -> bool {
    code.step.iter().any(|ins| matches!(ins.opcode, Opcode::Hit(_)))
}

/// Returns the step code with another step.
fn with_step(code: &StepCode, step: Vec<Instruction>, sampled: usize, branches: Arc<Vec<Branch>>) -> StepCode {
    StepCode {
        cells: code.cells,
        delta: code.delta,
        executed: code.executed,
        step,
        sampled,
        branches,
        tables: code.tables.clone(),
        discrete: code.discrete.clone(),
        continuous: code.continuous.clone(),
        lasting: code.lasting.clone(),
        reports: code.reports.clone(),
        ..StepCode::default()
    }
}

/// Shortens results of which all elements are equal to those that are read: of the guards of joined branches only the
/// first is.
fn narrow(code: &StepCode, watched: &[CellRange], branches: &[Branch], is_early: Vec<bool>, step: &mut [Instruction]) {
    let mut is_read = is_early;
    let read = branches.iter().flat_map(|branch| &branch.reads).chain(watched);
    read.for_each(|range| is_read[range.indices()].fill(true));
    for ins in step.iter().filter(|ins| !matches!(ins.opcode, Opcode::Branch(_))) {
        code.each_read(ins, |cell, _| is_read[cell as usize] = true);
    }
    for ins in step.iter_mut().filter(|ins| is_uniform(ins)) {
        let cells = &is_read[ins.dst as usize..(ins.dst + ins.elements) as usize];
        ins.elements = cells.iter().rposition(|is_read| *is_read).map_or(1, |last| last as u32 + 1);
    }
}

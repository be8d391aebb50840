//! Finds the instructions that are needed only where a guard is 1.

use std::collections::HashMap;

use super::values::{Change, ValueNumbering, changes, writers};
use super::{Start, has_hits};
use crate::engine::step_code::schedule::cell_lists::CellLists;
use crate::engine::step_code::schedule::fusion::{early, live};
use crate::engine::step_code::{Branch, CellRange, Opcode, StepCode};

/// Finds for each instruction the guard, a cell, where it is needed only in the steps in which that is 1.
pub(super) struct GuardFinder<'a> {
    code: &'a StepCode,
    pub is_live: Vec<bool>,
    /// For each instruction the hit at which its results change, if there is one.
    changes: Vec<Option<u32>>,
    /// For each cell the instructions that read it.
    readers: CellLists,
    /// Whether an instruction can be executed in some steps alone.
    can_wait: Vec<bool>,
    /// Cells that are read outside the step, and guards.
    is_kept: Vec<bool>,
    /// For each branch that can be joined with others, by its place in the step, the cell of the guard that all of them
    /// have.
    pub branches: HashMap<usize, u32>,
}

impl<'a> GuardFinder<'a> {
    pub fn new(code: &'a StepCode, watched: &[CellRange], start: Start) -> GuardFinder<'a> {
        let mut is_live = live(code, watched, &[]);
        let values = &ValueNumbering::new(code, &is_live);
        if has_hits(code) && start == Start::Step {
            values.leave_idle_copies_out(code, &mut is_live);
        }
        let changes = changes(code, &is_live, values);
        let writers = writers(code, &is_live);
        let live = || (0..code.step.len()).filter(|at| is_live[*at]);
        let is_own = |at: usize| code.writes(&code.step[at]).all(|cell| writers.of(cell) == [at as u32]);
        let can_wait = |at: usize| is_live[at] && code.step[at].opcode.is_pure() && is_own(at);
        let change_of =
            |results: &Vec<u32>| match results.iter().map(|value| changes[*value as usize]).reduce(Change::and) {
                Some(Change::AtHit(hit)) => Some(hit),
                _ => None,
            };
        let mut is_kept = early(code, &[]);
        let lasting = code.lasting.0.iter().map(|piece| CellRange::new(piece.cell, piece.count));
        for CellRange { first, count } in watched.iter().copied().chain(lasting) {
            is_kept[first as usize..(first + count) as usize].fill(true);
        }
        let branches = branch_guards(code, values, &writers);
        branches.values().for_each(|guard| is_kept[*guard as usize] = true);
        // The alternative of a subsystem reads these cells just when the subsystem does not run.
        for ins in code.branches.iter().flat_map(|branch| &branch.otherwise) {
            code.each_read(ins, |cell, _| is_kept[cell as usize] = true);
        }
        GuardFinder {
            code,
            changes: values.results.iter().map(change_of).collect(),
            readers: CellLists::new(code.cells, |add| {
                live().for_each(|at| code.each_read(&code.step[at], |cell, _| add(cell, at as u32)));
            }),
            can_wait: (0..code.step.len()).map(can_wait).collect(),
            is_kept,
            branches,
            is_live,
        }
    }

    /// Returns for each instruction the cell of its guard; `None` for those that run in every step. Those that are
    /// marked do so in any case.
    pub fn guards(&self, is_always: &[bool]) -> Vec<Option<u32>> {
        let can_wait = |at: usize| self.can_wait[at] && !is_always[at];
        let mut guards: Vec<Option<u32>> =
            self.changes.iter().enumerate().map(|(at, change)| change.filter(|_| can_wait(at))).collect();
        self.branches.iter().for_each(|(at, guard)| guards[*at] = Some(*guard));
        // Instructions whose results are read only under a guard.
        for at in (0..guards.len()).rev().filter(|at| can_wait(*at)) {
            if guards[at].is_none() {
                guards[at] = self.guard_of_readers(at, &guards);
            }
        }
        guards
    }

    /// The guard of all instructions that read the results of one, if they are later in the step.
    fn guard_of_readers(&self, at: usize, guards: &[Option<u32>]) -> Option<u32> {
        let written = || self.code.writes(&self.code.step[at]);
        let mut read_by = written().flat_map(|cell| self.readers.of(cell));
        let guard = guards[*read_by.next()? as usize]?;
        let is_there = |reader: &u32| *reader as usize > at && guards[*reader as usize] == Some(guard);
        let are_all = written().flat_map(|cell| self.readers.of(cell)).all(is_there);
        (are_all && !written().any(|cell| self.is_kept[cell as usize])).then_some(guard)
    }
}

/// The branches of the step that can be joined with others that have the same guard, each with the cell of the guard of
/// the first of these.
fn branch_guards(code: &StepCode, values: &ValueNumbering, writers: &CellLists) -> HashMap<usize, u32> {
    // The interpreter counts the runs of iterated subsystems one by one.
    if code.branches.iter().any(|branch| branch.repeat.is_some() || !branch.again.is_empty()) {
        return HashMap::new();
    }
    let is_joinable = |branch: &Branch| {
        let mut list = branch.body.iter().chain(&branch.otherwise);
        list.all(|ins| ins.opcode.is_pure()) && writers.of(branch.guard).len() <= 1
    };
    let mut first = HashMap::new();
    let mut guards = HashMap::new();
    for (at, ins) in code.step.iter().enumerate() {
        if let (Opcode::Branch(number), Some(value)) = (ins.opcode, values.guards.get(&at))
            && let branch = &code.branches[number as usize]
            && is_joinable(branch)
        {
            guards.insert(at, *first.entry(*value).or_insert(branch.guard));
        }
    }
    guards
}

/// Returns the live instructions of the major step and the others. New states that change only at hits belong to the
/// major step, so that one branch computes and stores them, unless that would be seen in between.
pub(super) fn phases(
    code: &StepCode,
    watched: &[CellRange],
    is_live: &[bool],
    guards: &[Option<u32>],
) -> (Vec<usize>, Vec<usize>) {
    let mut is_read = vec![false; code.cells];
    let mut is_written = vec![false; code.cells];
    watched.iter().for_each(|range| is_read[range.indices()].fill(true));
    (0..code.step.len()).filter(|at| is_live[*at]).partition(|&at| {
        if at < code.sampled {
            return true;
        }
        let ins = &code.step[at];
        let mut is_free = guards[at].is_some();
        code.each_read(ins, |cell, _| is_free &= !is_written[cell as usize]);
        is_free &= code.writes(ins).all(|cell| !is_read[cell as usize] && !is_written[cell as usize]);
        if !is_free {
            code.each_read(ins, |cell, _| is_read[cell as usize] = true);
            code.writes(ins).for_each(|cell| is_written[cell as usize] = true);
        }
        is_free
    })
}

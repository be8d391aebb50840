//! Splits a step in two: the precomputation for a batch, and the rest.

use std::collections::HashSet;

use super::finder::Finder;
use super::plan::{Plan, RecurrencePlan, STEPS};
use super::recurrence::loops;
use super::widener::Widener;
use super::{Delays, LoopFission, Part};
use crate::engine::native::passes::body::{Bodies, bodies, is_scalar};
use crate::engine::native::passes::double_buffer::DoubleBuffer;
use crate::engine::step_code::schedule::fusion::FusionSchedule;
use crate::engine::step_code::schedule::gathers::part;
use crate::engine::step_code::{Bindings, CellRange, Instruction, Opcode, Operand};

/// Marks rows that no part reads, and those that several parts read.
const NOBODY: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;

/// The parts of a step.
pub(in crate::engine::native) struct StepPlan {
    pub precompute: Vec<Plan>,
    pub step: Vec<Instruction>,
    pub sampled: usize,
    /// The cells that the step takes from rows, each with its row.
    taken: Vec<(u32, u32)>,
    /// The first cell of each row.
    rows: Vec<u32>,
    cells: usize,
}

/// Returns the first cell of each row behind the cells of the step code, and the resulting number of cells.
fn rows(finder: &Finder) -> (Vec<u32>, usize) {
    let mut next = finder.code.cells as u32;
    let mut offset = |line: &Vec<Option<u32>>| {
        let first = (next + line.len() as u32).next_multiple_of(2);
        next = first + STEPS;
        first
    };
    let rows = finder.lines.iter().map(&mut offset).collect();
    (rows, next as usize)
}

impl StepPlan {
    pub(super) fn new(finder: &Finder, watched: &[CellRange]) -> StepPlan {
        let code = finder.code;
        let (rows, cells) = rows(finder);
        let row_of = |cell: u32| finder.offsets[cell as usize].map(|offset| rows[offset.row as usize] - offset.back);
        let mut widener = Widener::new(finder, &row_of);
        let mut precompute = Vec::new();
        let recurrences: Vec<usize> = finder.precomputed_recurrences().collect();
        let last = recurrences.iter().map(|number| finder.stage(*number)).max();
        for stage in 0..last.map_or(0, |last| last + 1) {
            widener.scalars(|cell| finder.stages[cell as usize] == stage);
            let wanted = || recurrences.iter().copied().filter(|number| finder.stage(*number) == stage);
            let reads = wanted().flat_map(|number| &finder.recurrences.list[number].reads);
            reads.for_each(|cell| widener.need(*cell));
            precompute.push(Plan::Rows(widener.take()));
            for numbers in loops(&finder.recurrences, wanted(), code) {
                precompute.push(Plan::Recurrences(recurrence_plan(finder, &numbers, &row_of)));
            }
            wanted().flat_map(|number| &finder.recurrences.list[number].results).for_each(|cell| widener.mark(*cell));
        }
        widener.scalars(|_| true);
        // A state keeps the delayed value, whether or not it is read.
        finder.lines.iter().flatten().flatten().for_each(|&state| widener.need(state));
        precompute.push(Plan::Rows(widener.take()));
        precompute.retain(|plan| !matches!(plan, Plan::Rows(list) if list.is_empty()));
        let is_needed = finder.needed(watched);
        let taken = (0..code.cells as u32).filter(|cell| is_needed[*cell as usize]);
        let taken: Vec<(u32, u32)> = taken.filter_map(|cell| Some((cell, row_of(cell)?))).collect();
        let rest: Vec<usize> =
            (0..code.step.len()).filter(|&at| finder.is_live[at] && !finder.is_precomputed[at]).collect();
        let sampled = rest.iter().filter(|at| **at < code.sampled).count() + taken.len();
        let step = taken.iter().map(take).chain(rest.into_iter().map(|at| code.step[at])).collect();
        let mut plan = StepPlan { precompute, step, sampled, taken, rows, cells };
        plan.drop_own_results(finder);
        plan
    }

    /// For each cell behind those of the step code its row.
    fn row_numbers(&self, finder: &Finder) -> Vec<u32> {
        let mut numbers = vec![NOBODY; self.cells];
        for ((&row, line), number) in self.rows.iter().zip(&finder.lines).zip(0..) {
            numbers[row as usize - line.len()..(row + STEPS) as usize].fill(number);
        }
        numbers
    }

    /// For each row the number of the part that reads it, if that is one.
    fn readers(&self, finder: &Finder) -> Vec<u32> {
        let numbers = self.row_numbers(finder);
        let mut readers = vec![NOBODY; self.rows.len()];
        let mut read = |cell: u32, part: u32| {
            if numbers[cell as usize] != NOBODY {
                let known = &mut readers[numbers[cell as usize] as usize];
                *known = if *known == NOBODY || *known == part { part } else { SEVERAL };
            }
        };
        for (plan, number) in self.precompute.iter().zip(0..) {
            match plan {
                Plan::Rows(list) => {
                    list.iter().for_each(|ins| finder.code.each_read(ins, |cell, _| read(cell, number)));
                }
                Plan::Recurrences(plan) => plan.list.iter().for_each(|ins| {
                    if let Opcode::Precomputed(row) = ins.opcode {
                        read(row, number);
                    }
                }),
            }
        }
        self.taken.iter().for_each(|&(_, row)| read(row, SEVERAL));
        for (line, reader) in finder.lines.iter().zip(&mut readers) {
            if line.iter().any(Option::is_some) {
                *reader = SEVERAL;
            }
        }
        readers
    }

    /// Leaves out the rows of recurrences that only the same loop reads.
    fn drop_own_results(&mut self, finder: &Finder) {
        let readers = self.readers(finder);
        let numbers = self.row_numbers(finder);
        for plan in &mut self.precompute {
            if let Plan::Recurrences(plan) = plan {
                plan.results.retain(|(_, row)| readers[numbers[*row as usize] as usize] != NOBODY);
            }
        }
    }

    /// Schedules the parts.
    pub(super) fn finish(self, finder: &Finder, watched: &[CellRange]) -> LoopFission {
        let code = finder.code;
        let Bodies { list: bodies, cells } = bodies(code, watched, self.cells);
        let (numbers, readers) = (self.row_numbers(finder), self.readers(finder));
        let delays = delays(finder, &self.rows);
        let mut gone: HashSet<u32> = delays.states.iter().map(|(cell, _)| *cell).collect();
        let mut precompute = Vec::new();
        for (plan, number) in self.precompute.into_iter().zip(0..) {
            precompute.push(match plan {
                Plan::Rows(list) => {
                    let written = list.iter().map(|ins| ins.dst);
                    let is_stored = |row: &u32| {
                        let reader = readers[numbers[*row as usize] as usize];
                        reader != NOBODY && reader != number
                    };
                    let stored: HashSet<u32> = written.filter(is_stored).collect();
                    let mut stored: Vec<CellRange> = stored.into_iter().map(|row| CellRange::new(row, STEPS)).collect();
                    stored.sort_unstable();
                    let count = list.len();
                    let mut made = part(code, list, count, cells);
                    // The states are the steps' own.
                    (made.discrete.0, made.continuous.0) = (Vec::new(), Vec::new());
                    let schedule = FusionSchedule::new(&made, &stored, &|_, _| false);
                    Part { code: made, schedule, results: None }
                }
                Plan::Recurrences(plan) => {
                    let mut made = part(code, plan.list, plan.sampled, cells);
                    (made.discrete.0, made.continuous.0) = (Vec::new(), Vec::new());
                    plan.states.iter().for_each(|state| made.discrete.push(0, *state, 1));
                    gone.extend(plan.states);
                    let results: Vec<CellRange> =
                        plan.results.iter().map(|(cell, _)| CellRange::new(*cell, 1)).collect();
                    let schedule = FusionSchedule::new(&made, &results, &|_, _| false);
                    Part { code: made, schedule, results: Some(plan.results) }
                }
            });
        }
        let mut step = part(code, self.step, self.sampled, cells);
        step.reports.clone_from(&code.reports);
        step.discrete = without(&step.discrete, &gone);
        step.continuous = without(&step.continuous, &gone);
        let schedule = FusionSchedule::new(&step, watched, &is_scalar(&bodies));
        LoopFission {
            bodies,
            precompute,
            step,
            schedule,
            delays,
            double_buffer: DoubleBuffer::default(),
            is_step: true,
            needs_step_before: false,
        }
    }
}

/// Returns the instruction that reads a cell's value from its row.
fn take(&(cell, row): &(u32, u32)) -> Instruction {
    Instruction { opcode: Opcode::Precomputed(row), elements: 1, dst: cell, args: [Operand::Broadcast(0); 3] }
}

/// Returns the instructions of a loop of recurrences.
fn recurrence_plan(finder: &Finder, numbers: &[usize], row_of: &impl Fn(u32) -> Option<u32>) -> RecurrencePlan {
    let code = finder.code;
    let all = || numbers.iter().map(|number| &finder.recurrences.list[*number]);
    let is_own = |cell: u32| finder.recurrences.of(cell).is_some_and(|number| numbers.contains(&number));
    let mut reads: Vec<u32> = all().flat_map(|one| &one.reads).copied().filter(|cell| !is_own(*cell)).collect();
    reads.sort_unstable();
    reads.dedup();
    let mut list: Vec<Instruction> = reads.into_iter().filter_map(|cell| Some(take(&(cell, row_of(cell)?)))).collect();
    let mut members: Vec<_> = all().flat_map(|one| &one.members).copied().collect();
    members.sort_unstable();
    let mut sampled = list.len();
    let mut states = Vec::new();
    for member in members {
        let ins = &code.step[member.at as usize];
        let dst = ins.dst + member.element;
        match (member.at as usize) < code.sampled {
            true => sampled += 1,
            false => states.push(dst),
        }
        list.push(match ins.opcode {
            Opcode::Fold(_) => *ins,
            _ => {
                let args = ins.args.map(|arg| Operand::Broadcast(arg.cell(&code.tables, member.element)));
                Instruction { elements: 1, dst, args: reads_only(ins, args), ..*ins }
            }
        });
    }
    let results = all().flat_map(|one| &one.results).filter_map(|&cell| Some((cell, row_of(cell)?))).collect();
    RecurrencePlan { list, sampled, states, results }
}

/// The operands, with any cell for those that the instruction does not read.
fn reads_only(ins: &Instruction, args: [Operand; 3]) -> [Operand; 3] {
    let count = ins.reads().count();
    let mut only = [Operand::Broadcast(0); 3];
    only[..count].copy_from_slice(&args[..count]);
    only
}

fn delays(finder: &Finder, rows: &[u32]) -> Delays {
    let mut delays = Delays::default();
    for (&row, line) in rows.iter().zip(&finder.lines) {
        let states = line.iter().zip(1..).filter_map(|(state, back)| Some(((*state)?, row - back)));
        delays.states.extend(states);
        if let Some(last) = line.iter().rposition(Option::is_some) {
            delays.rows.push(CellRange::new(row, last as u32 + 1));
        }
    }
    delays
}

/// The moves without those of some cells.
fn without(moves: &Bindings, gone: &HashSet<u32>) -> Bindings {
    let mut kept = Bindings::default();
    for piece in &moves.0 {
        for at in (0..piece.count).filter(|at| !gone.contains(&(piece.cell + at))) {
            kept.push(piece.offset + at, piece.cell + at, 1);
        }
    }
    kept
}

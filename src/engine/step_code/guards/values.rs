//! Follows the values of a step: which are equal, and when each changes.

use std::collections::HashMap;

use crate::block::Binary;
use crate::engine::step_code::schedule::cell_lists::CellLists;
use crate::engine::step_code::{Instruction, Opcode, Operand, StepCode};

/// Whether two instructions that read the same values have the same results.
fn is_same(a: &Instruction, b: &Instruction) -> bool {
    let is_single = |ins: &Instruction| ins.args.map(|arg| matches!(arg, Operand::Broadcast(_)));
    a.opcode.is_pure() && a.opcode == b.opcode && a.elements == b.elements && is_single(a) == is_single(b)
}

/// Whether all elements of the result are equal.
pub(super) fn is_uniform(ins: &Instruction) -> bool {
    ins.opcode.is_elementwise() && ins.reads().all(|(arg, _)| matches!(arg, Operand::Broadcast(_)))
}

/// The values of a step by number: copies have the number of the original. The first are those of the cells at the start
/// of the step.
pub(super) struct ValueNumbering {
    /// For each value the cell of the hit without which it is 0, if there is one.
    hits: Vec<Option<u32>>,
    /// For each instruction the values that it reads, by operand and element.
    reads: Vec<Vec<u32>>,
    /// For each instruction the values of the cells that it writes.
    pub results: Vec<Vec<u32>>,
    /// For each branch in the step the value of its guard.
    pub guards: HashMap<usize, u32>,
    /// The values of the cells at the end of the step.
    last: Vec<u32>,
    /// The instructions that write each cell, those that are executed.
    writers: CellLists,
}

impl ValueNumbering {
    pub fn new(code: &StepCode, is_live: &[bool]) -> ValueNumbering {
        let mut now: Vec<u32> = (0..code.cells as u32).collect();
        let mut values = ValueNumbering {
            hits: vec![None; code.cells],
            reads: vec![Vec::new(); code.step.len()],
            results: vec![Vec::new(); code.step.len()],
            guards: HashMap::new(),
            last: Vec::new(),
            writers: writers(code, is_live),
        };
        // Instructions with equal operands, which compute the same.
        let mut known: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
        for (at, ins) in code.step.iter().enumerate().filter(|(at, _)| is_live[*at]) {
            let mut reads = Vec::new();
            code.each_read(ins, |cell, _| reads.push(now[cell as usize]));
            let written: Vec<u32> = code.writes(ins).collect();
            if let Opcode::Branch(number) = ins.opcode {
                values.guards.insert(at, now[code.branches[number as usize].guard as usize]);
            }
            let like = known.get(&reads).and_then(|list| list.iter().find(|like| is_same(&code.step[**like], ins)));
            let results: Vec<u32> = match like {
                // One cell may be copied to many.
                _ if ins.opcode == Opcode::Copy => {
                    (0..written.len()).map(|index| reads[index.min(reads.len() - 1)]).collect()
                }
                Some(like) => values.results[*like].clone(),
                None => {
                    let first = values.hits.len();
                    let count = if is_uniform(ins) { 1 } else { written.len() };
                    values.hits.resize(first + count, values.hit_of(ins, &reads));
                    known.entry(reads.clone()).or_default().push(at);
                    (0..written.len()).map(|index| (first + index.min(count - 1)) as u32).collect()
                }
            };
            written.iter().zip(&results).for_each(|(cell, value)| now[*cell as usize] = *value);
            (values.reads[at], values.results[at]) = (reads, results);
        }
        values.last = now;
        values
    }

    /// Leaves out copies of a state to cells that have its value already, from the end of the step before.
    pub fn leave_idle_copies_out(&self, code: &StepCode, is_live: &mut [bool]) {
        for (at, ins) in code.step.iter().enumerate().filter(|(_, ins)| ins.opcode == Opcode::Copy) {
            let mut pairs = code.writes(ins).zip(&self.results[at]);
            let is_idle = |(cell, value): (u32, &u32)| {
                let is_first = self.writers.of(cell).first() == Some(&(at as u32));
                is_first && self.last.get(*value as usize).is_some_and(|last| *last == self.last[cell as usize])
            };
            if is_live[at] && pairs.all(is_idle) {
                is_live[at] = false;
            }
        }
    }

    /// The cell of the hit without which the result of an instruction that reads these values is 0.
    fn hit_of(&self, ins: &Instruction, reads: &[u32]) -> Option<u32> {
        match ins.opcode {
            Opcode::Hit(_) => Some(ins.dst),
            Opcode::Binary(Binary::And) if ins.elements == 1 => {
                reads.iter().find_map(|value| self.hits[*value as usize])
            }
            _ => None,
        }
    }
}

/// When a value differs from that of the step before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Never,
    /// Only in the steps in which this cell, a sample hit, is 1.
    AtHit(u32),
    Always,
}

impl Change {
    pub fn and(self, other: Change) -> Change {
        match (self, other) {
            (Change::Never, change) | (change, Change::Never) => change,
            (a, b) if a == b => a,
            _ => Change::Always,
        }
    }
}

/// The instructions that write each cell.
pub(super) fn writers(code: &StepCode, is_live: &[bool]) -> CellLists {
    let all = || (0..).zip(&code.step).filter(|(at, _)| is_live[*at as usize]);
    CellLists::new(code.cells, |add| {
        all().for_each(|(at, ins)| code.writes(ins).for_each(|cell| add(cell, at)));
    })
}

/// Returns the change of each value.
pub(super) fn changes(code: &StepCode, is_live: &[bool], values: &ValueNumbering) -> Vec<Change> {
    let is_written = |cell: u32| !values.writers.of(cell).is_empty();
    let cells = (0..code.cells as u32).map(|cell| if is_written(cell) { Change::Always } else { Change::Never });
    let mut changes: Vec<Change> = cells.collect();
    changes.resize(values.hits.len(), Change::Always);
    for (at, ins) in code.step.iter().enumerate().filter(|(at, ins)| is_live[*at] && ins.opcode != Opcode::Copy) {
        let reads = values.reads[at].iter().map(|value| changes[*value as usize]);
        let change = match ins.opcode.is_pure() {
            true => reads.fold(Change::Never, Change::and),
            false => Change::Always,
        };
        let change = held_at(code, values, at).map_or(change, Change::AtHit);
        values.results[at].iter().for_each(|value| changes[*value as usize] = change);
    }
    changes
}

/// The cell of the hit at which an instruction selects new values, if it selects those of the step before otherwise.
fn held_at(code: &StepCode, values: &ValueNumbering, at: usize) -> Option<u32> {
    let ins = &code.step[at];
    if ins.opcode != Opcode::Select {
        return None;
    }
    let mut rest = &values.reads[at][..];
    let [on, _, no] = ins.args.map(|arg| {
        let count = if let Operand::Broadcast(_) = arg { 1 } else { ins.elements as usize };
        let (own, others) = rest.split_at(count);
        rest = others;
        own
    });
    let hit = values.hits[*on.first()? as usize]?;
    let is_before = |(element, result): (usize, &u32)| {
        let before = no[element.min(no.len() - 1)] as usize;
        values.last.get(before).is_some_and(|last| last == result)
    };
    let is_same_hit = on.iter().all(|value| values.hits[*value as usize] == Some(hit));
    (is_same_hit && values.results[at].iter().enumerate().all(is_before)).then_some(hit)
}

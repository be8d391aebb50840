//! The layout of the code: which instructions are statements, and which share a loop.

use std::collections::BTreeMap;

use super::usage::{Item, Usage};
use crate::engine::{FusedKind, Instruction, Opcode, Operand, StepCode, for_c};

/// Instructions that each compute one element in every turn of a loop.
#[derive(Clone, Debug)]
pub struct Loop {
    pub elements: u32,
    pub list: Vec<Instruction>,
}

/// The loops of the code, and the bodies of its branches.
#[derive(Debug, Default)]
pub struct Layout {
    pub loops: Vec<Loop>,
    /// For each branch its body and its alternative.
    pub bodies: Vec<[Vec<Item>; 2]>,
}

/// How often cells are read by all lists.
pub struct Reads {
    counts: Vec<u32>,
}

impl Reads {
    /// Counts the reads of lists, of those of branches, and of `others`.
    pub fn new<'a>(
        code: &'a StepCode,
        lists: impl Iterator<Item = &'a Instruction>,
        others: impl Iterator<Item = u32>,
    ) -> Reads {
        let mut counts = vec![0; code.cells];
        let bodies = code.branches.iter().flat_map(|branch| branch.body.iter().chain(&branch.otherwise));
        for ins in lists.chain(bodies) {
            own_reads(code, ins, &mut |cell| counts[cell as usize] += 1);
        }
        let guards = code.branches.iter().map(|branch| branch.guard);
        let conditions = code.branches.iter().filter_map(|branch| branch.repeat?.condition);
        others.chain(guards).chain(conditions).for_each(|cell| counts[cell as usize] += 1);
        Reads { counts }
    }

    /// Marks the cells that are read outside of a list, or in it before they are written.
    fn elsewhere(&self, code: &StepCode, list: &[Instruction]) -> Vec<bool> {
        let mut left = self.counts.clone();
        let mut is_written = vec![false; code.cells];
        let mut is_early = vec![false; code.cells];
        for ins in list {
            own_reads(code, ins, &mut |cell| {
                left[cell as usize] -= 1;
                is_early[cell as usize] |= !is_written[cell as usize];
            });
            code.writes(ins).for_each(|cell| is_written[cell as usize] = true);
        }
        left.iter().zip(is_early).map(|(left, is_early)| *left > 0 || is_early).collect()
    }
}

/// Calls `f` with the cells of the operands; those of a branch's lists are counted there.
fn own_reads(code: &StepCode, ins: &Instruction, f: &mut dyn FnMut(u32)) {
    match ins.opcode {
        Opcode::Branch(number) => f(code.branches[number as usize].guard),
        _ => code.each_read(ins, |cell, _| f(cell)),
    }
}

impl Layout {
    /// The layout with the bodies of all branches.
    pub fn new(code: &StepCode, reads: &Reads) -> Layout {
        let mut layout = Layout::default();
        for branch in code.branches.iter() {
            let bodies = [&branch.body, &branch.otherwise].map(|list| layout.list(code, list, reads));
            layout.bodies.push(bodies);
        }
        layout
    }

    /// Lays out a list.
    pub fn list(&mut self, code: &StepCode, list: &[Instruction], reads: &Reads) -> Vec<Item> {
        let mut items = Vec::new();
        for group in for_c::groups(code, list, &reads.elsewhere(code, list)) {
            let members = group.list.iter().map(|at| list[*at as usize]);
            match group.kind {
                FusedKind::Loop(elements) => {
                    items.push(Item::Loop(self.loops.len() as u32));
                    self.loops.push(Loop { elements, list: members.collect() });
                }
                _ => items.extend(members.map(Item::Instruction)),
            }
        }
        items
    }
}

/// The rows whose elements are read in the same turn of their loop only: the first cell, and the number of elements.
pub type Rows = BTreeMap<u32, u32>;

/// Finds the rows that are local to a turn of their loop, among those that `is_signal` marks.
pub fn rows(layout: &Layout, usage: &Usage, is_signal: impl Fn(u32) -> bool) -> Rows {
    let mut rows = Rows::new();
    for Loop { elements, list } in &layout.loops {
        for (at, ins) in list.iter().enumerate().filter(|(_, ins)| ins.opcode.is_elementwise()) {
            let row = Operand::Contiguous(ins.dst);
            let of =
                |later: &Instruction| later.reads().filter(|(operand, n)| *operand == row && n == elements).count();
            let reads: usize = list[at + 1..].iter().map(of).sum();
            let is_local = (ins.dst..ins.dst + elements).all(|cell| {
                let uses = &usage.cells[cell as usize];
                is_signal(cell) && uses.writes == 1 && uses.reads as usize == reads && uses.local().is_some()
            });
            if is_local {
                rows.insert(ins.dst, *elements);
            }
        }
    }
    rows
}

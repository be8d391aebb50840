//! Moves instructions of a loop into the later loop that alone reads their results, which then need no memory.
//!
//! The schedule puts every instruction into the first loop that can hold it. A result that is read only much later
//! would be stored there and loaded again.

use std::collections::BTreeSet;

use super::cell_lists::CellLists;
use super::fusion::{FusedGroup, FusedKind, Target};
use crate::engine::step_code::{Instruction, Opcode, Operand, StepCode};

/// Sinks movable instructions; `is_lasting` marks the cells whose values are needed in memory.
pub(in crate::engine) fn sink(code: &StepCode, groups: &mut [FusedGroup], is_lasting: &[bool], target: Target) {
    let mut sinker = Sinker::new(code, groups, is_lasting, target);
    for at in (0..code.step.len() as u32).rev() {
        if let Some(to) = sinker.target(groups, at) {
            let from = sinker.group_of[at as usize] as usize;
            groups[from].list.retain(|other| *other != at);
            let list = &mut groups[to].list;
            list.insert(list.partition_point(|other| *other < at), at);
            sinker.group_of[at as usize] = to as u32;
        }
    }
}

/// Marks instructions that are in no group.
const NONE: u32 = u32::MAX;

struct Sinker<'a> {
    code: &'a StepCode,
    target: Target,
    is_lasting: &'a [bool],
    /// For each instruction its group.
    group_of: Vec<u32>,
    /// For each cell the instructions that write it, and those that read it.
    writers: CellLists,
    readers: CellLists,
}

impl<'a> Sinker<'a> {
    fn new(code: &'a StepCode, groups: &[FusedGroup], is_lasting: &'a [bool], target: Target) -> Sinker<'a> {
        let mut group_of = vec![NONE; code.step.len()];
        for (group, number) in groups.iter().zip(0..) {
            group.list.iter().for_each(|&at| group_of[at as usize] = number);
        }
        let all = || groups.iter().flat_map(|group| &group.list).map(|&at| (at, &code.step[at as usize]));
        let readers = CellLists::new(code.cells, |add| {
            all().for_each(|(at, ins)| code.each_read(ins, |cell, _| add(cell, at)));
        });
        let writers = CellLists::new(code.cells, |add| {
            all().for_each(|(at, ins)| code.writes(ins).for_each(|cell| add(cell, at)));
        });
        Sinker { code, target, is_lasting, group_of, writers, readers }
    }

    /// The later loop into which an instruction can be moved.
    fn target(&self, groups: &[FusedGroup], at: u32) -> Option<usize> {
        let ins = &self.code.step[at as usize];
        let from = *self.group_of.get(at as usize).filter(|group| **group != NONE)?;
        let kind = groups[from as usize].kind;
        let (FusedKind::Loop(_), false) = (kind, matches!(ins.opcode, Opcode::Fold(_))) else { return None };
        let to = self.only_reader(ins, at)?;
        let is_fit = to > from
            && groups[to as usize].kind == kind
            && groups[to as usize].list.len() < self.target.longest_body(ins.elements);
        (is_fit && self.is_movable(ins, at, [from, to])).then_some(to as usize)
    }

    /// The group of all instructions that read the result, each element by element.
    fn only_reader(&self, ins: &Instruction, at: u32) -> Option<u32> {
        let mut readers: BTreeSet<u32> = BTreeSet::new();
        for cell in ins.dst..ins.dst + ins.elements {
            let is_own = self.writers.of(cell) == [at];
            if !is_own || self.is_lasting[cell as usize] {
                return None;
            }
            readers.extend(self.readers.of(cell));
        }
        let mut to = None;
        for reader in readers {
            let of = &self.code.step[reader as usize];
            let group = self.group_of[reader as usize];
            let mut is_aligned = reader > at && of.elements == ins.elements && to.is_none_or(|to| to == group);
            self.code.each_read(of, |cell, number| {
                if (ins.dst..ins.dst + ins.elements).contains(&cell) {
                    is_aligned &= of.args[number] == Operand::Contiguous(ins.dst);
                }
            });
            if !is_aligned {
                return None;
            }
            to = Some(group);
        }
        to
    }

    /// Whether the operands are the same in the later group, and at most one of them is in a register only here.
    fn is_movable(&self, ins: &Instruction, at: u32, [from, to]: [u32; 2]) -> bool {
        let mut is_same = true;
        let mut registers = BTreeSet::new();
        self.code.each_read(ins, |cell, number| {
            for &writer in self.writers.of(cell) {
                let group = self.group_of[writer as usize];
                if writer < at {
                    if group == from {
                        registers.insert(writer);
                    }
                    continue;
                }
                // Written in place, after this instruction in the same turn of the loop.
                let row = Operand::Contiguous(self.code.step[writer as usize].dst);
                let is_in_place =
                    group == to && ins.args[number] == row && self.code.step[writer as usize].elements == ins.elements;
                is_same &= group > to || is_in_place;
            }
        });
        is_same && registers.len() <= 1
    }
}

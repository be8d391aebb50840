//! Schedules of lists of instructions, and the guards of a step, for exported C.

use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) use super::decided::decide;
use super::fusion::{FusedGroup, FusionScheduler, Target};
use super::segments;
use super::sink::sink;
use crate::engine::step_code::guards::{Start, guarded};
use crate::engine::step_code::{CellRange, Driven, Instruction, Opcode, Operand, StepCode};

/// Replaces rows whose gathered operands follow rules by segments that each follow one.
pub(crate) fn segmented(code: &StepCode, list: Vec<Instruction>) -> Vec<Instruction> {
    let divided = segments::divided(code, &list, Target::C);
    let parts = list.into_iter().zip(divided);
    parts.flat_map(|(ins, parts)| if parts.is_empty() { vec![ins] } else { parts }).collect()
}

/// Groups the instructions of a list into loops and statements, in the order of their execution; the groups have the
/// indices of the instructions. `is_lasting` marks the cells that are read elsewhere.
pub(crate) fn groups(code: &StepCode, list: &[Instruction], is_lasting: &[bool]) -> Vec<FusedGroup> {
    let step = StepCode {
        cells: code.cells,
        step: list.to_vec(),
        sampled: list.len(),
        branches: code.branches.clone(),
        tables: code.tables.clone(),
        ..StepCode::default()
    };
    let mut groups = FusionScheduler::for_c(&step).groups(&vec![true; list.len()], &[], &[]);
    sink(&step, &mut groups, is_lasting, Target::C);
    groups.retain(|group| !group.list.is_empty());
    groups
}

/// Puts what changes only at sample hits into branches, and joins branches with equal guards, if each sample time has a hit
/// in the first step: then all cells have values from it on. `handed_out` are the cells that are read from outside, and
/// `changing` those that others may write between two steps.
pub(crate) fn guard(code: &mut StepCode, handed_out: &[CellRange], changing: &BTreeSet<u32>) {
    let is_late = |ins: &Instruction| matches!(ins.opcode, Opcode::Hit(sample) if sample.offset > 0);
    if code.step.iter().any(is_late) {
        return;
    }
    // What nothing writes in a step counts as constant: inputs are written from outside.
    let touches = changing.iter().map(|&cell| touch(cell));
    code.step.splice(0..0, touches);
    code.sampled += changing.len();
    let driven = code.driven.take();
    let integrated = driven.as_ref().map(|driven| stated(code, driven, handed_out)).unwrap_or_default();
    if let Some(guarded) = guarded(code, handed_out, Start::Reset) {
        let StepCode { step, sampled, branches, .. } = guarded.code;
        (code.step, code.sampled, code.branches) = (step, sampled, branches);
    }
    if let Some(solve) = code.step.iter_mut().find(|ins| matches!(ins.opcode, Opcode::Solve { .. })) {
        solve.opcode = Opcode::Solve { reads: 0 };
    }
    code.driven = driven;
    let is_touch =
        |ins: &Instruction| *ins == touch(ins.dst) && (changing.contains(&ins.dst) || integrated.contains(&ins.dst));
    let before = code.step[..code.sampled].iter().filter(|ins| is_touch(ins)).count();
    code.sampled -= before;
    code.step.retain(|ins| !is_touch(ins));
    let mut branches = code.branches.to_vec();
    for list in branches.iter_mut().flat_map(|branch| [&mut branch.body, &mut branch.otherwise]) {
        list.retain(|ins| !is_touch(ins));
    }
    code.branches = Arc::new(branches);
}

/// Lets the instruction of the solver state what it reads, and adds touches of what it writes; returns these cells.
fn stated(code: &mut StepCode, driven: &Driven, handed_out: &[CellRange]) -> Vec<u32> {
    let states: Vec<u32> = code.continuous.cells().collect();
    let Some(at) = code.step.iter().position(|ins| matches!(ins.opcode, Opcode::Solve { .. })) else { return states };
    let mut read: BTreeSet<u32> = states.iter().copied().collect();
    for ins in &driven.list {
        code.each_read(ins, |cell, _| {
            read.insert(cell);
        });
    }
    read.extend(driven.rates.cells());
    read.extend(handed_out.iter().flat_map(|range| range.cells()));
    for cell in driven.list.iter().flat_map(|ins| code.writes(ins)) {
        read.remove(&cell);
    }
    let reads = read.len() as u32;
    let args = [Operand::Gather(code.tables.len() as u32), Operand::Broadcast(0), Operand::Broadcast(0)];
    code.tables.extend(read);
    code.step[at] = Instruction { opcode: Opcode::Solve { reads }, args, ..code.step[at] };
    code.step.splice(at + 1..at + 1, states.iter().map(|&cell| touch(cell)));
    states
}

/// Stands for a write to a cell from outside; what is written is not known.
fn touch(cell: u32) -> Instruction {
    Instruction { opcode: Opcode::Step, elements: 1, dst: cell, args: [Operand::Broadcast(0); 3] }
}

//! Schedules of lists of instructions, and the guards of a step, for exported C.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::fusion::{FusedGroup, FusionScheduler, Target};
use super::segments;
use super::sink::sink;
use crate::engine::step_code::guards::{Start, guarded};
use crate::engine::step_code::{CellRange, Instruction, Opcode, Operand, StepCode};

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
    if let Some(guarded) = guarded(code, handed_out, Start::Reset) {
        let StepCode { step, sampled, branches, .. } = guarded.code;
        (code.step, code.sampled, code.branches) = (step, sampled, branches);
    }
    let is_touch = |ins: &Instruction| changing.contains(&ins.dst) && *ins == touch(ins.dst);
    let before = code.step[..code.sampled].iter().filter(|ins| is_touch(ins)).count();
    code.sampled -= before;
    code.step.retain(|ins| !is_touch(ins));
    let mut branches = code.branches.to_vec();
    for list in branches.iter_mut().flat_map(|branch| [&mut branch.body, &mut branch.otherwise]) {
        list.retain(|ins| !is_touch(ins));
    }
    code.branches = Arc::new(branches);
}

/// Stands for a write to a cell from outside; what is written is not known.
fn touch(cell: u32) -> Instruction {
    Instruction { opcode: Opcode::Step, elements: 1, dst: cell, args: [Operand::Broadcast(0); 3] }
}

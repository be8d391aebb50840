//! Schedules of lists of instructions for exported C.

use super::fusion::{FusedGroup, FusionScheduler, Target};
use super::segments;
use super::sink::sink;
use crate::engine::step_code::{Instruction, StepCode};

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

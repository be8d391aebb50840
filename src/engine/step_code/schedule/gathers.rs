//! Part of a step, with the operands that can be replaced.

use std::sync::Arc;

use super::fusion::Target;
use super::regular;
use super::segments::divided;
use crate::engine::step_code::{Instruction, StepCode};

/// Copies the step code with another step, in which gathered operands are replaced where possible.
pub(in crate::engine) fn part(code: &StepCode, list: Vec<Instruction>, sampled: usize, cells: usize) -> StepCode {
    let mut step = Vec::with_capacity(list.len());
    let mut end = 0;
    for (at, (ins, divided)) in list.iter().zip(divided(code, &list, Target::Machine)).enumerate() {
        match divided.is_empty() {
            true => regular::add(code, *ins, &mut step),
            false => step.extend(divided),
        }
        if at + 1 == sampled {
            end = step.len();
        }
    }
    let sampled = end;
    StepCode {
        cells,
        delta: code.delta,
        executed: code.executed,
        step,
        sampled,
        branches: Arc::clone(&code.branches),
        tables: code.tables.clone(),
        discrete: code.discrete.clone(),
        continuous: code.continuous.clone(),
        ..StepCode::default()
    }
}

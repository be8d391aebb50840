//! Part of a step, with the operands that can be replaced.

use std::sync::Arc;

use super::regular;
use super::segments::divided;
use crate::engine::step_code::{Instruction, Tape};

/// Copies the tape with another step, in which gathered operands are replaced where possible.
pub(in crate::engine::native) fn part(tape: &Tape, list: Vec<Instruction>, sampled: usize, cells: usize) -> Tape {
    let mut step = Vec::with_capacity(list.len());
    let mut end = 0;
    for (at, (ins, divided)) in list.iter().zip(divided(tape, &list)).enumerate() {
        match divided.is_empty() {
            true => regular::add(tape, *ins, &mut step),
            false => step.extend(divided),
        }
        if at + 1 == sampled {
            end = step.len();
        }
    }
    let sampled = end;
    Tape {
        cells,
        delta: tape.delta,
        executed: tape.executed,
        step,
        sampled,
        branches: Arc::clone(&tape.branches),
        tables: tape.tables.clone(),
        discrete: tape.discrete.clone(),
        continuous: tape.continuous.clone(),
        ..Tape::default()
    }
}

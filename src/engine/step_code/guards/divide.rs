//! Divides rows whose elements are needed at different sample hits: the controllers of a plant often have sample times of
//! their own, and their equal blocks are one row.

use std::sync::Arc;

use super::finder::GuardFinder;
use super::{Start, with_step};
use crate::engine::step_code::{CellRange, Instruction, Operand, StepCode};

/// Longer rows are not divided.
const LONGEST: u32 = 64;
/// Steps that would have more instructions than this are left as they are.
const MAX_ELEMENTS: usize = 1 << 16;

/// Returns the step code with rows divided where their elements are needed in different steps; `None` if there are none.
pub(super) fn divided(code: &StepCode, watched: &[CellRange], start: Start) -> Option<StepCode> {
    let count = |ins: &Instruction| if is_divisible(ins) { ins.elements as usize } else { 1 };
    if code.step.iter().map(count).sum::<usize>() > MAX_ELEMENTS {
        return None;
    }
    let elements = divide(code, |_, ins| if is_divisible(ins) { vec![1; ins.elements as usize] } else { Vec::new() });
    let guards = GuardFinder::new(&elements, watched, start).guards(&vec![false; elements.step.len()]);
    // For each instruction the guards of its elements.
    let mut rest = &guards[..];
    let of_elements: Vec<&[Option<u32>]> = code
        .step
        .iter()
        .map(|ins| {
            let (own, others) = rest.split_at(count(ins));
            rest = others;
            own
        })
        .collect();
    let is_mixed = |guards: &&[Option<u32>]| guards.iter().any(|guard| *guard != guards[0]);
    of_elements.iter().any(is_mixed).then(|| {
        divide(code, |at, _| match is_mixed(&of_elements[at]) {
            // Elements with the same guard are usually not adjacent.
            true => of_elements[at].chunk_by(|a, b| a.is_none() && b.is_none()).map(|part| part.len() as u32).collect(),
            false => Vec::new(),
        })
    })
}

fn is_divisible(ins: &Instruction) -> bool {
    ins.opcode.is_elementwise() && (1..=LONGEST).contains(&ins.elements)
}

/// Divides each row into parts of the given lengths; rows without lengths stay whole.
fn divide(code: &StepCode, parts: impl Fn(usize, &Instruction) -> Vec<u32>) -> StepCode {
    let mut step = Vec::with_capacity(code.step.len());
    let mut sampled = 0;
    for (at, ins) in code.step.iter().enumerate() {
        let parts = parts(at, ins);
        if parts.is_empty() {
            step.push(*ins);
        }
        let mut first = 0;
        for elements in parts {
            let args = std::array::from_fn(|number| match ins.reads().nth(number) {
                Some((arg, _)) => part_of(code, arg, first, elements),
                None => ins.args[number],
            });
            step.push(Instruction { dst: ins.dst + first, elements, args, ..*ins });
            first += elements;
        }
        if at + 1 == code.sampled {
            sampled = step.len();
        }
    }
    with_step(code, step, sampled, Arc::clone(&code.branches))
}

/// The operand of some elements of a row.
fn part_of(code: &StepCode, arg: Operand, first: u32, elements: u32) -> Operand {
    match arg {
        Operand::Broadcast(cell) => Operand::Broadcast(cell),
        _ if elements == 1 => Operand::Broadcast(arg.cell(&code.tables, first)),
        Operand::Contiguous(from) => Operand::Contiguous(from + first),
        Operand::Gather(at) => Operand::Gather(at + first),
    }
}

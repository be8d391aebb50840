//! Gathered operands whose elements follow a rule with exceptions: of all cells of a plate the left neighbour is the
//! cell before, except at the left side. The instruction follows the rule for all elements, and further instructions
//! compute the exceptions again, so that few cells are looked up in tables.

use std::collections::HashMap;

use super::fusion::{FusedKind, kind_of};
use crate::engine::step_code::{Instruction, Operand, StepCode};

/// The least number of elements. In a short loop, two values that are loaded at once were often stored apart a moment
/// ago, and the processor waits until both are in the cache; looked up one by one, they need not get there.
pub(in crate::engine) const LONG: u32 = 32;
/// At least this share of the elements follows the rule, in quarters.
const REGULAR: usize = 3;

/// Adds an instruction to a list, divided if that replaces its gathered operands.
pub(in crate::engine) fn add(code: &StepCode, ins: Instruction, list: &mut Vec<Instruction>) {
    let is_gathered = ins.reads().any(|(arg, _)| matches!(arg, Operand::Gather(_)));
    let parts = match kind_of(&ins) {
        FusedKind::Loop(elements) if is_gathered && ins.opcode.is_elementwise() && elements >= LONG => {
            divided(code, &ins)
        }
        _ => None,
    };
    match parts {
        Some(parts) => list.extend(parts),
        None => list.push(ins),
    }
}

fn divided(code: &StepCode, ins: &Instruction) -> Option<Vec<Instruction>> {
    let elements = ins.elements as usize;
    let mut is_exception = vec![false; elements];
    let mut args = ins.args;
    let count = ins.reads().count();
    for arg in &mut args[..count] {
        *arg = rule(code, *arg, &mut is_exception)?;
    }
    let exceptions = is_exception.iter().filter(|is_exception| **is_exception).count();
    if exceptions * 4 > elements * (4 - REGULAR) || !is_apart(code, ins, &args[..count], &is_exception) {
        return None;
    }
    let mut list = vec![Instruction { args, ..*ins }];
    let mut first = 0;
    for run in is_exception.chunk_by(|a, b| a == b) {
        let end = first + run.len() as u32;
        while run[0] && first < end {
            let part = exception(code, ins, count, first, end);
            first += part.elements;
            list.push(part);
        }
        first = end;
    }
    Some(list)
}

/// Whether the rule reads nothing that the instruction writes, except in place, and the exceptions nothing at all.
fn is_apart(code: &StepCode, ins: &Instruction, rules: &[Operand], is_exception: &[bool]) -> bool {
    let written = ins.dst..ins.dst + ins.elements;
    let is_rule_apart = |rule: &Operand| match *rule {
        Operand::Contiguous(first) => first == ins.dst || first >= written.end || first + ins.elements <= written.start,
        Operand::Broadcast(cell) => !written.contains(&cell),
        Operand::Gather(_) => false,
    };
    let mut exceptions = (0..).zip(is_exception).filter(|(_, is_exception)| **is_exception);
    rules.iter().all(is_rule_apart)
        && exceptions.all(|(element, _)| {
            ins.args[..rules.len()].iter().all(|arg| !written.contains(&arg.cell(&code.tables, element)))
        })
}

/// Returns the rule that most elements of an operand follow, and marks the others; `None` if they are too many. The
/// marked elements may read any cell.
fn rule(code: &StepCode, arg: Operand, is_exception: &mut [bool]) -> Option<Operand> {
    let Operand::Gather(at) = arg else { return Some(arg) };
    let cells = &code.tables[at as usize..at as usize + is_exception.len()];
    let rules = [0, 1].map(|stride| {
        let mut counts: HashMap<i64, usize> = HashMap::new();
        for (cell, index) in cells.iter().zip(0..) {
            *counts.entry(i64::from(*cell) - stride * index).or_default() += 1;
        }
        counts.into_iter().map(|(first, count)| (count, first, stride)).max()
    });
    let (count, first, stride) = rules.into_iter().flatten().max()?;
    let is_inside = first >= 0 && first + stride * cells.len() as i64 <= code.cells as i64;
    if count * 4 < cells.len() * REGULAR || !is_inside {
        return None;
    }
    for ((cell, index), is_exception) in cells.iter().zip(0..).zip(is_exception) {
        *is_exception |= i64::from(*cell) != first + stride * index;
    }
    let first = u32::try_from(first).ok()?;
    Some(if stride == 0 { Operand::Broadcast(first) } else { Operand::Contiguous(first) })
}

/// Returns the instruction for the exceptions from `first` on: as many up to `end` as follow a rule of their own.
fn exception(code: &StepCode, ins: &Instruction, count: usize, first: u32, end: u32) -> Instruction {
    let of = |elements: u32| {
        let mut args = ins.args;
        for arg in &mut args[..count] {
            let cell = |element: u32| arg.cell(&code.tables, element);
            let from = cell(first);
            *arg = match () {
                _ if (first..first + elements).all(|element| cell(element) == from) => Operand::Broadcast(from),
                _ if (first..first + elements).all(|element| cell(element) == from + element - first) => {
                    Operand::Contiguous(from)
                }
                _ => return None,
            };
        }
        Some(Instruction { elements, dst: ins.dst + first, args, ..*ins })
    };
    let one = || {
        let args = ins.args.map(|arg| Operand::Broadcast(arg.cell(&code.tables, first)));
        Instruction { elements: 1, dst: ins.dst + first, args, ..*ins }
    };
    of(end - first).unwrap_or_else(one)
}

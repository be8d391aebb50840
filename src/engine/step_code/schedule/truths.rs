//! Finds the scalars that are 0 or 1 after each step, such as delayed results of gates. They are carried from step to
//! step in the form in which gates read them.

use super::fusion::{FusedGroup, FusedKind, kind_of};
use crate::block::Binary;
use crate::block::math::{Arithmetic, Relation};
use crate::engine::step_code::{Instruction, Opcode, StepCode};

/// Limit on passes through the step, and thus on the number of delays in a row.
const MAX_ROUNDS: usize = 8;

/// More gates than this are computed in integer registers.
const MANY_GATES: usize = 16;

/// Whether the step has too many Boolean gates for the vector registers.
pub(in crate::engine) fn has_many_gates(code: &StepCode) -> bool {
    let is_gate = |ins: &&Instruction| {
        matches!(ins.opcode, Opcode::Binary(Binary::And | Binary::Or | Binary::Xor))
            && kind_of(ins) == FusedKind::Straight
    };
    code.step.iter().filter(is_gate).map(|ins| ins.elements as usize).sum::<usize>() > MANY_GATES
}

/// Returns for each carried cell whether it is 0 or 1 after some steps, whatever it is before the first. A cell that
/// only passes on earlier values, such as two delays in a cycle, does not count.
pub(in crate::engine) fn truths(code: &StepCode, groups: &[FusedGroup], carried: &[u32]) -> Vec<bool> {
    let mut are_truths = vec![false; carried.len()];
    for _ in 0..MAX_ROUNDS {
        let mut is_truth = vec![false; code.cells];
        for (cell, is) in carried.iter().zip(&are_truths) {
            is_truth[*cell as usize] = *is;
        }
        for group in groups {
            for ins in group.list.iter().map(|at| &code.step[*at as usize]) {
                for element in 0..ins.written() {
                    let is = group.kind == FusedKind::Straight && is_result_truth(code, ins, element, &is_truth);
                    is_truth[(ins.dst + element) as usize] = is;
                }
                code.writes(ins).skip(ins.written() as usize).for_each(|cell| is_truth[cell as usize] = false);
            }
        }
        let found: Vec<bool> = carried.iter().map(|cell| is_truth[*cell as usize]).collect();
        if std::mem::replace(&mut are_truths, found.clone()) == found {
            break;
        }
    }
    are_truths
}

fn is_result_truth(code: &StepCode, ins: &Instruction, element: u32, is_truth: &[bool]) -> bool {
    let is = |number: usize| is_truth[ins.args[number].cell(&code.tables, element) as usize];
    match ins.opcode {
        Opcode::Copy => is(0),
        Opcode::Unary(op) => op.inline(&mut ZeroOrOne, is(0)).unwrap_or(false),
        Opcode::Binary(op) => op.inline(&mut ZeroOrOne, is(0), is(1)).unwrap_or(false),
        Opcode::Select => is(1) && is(2),
        Opcode::Hit(_) => true,
        _ => false,
    }
}

/// Follows for each number whether it is 0 or 1.
struct ZeroOrOne;

#[rustfmt::skip]
impl Arithmetic for ZeroOrOne {
    type Number = bool;
    type Truth = ();

    fn constant(&mut self, value: f64) -> bool { value.to_bits() == 0 || value == 1.0 }
    fn neg(&mut self, _: bool) -> bool { false }
    fn abs(&mut self, a: bool) -> bool { a }
    fn sqrt(&mut self, a: bool) -> bool { a }
    fn floor(&mut self, a: bool) -> bool { a }
    fn ceil(&mut self, a: bool) -> bool { a }
    fn round(&mut self, a: bool) -> bool { a }
    fn trunc(&mut self, a: bool) -> bool { a }
    fn single(&mut self, a: bool) -> bool { a }
    fn add(&mut self, _: bool, _: bool) -> bool { false }
    fn sub(&mut self, _: bool, _: bool) -> bool { false }
    fn mul(&mut self, a: bool, b: bool) -> bool { a && b }
    fn div(&mut self, _: bool, _: bool) -> bool { false }
    fn compare(&mut self, _: Relation, _: bool, _: bool) {}
    fn is_nonzero(&mut self, _: bool) {}
    fn and(&mut self, (): (), (): ()) {}
    fn or(&mut self, (): (), (): ()) {}
    fn xor(&mut self, (): (), (): ()) {}
    fn number(&mut self, (): ()) -> bool { true }
    fn choose(&mut self, (): (), yes: bool, no: bool) -> bool { yes && no }
    fn nan_or(&mut self, a: bool, otherwise: bool) -> bool { a && otherwise }
}

//! Scalar instructions, decoded once: consecutive ones run without further decoding.
//!
//! [`crate::engine::step_code::Machine`] runs a list piece by piece; other instructions run one by one.

use std::ops::Range;

use crate::block::{Binary, Unary};
use crate::engine::step_code::{Instruction, Opcode, StepCode};

/// A list of instructions, divided into pieces.
#[derive(Debug, Default)]
pub(in crate::engine) struct Decoded {
    pub(in crate::engine::step_code) pieces: Vec<Piece>,
    smalls: Vec<Small>,
}

#[derive(Clone, Debug)]
pub(in crate::engine::step_code) enum Piece {
    /// Consecutive scalar instructions, by number.
    Smalls(Range<usize>),
    /// Another instruction, by its index in the list.
    One(usize),
}

/// A scalar instruction.
#[derive(Clone, Copy, Debug)]
struct Small {
    op: Op,
    dst: u32,
    a: u32,
    b: u32,
}

/// The most frequent operations have variants of their own, so that one jump selects them.
#[derive(Clone, Copy, Debug)]
enum Op {
    Copy,
    Add,
    Sub,
    Mul,
    Div,
    Unary(Unary),
    Binary(Binary),
    /// The third operand.
    Select(u32),
}

impl Decoded {
    pub fn new(code: &StepCode, list: &[Instruction]) -> Decoded {
        let mut decoded = Decoded::default();
        for (at, ins) in list.iter().enumerate() {
            let Some(small) = small(code, ins) else {
                decoded.pieces.push(Piece::One(at));
                continue;
            };
            let next = decoded.smalls.len();
            decoded.smalls.push(small);
            match decoded.pieces.last_mut() {
                Some(Piece::Smalls(range)) => range.end = next + 1,
                _ => decoded.pieces.push(Piece::Smalls(next..next + 1)),
            }
        }
        decoded
    }

    /// Runs consecutive scalar instructions.
    pub fn run(&self, range: Range<usize>, cells: &mut [f64]) {
        for small in &self.smalls[range] {
            let (a, b) = (cells[small.a as usize], cells[small.b as usize]);
            cells[small.dst as usize] = match small.op {
                Op::Copy => a,
                Op::Add => a + b,
                Op::Sub => a - b,
                Op::Mul => a * b,
                Op::Div => a / b,
                Op::Unary(op) => op.value(a),
                Op::Binary(op) => op.value(a, b),
                Op::Select(no) => {
                    if a != 0.0 {
                        b
                    } else {
                        cells[no as usize]
                    }
                }
            };
        }
    }
}

fn small(code: &StepCode, ins: &Instruction) -> Option<Small> {
    if ins.elements != 1 {
        return None;
    }
    let cell = |number: usize| ins.args[number].cell(&code.tables, 0);
    let (op, count) = match ins.opcode {
        Opcode::Copy => (Op::Copy, 1),
        Opcode::Unary(op) => (Op::Unary(op), 1),
        Opcode::Binary(Binary::Add) => (Op::Add, 2),
        Opcode::Binary(Binary::Sub) => (Op::Sub, 2),
        Opcode::Binary(Binary::Mul) => (Op::Mul, 2),
        Opcode::Binary(Binary::Div) => (Op::Div, 2),
        Opcode::Binary(op) => (Op::Binary(op), 2),
        Opcode::Select => (Op::Select(cell(2)), 2),
        _ => return None,
    };
    let a = cell(0);
    Some(Small { op, dst: ins.dst, a, b: if count > 1 { cell(1) } else { a } })
}

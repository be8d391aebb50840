//! The types of variables: truth values and indices of tables need no floating-point numbers.
//!
//! A cell is a truth value if all that is ever written to it is 0 or 1, and an index if that is a whole number within
//! known limits. Both follow from the instructions by intervals of whole numbers, from the constants on. Numbers that only
//! happen to be whole, such as a heater's power of 0 or 1, stay numbers: a decision or a table has to make or need them.

use super::expression::Expr;
use crate::block::{Binary, Unary};
use crate::engine::{Instruction, Opcode, StepCode};

/// The type of a variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Type {
    #[default]
    Number,
    /// 0 or 1.
    Truth,
    /// A whole number from 0 to this.
    Index(u32),
}

impl Type {
    /// In C.
    pub fn name(self) -> &'static str {
        match self {
            Type::Number => "double",
            Type::Truth => "bool",
            Type::Index(_) => "uint32_t",
        }
    }

    /// An expression as a value of this type.
    pub fn text(self, value: &Expr) -> String {
        match self {
            Type::Number => value.text().to_owned(),
            Type::Truth => value.truth_text(),
            Type::Index(_) => value.whole_text(),
        }
    }
}

/// Larger numbers are no indices.
const MOST: i64 = 1 << 30;
/// A cell whose limits are widened more often has none.
const MOST_CHANGES: u8 = 12;

/// Whole numbers from the first to the last; never the negative zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span(i64, i64);

/// The values that a cell may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Nothing is written so far.
    Nothing,
    Whole(Span),
    Any,
}

const TRUTH: Known = Known::Whole(Span(0, 1));

impl Known {
    fn new(first: i64, last: i64) -> Known {
        if first < -MOST || last > MOST { Known::Any } else { Known::Whole(Span(first, last)) }
    }

    fn of(value: f64) -> Known {
        let is_whole =
            value == value.trunc() && value.abs() <= MOST as f64 && !(value == 0.0 && value.is_sign_negative());
        if is_whole { Known::new(value as i64, value as i64) } else { Known::Any }
    }

    fn or(self, other: Known) -> Known {
        match (self, other) {
            (Known::Nothing, known) | (known, Known::Nothing) => known,
            (Known::Whole(Span(a, b)), Known::Whole(Span(c, d))) => Known::new(a.min(c), b.max(d)),
            _ => Known::Any,
        }
    }
}

/// Returns the type of each cell. `lists` are all lists of instructions but those of branches.
pub fn types(code: &StepCode, lists: &[&[Instruction]], constants: &[(u32, f64)]) -> Vec<Type> {
    let mut known = vec![Known::Any; code.cells];
    let bodies = code.branches.iter().flat_map(|branch| [&branch.body[..], &branch.otherwise[..]]);
    let all: Vec<&Instruction> = lists.iter().copied().chain(bodies).flatten().collect();
    for ins in &all {
        (ins.dst..ins.dst + ins.written()).for_each(|cell| known[cell as usize] = Known::Nothing);
    }
    // A solver or a caller may write any number.
    let driven = code.driven.iter().flat_map(|driven| &driven.x.0);
    for piece in code.continuous.0.iter().chain(&code.params.0).chain(driven) {
        known[piece.cell as usize..(piece.cell + piece.count) as usize].fill(Known::Any);
    }
    for &(cell, value) in constants {
        known[cell as usize] = Known::of(value);
    }
    let is_fixed: Vec<bool> = known.iter().map(|known| *known != Known::Nothing).collect();
    let mut changes = vec![0u8; code.cells];
    loop {
        let mut is_changed = false;
        for ins in &all {
            for element in 0..ins.written() {
                let cell = (ins.dst + element) as usize;
                if is_fixed[cell] {
                    continue;
                }
                let now = known[cell].or(result(code, ins, element, &known));
                if now != known[cell] {
                    is_changed = true;
                    changes[cell] += 1;
                    known[cell] = if changes[cell] > MOST_CHANGES { Known::Any } else { now };
                }
            }
        }
        if !is_changed {
            break;
        }
    }
    let is_meant = meant(code, &all);
    let type_of = |(known, is_meant): (&Known, &bool)| match known {
        _ if !is_meant => Type::Number,
        Known::Whole(Span(0..=1, 0..=1)) => Type::Truth,
        Known::Whole(Span(0.., last)) => Type::Index(*last as u32),
        _ => Type::Number,
    };
    known.iter().zip(&is_meant).map(type_of).collect()
}

/// For each cell, whether a decision makes or reads it, a table is read at it, or it is passed on to or from such a cell.
fn meant(code: &StepCode, all: &[&Instruction]) -> Vec<bool> {
    let mut meaning = Meaning { is_meant: vec![false; code.cells], is_changed: true };
    code.branches.iter().for_each(|branch| meaning.mean(branch.guard));
    while std::mem::take(&mut meaning.is_changed) {
        all.iter().for_each(|ins| meaning.instruction(code, ins));
        // Backwards, so that a chain of copies is followed from its end.
        all.iter().rev().for_each(|ins| meaning.instruction(code, ins));
    }
    meaning.is_meant
}

struct Meaning {
    is_meant: Vec<bool>,
    is_changed: bool,
}

impl Meaning {
    fn mean(&mut self, cell: u32) {
        self.is_changed |= !std::mem::replace(&mut self.is_meant[cell as usize], true);
    }

    fn instruction(&mut self, code: &StepCode, ins: &Instruction) {
        use Binary::{Add, And, Eq, Ge, Gt, Le, Lt, Max, Min, Ne, Or, Sub, Xor};
        let (makes, reads, passes): (bool, &[usize], &[usize]) = match ins.opcode {
            Opcode::Unary(Unary::Not) => (true, &[0], &[]),
            Opcode::Unary(Unary::IsInf | Unary::IsFinite | Unary::IsNan) | Opcode::Hit(_) => (true, &[], &[]),
            Opcode::Binary(And | Or | Xor | Lt | Le | Gt | Ge | Eq | Ne) => (true, &[0, 1], &[]),
            Opcode::Select => (false, &[0], &[1, 2]),
            Opcode::Pick { .. } => (false, &[1], &[]),
            Opcode::Copy | Opcode::Unary(Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc) => {
                (false, &[], &[0])
            }
            Opcode::Binary(Add | Sub | Min | Max) => (false, &[], &[0, 1]),
            _ => return,
        };
        let is_choice = matches!(ins.opcode, Opcode::Copy | Opcode::Select);
        for element in 0..ins.written() {
            let dst = ins.dst + element;
            let cell = |number: &usize| ins.args[*number].cell(&code.tables, element);
            let is_passed_on = is_choice && passes.iter().any(|number| self.is_meant[cell(number) as usize]);
            if makes || is_passed_on {
                self.mean(dst);
            }
            reads.iter().for_each(|number| self.mean(cell(number)));
            if self.is_meant[dst as usize] {
                passes.iter().for_each(|number| self.mean(cell(number)));
            }
        }
    }
}

/// The values that an element of a result may have.
fn result(code: &StepCode, ins: &Instruction, element: u32, known: &[Known]) -> Known {
    let of = |number: usize| known[ins.args[number].cell(&code.tables, element) as usize];
    let both = |f: fn(Span, Span) -> Known| match (of(0), of(1)) {
        (Known::Whole(a), Known::Whole(b)) => f(a, b),
        (Known::Nothing, _) | (_, Known::Nothing) => Known::Nothing,
        _ => Known::Any,
    };
    match ins.opcode {
        Opcode::Copy | Opcode::Unary(Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc) => of(0),
        Opcode::Unary(Unary::Not | Unary::IsInf | Unary::IsFinite | Unary::IsNan) | Opcode::Hit(_) => TRUTH,
        Opcode::Select => of(1).or(of(2)),
        Opcode::Binary(op) => match op {
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne => TRUTH,
            Binary::And | Binary::Or | Binary::Xor => TRUTH,
            Binary::Add => both(|a, b| Known::new(a.0 + b.0, a.1 + b.1)),
            Binary::Sub => both(|a, b| Known::new(a.0 - b.1, a.1 - b.0)),
            Binary::Min => both(|a, b| Known::new(a.0.min(b.0), a.1.min(b.1))),
            Binary::Max => both(|a, b| Known::new(a.0.max(b.0), a.1.max(b.1))),
            _ => Known::Any,
        },
        _ => Known::Any,
    }
}

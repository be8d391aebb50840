//! Finds the origin of a non-finite value within the arithmetic of a block.

use crate::block::math::{Notation, OperationRow};
use crate::block::{Kernel, Op, Reg};

/// The registers of an execution.
#[derive(Clone, Copy)]
pub struct Registers<'a> {
    pub kernel: &'a Kernel,
    pub elements: &'a [f64],
}

/// How a non-finite element of a register was produced.
#[derive(Clone, Debug, PartialEq)]
pub struct NonFiniteOrigin {
    /// The operation that made a finite value non-finite, or an infinite one NaN, as arithmetic.
    pub operation: Option<String>,
    pub from: Origin,
}

/// The origin of a non-finite value, with the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Input(usize, usize),
    State(usize, usize),
    /// A value of a history: the state, the element, and the number of pushes since.
    Past(usize, usize, usize),
    /// The number of the parameter among those of the tape, and the element.
    Param(usize, usize),
    /// The block produced it.
    Here,
}

pub fn is_bad(value: f64) -> bool {
    !value.is_finite() && !super::super::is_unset(value)
}

impl Registers<'_> {
    pub fn value(&self, reg: Reg, element: usize) -> f64 {
        let width = self.kernel.width(reg);
        let element = if width == 1 { 0 } else { element.min(width.saturating_sub(1)) };
        self.elements.get(self.kernel.offset(reg) + element).copied().unwrap_or(0.0)
    }

    /// Follows a non-finite element of a register back to where the block read or produced it.
    pub fn origin(&self, reg: Reg, element: usize) -> NonFiniteOrigin {
        let (mut reg, mut element) = (reg, element);
        let mut operation = None;
        loop {
            let width = self.kernel.width(reg);
            element = if width == 1 { 0 } else { element };
            let value = self.value(reg, element);
            let from = match &self.kernel.ops[reg as usize] {
                Op::Input(input) => Origin::Input(*input as usize, element),
                Op::State(state) | Op::Held(state) => Origin::State(*state as usize, element),
                Op::Recorded { record, read, .. } if read.is_signal() => Origin::State(*record as usize, element),
                Op::Past { history, back } => {
                    // The conversion saturates.
                    Origin::Past(*history as usize, element, (self.value(*back, 0) as usize).max(1))
                }
                Op::Param(number) => Origin::Param(*number as usize, element),
                op => match self.operand(op, element, value) {
                    Some((operand, of)) => {
                        if operation.is_none() && value.is_nan() && !self.value(operand, of).is_nan() {
                            operation = self.text(op, element);
                        }
                        (reg, element) = (operand, of);
                        continue;
                    }
                    None => {
                        operation = operation.or_else(|| self.text(op, element));
                        Origin::Here
                    }
                },
            };
            return NonFiniteOrigin { operation, from };
        }
    }

    /// Returns the operand that causes a non-finite result, and its element; for a NaN rather a NaN than an infinity.
    fn operand(&self, op: &Op, element: usize, result: f64) -> Option<(Reg, usize)> {
        let candidates: Vec<(Reg, usize)> = match op {
            // Only the chosen operand matters.
            Op::Select { on, yes, no } => vec![(if self.value(*on, element) != 0.0 { *yes } else { *no }, element)],
            Op::Fold(_, of) => (0..self.kernel.width(*of)).map(|element| (*of, element)).collect(),
            Op::Slice { of, start } => vec![(*of, element + *start as usize)],
            Op::Pick { of, index } => {
                let last = self.kernel.width(*of).saturating_sub(1);
                vec![(*of, (self.value(*index, element) as usize).min(last))]
            }
            Op::Join(parts) => {
                let mut rest = element;
                let part = parts.iter().find_map(|&part| {
                    let width = self.kernel.width(part);
                    if rest < width {
                        Some((part, rest))
                    } else {
                        rest -= width;
                        None
                    }
                });
                part.into_iter().collect()
            }
            Op::Call { args, .. } | Op::Loop { inputs: args, .. } => {
                args.iter().flat_map(|&arg| (0..self.kernel.width(arg)).map(move |element| (arg, element))).collect()
            }
            op => op.operands().map(|operand| (operand, element)).collect(),
        };
        let bad = || candidates.iter().filter(|(reg, element)| is_bad(self.value(*reg, *element)));
        let same = bad().find(|(reg, element)| self.value(*reg, *element).is_nan() == result.is_nan());
        same.or_else(|| bad().next()).copied()
    }

    /// Formats the operation with the values of its operands.
    fn text(&self, op: &Op, element: usize) -> Option<String> {
        let of = |reg: Reg| number(self.value(reg, element));
        Some(match op {
            Op::Unary(op, a) => written(op.row(), &[of(*a)]),
            Op::Binary(op, a, b) => written(op.row(), &[of(*a), of(*b)]),
            Op::Fold(op, a) => {
                let elements = 0..self.kernel.width(*a);
                let elements: Vec<String> = elements.map(|element| number(self.value(*a, element))).collect();
                written(op.row(), &elements)
            }
            Op::Call { args, .. } => {
                let all = args.iter().flat_map(|&arg| (0..self.kernel.width(arg)).map(move |element| (arg, element)));
                let elements: Vec<String> = all.map(|(reg, element)| number(self.value(reg, element))).collect();
                format!("a function of ({})", shortened(&elements, ", "))
            }
            Op::Loop { .. } => "no values close the algebraic loop".to_owned(),
            Op::Const(value) => format!("the constant {}", number(*value)),
            _ => return None,
        })
    }
}

/// Formats a value with the fewest digits that read back to the same bits.
pub fn number(value: f64) -> String {
    match value {
        f64::INFINITY => "inf".to_owned(),
        f64::NEG_INFINITY => "-inf".to_owned(),
        value if value.is_nan() => "nan".to_owned(),
        value if value != 0.0 && !(1e-5..1e15).contains(&value.abs()) => format!("{value:e}"),
        value => format!("{value}"),
    }
}

/// Writes an operation with numbers. Negative ones stand in brackets beside a sign; long lists are shortened.
fn written(row: &OperationRow, operands: &[String]) -> String {
    let is_call = matches!(row.notation, Notation::Call(_));
    let bracketed = |text: &String| if text.starts_with('-') && !is_call { format!("({text})") } else { text.clone() };
    let operands: Vec<String> = operands.iter().map(bracketed).collect();
    let mut shown: Vec<&str> = operands.iter().take(MAX_SHOWN).map(String::as_str).collect();
    if operands.len() > MAX_SHOWN {
        shown.push("…");
    }
    row.text(&shown)
}

/// The number of operands that a text shows at most.
const MAX_SHOWN: usize = 6;

/// Joins the first parts of a list; a longer list ends in an ellipsis.
pub fn shortened(parts: &[String], between: &str) -> String {
    match parts.get(..MAX_SHOWN) {
        Some(first) if parts.len() > MAX_SHOWN => format!("{}{between}…", first.join(between)),
        _ => parts.join(between),
    }
}

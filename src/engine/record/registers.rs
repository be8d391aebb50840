//! Where in a block's own arithmetic a number that is not finite came from.

use crate::block::{Binary, Kernel, Op, Reg, Unary};

/// The registers of a run.
#[derive(Clone, Copy)]
pub struct Registers<'a> {
    pub kernel: &'a Kernel,
    pub lanes: &'a [f64],
}

/// How a bad lane of a register was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The operation that turned good numbers bad, or infinite ones into not-a-number, as arithmetic.
    pub operation: Option<String>,
    pub from: From,
}

/// What a bad number goes back to, with the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    Input(usize, usize),
    State(usize, usize),
    /// So many pushes back.
    Past(usize, usize, usize),
    /// The number of the parameter among those of the tape.
    Param(usize, usize),
    /// Nothing: it was made here.
    Here,
}

pub fn is_bad(value: f64) -> bool {
    !value.is_finite() && !super::super::is_unset(value)
}

impl Registers<'_> {
    pub fn value(&self, reg: Reg, lane: usize) -> f64 {
        let width = self.kernel.width(reg);
        let lane = if width == 1 { 0 } else { lane.min(width.saturating_sub(1)) };
        self.lanes.get(self.kernel.offset(reg) + lane).copied().unwrap_or(0.0)
    }

    /// Follows a bad lane of a register back to where the block got it from, or made it.
    pub fn origin(&self, reg: Reg, lane: usize) -> Made {
        let (mut reg, mut lane) = (reg, lane);
        let mut operation = None;
        loop {
            let width = self.kernel.width(reg);
            lane = if width == 1 { 0 } else { lane };
            let value = self.value(reg, lane);
            let from = match &self.kernel.ops[reg as usize] {
                Op::Input(input) => From::Input(*input as usize, lane),
                Op::State(state) | Op::Held(state) => From::State(*state as usize, lane),
                Op::Past { history, back } => {
                    // The conversion saturates.
                    From::Past(*history as usize, lane, (self.value(*back, 0) as usize).max(1))
                }
                Op::Param(number) => From::Param(*number as usize, lane),
                op => match self.operand(op, lane, value) {
                    Some((operand, of)) => {
                        if operation.is_none() && value.is_nan() && !self.value(operand, of).is_nan() {
                            operation = self.text(op, lane);
                        }
                        (reg, lane) = (operand, of);
                        continue;
                    }
                    None => {
                        operation = operation.or_else(|| self.text(op, lane));
                        From::Here
                    }
                },
            };
            return Made { operation, from };
        }
    }

    /// The operand that a bad result comes from, and its lane; not-a-number rather than infinity.
    fn operand(&self, op: &Op, lane: usize, result: f64) -> Option<(Reg, usize)> {
        let candidates: Vec<(Reg, usize)> = match op {
            // What was not chosen has nothing to do with it.
            Op::Select { on, yes, no } => vec![(if self.value(*on, lane) != 0.0 { *yes } else { *no }, lane)],
            Op::Fold(_, of) => (0..self.kernel.width(*of)).map(|lane| (*of, lane)).collect(),
            Op::Slice { of, start } => vec![(*of, lane + *start as usize)],
            Op::Pick { of, index } => {
                let last = self.kernel.width(*of).saturating_sub(1);
                vec![(*of, (self.value(*index, lane) as usize).min(last))]
            }
            Op::Join(parts) => {
                let mut rest = lane;
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
                args.iter().flat_map(|&arg| (0..self.kernel.width(arg)).map(move |lane| (arg, lane))).collect()
            }
            op => op.operands().map(|operand| (operand, lane)).collect(),
        };
        let bad = || candidates.iter().filter(|(reg, lane)| is_bad(self.value(*reg, *lane)));
        let same = bad().find(|(reg, lane)| self.value(*reg, *lane).is_nan() == result.is_nan());
        same.or_else(|| bad().next()).copied()
    }

    /// The operation with its numbers.
    fn text(&self, op: &Op, lane: usize) -> Option<String> {
        let of = |reg: Reg| number(self.value(reg, lane));
        Some(match op {
            Op::Unary(op, a) => unary_text(*op, &of(*a)),
            Op::Binary(op, a, b) => binary_text(*op, &of(*a), &of(*b)),
            Op::Fold(op, a) => {
                let lanes: Vec<String> = (0..self.kernel.width(*a)).map(|lane| number(self.value(*a, lane))).collect();
                folded_text(*op, &lanes)
            }
            Op::Call { args, .. } => {
                let all = args.iter().flat_map(|&arg| (0..self.kernel.width(arg)).map(move |lane| (arg, lane)));
                let lanes: Vec<String> = all.map(|(reg, lane)| number(self.value(reg, lane))).collect();
                format!("a function of ({})", shortened(&lanes, ", "))
            }
            Op::Loop { .. } => "no values close the algebraic loop".to_owned(),
            Op::Const(value) => format!("the constant {}", number(*value)),
            _ => return None,
        })
    }
}

/// As few digits as read back to the same bits; negative ones in brackets would be too much where none follows.
pub fn number(value: f64) -> String {
    match value {
        f64::INFINITY => "inf".to_owned(),
        f64::NEG_INFINITY => "-inf".to_owned(),
        value if value.is_nan() => "nan".to_owned(),
        value if value != 0.0 && !(1e-5..1e15).contains(&value.abs()) => format!("{value:e}"),
        value => format!("{value}"),
    }
}

fn bracketed(text: &str) -> String {
    if text.starts_with('-') { format!("({text})") } else { text.to_owned() }
}

fn unary_text(op: Unary, a: &str) -> String {
    match op {
        Unary::Neg => format!("-{}", bracketed(a)),
        op => format!("{}({a})", format!("{op:?}").to_lowercase()),
    }
}

fn binary_text(op: Binary, a: &str, b: &str) -> String {
    match sign(op) {
        Some(sign) => format!("{} {sign} {}", bracketed(a), bracketed(b)),
        None => format!("{}({a}, {b})", format!("{op:?}").to_lowercase()),
    }
}

fn folded_text(op: Binary, lanes: &[String]) -> String {
    match sign(op) {
        Some(sign) => shortened(&lanes.iter().map(|lane| bracketed(lane)).collect::<Vec<_>>(), &format!(" {sign} ")),
        None => format!("{}({})", format!("{op:?}").to_lowercase(), shortened(lanes, ", ")),
    }
}

fn sign(op: Binary) -> Option<&'static str> {
    Some(match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Pow => "^",
        _ => return None,
    })
}

/// Long lists end in an ellipsis.
pub fn shortened(parts: &[String], between: &str) -> String {
    const MOST: usize = 6;
    match parts.get(..MOST) {
        Some(first) if parts.len() > MOST => format!("{}{between}…", first.join(between)),
        _ => parts.join(between),
    }
}

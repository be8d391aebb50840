//! The tape: a block's mathematics as a list of instructions in the order they can be run.
//!
//! Each instruction makes one register, a vector of one or more lanes; a register of one lane meets a longer one by
//! expanding. Operands always stand before the instruction that uses them.

use super::{NativeFn, Sample};

/// Index of an instruction on its tape, and of the value it makes.
pub type Reg = u32;

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    Const(f64),
    /// A parameter that may change between steps.
    Param(u32),
    Input(u32),
    /// A discrete or continuous state as committed (or, inside a solver stage, as the stage assumes it).
    State(u32),
    /// A discrete state as committed; in a solver's later stages as the stage that counts has left it.
    Held(u32),
    Clock(Clock),
    /// 1 where what feeds the input ran in this step: 0 only where that is an exit of a conditional model that did not.
    Ran(u32),
    Unary(Unary, Reg),
    Binary(Binary, Reg, Reg),
    /// `yes` where `on` is not zero, else `no`, lane by lane.
    Select {
        on: Reg,
        yes: Reg,
        no: Reg,
    },
    /// All lanes of one register combined from the first to the last.
    Fold(Binary, Reg),
    /// `width` lanes of `of` from lane `start` on; the width is the register's.
    Slice {
        of: Reg,
        start: u32,
    },
    /// Registers one after the other.
    Join(Box<[Reg]>),
    /// The lane of `of` that `index` names, from 0, clamped to the lanes there are.
    Pick {
        of: Reg,
        index: Reg,
    },
    /// What was pushed to a history `back` steps ago (at least 1), clamped to the history's length.
    Past {
        history: u32,
        back: Reg,
    },
    /// The values that close an algebraic loop, of this number in the program: a function of the inputs, found from
    /// `start` on. No block has it; see `engine::solve`.
    Loop {
        number: u32,
        start: Reg,
        inputs: Box<[Reg]>,
    },
    /// What a function in Rust makes of all lanes of its arguments.
    Call {
        of: NativeFn,
        args: Box<[Reg]>,
    },
    /// Uniform in [0, 1), from the seed, a counter and the lane's number alone.
    Random {
        seed: Reg,
        counter: Reg,
    },
}

/// What the step's clock can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clock {
    /// Seconds, inside a solver stage the stage's time.
    Time,
    /// Seconds at the begin of the step, `n * delta`.
    StepTime,
    /// Seconds a step.
    Delta,
    /// The number of the step, from 0.
    Step,
    /// 1 in the pass that counts, 0 in the further stages of a solver.
    Major,
    /// 1 in the steps at which a block of this rate acts, else 0.
    Hit(Sample),
    /// The number of the last such step among its like, from 0.
    Count(Sample),
    /// 1 where modes may change: in the pass that counts, and where a solver has located a crossing; else 0.
    Deciding,
    /// The number of the block's turn in this step, from 0, where it sets its outputs in turns; else that of the run
    /// of the iterated model that it stands in.
    Turn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[rustfmt::skip]
pub enum Unary {
    Neg, Abs, Sign, Sqrt, Floor, Ceil, Round, Trunc,
    Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh,
    Exp, Ln, Log10, Not, IsNan, IsInf, IsFinite,
    /// The standard normal's inverse distribution function.
    Probit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[rustfmt::skip]
pub enum Binary {
    Add, Sub, Mul, Div, Min, Max, Pow, Atan2, Hypot, Rem, Mod,
    Lt, Le, Gt, Ge, Eq, Ne, And, Or, Xor,
}

impl Op {
    /// The registers the instruction reads.
    pub fn operands(&self) -> impl Iterator<Item = Reg> + '_ {
        let (fixed, list): ([Option<Reg>; 3], &[Reg]) = match self {
            Op::Const(_) | Op::Param(_) | Op::Input(_) | Op::State(_) | Op::Held(_) | Op::Clock(_) | Op::Ran(_) => {
                ([None; 3], &[])
            }
            Op::Unary(_, a) | Op::Fold(_, a) | Op::Slice { of: a, .. } | Op::Past { back: a, .. } => {
                ([Some(*a), None, None], &[])
            }
            Op::Binary(_, a, b) => ([Some(*a), Some(*b), None], &[]),
            Op::Pick { of, index } => ([Some(*of), Some(*index), None], &[]),
            Op::Random { seed, counter } => ([Some(*seed), Some(*counter), None], &[]),
            Op::Select { on, yes, no } => ([Some(*on), Some(*yes), Some(*no)], &[]),
            Op::Join(list) | Op::Call { args: list, .. } => ([None; 3], list),
            Op::Loop { start, inputs, .. } => ([Some(*start), None, None], inputs),
        };
        fixed.into_iter().flatten().chain(list.iter().copied())
    }
}

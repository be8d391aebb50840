//! The tape: a block's mathematics as a list of instructions in execution order.
//!
//! Each instruction computes one register, a vector of one or more elements; a scalar is expanded to the width of a
//! vector operand. Operands always precede the instruction that uses them.

use super::{Binary, HostFn, SampleTime, Unary};

/// The index of an instruction on its tape, and of its result.
pub type Reg = u32;

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    Const(f64),
    /// A parameter that may change between steps.
    Param(u32),
    Input(u32),
    /// A committed state; in a minor step a continuous state is that of the solver's stage.
    State(u32),
    /// A committed discrete state; in minor steps the value that the major step has computed.
    Held(u32),
    Clock(Clock),
    /// 1 if the source of the input ran in this step, 0 only if it is an exit of a conditional model that did not.
    Ran(u32),
    Unary(Unary, Reg),
    Binary(Binary, Reg, Reg),
    /// `yes` where `on` is nonzero, else `no`, element by element.
    Select {
        on: Reg,
        yes: Reg,
        no: Reg,
    },
    /// All elements of one register reduced to one, from first to last.
    Fold(Binary, Reg),
    /// Elements of `of` from `start` on, as many as the width of the result.
    Slice {
        of: Reg,
        start: u32,
    },
    /// Registers concatenated.
    Join(Box<[Reg]>),
    /// The element of `of` at `index`, counted from 0 and limited to the vector.
    Pick {
        of: Reg,
        index: Reg,
    },
    /// The value that was pushed to a delay line `back` steps ago, limited from 1 to the length of the line.
    Past {
        history: u32,
        back: Reg,
    },
    /// A value read from the record of a signal for a time `at` in seconds. `now` is the signal at the current time, to
    /// which some reads reach.
    Recorded {
        record: u32,
        read: RecordRead,
        at: Reg,
        now: Reg,
    },
    /// The solution of the algebraic loop `number` of the program, as a function of the inputs, iterated from `start`.
    /// It is on no block's tape; see `engine::solve`.
    Loop {
        number: u32,
        start: Reg,
        inputs: Box<[Reg]>,
    },
    /// The result of a function in Rust of all elements of its arguments.
    Call {
        of: HostFn,
        args: Box<[Reg]>,
    },
    /// Uniform random numbers in [0, 1), from the seed, the number of the stream, a counter and the element's index
    /// alone.
    Random {
        seed: Reg,
        stream: Reg,
        counter: Reg,
    },
}

/// The kinds of values that are read from the record of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordRead {
    /// The signal at a time, which is known up to there.
    Value,
    /// The signal at a time up to the current one.
    ValueUpToNow,
    /// The time of the last jump up to a time; −∞ if there is none.
    JumpBefore,
    /// The time of the first jump after a time; infinite if there is none yet.
    JumpAfter,
    /// The time of the first jump or kink after a time; infinite if there is none yet.
    KinkAfter,
    /// The time, up to the current one, at which the first element has risen to `at`.
    TimeOf,
}

impl RecordRead {
    /// Whether it is the signal itself, not a time.
    pub fn is_signal(self) -> bool {
        matches!(self, RecordRead::Value | RecordRead::ValueUpToNow)
    }
}

/// The values of the simulation clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clock {
    /// The time in seconds, in a minor step that of the solver's stage.
    Time,
    /// The time at the start of the step in seconds, `n * delta`.
    StepTime,
    /// The step size in seconds.
    Delta,
    /// The number of the step, from 0.
    Step,
    /// 1 in a major step, 0 in the minor steps of a solver.
    Major,
    /// 1 at the hits of this sample time, else 0.
    Hit(SampleTime),
    /// The number of the last hit of this sample time, from 0.
    Count(SampleTime),
    /// 1 where modes may change, which is in major steps and where a solver has located a zero crossing; else 0.
    Deciding,
    /// The number of the block's iteration in this step, from 0, or for other blocks that of the iterated model that
    /// contains them.
    Iteration,
    /// The number of the run, from 0, of all iterated models that contain the block: that of the innermost, and for each
    /// level above it the number there times a further [`Clock::RUNS_OF_LEVEL`]; 0 for a block in none.
    Runs,
}

impl Clock {
    /// The factor between the levels in [`Clock::Runs`].
    pub const RUNS_OF_LEVEL: f64 = 65536.0;
}

impl Op {
    /// Whether its result has a kink or a jump where an operand, or the difference of two, passes a number.
    pub fn is_bent(&self) -> bool {
        match self {
            Op::Unary(op, _) => {
                matches!(op, Unary::Abs | Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc)
            }
            Op::Binary(op, ..) | Op::Fold(op, _) => matches!(
                op,
                Binary::Min
                    | Binary::Max
                    | Binary::Rem
                    | Binary::Mod
                    | Binary::Lt
                    | Binary::Le
                    | Binary::Gt
                    | Binary::Ge
            ),
            _ => false,
        }
    }

    /// Returns the registers that the instruction reads.
    pub fn operands(&self) -> impl Iterator<Item = Reg> + '_ {
        let (fixed, list): ([Option<Reg>; 3], &[Reg]) = match self {
            Op::Const(_) | Op::Param(_) | Op::Input(_) | Op::State(_) | Op::Held(_) | Op::Clock(_) | Op::Ran(_) => {
                ([None; 3], &[])
            }
            Op::Unary(_, a) | Op::Fold(_, a) | Op::Slice { of: a, .. } | Op::Past { back: a, .. } => {
                ([Some(*a), None, None], &[])
            }
            Op::Recorded { at, now, .. } => ([Some(*at), Some(*now), None], &[]),
            Op::Binary(_, a, b) => ([Some(*a), Some(*b), None], &[]),
            Op::Pick { of, index } => ([Some(*of), Some(*index), None], &[]),
            Op::Random { seed, stream, counter } => ([Some(*seed), Some(*stream), Some(*counter)], &[]),
            Op::Select { on, yes, no } => ([Some(*on), Some(*yes), Some(*no)], &[]),
            Op::Join(list) | Op::Call { args: list, .. } => ([None; 3], list),
            Op::Loop { start, inputs, .. } => ([Some(*start), None, None], inputs),
        };
        fixed.into_iter().flatten().chain(list.iter().copied())
    }
}

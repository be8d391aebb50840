//! The arithmetic of instructions, in software alone, so that every machine computes the same bits.
//!
//! Elementary functions are our own: double arithmetic in a fixed order, without fused multiply-add, with an error of
//! at most one unit in the last place (`trig`, `exp`, `log`, `power`, `arc` state the error found at a hundred thousand
//! or more points). Each has one form for scalars and vectors (`lanes`). `tests/math` compares them with values of
//! high precision.
//!
//! Whether a result is not-a-number is the same on every machine. Its sign and payload depend on the machine but affect
//! no other result. Samples and checkpoints hold `f64::NAN` for all of them.

mod arc;
mod exp;
mod lanes;
mod log;
mod pair;
mod power;
mod probit;
mod random;
mod remainder;
mod trig;

use lanes::{all, one};

pub use lanes::{Args, CHUNK};
pub use random::random;

use super::{Binary, Unary};

#[inline(always)]
pub fn unary(op: Unary, a: f64) -> f64 {
    match op {
        Unary::Neg => -a,
        Unary::Abs => a.abs(),
        Unary::Sign => match a {
            a if a > 0.0 => 1.0,
            a if a < 0.0 => -1.0,
            // Zeros keep their sign, NaN stays NaN.
            a => a,
        },
        Unary::Sqrt => a.sqrt(),
        Unary::Floor => a.floor(),
        Unary::Ceil => a.ceil(),
        // Half away from zero.
        Unary::Round => a.round(),
        Unary::Trunc => a.trunc(),
        Unary::Sin => one::<1, trig::Sin>([a]),
        Unary::Cos => one::<1, trig::Cos>([a]),
        Unary::Tan => one::<1, trig::Tan>([a]),
        Unary::Asin => one::<1, arc::Asin>([a]),
        Unary::Acos => one::<1, arc::Acos>([a]),
        Unary::Atan => one::<1, arc::Atan>([a]),
        Unary::Sinh => one::<1, exp::Sinh>([a]),
        Unary::Cosh => one::<1, exp::Cosh>([a]),
        Unary::Tanh => one::<1, exp::Tanh>([a]),
        Unary::Asinh => one::<1, log::Asinh>([a]),
        Unary::Acosh => one::<1, log::Acosh>([a]),
        Unary::Atanh => one::<1, log::Atanh>([a]),
        Unary::Exp => one::<1, exp::Exp>([a]),
        Unary::Ln => one::<1, log::Ln>([a]),
        Unary::Log10 => one::<1, log::Log10>([a]),
        Unary::Not => truth(a == 0.0),
        Unary::IsNan => truth(a.is_nan()),
        Unary::IsInf => truth(a.is_infinite()),
        Unary::IsFinite => truth(a.is_finite()),
        Unary::Probit => probit::probit(a),
    }
}

#[inline(always)]
pub fn binary(op: Binary, a: f64, b: f64) -> f64 {
    match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        // Not-a-number on either side stays.
        Binary::Min => {
            if a.is_nan() || a <= b {
                a
            } else {
                b
            }
        }
        Binary::Max => {
            if a.is_nan() || a >= b {
                a
            } else {
                b
            }
        }
        Binary::Pow => one::<2, power::Pow>([a, b]),
        Binary::Atan2 => one::<2, arc::Atan2>([a, b]),
        Binary::Hypot => one::<2, power::Hypot>([a, b]),
        // Has the sign of `a`.
        Binary::Rem => one::<2, remainder::Rem>([a, b]),
        // Has the sign of `b`; is `a` where `b` is 0.
        Binary::Mod => one::<2, remainder::Mod>([a, b]),
        Binary::Lt => truth(a < b),
        Binary::Le => truth(a <= b),
        Binary::Gt => truth(a > b),
        Binary::Ge => truth(a >= b),
        Binary::Eq => truth(a == b),
        Binary::Ne => truth(a != b),
        Binary::And => truth(a != 0.0 && b != 0.0),
        Binary::Or => truth(a != 0.0 || b != 0.0),
        Binary::Xor => truth((a != 0.0) != (b != 0.0)),
    }
}

fn truth(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}

/// Applies [`unary`] to many lanes at once.
pub fn unary_all(op: Unary, args: &Args<1>, out: &mut [f64; CHUNK]) {
    match op {
        Unary::Sin => all::<1, trig::Sin>(args, out),
        Unary::Cos => all::<1, trig::Cos>(args, out),
        Unary::Tan => all::<1, trig::Tan>(args, out),
        Unary::Asin => all::<1, arc::Asin>(args, out),
        Unary::Acos => all::<1, arc::Acos>(args, out),
        Unary::Atan => all::<1, arc::Atan>(args, out),
        Unary::Sinh => all::<1, exp::Sinh>(args, out),
        Unary::Cosh => all::<1, exp::Cosh>(args, out),
        Unary::Tanh => all::<1, exp::Tanh>(args, out),
        Unary::Asinh => all::<1, log::Asinh>(args, out),
        Unary::Acosh => all::<1, log::Acosh>(args, out),
        Unary::Atanh => all::<1, log::Atanh>(args, out),
        Unary::Exp => all::<1, exp::Exp>(args, out),
        Unary::Ln => all::<1, log::Ln>(args, out),
        Unary::Log10 => all::<1, log::Log10>(args, out),
        _ => out.iter_mut().zip(&args[0]).for_each(|(out, &a)| *out = unary(op, a)),
    }
}

/// Applies [`binary`] to many lanes at once.
pub fn binary_all(op: Binary, args: &Args<2>, out: &mut [f64; CHUNK]) {
    match op {
        Binary::Pow => all::<2, power::Pow>(args, out),
        Binary::Atan2 => all::<2, arc::Atan2>(args, out),
        Binary::Hypot => all::<2, power::Hypot>(args, out),
        Binary::Rem => all::<2, remainder::Rem>(args, out),
        Binary::Mod => all::<2, remainder::Mod>(args, out),
        _ => out.iter_mut().zip(&args[0]).zip(&args[1]).for_each(|((out, &a), &b)| *out = binary(op, a, b)),
    }
}

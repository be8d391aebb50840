//! The derivatives of instructions, for forward-mode differentiation in one direction.
//!
//! A tangent of 0 stays 0, even where the derivative is infinite. At a kink the derivative is that of the side of the
//! result; the derivative of a jump is 0.

use super::{Binary, Unary, math};

/// Returns the tangent of `op(a)` from that of `a`.
pub fn unary(op: Unary, a: f64, da: f64) -> f64 {
    if da == 0.0 {
        return 0.0;
    }
    let value = || math::unary(op, a);
    let square = |x: f64| x * x;
    match op {
        Unary::Neg => -da,
        Unary::Abs => math::unary(Unary::Sign, a) * da,
        Unary::Sqrt => da / (2.0 * value()),
        Unary::Sin => math::unary(Unary::Cos, a) * da,
        Unary::Cos => -math::unary(Unary::Sin, a) * da,
        Unary::Tan => (1.0 + square(value())) * da,
        Unary::Asin => da / ((1.0 - a) * (1.0 + a)).sqrt(),
        Unary::Acos => -da / ((1.0 - a) * (1.0 + a)).sqrt(),
        Unary::Atan => da / (1.0 + square(a)),
        Unary::Sinh => math::unary(Unary::Cosh, a) * da,
        Unary::Cosh => math::unary(Unary::Sinh, a) * da,
        Unary::Tanh => da / square(math::unary(Unary::Cosh, a)),
        Unary::Asinh => da / math::binary(Binary::Hypot, 1.0, a),
        Unary::Acosh => da / ((a - 1.0).sqrt() * (a + 1.0).sqrt()),
        Unary::Atanh => da / ((1.0 - a) * (1.0 + a)),
        Unary::Exp => value() * da,
        Unary::Ln => da / a,
        Unary::Log10 => da / (a * std::f64::consts::LN_10),
        // The inverse of the standard normal density at the result.
        Unary::Probit => da * std::f64::consts::TAU.sqrt() * math::unary(Unary::Exp, square(value()) / 2.0),
        Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc => 0.0,
        Unary::Not | Unary::IsNan | Unary::IsInf | Unary::IsFinite => 0.0,
    }
}

/// Returns the tangent of `op(a, b)` from those of `a` and `b`.
pub fn binary(op: Binary, (a, da): (f64, f64), (b, db): (f64, f64)) -> f64 {
    if da == 0.0 && db == 0.0 {
        return 0.0;
    }
    let part = |slope: &dyn Fn() -> f64, tangent: f64| if tangent == 0.0 { 0.0 } else { slope() * tangent };
    match op {
        Binary::Add => da + db,
        Binary::Sub => da - db,
        Binary::Mul => part(&|| b, da) + part(&|| a, db),
        Binary::Div => part(&|| 1.0 / b, da) - part(&|| a / b / b, db),
        Binary::Min => {
            if a.is_nan() || a <= b {
                da
            } else {
                db
            }
        }
        Binary::Max => {
            if a.is_nan() || a >= b {
                da
            } else {
                db
            }
        }
        Binary::Pow => {
            let of_base = || if b == 0.0 { 0.0 } else { b * math::binary(Binary::Pow, a, b - 1.0) };
            // At base 0 a power is constant or jumps.
            let of_exponent =
                || if a == 0.0 { 0.0 } else { math::binary(Binary::Pow, a, b) * math::unary(Unary::Ln, a) };
            part(&of_base, da) + part(&of_exponent, db)
        }
        Binary::Atan2 => {
            let length = math::binary(Binary::Hypot, a, b);
            part(&|| b / length / length, da) - part(&|| a / length / length, db)
        }
        Binary::Hypot => {
            let length = math::binary(Binary::Hypot, a, b);
            part(&|| a / length, da) + part(&|| b / length, db)
        }
        Binary::Rem => da - part(&|| (a / b).trunc(), db),
        Binary::Mod if b == 0.0 => da,
        Binary::Mod => da - part(&|| (a / b).floor(), db),
        Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne => 0.0,
        Binary::And | Binary::Or | Binary::Xor => 0.0,
    }
}

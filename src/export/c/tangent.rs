//! The tangents of operations as expressions of C: the formulas of the rows of [`crate::block::math`], whose bits these
//! have.

use super::expression::Calls;
use super::number::literal;
use crate::block::{Binary, Unary};
use crate::engine::Opcode;

/// Whether the tangent of an instruction is computed from the value of an operand, not only from its tangent.
pub fn reads_value(opcode: Opcode, arg: usize) -> bool {
    match opcode {
        Opcode::Copy | Opcode::Unary(Unary::Neg) | Opcode::Binary(Binary::Add | Binary::Sub) => false,
        Opcode::Select => arg == 0,
        Opcode::Pick { .. } => arg == 1,
        _ => true,
    }
}

/// A call of a function of the mathematics.
fn call(name: &'static str, argument: &str, calls: &mut Calls) -> String {
    calls.insert(name);
    format!("simulate_{name}({argument})")
}

/// The part of a tangent that comes from one operand; a tangent of 0 stays 0, whatever the slope.
fn part(slope: &str, tangent: &str) -> String {
    if tangent == "0.0" { tangent.to_owned() } else { format!("(({tangent} == 0.0) ? 0.0 : ({slope} * {tangent}))") }
}

/// The tangent of the result from an operand and its tangent.
pub fn unary_tangent(op: Unary, a: &str, da: &str, calls: &mut Calls) -> String {
    if da == "0.0" {
        return da.to_owned();
    }
    let below = format!("sqrt((1.0 - {a}) * (1.0 + {a}))");
    let slope = match op {
        Unary::Neg => format!("-{da}"),
        Unary::Abs => format!("{} * {da}", call("sign", a, calls)),
        Unary::Sqrt => format!("{da} / (2.0 * sqrt({a}))"),
        Unary::Sin => format!("{} * {da}", call("cos", a, calls)),
        Unary::Cos => format!("-{} * {da}", call("sin", a, calls)),
        Unary::Tan => {
            let tan = call("tan", a, calls);
            format!("(1.0 + ({tan} * {tan})) * {da}")
        }
        Unary::Asin => format!("{da} / {below}"),
        Unary::Acos => format!("-{da} / {below}"),
        Unary::Atan => format!("{da} / (1.0 + ({a} * {a}))"),
        Unary::Sinh => format!("{} * {da}", call("cosh", a, calls)),
        Unary::Cosh => format!("{} * {da}", call("sinh", a, calls)),
        Unary::Tanh => {
            let cosh = call("cosh", a, calls);
            format!("{da} / ({cosh} * {cosh})")
        }
        Unary::Asinh => format!("{da} / {}", call("hypot", &format!("1.0, {a}"), calls)),
        Unary::Acosh => format!("{da} / (sqrt({a} - 1.0) * sqrt({a} + 1.0))"),
        Unary::Atanh => format!("{da} / ((1.0 - {a}) * (1.0 + {a}))"),
        Unary::Exp => format!("{} * {da}", call("exp", a, calls)),
        Unary::Ln => format!("{da} / {a}"),
        Unary::Log10 => format!("{da} / ({a} * {})", literal(std::f64::consts::LN_10)),
        Unary::Probit => {
            let probit = call("probit", a, calls);
            let inverse = call("exp", &format!("({probit} * {probit}) / 2.0"), calls);
            format!("({da} * {}) * {inverse}", literal(std::f64::consts::TAU.sqrt()))
        }
        Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc => return "0.0".to_owned(),
        Unary::Not | Unary::IsNan | Unary::IsInf | Unary::IsFinite => return "0.0".to_owned(),
    };
    format!("({da} == 0.0) ? 0.0 : ({slope})")
}

/// The tangent of the result from the operands and their tangents.
pub fn binary_tangent(op: Binary, [a, b]: [&str; 2], [da, db]: [&str; 2], calls: &mut Calls) -> String {
    if da == "0.0" && db == "0.0" {
        return da.to_owned();
    }
    let slope = match op {
        Binary::Add => format!("{da} + {db}"),
        Binary::Sub => format!("{da} - {db}"),
        Binary::Mul => format!("{} + {}", part(b, da), part(a, db)),
        Binary::Div => format!("{} - {}", part(&format!("(1.0 / {b})"), da), part(&format!("(({a} / {b}) / {b})"), db)),
        Binary::Min | Binary::Max => {
            let relation = if op == Binary::Min { "<=" } else { ">=" };
            format!("({} || ({a} {relation} {b})) ? {da} : {db}", call("is_nan", a, calls))
        }
        Binary::Pow => {
            let less = call("pow", &format!("{a}, {b} - 1.0"), calls);
            let of_base = format!("(({b} == 0.0) ? 0.0 : ({b} * {less}))");
            let power = call("pow", &format!("{a}, {b}"), calls);
            let of_exponent = format!("(({a} == 0.0) ? 0.0 : ({power} * {}))", call("ln", a, calls));
            format!("{} + {}", part(&of_base, da), part(&of_exponent, db))
        }
        Binary::Atan2 | Binary::Hypot => {
            let length = call("hypot", &format!("{a}, {b}"), calls);
            match op {
                Binary::Atan2 => format!(
                    "{} - {}",
                    part(&format!("(({b} / {length}) / {length})"), da),
                    part(&format!("(({a} / {length}) / {length})"), db)
                ),
                _ => format!("{} + {}", part(&format!("({a} / {length})"), da), part(&format!("({b} / {length})"), db)),
            }
        }
        Binary::Rem => format!("{da} - {}", part(&format!("trunc({a} / {b})"), db)),
        Binary::Mod => format!("({b} == 0.0) ? {da} : ({da} - {})", part(&format!("floor({a} / {b})"), db)),
        Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne => return "0.0".to_owned(),
        Binary::And | Binary::Or | Binary::Xor => return "0.0".to_owned(),
    };
    let is_none = match (da, db) {
        ("0.0", changing) | (changing, "0.0") => format!("({changing} == 0.0)"),
        _ => format!("(({da} == 0.0) && ({db} == 0.0))"),
    };
    format!("{is_none} ? 0.0 : ({slope})")
}

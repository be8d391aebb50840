//! Operations of the step code as expressions of C.

use std::collections::BTreeSet;

use crate::block::{Binary, Unary};

/// An expression of C.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    text: String,
    /// The condition, if it is 1 where that holds and else 0.
    truth: Option<String>,
    /// Whether it needs no parentheses.
    is_atom: bool,
}

impl Expr {
    pub fn atom(text: impl Into<String>) -> Expr {
        Expr { text: text.into(), truth: None, is_atom: true }
    }

    fn compound(text: String) -> Expr {
        Expr { text, truth: None, is_atom: false }
    }

    pub fn product(a: &str, b: &str) -> Expr {
        Expr::compound(format!("{a} * {b}"))
    }

    /// 1 where a condition holds, else 0.
    pub fn truth(condition: String) -> Expr {
        Expr { text: format!("({condition}) ? 1.0 : 0.0"), truth: Some(condition), is_atom: false }
    }

    /// As a whole statement or argument.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// As an operand.
    pub fn operand(&self) -> String {
        if self.is_atom { self.text.clone() } else { format!("({})", self.text) }
    }

    /// As a condition in parentheses: whether it is not 0.
    pub fn condition(&self) -> String {
        match &self.truth {
            Some(condition) => format!("({condition})"),
            None => format!("({} != 0.0)", self.operand()),
        }
    }
}

/// The functions of the mathematics that the code calls.
pub type Calls = BTreeSet<&'static str>;

pub fn select(on: &Expr, yes: &Expr, no: &Expr) -> Expr {
    Expr::compound(format!("{} ? {} : {}", on.condition(), yes.operand(), no.operand()))
}

pub fn call(name: &'static str, args: &[&Expr], calls: &mut Calls) -> Expr {
    calls.insert(name);
    let args: Vec<&str> = args.iter().map(|arg| arg.text()).collect();
    Expr::atom(format!("simulate_{name}({})", args.join(", ")))
}

pub fn unary(op: Unary, a: &Expr, calls: &mut Calls) -> Expr {
    // These are exact, or only round, in every library.
    let exact = |name: &str| Expr::atom(format!("{name}({})", a.text()));
    let name = match op {
        Unary::Neg => return Expr::compound(format!("-{}", a.operand())),
        Unary::Not => return Expr::truth(format!("!{}", a.condition())),
        Unary::IsInf => return Expr::truth(format!("fabs({}) == (double)INFINITY", a.text())),
        Unary::IsFinite => return Expr::truth(format!("fabs({}) < (double)INFINITY", a.text())),
        Unary::IsNan => return Expr::truth(call("is_nan", &[a], calls).text),
        Unary::Abs => return exact("fabs"),
        Unary::Sqrt => return exact("sqrt"),
        Unary::Floor => return exact("floor"),
        Unary::Ceil => return exact("ceil"),
        Unary::Round => return exact("round"),
        Unary::Trunc => return exact("trunc"),
        Unary::Single => "single",
        Unary::Sign => "sign",
        Unary::Sin => "sin",
        Unary::Cos => "cos",
        Unary::Tan => "tan",
        Unary::Asin => "asin",
        Unary::Acos => "acos",
        Unary::Atan => "atan",
        Unary::Sinh => "sinh",
        Unary::Cosh => "cosh",
        Unary::Tanh => "tanh",
        Unary::Asinh => "asinh",
        Unary::Acosh => "acosh",
        Unary::Atanh => "atanh",
        Unary::Exp => "exp",
        Unary::Ln => "ln",
        Unary::Log10 => "log10",
        Unary::Probit => "probit",
    };
    call(name, &[a], calls)
}

pub fn binary(op: Binary, a: &Expr, b: &Expr, calls: &mut Calls) -> Expr {
    let infix = |sign: &str| format!("{} {sign} {}", a.operand(), b.operand());
    let both = |sign: &str| format!("{} {sign} {}", a.condition(), b.condition());
    let name = match op {
        Binary::Add => return Expr::compound(infix("+")),
        Binary::Sub => return Expr::compound(infix("-")),
        Binary::Mul => return Expr::compound(infix("*")),
        Binary::Div => return Expr::compound(infix("/")),
        Binary::Lt => return Expr::truth(infix("<")),
        Binary::Le => return Expr::truth(infix("<=")),
        Binary::Gt => return Expr::truth(infix(">")),
        Binary::Ge => return Expr::truth(infix(">=")),
        Binary::Eq => return Expr::truth(infix("==")),
        Binary::Ne => return Expr::truth(infix("!=")),
        Binary::And => return Expr::truth(both("&&")),
        Binary::Or => return Expr::truth(both("||")),
        Binary::Xor => return Expr::truth(both("!=")),
        Binary::Min => "min",
        Binary::Max => "max",
        Binary::Pow => "pow",
        Binary::Atan2 => "atan2",
        Binary::Hypot => "hypot",
        Binary::Rem => "rem",
        Binary::Mod => "mod",
    };
    call(name, &[a, b], calls)
}

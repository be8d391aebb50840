//! Operations of the step code as expressions of C.

use std::collections::BTreeSet;

use super::number::literal;
use crate::block::{Binary, Unary};

/// An expression of C.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    text: String,
    /// The condition, if it is 1 where that holds and else 0.
    truth: Option<Part>,
    /// The whole number, if it is one that is not negative.
    index: Option<Part>,
    /// Whether it needs no parentheses.
    is_atom: bool,
}

/// An expression of another type.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    text: String,
    is_atom: bool,
}

impl Part {
    fn operand(&self) -> String {
        if self.is_atom { self.text.clone() } else { format!("({})", self.text) }
    }
}

impl Expr {
    pub fn atom(text: impl Into<String>) -> Expr {
        Expr { text: text.into(), truth: None, index: None, is_atom: true }
    }

    fn compound(text: String) -> Expr {
        Expr { text, truth: None, index: None, is_atom: false }
    }

    pub fn product(a: &str, b: &str) -> Expr {
        Expr::compound(format!("{a} * {b}"))
    }

    /// A constant.
    pub fn constant(value: f64) -> Expr {
        let truth = match value {
            1.0 => Some("true"),
            0.0 if value.is_sign_positive() => Some("false"),
            _ => None,
        };
        let is_index = value >= 0.0 && value.is_sign_positive() && value == value.trunc() && value < f64::from(1 << 30);
        let part = |text: String| Part { text, is_atom: true };
        Expr {
            text: literal(value),
            truth: truth.map(|text| part(text.to_owned())),
            index: is_index.then(|| part(format!("{value}U"))),
            is_atom: true,
        }
    }

    /// 1 where a condition holds, else 0.
    pub fn truth(condition: String) -> Expr {
        let text = format!("({condition}) ? 1.0 : 0.0");
        let index = Some(Part { text: format!("({condition}) ? 1U : 0U"), is_atom: false });
        Expr { text, truth: Some(Part { text: condition, is_atom: false }), index, is_atom: false }
    }

    /// A variable that is true or false.
    pub fn truth_variable(name: &str) -> Expr {
        let truth = Some(Part { text: name.to_owned(), is_atom: true });
        let index = Some(Part { text: format!("{name} ? 1U : 0U"), is_atom: false });
        Expr { text: format!("{name} ? 1.0 : 0.0"), truth, index, is_atom: false }
    }

    /// A variable with a whole number that is not negative.
    pub fn index_variable(name: &str) -> Expr {
        let index = Some(Part { text: name.to_owned(), is_atom: true });
        Expr { text: format!("(double){name}"), truth: None, index, is_atom: false }
    }

    /// As a whole statement or argument.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// As an operand.
    pub fn operand(&self) -> String {
        if self.is_atom { self.text.clone() } else { format!("({})", self.text) }
    }

    /// As a condition in parentheses, unless it is a name: whether it is not 0.
    pub fn condition(&self) -> String {
        match &self.truth {
            Some(condition) => condition.operand(),
            None => format!("({} != 0.0)", self.operand()),
        }
    }

    /// As a condition in parentheses, unless it is a name: whether it is 1 or more.
    pub fn is_one_or_more(&self) -> String {
        match &self.truth {
            Some(condition) => condition.operand(),
            None => format!("({} >= 1.0)", self.operand()),
        }
    }

    /// Whether it is the constant.
    fn is_constant(&self, text: &str) -> bool {
        self.truth.as_ref().is_some_and(|truth| truth.text == text)
    }

    /// As the value of a variable that is true or false.
    pub fn truth_text(&self) -> String {
        match &self.truth {
            Some(condition) => condition.text.clone(),
            None => format!("{} != 0.0", self.operand()),
        }
    }

    /// As a whole number that is not negative, if it is known to be one.
    pub fn index_text(&self) -> Option<&str> {
        self.index.as_ref().map(|index| &*index.text)
    }

    /// The same, as the value of a variable of that type.
    pub fn whole_text(&self) -> String {
        match &self.index {
            Some(index) => index.text.clone(),
            None => format!("(uint32_t){}", self.operand()),
        }
    }

    /// Forgets that it may be a whole number: it may be negative.
    pub fn without_index(self) -> Expr {
        Expr { index: None, ..self }
    }

    fn with_parts(self, truth: Option<String>, index: Option<String>) -> Expr {
        let part = |text: Option<String>| text.map(|text| Part { text, is_atom: false });
        Expr { truth: part(truth), index: part(index), ..self }
    }
}

/// The functions of the mathematics that the code calls.
pub type Calls = BTreeSet<&'static str>;

pub fn select(on: &Expr, yes: &Expr, no: &Expr) -> Expr {
    let condition = on.condition();
    let parts = |a: &Option<Part>, b: &Option<Part>| {
        let (a, b) = (a.as_ref()?, b.as_ref()?);
        Some(format!("{condition} ? {} : {}", a.operand(), b.operand()))
    };
    let truth = match (yes.text(), no.text()) {
        ("1.0", "0.0") => Some(on.truth_text()),
        ("0.0", "1.0") => Some(format!("!{condition}")),
        _ => parts(&yes.truth, &no.truth),
    };
    let text = format!("{condition} ? {} : {}", yes.operand(), no.operand());
    Expr::compound(text).with_parts(truth, parts(&yes.index, &no.index))
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
    let whole = |sign: &str| {
        let (a, b) = (a.index.as_ref()?, b.index.as_ref()?);
        Some(format!("{} {sign} {}", a.operand(), b.operand()))
    };
    let both = |sign: &str| format!("{} {sign} {}", a.condition(), b.condition());
    let name = match op {
        Binary::Add => return Expr::compound(infix("+")).with_parts(None, whole("+")),
        Binary::Sub => return Expr::compound(infix("-")).with_parts(None, whole("-")),
        Binary::Mul => return Expr::compound(infix("*")),
        Binary::Div => return Expr::compound(infix("/")),
        Binary::Lt => return Expr::truth(infix("<")),
        Binary::Le => return Expr::truth(infix("<=")),
        Binary::Gt => return Expr::truth(infix(">")),
        Binary::Ge => return Expr::truth(infix(">=")),
        Binary::Eq => return Expr::truth(infix("==")),
        Binary::Ne => return Expr::truth(infix("!=")),
        // Only constants are left out: another operand might be a variable that nothing else reads.
        Binary::And if a.is_constant("true") => return Expr::truth(b.truth_text()),
        Binary::And if b.is_constant("true") => return Expr::truth(a.truth_text()),
        Binary::And => return Expr::truth(both("&&")),
        Binary::Or if a.is_constant("false") => return Expr::truth(b.truth_text()),
        Binary::Or if b.is_constant("false") => return Expr::truth(a.truth_text()),
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

//! The functions of expressions.

use super::{Binary, Unary};

#[derive(Debug, PartialEq)]
pub struct Function {
    pub name: &'static str,
    pub kind: FunctionKind,
    /// The notation and the result, as help text.
    pub doc: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    Unary(Unary),
    Binary(Binary),
    /// Reduces two or more arguments, or the elements of a single one, to one.
    Row(Binary),
    /// Reduces the elements of a vector to one.
    Fold(Binary),
    If,
    Length,
    Dot,
    /// The arguments are first, last, count.
    Linspace,
    /// A vector of equal elements of this value.
    Fill(u8),
}

impl Function {
    pub fn by_name(name: &str) -> Option<&'static Function> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// Returns the minimum and maximum number of arguments.
    pub fn arguments(&self) -> (usize, usize) {
        match self.kind {
            FunctionKind::Unary(_) | FunctionKind::Fold(_) | FunctionKind::Length | FunctionKind::Fill(_) => (1, 1),
            FunctionKind::Binary(_) | FunctionKind::Dot => (2, 2),
            FunctionKind::Row(_) => (1, usize::MAX),
            FunctionKind::If | FunctionKind::Linspace => (3, 3),
        }
    }
}

const fn unary(name: &'static str, op: Unary, doc: &'static str) -> Function {
    Function { name, kind: FunctionKind::Unary(op), doc }
}

const fn binary(name: &'static str, op: Binary, doc: &'static str) -> Function {
    Function { name, kind: FunctionKind::Binary(op), doc }
}

pub static FUNCTIONS: &[Function] = &[
    unary("sin", Unary::Sin, "sin(x): sine of x in radians"),
    unary("cos", Unary::Cos, "cos(x): cosine of x in radians"),
    unary("tan", Unary::Tan, "tan(x): tangent of x in radians"),
    unary("asin", Unary::Asin, "asin(x): arcsine in radians"),
    unary("acos", Unary::Acos, "acos(x): arccosine in radians"),
    unary("atan", Unary::Atan, "atan(x): arctangent in radians"),
    unary("sinh", Unary::Sinh, "sinh(x): hyperbolic sine"),
    unary("cosh", Unary::Cosh, "cosh(x): hyperbolic cosine"),
    unary("tanh", Unary::Tanh, "tanh(x): hyperbolic tangent"),
    unary("asinh", Unary::Asinh, "asinh(x): inverse of sinh"),
    unary("acosh", Unary::Acosh, "acosh(x): inverse of cosh"),
    unary("atanh", Unary::Atanh, "atanh(x): inverse of tanh"),
    unary("exp", Unary::Exp, "exp(x): e to the power of x"),
    unary("log", Unary::Ln, "log(x): natural logarithm"),
    unary("ln", Unary::Ln, "ln(x): natural logarithm"),
    unary("log10", Unary::Log10, "log10(x): base-10 logarithm"),
    unary("sqrt", Unary::Sqrt, "sqrt(x): square root"),
    unary("abs", Unary::Abs, "abs(x): absolute value"),
    unary("sign", Unary::Sign, "sign(x): -1, 0 or 1"),
    unary("floor", Unary::Floor, "floor(x): x rounded down to an integer"),
    unary("ceil", Unary::Ceil, "ceil(x): x rounded up to an integer"),
    unary("round", Unary::Round, "round(x): x rounded to the nearest integer, halves away from 0"),
    unary("trunc", Unary::Trunc, "trunc(x): x rounded towards 0"),
    unary("fix", Unary::Trunc, "fix(x): x rounded towards 0"),
    unary("isnan", Unary::IsNan, "isnan(x): 1 where x is not-a-number"),
    unary("isinf", Unary::IsInf, "isinf(x): 1 where x is infinite"),
    unary("isfinite", Unary::IsFinite, "isfinite(x): 1 where x is neither infinite nor not-a-number"),
    Function {
        name: "min",
        kind: FunctionKind::Row(Binary::Min),
        doc: "min(a, b, …): the smallest; of a vector its smallest element",
    },
    Function {
        name: "max",
        kind: FunctionKind::Row(Binary::Max),
        doc: "max(a, b, …): the largest; of a vector its largest element",
    },
    binary("pow", Binary::Pow, "pow(a, b): a to the power of b"),
    binary("atan2", Binary::Atan2, "atan2(y, x): the angle of the point x, y"),
    binary("hypot", Binary::Hypot, "hypot(a, b): sqrt(a^2 + b^2)"),
    binary("rem", Binary::Rem, "rem(a, b): the remainder of a / b, with the sign of a"),
    binary("mod", Binary::Mod, "mod(a, b): the remainder of a / b, with the sign of b"),
    binary("xor", Binary::Xor, "xor(a, b): 1 where exactly one of them is nonzero"),
    Function { name: "if", kind: FunctionKind::If, doc: "if(c, a, b): a where c is nonzero, else b" },
    Function { name: "sum", kind: FunctionKind::Fold(Binary::Add), doc: "sum(v): the sum of all elements" },
    Function { name: "prod", kind: FunctionKind::Fold(Binary::Mul), doc: "prod(v): the product of all elements" },
    Function { name: "dot", kind: FunctionKind::Dot, doc: "dot(a, b): the sum of a * b" },
    Function { name: "length", kind: FunctionKind::Length, doc: "length(v): the number of elements of v" },
    Function { name: "linspace", kind: FunctionKind::Linspace, doc: "linspace(a, b, n): n numbers from a to b" },
    Function { name: "zeros", kind: FunctionKind::Fill(0), doc: "zeros(n): a vector of n zeros" },
    Function { name: "ones", kind: FunctionKind::Fill(1), doc: "ones(n): a vector of n ones" },
];

//! Ordinary mathematics as text: `2*pi*f0`, `[1 2 3]`, `k*sin(2*pi*f*t) + max(u1, u2)`.
//!
//! One grammar serves parameters, whose expressions become numbers, and the formula block, whose become instructions;
//! both are an [`Algebra`]. Everything works lane by lane, a single lane meeting all of the other's.
//!
//! | from loosest to tightest | |
//! |---|---|
//! | `c ? a : b` | `a` where `c` is not 0 |
//! | `\|\|`, then `&&` | 0 or 1 |
//! | `== != < <= > >=` | 0 or 1 |
//! | `+ -` | |
//! | `* /`, also `.* ./` | lane by lane |
//! | `- + !` before a value | |
//! | `^`, also `.^` | from the right: `2^3^2` is `2^9`, `-2^2` is `-4` |
//! | `f(a, b)`, `v(i)` | a function; the lane of a vector, from 1 |
//!
//! `[a b; c, d]` is all lanes in a row, and in it `a:b` and `a:step:b` count up.

mod evaluate;
mod function;
mod numbers;
mod parse;
mod scan;

use std::ops::Range;

pub use evaluate::{Algebra, evaluate};
pub use function::{FUNCTIONS, Function, What};
pub use numbers::{Names, NoNames, numbers};

use super::{Binary, Unary};

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub kind: Kind,
    /// The characters it stands at, from 0.
    pub place: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Number(f64),
    Name(String),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<[Expression; 2]>),
    /// Condition, yes, no.
    Choose(Box<[Expression; 3]>),
    Call(&'static Function, Vec<Expression>),
    /// The lane of a named vector, from 1.
    Lane(String, Box<Expression>),
    Vector(Vec<Expression>),
    /// First, step, last.
    Range(Box<[Expression; 3]>),
}

/// What a line's name ends with that gives a rate of change: `x' = -x`.
pub const RATE: &str = "'";

/// Several results, each of which later ones may use: `a = u1 + u2; y = a^2`.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    pub lines: Vec<(String, Expression)>,
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}, at character {}", .at + 1)]
pub struct ExpressionError {
    /// The character, from 0.
    pub at: usize,
    pub problem: String,
}

impl ExpressionError {
    fn new(at: usize, problem: impl Into<String>) -> ExpressionError {
        ExpressionError { at, problem: problem.into() }
    }
}

impl Expression {
    /// # Errors
    /// Where the text is no expression.
    pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
        parse::expression(text)
    }

    /// Calls `f` with each name that is no function's.
    pub fn each_name<'a>(&'a self, f: &mut impl FnMut(&'a str, usize)) {
        match &self.kind {
            Kind::Number(_) => {}
            Kind::Name(name) => f(name, self.place.start),
            Kind::Lane(name, index) => {
                f(name, self.place.start);
                index.each_name(f);
            }
            Kind::Unary(_, a) => a.each_name(f),
            Kind::Binary(_, parts) => parts.iter().for_each(|part| part.each_name(f)),
            Kind::Choose(parts) | Kind::Range(parts) => parts.iter().for_each(|part| part.each_name(f)),
            Kind::Call(_, parts) | Kind::Vector(parts) => parts.iter().for_each(|part| part.each_name(f)),
        }
    }
}

impl Formula {
    /// # Errors
    /// Where the text is no row of `name = expression` or `name' = expression`, with `;` or line ends between them.
    pub fn parse(text: &str) -> Result<Formula, ExpressionError> {
        parse::formula(text)
    }

    /// Names whose rates of change lines give.
    pub fn states(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|(name, _)| name.strip_suffix(RATE))
    }

    /// Names that are used before a line gives them a value, those of [`Formula::states`] left out, each with the character of its first use.
    pub fn free_names(&self) -> Vec<(&str, usize)> {
        let mut known: Vec<&str> = self.states().collect();
        let mut free: Vec<(&str, usize)> = Vec::new();
        for (name, expression) in &self.lines {
            expression.each_name(&mut |used, at| {
                if !known.contains(&used) && !free.iter().any(|(free, _)| *free == used) {
                    free.push((used, at));
                }
            });
            known.push(name);
        }
        free
    }
}

/// Values that have a name everywhere.
pub fn constant(name: &str) -> Option<f64> {
    match name {
        "pi" | "π" => Some(std::f64::consts::PI),
        "e" => Some(std::f64::consts::E),
        "inf" | "Inf" => Some(f64::INFINITY),
        "nan" | "NaN" => Some(f64::NAN),
        _ => None,
    }
}

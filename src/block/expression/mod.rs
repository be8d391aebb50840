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
//! `[a b; c, d]` is a matrix of two rows, kept row after row; its rows are equally long. In it `a:b` and `a:step:b`
//! count up.
//!
//! Sizes have limits ([`super::limits`]): how deep an expression is nested, how wide its values are, and how much work
//! it makes. What stands side by side, such as the terms of a sum, may be as long as the text.

mod evaluate;
mod function;
mod numbers;
mod parse;
mod scan;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

pub use evaluate::{Algebra, evaluate};
pub use function::{FUNCTIONS, Function, What};
pub(crate) use numbers::of_expression;
pub use numbers::{Matrix, Names, NoNames, matrix, numbers};

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
    /// The first, and what is combined with it from the left on: `a + b - c`. A row of a thousand terms is one level.
    Binary(Box<Expression>, Vec<(Binary, Expression)>),
    /// Condition, yes, no.
    Choose(Box<[Expression; 3]>),
    Call(&'static Function, Vec<Expression>),
    /// The lane of a named vector, from 1.
    Lane(String, Box<Expression>),
    /// Rows, one above the other; a vector is a single one.
    Vector(Vec<Vec<Expression>>),
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
pub struct ExpressionError {
    /// The character, from 0.
    pub at: usize,
    pub problem: String,
    /// The problem names what is wrong: the place says nothing more.
    pub is_whole: bool,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_whole {
            true => f.write_str(&self.problem),
            false => write!(f, "{}, at character {}", self.problem, self.at + 1),
        }
    }
}

impl ExpressionError {
    fn new(at: usize, problem: impl Into<String>) -> ExpressionError {
        ExpressionError { at, problem: problem.into(), is_whole: false }
    }

    /// A name that nothing has.
    pub(crate) fn unknown(at: usize, name: &str, known: &[String]) -> ExpressionError {
        let known = if known.is_empty() { String::new() } else { format!("; known are: {}", some_names(known)) };
        let problem = format!("unknown variable \"{}\"{known}", cut(name));
        ExpressionError { at, problem, is_whole: true }
    }

    /// What is wrong in `text`, which is quoted where that says more.
    pub(crate) fn told_of(&self, text: &str) -> String {
        if self.is_whole { self.to_string() } else { format!("{}: {self}", quoted(text)) }
    }
}

/// Names for a message: the first of them.
pub(crate) fn some_names(names: &[String]) -> String {
    const MOST: usize = 12;
    let shown = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(MOST) {
        Some(more) if more > 0 => format!("{shown} and {more} more"),
        _ => shown,
    }
}

/// A text as messages quote it: cut where it is long.
pub(crate) fn quoted(text: &str) -> String {
    format!("“{}”", cut(text))
}

fn cut(text: &str) -> Cow<'_, str> {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)).into(),
        None => text.into(),
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
            Kind::Binary(first, rest) => {
                first.each_name(f);
                rest.iter().for_each(|(_, part)| part.each_name(f));
            }
            Kind::Choose(parts) | Kind::Range(parts) => parts.iter().for_each(|part| part.each_name(f)),
            Kind::Call(_, parts) => parts.iter().for_each(|part| part.each_name(f)),
            Kind::Vector(rows) => rows.iter().flatten().for_each(|part| part.each_name(f)),
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
        // What has a value, and then what was found to have none.
        let mut known: HashSet<&str> = self.states().collect();
        let mut met: HashSet<&str> = HashSet::new();
        let mut free: Vec<(&str, usize)> = Vec::new();
        for (name, expression) in &self.lines {
            expression.each_name(&mut |used, at| {
                if !known.contains(used) && met.insert(used) {
                    free.push((used, at));
                }
            });
            known.insert(name);
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

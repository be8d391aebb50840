//! The language of expressions, formulas and code: `2*pi*f0`, `y = k*sin(t)`, `function y = f(u) … end`.
//!
//! One grammar and one evaluator serve parameters, whose expressions evaluate to numbers, and the blocks Formula, ODE and
//! Function, whose text evaluates to instructions; each is an [`Algebra`]. A value is a matrix, whose size is known.
//!
//! | file | contents |
//! |---|---|
//! | `scan`, `parse` | from characters to tokens, from tokens to expressions |
//! | `statements` | the statements of code, and their parser |
//! | `value`, `class`, `structure` | matrices of numbers or instructions, their classes, structures |
//! | `rounding` | arithmetic in the classes of numbers |
//! | `evaluate`, `matrices`, `index`, `linear` | expressions; matrices of parts; elements; products and quotients |
//! | `function`, `call`, `code_functions`, `series`, `tables`, `integers` | the table of functions, calls, and what only code has |
//! | `chosen` | elements that a condition of the run chooses, reduced at once |
//! | `scope`, `run`, `branches` | the variables of code, its statements, branches and loops |
//! | `numbers` | the evaluation to numbers |
//! | `watch`, `notes` | code as an editor follows it in a run |
//! | `words`, `help` | the words of code, for colours in an editor; what it offers |
//!
//! Operators of expressions:
//!
//! | from loosest to tightest | |
//! |---|---|
//! | `c ? a : b` | `a` where `c` is not 0 |
//! | `\|\|`, then `&&` | 0 or 1 |
//! | `== != < <= > >=` | 0 or 1 |
//! | `+ -` | |
//! | `* /`, also `.* ./` | element by element |
//! | `- + !` before a value | |
//! | `^`, also `.^` | from the right: `2^3^2` is `2^9`, `-2^2` is `-4` |
//! | `f(a, b)`, `v(i)` | a function; an element of a vector, counted from 1 |
//!
//! `[a b; c, d]` is a matrix of two rows of equal length, stored row after row. In it `a:b` and `a:step:b` are ranges. In an
//! expression a vector has no direction. Code follows MATLAB and GNU Octave instead where these differ: `*`, `/` and `^` are
//! those of matrices, powers are read from the left, `&` and `|` are operators, ranges are values, and vectors are rows or
//! columns.
//!
//! There are limits ([`super::limits`]) for the depth of nesting, the width of values and the amount of computation. A
//! sequence, such as the terms of a sum, may be as long as the text.

mod branches;
mod call;
mod chosen;
mod class;
mod code_functions;
mod evaluate;
mod function;
mod help;
mod index;
mod integers;
mod linear;
mod matrices;
mod notes;
mod numbers;
mod parse;
mod rounding;
mod run;
mod scan;
mod scope;
mod series;
mod statements;
mod structure;
mod tables;
mod value;
mod watch;
mod words;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

pub use evaluate::{Algebra, evaluate};
pub use function::{FUNCTIONS, Function, FunctionKind};
pub use help::{CONSTANTS, KEYWORDS};
pub use notes::Shape;
pub(crate) use numbers::of_expression;
pub use numbers::{Matrix, Names, NoNames, Numbers, VariableError, matrix, numbers};
pub use run::{Program, Run, run};
pub(crate) use structure::of_signal;
pub use value::Value;
pub use watch::{Kept, Note, Watched, WatchedArgument, line_values, watch};
pub use words::{Word, words};

use super::{Binary, Unary};

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub kind: Kind,
    /// The index of its first character in the text, from 0; of an operation, of its first operand.
    pub at: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Number(f64),
    Text(String),
    Name(String),
    Unary(Unary, Box<Expression>),
    /// The first operand and those combined with it from left to right: `a + b - c`. A sum of many terms is one level.
    Binary(Box<Expression>, Vec<(Infix, Expression)>),
    Transpose(Box<Expression>),
    /// The condition, and the values where it holds and where not.
    Choose(Box<[Expression; 3]>),
    Call(&'static Function, Vec<Expression>),
    /// A name with arguments in round brackets: the elements of a variable, counted from 1, or a call.
    Apply(String, Vec<Expression>),
    /// As an argument: all elements, `:`.
    All,
    /// In an argument: the number of the last element, `end`.
    End,
    /// The rows of a matrix, of which a vector has one.
    Vector(Vec<Vec<Expression>>),
    /// The first value, the step and the last value.
    Range(Box<[Expression; 3]>),
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infix {
    /// Element by element.
    Each(Binary),
    /// The products of matrices, and of scalars: `*`, `/`, `\` and `^` in code.
    Product,
    RightDivide,
    LeftDivide,
    Power,
    /// Between the bounds of a range, while it is parsed.
    Range,
}

/// The predefined names of a formula: the time and the step size, in seconds.
pub const FORMULA_TIME: [&str; 2] = ["t", "dt"];

/// The suffix of the name of a line that defines a rate of change: `x' = -x`.
pub const RATE: &str = "'";

/// A sequence of named expressions, each of which may use the ones before it: `a = u1 + u2; y = a^2`.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    pub lines: Vec<(String, Expression)>,
}

/// An error in the text of an expression, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ExpressionError {
    /// The index of the character, from 0.
    pub at: usize,
    pub problem: String,
    /// Whether the problem names the faulty part, so that the position is omitted.
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

    /// The error of an unknown name.
    pub(crate) fn unknown(at: usize, name: &str, known: &[String]) -> ExpressionError {
        let known = if known.is_empty() { String::new() } else { format!("; known are: {}", some_names(known)) };
        let problem = format!("unknown variable \"{}\"{known}", cut(name));
        ExpressionError { at, problem, is_whole: true }
    }

    /// Returns the message for an error in code: the line and column, the problem, and the line with a mark below the place.
    pub fn message_in_code(&self, text: &str) -> String {
        let before: String = text.chars().take(self.at).collect();
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or("").chars().count();
        let shown = text.lines().nth(line).unwrap_or("");
        format!("line {}, column {}: {}\n{shown}\n{}^", line + 1, column + 1, self.problem, " ".repeat(column))
    }

    /// Returns the message for an error in `text`, which is quoted unless the problem names the faulty part.
    pub(crate) fn message_for(&self, text: &str) -> String {
        if self.is_whole { self.to_string() } else { format!("{}: {self}", quoted(text)) }
    }
}

/// Returns the first of the names as text for a message.
pub(crate) fn some_names(names: &[String]) -> String {
    const MAX_NAMES: usize = 12;
    let shown = names.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(MAX_NAMES) {
        Some(more) if more > 0 => format!("{shown} and {more} more"),
        _ => shown,
    }
}

/// Returns a text in quotation marks for a message, shortened if it is long.
pub(crate) fn quoted(text: &str) -> String {
    format!("“{}”", cut(text))
}

fn cut(text: &str) -> Cow<'_, str> {
    const MAX_LETTERS: usize = 200;
    match text.char_indices().nth(MAX_LETTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)).into(),
        None => text.into(),
    }
}

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// Fails if the text is not an expression.
    pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
        parse::expression(text)
    }

    /// Calls `f` with each name that is not a function, and its position.
    pub fn each_name<'a>(&'a self, f: &mut impl FnMut(&'a str, usize)) {
        match &self.kind {
            Kind::Number(_) | Kind::Text(_) | Kind::All | Kind::End => {}
            Kind::Name(name) => f(name, self.at),
            Kind::Apply(name, parts) => {
                f(name, self.at);
                parts.iter().for_each(|part| part.each_name(f));
            }
            Kind::Unary(_, a) | Kind::Transpose(a) => a.each_name(f),
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
    /// Parses lines `name = expression` or `name' = expression`, separated by `;` or line ends.
    ///
    /// # Errors
    /// Fails if the text is not a sequence of such lines.
    pub fn parse(text: &str) -> Result<Formula, ExpressionError> {
        parse::formula(text)
    }

    /// Returns the names whose rates of change are defined.
    pub fn states(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|(name, _)| name.strip_suffix(RATE))
    }

    /// Returns the names other than [`Formula::states`] that are used before a line defines them, each with the index
    /// of the character of its first use.
    pub fn free_names(&self) -> Vec<(&str, usize)> {
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

/// Whether a name has a meaning without being set: a constant, the time or the step size.
pub(crate) fn is_predefined(name: &str) -> bool {
    constant(name).is_some() || constant_of_code(name).is_some() || FORMULA_TIME.contains(&name)
}

/// Returns the value of a constant that only code has.
fn constant_of_code(name: &str) -> Option<f64> {
    match name {
        "true" => Some(1.0),
        "false" => Some(0.0),
        _ => None,
    }
}

/// Returns the value of a predefined constant.
pub fn constant(name: &str) -> Option<f64> {
    match name {
        "pi" | "π" => Some(std::f64::consts::PI),
        "e" => Some(std::f64::consts::E),
        "inf" | "Inf" => Some(f64::INFINITY),
        "nan" | "NaN" => Some(f64::NAN),
        _ => None,
    }
}

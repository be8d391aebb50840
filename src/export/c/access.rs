//! Elements of arrays and tables, and the clock, as expressions.

use std::collections::BTreeMap;

use super::expression::Expr;
use super::number::unsigned;
use crate::block::SampleTime;

/// Tables of constants in the file, by their contents.
#[derive(Debug, Default)]
pub struct Tables {
    known: BTreeMap<(&'static str, Vec<String>), String>,
    /// In order.
    pub made: Vec<(String, &'static str, Vec<String>)>,
}

impl Tables {
    /// Returns the name of a table with these elements.
    pub fn of(&mut self, kind: &'static str, elements: Vec<String>) -> String {
        let next = self.known.len() + 1;
        let name = self.known.entry((kind, elements.clone())).or_insert_with(|| format!("table_{next}"));
        if self.made.len() < next && name.ends_with(&next.to_string()) && *name == format!("table_{next}") {
            self.made.push((name.clone(), kind, elements));
        }
        name.clone()
    }
}

/// How the elements of an operand are read.
pub enum Access {
    /// The same expression for all elements.
    Scalar(Expr),
    /// An expression with the index `i`.
    Indexed(Expr),
    /// An array with a first element and a distance between elements.
    Array { name: String, first: u32, stride: u32 },
    /// An array whose index comes from a table.
    Table { name: String, table: String },
}

impl Access {
    /// The element at an index, as an expression.
    pub fn at(&self, at: &str) -> Expr {
        match self {
            Access::Scalar(expr) | Access::Indexed(expr) => expr.clone(),
            Access::Array { name, first, stride } => Expr::atom(format!("{name}[{}]", index(*first, *stride, at))),
            Access::Table { name, table } => Expr::atom(format!("{name}[{table}[{at}]]")),
        }
    }
}

/// The index of an element of a row.
pub fn index(first: u32, stride: u32, at: &str) -> String {
    match (first, stride) {
        (0, 1) => at.to_owned(),
        (0, stride) => format!("{stride}U * {at}"),
        (first, 1) => format!("{first}U + {at}"),
        (first, stride) => format!("{first}U + ({stride}U * {at})"),
    }
}

/// `counted` are the sample times of which the instance counts the steps until the next hit: processors without a wide
/// division take long for a remainder.
pub fn hit(sample: SampleTime, counted: &[SampleTime]) -> Expr {
    if counted.contains(&sample) {
        return Expr::truth(format!("self->clock.{} == 0U", counter(sample)));
    }
    let SampleTime { period, offset } = sample;
    let (period_text, offset_text) = (unsigned(period), unsigned(offset));
    match (period, offset) {
        (1, 0) => Expr::atom("1.0"),
        (_, 0) => Expr::truth(format!("(self->step % {period_text}) == 0U")),
        _ => Expr::truth(format!(
            "(self->step >= {offset_text}) && (((self->step - {offset_text}) % {period_text}) == 0U)"
        )),
    }
}

/// The member that counts the steps until the next hit.
pub fn counter(SampleTime { period, offset }: SampleTime) -> String {
    if offset == 0 { format!("until_hit_{period}") } else { format!("until_hit_{period}_from_{offset}") }
}

/// The number of earlier hits.
pub fn counted(SampleTime { period, offset }: SampleTime) -> String {
    let (period_text, offset_text) = (unsigned(period), unsigned(offset));
    let since = match offset {
        0 => "self->step".to_owned(),
        _ => format!("((self->step < {offset_text}) ? 0U : (self->step - {offset_text}))"),
    };
    if period == 1 { since } else { format!("{since} / {period_text}") }
}

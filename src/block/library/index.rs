//! Indices of elements, counted from 0 or 1.

use super::steps;
use crate::block::{Builder, Expr, ParamDef};

/// The parameter with the index of the first element.
pub(super) const FIRST: ParamDef = ParamDef::integer("First Index", 1, 0, 1).doc("The index of the first element");

/// Returns the index of the first element.
pub(super) fn first(b: &Builder) -> f64 {
    b.settings().integer("First Index") as f64
}

/// Returns an index signal counted from 0 and truncated to an integer; the jumps are located.
pub(super) fn from_zero<'b>(b: &'b Builder<'b>, index: Expr<'b>) -> Expr<'b> {
    steps::rounded(b, index, "fix") - first(b)
}

/// Returns the indices of a fixed parameter counted from 0; records an error for an index out of range.
pub(super) fn numbers(b: &Builder, param: &'static str, count: usize) -> Vec<usize> {
    let first = first(b);
    let mut numbers = Vec::new();
    for &number in b.settings().numbers(param) {
        let index = number - first;
        if index.fract() == 0.0 && index >= 0.0 && index < count as f64 {
            numbers.push(index as usize);
        } else {
            let last = count as f64 - 1.0 + first;
            b.refuse(param, format!("there is no element {number}; the elements are {first} to {last}"));
        }
    }
    numbers
}

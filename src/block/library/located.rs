//! Operations whose kinks and jumps solvers of variable step locate; with other solvers they are the plain operations.

use super::steps;
use crate::block::{Binary, Builder, Expr, Unary};

/// The elements of a vector between which [`extreme`] locates kinks, at most: each takes instructions of its own.
const MAX_COMPARED: usize = 64;

/// Returns the operation of a value.
pub(super) fn unary<'b>(b: &'b Builder<'b>, op: Unary, a: Expr<'b>) -> Expr<'b> {
    if a.is_constant() || !b.locates() {
        return a.unary(op);
    }
    match op {
        Unary::Abs => {
            b.crossing(a);
            a.abs()
        }
        Unary::Sign => b.decided(a.sign(), a),
        Unary::Floor => steps::rounded(b, a, "floor"),
        Unary::Ceil => steps::rounded(b, a, "ceil"),
        Unary::Round => steps::rounded(b, a, "round"),
        Unary::Trunc => steps::rounded(b, a, "fix"),
        _ => a.unary(op),
    }
}

/// Returns the operation of two values of matching widths.
pub(super) fn binary<'b>(b: &'b Builder<'b>, op: Binary, left: Expr<'b>, right: Expr<'b>) -> Expr<'b> {
    let value = left.binary(op, right);
    if left.is_constant() && right.is_constant() || !b.locates() {
        return value;
    }
    match op {
        Binary::Min | Binary::Max => {
            b.crossing(left - right);
            value
        }
        Binary::Rem | Binary::Mod => {
            let how = if op == Binary::Rem { "fix" } else { "floor" };
            // The straight line through the piece that was decided; the remainder itself is exact, but jumps.
            let line = left - steps::rounded(b, left / right, how) * right;
            b.select((value - line).abs().gt(right.abs() * 0.5), line, value)
        }
        op if is_relation(op) => b.decided(value, left - right),
        _ => value,
    }
}

/// Returns the minimum or maximum of all elements.
pub(super) fn extreme<'b>(b: &'b Builder<'b>, op: Binary, of: Expr<'b>) -> Expr<'b> {
    if b.locates() && !of.is_constant() && (2..=MAX_COMPARED).contains(&of.width()) {
        of.elements().into_iter().reduce(|chosen, element| {
            b.crossing(chosen - element);
            chosen.binary(op, element)
        });
    }
    of.fold(op)
}

/// Whether the operation compares.
pub(super) fn is_relation(op: Binary) -> bool {
    matches!(op, Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne)
}

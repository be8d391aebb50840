//! Decides which of its pieces a periodic source is in.

use crate::block::{Builder, Expr};

/// The tolerance in periods that keeps an edge on a step of fixed length there, whatever the rounding of the quotient.
const TOLERANCE: f64 = 1e-9;

/// Returns the number of periods since `origin`, by which a source decides.
pub(super) fn periods<'b>(b: &'b Builder<'b>, origin: Expr<'b>, period: Expr<'b>) -> Expr<'b> {
    with_tolerance(b, b.decided_since(origin) / period)
}

/// Returns the number of turns since time 0, by which a source of a frequency decides.
pub(super) fn turns<'b>(b: &'b Builder<'b>, frequency: Expr<'b>, per_turn: f64) -> Expr<'b> {
    with_tolerance(b, frequency * b.time_of_decision() / per_turn)
}

fn with_tolerance<'b>(b: &'b Builder<'b>, count: Expr<'b>) -> Expr<'b> {
    if b.locates() { count } else { count + TOLERANCE }
}

/// Returns the number of the piece in which a count is that grows with time, or falls with it where `is_falling`: pieces
/// end at whole numbers.
pub(super) fn piece<'b>(b: &'b Builder<'b>, count: Expr<'b>, is_falling: Expr<'b>) -> Expr<'b> {
    if b.locates() { b.select(is_falling, count.ceil() - 1.0, count.floor()) } else { count.floor() }
}

/// Returns the whole number at which the piece ends.
pub(super) fn end<'b>(b: &'b Builder<'b>, piece: Expr<'b>, is_falling: Expr<'b>) -> Expr<'b> {
    b.select(is_falling, piece, piece + 1.0)
}

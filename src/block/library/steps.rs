//! Values that change in steps.

use crate::block::{Builder, Expr};

/// Returns `y`, which is constant while `u` is within `below` and `above` of it, and then jumps; solvers of variable
/// step locate the jumps.
pub(super) fn located<'b>(b: &'b Builder<'b>, u: Expr<'b>, y: Expr<'b>, below: Expr<'b>, above: Expr<'b>) -> Expr<'b> {
    let y = b.settled(y);
    b.crossing(u - (y + above));
    b.crossing(u - (y - below));
    y
}

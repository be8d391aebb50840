//! Values that go up and down in steps.

use crate::block::{Builder, Expr};

/// `y`, which stays while `u` is no further below and above it than this, and then jumps: solvers of variable step
/// locate where.
pub(super) fn located<'b>(b: &'b Builder<'b>, u: Expr<'b>, y: Expr<'b>, below: Expr<'b>, above: Expr<'b>) -> Expr<'b> {
    let y = b.settled(y);
    b.crossing(u - (y + above));
    b.crossing(u - (y - below));
    y
}

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

/// Returns `u` rounded to an integer: `floor`, `ceil`, `round` to the nearest, or `fix` towards zero; the jumps are
/// located.
pub(super) fn rounded<'b>(b: &'b Builder<'b>, u: Expr<'b>, how: &str) -> Expr<'b> {
    let (half, one, zero) = (b.constant(0.5), b.constant(1.0), b.constant(0.0));
    // Each result with the distances below and above it that are rounded to it.
    let (y, below, above) = match how {
        "ceil" => (u.ceil(), one, zero),
        "round" => (u.round(), half, half),
        "fix" => {
            let y = u.trunc();
            (y, b.select(y.gt(zero), zero, one), b.select(y.lt(zero), zero, one))
        }
        _ => (u.floor(), zero, one),
    };
    located(b, u, y, below, above)
}

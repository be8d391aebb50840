//! Values that change in steps.

use crate::block::{Builder, Expr};

/// Returns `y`, which is constant while `u` is within some distances below and above of it, and then jumps; solvers of
/// variable step locate the jumps. The distances depend on the `y` that was decided.
pub(super) fn located<'b>(
    b: &'b Builder<'b>,
    u: Expr<'b>,
    y: Expr<'b>,
    distances: impl FnOnce(Expr<'b>) -> [Expr<'b>; 2],
) -> Expr<'b> {
    let y = b.settled(y);
    let [below, above] = distances(y);
    b.crossing(u - (y + above));
    b.crossing(u - (y - below));
    y
}

/// Returns `u` rounded to an integer: `floor`, `ceil`, `round` to the nearest, or `fix` towards zero; the jumps are
/// located.
pub(super) fn rounded<'b>(b: &'b Builder<'b>, u: Expr<'b>, how: &str) -> Expr<'b> {
    let (half, one, zero) = (b.constant(0.5), b.constant(1.0), b.constant(0.0));
    // Each result with the distances below and above it that are rounded to it.
    match how {
        "ceil" => located(b, u, u.ceil(), |_| [one, zero]),
        "round" => located(b, u, u.round(), |_| [half, half]),
        "fix" => located(b, u, u.trunc(), |y| [b.select(y.gt(zero), zero, one), b.select(y.lt(zero), zero, one)]),
        _ => located(b, u, u.floor(), |_| [zero, one]),
    }
}

//! Interpolation of a signal's past, of order four where it is smooth.

use crate::block::{Builder, Expr};

/// A past value of a signal, and its position on an axis of time that increases from old to new; −∞ if it was never put
/// in.
#[derive(Clone, Copy)]
pub(super) struct PastPoint<'b> {
    pub at: Expr<'b>,
    pub value: Expr<'b>,
}

/// Interpolates at `x` between the third and the fourth of six points, which are sorted from old to new. Of the last two,
/// those exist for which `newer` is 1.
///
/// A cubic polynomial runs through four of the points: the two around `x` with one on each side, or with two newer or two
/// older ones; its error is of the fourth power of their distance. Of these the first is taken along which the signal is
/// smooth: its second differences have one sign and change by less than a factor of two. If it is along none, as beside a
/// jump or a kink, a straight line is (Harten, Engquist, Osher, Chakravarthy: Uniformly high order accurate essentially
/// non-oscillatory schemes, J. Comp. Phys. 71, 1987).
pub(super) fn interpolated<'b>(
    b: &'b Builder<'b>,
    x: Expr<'b>,
    points: [PastPoint<'b>; 6],
    newer: [Expr<'b>; 2],
) -> Expr<'b> {
    let [oldest, older, far, near, new, newest] = points;
    // Each end of the line is met exactly.
    let (rise, part) = (near.value - far.value, (x - far.at) / (near.at - far.at));
    let line = b.select(part.ge(1.0), near.value + (part - 1.0) * rise, far.value + part * rise);
    let bend = |a: PastPoint<'b>, m: PastPoint<'b>, z: PastPoint<'b>| (slope(m, z) - slope(a, m)) / (z.at - a.at);
    let bends = [bend(oldest, older, far), bend(older, far, near), bend(far, near, new), bend(near, new, newest)];
    // Newton's form: through the two points around x, a third that gives the bend, and a fourth.
    let cubic = |bend: Expr<'b>, third: PastPoint<'b>, change: Expr<'b>, ends: [PastPoint<'b>; 2]| {
        let twist = change / (ends[1].at - ends[0].at);
        line + (x - far.at) * (x - near.at) * (bend + (x - third.at) * twist)
    };
    let among = cubic(bends[1], older, bends[2] - bends[1], [older, new]);
    let ahead = cubic(bends[2], new, bends[3] - bends[2], [far, newest]);
    let behind = cubic(bends[1], older, bends[1] - bends[0], [oldest, near]);
    let rest = b.select(is_smooth(bends[0], bends[1]), behind, line);
    let rest = b.select(newer[1].and(is_smooth(bends[2], bends[3])), ahead, rest);
    b.select(newer[0].and(is_smooth(bends[1], bends[2])), among, rest)
}

fn slope<'b>(from: PastPoint<'b>, to: PastPoint<'b>) -> Expr<'b> {
    (to.value - from.value) / (to.at - from.at)
}

fn is_smooth<'b>(one: Expr<'b>, other: Expr<'b>) -> Expr<'b> {
    let (size, size_of_other) = (one.abs(), other.abs());
    (one * other).gt(0.0).and(size.le(size_of_other * 2.0)).and(size_of_other.le(size * 2.0))
}

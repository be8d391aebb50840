//! The past of a signal: as a solver of variable step has recorded it, or interpolated between the steps of the grid with
//! order four where it is smooth.

use crate::block::{Builder, Clock, Expr, History, Record};

/// In steps of the grid: a solver does not make its steps as short as a delay below this. The signal is interpolated up to
/// now then.
const SHORTEST_STEP: f64 = 1.0 / 64.0;

/// Returns a signal that the solver records, `delay` seconds ago; `initial` before its first value. The solver ends a step
/// where a jump or a kink leaves the delay.
pub(super) fn recorded<'b>(b: &'b Builder<'b>, u: Expr<'b>, width: usize, delay: f64, initial: Expr<'b>) -> Expr<'b> {
    let record = b.record(u, width, delay);
    let shortest = b.delta() * SHORTEST_STEP;
    b.limit_step(b.constant(delay.max(shortest)));
    let delay_expr = b.constant(delay);
    let wanted = b.time_of_decision() - delay_expr;
    let piece = b.settled(jump_before(b, record, wanted));
    let next = record.jump_after(piece);
    b.coming_edge(next + delay_expr);
    b.kink(record.kink_after(wanted) + delay_expr);
    let at = (b.time() - delay_expr).min(just_before(next)).max(piece);
    let value = if delay < shortest { record.value_up_to_now(at) } else { record.value(at) };
    b.select(piece.ge(0.0), value, initial)
}

/// Returns a signal that the solver records, `delay` seconds ago, which may vary from 0 to `longest`.
pub(super) fn recorded_variable<'b>(
    b: &'b Builder<'b>,
    (u, width): (Expr<'b>, usize),
    (delay, longest): (Expr<'b>, f64),
    initial: Expr<'b>,
) -> Expr<'b> {
    let record = b.record(u, width, longest);
    b.limit_step(delay.max(b.delta() * SHORTEST_STEP));
    let piece = b.settled(jump_before(b, record, b.time_of_decision() - delay));
    let next = record.jump_after(piece);
    let at = b.time() - delay;
    b.crossing(b.select(next.lt(f64::INFINITY), at - next, -1.0));
    b.select(piece.ge(0.0), record.value_up_to_now(at.min(just_before(next))), initial)
}

/// Returns a signal that the solver records, of the time at which `moved`, which never falls, was less by 1.
pub(super) fn recorded_flow<'b>(
    b: &'b Builder<'b>,
    u: Expr<'b>,
    (moved, transit): (Expr<'b>, Expr<'b>),
    longest: f64,
    initial: Expr<'b>,
) -> Expr<'b> {
    let record = b.record(b.join(&[moved, u]), 2, longest);
    b.limit_step(transit.max(b.delta() * SHORTEST_STEP));
    let wanted = moved - 1.0;
    let passed = b.mode(1, b.constant(NEVER));
    let entered = |jump: Expr<'b>| record.value(jump).element(0);
    let next = record.jump_after(passed.value);
    let leaves = next.lt(f64::INFINITY).and((wanted + ARRIVED).ge(entered(next)));
    let piece = b.select(b.deciding().and(leaves), next, passed.value);
    passed.next(piece);
    let next = record.jump_after(piece);
    b.crossing(b.select(next.lt(f64::INFINITY), wanted - entered(next), -1.0));
    let at = record.time_of(wanted).min(just_before(next)).max(piece);
    b.select(piece.ge(0.0), record.value_up_to_now(at).element(1), initial)
}

/// The time in seconds of the last jump up to a time: 0 if the record does not tell, before that [`NEVER`].
fn jump_before<'b>(b: &'b Builder<'b>, record: Record<'b>, time: Expr<'b>) -> Expr<'b> {
    b.select(time.ge(0.0), record.jump_before(time).max(0.0), NEVER)
}

/// In pipe lengths: a jump as near as this to the end of the pipe has arrived.
const ARRIVED: f64 = 1e-9;
/// In seconds, before any time.
const NEVER: f64 = -1.0;

/// The last time in seconds before another.
fn just_before<'b>(time: Expr<'b>) -> Expr<'b> {
    time * (1.0 - f64::EPSILON)
}

/// A past value of a signal, and its position on an axis of time that increases from old to new; −∞ if it was never put
/// in.
#[derive(Clone, Copy)]
pub(super) struct PastPoint<'b> {
    pub at: Expr<'b>,
    pub value: Expr<'b>,
}

/// A past signal around a time: six points sorted from old to new, the third and the fourth on either side of that time.
/// Of the last two, those exist for which `newer` is 1.
pub(super) struct PastPoints<'b> {
    pub points: [PastPoint<'b>; 6],
    pub newer: [Expr<'b>; 2],
    /// 1 where the signal may have jumped to the fourth point.
    pub may_jump: Expr<'b>,
}

/// A change of the slope by less than this factor is not a jump.
const MUCH: f64 = 100.0;
/// The same as long as no newer point shows whether the signal continues behind a jump or beside a kink: up to that
/// point it is taken as straight.
const VERY_MUCH: f64 = 1e9;
/// A change by less than this part of the signal is not a jump.
const SMALL: f64 = 1e-3;

/// Interpolates at `x` between the third and the fourth point.
///
/// A cubic polynomial runs through four of the points: the two around `x` with one on each side, or with two newer or two
/// older ones; its error is of the fourth power of their distance. Of these the first is taken along which the signal is
/// smooth: its second differences have one sign and change by less than a factor of two. If it is along none, as beside a
/// kink, a straight line is (Harten, Engquist, Osher, Chakravarthy: Uniformly high order accurate essentially
/// non-oscillatory schemes, J. Comp. Phys. 71, 1987). Where the signal jumps to the fourth point, up to which the older ones
/// continue, a parabola through those is.
pub(super) fn interpolated<'b>(b: &'b Builder<'b>, x: Expr<'b>, past: &PastPoints<'b>) -> Expr<'b> {
    let PastPoints { points, newer, may_jump } = past;
    let [oldest, older, far, near, new, newest] = *points;
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
    let smooth = b.select(newer[0].and(is_smooth(bends[1], bends[2])), among, rest);
    let up_to_jump = far.value + (x - far.at) * (slope(older, far) + (x - older.at) * bends[0]);
    let off = near.value - (far.value + (near.at - far.at) * slope(older, far));
    let size = near.value.abs().max(far.value.abs()).max(older.value.abs());
    // Behind a jump the signal bends back as much, and then no more.
    let turns_back = (bends[1] * bends[2]).lt(0.0).and((!newer[1]).or(bends[2].abs().gt(bends[3].abs() * MUCH)));
    let bends_more = |factor: f64| bends[1].abs().gt(bends[0].abs() * factor);
    let is_jump = b.select(newer[0], bends_more(MUCH).and(turns_back), bends_more(VERY_MUCH));
    let is_known = oldest.at.gt(f64::NEG_INFINITY);
    let is_jump = may_jump.and(is_known).and(off.abs().gt(size * SMALL)).and(is_jump);
    b.select(is_jump, up_to_jump, smooth)
}

fn slope<'b>(from: PastPoint<'b>, to: PastPoint<'b>) -> Expr<'b> {
    (to.value - from.value) / (to.at - from.at)
}

fn is_smooth<'b>(one: Expr<'b>, other: Expr<'b>) -> Expr<'b> {
    let (size, size_of_other) = (one.abs(), other.abs());
    (one * other).gt(0.0).and(size.le(size_of_other * 2.0)).and(size_of_other.le(size * 2.0))
}

/// The past of a signal by its age in steps, counted from the start of the step.
pub(super) struct PastSteps<'b> {
    history: History<'b>,
    /// The value at the start of the step.
    at_start: Expr<'b>,
    /// The lowest age that is known: 0, or 1 in major steps if the signal has no direct feedthrough.
    lowest: Expr<'b>,
    /// The signal now, if it has direct feedthrough.
    now: Option<Expr<'b>>,
}

impl<'b> PastSteps<'b> {
    /// Records a signal of this width that is only needed with an age of a step or more.
    pub fn of_steps(b: &'b Builder<'b>, u: Expr<'b>, width: usize, steps: usize, initial: Expr<'b>) -> PastSteps<'b> {
        let history = b.history(width, steps, initial);
        history.push(u);
        // In minor steps the signal at the start of the step is known.
        let newest = b.state(width, initial);
        newest.next(b.widen(u, width));
        PastSteps { history, at_start: newest.held(), lowest: b.clock(Clock::Major), now: None }
    }

    /// Records a signal of this width that may be needed up to its current value.
    pub fn up_to_now(b: &'b Builder<'b>, u: Expr<'b>, width: usize, steps: usize, initial: Expr<'b>) -> PastSteps<'b> {
        let history = b.history(width, steps, initial);
        history.push(u);
        PastSteps { history, at_start: b.at_step(b.widen(u, width)), lowest: b.constant(0.0), now: Some(u) }
    }

    /// Interpolates at an age in steps; it is negative within the step.
    ///
    /// At a whole age the value is exact. At the start of a step it is that behind a jump, later that before a jump, which
    /// leaves the delay at the end of the step. Before the first step there is no value: the initial one is not part of the
    /// signal, which jumps from it.
    pub fn at(&self, b: &'b Builder<'b>, back: Expr<'b>) -> Expr<'b> {
        let inside = (b.time() - b.step_time()) / b.delta();
        let is_at_start = inside.lt(SLACK);
        let behind = (back - SLACK).ceil() - 1.0;
        let since_begin = b.clock(Clock::Step);
        // Nothing is older than the first step.
        let before = (back + SLACK).floor().min(since_begin - 1.0);
        let near = b.select(is_at_start, behind, before).max(self.lowest);
        let point = |older: f64, age: Expr<'b>| {
            let at = if older > 1.0 { b.select(age.le(since_begin), -age, f64::NEG_INFINITY) } else { -age };
            PastPoint { at, value: b.select(age.lt(1.0), self.at_start, self.history.past(age.max(1.0))) }
        };
        let points = [3.0, 2.0, 1.0, 0.0, -1.0, -2.0].map(|older| point(older, (near + older).max(self.lowest)));
        let newer = [near.ge(self.lowest + 1.0), near.ge(self.lowest + 2.0)];
        let is_exact = is_at_start.and(back.le(near + SLACK));
        let before = interpolated(b, -back, &PastPoints { points, newer, may_jump: !is_exact });
        let Some(now) = self.now else { return before };
        // Within the step the last point is the signal now; the step itself is smooth.
        let [oldest, older, far] = [2.0, 1.0, 0.0].map(|age| point(age + 1.0, b.constant(age)));
        let near = PastPoint { at: inside, value: now };
        let zero = b.constant(0.0);
        let points = [oldest, older, far, near, near, near];
        let within = interpolated(b, -back, &PastPoints { points, newer: [zero; 2], may_jump: zero });
        b.select(back.lt(-SLACK), within, before)
    }
}

/// In steps: an age that is as near to a whole number counts as that.
const SLACK: f64 = 1e-9;

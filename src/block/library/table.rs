//! Interpolation in tables over increasing breakpoints. Two equal ones are a jump: at the breakpoint the value behind the
//! jump counts.

use crate::block::{Builder, Expr, ParamDef};

pub(super) const METHOD: ParamDef = ParamDef::choice(
    "Interpolation",
    &["linear", "flat", "nearest", "spline", "akima", "makima"],
)
.doc(
    "Between breakpoints: a straight line, the value below, the nearest, a cubic spline (not-a-knot), Akima’s spline of \
     1970, or the modified one, which overshoots less beside flat parts",
);
pub(super) const OUTSIDE: ParamDef = ParamDef::choice("Extrapolation", &["clip", "extrapolate"])
    .doc("Outside the breakpoints: the end value, or the curve of the end interval extrapolated");

/// The interpolation between breakpoints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Flat,
    Nearest,
    Linear,
    Spline,
    Akima,
    ModifiedAkima,
}

impl Method {
    pub fn of(b: &Builder) -> Method {
        match b.settings().choice("Interpolation") {
            "flat" => Method::Flat,
            "nearest" => Method::Nearest,
            "spline" => Method::Spline,
            "akima" => Method::Akima,
            "makima" => Method::ModifiedAkima,
            _ => Method::Linear,
        }
    }

    fn is_curved(self) -> bool {
        self == Method::Spline || self.is_akima()
    }

    fn is_akima(self) -> bool {
        matches!(self, Method::Akima | Method::ModifiedAkima)
    }
}

/// The treatment of an input outside the breakpoints of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OutOfRange {
    Clip,
    Extrapolate,
}

impl OutOfRange {
    pub fn of(b: &Builder) -> OutOfRange {
        match b.settings().choice(OUTSIDE.name) {
            "extrapolate" => OutOfRange::Extrapolate,
            _ => OutOfRange::Clip,
        }
    }
}

/// A table in row-major order, with the last axis varying fastest.
pub(super) struct Grid {
    pub axes: Vec<Vec<f64>>,
    pub table: Vec<f64>,
}

/// Splines take four times as many values for each further axis.
const MAX_CURVED_AXES: usize = 4;
const MAX_AXES: usize = 10;

impl Grid {
    /// Returns a table; records an error if breakpoints decrease, are three times the same, or the table has another size. `params` are the
    /// names of the parameters with breakpoints and table.
    pub fn new(b: &Builder, axes: Vec<Vec<f64>>, table: &[f64], params: [&'static str; 2]) -> Option<Grid> {
        for axis in &axes {
            if let Some(problem) = axis_problem(axis) {
                b.refuse(params[0], problem);
                return None;
            }
        }
        let wanted =
            axes.iter().try_fold(1usize, |product, axis| product.checked_mul(axis.len())).unwrap_or(usize::MAX);
        if table.len() != wanted {
            b.refuse(params[1], format!("{} values do not fill a table of {wanted}", table.len()));
            return None;
        }
        if let (Some(rows), [first, _, ..]) = (b.settings().rows(params[1]), &axes[..])
            && rows != first.len()
        {
            b.refuse(params[1], format!("it has {rows} rows, but there are {} breakpoints", first.len()));
            return None;
        }
        if axes.len() > MAX_AXES {
            b.refuse(params[0], format!("{} dimensions are too many; the limit is {MAX_AXES}", axes.len()));
            return None;
        }
        Some(Grid { axes, table: table.to_vec() })
    }

    /// Returns the interpolated value at the inputs, one for each axis.
    pub fn look_up<'b>(&self, b: &'b Builder<'b>, inputs: &[Expr<'b>], method: Method) -> Expr<'b> {
        if method.is_curved() && self.axes.len() > MAX_CURVED_AXES || method.is_akima() && self.axes.len() > 1 {
            b.refuse("Interpolation", "this interpolation is not available for a table of so many dimensions");
            return b.constant(0.0);
        }
        let outside = OutOfRange::of(b);
        let positions =
            self.axes.iter().zip(inputs).map(|(axis, input)| Position::new(b, axis, *input, method, outside));
        self.at(b, &positions.collect::<Vec<_>>(), method)
    }

    /// Returns the interpolated value as [`Grid::look_up`]; solvers of variable step locate where its kinks and jumps are.
    pub fn look_up_located<'b>(&self, b: &'b Builder<'b>, inputs: &[Expr<'b>], method: Method) -> Expr<'b> {
        if !b.locates() || method.is_curved() && self.axes.len() > MAX_CURVED_AXES {
            return self.look_up(b, inputs, method);
        }
        if method.is_curved() {
            if OutOfRange::of(b) == OutOfRange::Clip {
                for (axis, input) in self.axes.iter().zip(inputs).filter(|(axis, _)| axis.len() > 1) {
                    b.crossing(*input - axis[0]);
                    b.crossing(*input - axis[axis.len() - 1]);
                }
            }
            return self.look_up(b, inputs, method);
        }
        let outside = OutOfRange::of(b);
        let positions =
            self.axes.iter().zip(inputs).map(|(axis, input)| Position::located(b, axis, *input, method, outside));
        self.at(b, &positions.collect::<Vec<_>>(), method)
    }

    /// Returns the interpolated value at positions on each axis.
    pub fn at<'b>(&self, b: &'b Builder<'b>, positions: &[Position<'b>], method: Method) -> Expr<'b> {
        if method.is_curved() && self.axes.iter().any(|axis| has_jump(axis)) {
            b.refuse("Interpolation", "a smooth curve has no jump, but two breakpoints are equal; choose “linear”");
            return b.constant(0.0);
        }
        let values = if method.is_curved() { self.with_slopes(method) } else { self.table.clone() };
        let cells =
            Cells { b, values: b.vector(&values), size: self.table.len(), positions, strides: self.strides(), method };
        cells.value(0, 0, None)
    }

    fn strides(&self) -> Vec<usize> {
        (0..self.axes.len()).map(|axis| self.axes[axis + 1..].iter().map(Vec::len).product()).collect()
    }

    /// Returns the table, and for each set of axes, counted in binary, the mixed derivatives along all of the set.
    fn with_slopes(&self, method: Method) -> Vec<f64> {
        let (size, strides) = (self.table.len(), self.strides());
        let mut all = self.table.clone();
        for (axis, knots) in self.axes.iter().enumerate() {
            let stride = strides[axis];
            let mut slopes = all.clone();
            for start in (0..all.len()).filter(|offset| (offset % size / stride) % knots.len() == 0) {
                let row: Vec<f64> = (0..knots.len()).map(|knot| all[start + knot * stride]).collect();
                let row =
                    if method.is_akima() { akima_slopes(knots, &row, method) } else { spline_slopes(knots, &row) };
                row.into_iter().enumerate().for_each(|(knot, slope)| slopes[start + knot * stride] = slope);
            }
            all.append(&mut slopes);
        }
        all
    }
}

/// The position of a value on an axis: the index of the breakpoint below, and the fraction of the way to the next.
#[derive(Clone, Copy)]
pub(super) struct Position<'b> {
    pub index: Expr<'b>,
    pub fraction: Expr<'b>,
    /// The distance from this breakpoint to the next.
    pub span: Expr<'b>,
    pub has_next: bool,
    /// Some breakpoints are equal.
    pub has_jump: bool,
    /// The index and the choice by the fraction are decisions.
    pub is_decided: bool,
}

/// How the index of a position is found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Search {
    /// From the current input.
    Current,
    /// It is decided, and solvers of variable step locate where the input leaves the interval.
    Decided,
}

/// The largest number below 1.
const BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

impl<'b> Position<'b> {
    pub fn new(b: &'b Builder<'b>, axis: &[f64], input: Expr<'b>, method: Method, outside: OutOfRange) -> Position<'b> {
        Position::found(b, axis, input, (method, outside), Search::Current)
    }

    /// Returns a position whose index solvers of variable step decide.
    pub fn located(
        b: &'b Builder<'b>,
        axis: &[f64],
        input: Expr<'b>,
        method: Method,
        outside: OutOfRange,
    ) -> Position<'b> {
        let search = if b.locates() { Search::Decided } else { Search::Current };
        Position::found(b, axis, input, (method, outside), search)
    }

    fn found(
        b: &'b Builder<'b>,
        axis: &[f64],
        input: Expr<'b>,
        (method, outside): (Method, OutOfRange),
        search: Search,
    ) -> Position<'b> {
        let is_decided = search == Search::Decided;
        let last = axis.len() - 1;
        let (zero, one) = (b.constant(0.0), b.constant(1.0));
        if last == 0 {
            // The fraction is not-a-number if the input is.
            let fraction = input * 0.0;
            return Position { index: zero, fraction, span: one, has_next: false, has_jump: false, is_decided };
        }
        let knots = b.vector(axis);
        let is_stepped = matches!(method, Method::Flat | Method::Nearest);
        let given = input;
        let is_clipped = outside == OutOfRange::Clip || is_stepped;
        let input = if is_clipped { input.clamp(axis[0], axis[last]) } else { input };
        let has_jump = has_jump(axis);
        // If the table jumps at its first breakpoint, an input below it is on the other side of the jump.
        let mut index = below(b, knots, if has_jump { given } else { input }, last - 1);
        if is_decided {
            index = b.settled(index);
            // Where a curve continues straight beyond its end there is no kink.
            let (mut lows, mut highs) = (axis[..last].to_vec(), axis[1..].to_vec());
            if !is_clipped || is_stepped {
                lows[0] = f64::NEG_INFINITY;
            }
            if !is_clipped || method == Method::Nearest {
                highs[last - 1] = f64::INFINITY;
            }
            b.crossing(given - b.vector(&lows).pick(index));
            b.crossing(given - b.vector(&highs).pick(index));
        }
        let (from, to) = (knots.pick(index), knots.pick(index + 1.0));
        let mut fraction = within(b, input, from, to);
        if has_jump {
            // A jump at an end is an interval without length.
            let is_behind = if is_decided { b.settled(given.ge(to)) } else { given.ge(to) };
            let side = b.select(given.is_nan(), given, is_behind);
            fraction = b.select(to.equals(from), side, fraction);
        }
        Position { index, fraction, span: to - from, has_next: true, has_jump, is_decided }
    }
}

/// Returns the first of the increasing knots after `time`, infinite beyond the last.
pub(super) fn knot_after<'b>(b: &'b Builder<'b>, knots: &[f64], time: Expr<'b>) -> Expr<'b> {
    let Some(&first) = knots.first() else { return b.constant(f64::INFINITY) };
    let next: Vec<f64> = knots.iter().skip(1).copied().chain([f64::INFINITY]).collect();
    let index = below(b, b.vector(knots), time, knots.len() - 1);
    b.select(time.lt(first), first, b.vector(&next).pick(index))
}

impl Method {
    /// Returns the knots at which the interpolation of a curve jumps; none if it does not.
    pub fn jumps(self, axis: &[f64]) -> Option<Vec<f64>> {
        match self {
            Method::Flat => Some(axis.to_vec()),
            Method::Nearest => Some(axis.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect()),
            _ => None,
        }
    }
}

/// Returns the breakpoints at which a curve jumps, since there are two.
pub(super) fn doubles(axis: &[f64]) -> Vec<f64> {
    axis.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
}

/// Returns the fraction of the way between two breakpoints: below 1 before the second one, also where it would be rounded
/// up.
pub(super) fn within<'b>(b: &'b Builder<'b>, input: Expr<'b>, from: Expr<'b>, to: Expr<'b>) -> Expr<'b> {
    let fraction = (input - from) / (to - from);
    b.select(fraction.ge(1.0).and(input.lt(to)), BELOW_ONE, fraction)
}

/// Returns the index of the last of the increasing knots that is not above `u`, from 0 to `most`; 0 if `u` is
/// not-a-number.
///
/// A binary search in which each half is as long, whatever was found before, and none goes beyond `most`: where the first
/// of two halves is the shorter, its search may ask again for the knot between them, with the same answer.
pub(super) fn below<'b>(b: &'b Builder<'b>, knots: Expr<'b>, u: Expr<'b>, most: usize) -> Expr<'b> {
    let mut at = b.constant(0.0);
    let mut rest = most;
    while rest > 0 {
        let next = at + rest.div_ceil(2) as f64;
        at = b.select(u.ge(knots.pick(next)), next, at);
        rest /= 2;
    }
    at
}

struct Cells<'b, 'p> {
    b: &'b Builder<'b>,
    values: Expr<'b>,
    size: usize,
    positions: &'p [Position<'b>],
    strides: Vec<usize>,
    method: Method,
}

impl<'b> Cells<'b, '_> {
    /// Returns the value at `offset` along the first axes, differentiated along those in `set`, interpolated along the
    /// others.
    fn value(&self, axis: usize, set: usize, offset: Option<Expr<'b>>) -> Expr<'b> {
        let Some(position) = self.positions.get(axis) else {
            let offset = offset.unwrap_or_else(|| self.b.constant(0.0));
            return self.values.pick(if set == 0 { offset } else { offset + (set * self.size) as f64 });
        };
        let behind = |index: Expr<'b>| {
            let own = if self.strides[axis] == 1 { index } else { index * self.strides[axis] as f64 };
            Some(offset.map_or(own, |offset| offset + own))
        };
        let near = || self.value(axis + 1, set, behind(position.index));
        let far = || self.value(axis + 1, set, behind(position.index + 1.0));
        let f = position.fraction;
        if !position.has_next {
            return near() + f;
        }
        match self.method {
            Method::Flat | Method::Nearest => {
                let limit = if self.method == Method::Flat { 1.0 } else { 0.5 };
                let is_beyond = match position.is_decided {
                    true => self.b.decided(f.ge(limit), f - limit),
                    false => f.ge(limit),
                };
                let is_next = self.b.select(is_beyond, 1.0, 0.0);
                let chosen = self.value(axis + 1, set, behind(position.index + is_next));
                self.b.select(f.is_nan(), f, chosen)
            }
            Method::Linear => {
                let (near, far) = (near(), far());
                let y = near + f * (far - near);
                // Behind a jump at the end the value is exact.
                if position.has_jump { self.b.select(f.equals(1.0), far, y) } else { y }
            }
            Method::Spline | Method::Akima | Method::ModifiedAkima => {
                let slope = |index| self.value(axis + 1, set | 1 << axis, behind(index));
                let (from, to) = (slope(position.index), slope(position.index + 1.0));
                // Cubic Hermite interpolation (Fritsch, Carlson: Monotone piecewise cubic interpolation, 1980).
                let rest = 1.0 - f;
                let (near_part, far_part) = (rest * rest * (1.0 + 2.0 * f), f * f * (3.0 - 2.0 * f));
                let slopes = rest * rest * f * from - f * f * rest * to;
                near_part * near() + far_part * far() + position.span * slopes
            }
        }
    }
}

/// Says why numbers cannot be breakpoints.
pub(super) fn axis_problem(axis: &[f64]) -> Option<String> {
    if axis.is_empty() || axis.iter().any(|knot| !knot.is_finite()) {
        return Some("the breakpoints must be finite numbers, at least one".to_owned());
    }
    if let Some([before, after]) = axis.array_windows().find(|[before, after]| after < before) {
        return Some(format!("the breakpoints must increase, but {after} comes after {before}"));
    }
    let [again, ..] = axis.array_windows().find(|[first, second, third]| first == second && second == third)?;
    Some(format!("the breakpoint {again} is there three times; twice makes a jump, once a point of the curve"))
}

fn has_jump(axis: &[f64]) -> bool {
    axis.array_windows().any(|[before, after]| before == after)
}

/// Returns the slopes of the not-a-knot cubic spline (de Boor: A Practical Guide to Splines, chapter IV).
fn spline_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let h: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let d: Vec<f64> = y.windows(2).zip(&h).map(|(pair, h)| (pair[1] - pair[0]) / h).collect();
    match n {
        0 | 1 => return vec![0.0; n],
        2 => return vec![d[0]; 2],
        3 => {
            // A single parabola.
            let middle = (d[0] * h[1] + d[1] * h[0]) / (h[0] + h[1]);
            return vec![2.0 * d[0] - middle, middle, 2.0 * d[1] - middle];
        }
        _ => {}
    }
    let (mut lower, mut diagonal, mut upper, mut right) = (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let begin = h[0] + h[1];
    (diagonal[0], upper[0]) = (h[1], begin);
    right[0] = ((h[0] + 2.0 * begin) * h[1] * d[0] + h[0] * h[0] * d[1]) / begin;
    for i in 1..n - 1 {
        (lower[i], diagonal[i], upper[i]) = (h[i], 2.0 * (h[i - 1] + h[i]), h[i - 1]);
        right[i] = 3.0 * (h[i] * d[i - 1] + h[i - 1] * d[i]);
    }
    let (last, end) = (n - 1, h[n - 2] + h[n - 3]);
    (lower[last], diagonal[last]) = (end, h[n - 3]);
    right[last] = (h[n - 2] * h[n - 2] * d[n - 3] + (2.0 * end + h[n - 2]) * h[n - 3] * d[n - 2]) / end;
    for i in 1..n {
        let factor = lower[i] / diagonal[i - 1];
        diagonal[i] -= factor * upper[i - 1];
        right[i] -= factor * right[i - 1];
    }
    let mut slopes = right;
    slopes[last] /= diagonal[last];
    for i in (0..last).rev() {
        slopes[i] = (slopes[i] - upper[i] * slopes[i + 1]) / diagonal[i];
    }
    slopes
}

/// Returns Akima's slopes (A new method of interpolation, J. ACM 17, 1970), or those with the weights of MATLAB's
/// `makima`, which avoid overshoot where the table is constant.
fn akima_slopes(x: &[f64], y: &[f64], method: Method) -> Vec<f64> {
    let n = x.len();
    let d: Vec<f64> = y.windows(2).zip(x.windows(2)).map(|(y, x)| (y[1] - y[0]) / (x[1] - x[0])).collect();
    let (Some(&first), Some(&last)) = (d.first(), d.last()) else { return vec![0.0; n] };
    let (second, before) = (*d.get(1).unwrap_or(&first), *d.get(d.len().wrapping_sub(2)).unwrap_or(&last));
    // Two further slopes at each end, extrapolated along a parabola.
    let left = 2.0 * first - second;
    let right = 2.0 * last - before;
    let mut m = vec![2.0 * left - first, left];
    m.extend_from_slice(&d);
    m.extend([right, 2.0 * right - last]);
    let is_modified = method == Method::ModifiedAkima;
    let weight = |a: f64, b: f64| (a - b).abs() + if is_modified { (a + b).abs() / 2.0 } else { 0.0 };
    (0..n)
        .map(|i| {
            let (from, to) = (weight(m[i + 3], m[i + 2]), weight(m[i + 1], m[i]));
            match from + to == 0.0 {
                // Straight on both sides: the mean of the two slopes; the modified weights are 0 only where both are.
                true => (m[i + 1] + m[i + 2]) / 2.0,
                false => (from * m[i + 1] + to * m[i + 2]) / (from + to),
            }
        })
        .collect()
}

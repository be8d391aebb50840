//! Linear systems: polynomials, matrices, and their instructions on the tape.

use crate::block::{Builder, Clock, Expr, ParamDef, edge};

/// Returns the polynomial of a parameter without leading zeros.
pub(super) fn polynomial_param(b: &Builder, param: &'static str) -> Vec<f64> {
    b.settings().numbers(param).iter().copied().skip_while(|value| *value == 0.0).collect()
}

/// Returns two polynomials of equal length, highest power first, divided by the first coefficient of the denominator.
/// Records an error if the degree of the numerator is higher.
pub(super) fn proper(
    b: &Builder,
    numerator: &[f64],
    denominator: &[f64],
    params: [&'static str; 2],
) -> Option<(Vec<f64>, Vec<f64>)> {
    let Some(&lead) = denominator.first() else {
        b.refuse(params[1], "at least one coefficient must be nonzero");
        return None;
    };
    if numerator.len() > denominator.len() {
        b.refuse(params[0], "its degree must not exceed that of the denominator");
        return None;
    }
    let scaled = |values: &[f64]| values.iter().map(|value| value / lead).collect::<Vec<_>>();
    let mut padded = vec![0.0; denominator.len() - numerator.len()];
    padded.extend(scaled(numerator));
    Some((padded, scaled(denominator)))
}

/// Writes a discrete system in direct form II transposed (Oppenheim, Schafer: Discrete-Time Signal Processing, section
/// 6.3), from polynomials in powers of 1/z, the constant first, with the first coefficient of the denominator 1. Each
/// element of the input is filtered separately. Without direct feedthrough the output depends on states alone.
pub(super) fn discrete<'b>(
    b: &'b Builder<'b>,
    u: Expr<'b>,
    numerator: &[f64],
    denominator: &[f64],
    initial: Expr<'b>,
) -> Expr<'b> {
    let order = numerator.len().max(denominator.len()) - 1;
    let coefficient = |values: &[f64], index: usize| values.get(index).copied().unwrap_or(0.0);
    let states: Vec<_> = (0..order)
        .map(|index| {
            let initial = initial.element(index.min(initial.width() - 1));
            b.state(u.width(), initial)
        })
        .collect();
    let feedthrough = coefficient(numerator, 0);
    let y = match states.first() {
        Some(first) if feedthrough == 0.0 => first.value,
        Some(first) => feedthrough * u + first.value,
        None => feedthrough * u,
    };
    for (index, state) in states.iter().enumerate() {
        let (n, d) = (coefficient(numerator, index + 1), coefficient(denominator, index + 1));
        let mut next = states.get(index + 1).map(|next| next.value);
        for term in [(n != 0.0).then(|| n * u), (d != 0.0).then(|| -d * y)].into_iter().flatten() {
            next = Some(next.map_or(term, |sum| sum + term));
        }
        state.next(next.unwrap_or_else(|| b.constant(0.0)));
    }
    y
}

/// The matrices of a state-space system, row after row, and their sizes.
pub(super) struct StateSpace<'b> {
    pub a: Expr<'b>,
    pub b: Expr<'b>,
    pub c: Expr<'b>,
    /// None without direct feedthrough.
    pub d: Option<Expr<'b>>,
    pub order: usize,
    pub inputs: usize,
    pub outputs: usize,
}

impl<'b> StateSpace<'b> {
    /// Reads the parameters A, B, C and D for an input of this width.
    pub fn of(b: &'b Builder<'b>, inputs: usize) -> Option<StateSpace<'b>> {
        let length = |name: &str| b.settings().numbers(name).len();
        // A vector has at most a million elements, so that the search is short.
        let order = (1..=length("A")).find(|order| order * order >= length("A"))?;
        let outputs = length("C") / order;
        let check = |param: &'static str, rows: usize, columns: usize| {
            let own = b.settings().rows(param);
            let fits = length(param) == rows * columns;
            if let Some(own) = own.filter(|own| fits && *own != rows) {
                let columns_given = length(param) / own;
                b.refuse(param, format!("it is written as {own}×{columns_given}, but must be {rows}×{columns}"));
                return false;
            }
            if !fits {
                b.refuse(param, format!("{} elements do not make {rows} rows of {columns}", length(param)));
            }
            fits
        };
        if !(check("A", order, order) && check("B", order, inputs) && check("C", outputs.max(1), order)) {
            return None;
        }
        let is_zero = b.settings().numbers("D").iter().all(|value| *value == 0.0);
        if !is_zero && !check("D", outputs, inputs) {
            return None;
        }
        let d = (!is_zero).then(|| b.param("D"));
        Some(StateSpace { a: b.param("A"), b: b.param("B"), c: b.param("C"), d, order, inputs, outputs })
    }

    pub fn rate(&self, b: &'b Builder<'b>, x: Expr<'b>, u: Expr<'b>) -> Expr<'b> {
        let (order, inputs) = (self.order, self.inputs);
        super::matrix_math::multiply(b, self.a, x, [order, order, 1])
            + super::matrix_math::multiply(b, self.b, u, [order, inputs, 1])
    }

    pub fn output(&self, b: &'b Builder<'b>, x: Expr<'b>, u: Expr<'b>) -> Expr<'b> {
        let state_part = super::matrix_math::multiply(b, self.c, x, [self.outputs, self.order, 1]);
        match self.d {
            Some(d) => state_part + super::matrix_math::multiply(b, d, u, [self.outputs, self.inputs, 1]),
            None => state_part,
        }
    }
}

/// Returns `exp(a)` of a square matrix, by scaling, a Taylor polynomial and squaring (Moler, Van Loan: Nineteen dubious
/// ways to compute the exponential of a matrix, SIAM Review 45, 2003, method 3).
pub(super) fn exponential(a: &[f64], size: usize) -> Vec<f64> {
    let norm = (0..size).map(|row| a[row * size..][..size].iter().map(|value| value.abs()).sum::<f64>());
    let norm = norm.fold(0.0, f64::max);
    let halvings = if norm > 0.25 && norm.is_finite() { (norm / 0.25).log2().ceil() as i32 } else { 0 };
    let scale = 2f64.powi(-halvings);
    let multiply = |a: &[f64], b: &[f64]| -> Vec<f64> {
        (0..size * size)
            .map(|index| (0..size).map(|k| a[index / size * size + k] * b[k * size + index % size]).sum())
            .collect()
    };
    let scaled: Vec<f64> = a.iter().map(|value| value * scale).collect();
    let identity: Vec<f64> = (0..size * size).map(|index| f64::from(u8::from(index / size == index % size))).collect();
    // Horner's scheme; the twentieth term of a matrix of norm 1/4 is below the last bit.
    let mut result = identity.clone();
    for term in (1..=20).rev() {
        result = multiply(&scaled, &result);
        result.iter_mut().zip(&identity).for_each(|(value, one)| *value = *value / f64::from(term) + one);
    }
    for _ in 0..halvings {
        result = multiply(&result, &result);
    }
    result
}

/// The events that reset a block: an edge of an input, or that it is not 0.
pub(super) const RESETS: [&str; 5] = ["none", "rising", "falling", "either", "level"];

/// Whether an integrator has the output [`SHOW_STATE_PORT`].
pub(super) const SHOW_STATE: ParamDef = ParamDef::flag("Show State", false)
    .doc("Whether there is an output of the state before a reset of this step, which a reset may depend on");
pub(super) const SHOW_STATE_PORT: &str = "State";

/// How a reset input acts on continuous states.
pub(super) struct Reset<'b> {
    /// Whether the states jump to their initial values; only where modes may change.
    pub jumps: Expr<'b>,
    /// Whether they have their initial values now.
    pub is_initial: Expr<'b>,
    /// Whether they stay there until a solver of variable step has located the end of a level.
    is_held: Option<Expr<'b>>,
}

impl<'b> Reset<'b> {
    /// Returns the rate of a state, which is 0 while the state is held.
    pub fn rate(&self, b: &'b Builder<'b>, rate: Expr<'b>) -> Expr<'b> {
        self.is_held.map_or(rate, |is_held| b.select(is_held, 0.0, rate))
    }
}

/// Returns how the block resets its continuous states, as selected by the parameter `Reset`.
pub(super) fn continuous_reset<'b>(b: &'b Builder<'b>, input: usize) -> Option<Reset<'b>> {
    if b.settings().choice("Reset") != "level" || !b.locates() {
        return reset(b, input).map(|jumps| Reset { jumps, is_initial: jumps, is_held: None });
    }
    let now = b.input(input);
    b.crossing(now);
    let was_high = b.mode(now.width(), b.constant(0.0));
    let is_high = b.select(b.deciding(), now.differs(0.0), was_high.value);
    was_high.next(is_high);
    // At its end, too: an initial value from an input may have changed in between.
    let jumps = is_high.or(was_high.value).and(b.deciding());
    Some(Reset { jumps, is_initial: is_high.or(jumps), is_held: Some(is_high) })
}

/// Returns whether the block resets, as selected by the parameter `Reset`; only where modes may change.
pub(super) fn reset<'b>(b: &'b Builder<'b>, input: usize) -> Option<Expr<'b>> {
    let kind = b.settings().choice("Reset");
    if kind == "none" {
        return None;
    }
    let now = b.input(input);
    let (before, acts) = if b.is_sampled() {
        (b.before(now, f64::NAN), b.clock(Clock::Major))
    } else {
        b.crossing(now);
        let before = b.mode(now.width(), b.constant(f64::NAN));
        before.next(b.select(b.deciding(), now, before.value));
        (before.value, b.deciding())
    };
    let is_reset = if kind == "level" { now.differs(0.0) } else { edge(kind, before, now) };
    Some(is_reset.and(acts))
}

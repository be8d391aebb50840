//! Continuous transfer functions as state equations whose states have the size of their input.

use crate::block::limits::count_text;
use crate::block::math::Factors;
use crate::block::{Builder, Expr, ParamDef};

/// The parameter for the output at time 0.
pub(super) const INITIAL_OUTPUT: ParamDef = ParamDef::number("Initial Output", &[0.0]).vector().fixed().doc(
    "The output and its derivatives at time 0 as they are without an input, at most as many as there are poles; \
     derivatives that are not given are 0",
);

/// A system of higher order has no initial output.
const MAX_ORDER: usize = 100;

/// A transfer function from two polynomials of equal length, the constant first, with the last coefficient of the
/// denominator 1.
///
/// Its states are those of the controllable canonical form (Kailath: Linear Systems, 1980, section 2.1) in a unit of time
/// in which the geometric mean of its poles is about 1, so that no state is far smaller than the input.
struct Section {
    numerator: Vec<f64>,
    denominator: Vec<f64>,
    /// The inverse of the unit of time, a power of two so that scaling does not round, in 1/s.
    rate: f64,
}

impl Section {
    /// Both polynomials have the highest power first.
    fn new(numerator: &[f64], denominator: &[f64]) -> Section {
        let order = denominator.len() - 1;
        let low_first = |values: &[f64]| values.iter().rev().copied().collect::<Vec<f64>>();
        let (mut n, mut d) = (low_first(numerator), low_first(denominator));
        // Poles at 0 have no size.
        let lowest = d.iter().position(|value| *value != 0.0).unwrap_or(order);
        let mean = (d[lowest].abs().log2() / (order - lowest).max(1) as f64).round();
        let rate = if mean.is_finite() { 2f64.powi(mean.clamp(-400.0, 400.0) as i32) } else { 1.0 };
        let mut scale = 1.0;
        for power in (0..order).rev() {
            scale /= rate;
            let (scaled_n, scaled_d) = (n[power] * scale, d[power] * scale);
            let is_exact = |scaled: f64, value: f64| scaled / scale == value;
            if !(is_exact(scaled_n, n[power]) && is_exact(scaled_d, d[power])) {
                // Too far apart for one unit.
                return Section { numerator: low_first(numerator), denominator: low_first(denominator), rate: 1.0 };
            }
            (n[power], d[power]) = (scaled_n, scaled_d);
        }
        Section { numerator: n, denominator: d, rate }
    }

    fn order(&self) -> usize {
        self.denominator.len() - 1
    }

    fn feedthrough(&self) -> f64 {
        self.numerator[self.order()]
    }

    /// The factor of each state in the output.
    fn weight(&self, index: usize) -> f64 {
        self.numerator[index] - self.feedthrough() * self.denominator[index]
    }

    /// Writes the section.
    fn write<'b>(&self, b: &'b Builder<'b>, u: Expr<'b>, initial: &[f64]) -> Expr<'b> {
        let (order, feedthrough) = (self.order(), self.feedthrough());
        if order == 0 {
            return u * feedthrough;
        }
        let x = b.continuous(order, b.vector(initial));
        let element = |index| x.value.slice(index, 1);
        let top = (0..order).fold(u, |rate, index| rate - self.denominator[index] * element(index));
        let rate = if order == 1 { top } else { b.join(&[x.value.slice(1, order - 1), top]) };
        x.derivative(if self.rate == 1.0 { rate } else { rate * self.rate });
        let terms = (0..order).map(|index| (self.weight(index), index)).filter(|(factor, _)| *factor != 0.0);
        let state_part = terms.map(|(factor, index)| factor * element(index)).reduce(|sum, term| sum + term);
        match (state_part, feedthrough == 0.0) {
            (Some(part), true) => part,
            (Some(part), false) => part + feedthrough * u,
            (None, _) => feedthrough * u,
        }
    }

    /// Returns the rates of the states, and the output.
    fn rates(&self, x: &[f64], u: f64) -> (Vec<f64>, f64) {
        let order = self.order();
        let mut rates: Vec<f64> = x.iter().skip(1).copied().collect();
        if order > 0 {
            rates.push((0..order).fold(u, |rate, index| rate - self.denominator[index] * x[index]));
        }
        let y = (0..order).fold(self.feedthrough() * u, |y, index| y + self.weight(index) * x[index]);
        (rates.into_iter().map(|rate| rate * self.rate).collect(), y)
    }
}

/// Writes a continuous system of sections in series, each given by two polynomials of equal length, highest power first,
/// with the first coefficient of the denominator 1. It starts at rest.
pub(super) fn continuous<'b>(b: &'b Builder<'b>, u: Expr<'b>, sections: &[(Vec<f64>, Vec<f64>)]) -> Expr<'b> {
    let sections: Vec<Section> = sections.iter().map(|(n, d)| Section::new(n, d)).collect();
    let at_rest: Vec<Vec<f64>> = sections.iter().map(|section| vec![0.0; section.order()]).collect();
    write(b, u, &sections, &at_rest)
}

/// The same, with the output at time 0 that the parameter [`INITIAL_OUTPUT`] gives.
pub(super) fn continuous_from<'b>(b: &'b Builder<'b>, u: Expr<'b>, sections: &[(Vec<f64>, Vec<f64>)]) -> Expr<'b> {
    let wanted = b.settings().numbers(INITIAL_OUTPUT.name);
    if wanted.iter().all(|value| *value == 0.0) {
        return continuous(b, u, sections);
    }
    let sections: Vec<Section> = sections.iter().map(|(n, d)| Section::new(n, d)).collect();
    let order: usize = sections.iter().map(Section::order).sum();
    if wanted.len() > order || order > MAX_ORDER {
        let [given, order, most] = [wanted.len(), order, MAX_ORDER].map(count_text);
        let problem = match wanted.len() > sections.iter().map(Section::order).sum() {
            true => format!("{given} values do not fit a system of order {order}"),
            false => format!("a system of order {order} has none; the limit is {most}"),
        };
        b.refuse(INITIAL_OUTPUT.name, problem);
        return u;
    }
    match initial_states(&sections, wanted) {
        Some(states) => write(b, u, &sections, &states),
        None => {
            b.refuse(INITIAL_OUTPUT.name, "a zero cancels a pole, so that the output does not determine all states");
            u
        }
    }
}

fn write<'b>(b: &'b Builder<'b>, u: Expr<'b>, sections: &[Section], initial: &[Vec<f64>]) -> Expr<'b> {
    sections.iter().zip(initial).fold(u, |signal, (section, initial)| section.write(b, signal, initial))
}

/// Returns the states of each section for which, without an input, the output and its derivatives have these values. None
/// if the system is not observable.
fn initial_states(sections: &[Section], wanted: &[f64]) -> Option<Vec<Vec<f64>>> {
    let order: usize = sections.iter().map(Section::order).sum();
    // Derivatives count in the largest of the units of time, so that they are about as large as the output.
    let rate = sections.iter().map(|section| section.rate).fold(0.0, f64::max);
    // For each state on its own, the output and its derivatives.
    let columns: Vec<Vec<f64>> = (0..order)
        .map(|state| {
            let mut x: Vec<f64> = (0..order).map(|other| f64::from(u8::from(other == state))).collect();
            let mut outputs = Vec::with_capacity(order);
            for _ in 0..order {
                let (mut rates, mut signal, mut first) = (Vec::with_capacity(order), 0.0, 0);
                for section in sections {
                    let (of_section, y) = section.rates(&x[first..first + section.order()], signal);
                    rates.extend(of_section.into_iter().map(|value| value / rate));
                    (signal, first) = (y, first + section.order());
                }
                outputs.push(signal);
                x = rates;
            }
            outputs
        })
        .collect();
    let mut factors = Factors::default();
    if !factors.factor(order, |row, column| columns[column][row]) {
        return None;
    }
    let mut states: Vec<f64> =
        (0..order).map(|power| wanted.get(power).map_or(0.0, |value| value / rate.powi(power as i32))).collect();
    factors.solve(&mut states);
    let is_finite = states.iter().all(|state| state.is_finite());
    let mut rest = states.into_iter();
    let of_sections = sections.iter().map(|section| rest.by_ref().take(section.order()).collect()).collect();
    is_finite.then_some(of_sections)
}

//! Continuous linear systems as discrete ones.
//!
//! G. F. Franklin, J. D. Powell, M. Workman: Digital Control of Dynamic Systems, 3rd edition, chapters 4 and 6. C. F. Van
//! Loan: Computing integrals involving the matrix exponential, IEEE Trans. Automatic Control 23, 1978.
//!
//! A transfer function is first written in time counted in samples, so that its coefficients are of similar size whatever
//! the sample time is.

use super::{Complex, ComplexMath, Matrix, Unary, eigenvalues, power};
use crate::block::limits::MAX_ORDER;

/// How a continuous system is made discrete.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Discretization {
    /// Exact for an input that is constant between samples.
    ZeroOrderHold,
    /// Exact for an input that is linear between samples (the triangle hold).
    FirstOrderHold,
    /// The impulse response is that of the continuous system at the samples.
    Impulse,
    /// The trapezoidal rule, `s = 2/T·(z − 1)/(z + 1)`; exact at this frequency in radians per second, or at 0.
    Tustin { prewarp: Option<f64> },
    /// Poles and zeros are mapped by `z = exp(s·T)`, and the gain stays the same at 0.
    Matched,
}

/// The matrices of a system in state space.
#[derive(Clone, Debug, PartialEq)]
pub struct StateMatrices {
    pub a: Matrix,
    pub b: Matrix,
    pub c: Matrix,
    pub d: Matrix,
}

/// Why a system cannot be discretized.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DiscretizeError {
    #[error("the sample time must be above 0 s")]
    SampleTime,
    #[error("too large: {0} states are more than {MAX_ORDER}")]
    TooLarge(usize),
    #[error("the denominator must have a coefficient that is not 0")]
    NoDenominator,
    #[error("the degree of the numerator must not exceed that of the denominator")]
    Improper,
    #[error("the frequency of prewarping must be between 0 and half the sampling frequency, {0} rad/s")]
    Prewarp(f64),
    #[error("a pole at {0} 1/s is mapped to infinity; choose another sample time or method")]
    Pole(f64),
    #[error("impulse invariance needs a system without direct feedthrough")]
    Feedthrough,
    #[error("matched poles and zeros need a transfer function")]
    NeedsTransferFunction,
    #[error("the poles and zeros are not found")]
    NoRoots,
    #[error("the result is not finite; check the coefficients and the sample time")]
    NotFinite,
}

impl Discretization {
    /// Returns the time that stands for the sample time in the trapezoidal rule.
    fn warped(prewarp: Option<f64>, time: f64) -> Result<f64, DiscretizeError> {
        match prewarp {
            None => Ok(time),
            Some(frequency) if frequency > 0.0 && frequency * time < std::f64::consts::PI => {
                Ok(2.0 * Unary::Tan.value(frequency * time / 2.0) / frequency)
            }
            Some(_) => Err(DiscretizeError::Prewarp(std::f64::consts::PI / time)),
        }
    }
}

/// Discretizes a system in state space with a sample time in seconds.
///
/// # Errors
/// If the sample time is not above 0, or the method does not fit the system.
pub fn discretize_matrices(
    system: &StateMatrices,
    time: f64,
    method: Discretization,
) -> Result<StateMatrices, DiscretizeError> {
    check_time(time)?;
    let StateMatrices { a, b, c, d } = system;
    let (order, inputs) = (a.rows, b.columns);
    if order + 2 * inputs > MAX_ORDER {
        return Err(DiscretizeError::TooLarge(order + 2 * inputs));
    }
    let found = match method {
        Discretization::ZeroOrderHold => {
            let [phi, input] = held(&a.scaled(time), &b.scaled(time));
            StateMatrices { a: phi, b: input, c: c.clone(), d: d.clone() }
        }
        Discretization::FirstOrderHold => {
            let [phi, first, second] = held_linearly(&a.scaled(time), &b.scaled(time));
            let input = first.plus(&second.scaled(-1.0)).plus(&phi.times(&second));
            StateMatrices { a: phi, b: input, c: c.clone(), d: d.plus(&c.times(&second)) }
        }
        Discretization::Impulse => {
            if d.values.iter().any(|value| *value != 0.0) {
                return Err(DiscretizeError::Feedthrough);
            }
            let phi = a.scaled(time).exponential();
            let input = phi.times(b).scaled(time);
            StateMatrices { a: phi, b: input, c: c.clone(), d: c.times(b).scaled(time) }
        }
        Discretization::Tustin { prewarp } => {
            let half = Discretization::warped(prewarp, time)? / 2.0;
            let left = Matrix::identity(order).plus(&a.scaled(-half));
            let right = Matrix::identity(order).plus(&a.scaled(half));
            let pole = DiscretizeError::Pole(1.0 / half);
            let phi = left.solve(&right).ok_or(pole.clone())?;
            let input = left.solve(&b.scaled(2.0 * half)).ok_or(pole.clone())?;
            let output = left.transposed().solve(&c.transposed()).ok_or(pole)?.transposed();
            StateMatrices { a: phi, d: d.plus(&c.times(&input).scaled(0.5)), b: input, c: output }
        }
        Discretization::Matched => return Err(DiscretizeError::NeedsTransferFunction),
    };
    let all = [&found.a, &found.b, &found.c, &found.d];
    let is_finite = all.iter().all(|matrix| matrix.values.iter().all(|value| value.is_finite()));
    if is_finite { Ok(found) } else { Err(DiscretizeError::NotFinite) }
}

fn check_time(time: f64) -> Result<(), DiscretizeError> {
    if time > 0.0 && time.is_finite() { Ok(()) } else { Err(DiscretizeError::SampleTime) }
}

/// Returns `Φ = exp(a)` and `Γ`, the integral of `exp(a·t)·b` from 0 to 1: the upper rows of exp([[a, b], [0, 0]]).
fn held(a: &Matrix, b: &Matrix) -> [Matrix; 2] {
    let (order, inputs) = (a.rows, b.columns);
    let size = order + inputs;
    let joined = Matrix::from(size, size, |row, column| match (row < order, column < order) {
        (true, true) => a.at(row, column),
        (true, false) => b.at(row, column - order),
        (false, _) => 0.0,
    });
    let found = joined.exponential();
    [columns(&found, order, 0..order), columns(&found, order, order..size)]
}

/// Returns `Φ`, `Γ₁` and `Γ₂`, the upper rows of exp([[a, b, 0], [0, 0, I], [0, 0, 0]]).
fn held_linearly(a: &Matrix, b: &Matrix) -> [Matrix; 3] {
    let (order, inputs) = (a.rows, b.columns);
    let (middle, size) = (order + inputs, order + 2 * inputs);
    let joined = Matrix::from(size, size, |row, column| match (row, column) {
        (row, column) if row < order && column < order => a.at(row, column),
        (row, column) if row < order && column < middle => b.at(row, column - order),
        (row, column) if row >= order && column == row + inputs => 1.0,
        _ => 0.0,
    });
    let found = joined.exponential();
    [0..order, order..middle, middle..size].map(|part| columns(&found, order, part))
}

/// Returns some columns of the first rows.
fn columns(of: &Matrix, rows: usize, part: std::ops::Range<usize>) -> Matrix {
    Matrix::from(rows, part.len(), |row, column| of.at(row, part.start + column))
}

/// Discretizes a transfer function, given by polynomials in s, with a sample time in seconds. Returns polynomials in z of
/// equal length. All have the highest power first; the first coefficient of the new denominator is 1.
///
/// # Errors
/// If the sample time is not above 0, the degree of the numerator exceeds that of the denominator, or the method does not
/// fit.
pub fn discretize_polynomials(
    numerator: &[f64],
    denominator: &[f64],
    time: f64,
    method: Discretization,
) -> Result<(Vec<f64>, Vec<f64>), DiscretizeError> {
    check_time(time)?;
    let significant = |values: &[f64]| values.iter().copied().skip_while(|value| *value == 0.0).collect::<Vec<_>>();
    let (numerator, denominator) = (significant(numerator), significant(denominator));
    let lead = *denominator.first().ok_or(DiscretizeError::NoDenominator)?;
    let order = denominator.len() - 1;
    if numerator.len() > denominator.len() {
        return Err(DiscretizeError::Improper);
    }
    if order > MAX_ORDER / 2 {
        return Err(DiscretizeError::TooLarge(order));
    }
    let unit = match method {
        Discretization::Tustin { prewarp } => Discretization::warped(prewarp, time)?,
        _ => time,
    };
    // In time counted in samples: the coefficient of s^(n − k) grows by T^k.
    let padded = std::iter::repeat_n(0.0, denominator.len() - numerator.len()).chain(numerator);
    let scaled = |values: &mut dyn Iterator<Item = f64>| -> Vec<f64> {
        let mut factor = 1.0;
        let scaled = values.map(|value| {
            let scaled = value / lead * factor;
            factor *= unit;
            scaled
        });
        scaled.collect()
    };
    let system = Polynomials { above: scaled(&mut padded.into_iter()), below: scaled(&mut denominator.into_iter()) };
    let found = match method {
        Discretization::ZeroOrderHold => system.of_response(Polynomials::steps_of_hold)?,
        Discretization::FirstOrderHold => system.of_response(Polynomials::steps_of_linear_hold)?,
        Discretization::Impulse if system.above.first().is_some_and(|value| *value != 0.0) => {
            return Err(DiscretizeError::Feedthrough);
        }
        Discretization::Impulse => system.of_response(Polynomials::steps_of_impulse)?,
        Discretization::Tustin { .. } => system.bilinear().ok_or(DiscretizeError::Pole(2.0 / unit))?,
        Discretization::Matched => system.matched()?,
    };
    let is_finite = found.above.iter().chain(&found.below).all(|value| value.is_finite());
    if is_finite { Ok((found.above, found.below)) } else { Err(DiscretizeError::NotFinite) }
}

/// A transfer function whose polynomials have equal length, highest power first; that below begins with 1.
struct Polynomials {
    above: Vec<f64>,
    below: Vec<f64>,
}

impl Polynomials {
    fn order(&self) -> usize {
        self.below.len() - 1
    }

    /// Returns the system in controllable canonical form: A, B, C and the feedthrough.
    fn matrices(&self) -> (Matrix, Matrix, Matrix, f64) {
        let order = self.order();
        let feedthrough = self.above[0];
        let a = Matrix::from(order, order, |row, column| match row {
            0 => -self.below[column + 1],
            row => f64::from(u8::from(column + 1 == row)),
        });
        let b = Matrix::from(order, 1, |row, _| f64::from(u8::from(row == 0)));
        let c = Matrix::from(1, order, |_, column| self.above[column + 1] - feedthrough * self.below[column + 1]);
        (a, b, c, feedthrough)
    }

    /// Returns the discrete system whose poles are `exp(p)` and whose response to a unit impulse begins with the numbers
    /// that `steps` returns, one more than its order.
    fn of_response(&self, steps: impl Fn(&Polynomials) -> Vec<f64>) -> Result<Polynomials, DiscretizeError> {
        let poles = roots(&self.below).ok_or(DiscretizeError::NoRoots)?;
        let below = product(poles.into_iter().map(exponential_of));
        let response = steps(self);
        // The product of the denominator and the response ends there, since it is the numerator.
        let coefficient = |index: usize| (0..=index).map(|at| below[at] * response[index - at]).sum();
        Ok(Polynomials { above: (0..below.len()).map(coefficient).collect(), below })
    }

    fn steps_of_hold(&self) -> Vec<f64> {
        let (a, b, c, feedthrough) = self.matrices();
        let [phi, input] = held(&a, &b);
        response(feedthrough, &phi, input, &c)
    }

    fn steps_of_linear_hold(&self) -> Vec<f64> {
        let (a, b, c, feedthrough) = self.matrices();
        let [phi, first, second] = held_linearly(&a, &b);
        let input = first.plus(&second.scaled(-1.0)).plus(&phi.times(&second));
        response(feedthrough + c.times(&second).values.iter().sum::<f64>(), &phi, input, &c)
    }

    fn steps_of_impulse(&self) -> Vec<f64> {
        let (a, b, c, _) = self.matrices();
        let phi = a.exponential();
        let first = c.times(&b).values.iter().sum::<f64>();
        response(first, &phi, phi.times(&b), &c)
    }

    /// Puts `2·(z − 1)/(z + 1)` in place of s; none if a pole is there at infinity.
    fn bilinear(&self) -> Option<Polynomials> {
        let order = self.order();
        let powers = |root: f64| {
            let mut powers = vec![vec![1.0]];
            for _ in 0..order {
                powers.extend(powers.last().map(|last| convolved(last, &[1.0, -root])));
            }
            powers
        };
        let (minus, plus) = (powers(1.0), powers(-1.0));
        let replaced = |values: &[f64]| {
            let mut sum = vec![0.0; order + 1];
            for (index, value) in values.iter().enumerate() {
                let factor = value * power(2.0, (order - index) as f64);
                let term = convolved(&minus[order - index], &plus[index]);
                sum.iter_mut().zip(term).for_each(|(sum, term)| *sum += factor * term);
            }
            sum
        };
        let (above, below) = (replaced(&self.above), replaced(&self.below));
        let lead = *below.first().filter(|lead| **lead != 0.0)?;
        let scaled = |values: Vec<f64>| values.into_iter().map(|value| value / lead).collect();
        Some(Polynomials { above: scaled(above), below: scaled(below) })
    }

    /// Maps poles and zeros by `exp`. All zeros at infinity but one become −1, so that a system without direct feedthrough
    /// has none. The gain is that at 0, without the poles and zeros there.
    fn matched(&self) -> Result<Polynomials, DiscretizeError> {
        let order = self.order();
        let Some(first) = self.above.iter().position(|value| *value != 0.0) else {
            let mut below = vec![0.0; order + 1];
            below[0] = 1.0;
            return Ok(Polynomials { above: vec![0.0; order + 1], below });
        };
        let gain = self.above[first];
        let of = |values: &[f64]| -> Result<(usize, Vec<Complex>), DiscretizeError> {
            let at_zero = values.iter().rev().take_while(|value| **value == 0.0).count();
            let monic: Vec<f64> = values[..values.len() - at_zero].iter().map(|value| value / values[0]).collect();
            Ok((at_zero, roots(&monic).ok_or(DiscretizeError::NoRoots)?))
        };
        let (zeros_at_zero, zeros) = of(&self.above[first..])?;
        let (poles_at_zero, poles) = of(&self.below)?;
        let one = Complex::new(1.0, 0.0);
        // The factors of both gains at 0, root by root, so that none overflows.
        let mut ratio = one;
        for zero in &zeros {
            ratio = ratio * -*zero / (one - exponential_of(*zero));
        }
        for pole in &poles {
            ratio = ratio * (one - exponential_of(*pole)) / -*pole;
        }
        let at_infinity = first.saturating_sub(1);
        let gain = gain * ratio.re / power(2.0, at_infinity as f64);
        let mapped = |at_zero: usize, roots: Vec<Complex>| {
            roots.into_iter().map(exponential_of).chain(std::iter::repeat_n(one, at_zero)).collect::<Vec<_>>()
        };
        let mut new_zeros = mapped(zeros_at_zero, zeros);
        new_zeros.extend(std::iter::repeat_n(-one, at_infinity));
        let below = product(mapped(poles_at_zero, poles).into_iter());
        let above = product(new_zeros.into_iter());
        let lead = std::iter::repeat_n(0.0, below.len() - above.len());
        Ok(Polynomials { above: lead.chain(above.iter().map(|value| value * gain)).collect(), below })
    }
}

/// Returns the first values of the response to a unit impulse, one more than there are states.
fn response(first: f64, phi: &Matrix, mut state: Matrix, c: &Matrix) -> Vec<f64> {
    let mut values = vec![first];
    for _ in 0..phi.rows {
        values.extend(c.times(&state).values);
        state = phi.times(&state);
    }
    values
}

/// Returns the roots of a polynomial that begins with 1.
fn roots(values: &[f64]) -> Option<Vec<Complex>> {
    let order = values.len() - 1;
    eigenvalues(&Matrix::from(order, order, |row, column| match row {
        0 => -values[column + 1],
        row => f64::from(u8::from(column + 1 == row)),
    }))
}

/// Returns the polynomial with these roots, of which complex ones come in conjugate pairs.
fn product(roots: impl Iterator<Item = Complex>) -> Vec<f64> {
    let mut values = vec![Complex::new(1.0, 0.0)];
    for root in roots {
        values.push(Complex::new(0.0, 0.0));
        for index in (1..values.len()).rev() {
            let before = values[index - 1];
            values[index] -= root * before;
        }
    }
    values.into_iter().map(|value| value.re).collect()
}

fn convolved(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; one.len() + other.len() - 1];
    for (at, a) in one.iter().enumerate() {
        product[at..].iter_mut().zip(other).for_each(|(sum, b)| *sum += a * b);
    }
    product
}

fn exponential_of(root: Complex) -> Complex {
    Complex::on_unit_circle(root.im) * Unary::Exp.value(root.re)
}

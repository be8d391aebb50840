//! One channel of a linear system: from one input to one output.

use super::delays::Delayed;
use super::linear::Linear;
use super::zeros::zeros;
use crate::block::math::{Complex, ComplexMath, Matrix, eigenvalues, power};

/// A linear system with one input and one output.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    pub a: Matrix,
    pub b: Matrix,
    pub c: Matrix,
    pub d: f64,
    /// The sample time in seconds; `None` for a continuous system.
    pub period: Option<f64>,
    /// The channel with its delays in time, where it has Padé forms of them.
    pub(super) exact: Option<Delayed>,
    /// `None` if the eigenvalue iteration does not converge.
    pub poles: Option<Vec<Complex>>,
    /// `None` if the input does not reach the output, or the iteration does not converge.
    pub zeros: Option<Vec<Complex>>,
}

impl Linear {
    /// Returns the channel from an input to an output, by their numbers; `None` if there is no such input or output.
    pub fn channel(&self, input: usize, output: usize) -> Option<Channel> {
        if input >= self.b.columns || output >= self.c.rows {
            return None;
        }
        let states: Vec<usize> = (0..self.a.rows).collect();
        let (b, c) = (self.b.part(&states, &[input]), self.c.part(&[output], &states));
        let d = self.d.part(&[output], &[input]);
        Some(Channel {
            poles: eigenvalues(&self.a),
            zeros: zeros(&self.a, &b, &c, &d),
            a: self.a.clone(),
            b,
            c,
            d: d.at(0, 0),
            period: self.period,
            exact: self.exact.as_ref().map(|exact| exact.channel(input, output)),
        })
    }

    /// Returns the transmission zeros from all inputs to all outputs; `None` if the inputs do not reach the outputs, or
    /// the iteration does not converge.
    pub fn zeros(&self) -> Option<Vec<Complex>> {
        zeros(&self.a, &self.b, &self.c, &self.d)
    }

    /// Returns the eigenvalues of the state matrix; `None` if the iteration does not converge.
    pub fn poles(&self) -> Option<Vec<Complex>> {
        eigenvalues(&self.a)
    }
}

impl Channel {
    /// Returns the channel with these matrices: one column of `b`, one row of `c`.
    pub fn of(a: Matrix, b: Matrix, c: Matrix, d: f64, period: Option<f64>) -> Channel {
        let direct = Matrix::from(1, 1, |_, _| d);
        let (poles, zeros) = (eigenvalues(&a), zeros(&a, &b, &c, &direct));
        Channel { a, b, c, d, period, exact: None, poles, zeros }
    }

    /// Returns the channel of a transfer function, its coefficients with the highest power first; `None` if it is not
    /// proper or has no denominator.
    pub fn of_polynomials(numerator: &[f64], denominator: &[f64], period: Option<f64>) -> Option<Channel> {
        let significant = |values: &[f64]| {
            let first = values.iter().position(|value| *value != 0.0).unwrap_or(values.len());
            values[first..].to_vec()
        };
        let (numerator, denominator) = (significant(numerator), significant(denominator));
        let lead = *denominator.first()?;
        let size = denominator.len() - 1;
        let lacking = (size + 1).checked_sub(numerator.len())?;
        // The numerator with leading zeros, both divided by the first coefficient of the denominator.
        let above = |power: usize| power.checked_sub(lacking).map_or(0.0, |at| numerator[at]) / lead;
        let d = above(0);
        let a = Matrix::from(size, size, |row, column| match row {
            0 => -denominator[column + 1] / lead,
            row => f64::from(u8::from(column + 1 == row)),
        });
        let b = Matrix::from(size, 1, |row, _| f64::from(u8::from(row == 0)));
        let c = Matrix::from(1, size, |_, column| above(column + 1) - d * denominator[column + 1] / lead);
        Some(Channel::of(a, b, c, d, period))
    }

    /// Returns the system with its delays taken out; without delays in time it is the channel itself.
    pub fn delayed(&self) -> Delayed {
        self.exact.clone().unwrap_or_else(|| Delayed {
            a: self.a.clone(),
            b: self.b.clone(),
            c: self.c.clone(),
            d: Matrix::from(1, 1, |_, _| self.d),
            seconds: Vec::new(),
        })
    }

    /// Returns the DC gain: the final value of the output for the constant input 1, or infinity if there is no final
    /// value, as with a pole at 0.
    pub fn steady_gain(&self) -> f64 {
        let still = if self.period.is_some() { 1.0 } else { 0.0 };
        let size = self.a.rows;
        let left =
            Matrix::from(size, size, |row, column| f64::from(u8::from(row == column)) * still - self.a.at(row, column));
        let weakest = left.orthogonal(1e-12 * left.norm().max(f64::MIN_POSITIVE));
        match left.solve(&self.b) {
            Some(x) if weakest.rank == size => self.d + self.c.times(&x).at(0, 0),
            None | Some(_) if self.zeros.is_none() => 0.0,
            None | Some(_) => f64::INFINITY,
        }
    }

    /// Returns the gain `k` of the zero-pole form `k·Π(s − zᵢ)/Π(s − pᵢ)`; `None` if zeros or poles are not known.
    pub fn gain(&self) -> Option<f64> {
        let (poles, zeros) = (self.poles.as_ref()?, self.zeros.as_ref()?);
        let farthest = poles.iter().chain(zeros).map(|at| at.abs()).fold(1.0, f64::max);
        // A point on the real axis, away from all of them.
        let at = Complex::from(2.0 * farthest);
        let value = self.at(at)?;
        let above = zeros.iter().fold(Complex::from(1.0), |product, zero| product * (at - *zero) / farthest);
        let below = poles.iter().fold(Complex::from(1.0), |product, pole| product * (at - *pole) / farthest);
        let excess = poles.len() as f64 - zeros.len() as f64;
        let scale = power(farthest, excess);
        Some((value * below).divided_by(above).re * scale)
    }

    /// Whether all poles are stable; `None` if they are not known.
    pub fn is_stable(&self) -> Option<bool> {
        let decays = |pole: &Complex| match self.period {
            None => pole.re < 0.0,
            Some(_) => pole.abs() < 1.0,
        };
        Some(self.poles.as_ref()?.iter().all(decays))
    }

    /// Returns the natural frequency of a pole in radians per second, and its damping ratio: 1 for a real stable pole,
    /// below 0 for an unstable one.
    pub fn damping(&self, pole: Complex) -> (f64, f64) {
        let rate = match self.period {
            None => pole,
            Some(period) => pole.natural_log() / period,
        };
        let frequency = rate.abs();
        (frequency, if frequency == 0.0 { 1.0 } else { -rate.re / frequency })
    }

    /// Returns the value of the rational transfer function at `s`, or at `z` for a discrete system; `None` at a pole.
    pub fn at(&self, s: Complex) -> Option<Complex> {
        super::frequency::Response::rational(self).at(s)
    }
}

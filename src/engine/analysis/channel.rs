//! One way through a linear system, from one input to one output.

use super::complex::Complex;
use super::eigen::eigenvalues;
use super::linear::Linear;
use super::matrix::Matrix;
use super::zeros::zeros;

/// A linear system with one input and one output.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    pub a: Matrix,
    pub b: Matrix,
    pub c: Matrix,
    pub d: f64,
    /// Seconds from state to state; none: it is continuous.
    pub period: Option<f64>,
    /// None where they are not found.
    pub poles: Option<Vec<Complex>>,
    /// None where the input does not reach the output, or they are not found.
    pub zeros: Option<Vec<Complex>>,
}

impl Linear {
    /// The way from an input to an output, by their numbers; none where there are no such.
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
        })
    }

    /// The eigenvalues of the states; none where they are not found.
    pub fn poles(&self) -> Option<Vec<Complex>> {
        eigenvalues(&self.a)
    }
}

impl Channel {
    /// What the output settles to where the input is 1 for ever; infinite where it never settles, as with a pole at 0.
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

    /// The factor before the zeros and poles: `k·Π(s − zᵢ)/Π(s − pᵢ)`; none where those are not known.
    pub fn gain(&self) -> Option<f64> {
        let (poles, zeros) = (self.poles.as_ref()?, self.zeros.as_ref()?);
        let farthest = poles.iter().chain(zeros).map(|at| at.abs()).fold(1.0, f64::max);
        // Away from all of them, on the real axis.
        let at = Complex::from(2.0 * farthest);
        let value = self.at(at)?;
        let above = zeros.iter().fold(Complex::ONE, |product, zero| product * (at - *zero) / Complex::from(farthest));
        let below = poles.iter().fold(Complex::ONE, |product, pole| product * (at - *pole) / Complex::from(farthest));
        let excess = poles.len() as f64 - zeros.len() as f64;
        let scale = super::matrix::power(farthest, excess);
        Some((value * below / above).re * scale)
    }

    /// Whether all poles decay; none where they are not known.
    pub fn is_stable(&self) -> Option<bool> {
        let decays = |pole: &Complex| match self.period {
            None => pole.re < 0.0,
            Some(_) => pole.abs() < 1.0,
        };
        Some(self.poles.as_ref()?.iter().all(decays))
    }

    /// A pole's frequency in radians a second and its damping, 1 where it does not oscillate and below 0 where it grows.
    pub fn damping(&self, pole: Complex) -> (f64, f64) {
        let rate = match self.period {
            None => pole,
            Some(period) => pole.ln() / Complex::from(period),
        };
        let frequency = rate.abs();
        (frequency, if frequency == 0.0 { 1.0 } else { -rate.re / frequency })
    }

    /// The transfer function's value: at `s`, or where there is a period at `z`. None at a pole.
    pub fn at(&self, s: Complex) -> Option<Complex> {
        super::frequency::Response::new(self).at(s)
    }
}

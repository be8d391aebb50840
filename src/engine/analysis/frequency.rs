//! The frequency response of a channel.

use super::channel::Channel;
use super::eigen::hessenberg;
use super::matrix::{Matrix, power_of_ten};
use crate::block::Unary;
use crate::block::math::{Complex, ComplexMath};

/// The response at one frequency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrequencyPoint {
    /// Radians per second.
    pub frequency: f64,
    pub value: Complex,
    /// The phase in degrees, unwrapped from point to point.
    pub phase: f64,
}

impl FrequencyPoint {
    pub fn decibels(&self) -> f64 {
        20.0 * Unary::Log10.value(self.value.abs())
    }
}

/// A channel prepared for evaluation at many frequencies: in Hessenberg form each costs only the square of the number
/// of states.
pub struct Response {
    a: Matrix,
    b: Vec<f64>,
    c: Vec<f64>,
    d: f64,
}

impl Response {
    pub fn new(of: &Channel) -> Response {
        let mut basis = Matrix::identity(of.a.rows);
        let a = hessenberg(&of.a, Some(&mut basis));
        let (b, c) = (basis.transposed().times(&of.b), of.c.times(&basis));
        Response { a, b: b.values, c: c.values, d: of.d }
    }

    /// Returns `c·(s·I − A)⁻¹·b + d`; none if `s` is a pole.
    pub fn at(&self, s: Complex) -> Option<Complex> {
        let size = self.a.rows;
        let mut rows: Vec<Vec<Complex>> = (0..size)
            .map(|row| {
                let element = |column: usize| {
                    let own = Complex::from(-self.a.at(row, column));
                    if row == column { own + s } else { own }
                };
                (0..size).map(element).collect()
            })
            .collect();
        let mut x: Vec<Complex> = self.b.iter().map(|&value| Complex::from(value)).collect();
        for step in 0..size {
            if step + 1 < size && rows[step + 1][step].abs() > rows[step][step].abs() {
                rows.swap(step, step + 1);
                x.swap(step, step + 1);
            }
            let pivot = rows[step][step];
            if pivot == Complex::new(0.0, 0.0) || !pivot.is_finite() {
                return None;
            }
            if step + 1 < size && rows[step + 1][step] != Complex::new(0.0, 0.0) {
                let factor = rows[step + 1][step].divided_by(pivot);
                let (upper, lower) = rows.split_at_mut(step + 1);
                let below = lower[0][step..].iter_mut().zip(&upper[step][step..]);
                below.for_each(|(to, above)| *to -= factor * *above);
                x[step + 1] = x[step + 1] - factor * x[step];
            }
        }
        for row in (0..size).rev() {
            let known = (row + 1..size).fold(x[row], |sum, column| sum - rows[row][column] * x[column]);
            x[row] = known.divided_by(rows[row][row]);
        }
        let value = x.iter().zip(&self.c).fold(Complex::from(self.d), |sum, (x, &c)| sum + *x * Complex::from(c));
        value.is_finite().then_some(value)
    }
}

impl Channel {
    /// Returns the point of the s-plane or z-plane for a frequency in radians per second.
    pub fn point_of(&self, frequency: f64) -> Complex {
        match self.period {
            None => Complex::new(0.0, frequency),
            Some(period) => Complex::on_unit_circle(frequency * period),
        }
    }

    /// Returns a frequency range in radians per second that covers all poles and zeros.
    pub fn span(&self) -> (f64, f64) {
        let all = self.poles.iter().flatten().chain(self.zeros.iter().flatten());
        let sizes = all.map(|at| self.damping(*at).0).filter(|size| *size > 1e-9 && size.is_finite());
        let (low, high) =
            sizes.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), size| (low.min(size), high.max(size)));
        let (low, high) = if low > high { (1.0, 1.0) } else { (low, high) };
        let top = self.period.map_or(f64::INFINITY, |period| std::f64::consts::PI / period);
        let high = (high * 100.0).min(top);
        ((low / 100.0).min(high / 100.0), high)
    }

    /// Returns the response at `count` logarithmically spaced frequencies; points on a pole are omitted.
    pub fn frequency_response(&self, from: f64, to: f64, count: usize) -> Vec<FrequencyPoint> {
        let response = Response::new(self);
        let (first, last) = (Unary::Log10.value(from), Unary::Log10.value(to));
        let step = (last - first) / count.saturating_sub(1).max(1) as f64;
        let mut points: Vec<FrequencyPoint> = Vec::with_capacity(count);
        for number in 0..count {
            // The ends are exact.
            let frequency = match number {
                0 => from,
                number if number + 1 == count => to,
                number => power_of_ten(first + step * number as f64),
            };
            let Some(value) = response.at(self.point_of(frequency)) else { continue };
            let mut phase = value.angle().to_degrees();
            if let Some(last) = points.last() {
                phase += 360.0 * ((last.phase - phase) / 360.0).round();
            } else if phase > 90.0 + 1e-9 {
                // A phase lag is common, a lead of more than 90° is not.
                phase -= 360.0;
            }
            points.push(FrequencyPoint { frequency, value, phase });
        }
        points
    }
}

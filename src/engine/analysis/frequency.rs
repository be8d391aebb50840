//! The frequency response of a channel.

use std::f64::consts::{FRAC_PI_4, PI};

use super::channel::Channel;
use super::delays::Delayed;
use crate::block::Unary;
use crate::block::math::{Complex, ComplexMath, Matrix, balanced, hessenberg, power_of_ten};

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

    /// Returns the response `L/(1 + L)` of the loop that is closed about this one.
    pub fn closed(&self) -> Complex {
        self.value.divided_by(self.value + 1.0)
    }
}

/// A channel prepared for evaluation at many frequencies: with many states in Hessenberg form, where each costs only the
/// square of their number.
pub struct Response {
    a: Matrix,
    /// A column for the input, and one for each delayed signal.
    b: Matrix,
    /// A row for the output, and one for the input of each delay.
    c: Matrix,
    d: Matrix,
    /// The delays in seconds.
    seconds: Vec<f64>,
    /// How many elements of a column of `a` below the diagonal can differ from 0.
    below: usize,
}

/// Up to this number of states, the matrix is eliminated as it is, without Hessenberg form: reflections would mix
/// rounding errors of fast states into slow ones.
const FEW_STATES: usize = 24;

impl Response {
    /// The exact response; delays in time are not approximated.
    pub fn new(of: &Channel) -> Response {
        match &of.exact {
            Some(Delayed { a, b, c, d, seconds }) => Response::of(a, b, c, d.clone(), seconds.clone()),
            None => Response::rational(of),
        }
    }

    /// The response with Padé forms of delays.
    pub fn rational(of: &Channel) -> Response {
        Response::of(&of.a, &of.b, &of.c, Matrix::from(1, 1, |_, _| of.d), Vec::new())
    }

    fn of(a: &Matrix, b: &Matrix, c: &Matrix, d: Matrix, seconds: Vec<f64>) -> Response {
        let (a, factors) = match a.values.iter().all(|value| value.is_finite()) {
            true => balanced(a),
            false => (a.clone(), vec![1.0; a.rows]),
        };
        let b = Matrix::from(b.rows, b.columns, |row, column| b.at(row, column) / factors[row]);
        let c = Matrix::from(c.rows, c.columns, |row, column| c.at(row, column) * factors[column]);
        if a.rows <= FEW_STATES {
            let below = a.rows;
            return Response { a, b, c, d, seconds, below };
        }
        let mut basis = Matrix::identity(a.rows);
        let a = hessenberg(&a, Some(&mut basis));
        Response { a, b: basis.transposed().times(&b), c: c.times(&basis), d, seconds, below: 1 }
    }

    /// Returns `c·(s·I − A)⁻¹·b + d`, closed by the delays; `None` if `s` is a pole.
    pub fn at(&self, s: Complex) -> Option<Complex> {
        let between = self.rest_at(s)?;
        let [first, rows @ ..] = &between[..] else { return None };
        let delay =
            |seconds: f64| Complex::on_unit_circle(-s.im * seconds) * Complex::from(Unary::Exp.value(-s.re * seconds));
        let delays: Vec<Complex> = self.seconds.iter().map(|seconds| delay(*seconds)).collect();
        // z = G₂₁ + G₂₂·Δ·z.
        let k = delays.len();
        let one = |same: bool| Complex::from(f64::from(u8::from(same)));
        let element = |row: usize, column: usize| one(row == column) - rows[row][column + 1] * delays[column];
        let system: Vec<Vec<Complex>> = (0..k).map(|row| (0..k).map(|column| element(row, column)).collect()).collect();
        let fed = solved(system, rows.iter().map(|row| row[0]).collect())?;
        let value = (0..k).fold(first[0], |sum, at| sum + first[at + 1] * delays[at] * fed[at]);
        value.is_finite().then_some(value)
    }

    /// The values from the input and the delayed signals to the output and the inputs of the delays, row by row.
    fn rest_at(&self, s: Complex) -> Option<Vec<Vec<Complex>>> {
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
        let columns = self.b.columns;
        let mut x: Vec<Vec<Complex>> =
            (0..size).map(|row| self.b.row(row).iter().map(|&value| Complex::from(value)).collect()).collect();
        for step in 0..size {
            let end = size.min(step + 1 + self.below);
            let largest = (step + 1..end).fold(step, |largest, row| {
                if rows[row][step].abs() > rows[largest][step].abs() { row } else { largest }
            });
            rows.swap(step, largest);
            x.swap(step, largest);
            let pivot = rows[step][step];
            if pivot == Complex::new(0.0, 0.0) || !pivot.is_finite() {
                return None;
            }
            for row in step + 1..end {
                if rows[row][step] == Complex::new(0.0, 0.0) {
                    continue;
                }
                let factor = rows[row][step].divided_by(pivot);
                let (upper, lower) = rows.split_at_mut(row);
                let below = lower[0][step..].iter_mut().zip(&upper[step][step..]);
                below.for_each(|(to, above)| *to -= factor * *above);
                let (upper, lower) = x.split_at_mut(row);
                lower[0].iter_mut().zip(&upper[step]).for_each(|(to, above)| *to -= factor * *above);
            }
        }
        for row in (0..size).rev() {
            let (upper, lower) = x.split_at_mut(row + 1);
            for (column, of) in upper[row].iter_mut().enumerate() {
                let known = lower.iter().zip(&rows[row][row + 1..]);
                let known = known.fold(*of, |sum, (x, factor)| sum - *factor * x[column]);
                *of = known.divided_by(rows[row][row]);
            }
        }
        let value = |row: usize, column: usize| {
            let direct = Complex::from(self.d.at(row, column));
            x.iter().zip(self.c.row(row)).fold(direct, |sum, (x, &c)| sum + x[column] * Complex::from(c))
        };
        let values: Vec<Vec<Complex>> =
            (0..self.c.rows).map(|row| (0..columns).map(|column| value(row, column)).collect()).collect();
        values.iter().flatten().all(|value| value.is_finite()).then_some(values)
    }
}

/// Solves a small system of equations by elimination with partial pivoting; `None` if it is singular.
fn solved(mut rows: Vec<Vec<Complex>>, mut right: Vec<Complex>) -> Option<Vec<Complex>> {
    let size = right.len();
    for step in 0..size {
        let pivot = (step..size).max_by(|&a, &b| rows[a][step].abs().total_cmp(&rows[b][step].abs()))?;
        rows.swap(step, pivot);
        right.swap(step, pivot);
        if rows[step][step] == Complex::new(0.0, 0.0) || !rows[step][step].is_finite() {
            return None;
        }
        for row in step + 1..size {
            let factor = rows[row][step].divided_by(rows[step][step]);
            let (upper, lower) = rows.split_at_mut(row);
            let below = lower[0][step..].iter_mut().zip(&upper[step][step..]);
            below.for_each(|(to, above)| *to -= factor * *above);
            let above = right[step];
            right[row] -= factor * above;
        }
    }
    for row in (0..size).rev() {
        let known = (row + 1..size).fold(right[row], |sum, at| sum - rows[row][at] * right[at]);
        right[row] = known.divided_by(rows[row][row]);
    }
    Some(right)
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
        let mut last_phase = self.first_phase(&response, from);
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
            let angle = value.angle().to_degrees();
            let phase = match last_phase {
                Some(before) => unwrapped(self.followed(&response, before, frequency), angle),
                None => beginning(angle),
            };
            last_phase = Some((frequency, phase));
            points.push(FrequencyPoint { frequency, value, phase });
        }
        points
    }

    /// Returns a frequency below all poles and zeros, at most `from`, and the phase there in degrees; `None` if it is
    /// on a pole.
    fn first_phase(&self, response: &Response, from: f64) -> Option<(f64, f64)> {
        let frequency = self.span().0.min(from);
        let value = response.at(self.point_of(frequency))?;
        Some((frequency, beginning(value.angle().to_degrees())))
    }

    /// Returns the exact response at frequencies in radians per second; `None` at a pole.
    pub fn response_at(&self, frequencies: &[f64]) -> Vec<Option<Complex>> {
        let response = Response::new(self);
        frequencies.iter().map(|&frequency| response.at(self.point_of(frequency))).collect()
    }

    /// Returns about the phase at a frequency, in degrees, followed from a lower frequency with its phase, whatever lies
    /// between them: it is off by less than a half turn.
    fn followed(&self, response: &Response, (low, before): (f64, f64), high: f64) -> f64 {
        if self.exact.is_none()
            && let (Some(zeros), Some(poles)) = (&self.zeros, &self.poles)
        {
            let turn = |roots: &[Complex]| roots.iter().map(|root| self.turn_about(*root, low, high)).sum::<f64>();
            return before + (turn(zeros) - turn(poles)).to_degrees();
        }
        let delay: f64 = self.exact.iter().flat_map(|exact| &exact.seconds).sum();
        let roots = self.zeros.iter().chain(&self.poles).flatten();
        // Without poles and zeros each state may turn the phase.
        let unknown = self.poles.is_none() || self.zeros.is_none();
        let rest = if unknown { PI * self.a.rows as f64 } else { 0.0 };
        let turns = roots.map(|root| self.turn_about(*root, low, high).abs()).sum::<f64>() + rest;
        // A delay turns the phase evenly, a root about its own frequency.
        let even = ((high - low) * delay / FRAC_PI_4).ceil();
        if even > MAX_PIECES {
            return before - ((high - low) * delay).to_degrees();
        }
        let ratio = Unary::Ln.value(high / low);
        let uneven = (turns * ratio.max(1.0) / FRAC_PI_4).ceil().min(MAX_PIECES);
        let (even, uneven) = (even as usize, uneven as usize);
        let even = (1..even).map(|piece| low + (high - low) * (piece as f64 / even as f64));
        let uneven = (1..uneven).map(|piece| low * Unary::Exp.value(ratio * (piece as f64 / uneven as f64)));
        let mut between: Vec<f64> = even.chain(uneven).collect();
        between.sort_by(f64::total_cmp);
        between.iter().fold(before, |phase, &frequency| {
            let value = response.at(self.point_of(frequency));
            value.map_or(phase, |value| unwrapped(phase, value.angle().to_degrees()))
        })
    }

    /// Returns the angle in radians by which the line from a pole or zero to the point of a frequency turns between two
    /// frequencies. One on the axis or the unit circle counts as stable.
    fn turn_about(&self, root: Complex, low: f64, high: f64) -> f64 {
        let size = root.abs();
        let Some(period) = self.period else {
            let re = if root.re.abs() <= ON_AXIS * size { -ON_AXIS * size } else { root.re };
            let angle = |frequency: f64| Complex::new(-re, frequency - root.im).angle();
            let turn = angle(high) - angle(low);
            // A straight line does not turn by more than a half turn about a point.
            return turn - 2.0 * PI * (turn / (2.0 * PI)).round();
        };
        let angle = |frequency: f64| {
            let at = Complex::on_unit_circle(frequency * period);
            // z − r is z·(1 − r/z) or −r·(1 − z/r), where the factor in brackets has a positive real part.
            match size <= 1.0 + ON_AXIS {
                true => frequency * period + (Complex::from(1.0) - root * Complex::new(at.re, -at.im)).angle(),
                false => (Complex::from(1.0) - at.divided_by(root)).angle(),
            }
        };
        angle(high) - angle(low)
    }
}

/// The maximum number of frequencies between two points at which the phase is tracked if there are delays in time.
const MAX_PIECES: f64 = 20_000.0;
/// The distance from the axis or the unit circle, as a part of the size, within which a root is on it.
const ON_AXIS: f64 = 1e-9;

/// Returns the phase in degrees with which a response begins: a lag is common, a lead of more than 90° is not.
fn beginning(phase: f64) -> f64 {
    if phase > 90.0 + 1e-9 { phase - 360.0 } else { phase }
}

/// Returns the phase in degrees, shifted by the number of full turns that brings it closest to `before`.
fn unwrapped(before: f64, phase: f64) -> f64 {
    phase + 360.0 * ((before - phase) / 360.0).round()
}

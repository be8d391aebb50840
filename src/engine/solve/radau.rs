//! One step of the implicit Runge–Kutta method Radau IIA of order 5, with an error estimate and dense output of order 3.
//!
//! It is the method of Hairer, Wanner: Solving Ordinary Differential Equations II, 2nd edition (1996), section IV.8: the
//! equations of the three stages are transformed so that a real and a complex system of the size of the state remain, and
//! solved by Newton's method with one Jacobian for the whole step.

use num_complex::Complex;

use super::method::{Allowed, DENSE, Trial, norm};
use super::sparse::{Jacobian, SparseFactors, StepMatrix};
use crate::block::{Binary, Rates};

/// The stages lie at these fractions of a step: (4 ∓ √6)/10 and 1.
const NODES: [f64; 3] = [0.155_051_025_721_682_2, 0.644_948_974_278_317_8, 1.0];
/// The eigenvalues of the inverse of the method's matrix: 3 + 3^(2/3) − 3^(1/3), and 3 + (3^(1/3) − 3^(2/3))/2 ∓
/// i·(3^(5/6) + 3^(7/6))/2.
const REAL: f64 = 3.637_834_252_744_496;
const COMPLEX: Complex<f64> = Complex { re: 2.681_082_873_627_752, im: -3.050_430_199_247_410_6 };
/// Its eigenvectors, and their inverse.
const FROM: [[f64; 3]; 3] = [
    [0.094_438_762_488_975_24, -0.141_255_295_020_954_2, 0.030_029_194_105_147_424],
    [0.250_213_122_965_333_3, 0.204_129_352_293_799_93, -0.382_942_112_757_261_9],
    [1.0, 1.0, 0.0],
];
const TO: [[f64; 3]; 3] = [
    [4.178_718_591_551_905, 0.327_682_820_761_062_4, 0.523_376_445_499_449_5],
    [-4.178_718_591_551_905, -0.327_682_820_761_062_4, 0.476_623_554_500_550_45],
    [0.502_872_634_945_786_9, -2.571_926_949_855_605, 0.596_039_204_828_224_9],
];
/// The factors of the stages in the error estimate, (−13 ∓ 7·√6)/3 and −1/3.
const ERROR: [f64; 3] = [-10.048_809_399_827_416, 1.382_142_733_160_749, -1.0 / 3.0];
/// The factors of the stages in the coefficients of s, s² and s³ of the dense output.
const POWERS: [[f64; 3]; 3] = [
    [10.048_809_399_827_416, -25.629_591_447_076_64, 15.580_782_047_249_224],
    [-1.382_142_733_160_749, 10.296_258_113_743_304, -8.914_115_380_582_557],
    [1.0 / 3.0, -8.0 / 3.0, 10.0 / 3.0],
];
/// After this many iterations without convergence the step is too long.
const MAX_ITERATIONS: usize = 7;
/// A step whose iterations do not converge is tried again, shorter by this factor.
const SHORTER: f64 = 0.5;

/// A step that is tried.
pub struct RadauStep<'a> {
    /// Seconds.
    pub time: f64,
    pub length: f64,
    /// The state at its begin, and the rates there.
    pub x: &'a [f64],
    pub first: &'a [f64],
    pub jacobian: &'a Jacobian,
    /// The dense output of the step before, if it ended where this one begins: its coefficients, and its length in
    /// seconds.
    pub before: Option<(&'a [f64], f64)>,
    pub tolerances: Allowed<'a>,
}

/// How a step ended that was tried.
pub enum Attempt {
    /// The state at its end is known, after the given numbers of iterations and evaluations of the rates.
    Solved { iterations: usize, evaluations: usize },
    /// It is too long, which took `evaluations` evaluations of the rates to find out; the next is shorter by the factor
    /// `shorter`.
    TooLong { evaluations: usize, shorter: f64 },
}

/// Working memory of the method. Each vector has a value for each state.
#[derive(Debug, Default)]
pub struct Radau {
    /// The increment of the state at each node, as it is and transformed.
    added: [Vec<f64>; 3],
    transformed: [Vec<f64>; 3],
    /// The rates at each node.
    rates: [Vec<f64>; 3],
    /// The correction by Newton's method.
    real: Vec<f64>,
    complex: Vec<Complex<f64>>,
    assumed: Vec<f64>,
    complex_matrix: SparseFactors<Complex<f64>>,
}

impl Radau {
    /// Tries a step. `matrix` has the factors of `γ/h·I − J` afterwards, where γ is the real eigenvalue.
    pub fn attempt(&mut self, trial: &mut Trial, matrix: &mut StepMatrix, step: &RadauStep, rates: Rates) -> Attempt {
        let RadauStep { time, length: h, x, first, jacobian, .. } = *step;
        let n = x.len();
        let all = self.added.iter_mut().chain(&mut self.transformed).chain(&mut self.rates);
        all.chain([&mut self.real, &mut self.assumed]).for_each(|values| values.resize(n, 0.0));
        self.complex.resize(n, Complex::default());
        let is_factored = matrix.factor(jacobian, REAL / h, 1.0)
            && self.complex_matrix.factor(jacobian, Complex { re: COMPLEX.re / h, im: COMPLEX.im / h }, 1.0);
        if !is_factored {
            return Attempt::TooLong { evaluations: 0, shorter: SHORTER };
        }
        self.guess(step);
        let (iterations, is_solved) = self.solve(matrix, step, rates);
        let mut evaluations = 3 * iterations;
        if !is_solved {
            return Attempt::TooLong { evaluations, shorter: SHORTER };
        }
        for state in 0..n {
            let added = [0, 1, 2].map(|node: usize| self.added[node][state]);
            trial.x[state] = x[state] + added[2];
            let power = |power: usize| (0..3).fold(0.0, |sum, node| sum + added[node] * POWERS[node][power]);
            trial.dense[DENSE * state..][..DENSE].copy_from_slice(&[x[state], power(0), power(1), power(2), 0.0]);
            self.real[state] = (0..3).fold(0.0, |sum, node| sum + added[node] * ERROR[node]) / h;
            trial.error[state] = first[state] + self.real[state];
        }
        matrix.solve(&mut trial.error);
        // The estimate is too large for stiff states. Where it would refuse the step, it is filtered once more.
        if norm(&trial.error, (x, &trial.x), step.tolerances) >= 1.0 {
            self.assumed.iter_mut().zip(x).zip(&trial.error).for_each(|((to, x), error)| *to = x + error);
            rates(time, &self.assumed, &mut trial.error);
            evaluations += 1;
            trial.error.iter_mut().zip(&self.real).for_each(|(to, part)| *to += part);
            matrix.solve(&mut trial.error);
        }
        Attempt::Solved { iterations, evaluations }
    }

    /// Sets the increment of the state at each node by extrapolating the polynomial of the step before.
    fn guess(&mut self, step: &RadauStep) {
        for (node, added) in NODES.iter().zip(&mut self.added) {
            match step.before {
                None => added.fill(0.0),
                Some((dense, span)) => {
                    let s = 1.0 + node * step.length / span;
                    for ((added, dense), x) in added.iter_mut().zip(dense.chunks_exact(DENSE)).zip(step.x) {
                        *added = radau_between(dense, s) - x;
                    }
                }
            }
        }
        for (row, transformed) in TO.iter().zip(&mut self.transformed) {
            for (state, to) in transformed.iter_mut().enumerate() {
                *to = (0..3).fold(0.0, |sum, node| sum + row[node] * self.added[node][state]);
            }
        }
    }

    /// Solves the equations of the stages. Returns the number of iterations, and whether they converge.
    fn solve(&mut self, matrix: &mut StepMatrix, step: &RadauStep, rates: Rates) -> (usize, bool) {
        let RadauStep { time, length: h, x, tolerances, .. } = *step;
        let relative = tolerances.relative;
        let close = (10.0 * f64::EPSILON / relative).max(relative.sqrt().min(0.03));
        let (mut size_before, mut rate) = (None, None);
        for iteration in 0..MAX_ITERATIONS {
            for (node, fraction) in NODES.iter().enumerate() {
                let added = &self.added[node];
                self.assumed.iter_mut().zip(x).zip(added).for_each(|((to, x), added)| *to = x + added);
                rates(time + fraction * h, &self.assumed, &mut self.rates[node]);
            }
            let turn = Complex { re: COMPLEX.re / h, im: COMPLEX.im / h };
            for state in 0..x.len() {
                let part = |row: &[f64; 3]| (0..3).fold(0.0, |sum, node| sum + row[node] * self.rates[node][state]);
                let [known, re, im] = [0, 1, 2].map(|row: usize| self.transformed[row][state]);
                self.real[state] = part(&TO[0]) - REAL / h * known;
                self.complex[state] = Complex { re: part(&TO[1]), im: part(&TO[2]) } - turn * Complex { re, im };
            }
            matrix.solve(&mut self.real);
            self.complex_matrix.solve(&mut self.complex);
            let mut sum = 0.0;
            let floor = tolerances.floor(x.iter().zip(&self.added[2]).map(|(x, added)| x + added));
            for (state, x) in x.iter().enumerate() {
                // A state that is 0 has the size that it gets.
                let moved = if tolerances.noise > 0.0 { (x + self.added[2][state]).abs() } else { 0.0 };
                let size = x.abs().max(moved);
                let scale = floor + tolerances.absolute[state] + relative * size;
                let change = [self.real[state], self.complex[state].re, self.complex[state].im];
                for (row, change) in change.into_iter().enumerate() {
                    sum += (change / scale) * (change / scale);
                    self.transformed[row][state] += change;
                }
                for (row, added) in FROM.iter().zip(&mut self.added) {
                    added[state] = (0..3).fold(0.0, |sum, column| sum + row[column] * self.transformed[column][state]);
                }
            }
            let size = (sum / (3 * x.len()) as f64).sqrt();
            if let Some(before) = size_before {
                let found: f64 = size / before;
                let left = (MAX_ITERATIONS - 1 - iteration) as f64;
                // Not-a-number does not converge either.
                let converges = found < 1.0 && Binary::Pow.value(found, left) / (1.0 - found) * size <= close;
                rate = Some(found);
                if !converges && size != 0.0 {
                    return (iteration + 1, false);
                }
            }
            let is_close = size == 0.0 || rate.is_some_and(|rate| rate / (1.0 - rate) * size < close);
            if is_close {
                return (iteration + 1, true);
            }
            if !size.is_finite() {
                return (iteration + 1, false);
            }
            size_before = Some(size);
        }
        (MAX_ITERATIONS, false)
    }
}

/// The factor by which the next step is shorter than its error would permit: the more, the slower the iterations
/// converged. 1 without iterations.
pub fn caution(iterations: usize) -> f64 {
    if iterations == 0 {
        return 1.0;
    }
    (2 * MAX_ITERATIONS + 1) as f64 / (2 * MAX_ITERATIONS + iterations) as f64
}

/// The state at the fraction `s` of the step.
pub fn radau_between(dense: &[f64], s: f64) -> f64 {
    dense[0] + s * (dense[1] + s * (dense[2] + s * dense[3]))
}

/// The derivative of [`radau_between`] by `s`.
pub fn radau_slope(dense: &[f64], s: f64) -> f64 {
    dense[1] + s * (2.0 * dense[2] + 3.0 * s * dense[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The constants agree with their closed forms, and the inverse of the method's matrix with its eigenvalues.
    #[test]
    fn constants_are_those_of_the_method() {
        let root = 6.0_f64.sqrt();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-14 * (1.0 + a.abs()), "{a} and {b}");
        near(NODES[0], (4.0 - root) / 10.0);
        near(NODES[1], (4.0 + root) / 10.0);
        near(REAL, 3.0 + 3.0_f64.powf(2.0 / 3.0) - 3.0_f64.cbrt());
        near(COMPLEX.re, 3.0 + (3.0_f64.cbrt() - 3.0_f64.powf(2.0 / 3.0)) / 2.0);
        near(COMPLEX.im, -(3.0_f64.powf(5.0 / 6.0) + 3.0_f64.powf(7.0 / 6.0)) / 2.0);
        near(ERROR[0], (-13.0 - 7.0 * root) / 3.0);
        near(ERROR[1], (-13.0 + 7.0 * root) / 3.0);
        let method = [
            [(88.0 - 7.0 * root) / 360.0, (296.0 - 169.0 * root) / 1800.0, (-2.0 + 3.0 * root) / 225.0],
            [(296.0 + 169.0 * root) / 1800.0, (88.0 + 7.0 * root) / 360.0, (-2.0 - 3.0 * root) / 225.0],
            [(16.0 - root) / 36.0, (16.0 + root) / 36.0, 1.0 / 9.0],
        ];
        let times = |a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]| -> [[f64; 3]; 3] {
            std::array::from_fn(|row| std::array::from_fn(|column| (0..3).map(|k| a[row][k] * b[k][column]).sum()))
        };
        let (re, im) = (COMPLEX.re, COMPLEX.im);
        let values = [[REAL, 0.0, 0.0], [0.0, re, -im], [0.0, im, re]];
        // TO · A⁻¹ · FROM are the eigenvalues, so TO = eigenvalues · TO · A.
        let found = times(&values, &times(&TO, &method));
        let one = times(&TO, &FROM);
        for row in 0..3 {
            for column in 0..3 {
                near(found[row][column], TO[row][column]);
                near(one[row][column], f64::from(u8::from(row == column)));
            }
        }
        // The polynomial passes through the increment at each node.
        for (node, powers) in POWERS.iter().enumerate() {
            for (at, s) in NODES.iter().enumerate() {
                near(powers[0] * s + powers[1] * s * s + powers[2] * s * s * s, f64::from(u8::from(at == node)));
            }
        }
    }

    /// Newton's corrections of x' = f where f is 1 in the first iteration and 2 + `more` in the second: the second
    /// correction is 1 + `more` times the first.
    fn attempt_with(more: f64) -> Attempt {
        let (mut radau, mut matrix, mut trial) = (Radau::default(), StepMatrix::default(), Trial::new(1));
        let mut calls = 0;
        let mut rates = |_: f64, _: &[f64], to: &mut [f64]| {
            to[0] = if calls < 3 { 1.0 } else { 2.0 + more };
            calls += 1;
        };
        let jacobian = Jacobian::new(&[vec![0]]);
        let (length, tolerances) = (1.0, Allowed { relative: 1e-3, absolute: &[1e-3], noise: 0.0, growth: 1.0 });
        let step =
            RadauStep { time: 0.0, length, x: &[0.0], first: &[1.0], jacobian: &jacobian, before: None, tolerances };
        radau.attempt(&mut trial, &mut matrix, &step, &mut rates)
    }

    /// Corrections that become a little longer do not converge; those that become far shorter do.
    #[test]
    fn corrections_that_grow_end_the_iteration() {
        for more in [0.0005, 1.0, f64::NAN] {
            let attempt = attempt_with(more);
            assert!(matches!(attempt, Attempt::TooLong { evaluations: 6, .. }), "{more}");
        }
        assert!(matches!(attempt_with(-1.0 + 1e-9), Attempt::Solved { iterations: 2, .. }));
    }
}

//! State feedback and observers for systems in state space: by weights, by noise, and by poles.

use super::placement;
use super::riccati::{continuous_riccati, discrete_riccati};
use crate::block::math::{Complex, ComplexMath, Matrix, eigenvalues, singular_values};

/// How small the smallest singular value of `[A − λ·I, B]` is, relative to the matrices, where a mode is not reached.
const UNREACHED: f64 = 1e-10;
/// How far poles may be from those that are wanted, relative to the largest.
const PLACED: f64 = 1e-3;
/// The asymmetry of a symmetric matrix, relative to its norm.
const ASYMMETRY: f64 = 1e-9;

/// A linear system: `x' = A·x + B·u`, `y = C·x + D·u`, or `x(k+1) = A·x(k) + B·u(k)`.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSystem {
    pub a: Matrix,
    pub b: Matrix,
    pub c: Matrix,
    /// The sample time in seconds; `None` if it is continuous.
    pub period: Option<f64>,
}

/// A gain, and the poles that it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    /// K of `u = −K·x`, or L of an observer.
    pub gain: Matrix,
    /// Of a discrete Kalman filter: the gain of the correction by the current measurement, `L = A·M`.
    pub correction: Option<Matrix>,
    /// The solution of the Riccati equation: of the costs, or the covariance of the estimate before the measurement.
    pub riccati: Option<Matrix>,
    /// The eigenvalues of `A − B·K`, or of `A − L·C`.
    pub poles: Vec<Complex>,
}

/// Why there is no gain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FeedbackError {
    #[error("{name} is not symmetric")]
    Asymmetric { name: &'static str },
    #[error("{name} is not positive definite")]
    NotDefinite { name: &'static str },
    #[error("{name} is not positive semidefinite: it has the eigenvalue {value}")]
    Negative { name: &'static str, value: f64 },
    #[error("the input does not reach the mode {0}, which does not decay by itself")]
    NotStabilizable(String),
    #[error("the measurement does not show the mode {0}, which does not decay by itself")]
    NotDetectable(String),
    #[error("{weight} does not act on the mode {mode}, which neither decays nor grows")]
    Unweighted { weight: &'static str, mode: String },
    #[error("the input does not reach the mode {0}, so that its pole cannot be moved")]
    NotControllable(String),
    #[error("the measurement does not show the mode {0}, so that its pole cannot be moved")]
    NotObservable(String),
    #[error("{given} poles for {states} states; give one for each")]
    PoleCount { given: usize, states: usize },
    #[error("the pole {0} has no conjugate; complex poles come in pairs")]
    Unpaired(String),
    #[error("the poles cannot be placed with the accuracy of the numbers; scale the states, or choose other poles")]
    Inaccurate,
    #[error("the Riccati equation has no stabilizing solution")]
    NoSolution,
}

impl StateSystem {
    /// The system that an observer controls: transposed, with the outputs in the place of the inputs.
    pub fn dual(&self) -> StateSystem {
        StateSystem { a: self.a.transposed(), b: self.c.transposed(), c: self.b.transposed(), period: self.period }
    }

    /// Returns the modes that the input does not reach.
    fn unreached(&self) -> Vec<Complex> {
        let (n, m) = (self.a.rows, self.b.columns);
        let size = (self.a.norm() + self.b.norm()).max(f64::MIN_POSITIVE);
        let is_unreached = |mode: &Complex| {
            // The complex matrix [A − λ·I, B] as a real one of twice the size.
            let element = |row: usize, column: usize| match column {
                column if column < n => {
                    let own = if row == column { *mode } else { Complex::from(0.0) };
                    Complex::from(self.a.at(row, column)) - own
                }
                column => Complex::from(self.b.at(row, column - n)),
            };
            let real = Matrix::from(2 * n, 2 * (n + m), |row, column| {
                let value = element(row % n, column % (n + m));
                match (row < n, column < n + m) {
                    (true, true) | (false, false) => value.re,
                    (true, false) => -value.im,
                    (false, true) => value.im,
                }
            });
            let smallest = singular_values(&real).and_then(|values| values.last().copied());
            smallest.is_none_or(|smallest| smallest <= UNREACHED * size)
        };
        let modes = eigenvalues(&self.a).unwrap_or_default();
        modes.into_iter().filter(is_unreached).collect()
    }

    /// How far a mode is from the limit of stability; negative if it decays.
    fn growth(&self, mode: &Complex) -> f64 {
        match self.period {
            None => mode.re,
            Some(_) => mode.abs() - 1.0,
        }
    }

    /// Whether a mode decays by itself.
    fn decays(&self, mode: &Complex) -> bool {
        self.growth(mode) < -UNREACHED * self.a.norm()
    }

    fn poles_with(&self, gain: &Matrix) -> Result<Vec<Complex>, FeedbackError> {
        let closed = self.a.plus(&self.b.times(gain).scaled(-1.0));
        let mut poles = eigenvalues(&closed).ok_or(FeedbackError::Inaccurate)?;
        sort(&mut poles);
        Ok(poles)
    }
}

/// Returns the gain K of `u = −K·x` that minimizes the integral, or the sum, of `xᵀ·Q·x + uᵀ·R·u + 2·xᵀ·N·u` (B. Anderson,
/// J. Moore: Optimal Control, 1990, chapter 3). The sizes of the matrices fit.
///
/// # Errors
/// If the weights are not those of a minimum, or no gain makes the system stable.
pub fn lqr(system: &StateSystem, q: &Matrix, r: &Matrix, n: Option<&Matrix>) -> Result<Feedback, FeedbackError> {
    definite("R", r)?;
    symmetric("Q", q)?;
    if let Some(mode) = system.unreached().iter().find(|mode| !system.decays(mode)) {
        return Err(FeedbackError::NotStabilizable(text(*mode)));
    }
    regulator(system, q, r, n, "Q")
}

/// The same for a system whose modes are looked at.
fn regulator(
    system: &StateSystem,
    q: &Matrix,
    r: &Matrix,
    n: Option<&Matrix>,
    weight: &'static str,
) -> Result<Feedback, FeedbackError> {
    let StateSystem { a, b, .. } = system;
    let cross = n.map_or_else(|| Matrix::zero(a.rows, b.columns), Matrix::clone);
    // The cross term is taken out by the feedback R⁻¹·Nᵀ.
    let by_cross = r.solve(&cross.transposed()).ok_or(FeedbackError::NotDefinite { name: "R" })?;
    let free = a.plus(&b.times(&by_cross).scaled(-1.0));
    let rest = q.plus(&cross.times(&by_cross).scaled(-1.0));
    semidefinite(weight, &rest)?;
    let seen = StateSystem { a: free.transposed(), b: rest.clone(), ..system.clone() };
    let limit = |mode: &&Complex| !system.decays(mode) && system.growth(mode) <= UNREACHED * a.norm();
    if let Some(mode) = seen.unreached().iter().find(limit) {
        return Err(FeedbackError::Unweighted { weight, mode: text(*mode) });
    }
    let g = b.times(&r.solve(&b.transposed()).ok_or(FeedbackError::NotDefinite { name: "R" })?);
    let (riccati, gain) = match system.period {
        None => {
            let x = continuous_riccati(&free, &g, &rest).ok_or(FeedbackError::NoSolution)?;
            let gain = r.solve(&b.transposed().times(&x).plus(&cross.transposed()));
            (x, gain)
        }
        Some(_) => {
            let x = discrete_riccati(&free, &g, &rest).ok_or(FeedbackError::NoSolution)?;
            let by_input = b.transposed().times(&x);
            let gain = r.plus(&by_input.times(b)).solve(&by_input.times(a).plus(&cross.transposed()));
            (x, gain)
        }
    };
    let gain = gain.ok_or(FeedbackError::NoSolution)?;
    let poles = system.poles_with(&gain)?;
    Ok(Feedback { gain, correction: None, riccati: Some(riccati), poles })
}

/// Returns the gain L of the observer `x̂' = A·x̂ + B·u + L·(y − C·x̂ − D·u)` with the smallest covariance of its error, for
/// process noise of covariance `q` on the states and measurement noise of covariance `r` (R. Kalman, R. Bucy: New results in
/// linear filtering and prediction theory, Journal of Basic Engineering 83, 1961). Of a discrete system L predicts the next
/// state, and the correction M acts on the current one. The sizes of the matrices fit.
///
/// # Errors
/// If the covariances are not those of noise, or the measurement does not show a mode that grows.
pub fn kalman(system: &StateSystem, q: &Matrix, r: &Matrix) -> Result<Feedback, FeedbackError> {
    definite("R", r)?;
    symmetric("Q", q)?;
    let dual = system.dual();
    if let Some(mode) = dual.unreached().iter().find(|mode| !dual.decays(mode)) {
        return Err(FeedbackError::NotDetectable(text(*mode)));
    }
    let found = regulator(&dual, q, r, None, "Q")?;
    let correction = match (system.period, &found.riccati) {
        (Some(_), Some(p)) => {
            let by_output = system.c.times(p);
            let innovation = r.plus(&by_output.times(&system.c.transposed()));
            Some(innovation.solve(&by_output).ok_or(FeedbackError::NoSolution)?.transposed())
        }
        _ => None,
    };
    Ok(Feedback { gain: found.gain.transposed(), correction, ..found })
}

/// Returns the gain K of `u = −K·x` that gives `A − B·K` these poles.
///
/// # Errors
/// If there is not one pole for each state, or the input does not reach a mode.
pub fn place(system: &StateSystem, poles: &[Complex]) -> Result<Feedback, FeedbackError> {
    placed(system, poles, FeedbackError::NotControllable)
}

/// Returns the gain L of the observer that gives `A − L·C` these poles.
///
/// # Errors
/// If there is not one pole for each state, or the measurement does not show a mode.
pub fn place_observer(system: &StateSystem, poles: &[Complex]) -> Result<Feedback, FeedbackError> {
    let found = placed(&system.dual(), poles, FeedbackError::NotObservable)?;
    Ok(Feedback { gain: found.gain.transposed(), ..found })
}

fn placed(
    system: &StateSystem,
    poles: &[Complex],
    unreached: fn(String) -> FeedbackError,
) -> Result<Feedback, FeedbackError> {
    let states = system.a.rows;
    if poles.len() != states {
        return Err(FeedbackError::PoleCount { given: poles.len(), states });
    }
    let mut wanted = poles.to_vec();
    sort(&mut wanted);
    let count = |of: Complex| wanted.iter().filter(|pole| (**pole - of).abs() == 0.0).count();
    if let Some(alone) = wanted.iter().find(|pole| count(**pole) != count(Complex::new(pole.re, -pole.im))) {
        return Err(FeedbackError::Unpaired(text(*alone)));
    }
    if let Some(mode) = system.unreached().first() {
        return Err(unreached(text(*mode)));
    }
    let gain = placement::gain(&system.a, &system.b, &wanted).ok_or(FeedbackError::Inaccurate)?;
    let poles = system.poles_with(&gain)?;
    // Poles that are equal are found the less exactly the more there are, relative to the matrix.
    let size = wanted.iter().map(|pole| pole.abs()).fold(system.a.norm(), f64::max);
    if placement::distance(&poles, &wanted) > PLACED * size {
        return Err(FeedbackError::Inaccurate);
    }
    Ok(Feedback { gain, correction: None, riccati: None, poles })
}

/// Sorts poles by their real parts, then by their imaginary parts.
fn sort(poles: &mut [Complex]) {
    poles.sort_by(|one, other| one.re.total_cmp(&other.re).then(one.im.total_cmp(&other.im)));
}

fn symmetric(name: &'static str, of: &Matrix) -> Result<(), FeedbackError> {
    let difference = of.plus(&of.transposed().scaled(-1.0));
    match difference.norm() <= ASYMMETRY * of.norm() {
        true => Ok(()),
        false => Err(FeedbackError::Asymmetric { name }),
    }
}

fn semidefinite(name: &'static str, of: &Matrix) -> Result<(), FeedbackError> {
    let values = eigenvalues(of).ok_or(FeedbackError::NoSolution)?;
    let smallest = values.iter().map(|value| value.re).fold(f64::INFINITY, f64::min);
    match smallest >= -ASYMMETRY * of.norm() {
        true => Ok(()),
        false => Err(FeedbackError::Negative { name, value: smallest }),
    }
}

fn definite(name: &'static str, of: &Matrix) -> Result<(), FeedbackError> {
    symmetric(name, of)?;
    let values = eigenvalues(of).ok_or(FeedbackError::NotDefinite { name })?;
    match values.iter().all(|value| value.re > 0.0) {
        true => Ok(()),
        false => Err(FeedbackError::NotDefinite { name }),
    }
}

/// Writes a pole with up to six significant digits.
fn text(pole: Complex) -> String {
    let short = |value: f64| format!("{value:.5e}").parse::<f64>().unwrap_or(value);
    match short(pole.im) {
        0.0 => short(pole.re).to_string(),
        im => format!("{}{}{}i", short(pole.re), if im < 0.0 { "-" } else { "+" }, im.abs()),
    }
}

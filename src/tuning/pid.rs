//! A PID controller as the blocks compute it: its gains, its frequency response and its state space.

use crate::block::math::{Complex, ComplexMath, Matrix, StateMatrices};

/// The gains of a controller in parallel form: `u = P·e + I·∫e + D·N·s/(s + N)·e`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gains {
    pub p: f64,
    /// Per second.
    pub i: f64,
    /// In seconds.
    pub d: f64,
    /// The filter coefficient N in 1/s.
    pub n: f64,
}

/// Which terms a controller has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    P,
    I,
    Pi,
    Pd,
    /// With a filter coefficient that is tuned, too.
    Pdf,
    #[default]
    Pid,
    Pidf,
}

impl Kind {
    pub const ALL: [Kind; 7] = [Kind::P, Kind::I, Kind::Pi, Kind::Pd, Kind::Pdf, Kind::Pid, Kind::Pidf];

    pub fn name(self) -> &'static str {
        match self {
            Kind::P => "P",
            Kind::I => "I",
            Kind::Pi => "PI",
            Kind::Pd => "PD",
            Kind::Pdf => "PDF",
            Kind::Pid => "PID",
            Kind::Pidf => "PIDF",
        }
    }

    /// The terms of the kind, for a tooltip or a help text.
    pub fn about(self) -> &'static str {
        match self {
            Kind::P => "Proportional",
            Kind::I => "Integral",
            Kind::Pi => "Proportional and integral",
            Kind::Pd => "Proportional and derivative; the filter coefficient stays as it is",
            Kind::Pdf => "Proportional and derivative, with the filter coefficient",
            Kind::Pid => "Proportional, integral and derivative; the filter coefficient stays as it is",
            Kind::Pidf => "Proportional, integral and derivative, with the filter coefficient",
        }
    }

    pub fn has_integral(self) -> bool {
        matches!(self, Kind::I | Kind::Pi | Kind::Pid | Kind::Pidf)
    }

    pub fn has_derivative(self) -> bool {
        matches!(self, Kind::Pd | Kind::Pdf | Kind::Pid | Kind::Pidf)
    }

    pub fn tunes_filter(self) -> bool {
        matches!(self, Kind::Pdf | Kind::Pidf)
    }

    /// The kind of a controller with these gains.
    pub fn of(gains: &Gains) -> Kind {
        match (gains.p != 0.0, gains.i != 0.0, gains.d != 0.0) {
            (_, true, true) => Kind::Pid,
            (_, false, true) => Kind::Pd,
            (true, true, false) => Kind::Pi,
            (false, true, false) => Kind::I,
            (_, false, false) => Kind::P,
        }
    }
}

/// Whether P multiplies the proportional term alone, or all three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    #[default]
    Parallel,
    Ideal,
}

impl Form {
    /// Returns the gains in this form, from those in parallel form; `None` if the form cannot have them.
    pub fn from_parallel(self, gains: Gains) -> Option<Gains> {
        match self {
            Form::Parallel => Some(gains),
            Form::Ideal if gains.p != 0.0 => Some(Gains { i: gains.i / gains.p, d: gains.d / gains.p, ..gains }),
            Form::Ideal => (gains.i == 0.0 && gains.d == 0.0).then_some(gains),
        }
    }

    /// Returns the gains in parallel form, from those in this form.
    pub fn to_parallel(self, gains: Gains) -> Gains {
        match self {
            Form::Parallel => gains,
            Form::Ideal => Gains { i: gains.i * gains.p, d: gains.d * gains.p, ..gains },
        }
    }
}

/// How a discrete block integrates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integration {
    #[default]
    Forward,
    Backward,
    Trapezoidal,
}

impl Integration {
    /// The part of the increment that acts in the current sample.
    fn share(self) -> f64 {
        match self {
            Integration::Forward => 0.0,
            Integration::Backward => 1.0,
            Integration::Trapezoidal => 0.5,
        }
    }

    /// Returns `F(z)`, which takes the place of `1/s`.
    fn at(self, z: Complex, period: f64) -> Complex {
        ((z - 1.0) * self.share() + 1.0).divided_by(z - 1.0) * period
    }
}

/// The settings of a controller that tuning does not change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pid {
    /// The sample time in seconds; `None` for a continuous controller.
    pub period: Option<f64>,
    pub integral: Integration,
    pub filter: Integration,
    /// The weights of the set point in the proportional and the derivative term; 1 if the input is the error.
    pub weights: [f64; 2],
    /// The largest filter coefficient with which the filter of the block does not ring.
    pub max_filter: f64,
}

impl Default for Pid {
    fn default() -> Pid {
        let method = Integration::default();
        Pid { period: None, integral: method, filter: method, weights: [1.0; 2], max_filter: f64::INFINITY }
    }
}

impl Pid {
    /// A discrete controller.
    pub fn sampled(period: f64, integral: Integration, filter: Integration) -> Pid {
        // With more the pole of the filter is negative, so that it rings.
        let max_filter = match filter {
            Integration::Forward => 1.0 / period,
            Integration::Trapezoidal => 2.0 / period,
            Integration::Backward => f64::INFINITY,
        };
        Pid { period: Some(period), integral, filter, max_filter, ..Pid::default() }
    }

    /// Returns the responses of the integral and of the filtered derivative, of gain 1, at `s`, or at `z` if it is discrete.
    pub fn terms(&self, n: f64, at: Complex) -> [Complex; 2] {
        let one = Complex::from(1.0);
        let integrators = match self.period {
            None => [one.divided_by(at); 2],
            Some(period) => [self.integral.at(at, period), self.filter.at(at, period)],
        };
        [integrators[0], Complex::from(n).divided_by(integrators[1] * n + 1.0)]
    }

    /// Returns the response from the error to the output.
    pub fn at(&self, gains: &Gains, at: Complex) -> Complex {
        let [integral, derivative] = self.terms(gains.n, at);
        let of = |gain: f64, term: Complex| if gain == 0.0 { Complex::from(0.0) } else { term * gain };
        of(gains.i, integral) + of(gains.d, derivative) + gains.p
    }

    /// Returns the controller in state space, from set point and measurement to its output. Terms without effect have no
    /// state.
    pub fn system(&self, gains: &Gains) -> StateMatrices {
        let [weight_p, weight_d] = self.weights;
        let Gains { p, i, d, n } = *gains;
        // For each term: the state's matrix, its input, what the output has of the state, and of the input.
        let integral = match self.period {
            None => [0.0, i, 1.0, 0.0],
            Some(period) => [1.0, period * i, 1.0, period * self.integral.share() * i],
        };
        // slope = n·(d·e − x)/(1 + n·T·share), and x grows by it.
        let scale = self.period.map_or(1.0, |period| 1.0 + n * period * self.filter.share());
        let (slope_x, slope_e) = (-n / scale, n * d / scale);
        let derivative = match self.period {
            None => [slope_x, slope_e, slope_x, slope_e],
            Some(period) => [1.0 + period * slope_x, period * slope_e, slope_x, slope_e],
        };
        let terms = [(i != 0.0, integral, 1.0), (d != 0.0, derivative, weight_d)];
        let terms: Vec<([f64; 4], f64)> =
            terms.into_iter().filter(|(is_there, ..)| *is_there).map(|(_, term, weight)| (term, weight)).collect();
        let count = terms.len();
        let direct =
            |of: fn(f64) -> f64| terms.iter().fold(p * of(weight_p), |sum, (term, weight)| sum + term[3] * of(*weight));
        StateMatrices {
            a: Matrix::from(count, count, |row, column| if row == column { terms[row].0[0] } else { 0.0 }),
            b: Matrix::from(count, 2, |row, column| terms[row].0[1] * if column == 0 { terms[row].1 } else { -1.0 }),
            c: Matrix::from(1, count, |_, column| terms[column].0[2]),
            d: Matrix { rows: 1, columns: 2, values: vec![direct(|weight| weight), direct(|_| -1.0)] },
        }
    }
}

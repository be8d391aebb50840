//! The plant that a controller sees, prepared for many controllers.

use std::f64::consts::PI;

use crate::block::math::{Complex, ComplexMath, Matrix, StateMatrices, eigenvalues};
use crate::engine::{Channel, Delayed, Response};

use super::pid::{Gains, Integration, Pid};

/// The distance of a pole from the unit circle below which it is on it.
const NEAR: f64 = 1e-9;

/// Why there is no plant.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlantError {
    #[error("the output of the controller does not reach its input, so there is no loop to tune")]
    Unreached,
    #[error("the plant repeats every {plant} s, the controller acts every {controller} s; give both one sample time")]
    Periods { plant: f64, controller: f64 },
    #[error("the response of the plant cannot be computed")]
    NoResponse,
}

/// A point of the frequency response: radians per second and the value.
pub type Point = (f64, Complex);

/// The plant from the output of the controller to the measurement, such that negative feedback closes the loop.
pub struct Plant {
    /// The open loop without its controller: sampled if the controller is.
    pub channel: Channel,
    /// The continuous plant behind a sampled controller.
    pub continuous: Option<Channel>,
    pub pid: Pid,
    pub points: Vec<Point>,
    response: Response,
    /// The sign of gains that can stabilize it, 1 or −1.
    pub sign: f64,
    /// The largest bandwidth, in radians per second, that the solver computes well.
    pub max_bandwidth: f64,
    /// The simulated time in seconds; infinite if it is not known.
    pub run_seconds: f64,
}

impl Plant {
    /// Prepares a plant for a controller.
    ///
    /// # Errors
    /// If the plant has no response, or its sample time is not that of the controller.
    pub fn new(channel: Channel, pid: Pid) -> Result<Plant, PlantError> {
        if channel.zeros.is_none() && channel.delayed().seconds.is_empty() {
            return Err(PlantError::Unreached);
        }
        let mut pid = pid;
        let (channel, continuous) = match (pid.period, channel.period) {
            (Some(period), None) => (channel.sampled(period).ok_or(PlantError::NoResponse)?, Some(channel)),
            (Some(controller), Some(plant)) if (controller - plant).abs() > 1e-9 * plant => {
                return Err(PlantError::Periods { plant, controller });
            }
            // A continuous controller of a discrete plant integrates between its samples.
            (None, Some(period)) => {
                let method = Integration::Trapezoidal;
                pid = Pid { max_filter: pid.max_filter, weights: pid.weights, ..Pid::sampled(period, method, method) };
                (channel, None)
            }
            _ => (channel, None),
        };
        let response = Response::new(&channel);
        let value = |frequency: f64| response.at(channel.point_of(frequency));
        let points: Vec<Point> = channel
            .grid(&value)
            .into_iter()
            .filter_map(|at| Some((at, value(at)?)))
            .filter(|(_, value)| value.re.is_finite() && value.im.is_finite() && value.abs() > 0.0)
            .collect();
        if points.len() < 2 {
            return Err(PlantError::NoResponse);
        }
        let sign = sign(&channel, &points);
        let (max_bandwidth, run_seconds) = (f64::INFINITY, f64::INFINITY);
        Ok(Plant { channel, continuous, pid, points, response, sign, max_bandwidth, run_seconds })
    }

    /// Returns the response at a frequency in radians per second; `None` at a pole.
    pub fn at(&self, frequency: f64) -> Option<Complex> {
        self.response.at(self.channel.point_of(frequency))
    }

    /// Returns the response of the open loop with these gains.
    pub fn open_at(&self, gains: &Gains, frequency: f64) -> Option<Complex> {
        let at = self.channel.point_of(frequency);
        Some(self.response.at(at)? * self.pid.at(gains, at))
    }

    /// Returns the response of the open loop at `s`, or at `z` if it is discrete.
    pub fn open_at_point(&self, gains: &Gains, at: Complex) -> Option<Complex> {
        Some(self.response.at(at)? * self.pid.at(gains, at))
    }

    /// The Nyquist frequency in radians per second, infinite for a continuous loop.
    pub fn nyquist(&self) -> f64 {
        self.channel.period.map_or(f64::INFINITY, |period| PI / period)
    }

    /// The largest bandwidth that is proposed, in radians per second: for a sampled loop well below the Nyquist frequency.
    pub fn fastest(&self) -> f64 {
        self.max_bandwidth.min(0.3 * self.nyquist())
    }

    /// The number of integrators of the plant.
    pub fn integrators(&self) -> usize {
        self.channel.poles.iter().flatten().filter(|pole| is_integrator(&self.channel, pole)).count()
    }

    /// Whether the plant is stable, apart from integrators; `None` if its poles are not known.
    pub fn is_stable_but_integrators(&self) -> Option<bool> {
        Some(unstable(&self.channel)? == 0)
    }

    /// Returns the closed loop, as [`closed_loop`] has it, with exact delays.
    pub fn closed(&self, gains: &Gains) -> Option<Delayed> {
        closed_loop(&self.channel.delayed(), &self.pid.system(gains))
    }

    /// Whether the closed loop is stable, with Padé forms of delays; `None` if its poles are not found.
    pub fn is_stable_with(&self, gains: &Gains) -> Option<bool> {
        let Channel { a, b, c, d, .. } = &self.channel;
        let (a, b, c) = (a.clone(), b.clone(), c.clone());
        let rational = Delayed { a, b, c, d: Matrix::from(1, 1, |_, _| *d), seconds: Vec::new() };
        let closed = closed_loop(&rational, &self.pid.system(gains))?;
        let is_discrete = self.channel.period.is_some();
        let decays = |pole: &Complex| if is_discrete { pole.abs() < 1.0 - NEAR } else { pole.re < 0.0 };
        let growing = eigenvalues(&closed.a)?.into_iter().filter(|pole| !decays(pole));
        // A zero of the plant cancels the integral term, which then has no effect on the loop.
        let is_cancelled =
            gains.i != 0.0 && self.channel.zeros.iter().flatten().any(|zero| is_integrator(&self.channel, zero));
        let (at_rest, growing): (Vec<Complex>, Vec<Complex>) =
            growing.partition(|pole| is_cancelled && is_integrator(&self.channel, pole));
        Some(growing.is_empty() && at_rest.len() <= 1)
    }
}

/// Closes the loop of a plant with a controller from set point and measurement to control signal: a system from set point
/// and load disturbance at the plant's input to measurement and control signal. `None` if direct feedthrough forms a loop
/// without a solution.
pub fn closed_loop(plant: &Delayed, controller: &StateMatrices) -> Option<Delayed> {
    let (n, m, k) = (plant.a.rows, controller.a.rows, plant.seconds.len());
    let (set_point, feedback, direct) = (controller.d.at(0, 0), controller.d.at(0, 1), plant.d.at(0, 0));
    let solved = 1.0 - feedback * direct;
    if solved.abs() < 1e-12 {
        return None;
    }
    // Each signal is a row over the states of plant and controller, set point, disturbance and delayed signals.
    let (states, inputs) = (n + m, 2 + k);
    let (is_controller, disturbance) = (n..states, states + 1);
    let delayed = |column: usize| column.checked_sub(states + 2);
    let row = |of: &dyn Fn(usize) -> f64| (0..states + inputs).map(of).collect::<Vec<f64>>();
    let of_plant = |from: usize, column: usize| match (column, delayed(column)) {
        (column, _) if column < n => plant.c.at(from, column),
        (_, Some(at)) => plant.d.at(from, 1 + at),
        _ => 0.0,
    };
    let u = row(&|column| {
        let own = match column {
            column if is_controller.contains(&column) => controller.c.at(0, column - n),
            column if column == states => set_point,
            _ => 0.0,
        };
        let by_disturbance = if column == disturbance { direct } else { 0.0 };
        (own + feedback * (of_plant(0, column) + by_disturbance)) / solved
    });
    // What enters the plant.
    let v = row(&|column| u[column] + f64::from(u8::from(column == disturbance)));
    let y = row(&|column| of_plant(0, column) + direct * v[column]);
    let state = |at: usize, column: usize| match at.checked_sub(n) {
        None => {
            let own = match (column, delayed(column)) {
                (column, _) if column < n => plant.a.at(at, column),
                (_, Some(number)) => plant.b.at(at, 1 + number),
                _ => 0.0,
            };
            own + plant.b.at(at, 0) * v[column]
        }
        Some(at) => {
            let own = match column {
                column if is_controller.contains(&column) => controller.a.at(at, column - n),
                column if column == states => controller.b.at(at, 0),
                _ => 0.0,
            };
            own + controller.b.at(at, 1) * y[column]
        }
    };
    let output = |at: usize, column: usize| match at {
        0 => y[column],
        1 => u[column],
        at => of_plant(at - 1, column) + plant.d.at(at - 1, 0) * v[column],
    };
    Some(Delayed {
        a: Matrix::from(states, states, state),
        b: Matrix::from(states, inputs, |at, column| state(at, states + column)),
        c: Matrix::from(2 + k, states, output),
        d: Matrix::from(2 + k, inputs, |at, column| output(at, states + column)),
        seconds: plant.seconds.clone(),
    })
}

/// Whether a root is an integrator: at 0, or at 1 of a discrete system.
pub(super) fn is_integrator(channel: &Channel, root: &Complex) -> bool {
    let Some(poles) = channel.poles.as_ref().filter(|_| channel.period.is_none()) else {
        return (*root - 1.0).abs() < 1e-6;
    };
    let largest = poles.iter().map(|pole| pole.abs()).fold(0.0, f64::max);
    root.abs() <= 1e-6 * largest.min(1.0)
}

/// Returns the number of unstable poles, integrators apart; `None` if the poles are not known.
fn unstable(channel: &Channel) -> Option<usize> {
    let grows = |pole: &&Complex| match channel.period {
        None => pole.re > 0.0,
        Some(_) => pole.abs() > 1.0,
    };
    let poles = channel.poles.as_ref()?.iter().filter(|pole| !is_integrator(channel, pole));
    Some(poles.filter(grows).count())
}

/// Returns the sign of the gain at low frequencies, integrators apart, turned by each unstable pole: with the other sign the
/// last coefficient of the closed loop's polynomial has the wrong sign for any size of the gains.
fn sign(channel: &Channel, points: &[Point]) -> f64 {
    let count = |roots: &Option<Vec<Complex>>| {
        roots.iter().flatten().filter(|root| is_integrator(channel, root)).count() as i32
    };
    let order = count(&channel.poles) - count(&channel.zeros);
    let Some((frequency, value)) = points.first() else { return 1.0 };
    let at = channel.point_of(*frequency);
    let by = if channel.period.is_some() { at - 1.0 } else { at };
    let low = (0..order.unsigned_abs()).fold(*value, |low, _| if order > 0 { low * by } else { low.divided_by(by) });
    let turned = if unstable(channel).unwrap_or(0) % 2 == 1 { -1.0 } else { 1.0 };
    if low.re < 0.0 { -turned } else { turned }
}

//! The step response and the impulse response of a channel.

use super::channel::Channel;
use crate::block::math::Matrix;

/// The times in seconds, and the output at each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeResponse {
    pub times: Vec<f64>,
    pub values: Vec<f64>,
}

/// The input of which the response is computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Excitation {
    Step,
    Impulse,
}

impl Channel {
    /// Returns the time in seconds in which the slowest stable pole has decayed, or an unstable one has grown well; a
    /// whole number of periods for a discrete system.
    pub fn horizon(&self) -> f64 {
        let rates = self.poles.iter().flatten().map(|pole| {
            let (frequency, damping) = self.damping(*pole);
            (frequency * damping.abs(), frequency)
        });
        let known: Vec<(f64, f64)> = rates.filter(|(_, frequency)| *frequency > 1e-9).collect();
        let slowest =
            known.iter().map(|(rate, frequency)| if *rate > 1e-3 * frequency { *rate } else { 0.1 * frequency });
        let slowest = slowest.fold(f64::INFINITY, f64::min);
        let wanted = if slowest.is_finite() { 7.0 / slowest } else { 10.0 * self.period.unwrap_or(1.0) };
        match self.period {
            None => wanted,
            Some(period) => period * (wanted / period).ceil().clamp(1.0, 1e5),
        }
    }

    /// Returns the response to a unit step at `count` times up to `until` seconds; of a discrete system, at the
    /// multiples of its period.
    pub fn step_response(&self, until: f64, count: usize) -> TimeResponse {
        self.respond(until, count, Excitation::Step)
    }

    /// Returns the response to an impulse of area 1; of a discrete system, to the value 1 for one period.
    pub fn impulse_response(&self, until: f64, count: usize) -> TimeResponse {
        self.respond(until, count, Excitation::Impulse)
    }

    fn respond(&self, until: f64, count: usize, excitation: Excitation) -> TimeResponse {
        let size = self.a.rows;
        let (step, count) = match self.period {
            None => (until / count.saturating_sub(1).max(1) as f64, count),
            Some(period) => (period, ((until / period).round() as usize).saturating_add(1).min(100_000)),
        };
        let (a, b) = match self.period {
            Some(_) => (self.a.clone(), self.b.clone()),
            // One matrix exponential of states and input: the input is constant while the states change.
            None => {
                let flow = Matrix::from(size + 1, size + 1, |row, column| match (row < size, column < size) {
                    (true, true) => self.a.at(row, column) * step,
                    (true, false) => self.b.at(row, 0) * step,
                    (false, _) => 0.0,
                });
                let flow = flow.exponential();
                let states: Vec<usize> = (0..size).collect();
                (flow.part(&states, &states), flow.part(&states, &[size]))
            }
        };
        // A continuous impulse changes the states at once; the part of direct feedthrough has no finite height.
        let is_kick = excitation == Excitation::Impulse && self.period.is_none();
        let mut x = if is_kick { self.b.clone() } else { Matrix::zero(size, 1) };
        let mut response = TimeResponse::default();
        for number in 0..count {
            let u = match (excitation, self.period) {
                (Excitation::Step, _) => 1.0,
                (Excitation::Impulse, Some(_)) if number == 0 => 1.0,
                (Excitation::Impulse, _) => 0.0,
            };
            response.times.push(number as f64 * step);
            response.values.push(self.c.times(&x).at(0, 0) + self.d * u);
            x = a.times(&x).plus(&b.scaled(u));
        }
        response
    }
}

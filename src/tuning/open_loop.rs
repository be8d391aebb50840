//! The frequency response of the open loop, as a Bode plot shows it.

use super::pid::Gains;
use super::plant::Plant;
use crate::block::Unary;
use crate::block::math::{Complex, ComplexMath, power_of_ten};
use crate::engine::{FrequencyPoint, Margins};

/// The number of points of a curve.
const POINTS: usize = 300;
/// The factor by which a curve extends beyond poles and crossovers.
const BEYOND: f64 = 10.0;
/// Poles and zeros farther than this factor from the crossover are left out.
const FARTHEST: f64 = 1e3;
/// No open loop begins with a greater phase, in degrees.
const MOST_LEAD: f64 = 90.0 + 1e-6;

impl Plant {
    /// Returns a range of frequencies in radians per second, in whole decades, that shows crossovers and what is near to
    /// them: it stays while a crossover moves a little.
    pub fn open_range(&self, crossovers: &[f64]) -> (f64, f64) {
        let finite = crossovers.iter().copied().filter(|at| at.is_finite() && *at > 0.0);
        let (first, last) =
            finite.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), at| (low.min(at), high.max(at)));
        let (slowest, fastest) = self.channel.span();
        // The span extends by a factor of a hundred beyond poles and zeros.
        let (slowest, fastest) = (slowest * BEYOND, fastest / BEYOND);
        let (low, high) = match first <= last {
            true => {
                let low = slowest.clamp(first / FARTHEST, first / BEYOND);
                (low, fastest.clamp(last * BEYOND, last * FARTHEST))
            }
            false => (slowest, fastest),
        };
        let decade = |value: f64, round: fn(f64) -> f64| power_of_ten(round(Unary::Log10.value(value)));
        let (low, high) = (decade(low, f64::floor), decade(high, f64::ceil).min(self.nyquist()));
        if low < high { (low, high) } else { (high / BEYOND, high) }
    }

    /// Returns the response of the open loop with these gains, its phase without jumps. At the gain crossover the phase is the
    /// phase margin above −180°, unless delays turn it further from where it begins.
    pub fn open_response(&self, gains: &Gains, (from, to): (f64, f64), margins: &Margins) -> Vec<FrequencyPoint> {
        let plant = self.channel.frequency_response(from, to, POINTS);
        let mut turned: Option<f64> = None;
        let mut points: Vec<FrequencyPoint> = Vec::with_capacity(plant.len());
        for FrequencyPoint { frequency, value, phase } in plant {
            let controller = self.pid.at(gains, self.channel.point_of(frequency));
            let angle = controller.angle().to_degrees();
            let own = turned.map_or(angle, |before| angle + 360.0 * ((before - angle) / 360.0).round());
            turned = Some(own);
            points.push(FrequencyPoint { frequency, value: value * controller, phase: phase + own });
        }
        // The phase is known but for full turns.
        let Some(first) = points.first().copied() else { return points };
        let turns = |off: f64| 360.0 * (off / 360.0).round();
        let at_crossover = margins.phase_at.and_then(|at| {
            let off = |point: &FrequencyPoint| (point.frequency - at).abs();
            let near = points.iter().min_by(|a, b| off(a).total_cmp(&off(b)))?;
            Some(turns(near.phase - (margins.phase - 180.0))).filter(|turns| first.phase - turns <= MOST_LEAD)
        });
        let turns = at_crossover.unwrap_or_else(|| turns(first.phase - beginning(first.value)));
        points.iter_mut().for_each(|point| point.phase -= turns);
        points
    }
}

/// Returns the phase in degrees with which an open loop begins, from −270° to 90°.
fn beginning(value: Complex) -> f64 {
    let angle = value.angle().to_degrees();
    if angle > MOST_LEAD { angle - 360.0 } else { angle }
}

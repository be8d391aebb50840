//! The stability margins of a channel.

use std::f64::consts::PI;

use super::channel::Channel;
use super::frequency::Response;
use crate::block::Unary;
use crate::block::math::{Complex, ComplexMath, power_of_ten};

/// The stability margins of a loop that is opened here, with negative feedback outside of the channel. A margin is
/// infinite if no change makes the loop unstable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margins {
    /// The gain margin as a factor, and the frequency of the phase crossover (-180°) in radians per second.
    pub gain: f64,
    pub gain_at: Option<f64>,
    /// The phase margin in degrees, and the frequency of the gain crossover (1) in radians per second.
    pub phase: f64,
    pub phase_at: Option<f64>,
}

/// A point of a response: radians per second, and the value.
pub type Point = (f64, Complex);

/// Points for each decade between and beyond the poles and zeros.
const PER_DECADE: f64 = 200.0;
/// How far beyond poles and zeros a crossover is looked for, as a factor.
const FARTHEST: f64 = 1e30;
/// The number of eighths of a turn of all delays together within which a crossover is looked for.
const MAX_TURNS: u32 = 20_000;

impl Channel {
    /// Computes the margins. All crossovers count that the response has from 0 to infinity, or to the Nyquist frequency,
    /// both ends included.
    pub fn margins(&self) -> Margins {
        let response = Response::new(self);
        let value = |frequency: f64| response.at(self.point_of(frequency));
        // At the ends the response is real; there it is on the negative axis, or not.
        let nyquist = self.period.map(|period| PI / period);
        let at_nyquist = nyquist.and_then(|nyquist| Some((nyquist, response.at(Complex::from(-1.0))?)));
        let ends: Vec<Point> = [value(0.0).map(|there| (0.0, there)), at_nyquist].into_iter().flatten().collect();
        let points: Vec<Point> =
            self.grid(&value).into_iter().filter_map(|frequency| Some((frequency, value(frequency)?))).collect();
        Margins::of(&value, &ends, &points)
    }

    /// Returns rising frequencies between which the response has one crossover at most: evenly spaced ones, and more about
    /// each pole and zero, as narrow as its damping is low.
    pub fn grid(&self, value: &dyn Fn(f64) -> Option<Complex>) -> Vec<f64> {
        let roots = || self.poles.iter().flatten().chain(self.zeros.iter().flatten());
        let (mut low, mut high) = self.span();
        let top = self.period.map_or(f64::INFINITY, |period| PI / period);
        let size = |frequency: f64| value(frequency).map_or(0.0, |value| value.abs());
        // An integrator with a low gain has its crossover far below all poles, a high gain far above them.
        let (lowest, highest) = (low / FARTHEST, high * FARTHEST);
        while low > lowest && size(low) < 1.0 && size(low / 10.0) > 2.0 * size(low) {
            low /= 10.0;
        }
        while high < highest && high < top && size(high) > 1.0 && size(high * 10.0) < 0.5 * size(high) {
            high *= 10.0;
        }
        let high = (10.0 * high).min(top);
        let (first, last) = (Unary::Log10.value(low / 10.0), Unary::Log10.value(high));
        let count = ((last - first) * PER_DECADE).ceil().max(1.0);
        let even = (0..=count as u32).map(|number| power_of_ten(first + (last - first) * f64::from(number) / count));
        let narrow = roots().flat_map(|root| {
            let (frequency, damping) = self.damping(*root);
            let width = frequency * damping.abs().clamp(1e-12, 1.0);
            [-8.0, -4.0, -2.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0]
                .map(|part| frequency + part * width)
        });
        // A delay turns the phase without end: a quarter of a half turn from point to point, as far as the gain matters.
        let delay = self.exact.iter().flat_map(|exact| &exact.seconds).fold(0.0, |sum, seconds| sum + seconds);
        let turn = PI / (4.0 * delay);
        let turns = (0..MAX_TURNS).map(|number| f64::from(number) * turn).filter(|_| turn.is_finite());
        let mut all: Vec<f64> = even.chain(turns).chain(narrow).filter(|at| *at > 0.0 && *at <= high).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }
}

impl Margins {
    /// Computes the margins of a response from its real values at the ends, and from points at rising frequencies, between
    /// which it has one crossover at most.
    pub fn of(value: &dyn Fn(f64) -> Option<Complex>, ends: &[Point], points: &[Point]) -> Margins {
        let mut margins = Margins { gain: f64::INFINITY, gain_at: None, phase: f64::INFINITY, phase_at: None };
        ends.iter().for_each(|(at, there)| margins.note_gain(*at, *there));
        for pair in points.windows(2) {
            let [(low, a), (high, b)] = pair else { continue };
            // The curve crosses the negative real axis.
            let is_across = a.im.signum() != b.im.signum() && (a.re < 0.0 || b.re < 0.0);
            if is_across
                && let Some((at, there)) = refine(value, (*low, *high), |value| value.im)
                && !is_zero_at(value, at, there)
            {
                margins.note_gain(at, there);
            }
            if (a.abs() > 1.0) != (b.abs() > 1.0)
                && let Some((at, there)) = refine(value, (*low, *high), |value| value.abs() - 1.0)
            {
                let phase = (-there).angle().to_degrees();
                if margins.phase_at.is_none() || phase.abs() < margins.phase.abs() {
                    (margins.phase, margins.phase_at) = (phase, Some(at));
                }
            }
        }
        margins
    }

    /// Takes in a point of the response on the real axis. Of several phase crossovers the one counts at which the gain has
    /// to change least.
    fn note_gain(&mut self, at: f64, there: Complex) {
        if there.re >= 0.0 || !there.re.is_finite() {
            return;
        }
        let gain = 1.0 / there.abs();
        let distance = |gain: f64| Unary::Ln.value(gain).abs();
        if self.gain_at.is_none() || distance(gain) < distance(self.gain) {
            (self.gain, self.gain_at) = (gain, Some(at));
        }
    }
}

/// Whether the response is 0 at a frequency, with rounding errors. There its phase jumps by a half turn, but the curve
/// passes through the origin and does not cross the negative axis: no gain reaches −1.
///
/// At a zero on the axis, also at a triple one, the response is far smaller than nearby on either side. A zero beside the
/// axis counts as on it where its damping is below 1e-9.
fn is_zero_at(value: &dyn Fn(f64) -> Option<Complex>, frequency: f64, there: Complex) -> bool {
    const NEARBY: f64 = 1e-3;
    const MAX_PART: f64 = 1e-6;
    let beside = [1.0 - NEARBY, 1.0 + NEARBY].map(|factor| value(frequency * factor));
    beside.iter().all(|beside| beside.is_some_and(|beside| there.abs() < MAX_PART * beside.abs()))
}

/// Finds by bisection the frequency, between two, at which a function of the response changes its sign, and the
/// response there.
fn refine(
    value: &dyn Fn(f64) -> Option<Complex>,
    (mut low, mut high): (f64, f64),
    side: impl Fn(Complex) -> f64,
) -> Option<(f64, Complex)> {
    let at_low = side(value(low)?) > 0.0;
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if (side(value(middle)?) > 0.0) == at_low { low = middle } else { high = middle }
    }
    Some((high, value(high)?))
}

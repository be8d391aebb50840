//! Loop shaping: gains for a bandwidth and a phase margin.
//!
//! The open loop shall pass through the point of the unit circle that the phase margin names, at the frequency of the
//! bandwidth. That fixes two numbers of the controller; the zeros of PID are equal, which is `Ti = 4·Td` (K. Åström, T.
//! Hägglund: PID Controllers, 2nd edition, 1995, section 4.4), so that one time constant and one factor are left.

use std::f64::consts::PI;

use super::pid::{Gains, Kind};
use super::plant::{Plant, Point};
use crate::block::math::{Complex, ComplexMath, power};

/// The largest time constant of a zero, as a multiple of 1/bandwidth; more lead than that gives costs much noise.
const MAX_ZERO: f64 = 8.0;
/// The filter coefficient as a multiple of the bandwidth, where it is tuned.
const FILTER: f64 = 10.0;
/// The peak of the sensitivity that the default bandwidth stays below, and the margin of the gain that it keeps.
const MAX_PEAK: f64 = 1.8;
const MIN_GAIN_MARGIN: f64 = 2.5;
/// The peak of the sensitivity below which a high gain makes the loop faster.
const MAX_FAST_PEAK: f64 = 1.4;
/// The factor between bandwidths that are tried, and their number.
const NEXT: f64 = 0.8;
const MAX_TRIES: usize = 40;
/// The part of the greatest gain at which a plant without the wanted phase is slow: that of a lag at five times its pole.
const FALLEN: f64 = 0.2;
/// The same for a plant of high gain.
const FAR_FALLEN: f64 = 0.05;
/// A loop settles after about six times 1/bandwidth; in this many it has settled for long.
const SETTLED: f64 = 20.0;

/// Gains, and how closely they meet the request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shaped {
    pub gains: Gains,
    /// Whether the terms of the kind can turn the phase as far as the margin needs.
    pub is_reached: bool,
}

/// Returns the gains in parallel form for a bandwidth in radians per second, where the open loop has gain 1, and a phase
/// margin in degrees. A phase that the kind cannot have is replaced by the nearest one. `n` is the filter coefficient that
/// stays where the kind does not tune it. `None` if the plant has no response there.
pub fn shape(plant: &Plant, kind: Kind, bandwidth: f64, margin: f64, n: f64) -> Option<Shaped> {
    let response = plant.at(bandwidth)?;
    let n = if kind.tunes_filter() { FILTER * bandwidth } else { n };
    let n = if n > 0.0 { n.min(plant.pid.max_filter) } else { plant.pid.max_filter.min(FILTER * bandwidth) };
    let at = plant.channel.point_of(bandwidth);
    let [integral, derivative] = plant.pid.terms(n, at);
    // What the controller must be there, but for its sign.
    let wanted = -(Complex::on_unit_circle(margin / 180.0 * PI) * plant.sign).divided_by(response);
    let size = wanted.abs();
    if !size.is_finite() {
        return None;
    }
    // The gains for a time constant of the zeros, but for a common factor.
    let terms = |zero: f64| match kind {
        Kind::P => [1.0, 0.0, 0.0],
        Kind::I => [0.0, 1.0, 0.0],
        Kind::Pi => [zero, 1.0, 0.0],
        Kind::Pd | Kind::Pdf => [1.0, 0.0, zero],
        Kind::Pid | Kind::Pidf => [2.0 * zero, 1.0, zero * zero],
    };
    let value = |zero: f64| {
        let [p, i, d] = terms(zero);
        integral * i + derivative * d + p
    };
    // From the angle of a right angle behind to nearly one ahead it rises with the time constant.
    let angle = wanted.angle();
    let (mut low, mut high) = (0.0, MAX_ZERO / bandwidth);
    let is_beyond = |zero: f64| value(zero).angle() >= angle;
    let is_reached = !matches!(kind, Kind::P | Kind::I) && !is_beyond(low) && is_beyond(high);
    let zero = match is_reached {
        true => {
            for _ in 0..100 {
                let middle = 0.5 * (low + high);
                if is_beyond(middle) { high = middle } else { low = middle }
            }
            high
        }
        false if is_beyond(low) => low,
        false => high,
    };
    let [p, i, d] = terms(zero);
    let factor = plant.sign * size / value(zero).abs();
    let gains = Gains { p: p * factor, i: i * factor, d: d * factor, n };
    let fixed = matches!(kind, Kind::P | Kind::I);
    let is_reached = is_reached || (fixed && (value(zero).angle() - angle).abs() < 1e-6);
    factor.is_finite().then_some(Shaped { gains, is_reached })
}

/// Returns a bandwidth in radians per second that suits the plant: where its phase leaves the controller little to do, and
/// so low that the loop is robust; or a greater one where the gain of the plant is high and the loop very robust.
pub fn default_bandwidth(plant: &Plant, kind: Kind, margin: f64, n: f64) -> f64 {
    let first = start(plant, kind, margin);
    // How far a loop is from what is wanted, and whether it is robust.
    let judged = |bandwidth: f64| {
        let Shaped { gains, .. } = shape(plant, kind, bandwidth, margin, n)?;
        let (margins, peak) = (plant.margins(&gains), plant.peak(&gains));
        let has_margins = (margins.gain >= MIN_GAIN_MARGIN || margins.gain < 1.0) && margins.phase >= margin - 1.0;
        let is_robust = peak <= MAX_PEAK && (has_margins || matches!(kind, Kind::P | Kind::I));
        Some((gains, peak, is_robust))
    };
    let faster = high_gain(plant);
    for bandwidth in (0..MAX_TRIES).map(|number| faster * power(NEXT, number as f64)).take_while(|at| *at > first) {
        let suits =
            |(gains, peak, is_robust)| is_robust && peak <= MAX_FAST_PEAK && plant.is_stable_with(&gains) == Some(true);
        if judged(bandwidth).is_some_and(suits) {
            return bandwidth;
        }
    }
    let lower = (0..MAX_TRIES).map(|number| first * power(NEXT, number as f64));
    let higher = (1..MAX_TRIES).map(|number| first / power(NEXT, number as f64));
    let higher = higher.take_while(|bandwidth| *bandwidth <= plant.fastest());
    let mut best = (first, f64::INFINITY);
    for bandwidth in lower.chain(higher) {
        let Some((gains, peak, is_robust)) = judged(bandwidth) else { continue };
        if (is_robust || peak < best.1) && plant.is_stable_with(&gains) == Some(true) {
            best = (bandwidth, peak);
            if is_robust {
                break;
            }
        }
    }
    best.0
}

/// Returns the frequency at which the plant has the phase that suits the kind of controller.
fn start(plant: &Plant, kind: Kind, margin: f64) -> f64 {
    // How far the controller turns the phase there.
    let turn = match kind {
        Kind::P => 0.0,
        Kind::I => -90.0,
        Kind::Pi => -30.0,
        Kind::Pid | Kind::Pidf => 15.0,
        Kind::Pd | Kind::Pdf => 40.0,
    };
    // An integrator has −90° but for rounding errors.
    let wanted = -180.0 + margin - turn - 0.01;
    // The phase, followed from the first point on.
    let mut phase: Option<f64> = None;
    for (frequency, value) in &plant.points {
        let angle = (*value * plant.sign).angle().to_degrees();
        let begin = if angle > 91.0 { angle - 360.0 } else { angle };
        let now = phase.map_or(begin, |before| angle + 360.0 * ((before - angle) / 360.0).round());
        if phase.is_some_and(|before| before > wanted && now <= wanted) {
            return frequency.min(plant.fastest());
        }
        phase = Some(now);
    }
    // A plant without that phase is as fast as its controller; where its gain has fallen is a measure, or its slowest pole.
    let rates = plant.channel.poles.iter().flatten().map(|pole| plant.channel.damping(*pole).0);
    let slowest = rates.filter(|rate| rate.is_finite() && *rate > 1e-6).fold(f64::INFINITY, f64::min);
    let other = || if slowest.is_finite() { 3.0 * slowest } else { unity(plant).unwrap_or(1.0) };
    let rate = fallen(plant, FALLEN).unwrap_or_else(other);
    rate.min(plant.fastest())
}

/// Returns the frequency up to which a high gain makes a plant faster; 0 without one.
///
/// Up to where its gain is 1, a plant needs no more control signal than the step of its set point is high. But a model is not
/// exact far beyond its poles, which limits the frequency, unless the loop would not settle in the run: within it, a lag so slow
/// is an integrator, whose measure is the frequency where its gain is 1.
fn high_gain(plant: &Plant) -> f64 {
    let far = fallen(plant, FAR_FALLEN).unwrap_or(0.0).max(SETTLED / plant.run_seconds);
    far.min(unity(plant).unwrap_or(0.0)).min(plant.fastest())
}

/// Returns the first frequency at which the gain passes 1.
fn unity(plant: &Plant) -> Option<f64> {
    let passes = |pair: &&[Point]| (pair[0].1.abs() > 1.0) != (pair[1].1.abs() > 1.0);
    plant.points.windows(2).find(passes).map(|pair| pair[0].0)
}

/// Returns the frequency beyond which the gain is less than a part of its greatest value; `None` with an integrator, whose gain
/// has no greatest value, or if it does not fall as far. It does not need a gain at frequency 0.
fn fallen(plant: &Plant, part: f64) -> Option<f64> {
    let greatest = plant.points.iter().map(|(_, value)| value.abs()).fold(0.0, f64::max);
    let last = plant.points.iter().rposition(|(_, value)| value.abs() >= part * greatest)?;
    let (frequency, _) = plant.points.get(last + 1)?;
    (plant.integrators() == 0).then_some(*frequency)
}

//! The plant as few numbers, as the rules with a name want it.

use super::plant::{Plant, is_integrator};
use crate::block::math::{Complex, ComplexMath};
use crate::engine::Channel;

/// The number of samples of the step response from which numbers are read.
const SAMPLES: usize = 4001;

/// `K·e^(−L·s)/(T·s + 1)`, read off the step response (K. Åström, T. Hägglund: Advanced PID Control, 2006, section 2.7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstOrder {
    /// The final value for a step of height 1; with an integrator the final slope.
    pub gain: f64,
    /// The time from the dead time to 63 % of the final value, in seconds; infinite with an integrator.
    pub time: f64,
    /// Where the steepest tangent meets the time axis, in seconds.
    pub dead_time: f64,
    /// The slope of that tangent, per second.
    pub slope: f64,
}

/// `k·e^(−θ·s)/((τ₁·s + 1)·(τ₂·s + 1))`, by the half rule (S. Skogestad: Simple analytic rules for model reduction and PID
/// controller tuning, Journal of Process Control 13, 2003).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reaction {
    /// With an integrator the slope, `k/τ₁` for an infinite τ₁.
    pub gain: f64,
    /// In seconds; infinite with an integrator.
    pub first: f64,
    /// In seconds; 0 for a plant of first order.
    pub second: f64,
    /// In seconds.
    pub dead_time: f64,
}

impl Plant {
    /// The continuous plant, or a discrete one where there is no other.
    fn modelled(&self) -> &Channel {
        self.continuous.as_ref().unwrap_or(&self.channel)
    }

    /// The dead time that sampling adds: half a sample time.
    fn sampling(&self) -> f64 {
        0.5 * self.channel.period.unwrap_or(0.0)
    }

    /// Returns what the step response of the plant shows; `None` if it has several integrators, is unstable, or its step
    /// response starts at once.
    pub fn first_order(&self) -> Option<FirstOrder> {
        let (integrators, channel) = (self.integrators(), self.modelled());
        if integrators > 1 || self.is_stable_but_integrators() != Some(true) {
            return None;
        }
        let system = channel.delayed();
        let until = channel.horizon() + 3.0 * system.seconds.iter().sum::<f64>();
        let (step, count) = match channel.period {
            None => (until / (SAMPLES - 1) as f64, SAMPLES),
            Some(period) => (period, ((until / period) as usize).clamp(20, 20_000) + 1),
        };
        let response = system.step_responses(0, step, count, channel.period.is_some()).into_iter().next()?;
        let (last, before) = (*response.last()?, *response.get(count * 9 / 10)?);
        let final_slope = (last - before) / (step * (count - 1 - count * 9 / 10) as f64);
        let gain = if integrators == 1 { final_slope } else { channel.steady_gain() };
        if !gain.is_finite() || gain == 0.0 {
            return None;
        }
        let slopes = response.windows(2).map(|pair| (pair[1] - pair[0]) / step * gain.signum());
        let steepest = slopes.enumerate().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let slope = steepest.1 * gain.signum();
        // The tangent in the middle of its samples.
        let middle = 0.5 * (response[steepest.0] + response[steepest.0 + 1]);
        let tangent = (steepest.0 as f64 + 0.5) * step - middle / slope;
        let dead_time = match integrators {
            1 => (count - 1) as f64 * step - last / gain,
            _ => tangent,
        };
        let dead_time = dead_time.max(0.0) + self.sampling();
        let time = match integrators {
            1 => f64::INFINITY,
            _ => {
                let level = gain * (1.0 - (-1.0_f64).exp());
                let at = response.iter().position(|value| (value - level) * gain.signum() >= 0.0)?;
                let (low, high) = (response[at.saturating_sub(1)], response[at]);
                let part = if high == low { 0.0 } else { (level - low) / (high - low) };
                ((at as f64 - 1.0 + part) * step + self.sampling() - dead_time).max(0.0)
            }
        };
        Some(FirstOrder { gain, time, dead_time, slope: if integrators == 1 { gain } else { slope } })
    }

    /// Returns the plant of second order by the half rule, or of first order; `None` if its poles are not real and stable,
    /// but for one integrator, or it is discrete.
    pub fn half_rule(&self, is_second: bool) -> Option<Reaction> {
        let channel = self.modelled();
        if channel.period.is_some() || self.integrators() > 1 {
            return None;
        }
        let delayed = channel.delayed();
        // Only delays in series have poles and zeros of their own beside them.
        let rational = rational(channel)?;
        let mut times: Vec<f64> = Vec::new();
        for pole in rational.poles.as_ref()? {
            let is_integrating = is_integrator(&rational, pole);
            if !(is_integrating || is_nearly_real(pole) && pole.re < 0.0) {
                return None;
            }
            times.push(if is_integrating { f64::INFINITY } else { 1.0 / pole.abs() });
        }
        times.sort_by(|a, b| b.total_cmp(a));
        let mut dead_time = delayed.seconds.iter().sum::<f64>() + self.sampling();
        let mut leads: Vec<f64> = Vec::new();
        for zero in rational.zeros.as_ref()? {
            if !is_nearly_real(zero) || zero.abs() < 1e-9 {
                return None;
            }
            match -zero.re.signum() / zero.abs() {
                lead if lead < 0.0 => dead_time -= lead,
                lead => leads.push(lead),
            }
        }
        let mut gain = match times.first() {
            Some(time) if time.is_infinite() => {
                let far = 1e-6 / times.get(1).copied().unwrap_or(1.0);
                rational.response_at(&[far]).first().copied().flatten()?.abs() * far * self.sign
            }
            _ => rational.steady_gain(),
        };
        // The dead time without leads stands for the closed-loop time constant in the rules for these.
        let about = reduced(&times, dead_time, is_second).2;
        leads.sort_by(|a, b| b.total_cmp(a));
        for lead in leads {
            gain *= cancel(&mut times, lead, about);
        }
        times.sort_by(|a, b| b.total_cmp(a));
        let (first, second, dead_time) = reduced(&times, dead_time, is_second);
        Some(Reaction { gain, first, second, dead_time })
    }
}

/// Whether a root is real, or one of several equal ones, which rounding errors part by some hundredths.
fn is_nearly_real(root: &Complex) -> bool {
    root.im.abs() <= 0.05 * root.abs()
}

/// Returns the channel without its delays, where these are in series with the rest; `None` otherwise.
fn rational(channel: &Channel) -> Option<Channel> {
    let delayed = channel.delayed();
    let total: f64 = delayed.seconds.iter().sum();
    if delayed.seconds.is_empty() {
        return Some(channel.clone());
    }
    let without = channel.without_delays()?;
    let (low, high) = without.span();
    let frequencies = [low, (low * high).sqrt(), high.min(3.0 / total)];
    let is_same = frequencies.iter().all(|frequency| {
        let at = |of: &Channel| of.response_at(&[*frequency]).first().copied().flatten();
        let (Some(exact), Some(plain)) = (at(channel), at(&without)) else { return false };
        let turned = plain * Complex::on_unit_circle(-frequency * total);
        (exact - turned).abs() <= 1e-6 * exact.abs()
    });
    is_same.then_some(without)
}

/// Reduces time constants, largest first: the largest neglected one goes half to the last that is kept and half to the dead
/// time, all others to the dead time.
fn reduced(times: &[f64], dead_time: f64, is_second: bool) -> (f64, f64, f64) {
    let kept = if is_second { 2 } else { 1 };
    let at = |index: usize| times.get(index).copied().unwrap_or(0.0);
    let half = 0.5 * at(kept);
    let rest: f64 = times.iter().skip(kept + 1).sum();
    let dead_time = dead_time + half + rest;
    match is_second {
        false => (at(0) + half, 0.0, dead_time),
        true => {
            let (first, second) = (at(0), at(1) + half);
            (first.max(second), first.min(second), dead_time)
        }
    }
}

/// Approximates `(T·s + 1)/(τ·s + 1)` by a factor, which is returned, and what is left of τ (Skogestad, rules T1 to T3);
/// `about` stands for the closed-loop time constant.
fn cancel(times: &mut Vec<f64>, lead: f64, about: f64) -> f64 {
    let finite = |time: &f64| time.is_finite();
    // The closest larger time constant, else the largest smaller one.
    let larger = times.iter().copied().enumerate().filter(|(_, time)| *time >= lead && finite(time));
    let larger = larger.min_by(|a, b| a.1.total_cmp(&b.1));
    let smaller = times.iter().copied().enumerate().filter(|(_, time)| *time < lead);
    let Some((index, time)) = larger.or_else(|| smaller.max_by(|a, b| a.1.total_cmp(&b.1))) else { return 1.0 };
    times.remove(index);
    match (lead >= time, time) {
        (true, _) if time >= about => lead / time,
        (true, _) if lead >= about => lead / about,
        (true, _) => 1.0,
        (false, _) if lead >= 5.0 * about => lead / time,
        (false, _) => {
            let short = time.min(5.0 * about).max(lead);
            times.push(short - lead);
            short / time
        }
    }
}

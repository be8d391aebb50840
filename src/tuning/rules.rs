//! Gains by rules with a name.

use std::f64::consts::PI;

use super::pid::{Gains, Kind};
use super::plant::Plant;
use super::reaction::Reaction;

/// A way to find the gains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// From bandwidth and phase margin.
    #[default]
    Shape,
    /// The frequency response method (J. Ziegler, N. Nichols: Optimum Settings for Automatic Controllers, Transactions of the
    /// ASME 64, 1942).
    ZieglerNichols,
    /// The step response method of the same paper.
    ZieglerNicholsStep,
    /// S. Skogestad: Simple analytic rules for model reduction and PID controller tuning, Journal of Process Control 13, 2003.
    Simc,
    /// T. Hägglund, K. Åström: Revisiting the Ziegler–Nichols tuning rules for PI control, Asian Journal of Control 4, 2002;
    /// K. Åström, T. Hägglund: Revisiting the Ziegler–Nichols step response method for PID control, Journal of Process Control
    /// 14, 2004.
    Amigo,
}

/// Why a rule gives no gains.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    #[error("{rule} has no {kind}: choose {has}")]
    Kind { rule: &'static str, kind: &'static str, has: &'static str },
    #[error("no gain brings the plant to the limit of stability, so it has no ultimate gain")]
    NoUltimateGain,
    #[error(
        "the rule reads the step response of a plant that is stable or has one integrator; this one is unstable or has more"
    )]
    NoReaction,
    #[error("the plant has no dead time, so the gains of the rule have no limit; choose loop shaping or SIMC")]
    NoDeadTime,
    #[error("the plant has no response at this bandwidth")]
    NoResponse,
    #[error("the ideal form needs a proportional term; choose another type, or the parallel form in the block")]
    Ideal,
}

impl Rule {
    pub const ALL: [Rule; 5] = [Rule::Shape, Rule::ZieglerNichols, Rule::ZieglerNicholsStep, Rule::Simc, Rule::Amigo];

    pub fn title(self) -> &'static str {
        match self {
            Rule::Shape => "Loop shaping",
            Rule::ZieglerNichols => "Ziegler–Nichols, frequency response",
            Rule::ZieglerNicholsStep => "Ziegler–Nichols, step response",
            Rule::Simc => "SIMC",
            Rule::Amigo => "AMIGO",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Rule::Shape => "The bandwidth and the phase margin of the sliders",
            Rule::ZieglerNichols => "From the gain and the period at the limit of stability: fast, with much overshoot",
            Rule::ZieglerNicholsStep => {
                "From slope and dead time of the plant's step response: fast, with much overshoot"
            }
            Rule::Simc => {
                "Skogestad's rules: the closed loop has the time constant of the dead time, or that of the bandwidth"
            }
            Rule::Amigo => "Åström and Hägglund's robust rules: a peak of the sensitivity of about 1.4",
        }
    }

    /// Whether the rule has a bandwidth that can be chosen.
    pub fn has_bandwidth(self) -> bool {
        matches!(self, Rule::Shape | Rule::Simc)
    }

    /// Whether the rule has a phase margin that can be chosen.
    pub fn has_margin(self) -> bool {
        self == Rule::Shape
    }

    /// Whether the rule gives gains of a kind.
    pub fn has(self, kind: Kind) -> bool {
        match self {
            Rule::Shape => true,
            Rule::ZieglerNichols | Rule::ZieglerNicholsStep => {
                matches!(kind, Kind::P | Kind::Pi | Kind::Pid | Kind::Pidf)
            }
            Rule::Simc | Rule::Amigo => matches!(kind, Kind::Pi | Kind::Pid | Kind::Pidf),
        }
    }

    fn kinds(self) -> &'static str {
        match self {
            Rule::Shape => "any type",
            Rule::ZieglerNichols | Rule::ZieglerNicholsStep => "P, PI, PID or PIDF",
            Rule::Simc | Rule::Amigo => "PI, PID or PIDF",
        }
    }

    /// Returns the gains in parallel form but for the filter coefficient. `bandwidth` in radians per second, which only SIMC
    /// uses, is `None` for its own choice; where that is without limit, `fallback` takes its place.
    ///
    /// # Errors
    /// If the rule has no such kind, or does not fit the plant.
    pub(super) fn gains(
        self,
        plant: &Plant,
        kind: Kind,
        bandwidth: Option<f64>,
        fallback: f64,
    ) -> Result<Gains, RuleError> {
        if !self.has(kind) {
            return Err(RuleError::Kind { rule: self.title(), kind: kind.name(), has: self.kinds() });
        }
        let standard = match self {
            Rule::Shape => return Err(RuleError::NoResponse),
            Rule::ZieglerNichols => by_ultimate_gain(plant, kind)?,
            Rule::ZieglerNicholsStep => by_reaction_curve(plant, kind)?,
            Rule::Simc => simc(plant, kind, bandwidth, fallback)?,
            Rule::Amigo => amigo(plant, kind)?,
        };
        let Standard { k, ti, td } = standard;
        if !k.is_finite() || !ti.is_finite() && kind.has_integral() {
            return Err(RuleError::NoDeadTime);
        }
        Ok(Gains { p: k, i: if kind.has_integral() { k / ti } else { 0.0 }, d: k * td, n: 0.0 })
    }
}

/// Gains in standard form: `k·(1 + 1/(Ti·s) + Td·s)`.
struct Standard {
    k: f64,
    ti: f64,
    td: f64,
}

fn by_ultimate_gain(plant: &Plant, kind: Kind) -> Result<Standard, RuleError> {
    let unit = Gains { p: plant.sign, ..Gains::default() };
    let margins = plant.margins(&unit);
    let at = margins.gain_at.filter(|at| *at > 0.0 && margins.gain.is_finite()).ok_or(RuleError::NoUltimateGain)?;
    let (gain, period) = (margins.gain * plant.sign, 2.0 * PI / at);
    Ok(match kind {
        Kind::P => Standard { k: 0.5 * gain, ti: f64::INFINITY, td: 0.0 },
        Kind::Pi => Standard { k: 0.45 * gain, ti: period / 1.2, td: 0.0 },
        _ => Standard { k: 0.6 * gain, ti: 0.5 * period, td: 0.125 * period },
    })
}

fn by_reaction_curve(plant: &Plant, kind: Kind) -> Result<Standard, RuleError> {
    let found = plant.first_order().ok_or(RuleError::NoReaction)?;
    let dead_time = found.dead_time;
    if is_negligible(dead_time, found.time) {
        return Err(RuleError::NoDeadTime);
    }
    let a = found.slope * dead_time;
    Ok(match kind {
        Kind::P => Standard { k: 1.0 / a, ti: f64::INFINITY, td: 0.0 },
        Kind::Pi => Standard { k: 0.9 / a, ti: dead_time / 0.3, td: 0.0 },
        _ => Standard { k: 1.2 / a, ti: 2.0 * dead_time, td: 0.5 * dead_time },
    })
}

fn simc(plant: &Plant, kind: Kind, bandwidth: Option<f64>, fallback: f64) -> Result<Standard, RuleError> {
    let is_second = kind.has_derivative();
    let by_step = || {
        let found = plant.first_order()?;
        Some(Reaction { gain: found.gain, first: found.time, second: 0.0, dead_time: found.dead_time })
    };
    let found = plant.half_rule(is_second).or_else(by_step).ok_or(RuleError::NoReaction)?;
    let Reaction { gain, first, second, dead_time } = found;
    // The loop e^(−θ·s)/((τc + θ)·s) has the bandwidth 1/(τc + θ).
    let total = match bandwidth {
        Some(bandwidth) => 1.0 / bandwidth,
        None if is_negligible(dead_time, first.min(1.0 / fallback)) => 1.0 / fallback,
        None => 2.0 * dead_time,
    };
    let (k, ti) = match first.is_finite() {
        true => (first / (gain * total), first.min(4.0 * total)),
        false => (1.0 / (gain * total), 4.0 * total),
    };
    // From the series form to the standard one.
    let factor = 1.0 + second / ti;
    Ok(Standard { k: k * factor, ti: ti * factor, td: if is_second { second / factor } else { 0.0 } })
}

fn amigo(plant: &Plant, kind: Kind) -> Result<Standard, RuleError> {
    let found = plant.first_order().ok_or(RuleError::NoReaction)?;
    let (gain, t, l) = (found.gain, found.time, found.dead_time);
    if l <= 0.0 || is_negligible(l, t) {
        return Err(RuleError::NoDeadTime);
    }
    Ok(match (kind, t.is_finite()) {
        (Kind::Pi, true) => Standard {
            k: (0.15 + (0.35 - l * t / ((l + t) * (l + t))) * t / l) / gain,
            ti: 0.35 * l + 13.0 * l * t * t / (t * t + 12.0 * l * t + 7.0 * l * l),
            td: 0.0,
        },
        (Kind::Pi, false) => Standard { k: 0.35 / (gain * l), ti: 13.4 * l, td: 0.0 },
        (_, true) => Standard {
            k: (0.2 + 0.45 * t / l) / gain,
            ti: (0.4 * l + 0.8 * t) / (l + 0.1 * t) * l,
            td: 0.5 * l * t / (0.3 * l + t),
        },
        (_, false) => Standard { k: 0.45 / (gain * l), ti: 8.0 * l, td: 0.5 * l },
    })
}

/// Whether a dead time is so short beside a time constant that gains by it would have no limit.
fn is_negligible(dead_time: f64, time: f64) -> bool {
    dead_time <= 0.0 || (time.is_finite() && dead_time < 2e-3 * time)
}

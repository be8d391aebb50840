//! A controller by a rule or by shaping, with its figures.

use super::figures::{Figures, Responses};
use super::pid::{Gains, Kind};
use super::plant::Plant;
use super::rules::{Rule, RuleError};
use super::shape::{default_bandwidth, shape};

/// The request to the tuner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    pub rule: Rule,
    pub kind: Kind,
    /// In radians per second; `None` for one that suits the plant.
    pub bandwidth: Option<f64>,
    /// In degrees.
    pub margin: f64,
    /// The filter coefficient of the block, which stays where the kind does not tune it.
    pub filter: f64,
}

impl Target {
    /// The phase margin in degrees if none is given.
    pub const MARGIN: f64 = 60.0;
}

impl Default for Target {
    fn default() -> Target {
        let (rule, kind) = (Rule::default(), Kind::default());
        Target { rule, kind, bandwidth: None, margin: Target::MARGIN, filter: 100.0 }
    }
}

/// A tuned controller.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// In parallel form.
    pub gains: Gains,
    /// The bandwidth in radians per second, chosen or asked for.
    pub bandwidth: f64,
    /// Whether the loop has the phase margin that is asked for; true for rules without one.
    pub is_reached: bool,
    pub responses: Responses,
    pub figures: Figures,
}

/// The filter coefficient of rules that give none, as a multiple of 1/Td.
const FILTER: f64 = 10.0;

/// Tunes a controller for a plant. The responses last `until` seconds at least.
///
/// # Errors
/// If the rule does not fit the plant.
pub fn tune(plant: &Plant, target: &Target, until: Option<f64>) -> Result<Tuned, RuleError> {
    let suits = || default_bandwidth(plant, target.kind, target.margin, target.filter);
    let (gains, bandwidth, is_reached) = match target.rule {
        Rule::Shape => {
            let bandwidth = target.bandwidth.unwrap_or_else(suits);
            let shaped = shape(plant, target.kind, bandwidth, target.margin, target.filter);
            let shaped = shaped.ok_or(RuleError::NoResponse)?;
            (shaped.gains, bandwidth, shaped.is_reached)
        }
        rule => {
            let fallback = target.bandwidth.unwrap_or_else(suits);
            let gains = rule.gains(plant, target.kind, target.bandwidth, fallback)?;
            let tuned = if gains.d != 0.0 { FILTER * gains.p / gains.d } else { FILTER * fallback };
            let filter = if target.kind.tunes_filter() || target.filter <= 0.0 { tuned } else { target.filter };
            let gains = Gains { n: filter.min(plant.pid.max_filter), ..gains };
            let bandwidth = plant.margins(&gains).phase_at.unwrap_or(fallback);
            (gains, bandwidth, true)
        }
    };
    let (responses, figures) = judge(plant, &gains, until);
    Ok(Tuned { gains, bandwidth, is_reached, responses, figures })
}

/// Returns the responses and the figures of a loop with these gains in parallel form.
pub fn judge(plant: &Plant, gains: &Gains, until: Option<f64>) -> (Responses, Figures) {
    let responses = plant.responses(gains, until).unwrap_or_default();
    let figures = plant.figures(gains, &responses);
    (responses, figures)
}

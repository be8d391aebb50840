//! The parts that continuous and discrete controllers share: gains, optional inputs, limits and anti-windup.

use crate::block::{Builder, Expr, ParamDef, Settings};

/// Whether the gains are parameters or inputs.
pub(super) const GAINS: ParamDef = ParamDef::choice("Gains", &["parameters", "inputs"])
    .doc("Whether P, I, D and the filter coefficient N are parameters, or inputs that may change at any time");

fn has_gain_inputs(settings: &Settings) -> bool {
    settings.choice("Gains") == "inputs"
}

/// Returns the gains P, I, D and N, and the index of the input after them; `next` is that of the first optional input.
pub(super) fn gains<'b>(b: &'b Builder<'b>, next: usize) -> ([Expr<'b>; 4], usize) {
    match has_gain_inputs(b.settings()) {
        true => ([0, 1, 2, 3].map(|gain| b.input(next + gain)), next + 4),
        false => (["P", "I", "D", "Filter Coefficient"].map(|name| b.param(name)), next),
    }
}

pub(super) fn optional_inputs(settings: &Settings, first: &[&str]) -> Vec<String> {
    let gains: &[&str] = if has_gain_inputs(settings) { &["P", "I", "D", "N"] } else { &[] };
    let reset = (settings.choice("Reset") != "none").then_some("Reset");
    let tracking = settings.flag("Tracking").then_some("Tracking");
    first.iter().chain(gains).copied().chain(reset).chain(tracking).map(str::to_owned).collect()
}

/// The error signals of the three terms.
pub(super) struct Errors<'b> {
    pub proportional: Expr<'b>,
    pub integral: Expr<'b>,
    pub derivative: Expr<'b>,
}

/// The optional inputs and the limits of a controller.
pub(super) struct Options<'b> {
    is_reset: Option<Expr<'b>>,
    tracked: Option<Expr<'b>>,
    /// The lower and the upper limit.
    pub limits: Option<(Expr<'b>, Expr<'b>)>,
}

impl<'b> Options<'b> {
    /// Reads the settings; `next` is the index of the first optional input.
    pub fn new(b: &'b Builder<'b>, is_reset: Option<Expr<'b>>, next: usize) -> Options<'b> {
        let tracked = b.settings().flag("Tracking").then(|| b.input(next + usize::from(is_reset.is_some())));
        let limits = b.settings().flag("Limited").then(|| (b.param("Lower Limit"), b.param("Upper Limit")));
        Options { is_reset, tracked, limits }
    }

    /// Returns the common width of all signals and parameters.
    pub fn width(&self, b: &'b Builder<'b>, errors: &Errors<'b>, params: &[Expr<'b>]) -> usize {
        let mut parts = vec![errors.proportional, errors.integral, errors.derivative];
        parts.extend_from_slice(params);
        parts.extend(self.tracked.into_iter().chain(self.is_reset));
        parts.extend(self.limits.into_iter().flat_map(|(low, high)| [low, high]));
        b.common_width(&parts)
    }

    pub fn limited(&self, wanted: Expr<'b>) -> Expr<'b> {
        self.limits.map_or(wanted, |(low, high)| wanted.clamp(low, high))
    }

    /// Returns the rate of the integral: `growth` with anti-windup and tracking.
    pub fn rate(&self, b: &'b Builder<'b>, growth: Expr<'b>, wanted: Expr<'b>, limited: Expr<'b>) -> Expr<'b> {
        let rate = match b.settings().choice("Anti-Windup") {
            "back-calculation" if self.limits.is_some() => growth + b.param("Back-Calculation") * (limited - wanted),
            "clamping" if self.limits.is_some() => {
                let outwards = wanted.gt(limited).and(growth.gt(0.0)).or(wanted.lt(limited).and(growth.lt(0.0)));
                // Between the samples of a discrete controller there is nothing to locate.
                let is_held = if b.is_sampled() { outwards } else { b.decided(outwards, growth) };
                b.select(is_held, 0.0, growth)
            }
            _ => growth,
        };
        self.tracked.map_or(rate, |tracked| rate + b.param("Tracking Gain") * (tracked - limited))
    }
}

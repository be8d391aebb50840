//! The parameters and the reaction that all checks share.

use crate::block::{Builder, Expr, ParamDef, Ports, Reaction, Settings};

/// The reaction in the step in which a check begins to fail.
pub const ACTION: ParamDef = ParamDef::choice("Action", &["warn", "ignore", "pause", "stop"])
    .doc("What happens at the end of a step in which the check begins to fail");
/// Whether there is an output with the result of the check.
pub const OUTPUT: ParamDef =
    ParamDef::flag("Output", false).doc("Whether there is an output that is 1 while the check passes, else 0");
/// Whether there is an output with the margin of the check.
pub const MARGIN: ParamDef = ParamDef::flag("Margin", false)
    .doc("Whether there is an output with the distance of the input from where the check begins to fail, below 0 where it fails");
/// The source of the bounds.
pub const BOUNDS: ParamDef = ParamDef::choice("Bounds", &["static", "dynamic"])
    .doc("Whether bounds are parameters (static) or inputs (dynamic)");
pub const INCLUSIVE: ParamDef = ParamDef::flag("Inclusive", true).doc("Whether a bound itself is an allowed value");
/// The message to the user.
pub const MESSAGE: ParamDef =
    ParamDef::text("Message", "").doc("The message when the check fails; empty: the block's own message");

/// The parameters of checks with two bounds.
pub const RANGE_PARAMS: &[ParamDef] = &[
    BOUNDS,
    ParamDef::number("Low", &[0.0]).vector().doc("The lower bound, where bounds are static"),
    ParamDef::number("High", &[1.0]).vector().doc("The upper bound, where bounds are static"),
    INCLUSIVE,
    ACTION,
    OUTPUT,
    MARGIN,
    MESSAGE,
];

pub const OUTPUTS: Ports = Ports::By(outputs);

fn outputs(settings: &Settings) -> Vec<String> {
    let shown = [(OUTPUT, "Output"), (MARGIN, "Margin")].into_iter().filter(|(flag, _)| settings.flag(flag.name));
    shown.map(|(_, output)| output.to_owned()).collect()
}

pub fn is_dynamic(settings: &Settings) -> bool {
    settings.choice(BOUNDS.name) == "dynamic"
}

/// Writes the outputs and the report of a check, which fails where any element of `passes` is 0. `margin` is how far the
/// input is from a value for which that changes: below 0 where it fails. Where the margin is 0 it may pass or fail.
///
/// Falsification looks for a run with the least margin (Fainekos and Pappas, “Robustness of temporal logic
/// specifications for continuous-time signals”, 2009).
pub fn report_failure<'b>(b: &'b Builder<'b>, passes: Expr<'b>, margin: impl FnOnce() -> Expr<'b>, message: &str) {
    b.leaves_unlocated();
    let settings = b.settings();
    let fails = !passes;
    let has_output = settings.flag(OUTPUT.name);
    if has_output {
        b.output(0, passes);
    }
    if settings.flag(MARGIN.name) {
        b.output(usize::from(has_output), margin());
    }
    let reaction = match settings.choice(ACTION.name) {
        "warn" => Reaction::Warn,
        "pause" => Reaction::Pause,
        "stop" => Reaction::Stop,
        _ => return,
    };
    let own = settings.text(MESSAGE.name);
    b.report(reaction, fails, if own.is_empty() { message } else { own });
}

/// Returns the inputs of a check with one bound.
pub fn bound_inputs(settings: &Settings) -> Vec<String> {
    names(settings, &["Bound"])
}

/// Returns the inputs of a check with two bounds.
pub fn range_inputs(settings: &Settings) -> Vec<String> {
    names(settings, &["Low", "High"])
}

fn names(settings: &Settings, bounds: &[&str]) -> Vec<String> {
    let bounds = if is_dynamic(settings) { bounds } else { &[] };
    ["Input"].iter().chain(bounds).map(|&name| name.to_owned()).collect()
}

/// Returns a bound, which is a parameter or an input.
pub fn bound<'b>(b: &'b Builder<'b>, param: &str, input: usize) -> Expr<'b> {
    if is_dynamic(b.settings()) { b.input(input) } else { b.param(param) }
}

use crate::block::library::control::{Errors, Further, further_inputs};
use crate::block::library::linear::{RESETS, reset};
use crate::block::{BlockDef, Builder, Example, Expr, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "PID Controller",
    doc: "Steers by the error, its integral and its derivative, within limits and without wind-up",
    formula: "u = P·e + I·∫e + D·N·s/(s + N)·e; ideal: P·(e + I·∫e + D·…); back-calculation: the integral also takes Kb·(limited − u) \
              (Åström, Hägglund: PID Controllers, 1995, chapter 3)",
    aliases: &["pid", "pi", "pd", "controller", "regulator", "anti-windup", "control", "antiwinduppid"],
    look: Look::rect(Face::Text("PID")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        PID[0], PID[1], PID[2], PID[3], PID[4], PID[5], PID[6], PID[7], PID[8], PID[9], PID[10], PID[11], PID[12],
        PID[13],
    ],
    build: |b| {
        let e = b.input(0);
        b.output(0, controller(b, Errors { proportional: e, integral: e, derivative: e }, 1));
    },
    examples: &[
        Example {
            doc: "Proportional and integral, by Euler's rule",
            options: &[("P", &["2"]), ("I", &["1"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0]],
            outputs: &[&[2.0, 2.5, 3.0]],
        },
        Example {
            doc: "Clamped: the integral stops at the limit",
            options: &[
                ("P", &["0"]),
                ("I", &["1"]),
                ("Limited", &["1"]),
                ("Upper Limit", &["1.5"]),
                ("Anti-Windup", &["clamping"]),
            ],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0, 1.0, -1.0, -1.0]],
            outputs: &[&[0.0, 1.0, 1.5, 1.5, 1.5, 1.0]],
        },
    ],
};

pub(super) const PID: [ParamDef; 14] = [
    ParamDef::choice("Form", &["parallel", "ideal"]).doc("Whether P is for itself or multiplies all"),
    ParamDef::number("P", &[1.0]).vector().doc("The proportional factor"),
    ParamDef::number("I", &[1.0]).vector().doc("The integral's factor, a second"),
    ParamDef::number("D", &[0.0]).vector().unit("s").doc("The derivative's factor"),
    ParamDef::number("Filter Coefficient", &[100.0])
        .vector()
        .unit("1/s")
        .doc("The derivative's filter N; two over the step or less, for the solver's sake"),
    ParamDef::number("Initial Integral", &[0.0]).vector().doc("The integral at time 0 and after a reset"),
    ParamDef::flag("Limited", false).doc("Whether the output is kept between the limits"),
    ParamDef::number("Lower Limit", &[f64::NEG_INFINITY]).vector().doc("The smallest output"),
    ParamDef::number("Upper Limit", &[f64::INFINITY]).vector().doc("The largest output"),
    ParamDef::choice("Anti-Windup", &["none", "back-calculation", "clamping"])
        .doc("What the integral does at a limit: goes on, is led back, or stops"),
    ParamDef::number("Back-Calculation", &[1.0]).vector().unit("1/s").doc("How fast it is led back, Kb"),
    ParamDef::flag("Tracking", false).doc("Whether there is an input that the output is led to"),
    ParamDef::number("Tracking Gain", &[1.0]).vector().unit("1/s").doc("How fast it is led there, Kt"),
    ParamDef::choice("Reset", &RESETS)
        .doc("Which change of the input Reset sets integral and filter back; level: while it is not 0"),
];

fn inputs(settings: &Settings) -> Vec<String> {
    further_inputs(settings, &["Error"])
}

/// After Åström, Murray: Feedback Systems, 2008, chapter 10. `next` is the first further input.
pub(super) fn controller<'b>(b: &'b Builder<'b>, errors: Errors<'b>, next: usize) -> Expr<'b> {
    let [p, i, d, n, initial] = ["P", "I", "D", "Filter Coefficient", "Initial Integral"].map(|name| b.param(name));
    let is_reset = reset(b, next);
    let further = Further::new(b, is_reset, next);
    let width = further.width(b, &errors, &[p, i, d, n, initial]);
    let (integral, filter) = (b.continuous(width, initial), b.continuous(width, b.constant(0.0)));
    let (mut integral_now, mut filter_now) = (integral.value, filter.value);
    if let Some(is_reset) = is_reset {
        integral_now = b.select(is_reset, initial, integral_now);
        filter_now = b.select(is_reset, 0.0, filter_now);
        integral.jump(is_reset, initial);
        filter.jump(is_reset, b.constant(0.0));
    }
    let slope = n * (d * errors.derivative - filter_now);
    filter.derivative(slope);
    let wanted = match b.settings().choice("Form") {
        "ideal" => p * (errors.proportional + integral_now + slope),
        _ => p * errors.proportional + integral_now + slope,
    };
    if let Some((low, high)) = further.limits {
        b.crossing(wanted - low);
        b.crossing(wanted - high);
    }
    let growth = i * errors.integral;
    let limited = further.limited(wanted);
    let rate = further.rate(b, growth, wanted, limited);
    integral.derivative(rate);
    limited
}

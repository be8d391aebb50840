use crate::block::library::control::{Errors, GAINS, Options, gains, optional_inputs};
use crate::block::library::linear::{RESETS, continuous_reset};
use crate::block::{BlockDef, Builder, Example, Expr, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "PID Controller",
    doc: "Computes the control signal from the error, its integral and its derivative, with optional limits and anti-windup",
    formula: "u = P·e + I·∫e + D·N·s/(s + N)·e; ideal: P·(e + I·∫e + D·…); back-calculation adds Kb·(limited − u) to the rate of the integral \
              (Åström, Hägglund: PID Controllers, 1995, chapter 3)",
    aliases: &[
        "pid",
        "pi",
        "pd",
        "controller",
        "regulator",
        "anti-windup",
        "control",
        "antiwinduppid",
        "gain scheduling",
    ],
    look: Look::rect(Face::Text("PID")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        PID[0], PID[1], PID[2], PID[3], PID[4], PID[5], PID[6], PID[7], PID[8], PID[9], PID[10], PID[11], PID[12],
        PID[13], GAINS,
    ],
    build: |b| {
        let e = b.input(0);
        b.output(0, controller(b, Errors { proportional: e, integral: e, derivative: e }, 1));
    },
    examples: &[
        Example {
            doc: "PI control, with Euler's method",
            options: &[("P", &["2"]), ("I", &["1"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0]],
            outputs: &[&[2.0, 2.5, 3.0]],
        },
        Example {
            doc: "Clamping: the integral holds at the limit",
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
    ParamDef::choice("Form", &["parallel", "ideal"])
        .doc("Whether P multiplies the proportional term alone, or all three terms"),
    ParamDef::number("P", &[1.0]).vector().doc("The proportional gain"),
    ParamDef::number("I", &[1.0]).vector().doc("The integral gain, per second"),
    ParamDef::number("D", &[0.0]).vector().unit("s").doc("The derivative gain"),
    ParamDef::number("Filter Coefficient", &[100.0])
        .vector()
        .unit("1/s")
        .doc("The coefficient N of the derivative filter; at most 2 divided by the step, so that the solver is stable"),
    ParamDef::number("Initial Integral", &[0.0]).vector().doc("The integral term at time 0 and after a reset"),
    ParamDef::flag("Limited", false).doc("Whether the output is limited"),
    ParamDef::number("Lower Limit", &[f64::NEG_INFINITY]).vector().doc("The minimum output"),
    ParamDef::number("Upper Limit", &[f64::INFINITY]).vector().doc("The maximum output"),
    ParamDef::choice("Anti-Windup", &["none", "back-calculation", "clamping"])
        .doc("What the integral does at a limit: continues, is driven back, or holds"),
    ParamDef::number("Back-Calculation", &[1.0]).vector().unit("1/s").doc("The back-calculation gain Kb"),
    ParamDef::flag("Tracking", false).doc("Whether there is an input that the output tracks"),
    ParamDef::number("Tracking Gain", &[1.0]).vector().unit("1/s").doc("The tracking gain Kt"),
    ParamDef::choice("Reset", &RESETS)
        .doc("Which edge of the input Reset resets integral and filter; level: while the input is nonzero"),
];

fn inputs(settings: &Settings) -> Vec<String> {
    optional_inputs(settings, &["Error"])
}

/// Writes a controller after Åström, Murray: Feedback Systems, 2008, chapter 10. `next` is the index of the first
/// optional input.
pub(super) fn controller<'b>(b: &'b Builder<'b>, errors: Errors<'b>, next: usize) -> Expr<'b> {
    let ([p, i, d, n], next) = gains(b, next);
    let initial = b.param("Initial Integral");
    let reset = continuous_reset(b, next);
    let options = Options::new(b, reset.as_ref().map(|reset| reset.jumps), next);
    let width = options.width(b, &errors, &[p, i, d, n, initial]);
    let (integral, filter) = (b.continuous(width, initial), b.continuous(width, b.constant(0.0)));
    let (mut integral_now, mut filter_now) = (integral.value, filter.value);
    if let Some(reset) = &reset {
        integral_now = b.select(reset.is_initial, initial, integral_now);
        filter_now = b.select(reset.is_initial, 0.0, filter_now);
        integral.jump(reset.jumps, initial);
        filter.jump(reset.jumps, b.constant(0.0));
    }
    let rate_of = |rate| reset.as_ref().map_or(rate, |reset| reset.rate(b, rate));
    let slope = n * (d * errors.derivative - filter_now);
    filter.derivative(rate_of(slope));
    let wanted = match b.settings().choice("Form") {
        "ideal" => p * (errors.proportional + integral_now + slope),
        _ => p * errors.proportional + integral_now + slope,
    };
    if let Some((low, high)) = options.limits {
        b.crossing(wanted - low);
        b.crossing(wanted - high);
    }
    let growth = i * errors.integral;
    let limited = options.limited(wanted);
    let rate = options.rate(b, growth, wanted, limited);
    integral.derivative(rate_of(rate));
    limited
}

use crate::block::library::linear::{RESETS, reset};
use crate::block::{BlockDef, Clock, Example, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Discrete-Time Integrator",
    doc: "Adds its input up over time or over samples, within limits and with a reset where wanted",
    formula: "forward y = x, x⁺ = x + K·T·u; backward y = x + K·T·u, x⁺ = y; trapezoidal y = x + K·T·u/2, x⁺ = y + K·T·u/2; T = 1 to accumulate \
              (Åström, Wittenmark: Computer-Controlled Systems, chapter 8)",
    aliases: &[
        "accumulator",
        "sum over time",
        "discrete integrator",
        "forward euler",
        "backward euler",
        "trapezoidal",
        "dint",
    ],
    look: Look::rect(Face::Fraction("K·T", "z − 1")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Method", &["forward", "backward", "trapezoidal"]).doc("By which rule"),
        ParamDef::flag("Accumulate", false).doc("Whether it adds up over samples instead of seconds"),
        ParamDef::number("Gain", &[1.0]).vector().doc("The factor K"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The state x at first and after a reset, or the output"),
        ParamDef::choice("Initial Value Of", &["state", "output"])
            .doc("Whether the first output is the initial value itself, or with this sample's part"),
        ParamDef::flag("Limited", false).doc("Whether the output is kept between the limits"),
        ParamDef::number("Lower Limit", &[f64::NEG_INFINITY]).vector().doc("The smallest output"),
        ParamDef::number("Upper Limit", &[f64::INFINITY]).vector().doc("The largest output"),
        ParamDef::choice("Reset", &RESETS)
            .doc("Which change of the input Reset sets it back; level: while it is not 0"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let (u, gain, initial) = (b.input(0), b.param("Gain"), b.param("Initial Value"));
        let limits = b.settings().flag("Limited").then(|| (b.param("Lower Limit"), b.param("Upper Limit")));
        let reset = reset(b, 1);
        let mut parts = vec![u, gain, initial];
        parts.extend(reset.into_iter().chain(limits.into_iter().flat_map(|(low, high)| [low, high])));
        let state = b.state(b.common_width(&parts), initial);
        let mut x = state.value;
        if let Some(reset) = reset {
            x = b.select(reset, initial, x);
        }
        let span = if b.settings().flag("Accumulate") { b.constant(1.0) } else { b.clock(Clock::Delta) };
        let added = gain * span * u;
        let (before, after) = match b.settings().choice("Method") {
            "backward" => (Some(added), None),
            "trapezoidal" => (Some(added * 0.5), Some(added * 0.5)),
            _ => (None, Some(added)),
        };
        let mut y = before.map_or(x, |before| x + before);
        if b.settings().choice("Initial Value Of") == "output" {
            let begins = reset.map_or(b.is_first(), |reset| reset.or(b.is_first()));
            y = b.select(begins, initial, y);
        }
        y = limits.map_or(y, |(low, high)| y.clamp(low, high));
        let next = after.map_or(y, |after| y + after);
        state.next(limits.map_or(next, |(low, high)| next.clamp(low, high)));
        b.output(0, y);
    },
    examples: &[
        Example {
            doc: "Forward",
            options: &[],
            delta: 0.5,
            widths: &[],
            inputs: &[&[2.0, 2.0, 4.0]],
            outputs: &[&[0.0, 1.0, 2.0]],
        },
        Example {
            doc: "Backward",
            options: &[("Method", &["backward"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[2.0, 2.0, 4.0]],
            outputs: &[&[1.0, 2.0, 4.0]],
        },
        Example {
            doc: "Trapezoidal, from 1 on",
            options: &[("Method", &["trapezoidal"]), ("Initial Value", &["1"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[2.0, 2.0, 4.0]],
            outputs: &[&[1.5, 2.5, 4.0]],
        },
        Example {
            doc: "Accumulates up to a limit",
            options: &[("Accumulate", &["1"]), ("Limited", &["1"]), ("Upper Limit", &["3"])],
            delta: 0.1,
            widths: &[],
            inputs: &[&[2.0, 2.0, -1.0, 0.0]],
            outputs: &[&[0.0, 2.0, 3.0, 2.0]],
        },
    ],
};

fn inputs(settings: &Settings) -> Vec<String> {
    let reset = (settings.choice("Reset") != "none").then_some("Reset");
    std::iter::once("Input").chain(reset).map(str::to_owned).collect()
}

use crate::block::library::linear::{RESETS, SHOW_STATE, SHOW_STATE_PORT, reset};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Discrete-Time Integrator",
    doc: "Integrates its input over time or sums its samples, with optional limits and reset",
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
    outputs: Ports::By(outputs),
    params: &[
        ParamDef::choice("Method", &["forward", "backward", "trapezoidal"]).doc("The integration method"),
        ParamDef::flag("Accumulate", false).doc("Whether it sums samples instead of integrating over time"),
        ParamDef::number("Gain", &[1.0]).vector().doc("The gain K"),
        ParamDef::number("Initial Value", &[0.0])
            .vector()
            .doc("The state x, or the output, at the start and after a reset"),
        ParamDef::choice("Initial Value Of", &["state", "output"])
            .doc("Whether the initial value is that of the state or of the output"),
        ParamDef::flag("Limited", false).doc("Whether the output is limited"),
        ParamDef::number("Lower Limit", &[f64::NEG_INFINITY]).vector().doc("The minimum output"),
        ParamDef::number("Upper Limit", &[f64::INFINITY]).vector().doc("The maximum output"),
        ParamDef::choice("Reset", &RESETS)
            .doc("Which edge of the input Reset resets the state; level: while the input is nonzero"),
        SHOW_STATE,
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
        let accumulates = b.settings().flag("Accumulate");
        let span = if accumulates { b.constant(1.0) } else { b.elapsed() };
        let added = gain * span * u;
        let (before, after) = match b.settings().choice("Method") {
            "backward" => (Some(added), None),
            "trapezoidal" => (Some(added * 0.5), Some(added * 0.5)),
            _ => (None, Some(added)),
        };
        // If the time to the next sample is not known, the share that acts until then is added at that sample.
        let is_later = b.is_intermittent() && !accumulates && after.is_some();
        let mut before_reset = state.value;
        if is_later {
            let share = if before.is_some() { 0.5 } else { 1.0 };
            before_reset = before_reset + b.before(gain * u * share, 0.0) * span;
        }
        let x = reset.map_or(before_reset, |reset| b.select(reset, initial, before_reset));
        let after = after.filter(|_| !is_later);
        let mut y = before.map_or(x, |before| x + before);
        if b.settings().choice("Initial Value Of") == "output" {
            let begins = reset.map_or(b.is_first(), |reset| reset.or(b.is_first()));
            y = b.select(begins, initial, y);
        }
        y = limits.map_or(y, |(low, high)| y.clamp(low, high));
        let next = after.map_or(y, |after| y + after);
        state.next(limits.map_or(next, |(low, high)| next.clamp(low, high)));
        b.output(0, y);
        b.early(0, limits.map_or(initial, |(low, high)| initial.clamp(low, high)));
        if b.settings().flag(SHOW_STATE.name) {
            b.output(1, before_reset);
            b.early(1, initial);
        }
    },
    examples: &[
        Example {
            doc: "Forward Euler",
            options: &[],
            delta: 0.5,
            widths: &[],
            inputs: &[&[2.0, 2.0, 4.0]],
            outputs: &[&[0.0, 1.0, 2.0]],
        },
        Example {
            doc: "Backward Euler",
            options: &[("Method", &["backward"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[2.0, 2.0, 4.0]],
            outputs: &[&[1.0, 2.0, 4.0]],
        },
        Example {
            doc: "Trapezoidal, initial value 1",
            options: &[("Method", &["trapezoidal"]), ("Initial Value", &["1"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[2.0, 2.0, 4.0]],
            outputs: &[&[1.5, 2.5, 4.0]],
        },
        Example {
            doc: "Sum of samples with an upper limit",
            options: &[("Accumulate", &["1"]), ("Limited", &["1"]), ("Upper Limit", &["3"])],
            delta: 0.1,
            widths: &[],
            inputs: &[&[2.0, 2.0, -1.0, 0.0]],
            outputs: &[&[0.0, 2.0, 3.0, 2.0]],
        },
        Example {
            doc: "The state before a reset",
            options: &[("Reset", &["level"]), ("Show State", &["1"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[2.0, 2.0, 4.0, 4.0], &[0.0, 0.0, 1.0, 0.0]],
            outputs: &[&[0.0, 1.0, 0.0, 2.0], &[0.0, 1.0, 2.0, 2.0]],
        },
    ],
};

fn inputs(settings: &Settings) -> Vec<String> {
    let reset = (settings.choice("Reset") != "none").then_some("Reset");
    std::iter::once("Input").chain(reset).map(str::to_owned).collect()
}

fn outputs(settings: &Settings) -> Vec<String> {
    let state = settings.flag(SHOW_STATE.name).then_some(SHOW_STATE_PORT);
    std::iter::once("Output").chain(state).map(str::to_owned).collect()
}

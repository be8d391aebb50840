use crate::block::library::linear::{RESETS, SHOW_STATE, SHOW_STATE_PORT, continuous_reset};
use crate::block::{BlockDef, Clock, Example, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Integrator",
    doc: "Integrates its input over time, with optional limits, wrap-around and reset",
    formula: "dy/dt = u, y(0) = y₀; at a limit y holds until u points back, or wraps around; a reset sets y = y₀; x is y before the reset",
    aliases: &[
        "integrate",
        "integral",
        "1/s",
        "integrator limited",
        "integral_m",
        "integral_f",
        "differential equation",
    ],
    look: Look::rect(Face::Fraction("1", "s")),
    inputs: Ports::By(inputs),
    outputs: Ports::By(outputs),
    params: &[
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The output y₀ at time 0 and after a reset"),
        ParamDef::flag("Limited", false).doc("Whether the output is limited"),
        ParamDef::flag("Wrapped", false)
            .doc("Whether the output wraps around: beyond the upper limit it continues at the lower, and the reverse"),
        ParamDef::number("Lower Limit", &[f64::NEG_INFINITY]).vector().doc("The minimum output"),
        ParamDef::number("Upper Limit", &[f64::INFINITY]).vector().doc("The maximum output"),
        ParamDef::choice("Reset", &RESETS)
            .doc("Which edge of the input Reset resets the output; level: while the input is nonzero"),
        ParamDef::choice("Initial Source", &["option", "input"])
            .doc("Whether y₀ is the parameter, or an input read at time 0 and at each reset"),
        ParamDef::flag("Show Saturation", false)
            .doc("Whether there is an output that is 1 at the upper limit, −1 at the lower, else 0"),
        SHOW_STATE,
    ],
    build: |b| {
        let (u, option) = (b.input(0), b.param("Initial Value"));
        let reset = continuous_reset(b, 1);
        let source = (b.settings().choice("Initial Source") == "input").then(|| b.input(b.input_count() - 1));
        let initial = source.unwrap_or(option);
        let [is_limited, is_wrapped] = ["Limited", "Wrapped"].map(|name| b.settings().flag(name));
        if is_limited && is_wrapped {
            b.refuse("Wrapped", "an output that is limited does not wrap around; choose one of the two");
        }
        let range = (is_limited || is_wrapped).then(|| (b.param("Lower Limit"), b.param("Upper Limit")));
        let (limits, wraps) = (range.filter(|_| is_limited), range.filter(|_| is_wrapped));
        let mut parts = vec![u, option, initial];
        parts.extend(range.into_iter().flat_map(|(low, high)| [low, high]));
        let x = b.continuous(b.common_width(&parts), option);
        // The state port: no reset and no input changes it, so that a reset may depend on it without an algebraic loop.
        let mut state = x.value;
        let mut y = x.value;
        // An initial value from an input is read at the start of the first step.
        let begins = source.map(|_| b.is_first().and(b.clock(Clock::Major)));
        if let Some(reset) = &reset {
            y = b.select(reset.is_initial, initial, y);
            x.jump(reset.jumps, initial);
        }
        if let Some(begins) = begins {
            y = b.select(begins, initial, y);
            x.jump(begins, initial);
        }
        if let Some((low, high)) = wraps {
            let is_outside = y.lt(low).or(y.ge(high));
            let wrapped = low + (y - low).modulo(high - low);
            b.crossing(x.value - low);
            b.crossing(x.value - high);
            x.jump(is_outside.and(b.deciding()), wrapped);
            // Until a solver has located the end of the range, the state is beyond it.
            let wraps_now = if b.locates() { is_outside.and(b.deciding()) } else { is_outside };
            y = b.select(wraps_now, wrapped, y);
        }
        let mut rate = u;
        let mut saturation = b.constant(0.0);
        if let Some((low, high)) = limits {
            y = y.max(low).min(high);
            state = state.max(low).min(high);
            let zero = b.constant(0.0);
            let (at_low, at_high) = (b.at_limit(y.le(low)), b.at_limit(y.ge(high)));
            let is_held = at_low.and(u.lt(zero)).or(at_high.and(u.gt(zero)));
            let ends = b.join(&[x.value - low, x.value - high, u]);
            rate = b.select(b.decided(is_held, ends), zero, u);
            x.limit(low, high);
            saturation = b.select(y.ge(high), 1.0, b.select(y.le(low), -1.0, 0.0));
        }
        b.output(0, y);
        let is_saturation_shown = b.settings().flag("Show Saturation");
        if is_saturation_shown {
            b.output(1, saturation);
        }
        if b.settings().flag(SHOW_STATE.name) {
            b.output(1 + usize::from(is_saturation_shown), state);
        }
        x.derivative(reset.map_or(rate, |reset| reset.rate(b, rate)));
    },
    examples: &[
        Example {
            doc: "Holds at its upper limit",
            options: &[("Limited", &["1"]), ("Upper Limit", &["1.5"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0, -1.0, -1.0]],
            outputs: &[&[0.0, 1.0, 1.5, 1.5, 0.5]],
        },
        Example {
            doc: "An angle in turns, which wraps around",
            options: &[("Wrapped", &["1"]), ("Lower Limit", &["0"]), ("Upper Limit", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.75, 0.75, -1.5, 0.0]],
            outputs: &[&[0.0, 0.75, 0.5, 0.0]],
        },
        Example {
            doc: "Reset at a rising edge",
            options: &[("Reset", &["rising"]), ("Initial Value", &["10"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0, 1.0], &[0.0, 0.0, 1.0, 1.0]],
            outputs: &[&[10.0, 11.0, 10.0, 11.0]],
        },
        Example {
            doc: "Initial value from an input, and an output for saturation",
            options: &[
                ("Initial Source", &["input"]),
                ("Limited", &["1"]),
                ("Upper Limit", &["5"]),
                ("Show Saturation", &["1"]),
            ],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0, -1.0, -1.0], &[3.5, 9.0, 9.0, 9.0]],
            outputs: &[&[3.5, 4.5, 5.0, 4.0], &[0.0, 0.0, 1.0, 0.0]],
        },
        Example {
            doc: "The state before a reset",
            options: &[("Reset", &["rising"]), ("Initial Value", &["10"]), ("Show State", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0, 1.0], &[0.0, 0.0, 1.0, 1.0]],
            outputs: &[&[10.0, 11.0, 10.0, 11.0], &[10.0, 11.0, 12.0, 11.0]],
        },
    ],
};

fn inputs(settings: &Settings) -> Vec<String> {
    let reset = (settings.choice("Reset") != "none").then_some("Reset");
    let initial = (settings.choice("Initial Source") == "input").then_some("Initial");
    std::iter::once("Input").chain(reset).chain(initial).map(str::to_owned).collect()
}

fn outputs(settings: &Settings) -> Vec<String> {
    let saturation = settings.flag("Show Saturation").then_some("Saturation");
    let state = settings.flag(SHOW_STATE.name).then_some(SHOW_STATE_PORT);
    std::iter::once("Output").chain(saturation).chain(state).map(str::to_owned).collect()
}

use crate::block::{BlockDef, Builder, Example, Expr, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Integrator",
    doc: "Integrates its input over time, within limits and with a reset where wanted",
    formula: "dy/dt = u, y(0) = y₀; at a limit it stops until u points back; a reset sets y = y₀",
    aliases: &["integrate", "integral", "1/s", "integrator limited"],
    look: Look::rect(Face::Fraction("1", "s")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The output y₀ at time 0 and after a reset"),
        ParamDef::flag("Limited", false).doc("Whether the output is kept between the limits"),
        ParamDef::number("Lower Limit", &[f64::NEG_INFINITY]).vector().doc("The smallest output"),
        ParamDef::number("Upper Limit", &[f64::INFINITY]).vector().doc("The largest output"),
        ParamDef::choice("Reset", &["none", "rising", "falling", "either", "level"])
            .doc("Which change of the input Reset through 0 sets the output back; level: while it is not 0"),
    ],
    build: |b| {
        let (u, initial) = (b.input(0), b.param("Initial Value"));
        let limits = b.settings().flag("Limited").then(|| (b.param("Lower Limit"), b.param("Upper Limit")));
        let mut parts = vec![u, initial];
        parts.extend(limits.into_iter().flat_map(|(low, high)| [low, high]));
        let x = b.continuous(b.common_width(&parts), initial);
        let mut y = x.value;
        if let Some(is_reset) = reset(b) {
            y = b.select(is_reset, initial, y);
            x.jump(is_reset, initial);
        }
        let mut rate = u;
        if let Some((low, high)) = limits {
            y = y.max(low).min(high);
            let zero = b.constant(0.0);
            let is_held = y.le(low).and(u.lt(zero)).or(y.ge(high).and(u.gt(zero)));
            let ends = b.join(&[x.value - low, x.value - high, u]);
            rate = b.select(b.decided(is_held, ends), zero, u);
            x.limit(low, high);
        }
        b.output(0, y);
        x.derivative(rate);
    },
    examples: &[
        Example {
            doc: "Stops at its upper limit",
            options: &[("Limited", &["1"]), ("Upper Limit", &["1.5"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0, -1.0, -1.0]],
            outputs: &[&[0.0, 1.0, 1.5, 1.5, 0.5]],
        },
        Example {
            doc: "Begins again when the reset rises",
            options: &[("Reset", &["rising"]), ("Initial Value", &["10"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0, 1.0], &[0.0, 0.0, 1.0, 1.0]],
            outputs: &[&[10.0, 11.0, 10.0, 11.0]],
        },
    ],
};

fn inputs(settings: &Settings) -> Vec<String> {
    let mut names = vec!["Input".to_owned()];
    if settings.choice("Reset") != "none" {
        names.push("Reset".to_owned());
    }
    names
}

/// Whether it resets now; only where decisions are made it can.
fn reset<'b>(b: &'b Builder<'b>) -> Option<Expr<'b>> {
    let kind = b.settings().choice("Reset");
    if kind == "none" {
        return None;
    }
    let (now, zero) = (b.input(1), b.constant(0.0));
    b.crossing(now);
    let before = b.mode(now.width(), zero);
    before.next(b.select(b.deciding(), now, before.value));
    let rising = before.value.le(zero).and(now.gt(zero));
    let falling = before.value.ge(zero).and(now.lt(zero));
    let is_reset = match kind {
        "rising" => rising,
        "falling" => falling,
        "either" => rising.or(falling),
        _ => now.differs(zero),
    };
    Some(is_reset.and(b.deciding()))
}

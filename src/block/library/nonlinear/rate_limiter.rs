use crate::block::{BlockDef, Builder, Clock, Example, Expr, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "Rate Limiter",
    doc: "Limits the rate of change of its input",
    formula: "y = u, limited to y′ + F·h below and y′ + R·h above, y′ the output a step h before \
              (Simulink reference: Rate Limiter)",
    aliases: &["slew rate", "slope limiter", "ramp limiter", "slew limiter", "ratelimiter"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.85), (0.35, 0.85), (0.65, 0.15), (0.9, 0.15)],
        &[(0.35, 0.85), (0.35, 0.15), (0.65, 0.15)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Rising Slope", &[1.0]).vector().unit("1/s").doc("The maximum rate R"),
        ParamDef::number("Falling Slope", &[-1.0]).vector().unit("1/s").doc("The minimum rate F, negative"),
        ParamDef::choice("Begin With", &["input", "value"])
            .doc("Whether the first output is the input, or is limited from the initial value on"),
        ParamDef::number("Initial Value", &[0.0])
            .vector()
            .doc("The output before the first step, where the limiter begins with the value"),
    ],
    build: |b| {
        let (rising, falling) = (b.param("Rising Slope"), b.param("Falling Slope"));
        b.output(0, limited(b, b.input(0), rising, falling));
    },
    examples: &[
        Example {
            doc: "Rates from -2 to 1 per second",
            options: &[("Falling Slope", &["-2"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[0.0, 2.0, 2.0, -9.0, -9.0]],
            outputs: &[&[0.0, 0.5, 1.0, 0.0, -1.0]],
        },
        Example {
            doc: "From an initial value on",
            options: &[("Begin With", &["value"]), ("Initial Value", &["10"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 0.0]],
            outputs: &[&[9.0, 8.0]],
        },
    ],
};

/// Writes a rate limiter; in minor steps its output starts from that of the start of the step.
pub(super) fn limited<'b>(b: &'b Builder<'b>, u: Expr<'b>, rising: Expr<'b>, falling: Expr<'b>) -> Expr<'b> {
    let initial = b.param("Initial Value");
    let span = b.select(b.clock(Clock::Major), b.elapsed(), b.time() - b.step_time());
    let begins_free = b.settings().choice("Begin With") == "input";
    b.follow(b.common_width(&[u, rising, falling, initial]), initial, |before| {
        let (high, low) = (before + rising * span, before + falling * span);
        super::crossing_beyond(b, u, low, high);
        let limited = b.select(u.gt(high), high, b.select(u.lt(low), low, u));
        if begins_free { b.select(b.is_first().and(b.clock(Clock::Major)), u, limited) } else { limited }
    })
}

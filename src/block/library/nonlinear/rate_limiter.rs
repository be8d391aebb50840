use crate::block::{BlockDef, Builder, Clock, Example, Expr, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "Rate Limiter",
    doc: "Limits the rate of change of its input",
    formula: "y = u, limited to y′ + F·h below and y′ + R·h above, y′ the output a step h before; \
              with a solver of variable step the rate of y is limited to F and R (Simulink reference: Rate Limiter)",
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
    if b.locates() && !b.is_intermittent() {
        return sliding(b, u, rising, falling);
    }
    let span = b.select(b.clock(Clock::Major), b.elapsed(), b.time() - b.step_time());
    let begins_free = b.settings().choice("Begin With") == "input";
    b.follow(b.common_width(&[u, rising, falling, initial]), initial, |before| {
        let (high, low) = (before + rising * span, before + falling * span);
        super::crossing_beyond(b, u, low, high);
        let limited = b.select(u.gt(high), high, b.select(u.lt(low), low, u));
        if begins_free { b.select(b.is_first().and(b.clock(Clock::Major)), u, limited) } else { limited }
    })
}

/// The largest slope that a solver can integrate.
const MAX_SLOPE: f64 = 1e12;
/// The distance from the input within which the output slides along it: relative to both, and to what the output can
/// change in a step of the grid.
const NEAR: f64 = 1e-6;
const NEAR_OF_STEP: f64 = 1e-9;
/// The part of that distance at which the output is the input.
const THERE: f64 = 1e-4;

/// Writes a rate limiter for solvers that slide: a state that rises or falls towards the input at the limits, and slides
/// along the input while the rate of the input is between them. After a jump of the input the output is far from it, and
/// rises or falls whatever was decided before.
fn sliding<'b>(b: &'b Builder<'b>, u: Expr<'b>, rising: Expr<'b>, falling: Expr<'b>) -> Expr<'b> {
    let initial = b.param("Initial Value");
    let state = b.continuous(b.common_width(&[u, rising, falling, initial]), initial);
    let mut y = state.value;
    if b.settings().choice("Begin With") == "input" {
        let begins = b.is_first().and(b.clock(Clock::Major));
        state.jump(begins, u);
        y = b.select(begins, u, y);
    }
    let [rising, falling] = [rising, falling].map(|slope| slope.clamp(-MAX_SLOPE, MAX_SLOPE));
    let (distance, range) = (u - y, rising - falling);
    let near = (u.abs() + y.abs()) * NEAR + range.abs() * (NEAR_OF_STEP * b.delta());
    b.crossing(distance - near);
    b.crossing(distance + near);
    let is_below = b.decided(distance.gt(0.0), distance);
    let sliding = b.select(is_below, rising, falling);
    state.derivative(b.select(distance.gt(near), rising, b.select(distance.lt(-near), falling, sliding)));
    // When it has reached the input, the output is the input itself, so that a linearization passes it on.
    let is_there = distance.abs().le(near * THERE);
    b.select(is_there.or(u.is_nan()), u, y)
}

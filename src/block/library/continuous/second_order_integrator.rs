use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Second-Order Integrator",
    doc: "Integrates its input twice, from acceleration to position and speed, with optional limits",
    formula: "d²x/dt² = u, x(0) = x₀, dx/dt(0) = v₀; at a limit of x the speed is 0 until u points back; dx/dt is limited too",
    aliases: &["double integrator", "1/s²", "position", "second-order integrator limited", "motion"],
    look: Look::rect(Face::Fraction("1", "s²")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["x", "dx"]),
    params: &[
        ParamDef::number("Initial Position", &[0.0]).vector().doc("The position x₀ at time 0"),
        ParamDef::number("Initial Speed", &[0.0]).vector().doc("The speed v₀ at time 0"),
        ParamDef::flag("Limited", false).doc("Whether position and speed are limited"),
        ParamDef::number("Lower Limit", &[f64::NEG_INFINITY]).vector().doc("The minimum position"),
        ParamDef::number("Upper Limit", &[f64::INFINITY]).vector().doc("The maximum position"),
        ParamDef::number("Lowest Speed", &[f64::NEG_INFINITY]).vector().doc("The minimum speed"),
        ParamDef::number("Highest Speed", &[f64::INFINITY]).vector().doc("The maximum speed"),
    ],
    build: |b| {
        let (u, position, speed) = (b.input(0), b.param("Initial Position"), b.param("Initial Speed"));
        if !b.settings().flag("Limited") {
            let width = b.common_width(&[u, position, speed]);
            let (x, v) = (b.continuous(width, position), b.continuous(width, speed));
            x.derivative(v.value);
            v.derivative(u);
            b.output(0, x.value);
            return b.output(1, v.value);
        }
        let [low, high, slowest, fastest] =
            ["Lower Limit", "Upper Limit", "Lowest Speed", "Highest Speed"].map(|name| b.param(name));
        let width = b.common_width(&[u, position, speed, low, high, slowest, fastest]);
        let (x, v) = (b.continuous(width, position), b.continuous(width, speed));
        let y = x.value.clamp(low, high);
        let (at_low, at_high) = (b.at_limit(y.le(low)), b.at_limit(y.ge(high)));
        // At a limit the speed is reset to 0, and held while the input points outwards.
        let is_stopped = at_low.and(v.value.lt(0.0)).or(at_high.and(v.value.gt(0.0)));
        v.jump(is_stopped.and(b.deciding()), b.constant(0.0));
        let rate = match b.locates() {
            true => {
                let is_still = v.value.equals(0.0);
                let is_pressed = is_still.and(at_low.and(u.lt(0.0)).or(at_high.and(u.gt(0.0))));
                [x.value - low, x.value - high, u, v.value - slowest, v.value - fastest]
                    .into_iter()
                    .for_each(|end| b.crossing(end));
                x.jump(is_stopped.or(is_pressed).and(b.deciding()), y);
                let is_held = b.settled(is_stopped.or(is_pressed));
                let is_full = b.settled(v.value.le(slowest).and(u.lt(0.0)).or(v.value.ge(fastest).and(u.gt(0.0))));
                v.derivative(b.select(is_held.or(is_full), 0.0, u));
                b.select(is_held, 0.0, v.value.clamp(slowest, fastest))
            }
            false => {
                let rate = b.select(is_stopped, 0.0, v.value.clamp(slowest, fastest));
                let is_pressed = at_low.and(rate.le(0.0)).and(u.lt(0.0)).or(at_high.and(rate.ge(0.0)).and(u.gt(0.0)));
                let (is_slowest, is_fastest) = (b.at_limit(rate.le(slowest)), b.at_limit(rate.ge(fastest)));
                let is_full = is_slowest.and(u.lt(0.0)).or(is_fastest.and(u.gt(0.0)));
                v.derivative(b.select(is_pressed.or(is_full), 0.0, u));
                rate
            }
        };
        x.derivative(rate);
        x.limit(low, high);
        v.limit(slowest, fastest);
        b.output(0, y);
        b.output(1, rate);
    },
    examples: &[
        Example {
            doc: "Constant acceleration, with Euler's method",
            options: &[("Initial Speed", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.0, 2.0, 2.0]],
            outputs: &[&[0.0, 1.0, 4.0], &[1.0, 3.0, 5.0]],
        },
        Example {
            doc: "Stops at its upper limit and comes back",
            options: &[("Limited", &["1"]), ("Upper Limit", &["1.5"]), ("Initial Speed", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 0.0, 1.0, -1.0, -1.0]],
            outputs: &[&[0.0, 1.0, 1.5, 1.5, 1.5], &[1.0, 1.0, 0.0, 0.0, -1.0]],
        },
        Example {
            doc: "Begins at its lowest speed and speeds up to the highest",
            options: &[
                ("Limited", &["1"]),
                ("Lowest Speed", &["-1"]),
                ("Highest Speed", &["0.25"]),
                ("Initial Speed", &["-1"]),
            ],
            delta: 1.0,
            widths: &[],
            inputs: &[&[-2.0, 0.5, 0.5, 0.5, 0.5, -0.5, 0.0]],
            outputs: &[&[0.0, -1.0, -2.0, -2.5, -2.5, -2.25, -2.0], &[-1.0, -1.0, -0.5, 0.0, 0.25, 0.25, -0.25]],
        },
    ],
};

use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Transport Delay",
    doc: "Delays its input by a fixed time",
    formula: "y(t) = u(t − τ), interpolated linearly between steps; y₀ while t < τ",
    aliases: &["delay", "dead time", "time delay", "latency", "time_delay", "transport lag"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.75), (0.25, 0.75), (0.35, 0.3), (0.5, 0.3)],
        &[(0.45, 0.75), (0.6, 0.75), (0.7, 0.3), (0.9, 0.3)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Delay", &[1.0]).between(0.0, 1e9).unit("s").fixed().doc("The delay τ"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The output y₀ until the first input arrives"),
    ],
    build: |b| {
        let (u, initial) = (b.input(0), b.param("Initial Value"));
        let steps = b.settings().number("Delay") / b.delta();
        if steps > MAX_STEPS {
            b.refuse("Delay", format!("the delay is {steps} steps; the limit is {MAX_STEPS}"));
            return b.output(0, u);
        }
        let width = b.common_width(&[u, initial]);
        if steps == 0.0 {
            return b.output(0, u);
        }
        let history = b.history(width, steps.ceil() as usize + 2, initial);
        history.push(u);
        let delay = b.constant(b.settings().number("Delay"));
        if steps < 1.0 {
            // Within the step: between this input and the previous one.
            let part = b.constant(steps);
            let between = u + part * (history.past(b.constant(1.0)) - u);
            return b.output(0, b.select((b.time() + b.delta() * 1e-9).lt(delay), initial, between));
        }
        // The delay in steps from the start of the step, which is shorter in later stages.
        let back = steps - (b.time() - b.step_time()) / b.delta();
        let whole = (back + 1e-9).floor().max(b.constant(1.0));
        let (near, far) = (history.past(whole), history.past(whole + 1.0));
        let part = back - whole;
        let between = b.select(part.abs().lt(b.constant(1e-9)), near, near + part * (far - near));
        b.output(0, b.select((b.time() + b.delta() * 1e-9).lt(delay), initial, between));
    },
    examples: &[
        Example {
            doc: "A delay of two steps",
            options: &[("Delay", &["0.2"]), ("Initial Value", &["-1"])],
            delta: 0.1,
            widths: &[],
            inputs: &[&[1.0, 2.0, 3.0, 4.0]],
            outputs: &[&[-1.0, -1.0, 1.0, 2.0]],
        },
        Example {
            doc: "A delay of one and a half steps",
            options: &[("Delay", &["1.5"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.0, 4.0, 6.0, 8.0]],
            outputs: &[&[0.0, 0.0, 3.0, 5.0]],
        },
    ],
};

const MAX_STEPS: f64 = 1e7;

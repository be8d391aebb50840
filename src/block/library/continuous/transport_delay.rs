use crate::block::library::past::{PastSteps, recorded};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Transport Delay",
    doc: "Delays its input by a fixed time",
    formula: "y(t) = u(t − τ), interpolated between steps, with an error of h⁴ where u is smooth; y₀ while t < τ",
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
        let delay = b.constant(b.settings().number("Delay"));
        b.delays_input(delay);
        let steps = b.settings().number("Delay") / b.delta();
        // A multiple of the step is met exactly, whatever the rounding of the quotient.
        let steps = if (steps - steps.round()).abs() < 1e-9 { steps.round() } else { steps };
        if steps > MAX_STEPS {
            b.refuse("Delay", format!("the delay is {steps} steps; the limit is {MAX_STEPS}"));
            return b.output(0, u);
        }
        let width = b.common_width(&[u, initial]);
        if steps == 0.0 {
            return b.output(0, u);
        }
        if b.records() {
            return b.output(0, recorded(b, u, width, b.settings().number("Delay"), initial));
        }
        let kept = steps.ceil() as usize + 4;
        let past = match steps < 1.0 {
            true => PastSteps::up_to_now(b, u, width, kept, initial),
            false => PastSteps::of_steps(b, u, width, kept, initial),
        };
        // The age in steps from the start of the step, which is shorter in later stages.
        let between = past.at(b, steps - (b.time() - b.step_time()) / b.delta());
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

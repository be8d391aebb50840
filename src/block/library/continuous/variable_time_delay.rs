use crate::block::library::past::{PastSteps, recorded_variable};
use crate::block::{BlockDef, Builder, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Variable Time Delay",
    doc: "Delays its input by a time that a second input sets",
    formula: "y(t) = u(t − τ(t)), interpolated between steps, with an error of h⁴ where u is smooth, 0 ≤ τ ≤ longest; y₀ while t < τ \
              (Simulink reference: Variable Time Delay)",
    aliases: &["variable delay", "time delay", "dead time", "variable_delay"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.75), (0.25, 0.75), (0.35, 0.3), (0.5, 0.3)],
        &[(0.45, 0.75), (0.6, 0.75), (0.7, 0.3), (0.9, 0.3)],
        &[(0.35, 0.9), (0.6, 0.9)],
    ])),
    inputs: Ports::Fixed(&["Input", "Delay"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Longest Delay", &[10.0])
            .between(0.0, 1e9)
            .unit("s")
            .fixed()
            .doc("The maximum delay; a longer one is limited to it"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The output y₀ until the first input arrives"),
    ],
    build: |b| delayed(b),
    examples: &[Example {
        doc: "Delays between 0 and 2 steps",
        options: &[("Initial Value", &["-1"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.0, 2.0, 4.0, 6.0, 8.0], &[0.0, 0.5, 1.0, 2.0, 1.5]],
        outputs: &[&[0.0, 1.0, 2.0, 2.0, 5.0]],
    }],
};

const MAX_STEPS: f64 = 1e7;

fn delayed<'b>(b: &'b Builder<'b>) {
    let (u, delay, initial) = (b.input(0), b.scalar_input(1), b.param("Initial Value"));
    let longest = b.settings().number("Longest Delay");
    let most = longest / b.delta();
    if most > MAX_STEPS {
        b.refuse("Longest Delay", format!("the delay is {most} steps; the limit is {MAX_STEPS}"));
        return b.output(0, u);
    }
    let width = b.common_width(&[u, initial]);
    let delay = delay.clamp(0.0, longest);
    b.delays_input(delay);
    if b.records() {
        return b.output(0, recorded_variable(b, (u, width), (delay, longest), initial));
    }
    let past = PastSteps::up_to_now(b, u, width, most.ceil() as usize + 4, initial);
    // The age in steps from the start of the step; negative within the step.
    let y = past.at(b, delay / b.delta() - (b.time() - b.step_time()) / b.delta());
    b.output(0, b.select((b.time() + b.delta() * 1e-9).lt(delay), initial, y));
}

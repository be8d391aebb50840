use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "PT1",
    doc: "Applies a first-order lag with a gain and a time constant",
    formula: "T·dy/dt + y = K·u, y(0) = y₀ \
              (IEC 60050-351: Control technology)",
    aliases: &["first order lag", "low pass", "rc", "time constant", "filter", "transfer fcn"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.85), (0.1, 0.85), (0.2, 0.5), (0.32, 0.32), (0.5, 0.2), (0.9, 0.15)]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Gain", &[1.0]).vector().doc("The gain K"),
        ParamDef::number("Time Constant", &[1.0])
            .vector()
            .positive()
            .unit("s")
            .doc("The time constant T, after which 63 % of a step are reached; at least two steps"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The output y₀ at time 0"),
    ],
    build: |b| {
        let (u, gain, time, initial) =
            (b.input(0), b.param("Gain"), b.param("Time Constant"), b.param("Initial Value"));
        let x = b.continuous(b.common_width(&[u, gain, time, initial]), initial);
        x.derivative((gain * u - x.value) / time);
        b.output(0, x.value);
    },
    examples: &[Example {
        doc: "A step response, with Euler's method",
        options: &[],
        delta: 0.5,
        widths: &[],
        inputs: &[&[1.0, 1.0, 1.0]],
        outputs: &[&[0.0, 0.5, 0.75]],
    }],
};

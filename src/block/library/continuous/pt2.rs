use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "PT2",
    doc: "Applies a second-order lag with a gain, a time constant and a damping ratio",
    formula: "T²·d²y/dt² + 2·D·T·dy/dt + y = K·u, y(0) = dy/dt(0) = 0 \
              (IEC 60050-351: Control technology)",
    aliases: &["second order lag", "oscillator", "spring mass damper", "resonance", "low pass"],
    look: Look::rect(Face::Strokes(&[&[
        (0.1, 0.85),
        (0.2, 0.5),
        (0.3, 0.12),
        (0.42, 0.35),
        (0.54, 0.22),
        (0.66, 0.28),
        (0.9, 0.25),
    ]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Gain", &[1.0]).vector().doc("The gain K"),
        ParamDef::number("Time Constant", &[1.0])
            .vector()
            .positive()
            .unit("s")
            .doc("The time constant T, the inverse of the natural angular frequency"),
        ParamDef::number("Damping", &[0.7]).vector().doc("The damping ratio D; below 1 the step response overshoots"),
    ],
    build: |b| {
        let (u, gain, time, damping) = (b.input(0), b.param("Gain"), b.param("Time Constant"), b.param("Damping"));
        let width = b.common_width(&[u, gain, time, damping]);
        let (y, rate) = (b.continuous(width, b.constant(0.0)), b.continuous(width, b.constant(0.0)));
        y.derivative(rate.value);
        rate.derivative((gain * u - y.value - 2.0 * damping * time * rate.value) / (time * time));
        b.output(0, y.value);
    },
    examples: &[Example {
        doc: "A step response, with Euler's method",
        options: &[("Damping", &["1"])],
        delta: 0.5,
        widths: &[],
        inputs: &[&[1.0, 1.0, 1.0]],
        outputs: &[&[0.0, 0.0, 0.25]],
    }],
};

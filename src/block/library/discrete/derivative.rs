use crate::block::{BlockDef, Clock, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Discrete Derivative",
    doc: "Computes the rate of change of its input from sample to sample",
    formula: "y[n] = K·u[n]/T − K·u[n−1]/T",
    aliases: &["rate of change", "differentiate", "slope", "difference quotient", "dderivative"],
    look: Look::rect(Face::Fraction("K·(z−1)", "T·z")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Gain", &[1.0]).vector().doc("The gain K"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The value of K·u/T before the first sample"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let (scaled, initial) = (b.param("Gain") * b.input(0), b.param("Initial Value"));
        if b.is_intermittent() {
            // The time since the last sample differs from that before it.
            return b.output(0, (scaled - b.before(scaled, initial * b.delta())) / b.elapsed());
        }
        let scaled = scaled / b.clock(Clock::Delta);
        b.output(0, scaled - b.before(scaled, initial));
    },
    examples: &[Example {
        doc: "A gain of 2",
        options: &[("Gain", &["2"])],
        delta: 0.5,
        widths: &[],
        inputs: &[&[0.0, 1.0, 3.0]],
        outputs: &[&[0.0, 4.0, 8.0]],
    }],
};

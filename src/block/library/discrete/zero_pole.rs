use crate::block::library::linear::discrete;
use crate::block::library::roots::{Plane, sections_param};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Discrete Zero-Pole",
    doc: "Applies a discrete transfer function given by its zeros, poles and gain",
    formula: "Y(z) = K·Π(z − zᵢ)/Π(z − pᵢ)·U(z) \
              (Oppenheim, Schafer: Discrete-Time Signal Processing, section 6.3)",
    aliases: &["zpk", "zeros", "poles", "digital filter"],
    look: Look::rect(Face::Fraction("z − z₁", "z − p₁")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::text("Zeros", "")
            .doc("Separated by spaces, such as 0.5 or 0.5+0.2i 0.5-0.2i or 0.5±0.2i; empty: no zeros"),
        ParamDef::text("Poles", "0.5").doc("Written as the zeros, and at least as many"),
        ParamDef::number("Gain", &[1.0]).fixed().doc("The gain K"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let u = b.input(0);
        let sections = sections_param(b, Plane::Discrete).unwrap_or_default();
        b.output(0, sections.into_iter().fold(u, |signal, (n, d)| discrete(b, signal, &n, &d, b.constant(0.0))));
    },
    examples: &[Example {
        doc: "z/(z − 0.5)",
        options: &[("Zeros", &["0"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 0.0, 0.0]],
        outputs: &[&[1.0, 0.5, 0.25]],
    }],
};

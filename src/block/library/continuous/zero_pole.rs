use crate::block::library::roots::{Plane, sections_param};
use crate::block::library::transfer::{INITIAL_OUTPUT, continuous_from};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Zero-Pole",
    doc: "Applies a continuous transfer function given by its zeros, poles and gain",
    formula: "Y(s) = K·Π(s − zᵢ)/Π(s − pᵢ)·U(s) \
              (Kailath: Linear Systems, 1980, chapter 2)",
    aliases: &["zpk", "poles", "zeros", "transfer function", "transferfunctionzpg"],
    look: Look::rect(Face::Fraction("s − z", "s − p")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::text("Zeros", "").doc("Separated by spaces, such as -1 or -1+2i -1-2i or -1±2i; empty: no zeros"),
        ParamDef::text("Poles", "-1").doc("Written as the zeros, and at least as many"),
        ParamDef::number("Gain", &[1.0]).fixed().doc("The gain K"),
        INITIAL_OUTPUT,
    ],
    build: |b| {
        let u = b.scalar_input(0);
        let sections = sections_param(b, Plane::Continuous).unwrap_or_default();
        b.output(0, continuous_from(b, u, &sections));
    },
    examples: &[
        Example {
            doc: "Zero and pole cancel: a gain",
            options: &[("Zeros", &["-2"]), ("Poles", &["-2"]), ("Gain", &["3"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0]],
            outputs: &[&[3.0, 3.0]],
        },
        Example {
            doc: "An integrator that starts at 4",
            options: &[("Poles", &["0"]), ("Gain", &["2"]), ("Initial Output", &["4"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0]],
            outputs: &[&[4.0, 5.0, 6.0]],
        },
        Example {
            doc: "An integrator",
            options: &[("Poles", &["0"]), ("Gain", &["2"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0]],
            outputs: &[&[0.0, 1.0, 2.0]],
        },
    ],
};

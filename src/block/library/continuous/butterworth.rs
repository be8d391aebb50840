use std::f64::consts::TAU;

use crate::block::library::filter_bands::sections;
use crate::block::library::filter_design::{TYPE, UPPER, band, butterworth};
use crate::block::library::transfer::continuous;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Butterworth Filter",
    doc: "Filters its input with a maximally flat low-pass, high-pass, band-pass or band-stop filter",
    formula: "|H(jω)|² = 1/(1 + Ω²ⁿ), Ω = ω/ω₁ (low), ω₁/ω (high), (ω² − ω₁ω₂)/(ω(ω₂ − ω₁)) (band) or its inverse (stop) \
              (Butterworth: On the Theory of Filter Amplifiers, 1930)",
    aliases: &[
        "low pass",
        "high pass",
        "band pass",
        "band stop",
        "notch",
        "analog filter",
        "filter design",
        "maximally flat",
        "butterworthlowpassfilter",
        "butterworthhighpassfilter",
        "butterworthbandpassfilter",
        "butterworth",
    ],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.25), (0.45, 0.25), (0.6, 0.4), (0.75, 0.8), (0.9, 0.9)]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        TYPE,
        ParamDef::integer("Order", 2, 1, 100).doc("The order n; a band filter has this order at each edge"),
        ParamDef::number("Frequency", &[1.0])
            .above_zero(1e12)
            .fixed()
            .unit("Hz")
            .doc("The cutoff frequency, at which half the power passes; of a band the lower edge"),
        UPPER,
    ],
    build: |b| {
        let sections = sections(&butterworth(b.settings().integer("Order") as u32), band(b, |edge| edge * TAU));
        b.output(0, continuous(b, b.scalar_input(0), &sections));
    },
    examples: &[Example {
        doc: "The step response of a first-order low-pass, with Euler's method",
        options: &[("Order", &["1"]), ("Frequency", &["0.15915494309189535"])],
        delta: 0.5,
        widths: &[],
        inputs: &[&[1.0, 1.0, 1.0]],
        outputs: &[&[0.0, 0.5, 0.75]],
    }],
};

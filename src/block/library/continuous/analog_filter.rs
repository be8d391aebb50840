use std::f64::consts::TAU;

use crate::block::library::filter_bands::sections;
use crate::block::library::filter_design::{
    ATTENUATION, DESIGN, FREQUENCY, NORMALIZATION, ORDER, Prototype, RIPPLE, TYPE, UPPER, band,
};
use crate::block::library::transfer::continuous;
use crate::block::{BlockDef, Example, Expr, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Analog Filter Design",
    doc: "Filters its input with a Butterworth, Chebyshev, elliptic or Bessel filter",
    formula: "|H(jω)|² = g²/(1 + ε²·F(Ω)²): F = Ωⁿ (Butterworth), Tₙ(Ω) (Chebyshev I), 1/Tₙ(1/Ω) (Chebyshev II), Rₙ(Ω) (elliptic); \
              Bessel: H(s) = θₙ(0)/θₙ(s/ω₀); a cascade of second-order sections \
              (Parks, Burrus: Digital Filter Design, 1987, chapter 7)",
    aliases: &[
        "analog filter",
        "filter design",
        "chebyshev",
        "chebyshev filter",
        "elliptic",
        "elliptic filter",
        "cauer filter",
        "bessel",
        "bessel filter",
        "thomson filter",
        "butterworth",
        "low pass",
        "high pass",
        "band pass",
        "band stop",
        "cheby1",
        "cheby2",
        "ellip",
    ],
    look: Look::rect(Face::Strokes(&[&[
        (0.1, 0.3),
        (0.2, 0.2),
        (0.32, 0.3),
        (0.44, 0.2),
        (0.54, 0.4),
        (0.62, 0.85),
        (0.72, 0.75),
        (0.82, 0.85),
        (0.9, 0.78),
    ]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[DESIGN, TYPE, ORDER, FREQUENCY, UPPER, RIPPLE, ATTENUATION, NORMALIZATION],
    build: |b| {
        let sections = sections(&Prototype::of(b), band(b, |edge| edge * TAU));
        let elements = b.input(0).elements().into_iter();
        let filtered = elements.map(|u| continuous(b, u, &sections));
        b.output(0, b.join(&filtered.collect::<Vec<Expr>>()));
    },
    examples: &[
        Example {
            doc: "The step response of a first-order low-pass, with Euler's method",
            options: &[("Order", &["1"]), ("Frequency", &["0.15915494309189535"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0]],
            outputs: &[&[0.0, 0.5, 0.75]],
        },
        Example {
            doc: "A first-order Chebyshev high-pass of two signals; with a ripple of 3.01 dB it is a lag subtracted",
            options: &[
                ("Design", &["Chebyshev I"]),
                ("Type", &["high pass"]),
                ("Order", &["1"]),
                ("Frequency", &["0.15915494309189535"]),
                ("Passband Ripple", &["3.010299956639812"]),
            ],
            delta: 0.5,
            widths: &[2],
            inputs: &[&[1.0, -2.0, 1.0, -2.0, 1.0, -2.0]],
            outputs: &[&[1.0, -2.0, 0.5, -1.0, 0.25, -0.5]],
        },
    ],
};

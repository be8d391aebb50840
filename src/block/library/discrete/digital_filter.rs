use std::f64::consts::PI;

use crate::block::library::filter_bands::{bilinear, sections};
use crate::block::library::filter_design::{
    ATTENUATION, DESIGN, FREQUENCY, NORMALIZATION, ORDER, Prototype, RIPPLE, TYPE, UPPER, band, is_band,
};
use crate::block::library::linear::discrete;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, ParamKind, Ports, Unary};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Digital Filter Design",
    doc: "Filters its input with a recursive Butterworth, Chebyshev, elliptic or Bessel filter",
    formula: "H(z) = Hₐ((z − 1)/(z + 1)) of the analog filter Hₐ with its edges at tan(π·f·T), the bilinear transformation; \
              a cascade of second-order sections (Oppenheim, Schafer: Discrete-Time Signal Processing, section 7.1)",
    aliases: &[
        "digital filter",
        "iir filter",
        "filter design",
        "iirfilter",
        "lowpass filter",
        "highpass filter",
        "bandpass filter",
        "bandstop filter",
        "butterworth",
        "chebyshev",
        "elliptic",
        "bessel",
        "bilinear transform",
        "tustin",
    ],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.3), (0.2, 0.2), (0.32, 0.3), (0.44, 0.2), (0.54, 0.4), (0.62, 0.85), (0.9, 0.85)],
        &[(0.2, 0.92), (0.2, 0.98)],
        &[(0.4, 0.92), (0.4, 0.98)],
        &[(0.6, 0.92), (0.6, 0.98)],
        &[(0.8, 0.92), (0.8, 0.98)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        DESIGN,
        TYPE,
        ORDER,
        ParamDef { kind: below_nyquist(&[0.1]), ..FREQUENCY },
        ParamDef { kind: below_nyquist(&[0.2]), ..UPPER },
        RIPPLE,
        ATTENUATION,
        NORMALIZATION,
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let nyquist = 0.5 / b.delta();
        let names = ["Frequency", "Upper Frequency"];
        for name in &names[..1 + usize::from(is_band(b.settings()))] {
            if b.settings().number(name) >= nyquist {
                b.refuse(name, format!("it must be below half the sampling rate, which is {nyquist} Hz"));
                return b.output(0, b.input(0));
            }
        }
        let sections = sections(&Prototype::of(b), band(b, |edge| Unary::Tan.value(PI * edge * b.delta())));
        let filtered = sections.iter().map(bilinear).fold(b.input(0), |signal, (numerator, denominator)| {
            discrete(b, signal, &numerator, &denominator, b.constant(0.0))
        });
        b.output(0, filtered);
    },
    examples: &[Example {
        doc: "A first-order low-pass at a quarter of the sampling rate is the mean of two samples",
        options: &[("Order", &["1"]), ("Frequency", &["0.25"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[2.0, 4.0, 8.0]],
        outputs: &[&[1.0, 3.0, 6.0]],
    }],
};

/// An edge with a default that a step of 1 s can show.
const fn below_nyquist(default: &'static [f64]) -> ParamKind {
    ParamDef::number("", default).above_zero(1e12).fixed().kind
}

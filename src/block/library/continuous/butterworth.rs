use crate::block::library::linear::continuous;
use crate::block::math::{Complex, ComplexMath};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};
use std::f64::consts::{PI, TAU};

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
        ParamDef::choice("Type", &["low pass", "high pass", "band pass", "band stop"]).doc("Which frequencies pass"),
        ParamDef::integer("Order", 2, 1, 100).doc("The order n; a band filter has this order at each edge"),
        ParamDef::number("Frequency", &[1.0])
            .above_zero(1e12)
            .fixed()
            .unit("Hz")
            .doc("The cutoff frequency, at which half the power passes; of a band the lower edge"),
        ParamDef::number("Upper Frequency", &[10.0])
            .above_zero(1e12)
            .fixed()
            .unit("Hz")
            .doc("The upper edge of a band"),
    ],
    build: |b| {
        let u = b.scalar_input(0);
        let (low, high) = (b.settings().number("Frequency") * TAU, b.settings().number("Upper Frequency") * TAU);
        let kind = b.settings().choice("Type");
        if kind.starts_with("band") && low >= high {
            b.refuse("Upper Frequency", "it must be above the lower frequency");
        }
        let sections = sections(kind, b.settings().integer("Order"), low, high);
        b.output(0, sections.into_iter().fold(u, |signal, (n, d)| continuous(b, signal, &n, &d)));
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

/// Returns sections of first and second order, numerator and denominator with the highest power first: the prototype's
/// poles on the unit circle, moved to the band (Oppenheim, Schafer: Discrete-Time Signal Processing, appendix B).
fn sections(kind: &str, order: i64, low: f64, high: f64) -> Vec<(Vec<f64>, Vec<f64>)> {
    let mut sections = Vec::new();
    let (centre, width) = (low * high, high - low);
    // The upper pole of each complex pair, and the real pole of an odd order.
    for number in 0..(order + 1) / 2 {
        let angle = PI * (2 * number + order + 1) as f64 / (2 * order) as f64;
        let is_real = 2 * number + 1 == order;
        let pole = if is_real { Complex::new(-1.0, 0.0) } else { Complex::new(libm::cos(angle), libm::sin(angle)) };
        if !kind.starts_with("band") {
            let (real, pair) = (vec![1.0, low], vec![1.0, -2.0 * pole.re * low, low * low]);
            let denominator = if is_real { real } else { pair };
            let mut numerator = vec![0.0; denominator.len()];
            match kind {
                "low pass" => numerator[denominator.len() - 1] = denominator[denominator.len() - 1],
                _ => numerator[0] = 1.0,
            }
            sections.push((numerator, denominator));
            continue;
        }
        let is_pass = kind == "band pass";
        let numerator = if is_pass { vec![0.0, width, 0.0] } else { vec![1.0, 0.0, centre] };
        if is_real {
            sections.push((numerator, vec![1.0, width, centre]));
            continue;
        }
        // Both roots of s² − b·s + ω₁ω₂, each with its conjugate.
        let half = if is_pass { pole * (width / 2.0) } else { Complex::new(width / 2.0, 0.0) / pole };
        let root = (half * half - Complex::new(centre, 0.0)).principal_root();
        for root in [half + root, half - root] {
            let size = root.re * root.re + root.im * root.im;
            sections.push((numerator.clone(), vec![1.0, -2.0 * root.re, size]));
        }
    }
    sections
}

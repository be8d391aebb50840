use crate::block::library::linear::discrete;
use crate::block::limits::MAX_COEFFICIENTS;
use crate::block::{BlockDef, Builder, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Biquad Cascade",
    doc: "Filters its input with second-order sections, one after the other",
    formula: "H(z) = g·Π (b₀ + b₁/z + b₂/z²)/(a₀ + a₁/z + a₂/z²), each in direct form II transposed \
              (Oppenheim, Schafer: Discrete-Time Signal Processing, section 6.3)",
    aliases: &["biquad", "biquad filter", "sos", "sosfilt", "second-order sections", "second order section", "iir"],
    look: Look::rect(Face::Text("SOS")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Sections", &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
            .vector_of(MAX_COEFFICIENTS)
            .fixed()
            .doc("A row b₀ b₁ b₂ a₀ a₁ a₂ for each section, such as 1 2 1 1 -0.5 0.25; 1 0 -1 1 0 0.5; a₀ is nonzero"),
        ParamDef::number("Gain", &[1.0]).doc("The gain g of the whole cascade"),
        ParamDef::number("Initial State", &[0.0])
            .vector()
            .doc("The initial states, one value for all or two for each section, the one next to the output first"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build,
    examples: &[Example {
        doc: "A sum of two samples, then y[n] = u[n] − 0.5·y[n−1]",
        options: &[("Sections", &["1 1 0 1 0 0; 1 0 0 1 0.5 0"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 0.0, 0.0, 0.0]],
        outputs: &[&[1.0, 0.5, -0.25, 0.125]],
    }],
};

/// The number of coefficients of a section.
const ROW: usize = 6;

fn build(b: &Builder) {
    let u = b.input(0) * b.param("Gain");
    let (all, initial) = (b.settings().numbers("Sections"), b.param("Initial State"));
    let columns = b.settings().rows("Sections").map_or(ROW, |rows| all.len() / rows);
    if !all.len().is_multiple_of(ROW) || columns != ROW {
        b.refuse("Sections", format!("{} numbers in rows of {columns} are not rows of {ROW}", all.len()));
        return b.output(0, u);
    }
    let states = 2 * all.len() / ROW;
    if initial.width() != 1 && initial.width() != states {
        b.refuse("Initial State", format!("{} values are given; 1 or {states} are needed", initial.width()));
        return b.output(0, u);
    }
    let mut signal = u;
    for (number, row) in all.chunks_exact(ROW).enumerate() {
        if row[3] == 0.0 {
            b.refuse("Sections", format!("a₀ of row {} must not be 0", number + 1));
        }
        let [n0, n1, n2, d1, d2] = [row[0], row[1], row[2], row[4], row[5]].map(|value| value / row[3]);
        let own = if initial.width() == 1 { initial } else { initial.slice(2 * number, 2) };
        signal = discrete(b, signal, &[n0, n1, n2], &[1.0, d1, d2], own);
    }
    b.output(0, signal);
}

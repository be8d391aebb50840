use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "D Latch",
    doc: "Follows its input while the enable is on, and holds it while the enable is off",
    formula: "Q = D while C ≠ 0, else the previous Q \
              (Horowitz, Hill: The Art of Electronics, chapter 10)",
    aliases: &["dlatch", "transparent latch", "storage", "flip flop"],
    look: Look::rect(Face::Strokes(&[
        &[(0.2, 0.1), (0.8, 0.1), (0.8, 0.9), (0.2, 0.9), (0.2, 0.1)],
        &[(0.3, 0.35), (0.45, 0.35)],
        &[(0.3, 0.65), (0.45, 0.65)],
    ])),
    inputs: Ports::Fixed(&["D", "C"]),
    outputs: Ports::Fixed(&["Q", "!Q"]),
    params: &[ParamDef::flag("Initial State", false).doc("Q before the enable is first on")],
    build: |b| {
        let (d, c) = (b.input(0), b.input(1));
        let initial = super::d_flip_flop::initial_state(b);
        let q = b.latch(b.common_width(&[d, c]), initial, |before| b.select(c, !!d, before));
        b.output(0, q);
        b.output(1, !q);
    },
    examples: &[Example {
        doc: "Transparent, then holding",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 0.0, 1.0], &[1.0, 1.0, 0.0]],
        outputs: &[&[1.0, 0.0, 0.0], &[0.0, 1.0, 1.0]],
    }],
};

use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "SR Flip-Flop",
    doc: "Sets its output with one input and resets it with the other",
    formula: "Q = 1 for S alone, 0 for R alone, the previous Q for neither; Q = !Q = 0 for both \
              (Horowitz, Hill: The Art of Electronics, chapter 10)",
    aliases: &["srflipflop", "set reset", "s-r flip-flop", "rs latch", "latch", "bistable"],
    look: Look::rect(Face::Strokes(&[
        &[(0.2, 0.1), (0.8, 0.1), (0.8, 0.9), (0.2, 0.9), (0.2, 0.1)],
        &[(0.3, 0.25), (0.4, 0.25)],
        &[(0.3, 0.75), (0.4, 0.75), (0.4, 0.65)],
    ])),
    inputs: Ports::Fixed(&["S", "R"]),
    outputs: Ports::Fixed(&["Q", "!Q"]),
    params: &[ParamDef::flag("Initial State", false).doc("Q before the first set or reset")],
    build: |b| {
        let (s, r) = (!!b.input(0), !!b.input(1));
        let initial = super::d_flip_flop::initial_state(b);
        let q = b.latch(b.common_width(&[s, r]), initial, |before| (!r).and(s.or(before)));
        b.output(0, q);
        b.output(1, (!q).and(!b.at_step(s.and(r))));
    },
    examples: &[Example {
        doc: "Set, hold, reset, both",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 0.0, 0.0, 1.0], &[0.0, 0.0, 1.0, 1.0]],
        outputs: &[&[1.0, 1.0, 0.0, 0.0], &[0.0, 0.0, 1.0, 0.0]],
    }],
};

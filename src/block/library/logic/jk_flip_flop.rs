use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, edge_of};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "JK Flip-Flop",
    doc: "Sets, resets or toggles its output at each active clock edge",
    formula: "at an edge Q⁺ = J·Q̄ + K̄·Q: J sets, K resets, both toggle; else the previous Q \
              (Horowitz, Hill: The Art of Electronics, chapter 10)",
    aliases: &["jkflipflop", "j-k flip-flop", "toggle", "flip flop", "t flip-flop"],
    look: Look::rect(Face::Strokes(&[
        &[(0.2, 0.1), (0.8, 0.1), (0.8, 0.9), (0.2, 0.9), (0.2, 0.1)],
        &[(0.2, 0.4), (0.35, 0.5), (0.2, 0.6)],
    ])),
    inputs: Ports::Fixed(&["J", "Clock", "K"]),
    outputs: Ports::Fixed(&["Q", "!Q"]),
    params: &[
        ParamDef::choice("Edge", &["falling", "rising"]).doc("The active clock edge"),
        ParamDef::flag("Initial State", false).doc("Q before the first clock edge"),
    ],
    build: |b| {
        b.leaves_unlocated();
        let (j, k) = (b.input(0), b.input(2));
        let is_clocked = edge_of(b.settings().choice("Edge"), b.input(1));
        let initial = super::d_flip_flop::initial_state(b);
        let q = b.latch(b.common_width(&[j, k, is_clocked]), initial, |before| {
            b.select(is_clocked, j.and(!before).or((!k).and(before)), before)
        });
        b.output(0, q);
        b.output(1, !q);
    },
    examples: &[Example {
        doc: "Toggles at falling edges",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 1.0, 1.0, 1.0, 1.0], &[1.0, 0.0, 1.0, 0.0, 1.0], &[1.0, 1.0, 1.0, 1.0, 1.0]],
        outputs: &[&[0.0, 1.0, 1.0, 0.0, 0.0], &[1.0, 0.0, 0.0, 1.0, 1.0]],
    }],
};

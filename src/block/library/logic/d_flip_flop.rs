use crate::block::{BlockDef, Builder, Example, Face, Look, ParamDef, Ports, edge_of};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "D Flip-Flop",
    doc: "Stores its input at each rising edge of the clock",
    formula: "Q = D where the clock becomes positive, 0 while !CLR is 0, else the previous Q \
              (Horowitz, Hill: The Art of Electronics, chapter 10)",
    aliases: &["dflipflop", "flip flop", "register", "storage", "latch"],
    look: Look::rect(Face::Strokes(&[
        &[(0.2, 0.1), (0.8, 0.1), (0.8, 0.9), (0.2, 0.9), (0.2, 0.1)],
        &[(0.2, 0.55), (0.35, 0.65), (0.2, 0.75)],
    ])),
    inputs: Ports::Fixed(&["D", "Clock", "!CLR"]),
    outputs: Ports::Fixed(&["Q", "!Q"]),
    params: &[ParamDef::flag("Initial State", false).doc("Q before the first clock edge")],
    build: |b| {
        b.leaves_unlocated();
        let (d, clear) = (b.input(0), b.input(2));
        let (is_clocked, initial) = (edge_of("rising", b.input(1)), initial_state(b));
        let q = b.latch(b.common_width(&[d, is_clocked, clear]), initial, |before| {
            (!!b.select(is_clocked, d, before)).and(clear)
        });
        b.output(0, q);
        b.output(1, !q);
    },
    examples: &[Example {
        doc: "Stored at a rising edge, then cleared",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 1.0, 0.0, 0.0, 0.0], &[0.0, 1.0, 1.0, 0.0, 0.0], &[1.0, 1.0, 1.0, 1.0, 0.0]],
        outputs: &[&[0.0, 1.0, 1.0, 1.0, 0.0], &[1.0, 0.0, 0.0, 0.0, 1.0]],
    }],
};

pub(super) fn initial_state(b: &Builder) -> f64 {
    f64::from(u8::from(b.settings().flag("Initial State")))
}

use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Line",
    doc: "Generates a ramp that starts at a given time",
    formula: "y = initial + slope·max(t − start, 0)",
    aliases: &["ramp", "slope", "linear", "ramp source", "ramp_f"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.8), (0.4, 0.8), (0.9, 0.2)]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Slope", &[1.0]).vector().unit("1/s").doc("The slope"),
        ParamDef::number("Start Time", &[0.0]).vector().unit("s").doc("The start time of the ramp"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The value before the ramp"),
    ],
    build: |b| {
        let start = b.param("Start Time");
        b.kink(b.select(b.time_of_decision().lt(start), start, f64::INFINITY));
        let since = (b.time() - start).max(0.0);
        b.output(0, b.param("Initial Value") + b.param("Slope") * since);
    },
    examples: &[Example {
        doc: "A slope of 2 per second from 0.5 s on",
        options: &[("Slope", &["2"]), ("Start Time", &["0.5"]), ("Initial Value", &["1"])],
        delta: 0.5,
        widths: &[],
        inputs: &[],
        outputs: &[&[1.0, 1.0, 2.0, 3.0]],
    }],
};

use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Signal",
    name: "Signal Specification",
    doc: "Passes its input on where it is as wide as it must be, else the model does not run",
    formula: "y = u",
    aliases: &["check width", "signal type", "assert width", "dimensions"],
    look: Look::rect(Face::Text("u = u")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::integer("Width", 1, 1, 1_000_000).doc("How many lanes the input must have")],
    build: |b| {
        let u = b.input(0);
        let wanted = b.settings().integer("Width");
        if u.width() as i64 != wanted {
            b.refuse("Width", format!("the input has {} lanes, {wanted} are asked for", u.width()));
        }
        b.output(0, u);
    },
    examples: &[Example {
        doc: "Two lanes",
        options: &[("Width", &["2"])],
        delta: 1.0,
        widths: &[2],
        inputs: &[&[1.0, 2.0]],
        outputs: &[&[1.0, 2.0]],
    }],
};

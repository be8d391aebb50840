use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Signal",
    name: "Signal Specification",
    doc: "Checks the width of its input before the run, and passes it unchanged",
    formula: "y = u",
    aliases: &["check width", "signal type", "assert width", "dimensions"],
    look: Look::rect(Face::Text("u = u")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::integer("Width", 1, 1, 1_000_000).doc("The required number of input elements")],
    build: |b| {
        let u = b.input(0);
        let wanted = b.settings().integer("Width");
        if u.width() as i64 != wanted {
            b.refuse("Width", format!("the input has {} elements, {wanted} are required", u.width()));
        }
        b.output(0, u);
    },
    examples: &[Example {
        doc: "Two elements",
        options: &[("Width", &["2"])],
        delta: 1.0,
        widths: &[2],
        inputs: &[&[1.0, 2.0]],
        outputs: &[&[1.0, 2.0]],
    }],
};

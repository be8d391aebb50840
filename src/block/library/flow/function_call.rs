use crate::block::{BlockDef, Clock, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Flow",
    name: "Function Call",
    doc: "Calls a model whose entry has the role “call” a number of times in every n-th step",
    formula: "y = calls in the steps 0, n, 2n, …, else 0",
    aliases: &["function-call generator", "scheduler", "f()", "event"],
    look: Look::rect(Face::Text("f( )")),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Calls"]),
    params: &[
        ParamDef::number("Calls", &[1.0]).between(0.0, 1e9).doc("The number of calls in such a step"),
        ParamDef::integer("Every", 1, 1, 1_000_000_000).doc("The interval n in steps"),
    ],
    build: |b| {
        let every = b.constant(b.settings().integer("Every") as f64);
        let is_due = b.clock(Clock::Step).modulo(every).equals(b.constant(0.0));
        b.output(0, b.select(is_due, b.param("Calls"), b.constant(0.0)));
    },
    examples: &[Example {
        doc: "Two calls in every third step",
        options: &[("Calls", &["2"]), ("Every", &["3"])],
        delta: 0.1,
        widths: &[],
        inputs: &[],
        outputs: &[&[2.0, 0.0, 0.0, 2.0, 0.0]],
    }],
};

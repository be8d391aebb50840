use crate::block::language::RATE;
use crate::block::library::equations::{equations, is_inner};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Waveform",
    doc: "Evaluates mathematical expressions of time",
    formula: "lines y = expression of t; names that begin with _ are internal, all others are outputs",
    aliases: &["waveform generator", "function of time", "expression source", "formula source", "signal generator"],
    look: Look::rect(Face::Text("f(t)")),
    inputs: Ports::NONE,
    outputs: Ports::By(outputs),
    params: &[ParamDef::formula(FORMULA, "y = sin(2*pi*t)", "")
        .doc("Lines y = …, of t (time in seconds), dt (step size in seconds), earlier lines, variables and functions")],
    build: |b| {
        let mut output = 0;
        for (name, value) in equations(b, FORMULA, []) {
            if name.ends_with(RATE) {
                b.refuse(FORMULA, format!("“{name}” is a rate of change; differential equations need the block ODE"));
            }
            if !is_inner(&name) {
                b.output(output, value);
                output += 1;
            }
        }
    },
    examples: &[Example {
        doc: "A limited parabola",
        options: &[(FORMULA, &["_p = t^2; y = min(_p, 3)"])],
        delta: 1.0,
        widths: &[],
        inputs: &[],
        outputs: &[&[0.0, 1.0, 3.0, 3.0]],
    }],
};

const FORMULA: &str = "Formula";

fn outputs(settings: &Settings) -> Vec<String> {
    let lines = settings.formula(FORMULA).formula.lines.iter().map(|(name, _)| name);
    lines.filter(|name| !is_inner(name)).cloned().collect()
}

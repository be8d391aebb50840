use crate::block::language::RATE;
use crate::block::library::equations::{equations, is_inner};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, Settings, names_in};

pub static DEF: BlockDef = BlockDef {
    group: "User",
    name: "Formula",
    doc: "Evaluates mathematical expressions of its inputs",
    formula: "lines name = expression; names that begin with _ are internal, all others are outputs",
    aliases: &["fcn", "function", "expression", "equation", "matlab function", "formula node", "interpreted function"],
    look: Look::rect(Face::Text("f(u)")),
    inputs: Ports::By(inputs),
    outputs: Ports::By(outputs),
    params: &[
        ParamDef::formula("Formula", "y = u", INPUTS)
            .doc("Lines y = …, of inputs, earlier lines, variables, t (time in seconds), dt (step size in seconds) and functions"),
        ParamDef::text(INPUTS, "u").doc("The names of the inputs, separated by spaces"),
    ],
    build: |b| {
        let inputs = b.settings().formula("Formula").inputs.iter().cloned().zip(b.inputs());
        let mut output = 0;
        for (name, value) in equations(b, "Formula", inputs) {
            if name.ends_with(RATE) {
                b.refuse(
                    "Formula",
                    format!("“{name}” is a rate of change; differential equations need the block ODE"),
                );
            }
            if !is_inner(&name) {
                b.output(output, value);
                output += 1;
            }
        }
    },
    examples: &[
        Example {
            doc: "Two inputs and two outputs",
            options: &[("Formula", &["_r = hypot(x, y); r = _r; is_far = _r > 4"]), (INPUTS, &["x y"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[3.0, 0.0], &[4.0, 2.0]],
            outputs: &[&[5.0, 2.0], &[1.0, 0.0]],
        },
        Example {
            doc: "A function of time",
            options: &[("Formula", &["y = 2*t^2 + dt"]), (INPUTS, &[""])],
            delta: 0.5,
            widths: &[],
            inputs: &[],
            outputs: &[&[0.5, 1.0, 2.5]],
        },
    ],
};

const INPUTS: &str = "Inputs";

fn inputs(settings: &Settings) -> Vec<String> {
    names_in(settings.text(INPUTS)).map(str::to_owned).collect()
}

fn outputs(settings: &Settings) -> Vec<String> {
    let lines = settings.formula("Formula").formula.lines.iter();
    lines.map(|(name, _)| name).filter(|name| !is_inner(name)).cloned().collect()
}

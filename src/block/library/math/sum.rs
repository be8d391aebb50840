use crate::block::{Binary, BlockDef, Body, Builder, Example, Expr, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Sum",
    doc: "Adds and subtracts its inputs in order",
    formula: "y = ±u₁ ± u₂ ± …; of a single input the sum of its elements",
    aliases: &["add", "subtract", "plus", "minus", "difference", "summation", "adder", "sum of elements", "bigsom_f"],
    look: Look { body: Body::Circle, face: Face::Text("Σ") },
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::text("Signs", "++").doc("A + or - for each input, from top to bottom")],
    build,
    examples: &[Example {
        doc: "The difference of two signals",
        options: &[("Signs", &["+-"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[3.0, 1.0], &[1.0, 4.0]],
        outputs: &[&[2.0, -3.0]],
    }],
};

fn inputs(settings: &Settings) -> Vec<String> {
    let count = settings.text("Signs").chars().filter(|sign| "+-".contains(*sign)).count();
    (1..=count).map(|number| format!("Input {number}")).collect()
}

fn build<'b>(b: &'b Builder<'b>) {
    let signs = b.settings().text("Signs").trim().to_owned();
    if signs.is_empty() || signs.chars().any(|sign| sign != '+' && sign != '-') {
        b.refuse("Signs", format!("“{signs}” is not a sequence of + and -"));
    }
    let inputs = b.inputs();
    let signed = |(input, sign): (Expr<'b>, char)| if sign == '-' { -input } else { input };
    let mut terms = inputs.into_iter().zip(signs.chars().filter(|sign| "+-".contains(*sign)));
    let sum = match terms.next() {
        None => b.constant(0.0),
        Some(first) if b.input_count() == 1 => signed(first).fold(Binary::Add),
        Some(first) => {
            terms.fold(signed(first), |sum, (input, sign)| if sign == '-' { sum - input } else { sum + input })
        }
    };
    b.output(0, sum);
}

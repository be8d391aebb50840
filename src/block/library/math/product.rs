use crate::block::{Binary, BlockDef, Example, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Product",
    doc: "Multiplies and divides its inputs in order",
    formula: "y = u₁ op u₂ op …, each op being · or /; of a single input the product of its elements",
    aliases: &["divide", "multiply", "quotient", "division", "prod_f", "product of elements", "matrix product"],
    look: Look::rect(Face::Param("Operations")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::text("Operations", "*/").doc("A * or / for each input, from top to bottom")],
    build: |b| {
        let operations = b.settings().text("Operations").trim().to_owned();
        if operations.is_empty() || operations.chars().any(|operation| operation != '*' && operation != '/') {
            b.refuse("Operations", format!("“{operations}” is not a sequence of * and /"));
        }
        let mut factors = b.inputs().into_iter().zip(operations.chars().filter(|operation| "*/".contains(*operation)));
        let first = |(input, operation)| if operation == '/' { 1.0 / input } else { input };
        let product = match factors.next() {
            None => b.constant(1.0),
            Some(single) if b.input_count() == 1 => first(single).fold(Binary::Mul),
            Some(head) => factors.fold(first(head), |all, (input, operation)| match operation {
                '/' => all / input,
                _ => all * input,
            }),
        };
        b.output(0, product);
    },
    examples: &[Example {
        doc: "The quotient of two signals",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[6.0, 1.0], &[3.0, -4.0]],
        outputs: &[&[2.0, -0.25]],
    }],
};

fn inputs(settings: &Settings) -> Vec<String> {
    let count = settings.text("Operations").chars().filter(|operation| "*/".contains(*operation)).count();
    (1..=count).map(|number| format!("Input {number}")).collect()
}

use crate::block::{Binary, BlockDef, Example, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Gate",
    doc: "Combines logical signals with a Boolean operator",
    formula: "y = u₁ op u₂ op …, negated for NAND, NOR, NXOR and NOT; a single input is combined over its elements",
    aliases: &["logical operator", "and", "or", "not", "xor", "nand", "nor", "boolean", "logical_op", "logic"],
    look: Look::rect(Face::Param("Operator")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Operator", &["AND", "OR", "NAND", "NOR", "XOR", "NXOR", "NOT"]).doc("The Boolean operator"),
        ParamDef::integer("Inputs", 2, 1, 1000).doc("The number of inputs; NOT has one"),
    ],
    build: |b| {
        let operator = b.settings().choice("Operator");
        if operator == "NOT" {
            return b.output(0, !b.input(0));
        }
        let op = match operator {
            "OR" | "NOR" => Binary::Or,
            "XOR" | "NXOR" => Binary::Xor,
            _ => Binary::And,
        };
        let combined = match b.input_count() {
            // The double negation converts any true element to 1.
            1 => (!!b.input(0)).fold(op),
            _ => {
                let inputs = b.inputs();
                let rest = inputs.get(1..).unwrap_or_default().iter();
                rest.fold(inputs[0], |all, input| all.binary(op, *input))
            }
        };
        b.output(0, if operator.starts_with('N') { !combined } else { combined });
    },
    examples: &[Example {
        doc: "AND of two inputs",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.0, 1.0, 2.0], &[1.0, 0.0, -1.0]],
        outputs: &[&[0.0, 0.0, 1.0]],
    }],
};

fn inputs(settings: &Settings) -> Vec<String> {
    let count = if settings.choice("Operator") == "NOT" { 1 } else { settings.integer("Inputs") };
    (1..=count).map(|number| format!("Input {number}")).collect()
}

use crate::block::{BlockDef, Builder, Example, Expr, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Bitwise Operator",
    doc: "Combines integers bit by bit",
    formula: "y = u₁ op u₂ bit by bit, from 0 to 2^bits − 1, negated for NAND, NOR and NOT; u counts as ⌊u⌋ mod 2^bits",
    aliases: &["bit and", "bit or", "bit xor", "mask", "bit set", "bit clear", "bitand", "bitor"],
    look: Look::rect(Face::Param("Operator")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Operator", &["AND", "OR", "XOR", "NAND", "NOR", "NOT"]).doc("The operator for each bit"),
        ParamDef::choice("With", &["input", "mask"])
            .doc("Whether the second operand is an input or the mask; NOT has none"),
        ParamDef::number("Mask", &[1.0])
            .between(0.0, 9007199254740991.0)
            .doc("The second operand, where it is not an input"),
        ParamDef::integer("Bits", 16, 1, 53).doc("The number of bits"),
    ],
    build,
    examples: &[
        Example {
            doc: "AND of two inputs",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[12.0, 255.0], &[10.0, 3.0]],
            outputs: &[&[8.0, 3.0]],
        },
        Example {
            doc: "A bit set by a mask",
            options: &[("Operator", &["OR"]), ("With", &["mask"]), ("Mask", &["4"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[3.0, 4.0]],
            outputs: &[&[7.0, 4.0]],
        },
        Example {
            doc: "NOT with eight bits",
            options: &[("Operator", &["NOT"]), ("Bits", &["8"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 200.0]],
            outputs: &[&[255.0, 55.0]],
        },
    ],
};

fn inputs(settings: &Settings) -> Vec<String> {
    let is_single = settings.choice("Operator") == "NOT" || settings.choice("With") == "mask";
    let names: &[&str] = if is_single { &["Input"] } else { &["Input 1", "Input 2"] };
    names.iter().map(|&name| name.to_owned()).collect()
}

fn build<'b>(b: &'b Builder<'b>) {
    b.leaves_unlocated();
    let count = b.settings().integer("Bits") as i32;
    let weights = b.vector(&(0..count).map(|bit| 2f64.powi(bit)).collect::<Vec<_>>());
    let bits = |number: Expr<'b>| (number / weights).floor().modulo(2.0);
    let operator = b.settings().choice("Operator");
    let first = b.input(0);
    let other = match (operator, b.settings().choice("With")) {
        ("NOT", _) => None,
        (_, "mask") => Some(b.param("Mask")),
        _ => Some(b.input(1)),
    };
    let width = other.map_or(first.width(), |other| b.common_width(&[first, other]));
    let elements: Vec<Expr> = (0..width)
        .map(|element| {
            // If two widths do not match, the tape is rejected already.
            let of = |vector: Expr<'b>| bits(vector.element(element.min(vector.width() - 1)));
            let left = of(first);
            let combined = match (operator, other.map(of)) {
                ("AND" | "NAND", Some(right)) => left * right,
                ("OR" | "NOR", Some(right)) => left.max(right),
                (_, Some(right)) => left.differs(right),
                (_, None) => left,
            };
            let combined = if operator.starts_with('N') { 1.0 - combined } else { combined };
            combined.dot(weights)
        })
        .collect();
    b.output(0, b.join(&elements));
}

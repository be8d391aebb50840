use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Integer To Bits",
    doc: "Converts an integer to a vector of bits",
    formula: "bᵢ = ⌊u/2ⁱ⌋ mod 2",
    aliases: &["integer to bit converter", "dec2bin", "unpack", "extract bits", "binary"],
    look: Look::rect(Face::Text("5→101")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::integer("Bits", 3, 1, 53).doc("The number of bits"),
        ParamDef::choice("Order", &["highest first", "lowest first"]).doc("The order of the elements"),
    ],
    build: |b| {
        b.leaves_unlocated();
        let weights = super::bits_to_integer::weights(b, b.settings().integer("Bits") as usize);
        b.output(0, (b.scalar_input(0) / weights).floor().modulo(2.0));
    },
    examples: &[Example {
        doc: "Five, the highest bit first",
        options: &[],
        delta: 1.0,
        widths: &[1],
        inputs: &[&[5.0]],
        outputs: &[&[1.0, 0.0, 1.0]],
    }],
};

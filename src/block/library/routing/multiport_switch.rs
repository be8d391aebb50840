use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Multiport Switch",
    doc: "Passes one of its inputs, selected by an index",
    formula: "y = uᵢ, i the index truncated to an integer; the last input for any other index",
    aliases: &[
        "case",
        "select",
        "multi-way switch",
        "switch by index",
        "m_switch",
        "choose",
        "multiplexer",
        "select_m",
    ],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.2), (0.3, 0.2), (0.75, 0.5), (0.9, 0.5)],
        &[(0.1, 0.5), (0.3, 0.5)],
        &[(0.1, 0.8), (0.3, 0.8)],
    ])),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::integer("Inputs", 3, 1, 1000).doc("The number of inputs to choose from"),
        super::super::index::FIRST,
    ],
    build: |b| {
        let index = super::super::index::from_zero(b, b.input(0));
        let inputs = b.inputs();
        let (last, others) = (inputs[inputs.len() - 1], &inputs[1..inputs.len() - 1]);
        let width = b.common_width(&inputs);
        let chosen = others
            .iter()
            .enumerate()
            .rev()
            .fold(last, |rest, (number, input)| b.select(index.equals(number as f64), *input, rest));
        // The selection expands a scalar to the width of the widest input.
        b.output(0, if chosen.width() == width { chosen } else { b.select(index, chosen, chosen) });
    },
    examples: &[Example {
        doc: "The first, the third, and the last for an index without an input",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 3.0, 9.0], &[10.0, 11.0, 12.0], &[20.0, 21.0, 22.0], &[30.0, 31.0, 32.0]],
        outputs: &[&[10.0, 31.0, 32.0]],
    }],
};

fn inputs(settings: &Settings) -> Vec<String> {
    let count = settings.integer("Inputs");
    std::iter::once("Index".to_owned()).chain((1..=count).map(|number| format!("Input {number}"))).collect()
}

use crate::block::{BlockDef, Face, FileWay, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Sink",
    name: "To File",
    doc: "Writes its inputs to a CSV file, a row a step",
    formula: "rows step, time, inputs; of a vector name[0], name[1], …; an empty cell where there was no value yet",
    aliases: &["csv", "export", "record", "logger", "to workspace", "write to measurement file", "writec_f", "tofile"],
    look: Look::rect(Face::Strokes(&[
        &[(0.38, 0.08), (0.74, 0.08), (0.9, 0.24), (0.9, 0.92), (0.38, 0.92), (0.38, 0.08)],
        &[(0.06, 0.5), (0.66, 0.5)],
        &[(0.52, 0.36), (0.66, 0.5), (0.52, 0.64)],
    ])),
    inputs: Ports::Counted { stem: "Input", param: "Inputs" },
    outputs: Ports::NONE,
    params: &[
        ParamDef::file("File", "out.csv", FileWay::Writes).doc("The file: .csv, relative to the simulation's"),
        ParamDef::integer("Inputs", 1, 1, 100).doc("How many inputs there are"),
        ParamDef::DECIMATION,
    ],
    build: |_| {},
    examples: &[],
};

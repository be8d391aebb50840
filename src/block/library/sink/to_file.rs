use crate::block::{BlockDef, Face, FileAccess, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Sink",
    name: "To File",
    doc: "Writes its inputs to a CSV file, one row per step",
    formula: "columns step, time, inputs; for a vector name[0], name[1], …; a cell is empty before the first value",
    aliases: &["csv", "export", "record", "logger", "to workspace", "write to measurement file", "writec_f", "tofile"],
    look: Look::rect(Face::Strokes(&[
        &[(0.38, 0.08), (0.74, 0.08), (0.9, 0.24), (0.9, 0.92), (0.38, 0.92), (0.38, 0.08)],
        &[(0.06, 0.5), (0.66, 0.5)],
        &[(0.52, 0.36), (0.66, 0.5), (0.52, 0.64)],
    ])),
    inputs: Ports::Counted { stem: "Input", param: "Inputs" },
    outputs: Ports::NONE,
    params: &[
        ParamDef::file("File", "out.csv", FileAccess::Write)
            .doc("The .csv file, relative to the folder of the simulation"),
        ParamDef::integer("Inputs", 1, 1, 100).doc("The number of inputs"),
        ParamDef::DECIMATION,
    ],
    build: |_| {},
    examples: &[],
};

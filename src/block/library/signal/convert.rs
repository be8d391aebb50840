use crate::block::library::steps;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Signal",
    name: "Convert",
    doc: "Converts its input to the values of a boolean or integer type",
    formula: "y = round(u), clamped or wrapped to the range of the type; boolean: 1 where u ≠ 0, else 0",
    aliases: &[
        "data type conversion",
        "cast",
        "to integer",
        "to boolean",
        "int8",
        "int16",
        "int32",
        "uint8",
        "uint16",
        "uint32",
    ],
    look: Look::rect(Face::Text("convert")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Type", &["boolean", "int8", "uint8", "int16", "uint16", "int32", "uint32"]).doc("The type"),
        ParamDef::choice("Rounding", &["round", "floor", "ceil", "fix"])
            .doc("To the nearest (half away from zero), down, up, towards zero"),
        ParamDef::choice("Overflow", &["saturate", "wrap"])
            .doc("Outside the range: the end of the range, or wrapped around"),
    ],
    build: |b| {
        let u = b.input(0);
        let (low, high) = match b.settings().choice("Type") {
            "int8" => (-128.0, 127.0),
            "uint8" => (0.0, 255.0),
            "int16" => (-32768.0, 32767.0),
            "uint16" => (0.0, 65535.0),
            "int32" => (-2147483648.0, 2147483647.0),
            "uint32" => (0.0, 4294967295.0),
            _ => return b.output(0, !!u),
        };
        let whole = match b.settings().choice("Rounding") {
            how @ ("floor" | "ceil" | "fix") => steps::rounded(b, u, how),
            _ => steps::rounded(b, u, "round"),
        };
        let y = match b.settings().choice("Overflow") {
            "wrap" => (whole - low).modulo(high - low + 1.0) + low,
            _ => whole.clamp(low, high),
        };
        b.output(0, y);
    },
    examples: &[
        Example {
            doc: "To boolean",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, -2.0]],
            outputs: &[&[0.0, 1.0]],
        },
        Example {
            doc: "To int8 with saturation",
            options: &[("Type", &["int8"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.5, 300.0, -129.0]],
            outputs: &[&[2.0, 127.0, -128.0]],
        },
        Example {
            doc: "To uint8 with wrap-around",
            options: &[("Type", &["uint8"]), ("Overflow", &["wrap"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[256.0, -1.0]],
            outputs: &[&[0.0, 255.0]],
        },
    ],
};

use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Ramp",
    doc: "Rises from the low value to the high one, falls back, and so on: a triangle",
    formula: "τ = (t + (start − low)/rise) mod T, T = (high − low)/rise + (high − low)/fall; \
              y = low + rise·τ while rising, then high − fall·(τ − (high − low)/rise)",
    aliases: &["triangle", "sawtooth", "repeating sequence"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.8), (0.4, 0.2), (0.7, 0.8), (0.9, 0.4)]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Positive Slope", &[1.0]).unit("1/s").doc("How fast it rises; the sign does not matter"),
        ParamDef::number("Negative Slope", &[1.0]).unit("1/s").doc("How fast it falls; the sign does not matter"),
        ParamDef::number("Low Value", &[0.0]).doc("Where it turns upwards"),
        ParamDef::number("High Value", &[1.0]).doc("Where it turns downwards"),
        ParamDef::number("Starting Value", &[0.0]).doc("The value in the first step, from where it rises"),
    ],
    build: |b| {
        let (rise, fall) = (b.param("Positive Slope").abs(), b.param("Negative Slope").abs());
        let (low, high) = (b.param("Low Value"), b.param("High Value"));
        let (up, down) = ((high - low) / rise, (high - low) / fall);
        let time = (b.step_time() + (b.param("Starting Value") - low) / rise).modulo(up + down);
        let falling = high - fall * (time - up);
        b.output(0, b.select(time.lt(up), low + rise * time, falling));
    },
    examples: &[Example {
        doc: "Up by 1 and down by 0.5 a second between 0 and 2",
        options: &[("High Value", &["2"]), ("Negative Slope", &["0.5"])],
        delta: 1.0,
        widths: &[],
        inputs: &[],
        outputs: &[&[0.0, 1.0, 2.0, 1.5, 1.0, 0.5, 0.0, 1.0]],
    }],
};

use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Ramp",
    doc: "Generates a triangle wave between a low and a high value",
    formula: "τ = (t + (start − low)/rise) mod T, T = (high − low)/rise + (high − low)/fall; \
              y = low + rise·τ while rising, then high − fall·(τ − (high − low)/rise)",
    aliases: &["triangle", "sawtooth", "repeating sequence"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.8), (0.4, 0.2), (0.7, 0.8), (0.9, 0.4)]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Positive Slope", &[1.0]).unit("1/s").doc("The rising slope; its sign is ignored"),
        ParamDef::number("Negative Slope", &[1.0]).unit("1/s").doc("The falling slope; its sign is ignored"),
        ParamDef::number("Low Value", &[0.0]).doc("The minimum of the wave"),
        ParamDef::number("High Value", &[1.0]).doc("The maximum of the wave"),
        ParamDef::number("Starting Value", &[0.0]).doc("The value in the first step, where the wave rises"),
    ],
    build: |b| {
        let (rise, fall) = (b.param("Positive Slope").abs(), b.param("Negative Slope").abs());
        let (low, high) = (b.param("Low Value"), b.param("High Value"));
        let (up, down) = ((high - low) / rise, (high - low) / fall);
        let (ahead, period) = ((b.param("Starting Value") - low) / rise, up + down);
        let decided = b.time_of_decision() + ahead;
        let begin = (decided / period).floor() * period;
        b.kink(begin + b.select((decided - begin).lt(up), up, period) - ahead);
        let time = (b.time() + ahead).modulo(period);
        let falling = high - fall * (time - up);
        b.output(0, b.select(time.lt(up), low + rise * time, falling));
    },
    examples: &[Example {
        doc: "Slopes of 1 and -0.5 per second between 0 and 2",
        options: &[("High Value", &["2"]), ("Negative Slope", &["0.5"])],
        delta: 1.0,
        widths: &[],
        inputs: &[],
        outputs: &[&[0.0, 1.0, 2.0, 1.5, 1.0, 0.5, 0.0, 1.0]],
    }],
};

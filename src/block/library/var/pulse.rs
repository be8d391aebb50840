use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Pulse",
    doc: "Generates rectangular pulses at regular intervals",
    formula: "y = A while t ≥ delay and frac((t − delay)/T) < width/100, else 0",
    aliases: &["pulse generator", "square wave", "rectangle", "pwm", "pulse_sc", "pulsesource", "gensqr_f"],
    look: Look::rect(Face::Strokes(&[&[
        (0.08, 0.8),
        (0.2, 0.8),
        (0.2, 0.2),
        (0.42, 0.2),
        (0.42, 0.8),
        (0.62, 0.8),
        (0.62, 0.2),
        (0.84, 0.2),
        (0.84, 0.8),
        (0.92, 0.8),
    ]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Amplitude", &[1.0]).vector().doc("The amplitude A"),
        ParamDef::number("Period", &[1.0]).positive().unit("s").doc("The period T"),
        ParamDef::number("Width", &[50.0])
            .between(0.0, 100.0)
            .unit("%")
            .doc("The width of a pulse in percent of the period"),
        ParamDef::number("Delay", &[0.0]).unit("s").doc("The start time of the first pulse"),
    ],
    build: |b| {
        let since = b.step_time() - b.param("Delay");
        // The tolerance keeps an edge that lies on a step there, whatever the rounding of the quotient.
        let turns = since / b.param("Period") + 1e-9;
        let is_on = since.ge(b.constant(0.0)).and((turns - turns.floor()).lt(b.param("Width") / 100.0));
        b.output(0, b.select(b.settled(is_on), b.param("Amplitude"), b.constant(0.0)));
    },
    examples: &[Example {
        doc: "A period of 0.4 s, a width of 25 %",
        options: &[("Period", &["0.4"]), ("Width", &["25"]), ("Delay", &["0.1"])],
        delta: 0.1,
        widths: &[],
        inputs: &[],
        outputs: &[&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]],
    }],
};

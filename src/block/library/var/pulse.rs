use crate::block::library::pieces::periods;
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
        let (period, width, delay) = (b.param("Period"), b.param("Width") / 100.0, b.param("Delay"));
        let count = periods(b, delay, period);
        let cycle = count.floor();
        let has_begun = b.decided_since(delay).ge(b.constant(0.0));
        let is_within = (count - cycle).lt(width);
        let next = delay + (cycle + b.select(is_within, width, 1.0)) * period;
        b.edge(b.select(has_begun, next, delay));
        b.output(0, b.select(b.settled(has_begun.and(is_within)), b.param("Amplitude"), b.constant(0.0)));
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

use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "PWM",
    doc: "Generates pulses of fixed period from a duty cycle between 0 and 1",
    formula: "y = 1 while t ≥ delay and frac((t − delay)/T) < d, else 0; d is the input at the start of the period",
    aliases: &["pulse width modulation", "duty cycle", "chopper", "modulator"],
    look: Look::rect(Face::Strokes(&[&[
        (0.08, 0.8),
        (0.08, 0.2),
        (0.2, 0.2),
        (0.2, 0.8),
        (0.4, 0.8),
        (0.4, 0.2),
        (0.65, 0.2),
        (0.65, 0.8),
        (0.72, 0.8),
        (0.72, 0.2),
        (0.92, 0.2),
    ]])),
    inputs: Ports::Fixed(&["Duty"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Period", &[1.0]).positive().unit("s").doc("The period T; edges lie on steps"),
        ParamDef::number("Delay", &[0.0]).unit("s").doc("The start time of the first pulse"),
    ],
    build: |b| {
        let u = b.input(0);
        let since = b.step_time() - b.param("Delay");
        // The tolerance keeps an edge that lies on a step there, whatever the rounding of the quotient.
        let turns = since / b.param("Period") + 1e-9;
        let begin = turns.floor();
        let is_new = begin.differs(b.before(begin, f64::NAN));
        let duty = b.latch(u.width(), 0.0, |before| b.select(is_new, u, before));
        b.output(0, since.ge(-1e-9).and((turns - begin).lt(duty)));
    },
    examples: &[Example {
        doc: "Duty cycle 0.25, then 0.5",
        options: &[],
        delta: 0.25,
        widths: &[],
        inputs: &[&[0.25, 1.0, 1.0, 1.0, 0.5, 0.0, 0.0, 0.0]],
        outputs: &[&[1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]],
    }],
};

use crate::block::library::pieces::periods;
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
        ParamDef::number("Period", &[1.0])
            .positive()
            .unit("s")
            .doc("The period T; with a solver of fixed step, edges lie on steps"),
        ParamDef::number("Delay", &[0.0]).unit("s").doc("The start time of the first pulse"),
    ],
    build: |b| {
        let (u, period, delay) = (b.input(0), b.param("Period"), b.param("Delay"));
        let count = periods(b, delay, period);
        let begin = count.floor();
        let (is_on, has_begun) = match b.locates() {
            true => {
                let has_begun = count.ge(0.0);
                let known = b.mode(1, b.constant(f64::NAN));
                let (now, is_deciding) = (b.select(b.deciding(), begin, known.value), b.deciding());
                known.next(now);
                let duty = b.mode(u.width(), b.constant(0.0));
                let sampled = b.select(is_deciding.and(begin.differs(known.value)), u, duty.value);
                duty.next(sampled);
                let is_on = (count - begin).lt(sampled);
                let next = delay + (begin + b.select(is_on, sampled, 1.0)) * period;
                b.edge(b.select(has_begun, next, delay));
                (b.settled(is_on), b.settled(has_begun))
            }
            false => {
                let is_new = begin.differs(b.before(begin, f64::NAN));
                let duty = b.latch(u.width(), 0.0, |before| b.select(is_new, u, before));
                ((count - begin).lt(duty), (b.step_time() - delay).ge(-1e-9))
            }
        };
        b.output(0, has_begun.and(is_on));
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

use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};
use std::f64::consts::TAU;

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Chirp",
    doc: "Generates a sine whose frequency changes linearly with time",
    formula: "y = A·sin(2π·(f₀·t + (f₁ − f₀)·t²/(2T))) \
              (SciPy reference: scipy.signal.chirp, linear)",
    aliases: &["chirp signal", "sweep", "frequency sweep", "swept sine", "chirp source", "chirpsource"],
    look: Look::rect(Face::Strokes(&[&[
        (0.05, 0.5),
        (0.13, 0.25),
        (0.21, 0.5),
        (0.29, 0.75),
        (0.37, 0.5),
        (0.42, 0.25),
        (0.47, 0.5),
        (0.52, 0.75),
        (0.57, 0.5),
        (0.6, 0.25),
        (0.64, 0.5),
        (0.68, 0.75),
        (0.72, 0.5),
        (0.75, 0.25),
        (0.78, 0.5),
        (0.81, 0.75),
        (0.84, 0.5),
        (0.86, 0.25),
        (0.88, 0.5),
        (0.9, 0.75),
        (0.92, 0.5),
    ]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Initial Frequency", &[0.1]).vector().unit("Hz").doc("The frequency f₀ at time 0"),
        ParamDef::number("Target Time", &[100.0])
            .positive()
            .unit("s")
            .doc("The time T at which the target frequency is reached; the sweep continues beyond it"),
        ParamDef::number("Target Frequency", &[1.0]).vector().unit("Hz").doc("The frequency f₁ at the target time"),
        ParamDef::number("Amplitude", &[1.0]).vector().doc("The amplitude A"),
    ],
    build: |b| {
        let (t, from, to) = (b.time(), b.param("Initial Frequency"), b.param("Target Frequency"));
        // An eighth of a turn, also where the frequency passes through 0.
        let growth = (to - from) / b.param("Target Time");
        b.limit_step(b.constant(0.125) / ((from + growth * t).abs() + growth.abs().sqrt() * 0.25));
        let turns = from * t + (to - from) * t * t / (b.param("Target Time") * 2.0);
        b.output(0, b.param("Amplitude") * ((turns - turns.floor()) * TAU).sin());
    },
    examples: &[Example {
        doc: "From 0 to 1 Hz in 2 s, amplitude 2: phases of 0, 0.0625, 0.25, 0.5625 turns",
        options: &[("Initial Frequency", &["0"]), ("Target Time", &["2"]), ("Amplitude", &["2"])],
        delta: 0.5,
        widths: &[],
        inputs: &[],
        outputs: &[&[0.0, 0.7653668647301796, 2.0, -0.7653668647301796]],
    }],
};

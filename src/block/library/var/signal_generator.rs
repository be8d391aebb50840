use crate::block::library::pieces::{end, piece, turns};
use crate::block::{BlockDef, Clock, Example, Face, Look, ParamDef, Ports};
use std::f64::consts::TAU;

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Signal Generator",
    doc: "Generates a sine, square, sawtooth, triangle or random signal",
    formula: "φ = frac(f·t): sine A·sin(2πφ); square −A while φ < ½, then A; sawtooth A·(2φ − 1); triangle A·(1 − |4φ − 2|)",
    aliases: &[
        "function generator",
        "square wave",
        "sawtooth",
        "triangle wave",
        "oscillator",
        "square source",
        "waveform",
        "squarewavesource",
        "trianglewavesource",
        "sawtooth_f",
        "triangle source",
        "square wave source",
    ],
    look: Look::rect(Face::Strokes(&[
        &[(0.08, 0.5), (0.15, 0.25), (0.22, 0.5), (0.29, 0.75), (0.36, 0.5)],
        &[(0.42, 0.7), (0.42, 0.3), (0.52, 0.3), (0.52, 0.7), (0.62, 0.7)],
        &[(0.66, 0.7), (0.78, 0.3), (0.78, 0.7), (0.9, 0.3)],
    ])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Wave", &["sine", "square", "sawtooth", "triangle", "random"])
            .doc("The waveform; random: uniform between −A and A, a new number in each step"),
        ParamDef::number("Amplitude", &[1.0]).vector().doc("The amplitude A"),
        ParamDef::number("Frequency", &[1.0]).vector().doc("The frequency f in the unit below"),
        ParamDef::choice("Unit", &["Hz", "rad/s"]).doc("The unit of the frequency"),
        ParamDef::SEED,
    ],
    build: |b| {
        let (amplitude, frequency) = (b.param("Amplitude"), b.param("Frequency"));
        let per_turn = if b.settings().choice("Unit") == "Hz" { 1.0 } else { TAU };
        let now = frequency * b.time() / per_turn;
        let decided = turns(b, frequency, per_turn);
        let turn = b.constant(per_turn) / frequency;
        let is_falling = frequency.lt(0.0);
        let wave = match b.settings().choice("Wave") {
            "square" => {
                let half = piece(b, decided * 2.0, is_falling);
                b.edge(end(b, half, is_falling) * 0.5 * turn);
                b.settled(b.select(half.modulo(2.0).ge(1.0), 1.0, -1.0))
            }
            "sawtooth" => {
                let whole = piece(b, decided, is_falling);
                b.edge(end(b, whole, is_falling) * turn);
                (now - b.settled(whole)) * 2.0 - 1.0
            }
            "triangle" => {
                b.kink(end(b, piece(b, decided * 2.0, is_falling), is_falling) * 0.5 * turn);
                // At a kink the signal is already on the side behind it, and so is its rate of change.
                let half_turns = (now * 2.0 + 1e-9).floor();
                let since_kink = now * 2.0 - half_turns;
                let is_rising = (half_turns * 0.5).floor().equals(half_turns * 0.5);
                b.select(is_rising, since_kink * 2.0 - 1.0, 1.0 - since_kink * 2.0)
            }
            "random" => {
                let width = b.common_width(&[amplitude, frequency]);
                b.random(b.clock(Clock::Step), width) * 2.0 - 1.0
            }
            _ => {
                b.limit_step(turn.abs() / 8.0);
                match per_turn == 1.0 {
                    // Whole turns are taken off before π comes in, which would be rounded a million times in a million
                    // turns.
                    true => ((now - now.floor()) * TAU).sin(),
                    false => (frequency * b.time()).sin(),
                }
            }
        };
        b.output(0, amplitude * wave);
    },
    examples: &[
        Example {
            doc: "A square of 1 Hz",
            options: &[("Wave", &["square"]), ("Amplitude", &["2"])],
            delta: 0.25,
            widths: &[],
            inputs: &[],
            outputs: &[&[-2.0, -2.0, 2.0, 2.0, -2.0]],
        },
        Example {
            doc: "A square of π rad/s, which is 0.5 Hz",
            options: &[("Wave", &["square"]), ("Frequency", &["3.141592653589793"]), ("Unit", &["rad/s"])],
            delta: 0.5,
            widths: &[],
            inputs: &[],
            outputs: &[&[-1.0, -1.0, 1.0, 1.0, -1.0]],
        },
        Example {
            doc: "A sine of 1 Hz",
            options: &[],
            delta: 0.25,
            widths: &[],
            inputs: &[],
            outputs: &[&[0.0, 1.0, 1.2246467991473532e-16, -1.0]],
        },
    ],
};

use crate::block::library::past::{PastPoint, PastPoints, interpolated, recorded_flow};
use crate::block::{BlockDef, Builder, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Variable Transport Delay",
    doc: "Delays its input as a flow through a pipe whose transit time a second input sets",
    formula: "y(t) = u(t − τ) with ∫ from t − τ to t of dt/tᵢ = 1, tᵢ the transit time; interpolated with an error of h⁴ where u is smooth; y₀ until the first input arrives \
              (Simulink reference: Variable Transport Delay)",
    aliases: &["pipe", "transport lag", "conveyor", "variable delay", "plug flow"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.35), (0.9, 0.35)],
        &[(0.1, 0.65), (0.9, 0.65)],
        &[(0.3, 0.5), (0.7, 0.5), (0.6, 0.42)],
        &[(0.7, 0.5), (0.6, 0.58)],
    ])),
    inputs: Ports::Fixed(&["Input", "Transit Time"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::integer("Steps", 1000, 2, 100_000)
            .doc("The number of past steps kept; a longer delay is limited to the oldest of them"),
        ParamDef::number("Initial Value", &[0.0]).doc("The output y₀ until the first input arrives"),
    ],
    build: |b| delayed(b),
    examples: &[
        Example {
            doc: "A constant transit time of two steps",
            options: &[("Initial Value", &["-1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 2.0, 3.0, 4.0], &[2.0, 2.0, 2.0, 2.0]],
            outputs: &[&[-1.0, -1.0, 1.0, 2.0]],
        },
        Example {
            doc: "A transit time of one and a half steps",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.0, 4.0, 6.0, 8.0], &[1.5, 1.5, 1.5, 1.5]],
            outputs: &[&[0.0, 0.0, 3.0, 5.0]],
        },
    ],
};

/// A transit time below this fraction of the step counts as that.
const SHORTEST: f64 = 1e-3;

fn delayed<'b>(b: &'b Builder<'b>) {
    let (u, transit, initial) = (b.scalar_input(0), b.scalar_input(1), b.param("Initial Value"));
    let count = b.settings().integer("Steps") as usize;
    let transit = transit.max(b.delta() * SHORTEST);
    b.delays_input(transit);
    // The distance moved in pipe lengths.
    let moved = b.continuous(1, b.constant(0.0));
    moved.derivative(b.constant(1.0) / transit);
    let now = moved.value;
    if b.records() {
        let longest = count as f64 * b.delta();
        return b.output(0, recorded_flow(b, u, (now, transit), longest, initial));
    }
    let (progress, values) = (b.history(1, count, b.constant(f64::NEG_INFINITY)), b.history(1, count, initial));
    progress.push(now);
    values.push(u);
    // Bisection for the newest past step at least one pipe length back: positions decrease with age.
    let wanted = now - 1.0;
    let mut back = b.constant(0.0);
    let mut half = (count + 1).next_power_of_two() / 2;
    while half > 0 {
        let next = back + half as f64;
        let is_newer = progress.past(next).gt(wanted + 1e-12).and(next.le(count as f64 - 1.0));
        back = b.select(is_newer, next, back);
        half /= 2;
    }
    let points = [3.0, 2.0, 1.0, 0.0, -1.0, -2.0].map(|older| {
        let age = (back + older).max(0.0);
        let (is_now, age) = (age.lt(1.0), age.max(1.0));
        PastPoint { at: b.select(is_now, now, progress.past(age)), value: b.select(is_now, u, values.past(age)) }
    });
    // A pipe that holds more than the steps that are kept ends at the oldest of them.
    let is_oldest = back.ge(count as f64 - 1.0);
    let wanted = b.select(is_oldest, wanted.max(points[2].at), wanted);
    let newer = [back.ge(1.0), back.ge(2.0)];
    let between = interpolated(b, wanted, &PastPoints { points, newer, may_jump: b.constant(1.0) });
    b.output(0, b.select(now.lt(1.0 - 1e-12), initial, between));
}

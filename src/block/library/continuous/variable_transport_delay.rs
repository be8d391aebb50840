use crate::block::{BlockDef, Clock, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Variable Transport Delay",
    doc: "Delays its input as a flow through a pipe whose transit time a second input sets",
    formula: "y(t) = u(t − τ) with ∫ from t − τ to t of dt/tᵢ = 1, tᵢ the transit time; y₀ until the first input arrives \
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
    build: |b| {
        let (u, transit, initial) = (b.scalar_input(0), b.scalar_input(1), b.param("Initial Value"));
        let count = b.settings().integer("Steps") as usize;
        // The distance moved in pipe lengths, integrated with the rectangle rule.
        let moved = b.state(1, b.constant(0.0));
        let now = moved.value;
        moved.next(now + b.clock(Clock::Delta) / transit);
        let (places, values) = (b.history(1, count, b.constant(f64::NEG_INFINITY)), b.history(1, count, initial));
        places.push(now);
        values.push(u);
        // Bisection for the newest past step at least one pipe length back: positions decrease with age.
        let wanted = now - 1.0;
        let mut back = b.constant(0.0);
        let mut half = (count + 1).next_power_of_two() / 2;
        while half > 0 {
            let next = back + half as f64;
            let is_newer = places.past(next).gt(wanted + 1e-12).and(next.le(count as f64 - 1.0));
            back = b.select(is_newer, next, back);
            half /= 2;
        }
        let after = b.select(back.lt(1.0), now, places.past(back));
        let (before, old) = (places.past(back + 1.0), values.past(back + 1.0));
        let new = b.select(back.lt(1.0), u, values.past(back));
        let part = ((wanted - before) / (after - before)).max(0.0);
        let between = old + part * (new - old);
        b.output(0, b.at_step(b.select(now.lt(1.0 - 1e-12), initial, between)));
    },
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

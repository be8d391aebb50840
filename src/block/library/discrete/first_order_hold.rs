use crate::block::{BlockDef, Builder, Clock, Example, Face, Look, ParamDef, Ports, SampleTime};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "First-Order Hold",
    doc: "Samples its input and continues it between the samples along a straight line",
    formula: "predictive: y(t) = uₖ + (t − kT)/T·(uₖ − uₖ₋₁), delayed: y(t) = uₖ₋₁ + (t − kT)/T·(uₖ − uₖ₋₁), \
              kT ≤ t < (k+1)T (Åström, Wittenmark: Computer-Controlled Systems, section 3.5)",
    aliases: &[
        "foh",
        "first order hold",
        "first-order hold (legacy)",
        "extrapolator",
        "linear extrapolation",
        "reconstruction",
        "sampler",
    ],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.85), (0.36, 0.55), (0.36, 0.6), (0.63, 0.45), (0.63, 0.3), (0.9, 0.1)],
        &[(0.1, 0.92), (0.9, 0.92)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Method", &["predictive", "delayed"]).doc(
            "Whether the line through the last two samples goes on from the newest, or leads to it one sample later",
        ),
        ParamDef::number("Sampling Interval", &[0.0])
            .between(0.0, f64::MAX)
            .fixed()
            .unit("s")
            .doc("The time T between samples, a multiple of the step; 0: every step"),
        ParamDef::number("Initial Value", &[0.0])
            .vector()
            .doc("The output before the first sample, and where a delayed hold begins; a predictive one begins level"),
    ],
    build,
    examples: &[
        Example {
            doc: "The first interval is level, the others go on as before",
            options: &[("Sampling Interval", &["1"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[1.0, 9.0, 3.0, 9.0, 2.0, 9.0]],
            outputs: &[&[1.0, 1.0, 3.0, 4.0, 2.0, 1.5]],
        },
        Example {
            doc: "One sample late, but without jumps",
            options: &[("Sampling Interval", &["1"]), ("Method", &["delayed"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[1.0, 9.0, 3.0, 9.0, 2.0, 9.0]],
            outputs: &[&[0.0, 0.5, 1.0, 2.0, 3.0, 2.5]],
        },
    ],
};

fn build(b: &Builder) {
    let (u, initial) = (b.input(0), b.param("Initial Value"));
    let interval = b.settings().number("Sampling Interval");
    let sample = SampleTime::of(interval, 0.0, b.delta()).unwrap_or_else(|error| {
        b.refuse("Sampling Interval", error.to_string());
        None
    });
    let sample = sample.unwrap_or(SampleTime::EVERY);
    // The block has no sample time as others do, since its output moves between the samples.
    let major = b.clock(Clock::Major);
    let is_hit = if sample == SampleTime::EVERY { major } else { b.clock(Clock::Hit(sample)).and(major) };
    let width = b.common_width(&[u, initial]);
    let (newest, older) = (b.state(width, initial), b.state(width, initial));
    let is_delayed = b.settings().choice("Method") == "delayed";
    let now = b.select(is_hit, u, newest.held());
    let sampled_before = match is_delayed {
        true => newest.value,
        false => {
            let has_begun = b.state(1, b.constant(0.0));
            has_begun.next(b.select(is_hit, 1.0, has_begun.held()));
            b.select(has_begun.value, newest.value, u)
        }
    };
    let before = b.select(is_hit, sampled_before, older.held());
    let hit_at = b.state(1, b.constant(0.0));
    let last_hit = b.select(is_hit, b.clock(Clock::Step), hit_at.held());
    newest.next(now);
    older.next(before);
    hit_at.next(last_hit);
    let within_step = (b.time() - b.step_time()) / b.delta();
    let part = (b.clock(Clock::Step) - last_hit + within_step) / sample.period as f64;
    let start = if is_delayed { before } else { now };
    // At a sample the output is that sample, also where the slope is not finite.
    b.output(0, b.select(part.equals(0.0), start, start + part * (now - before)));
}

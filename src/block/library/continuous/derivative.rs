use crate::block::{BlockDef, Clock, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Derivative",
    doc: "Computes the rate of change of its input",
    formula: "y = (u[n] − u[n−1])/Δ, 0 in the first step; with a filter time c: Y(s) = s/(c·s + 1)·U(s), initially at equilibrium \
              (Åström, Hägglund: PID Controllers, 1995, chapter 3)",
    aliases: &["du/dt", "differentiate", "rate of change", "slope", "s", "deriv", "differentiator"],
    look: Look::rect(Face::Fraction("du", "dt")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Filter Time", &[0.0])
        .between(0.0, f64::INFINITY)
        .fixed()
        .unit("s")
        .doc("The time constant c of the filter, at least two steps; 0: no filter")],
    build: |b| {
        let (u, c) = (b.input(0), b.settings().number("Filter Time"));
        if c == 0.0 {
            let change = (u - b.before(u, 0.0)) / b.elapsed();
            return b.output(0, b.at_step(b.select(b.is_first(), 0.0, change)));
        }
        let x = b.continuous(u.width(), b.constant(0.0));
        // Initially the filter is at equilibrium with the input.
        let begins = b.is_first().and(b.clock(Clock::Major));
        x.jump(begins, u);
        let y = (u - b.select(begins, u, x.value)) / c;
        x.derivative(y);
        b.output(0, y);
    },
    examples: &[Example {
        doc: "A ramp, then a constant",
        options: &[],
        delta: 0.5,
        widths: &[],
        inputs: &[&[1.0, 2.0, 3.0, 3.0]],
        outputs: &[&[0.0, 2.0, 2.0, 0.0]],
    }],
};

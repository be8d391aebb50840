use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Time-Varying Filter",
    doc: "Filters its input with a recursive filter whose coefficients are inputs",
    formula: "w[n] = (u − a₁·w[n−1] − …)/a₀, y = b₀·w[n] + b₁·w[n−1] + …, direct form II \
              (Oppenheim, Schafer: Discrete-Time Signal Processing, section 6.3)",
    aliases: &["transfer fcn direct form ii time varying", "adaptive filter", "dlradapt"],
    look: Look::rect(Face::Fraction("B(n)", "A(n)")),
    inputs: Ports::Fixed(&["Input", "Numerator", "Denominator"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::SAMPLE_TIME, ParamDef::SAMPLE_OFFSET],
    build: |b| {
        let (u, n, d) = (b.scalar_input(0), b.input(1), b.input(2));
        let order = n.width().max(d.width()) - 1;
        if order == 0 {
            return b.output(0, u * n / d);
        }
        let past = b.state(order, b.constant(0.0));
        let fed_back = (1..d.width()).fold(u, |sum, index| sum - d.element(index) * past.value.element(index - 1));
        let now = fed_back / d.element(0);
        past.next(if order == 1 { now } else { b.join(&[now, past.value.slice(0, order - 1)]) });
        b.output(
            0,
            (1..n.width())
                .fold(n.element(0) * now, |sum, index| sum + n.element(index) * past.value.element(index - 1)),
        );
    },
    examples: &[Example {
        doc: "The moving average of two samples, then the input itself",
        options: &[],
        delta: 1.0,
        widths: &[1, 2, 1],
        inputs: &[&[2.0, 4.0, 8.0], &[0.5, 0.5, 0.5, 0.5, 1.0, 0.0], &[1.0, 1.0, 1.0]],
        outputs: &[&[1.0, 3.0, 8.0]],
    }],
};

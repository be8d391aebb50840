use crate::block::{BlockDef, Builder, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Transfer Function",
    doc: "A linear system given by two polynomials in s",
    formula: "Y(s) = N(s)/D(s)·U(s), in controllable canonical form (Kailath: Linear Systems, 1980, section 2.1)",
    aliases: &["transfer fcn", "filter", "pt1", "pt2", "lag", "laplace", "clr"],
    look: Look::rect(Face::Fraction("N(s)", "D(s)")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Numerator", &[1.0]).vector().fixed().doc("Coefficients of N, the highest power first"),
        ParamDef::number("Denominator", &[1.0, 1.0]).vector().fixed().doc("Coefficients of D, the highest power first"),
    ],
    build,
    examples: &[
        Example {
            doc: "1/s is an integrator",
            options: &[("Denominator", &["1", "0"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[2.0, 2.0, 2.0]],
            outputs: &[&[0.0, 1.0, 2.0]],
        },
        Example {
            doc: "Without s it is a gain",
            options: &[("Numerator", &["0", "6"]), ("Denominator", &["0", "2"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, -1.0]],
            outputs: &[&[3.0, -3.0]],
        },
    ],
};

fn build(b: &Builder) {
    let u = b.scalar_input(0);
    let coefficients = |name| {
        let all = b.settings().numbers(name);
        let zeros = all.iter().take_while(|value| **value == 0.0).count();
        all[zeros..].to_vec()
    };
    let (numerator, denominator) = (coefficients("Numerator"), coefficients("Denominator"));
    let Some(&lead) = denominator.first() else {
        b.refuse("Denominator", "a coefficient other than 0 is needed");
        return b.output(0, u);
    };
    if numerator.len() > denominator.len() {
        b.refuse("Numerator", "its power may not be higher than the denominator's");
        return b.output(0, u);
    }
    let order = denominator.len() - 1;
    // Both with the constant first, and as long as the denominator.
    let low_first = |values: &[f64]| {
        let mut values: Vec<f64> = values.iter().rev().map(|value| value / lead).collect();
        values.resize(order + 1, 0.0);
        values
    };
    let (n, d) = (low_first(&numerator), low_first(&denominator));
    let through = n[order];
    if order == 0 {
        return b.output(0, u * through);
    }
    let x = b.continuous(order, b.constant(0.0));
    let lane = |index| x.value.slice(index, 1);
    let top = (0..order).fold(u, |rate, index| rate - d[index] * lane(index));
    let rate = if order == 1 { top } else { b.join(&[x.value.slice(1, order - 1), top]) };
    x.derivative(rate);
    let terms = (0..order).map(|index| (n[index] - through * d[index], index)).filter(|(factor, _)| *factor != 0.0);
    let state_part = terms.map(|(factor, index)| factor * lane(index)).reduce(|sum, term| sum + term);
    let y = match (state_part, through == 0.0) {
        (Some(part), true) => part,
        (Some(part), false) => part + through * u,
        (None, _) => through * u,
    };
    b.output(0, y);
}

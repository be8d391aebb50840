use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "Friction",
    doc: "Computes the Coulomb and viscous friction at a speed",
    formula: "y = s·(gain·|u| + offset), s = sign(u), or u/width limited to ±1 where width > 0 \
              (Armstrong-Hélouvry: Control of Machines with Friction, 1991)",
    aliases: &["coulomb", "coulomb and viscous friction", "viscous", "stiction", "damping"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.9), (0.5, 0.65), (0.5, 0.35), (0.9, 0.1)]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Offset", &[1.0]).vector().doc("The Coulomb friction, half the jump at standstill"),
        ParamDef::number("Gain", &[1.0]).vector().doc("The viscous friction, in force per speed"),
        ParamDef::number("Width", &[0.0])
            .vector()
            .between(0.0, f64::INFINITY)
            .doc("The speed up to which the jump is a slope, so that a body at rest does not chatter; 0: a jump"),
    ],
    build: |b| {
        let (u, width) = (b.input(0), b.param("Width"));
        b.crossing(u - width);
        b.crossing(u);
        b.crossing(u + width);
        let sign = b.select(width.gt(0.0), (u / width).clamp(-1.0, 1.0), b.decided(u.sign(), u));
        b.output(0, sign * (b.param("Gain") * u.abs() + b.param("Offset")));
    },
    examples: &[
        Example {
            doc: "Standstill, forwards and backwards",
            options: &[("Gain", &["0.5"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 2.0, -4.0]],
            outputs: &[&[0.0, 2.0, -3.0]],
        },
        Example {
            doc: "With a slope instead of the jump",
            options: &[("Width", &["0.5"]), ("Gain", &["0"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.25, -2.0]],
            outputs: &[&[0.5, -1.0]],
        },
    ],
};

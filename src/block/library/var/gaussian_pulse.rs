use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Gaussian Pulse",
    doc: "Generates a single Gaussian pulse",
    formula: "y = A·exp(−(t − T)²/(2σ²))",
    aliases: &["gauss", "bell curve", "gaussian pulse source", "gaussianpulsesource"],
    look: Look::rect(Face::Strokes(&[&[
        (0.08, 0.8),
        (0.3, 0.78),
        (0.4, 0.6),
        (0.46, 0.3),
        (0.5, 0.2),
        (0.54, 0.3),
        (0.6, 0.6),
        (0.7, 0.78),
        (0.92, 0.8),
    ]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Amplitude", &[1.0]).vector().doc("The amplitude A"),
        ParamDef::number("Centre", &[1.0]).vector().unit("s").doc("The time T of the maximum"),
        ParamDef::number("Width", &[0.1]).vector().positive().unit("s").doc("The standard deviation σ"),
    ],
    build: |b| {
        let off = (b.time() - b.param("Centre")) / b.param("Width");
        // Before the pulse up to where it begins to rise, within it half a deviation.
        b.limit_step((off.abs() - 6.0).max(0.5) * b.param("Width"));
        b.output(0, b.param("Amplitude") * (off * off * -0.5).exp());
    },
    examples: &[Example {
        doc: "Centre 1 s, standard deviation 1 s",
        options: &[("Width", &["1"]), ("Amplitude", &["2"])],
        delta: 1.0,
        widths: &[],
        inputs: &[],
        outputs: &[&[1.2130613194252668, 2.0, 1.2130613194252668]],
    }],
};

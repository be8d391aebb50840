use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Lead-Lag",
    doc: "Applies a first-order lead or lag compensator",
    formula: "Y(s) = K·(T₁·s + 1)/(T₂·s + 1)·U(s) \
              (Ogata: Modern Control Engineering, chapter 7)",
    aliases: &["lead", "lag", "compensator", "phase lead", "pdt1", "transfer fcn", "leadlag"],
    look: Look::rect(Face::Fraction("T₁s + 1", "T₂s + 1")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Gain", &[1.0]).vector().doc("The gain K"),
        ParamDef::number("Lead Time", &[1.0]).vector().unit("s").doc("The lead time constant T₁"),
        ParamDef::number("Lag Time", &[0.1])
            .vector()
            .positive()
            .unit("s")
            .doc("The lag time constant T₂, at least two steps"),
    ],
    build: |b| {
        let (u, gain, lead, lag) = (b.input(0), b.param("Gain"), b.param("Lead Time"), b.param("Lag Time"));
        let x = b.continuous(b.common_width(&[u, lag]), b.constant(0.0));
        let rate = (u - x.value) / lag;
        x.derivative(rate);
        b.output(0, gain * (x.value + lead * rate));
    },
    examples: &[Example {
        doc: "Equal time constants: a gain",
        options: &[("Gain", &["2"]), ("Lag Time", &["1"])],
        delta: 0.5,
        widths: &[],
        inputs: &[&[1.0, 3.0]],
        outputs: &[&[2.0, 6.0]],
    }],
};

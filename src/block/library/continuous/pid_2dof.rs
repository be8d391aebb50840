use super::pid::{PID, controller};
use crate::block::library::control::{Errors, GAINS, optional_inputs};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "PID Controller 2DOF",
    doc: "Computes the control signal from set point and measurement, with weights for the set point",
    formula: "u = P·(b·r − y) + I·∫(r − y) + D·N·s/(s + N)·(c·r − y) \
              (Åström, Hägglund: PID Controllers, 1995, chapter 3)",
    aliases: &[
        "pid",
        "two degree of freedom",
        "gain scheduling",
        "set-point weighting",
        "controller",
        "regulator",
        "pid controller (2dof)",
    ],
    look: Look::rect(Face::Text("PID 2")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Weight b", &[1.0]).vector().doc("The weight of the set point in the proportional term"),
        ParamDef::number("Weight c", &[0.0]).vector().doc("The weight of the set point in the derivative term"),
        PID[0],
        PID[1],
        PID[2],
        PID[3],
        PID[4],
        PID[5],
        PID[6],
        PID[7],
        PID[8],
        PID[9],
        PID[10],
        PID[11],
        PID[12],
        PID[13],
        GAINS,
    ],
    build: |b| {
        let (r, y) = (b.input(0), b.input(1));
        let errors = Errors {
            proportional: b.param("Weight b") * r - y,
            integral: r - y,
            derivative: b.param("Weight c") * r - y,
        };
        b.output(0, controller(b, errors, 2));
    },
    examples: &[Example {
        doc: "Proportional set-point weight 0.5, with Euler's method",
        options: &[("Weight b", &["0.5"]), ("P", &["2"])],
        delta: 0.5,
        widths: &[],
        inputs: &[&[2.0, 2.0], &[1.0, 1.0]],
        outputs: &[&[0.0, 0.5]],
    }],
};

fn inputs(settings: &Settings) -> Vec<String> {
    optional_inputs(settings, &["Set Point", "Measurement"])
}

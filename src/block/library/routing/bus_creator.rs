use crate::block::library::bus::{check_name, paths, ports};
use crate::block::{BlockDef, Bus, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Bus Creator",
    doc: "Joins its inputs into a bus, a vector whose elements have names",
    formula: "y = [u₁ u₂ …], with the names of the inputs; an input that is a bus keeps its names behind a dot: pose.x",
    aliases: &["bus", "named signals", "bundle by name", "structure", "struct", "record", "cluster", "bus object"],
    look: Look::rect(Face::Ports(&[
        &[(0.1, 0.25), (0.45, 0.25)],
        &[(0.1, 0.75), (0.45, 0.75)],
        &[(0.45, 0.1), (0.45, 0.9)],
        &[(0.45, 0.45), (0.95, 0.45)],
        &[(0.45, 0.55), (0.95, 0.55)],
    ])),
    inputs: Ports::By(|settings| ports(settings, NAMES)),
    outputs: Ports::Fixed(&["Bus"]),
    params: &[ParamDef::ELEMENT_NAMES],
    build: |b| {
        let names = paths(b, NAMES);
        names.iter().for_each(|name| check_name(b, NAMES, name));
        let inputs = b.inputs();
        b.output(0, if inputs.is_empty() { b.constant(0.0) } else { b.join(&inputs) });
        let element = |(input, name): (usize, &&str)| ((*name).into(), b.input_type(input));
        b.name_elements(0, Bus::new(names.iter().enumerate().map(element)));
    },
    examples: &[Example {
        doc: "A scalar and a vector",
        options: &[(NAMES, &["speed force"])],
        delta: 1.0,
        widths: &[1, 2],
        inputs: &[&[1.0], &[2.0, 3.0]],
        outputs: &[&[1.0, 2.0, 3.0]],
    }],
};

const NAMES: &str = ParamDef::ELEMENT_NAMES.name;

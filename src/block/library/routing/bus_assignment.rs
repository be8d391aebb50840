use crate::block::library::bus::{input_bus, paths, ports};
use crate::block::{BlockDef, Builder, Example, Expr, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Bus Assignment",
    doc: "Replaces elements of a bus by name",
    formula: "y = the bus, but with the element nameᵢ = uᵢ",
    aliases: &["bus", "named signals", "set element by name", "structure", "struct", "record", "bundle by name"],
    look: Look::rect(Face::Ports(&[
        &[(0.05, 0.25), (0.95, 0.25)],
        &[(0.05, 0.35), (0.95, 0.35)],
        &[(0.1, 0.8), (0.5, 0.8), (0.5, 0.45)],
        &[(0.4, 0.6), (0.5, 0.45), (0.6, 0.6)],
    ])),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Bus"]),
    params: &[
        ParamDef::text(ELEMENTS, "signal1")
            .doc("The names of the replaced elements, one for each further input, separated by spaces"),
        ParamDef::INPUT_NAMES,
    ],
    build,
    examples: &[Example {
        doc: "The second element of speed, pose.x, pose.y and mode, and a scalar for all elements of a vector",
        options: &[(ELEMENTS, &["mode pose"]), (ParamDef::INPUT_NAMES.name, &["speed pose[2] mode"])],
        delta: 1.0,
        widths: &[4, 1, 1],
        inputs: &[&[1.0, 2.0, 3.0, 4.0], &[9.0], &[7.0]],
        outputs: &[&[1.0, 7.0, 7.0, 9.0]],
    }],
};

const ELEMENTS: &str = "Elements";

/// The name of the first input has a space, so that no element has it.
fn inputs(settings: &Settings) -> Vec<String> {
    std::iter::once("Input Bus".to_owned()).chain(ports(settings, ELEMENTS)).collect()
}

fn build(b: &Builder) {
    let u = b.input(0);
    b.output(0, u);
    let names = paths(b, ELEMENTS);
    let Some(bus) = input_bus(b) else { return };
    // The replaced parts by their place in the vector.
    let mut parts = Vec::new();
    for (input, name) in (1..).zip(names) {
        let Some(part) = bus.find(name) else {
            b.refuse_element(ELEMENTS, name, &bus);
            continue;
        };
        let (value, of) = (b.input(input), b.input_type(input));
        if ![1, part.of.width].contains(&of.width) {
            b.refuse_width(input, part.of.width);
            continue;
        }
        if let (Some(new), Some(old)) = (&of.bus, &part.of.bus)
            && new != old
        {
            b.refuse_buses((input, new), (0, old));
        }
        parts.push((part.start, part.of.width, b.widen(value, part.of.width)));
    }
    parts.sort_by_key(|(start, ..)| *start);
    let mut values: Vec<Expr> = Vec::new();
    let mut next = 0;
    for (start, width, value) in parts {
        if start < next {
            return b.refuse(ELEMENTS, "an element is replaced twice: alone and as a part of another");
        }
        if start > next {
            values.push(u.slice(next, start - next));
        }
        values.push(value);
        next = start + width;
    }
    if next < u.width() {
        values.push(u.slice(next, u.width() - next));
    }
    b.output(0, b.join(&values));
    b.set_bus(0, Some(bus));
}

use std::collections::BTreeMap;

use crate::block::library::bus::{input_bus, paths, ports};
use crate::block::{BlockDef, Builder, Bus, BusPart, Example, Expr, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Bus Selector",
    doc: "Selects elements of a bus by name",
    formula: "yᵢ = the element nameᵢ of u, or one bus of these elements",
    aliases: &["bus", "named signals", "unbundle by name", "structure", "struct", "field", "record", "element by name"],
    look: Look::rect(Face::Ports(&[
        &[(0.05, 0.45), (0.55, 0.45)],
        &[(0.05, 0.55), (0.55, 0.55)],
        &[(0.55, 0.1), (0.55, 0.9)],
        &[(0.55, 0.25), (0.9, 0.25)],
        &[(0.55, 0.75), (0.9, 0.75)],
    ])),
    inputs: Ports::Fixed(&["Bus"]),
    outputs: Ports::By(outputs),
    params: &[
        ParamDef::text(ELEMENTS, "signal1 signal2").doc(
            "The names of the selected elements, separated by spaces; pose.x is the element x of the element pose",
        ),
        ParamDef::choice(OUTPUT, &["signals", "bus"])
            .doc("Whether each element has an output (signals), or one output is a bus of all of them (bus)"),
        ParamDef::INPUT_NAMES,
    ],
    build,
    examples: &[
        Example {
            doc: "The last and the first element of speed, pose.x, pose.y and mode",
            options: &[(ELEMENTS, &["mode speed"]), (ParamDef::INPUT_NAMES.name, &["speed pose[2] mode"])],
            delta: 1.0,
            widths: &[4],
            inputs: &[&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]],
            outputs: &[&[4.0, 8.0], &[1.0, 5.0]],
        },
        Example {
            doc: "A bus of two elements",
            options: &[
                (ELEMENTS, &["pose speed"]),
                (OUTPUT, &["bus"]),
                (ParamDef::INPUT_NAMES.name, &["speed pose[2]"]),
            ],
            delta: 1.0,
            widths: &[3],
            inputs: &[&[1.0, 2.0, 3.0]],
            outputs: &[&[2.0, 3.0, 1.0]],
        },
    ],
};

const ELEMENTS: &str = "Elements";
const OUTPUT: &str = "Output";

fn is_bus(settings: &Settings) -> bool {
    settings.choice(OUTPUT) == "bus"
}

fn outputs(settings: &Settings) -> Vec<String> {
    if is_bus(settings) { vec!["Bus".to_owned()] } else { ports(settings, ELEMENTS) }
}

fn build(b: &Builder) {
    let u = b.input(0);
    let names = paths(b, ELEMENTS);
    let bus = input_bus(b);
    let part = |name: &&str| {
        let bus = bus.as_ref()?;
        let part = bus.find(name);
        if part.is_none() {
            b.refuse_element(ELEMENTS, name, bus);
        }
        part
    };
    let parts: Vec<Option<BusPart>> = names.iter().map(part).collect();
    // Without a part there is an error, and the value has no meaning.
    let value = |part: &Option<BusPart>| -> Expr { part.as_ref().map_or(u, |part| u.slice(part.start, part.of.width)) };
    if !is_bus(b.settings()) {
        for (output, part) in parts.iter().enumerate() {
            b.output(output, value(part));
            b.set_bus(output, part.as_ref().and_then(|part| part.of.bus.clone()));
        }
        return;
    }
    // In the new bus an element has the last part of its name.
    let leaf = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let leaves: Vec<String> = names.iter().map(|name| leaf(name)).collect();
    let mut known = BTreeMap::new();
    for (name, leaf) in names.iter().zip(&leaves) {
        // A name that is there twice is refused already.
        if known.insert(leaf, name).is_some_and(|other| other != name) {
            b.refuse(ELEMENTS, format!("two elements of the bus would have the name “{leaf}”"));
        }
    }
    let values: Vec<Expr> = parts.iter().map(value).collect();
    b.output(0, if values.is_empty() { u } else { b.join(&values) });
    let elements =
        leaves.iter().zip(&parts).filter_map(|(name, part)| Some((name.as_str().into(), part.as_ref()?.of.clone())));
    b.name_elements(0, Bus::new(elements));
}

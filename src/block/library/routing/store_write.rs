use crate::block::{BlockDef, Bus, Clock, Face, Look, ParamDef, Ports, SignalType, TagRole};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Data Store Write",
    doc: "Writes its input to a data store, where it is read from the next step on",
    formula: "x[n+1] = u[n] in the store; in a conditional model only in the steps in which the model runs",
    aliases: &["write store", "set variable", "global variable", "shared variable"],
    look: Look::rect(Face::Param("Name")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::NONE,
    params: &[ParamDef::tag("Name", "store", TagRole::Writer).doc("The name of the store")],
    // The store needs the step of the write, since a conditional model that does not run holds its outputs.
    build: |b| {
        b.output(0, b.join(&[b.input(0), b.clock(Clock::Step) + 1.0]));
        let value = b.input_type(0);
        if value.bus.is_some() {
            b.name_elements(0, Bus::new([("Value".into(), value), ("Step".into(), SignalType::plain(1))]));
        }
    },
    examples: &[],
};

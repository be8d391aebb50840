use crate::block::{BlockDef, Clock, Face, Look, ParamDef, Ports, TagRole};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Data Store Memory",
    doc: "Stores a value that blocks in this model and in the models inside it read and write by name",
    formula: "x[0] = v, x[n+1] = the last value written in step n, else x[n]; writes are ordered by ascending block id, \
              those of a model block in the order inside; all reads in step n give x[n]",
    aliases: &["data store", "global variable", "shared variable", "memory", "functional global"],
    look: Look::rect(Face::Param("Name")),
    inputs: Ports::NONE,
    outputs: Ports::NONE,
    params: &[
        ParamDef::tag("Name", "store", TagRole::Store).doc("The name of the store, unique in its model"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The initial value v"),
    ],
    // Each writer outputs its value, followed by the number of the step of the write, counted from 1.
    build: |b| {
        let initial = b.param("Initial Value");
        let now = b.clock(Clock::Step) + 1.0;
        let written: Vec<_> = b
            .inputs()
            .into_iter()
            .filter(|input| input.width() > 1)
            .map(|input| (input.slice(0, input.width() - 1), input.element(input.width() - 1)))
            .collect();
        let parts: Vec<_> = written.iter().map(|(value, _)| *value).chain([initial]).collect();
        let store = b.state(b.common_width(&parts), initial);
        let next = written.iter().fold(store.value, |before, &(value, step)| b.select(step.equals(now), value, before));
        b.output(0, store.value);
        store.next(next);
    },
    examples: &[],
};

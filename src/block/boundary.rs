//! Entries and exits as the engines see them. The library does not list them: a model's own tags make them.

use super::{BlockDef, Clock, Face, Look, ParamDef, Ports};

/// An entry that nothing feeds: its initial value, in every step.
pub static ENTRY_STATIC: BlockDef = BlockDef {
    doc: "Gives its initial value",
    formula: "y = v",
    inputs: Ports::NONE,
    build: |b| b.output(0, b.param("Initial Value")),
    ..ENTRY
};

/// An entry whose model block is fed from outside.
pub static ENTRY_OPEN: BlockDef = BlockDef {
    doc: "Gives what the model block receives",
    formula: "y = u",
    inputs: Ports::Fixed(&["Outside"]),
    build: |b| b.output(0, b.input(0)),
    ..ENTRY
};

/// An entry that an exit of the same name feeds from step to step.
pub static ENTRY_PAIRED: BlockDef = BlockDef {
    doc: "Gives what the exit of the same name received in the step before",
    formula: "y[0] = v, y[n+1] = exit[n]",
    inputs: Ports::Fixed(&["Exit"]),
    build: |b| {
        let (initial, exit) = (b.param("Initial Value"), b.input(0));
        let state = b.state(b.common_width(&[initial, exit]), initial);
        b.output(0, state.value);
        state.next(exit);
    },
    ..ENTRY
};

/// An exit; its value is what the model block gives.
pub static EXIT: BlockDef = BlockDef {
    name: "Exit",
    doc: "Gives its input to the outside",
    formula: "y = u",
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Input"]),
    build: |b| b.output(0, b.input(0)),
    ..ENTRY
};

/// An exit of a conditional or iterated model; it has a value also before the model has run.
pub static EXIT_HELD: BlockDef = BlockDef {
    doc: "Gives its input to the outside, and the last one while the model does not run",
    params: &[ParamDef::number("Initial Value", &[0.0]).vector().doc("The value before the model has run")],
    build: |b| {
        let (u, initial) = (b.input(0), b.param("Initial Value"));
        b.output(0, b.widen(u, b.common_width(&[u, initial])));
        b.idle(0, initial);
    },
    ..EXIT
};

/// An entry that counts the runs of its iterated model.
pub static ENTRY_INDEX: BlockDef = BlockDef {
    doc: "Gives the number of the run in the step, from 0",
    formula: "y = i",
    build: |b| b.output(0, b.clock(Clock::Turn)),
    ..ENTRY
};

const ENTRY: BlockDef = BlockDef {
    group: "",
    name: "Entry",
    doc: "",
    formula: "",
    aliases: &[],
    look: Look::rect(Face::Empty),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Initial Value", &[0.0]).vector().doc("The value in the first step")],
    build: |b| b.output(0, b.param("Initial Value")),
    examples: &[],
};

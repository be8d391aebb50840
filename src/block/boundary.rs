//! The definitions of entries and exits. They are not in the library: a model's own tags create them.

use super::{BlockDef, Clock, Face, Look, ParamDef, Ports};

/// An unconnected entry, which outputs its initial value in every step.
pub static ENTRY_STATIC: BlockDef =
    BlockDef { doc: "Outputs its initial value", formula: "y = v", inputs: Ports::NONE, ..ENTRY };

/// An entry that is an input of its model block.
pub static ENTRY_OPEN: BlockDef = BlockDef {
    doc: "Outputs the input of the model block",
    formula: "y = u",
    inputs: Ports::Fixed(&["Outside"]),
    build: |b| b.output(0, b.input(0)),
    ..ENTRY
};

/// An entry that is paired with an exit of the same name.
pub static ENTRY_PAIRED: BlockDef = BlockDef {
    doc: "Outputs the value of the exit of the same name in the previous step",
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

/// An exit, which is an output of its model block.
pub static EXIT: BlockDef = BlockDef {
    name: "Exit",
    doc: "Passes its input to the output of the model block",
    formula: "y = u",
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Input"]),
    build: |b| b.output(0, b.input(0)),
    ..ENTRY
};

/// An exit of a conditional or iterated model, which has a value also before the model has run.
pub static EXIT_HELD: BlockDef = BlockDef {
    doc: "Passes its input to the output of the model block, and holds it while the model does not run",
    params: &[ParamDef::number("Initial Value", &[0.0]).vector().doc("The value before the model has run")],
    build: |b| {
        let (u, initial) = (b.input(0), b.param("Initial Value"));
        b.output(0, b.widen(u, b.common_width(&[u, initial])));
        b.idle(0, initial);
    },
    ..EXIT
};

/// An entry that outputs the iteration number of its iterated model.
pub static ENTRY_INDEX: BlockDef = BlockDef {
    doc: "Outputs the number of the iteration in the step, from 0",
    formula: "y = i",
    build: |b| b.output(0, b.clock(Clock::Iteration)),
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

//! Who runs with whom in a program, looked up ahead: what stands in which conditional or iterated subsystem.

use super::{Output, Program};

/// What is looked up of the program's parts.
pub(super) struct Parts {
    /// Of the units that run in every step those that need not wait for anything.
    pub ready: Vec<u32>,
    /// The units that publish something before they run: of those that run in every step, then of each subsystem.
    pub begins: Vec<Vec<u32>>,
    /// For each unit the subsystem it decides for.
    pub enables: Vec<Option<u32>>,
    /// For each subsystem all units in it, at any depth.
    pub all: Vec<Vec<u32>>,
    /// And those of their inputs that others of them feed: units, and places among all inputs.
    pub inner: Vec<Vec<(u32, u32)>>,
    /// Whether a block may run several times in a step outside of iterated subsystems.
    pub has_turns: bool,
    /// Who reads each output, in the order of the program's readers.
    pub readers: Vec<Reader>,
}

/// An input that an output feeds.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    pub unit: u32,
    /// Its place among all inputs.
    pub input: u32,
    /// What the unit runs with.
    pub subsystem: Option<u32>,
}

impl Parts {
    pub fn new(program: &Program) -> Parts {
        let mut parts = Parts {
            ready: Vec::new(),
            begins: vec![Vec::new(); program.subsystems.len() + 1],
            enables: vec![None; program.units.len()],
            all: vec![Vec::new(); program.subsystems.len()],
            inner: vec![Vec::new(); program.subsystems.len()],
            has_turns: program.kernels.iter().any(|kernel| kernel.iterations.is_some()),
            readers: program.readers.iter().map(|&(unit, input)| reader(program, unit, input)).collect(),
        };
        for (number, subsystem) in program.subsystems.iter().enumerate() {
            parts.enables[subsystem.enable_unit as usize] = Some(number as u32);
        }
        for (number, unit) in program.units.iter().enumerate() {
            let mut subsystem = unit.subsystem;
            let kernel = program.kernel(unit);
            if subsystem.is_none() && kernel.inputs.is_empty() {
                parts.ready.push(number as u32);
            }
            if !kernel.inputs.is_empty() && !kernel.begin.is_empty() {
                parts.begins[subsystem.map_or(0, |subsystem| subsystem as usize + 1)].push(number as u32);
            }
            while let Some(around) = subsystem {
                parts.all[around as usize].push(number as u32);
                let inputs = unit.first_input..unit.first_input + program.kernel(unit).inputs.len() as u32;
                let is_inner = |input: &u32| {
                    let source = program.sources[*input as usize];
                    source.is_some_and(|source| {
                        let from = &program.units[program.outputs[source as usize].unit as usize];
                        program.is_within(from.subsystem, around)
                    })
                };
                parts.inner[around as usize].extend(inputs.filter(is_inner).map(|input| (number as u32, input)));
                subsystem = program.subsystems[around as usize].parent;
            }
        }
        parts
    }

    /// Who reads an output.
    pub fn readers_of(&self, program: &Program, output: usize) -> &[Reader] {
        let Output { first_reader, reader_count, .. } = program.outputs[output];
        &self.readers[first_reader as usize..(first_reader + reader_count) as usize]
    }
}

fn reader(program: &Program, unit: u32, input: u32) -> Reader {
    let of = &program.units[unit as usize];
    Reader { unit, input: of.first_input + input, subsystem: of.subsystem }
}

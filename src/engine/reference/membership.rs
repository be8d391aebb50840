//! Which units of a program belong to which conditional or iterated subsystem, computed once for the reference engine.

use crate::engine::{
    EntityRef, Output, OutputId, Program, SubsystemId, SubsystemMap, Unit, UnitId, UnitInput, UnitMap,
};

/// The units of a program by subsystem.
pub(in crate::engine) struct Parts {
    /// The units without inputs among those that run in every step.
    pub ready: Vec<UnitId>,
    /// The units that publish outputs before they run: first those that run in every step, then those of each subsystem.
    pub begins: Vec<Vec<UnitId>>,
    /// For each unit, the subsystem whose enable unit it is.
    pub enables: UnitMap<Option<SubsystemId>>,
    /// For each subsystem, all units in it, at any depth.
    pub all: SubsystemMap<Vec<UnitId>>,
    /// For each subsystem, the inputs of these units that are connected to another of them.
    pub inner: SubsystemMap<Vec<Reader>>,
    /// Whether a block may run several times in a step outside of iterated subsystems.
    pub has_turns: bool,
    /// The readers of all outputs, in the order of the program's readers.
    pub readers: Vec<Reader>,
}

/// An input that is connected to an output.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Reader {
    pub unit: UnitId,
    /// The index of the input among all inputs.
    pub input: u32,
    /// The subsystem of the unit.
    pub subsystem: Option<SubsystemId>,
}

impl Parts {
    pub fn new(program: &Program) -> Parts {
        let mut parts = Parts {
            ready: Vec::new(),
            begins: vec![Vec::new(); program.subsystems.len() + 1],
            enables: program.by_unit(None),
            all: program.by_subsystem(Vec::new()),
            inner: program.by_subsystem(Vec::new()),
            has_turns: program.kernels.values().any(|kernel| kernel.iterations.is_some()),
            readers: program.readers.iter().map(|reader| Reader::new(program, reader)).collect(),
        };
        for (number, subsystem) in program.subsystems.iter() {
            parts.enables[subsystem.enable_unit] = Some(number);
        }
        for (number, unit) in program.units.iter() {
            let mut subsystem = unit.subsystem;
            let kernel = program.kernel(unit);
            if subsystem.is_none() && kernel.inputs.is_empty() {
                parts.ready.push(number);
            }
            if !kernel.inputs.is_empty() && !kernel.begin.is_empty() {
                parts.begins[subsystem.map_or(0, |subsystem| subsystem.index() + 1)].push(number);
            }
            while let Some(around) = subsystem {
                parts.all[around].push(number);
                let inputs = unit.first_input..unit.first_input + program.kernel(unit).inputs.len() as u32;
                let is_inner = |input: &u32| {
                    let source = program.sources[*input as usize];
                    source.is_some_and(|source| {
                        let from = &program.units[program.outputs[source].unit];
                        program.is_within(from.subsystem, around)
                    })
                };
                parts.inner[around].extend(inputs.filter(is_inner).map(|input| Reader {
                    unit: number,
                    input,
                    subsystem: unit.subsystem,
                }));
                subsystem = program.subsystems[around].parent;
            }
        }
        parts
    }

    /// The readers of an output.
    pub fn readers_of(&self, program: &Program, output: OutputId) -> &[Reader] {
        let Output { first_reader, reader_count, .. } = program.outputs[output];
        &self.readers[first_reader as usize..(first_reader + reader_count) as usize]
    }
}

impl Reader {
    fn new(program: &Program, &UnitInput { unit, input }: &UnitInput) -> Reader {
        let Unit { first_input, subsystem, .. } = program.units[unit];
        Reader { unit, input: first_input + input, subsystem }
    }
}

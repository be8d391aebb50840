//! Typed units → program: every value, state and parameter gets its offset.

use std::sync::Arc;

use super::super::program::{ConditionalSubsystem, Output, Program, StateSlot, SubsystemExit, Unit, WrittenFile};
use super::super::solver::{Solver, Tolerances};
use super::flatten::{FlatUnit, Flattened};
use super::instances::SubsystemScope;
use super::template::Templates;
use super::widths::Kernels;
use crate::block::math::stream;
use crate::block::{Kernel, ParamDef, Setting, StateKind};
use crate::model::Simulation;

/// Lays out a program without algebraic loops, rates and readers.
pub(super) fn lay_out(
    simulation: &Simulation,
    (solver, tolerances): (Solver, Tolerances),
    templates: &Templates,
    flattened: Flattened,
    kernels: Kernels,
) -> Program {
    let Flattened { instances, units } = flattened;
    let mut program = Program {
        steps: simulation.steps,
        delta: simulation.delta,
        solver,
        tolerances,
        max_executions: Program::MAX_EXECUTIONS,
        refuses_non_finite: false,
        units: Vec::with_capacity(units.len()),
        rates: Vec::new(),
        held: Vec::new(),
        kernels: kernels.list,
        sources: Vec::new(),
        outputs: Vec::new(),
        readers: Vec::new(),
        states: Vec::new(),
        params: Vec::new(),
        subsystems: Vec::new(),
        value_count: 0,
        discrete_count: 0,
        continuous_count: 0,
        history_count: 0,
        loops: Vec::new(),
        remote: None,
        symbols: instances.symbols,
        written_files: Vec::new(),
    };
    let mut input_count = 0;
    for (unit, kernel) in units.iter().zip(kernels.by_unit.into_iter().flatten()) {
        add_unit(&mut program, templates, unit, kernel, input_count);
        input_count += unit.sources.len() as u32;
    }
    let output = |&(unit, output): &(usize, usize)| program.units[unit].first_output + output as u32;
    let sources = units.iter().flat_map(|unit| &unit.sources);
    program.sources = sources.map(|source| source.as_ref().map(output)).collect();
    program.subsystems =
        instances.subsystems.iter().filter_map(|scope| subsystem(&program, templates, scope)).collect();
    for (unit, number) in units.iter().zip(0..) {
        if let Some(subsystem) = unit.subsystem {
            program.subsystems[subsystem as usize].units.push(number);
        }
    }
    program
}

fn add_unit(program: &mut Program, templates: &Templates, unit: &FlatUnit, kernel: u32, first_input: u32) {
    let number = program.units.len() as u32;
    let tape = Arc::clone(&program.kernels[kernel as usize]);
    program.units.push(Unit {
        kernel,
        first_input,
        first_output: program.outputs.len() as u32,
        first_state: program.states.len() as u32,
        first_param: program.params.len() as u32,
        subsystem: unit.subsystem,
        is_hidden: unit.is_hidden,
        instance: unit.instance,
        block: unit.block,
    });
    for output in &tape.outputs {
        let (offset, width) = (program.value_count as u32, output.width as u32);
        program.outputs.push(Output { unit: number, offset, width, first_reader: 0, reader_count: 0 });
        program.value_count += output.width;
    }
    add_states(program, &tape);
    for &(index, _) in &tape.params {
        if index == Kernel::STREAM {
            program.params.push(stream_of(program, templates, unit));
        } else if let Some((_, Setting::Number(values))) = unit.settings.params().nth(index) {
            program.params.extend(values);
        }
    }
    program.written_files.extend(written_file(number, unit));
}

/// The number of a unit's stream of random numbers.
fn stream_of(program: &Program, templates: &Templates, unit: &FlatUnit) -> f64 {
    let instances = &program.symbols.instances;
    let seeds = |instance: u32, block: u32| {
        let model = &templates.models[instances[instance as usize].model as usize];
        model.blocks[block as usize].seeds.iter().copied()
    };
    // From the inside to the outside.
    let mut levels: Vec<(u64, u64)> = seeds(unit.instance, unit.block).rev().map(|seed| (seed, 0)).collect();
    let mut number = unit.instance;
    while let Some((parent, block)) = instances[number as usize].parent {
        levels.push((0, u64::from(instances[number as usize].iteration)));
        levels.extend(seeds(parent, block).rev().map(|seed| (seed, 0)));
        number = parent;
    }
    let kind = format!("{}/{}", unit.def.group, unit.def.name);
    stream(&kind, levels.into_iter().rev())
}

fn add_states(program: &mut Program, kernel: &Kernel) {
    for state in &kernel.states {
        let (count, size) = match state.kind {
            StateKind::Discrete => (&mut program.discrete_count, state.width),
            StateKind::Continuous => (&mut program.continuous_count, state.width),
            StateKind::History { length } => (&mut program.history_count, state.width * length + 1),
        };
        let offset = *count as u32;
        *count += size;
        program.states.push(StateSlot { kind: state.kind, offset, width: state.width as u32 });
    }
}

/// The file that a unit writes, if it writes one.
fn written_file(number: u32, unit: &FlatUnit) -> Option<WrittenFile> {
    let path = unit.settings.text(unit.def.written_file()?).to_owned();
    let decimation = unit.settings.integer(ParamDef::DECIMATION.name).unsigned_abs().max(1);
    Some(WrittenFile { unit: number, path, decimation })
}

/// A subsystem, without its units.
fn subsystem(program: &Program, templates: &Templates, scope: &SubsystemScope) -> Option<ConditionalSubsystem> {
    let block = &program.symbols.model_blocks[scope.model_block as usize];
    let enable = templates.models[block.model as usize].enable.as_ref()?;
    let (parent, index) = block.parent;
    let exits = enable.idle_resets.iter().enumerate().filter_map(|(number, &idle_resets)| {
        let output = program.resolve(parent, index as usize, number)? as u32;
        Some(SubsystemExit { output, idle_resets })
    });
    let condition = enable.condition.and_then(|exit| program.resolve(block.first_instance, exit, 0));
    Some(ConditionalSubsystem {
        parent: scope.parent,
        enable_unit: block.enable_unit()?,
        is_iterated: enable.is_iterated,
        condition: condition.map(|output| output as u32),
        limit: enable.limit,
        can_reset: enable.can_reset,
        units: Vec::new(),
        exits: exits.collect(),
    })
}

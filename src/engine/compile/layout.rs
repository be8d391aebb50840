//! Typed units → program: every value, state and parameter gets its offset.

use std::sync::Arc;

use super::super::program::{ConditionalSubsystem, Program, SubsystemExit, Unit, WrittenFile};
use super::flatten::{FlatUnit, Flattened};
use super::instances::SubsystemScope;
use super::template::Templates;
use super::widths::Kernels;
use crate::block::math::stream;
use crate::block::{Kernel, ParamDef, Setting};
use crate::engine::program::solver::{Solver, Tolerances};
use crate::engine::program::symbols::InstanceBlock;
use crate::engine::{EntityRef, KernelId, OutputId, PrimaryMap, UnitId};
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
        units: PrimaryMap::with_capacity(units.len()),
        ..Program::empty((solver, tolerances), kernels.list, Arc::new(instances.symbols))
    };
    for (unit, kernel) in units.values().zip(kernels.by_unit.into_iter().filter_map(|(_, kernel)| kernel)) {
        add_unit(&mut program, templates, unit, kernel);
    }
    program.outputs.shrink_to_fit();
    program.states.shrink_to_fit();
    program.params.shrink_to_fit();
    let output = |&(unit, output): &(UnitId, usize)| program.units[unit].first_output + output;
    let sources = units.values().flat_map(|unit| &unit.sources);
    program.sources = sources.map(|source| source.as_ref().map(output)).collect();
    program.subsystems =
        instances.subsystems.values().filter_map(|scope| subsystem(&program, templates, scope)).collect();
    for (number, unit) in &units {
        if let Some(subsystem) = unit.subsystem {
            program.subsystems[subsystem].units.push(number);
        }
    }
    program
}

fn add_unit(program: &mut Program, templates: &Templates, unit: &FlatUnit, kernel: KernelId) {
    let number = program.units.next_key();
    let tape = Arc::clone(&program.kernels[kernel]);
    program.add_unit(Unit {
        kernel,
        first_input: 0,
        first_output: OutputId::new(0),
        first_state: 0,
        first_param: 0,
        subsystem: unit.subsystem,
        is_hidden: unit.is_hidden,
        origin: unit.origin,
    });
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
    let seeds = |InstanceBlock { instance, block }: InstanceBlock| {
        let model = &templates.models[instances[instance as usize].model as usize];
        model.blocks[block as usize].seeds.iter().copied()
    };
    // From the inside to the outside.
    let mut levels: Vec<(u64, u64)> = seeds(unit.origin).rev().map(|seed| (seed, 0)).collect();
    let mut number = unit.origin.instance;
    while let Some(around) = instances[number as usize].parent {
        levels.push((0, u64::from(instances[number as usize].iteration)));
        levels.extend(seeds(around).rev().map(|seed| (seed, 0)));
        number = around.instance;
    }
    let kind = format!("{}/{}", unit.def.group, unit.def.name);
    stream(&kind, levels.into_iter().rev())
}

/// The file that a unit writes, if it writes one.
fn written_file(number: UnitId, unit: &FlatUnit) -> Option<WrittenFile> {
    let path = unit.settings.text(unit.def.written_file()?).to_owned();
    let decimation = unit.settings.integer(ParamDef::DECIMATION.name).unsigned_abs().max(1);
    Some(WrittenFile { unit: number, path, decimation })
}

/// A subsystem, without its units.
fn subsystem(program: &Program, templates: &Templates, scope: &SubsystemScope) -> Option<ConditionalSubsystem> {
    let block = &program.symbols.model_blocks[scope.model_block as usize];
    let enable = templates.models[block.model as usize].enable.as_ref()?;
    let InstanceBlock { instance, block: index } = block.parent;
    let exits = enable.idle_resets.iter().enumerate().filter_map(|(number, &idle_resets)| {
        let output = program.resolve(instance, index as usize, number)?;
        Some(SubsystemExit { output, idle_resets })
    });
    let condition = enable.condition.and_then(|exit| program.resolve(block.first_instance, exit, 0));
    Some(ConditionalSubsystem {
        parent: scope.parent,
        enable_unit: block.enable_unit()?,
        is_iterated: enable.is_iterated,
        is_triggered: enable.is_triggered(),
        condition,
        limit: enable.limit,
        can_reset: enable.can_reset,
        units: Vec::new(),
        exits: exits.collect(),
    })
}

//! Tears algebraic loops: each gets a hidden unit that solves it, so that the rest of the engine sees no loops.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::program::{AlgebraicLoop, Output, StateSlot, Unit};
use super::super::{OutputId, Program, UnitId};
use super::loops::{Loops, is_late};
use crate::block::{Kernel, StateKind};
use crate::model::Diagnostic;

/// Gives each loop a unit that solves it.
///
/// # Errors
/// Where the blocks of a loop do not all run together, or run several times in a step.
pub(super) fn tear_loops(program: &mut Program, loops: Loops) -> Result<(), Vec<Diagnostic>> {
    let unsolvable = loops.members.iter().filter_map(|members| unsolvable_unit(program, members));
    let refused: Vec<Diagnostic> = unsolvable.map(|unit| refuse(program, unit)).collect();
    if !refused.is_empty() {
        return Err(refused);
    }
    for members in loops.members {
        tear(program, members);
    }
    Ok(())
}

/// A unit because of which a loop cannot be solved. A loop inside a conditional subsystem is solved when that runs; one
/// that goes in and out of it has no order, and one that runs several times in a step no single solution.
fn unsolvable_unit(program: &Program, members: &[UnitId]) -> Option<UnitId> {
    let first = *members.first()?;
    let subsystem = program.units[first].subsystem;
    let is_unsolvable = |&member: &UnitId| {
        let is_enable_unit = program.subsystems.values().any(|subsystem| subsystem.enable_unit == member);
        let unit = &program.units[member];
        let kernel = program.kernel(unit);
        is_enable_unit
            || unit.is_hidden
            || unit.subsystem != subsystem
            || kernel.iterations.is_some()
            || kernel.is_held_exit()
    };
    let mut around = std::iter::successors(subsystem, |&subsystem| program.subsystems[subsystem].parent);
    let is_iterated = around.any(|subsystem| program.subsystems[subsystem].is_iterated);
    members.iter().copied().find(is_unsolvable).or(is_iterated.then_some(first))
}

fn refuse(program: &Program, unit: UnitId) -> Diagnostic {
    let message = "an algebraic loop goes into or out of a conditional part, or runs several times in a step";
    let help = "put a delay or an integrator on the way; a loop is solved where all its blocks run together, at most once in a step";
    let block = program.block_of(unit).block;
    Diagnostic::error("loop", message).help(help).on_block(program.model_of(unit), block)
}

fn tear(program: &mut Program, units: Vec<UnitId>) {
    let inside: BTreeSet<UnitId> = units.into_iter().collect();
    let is_inside = |program: &Program, output: OutputId| inside.contains(&program.output_unit(output));
    let (members, torn) = order(program, &inside);
    let mut externals = BTreeSet::new();
    for &member in &members {
        for source in program.sources_of(&program.units[member]) {
            // A unit with an unconnected input never runs, and so does the loop.
            let Some(source) = *source else { return };
            if !is_inside(program, source) || !is_late(program, source) {
                externals.insert(source);
            }
        }
    }
    let width = |output: &OutputId| program.outputs[*output].width as usize;
    let inputs: Vec<usize> = externals.iter().map(width).collect();
    let outputs: Vec<usize> = torn.iter().map(width).collect();
    let kernel = Kernel::of_loop(program.loops.len() as u32, &inputs, &outputs);
    let torn_loop = AlgebraicLoop {
        unit: program.units.next_key(),
        width: outputs.iter().sum(),
        members,
        torn: torn.clone(),
        externals: externals.iter().copied().collect(),
    };
    let first_member = program.units[torn_loop.members[0]];
    program.units.push(Unit {
        kernel: program.kernels.next_key(),
        first_input: program.sources.len() as u32,
        first_output: program.outputs.next_key(),
        first_state: program.states.len() as u32,
        first_param: program.params.len() as u32,
        is_hidden: true,
        ..first_member
    });
    if let Some(subsystem) = first_member.subsystem {
        program.subsystems[subsystem].units.push(torn_loop.unit);
    }
    program.kernels.push(Arc::new(kernel));
    program.sources.extend(externals.into_iter().map(Some));
    let offset = program.discrete_count as u32;
    program.states.push(StateSlot { kind: StateKind::Discrete, offset, width: torn_loop.width as u32 });
    program.discrete_count += torn_loop.width;
    let mut solved = BTreeMap::new();
    for (&output, &width) in torn.iter().zip(&outputs) {
        let (unit, offset) = (torn_loop.unit, program.value_count as u32);
        let known =
            program.outputs.push(Output { unit, offset, width: width as u32, first_reader: 0, reader_count: 0 });
        solved.insert(output, known);
        program.value_count += width;
    }
    for &member in &torn_loop.members {
        let first = program.units[member].first_input as usize;
        let count = program.sources_of(&program.units[member]).len();
        for source in program.sources[first..first + count].iter_mut().flatten() {
            *source = solved.get(source).copied().unwrap_or(*source);
        }
    }
    program.loops.push(torn_loop);
}

/// An order of the units, and the outputs that have to be torn for it: when no unit can run, the narrowest output, then
/// the one with most readers, then the first.
fn order(program: &Program, inside: &BTreeSet<UnitId>) -> (Vec<UnitId>, Vec<OutputId>) {
    let mut missing: BTreeMap<UnitId, BTreeSet<OutputId>> = BTreeMap::new();
    let mut reader_counts: BTreeMap<OutputId, usize> = BTreeMap::new();
    for &unit in inside {
        let waits_for = |&output: &OutputId| is_late(program, output) && inside.contains(&program.output_unit(output));
        let outputs: BTreeSet<OutputId> =
            program.sources_of(&program.units[unit]).iter().copied().flatten().filter(waits_for).collect();
        outputs.iter().for_each(|&output| *reader_counts.entry(output).or_default() += 1);
        missing.insert(unit, outputs);
    }
    let (mut members, mut torn, mut known) = (Vec::new(), Vec::new(), BTreeSet::new());
    while members.len() < inside.len() {
        let ready = missing.iter().find(|(_, outputs)| outputs.is_subset(&known)).map(|(&unit, _)| unit);
        if let Some(unit) = ready {
            missing.remove(&unit);
            members.push(unit);
            known.extend(program.outputs_of(&program.units[unit]));
            continue;
        }
        let open = reader_counts.iter().filter(|(output, _)| !known.contains(*output));
        let key = |&(&output, &count): &(&OutputId, &usize)| {
            (program.outputs[output].width, std::cmp::Reverse(count), output)
        };
        let Some((&output, _)) = open.min_by_key(key) else { break };
        known.insert(output);
        torn.push(output);
    }
    torn.sort_unstable();
    (members, torn)
}

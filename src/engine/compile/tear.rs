//! Finds algebraic loops in a program and tears them, so that the rest of the engine sees none.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::Program;
use super::super::program::{Output, StateSlot, Unit};
use super::loops::Graph;
use super::super::schedule::is_held_exit;
use super::super::solve::AlgebraicLoop;
use crate::block::{Kernel, StateKind};
use crate::model::Diagnostic;

/// Gives each loop a unit that solves it.
///
/// # Errors
/// Where the blocks of a loop do not all run together, or run several times in a step.
pub(super) fn tear_loops(program: &mut Program) -> Result<(), Vec<Diagnostic>> {
    let owner: Vec<usize> = {
        let units = program.units.iter().enumerate();
        units.flat_map(|(number, unit)| program.outputs_of(unit).map(move |_| number)).collect()
    };
    let circles = Graph::of_units(program).rings();
    // A loop within a conditional subsystem is solved when that runs; one that goes in and out of it has no order, and
    // one that runs several times in a step no single solution.
    let is_iterated = |subsystem: Option<u32>| {
        let mut around = std::iter::successors(subsystem, |&subsystem| program.subsystems[subsystem as usize].parent);
        around.any(|subsystem| program.subsystems[subsystem as usize].is_iterated)
    };
    let is_odd = |unit: usize, subsystem: Option<u32>| {
        let decides = program.subsystems.iter().any(|subsystem| subsystem.enable_unit as usize == unit);
        let unit = &program.units[unit];
        let kernel = program.kernel(unit);
        decides || unit.is_hidden || unit.subsystem != subsystem || kernel.iterations.is_some() || is_held_exit(kernel)
    };
    let odd = circles.iter().filter_map(|members| {
        let subsystem = program.units[*members.first()?].subsystem;
        let odd = members.iter().find(|unit| is_odd(**unit, subsystem));
        odd.or_else(|| members.first().filter(|_| is_iterated(subsystem)))
    });
    let refused: Vec<Diagnostic> = odd.map(|&unit| refuse(program, unit)).collect();
    if !refused.is_empty() {
        return Err(refused);
    }
    for members in circles {
        tear(program, &owner, members);
    }
    connect_readers(program);
    Ok(())
}

fn refuse(program: &Program, unit: usize) -> Diagnostic {
    let message = "an algebraic loop goes into or out of a conditional part, or runs several times in a step";
    let help = "put a delay or an integrator on the way; a loop is solved where all its blocks run together, at most once in a step";
    let (_, block) = program.block_of(unit);
    Diagnostic::error("loop", message).help(help).on_block(program.model_of(unit), block)
}

/// Whether an output is made when its unit runs, not before.
fn is_late(program: &Program, owner: &[usize], output: usize) -> bool {
    let unit = &program.units[owner[output]];
    let made = &program.kernel(unit).outputs[output - unit.first_output as usize];
    !made.needs.is_empty()
}

/// The outputs that a unit waits for.
fn waits_for<'a>(program: &'a Program, owner: &'a [usize], unit: usize) -> impl Iterator<Item = usize> + 'a {
    let first = program.units[unit].first_input as usize;
    let count = program.kernel(&program.units[unit]).inputs.len();
    let sources = program.sources[first..first + count].iter().flatten().map(|&source| source as usize);
    sources.filter(|&source| is_late(program, owner, source))
}

fn tear(program: &mut Program, owner: &[usize], circle: Vec<usize>) {
    let inside: BTreeSet<usize> = circle.iter().copied().collect();
    let (members, torn) = order(program, owner, &circle, &inside);
    let mut externals = BTreeSet::new();
    for &member in &members {
        let first = program.units[member].first_input as usize;
        let count = program.kernel(&program.units[member]).inputs.len();
        let sources = program.sources[first..first + count].iter();
        // An input that nothing feeds keeps its unit from running, and with it all.
        if sources.clone().any(Option::is_none) {
            return;
        }
        let is_outside = |source: &usize| !inside.contains(&owner[*source]) || !is_late(program, owner, *source);
        externals.extend(sources.flatten().map(|&source| source as usize).filter(is_outside));
    }
    let externals: Vec<usize> = externals.into_iter().collect();
    let width = |output: &usize| program.outputs[*output].width as usize;
    let inputs: Vec<usize> = externals.iter().map(width).collect();
    let outputs: Vec<usize> = torn.iter().map(width).collect();
    let number = program.loops.len();
    let kernel = Kernel::of_loop(number as u32, &inputs, &outputs);
    let of = AlgebraicLoop {
        unit: program.units.len(),
        width: outputs.iter().sum(),
        members,
        torn: torn.clone(),
        externals: externals.clone(),
    };
    let first_output = program.outputs.len() as u32;
    let model = program.units[of.members[0]];
    program.units.push(Unit {
        kernel: program.kernels.len() as u32,
        first_input: program.sources.len() as u32,
        first_output,
        first_state: program.states.len() as u32,
        first_param: program.params.len() as u32,
        is_hidden: true,
        ..model
    });
    if let Some(subsystem) = model.subsystem {
        program.subsystems[subsystem as usize].units.push(of.unit as u32);
    }
    program.kernels.push(Arc::new(kernel));
    program.sources.extend(externals.iter().map(|&output| Some(output as u32)));
    let discrete = &mut program.discrete_count;
    program.states.push(StateSlot { kind: StateKind::Discrete, offset: *discrete as u32, width: of.width as u32 });
    *discrete += of.width;
    let mut given = BTreeMap::new();
    for (&output, &width) in torn.iter().zip(&outputs) {
        given.insert(output as u32, program.outputs.len() as u32);
        let offset = program.value_count as u32;
        program.outputs.push(Output {
            unit: of.unit as u32,
            offset,
            width: width as u32,
            first_reader: 0,
            reader_count: 0,
        });
        program.value_count += width;
    }
    for &member in &of.members {
        let first = program.units[member].first_input as usize;
        let count = program.kernel(&program.units[member]).inputs.len();
        for source in program.sources[first..first + count].iter_mut().flatten() {
            *source = given.get(source).copied().unwrap_or(*source);
        }
    }
    program.loops.push(of);
}

/// An order of the units and the outputs that are to be torn for it: whenever none can run, the outputs of the unit
/// that opens the way for most others.
fn order(program: &Program, owner: &[usize], circle: &[usize], inside: &BTreeSet<usize>) -> (Vec<usize>, Vec<usize>) {
    let mut missing: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut readers: BTreeMap<usize, usize> = BTreeMap::new();
    for &unit in circle {
        let sources: BTreeSet<usize> =
            waits_for(program, owner, unit).filter(|&source| inside.contains(&owner[source])).collect();
        sources.iter().for_each(|&source| *readers.entry(source).or_default() += 1);
        missing.insert(unit, sources);
    }
    let (mut members, mut torn, mut known) = (Vec::new(), Vec::new(), BTreeSet::new());
    while members.len() < circle.len() {
        let ready = missing.iter().find(|(_, sources)| sources.is_subset(&known)).map(|(&unit, _)| unit);
        match ready {
            Some(unit) => {
                missing.remove(&unit);
                members.push(unit);
                known.extend(program.outputs_of(&program.units[unit]));
            }
            None => {
                // Narrow ones first, then those with many readers, then the first.
                let open = readers.iter().filter(|(output, _)| !known.contains(*output));
                let best = open
                    .min_by_key(|&(&output, &count)| (program.outputs[output].width, std::cmp::Reverse(count), output));
                let Some((&output, _)) = best else { break };
                known.insert(output);
                torn.push(output);
            }
        }
    }
    torn.sort_unstable();
    (members, torn)
}

fn connect_readers(program: &mut Program) {
    program.outputs.iter_mut().for_each(|output| output.reader_count = 0);
    for source in program.sources.iter().flatten() {
        program.outputs[*source as usize].reader_count += 1;
    }
    let mut first = 0;
    for output in &mut program.outputs {
        output.first_reader = first;
        first += output.reader_count;
    }
    program.readers = vec![(0, 0); first as usize];
    let mut next: Vec<u32> = program.outputs.iter().map(|output| output.first_reader).collect();
    for (number, unit) in program.units.iter().enumerate() {
        for input in 0..program.kernels[unit.kernel as usize].inputs.len() {
            if let Some(source) = program.sources[unit.first_input as usize + input] {
                let place = &mut next[source as usize];
                program.readers[*place as usize] = (number as u32, input as u32);
                *place += 1;
            }
        }
    }
}

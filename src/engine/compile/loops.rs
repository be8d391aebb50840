//! Algebraic loops of a program: units that wait for each other, so that none of them can run first.
//!
//! They are searched in the program, by its tapes. The loops that [`crate::model::find_loops`] finds in the document are
//! a hint for the editor.

use std::sync::Arc;

use super::super::{OutputId, Program, UnitId};
use super::template::{ModelTemplate, Templates};
use crate::engine::program::graph::Graph;
use crate::engine::program::symbols::InstanceBlock;
use crate::model::{Diagnostic, Hop, Simulation, loop_found};

/// The algebraic loops of a program.
pub(super) struct Loops {
    /// For each unit, the units that it waits for.
    waits_for: Graph<UnitId>,
    /// The units of each loop in ascending order, or of several loops with units in common.
    pub members: Vec<Vec<UnitId>>,
}

impl Loops {
    /// A unit waits for the units of its inputs, except for outputs that are published before any unit runs, and for
    /// the enable unit of its subsystem.
    pub fn find(program: &Program) -> Loops {
        let waits_for = Graph::new(program.units.keys(), |number, found| {
            let unit = &program.units[number];
            let sources = program.sources_of(unit).iter().flatten();
            let late = sources.filter(|source| is_late(program, **source));
            found.extend(late.map(|source| program.output_unit(*source)));
            found.extend(unit.subsystem.map(|subsystem| program.subsystems[subsystem].enable_unit));
        });
        let members = waits_for.loops();
        Loops { waits_for, members }
    }

    /// One diagnostic for each loop, with every hop of a shortest way round.
    pub fn refuse(&self, program: &Program, templates: &Templates, simulation: &Simulation) -> Vec<Diagnostic> {
        let ways = self.members.iter().map(|members| self.waits_for.shortest_loop(members));
        ways.map(|way| refusal(program, templates, simulation, &way)).collect()
    }
}

/// Whether an output is set only when its unit runs. The outputs of a subsystem are set after the whole subsystem has
/// run.
pub(super) fn is_late(program: &Program, output: OutputId) -> bool {
    let unit = &program.units[program.output_unit(output)];
    let made = &program.kernel(unit).outputs[output - unit.first_output];
    !made.needs.is_empty() || made.idle.is_some()
}

/// Names the blocks on the way in the innermost model that contains all of it.
fn refusal(program: &Program, templates: &Templates, simulation: &Simulation, way: &[UnitId]) -> Diagnostic {
    let chains: Vec<Vec<InstanceBlock>> = way.iter().map(|&unit| chain(program, unit)).collect();
    let depth = (0..).take_while(|&depth| {
        let instance = |chain: &Vec<InstanceBlock>| chain.get(depth).map(|block| block.instance);
        chains.first().is_some_and(|first| {
            instance(first).is_some() && chains.iter().all(|chain| instance(chain) == instance(first))
        })
    });
    let depth = depth.count().saturating_sub(1);
    let mut blocks: Vec<usize> = chains.iter().filter_map(|chain| Some(chain.get(depth)?.block as usize)).collect();
    blocks.dedup();
    if blocks.len() > 1 && blocks.first() == blocks.last() {
        blocks.pop();
    }
    let instance = chains.first().and_then(|chain| chain.get(depth)).map_or(0, |block| block.instance);
    let template = &templates.models[program.symbols.instances[instance as usize].model as usize];
    match simulation.model(&template.symbols.model) {
        Some(model) => loop_found(model, &hops(template, &blocks)),
        None => Diagnostic::error("loop", "a loop without a state on the way"),
    }
}

/// The model blocks from the root to a unit's block, and that block.
fn chain(program: &Program, unit: UnitId) -> Vec<InstanceBlock> {
    let mut chain: Vec<InstanceBlock> = program.symbols.way_out(program.units[unit].origin).collect();
    chain.reverse();
    chain
}

/// The blocks with these indices, each connected to the one before, and the first to the last.
fn hops(template: &ModelTemplate, blocks: &[usize]) -> Vec<Hop> {
    let block = |at: usize| blocks[at % blocks.len()];
    // The input of one block and the output of the other that are connected.
    let connection = |from: usize, to: usize| {
        let from = block(from);
        let mut sources = template.blocks[block(to)].sources.iter().enumerate();
        sources
            .find_map(|(input, source)| source.filter(|(source, _)| *source == from).map(|(_, output)| (input, output)))
    };
    let name = |names: &[Arc<str>], at: Option<usize>| at.and_then(|at| names.get(at)).cloned().unwrap_or_default();
    let hop = |at: usize| {
        let symbol = &template.symbols.blocks[block(at)];
        let input = connection(at + blocks.len() - 1, at).map(|(input, _)| input);
        let output = connection(at, at + 1).map(|(_, output)| output);
        Hop { block: symbol.id, input: name(&symbol.ports.inputs, input), output: name(&symbol.ports.outputs, output) }
    };
    (0..blocks.len()).map(hop).collect()
}

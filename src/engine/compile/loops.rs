//! Rings: units that wait for each other, so that none of them could be the first to run.
//!
//! They are looked for in the laid-out program, by its real tapes: whatever the editor knows ahead is a hint only.

use std::collections::BTreeMap;

use super::super::Program;
use super::template::{ModelTemplate, TemplateBlock};
use super::instances::Tree;
use crate::model::{Diagnostic, Hop, Simulation, loop_found};

/// Who waits for whom, by number.
pub(super) struct Graph {
    firsts: Vec<u32>,
    list: Vec<u32>,
}

impl Graph {
    /// `waits_for` adds those for which one waits.
    pub fn new(count: usize, mut waits_for: impl FnMut(usize, &mut Vec<u32>)) -> Graph {
        let mut graph = Graph { firsts: Vec::with_capacity(count + 1), list: Vec::new() };
        for number in 0..count {
            graph.firsts.push(graph.list.len() as u32);
            waits_for(number, &mut graph.list);
        }
        graph.firsts.push(graph.list.len() as u32);
        graph
    }

    /// Who waits for whom among the units of a program.
    ///
    /// A unit waits for what makes its inputs, unless that is published before anything runs, and for the enable unit
    /// of the conditional or iterated subsystem that it stands in. What such a part shows to others is there when all
    /// of it is over.
    pub fn of_units(program: &Program) -> Graph {
        Graph::new(program.units.len(), |number, found| {
            let unit = &program.units[number];
            let first = unit.first_input as usize;
            let sources = program.sources[first..first + program.kernel(unit).inputs.len()].iter().flatten();
            found
                .extend(sources.filter(|source| is_late(program, **source)).map(|source| program.output_unit(*source)));
            found.extend(unit.subsystem.map(|subsystem| program.subsystems[subsystem as usize].enable_unit));
        })
    }

    fn next(&self, number: usize) -> &[u32] {
        &self.list[self.firsts[number] as usize..self.firsts[number + 1] as usize]
    }

    /// The sets of those that wait for each other, by Tarjan's algorithm (SIAM J. Computing 1, 1972), without recursion.
    pub fn rings(&self) -> Vec<Vec<usize>> {
        const NEW: u32 = u32::MAX;
        let count = self.firsts.len() - 1;
        let (mut index, mut lowest) = (vec![NEW; count], vec![NEW; count]);
        let mut is_open = vec![false; count];
        let (mut open, mut found, mut next) = (Vec::new(), Vec::new(), 0);
        // Who is looked at, and how many of those that it waits for have been.
        let mut path: Vec<(usize, usize)> = Vec::new();
        for root in 0..count {
            if index[root] == NEW {
                path.push((root, 0));
            }
            while let Some(&mut (number, ref mut seen)) = path.last_mut() {
                if index[number] == NEW {
                    (index[number], lowest[number], is_open[number]) = (next, next, true);
                    next += 1;
                    open.push(number);
                }
                if let Some(&before) = self.next(number).get(*seen) {
                    *seen += 1;
                    let before = before as usize;
                    if index[before] == NEW {
                        path.push((before, 0));
                    } else if is_open[before] {
                        lowest[number] = lowest[number].min(index[before]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(reader, _)) = path.last() {
                    lowest[reader] = lowest[reader].min(lowest[number]);
                }
                if lowest[number] == index[number] {
                    let at = open.iter().rposition(|member| *member == number).unwrap_or(0);
                    let mut ring = open.split_off(at);
                    ring.iter().for_each(|member| is_open[*member] = false);
                    if ring.len() > 1 || self.next(number).contains(&(number as u32)) {
                        ring.sort_unstable();
                        found.push(ring);
                    }
                }
            }
        }
        found.sort();
        found
    }

    /// One of the shortest ways round through the first of a ring, in the direction of the data.
    fn way_round(&self, ring: &[usize]) -> Vec<usize> {
        let Some(&start) = ring.first() else { return Vec::new() };
        let mut from: BTreeMap<usize, usize> = BTreeMap::new();
        let mut level = vec![start];
        while !level.is_empty() {
            let mut behind = Vec::new();
            for number in level {
                for before in self.next(number).iter().map(|before| *before as usize) {
                    if before == start {
                        // Whoever waits stands behind: back along the way it came.
                        let way = std::iter::successors(Some(number), |at| from.get(at).copied());
                        return way.collect();
                    }
                    if ring.binary_search(&before).is_ok() && !from.contains_key(&before) {
                        from.insert(before, number);
                        behind.push(before);
                    }
                }
            }
            level = behind;
        }
        ring.to_vec()
    }
}

/// Whether an output is made when its unit runs, not before.
fn is_late(program: &Program, output: u32) -> bool {
    let unit = &program.units[program.output_unit(output) as usize];
    let made = &program.kernel(unit).outputs[(output - unit.first_output) as usize];
    !made.needs.is_empty() || made.idle.is_some()
}

/// All rings of a program that is to have none, each with every hop of a way round. The plans must still know who feeds
/// whom.
pub(super) fn refused_rings(program: &Program, simulation: &Simulation) -> Vec<Diagnostic> {
    let graph = Graph::of_units(program);
    graph.rings().iter().map(|ring| refusal(program, simulation, &graph.way_round(ring))).collect()
}

/// The innermost model that has all of the way, and the blocks there that it leads through.
fn refusal(program: &Program, simulation: &Simulation, way: &[usize]) -> Diagnostic {
    let tree = &program.tree;
    let chains: Vec<Vec<(u32, u32)>> = way.iter().map(|&unit| chain(program, unit)).collect();
    let depth = (0..).take_while(|&depth| {
        let at = |chain: &Vec<(u32, u32)>| chain.get(depth).map(|(instance, _)| *instance);
        chains.first().is_some_and(|first| at(first).is_some() && chains.iter().all(|chain| at(chain) == at(first)))
    });
    let depth = depth.count().saturating_sub(1);
    let mut places: Vec<u32> = chains.iter().filter_map(|chain| Some(chain.get(depth)?.1)).collect();
    places.dedup();
    if places.len() > 1 && places.first() == places.last() {
        places.pop();
    }
    let instance = chains.first().and_then(|chain| chain.get(depth)).map_or(0, |(instance, _)| *instance);
    let template = template_of(program, tree, instance);
    let hops = hops(template, &places);
    match simulation.model(&template.model) {
        Some(model) => loop_found(model, &hops),
        None => Diagnostic::error("loop", "a loop without a state on the way"),
    }
}

fn template_of<'a>(program: &'a Program, tree: &Tree, instance: u32) -> &'a ModelTemplate {
    &program.templates[tree.instances[instance as usize].template as usize]
}

/// The instances from the root down to the unit's, each with the place there that leads on.
fn chain(program: &Program, unit: usize) -> Vec<(u32, u32)> {
    let unit = &program.units[unit];
    let above = |&(instance, _): &(u32, u32)| program.tree.instances[instance as usize].parent;
    let mut chain: Vec<(u32, u32)> = std::iter::successors(Some((unit.instance, unit.place)), above).collect();
    chain.reverse();
    chain
}

/// The blocks at these places of a plan, each fed by the one before and the first by the last.
fn hops(template: &ModelTemplate, places: &[u32]) -> Vec<Hop> {
    let block = |at: usize| template.block(places[at % places.len()] as usize);
    // The input of a block that another feeds, and that one's output.
    let wire = |from: usize, to: usize| {
        let place = places[from % places.len()] as usize;
        let fed = |(_, source): &(usize, &Option<(usize, usize)>)| source.is_some_and(|(of, _)| of == place);
        let (input, source) = block(to).sources.iter().enumerate().find(fed)?;
        Some((input, (*source)?.1))
    };
    let name = |names: &[std::sync::Arc<str>], at: Option<usize>| {
        at.and_then(|at| names.get(at)).cloned().unwrap_or_else(|| "".into())
    };
    let hop = |at: usize| {
        let TemplateBlock { id, ports, .. } = block(at);
        let input = wire(at + places.len() - 1, at).map(|(input, _)| input);
        let output = wire(at, at + 1).map(|(_, output)| output);
        Hop { block: *id, input: name(&ports.inputs, input), output: name(&ports.outputs, output) }
    };
    (0..places.len()).map(hop).collect()
}

/// Panics where a unit never runs although all its inputs are led to, and fed by what runs: a ring that nobody refused.
pub(in crate::engine) fn assert_scheduled(program: &Program, runs: impl Fn(usize) -> bool) {
    let mut is_explained = vec![false; program.units.len()];
    let mut open: Vec<usize> = Vec::new();
    for (number, unit) in program.units.iter().enumerate() {
        let first = unit.first_input as usize;
        let sources = &program.sources[first..first + program.kernel(unit).inputs.len()];
        if !runs(number) && sources.contains(&None) {
            is_explained[number] = true;
            open.push(number);
        }
    }
    let mut subsystems_of: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, subsystem) in program.subsystems.iter().enumerate() {
        subsystems_of.entry(subsystem.enable_unit).or_default().push(number);
    }
    while let Some(number) = open.pop() {
        let outputs = program.outputs_of(&program.units[number]);
        let readers = outputs.flat_map(|output| program.readers_of(output)).map(|(reader, _)| *reader);
        let inner = subsystems_of.get(&(number as u32)).into_iter().flatten();
        let inner = inner.flat_map(|&subsystem| {
            let subsystem = &program.subsystems[subsystem];
            let exits = subsystem.exits.iter().flat_map(|exit| program.readers_of(exit.output as usize));
            subsystem.units.iter().copied().chain(exits.map(|(reader, _)| *reader))
        });
        for next in readers.chain(inner).map(|next| next as usize) {
            if !runs(next) && !std::mem::replace(&mut is_explained[next], true) {
                open.push(next);
            }
        }
    }
    let lost = (0..program.units.len()).find(|&unit| !runs(unit) && !is_explained[unit]);
    assert!(lost.is_none(), "{} is fed and never runs", lost.map_or(String::new(), |unit| program.title(unit)));
}

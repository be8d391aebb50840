//! Finds algebraic loops: cycles of blocks with direct feedthrough.
//!
//! The block's tape tells which inputs an output depends on within the step; for a model, the paths inside tell. A
//! state on the path (integrator, delay, an entry and an exit of the same name) ends it; a tag does not. A conditional
//! or iterated model runs as a whole: each of its outputs depends on all its inputs.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::{
    Block, BlockId, BlockKind, Connection, Flow, InputKey, Model, Scope, Simulation, link, linked_ports, model_ports,
    nesting, settings_of,
};
use crate::block::{BlockDef, BuildContext, BuildError, Kernel, Registry, SettingsShape};

/// One block of a loop, with the input and output on the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    pub block: BlockId,
    pub input: Arc<str>,
    pub output: Arc<str>,
}

/// Returns algebraic loops, at least one if there is any, each with its model.
pub fn find_loops(simulation: &Simulation, registry: &Registry) -> Vec<(Arc<str>, Vec<Hop>)> {
    find_loops_linked(&link(simulation, registry).simulation, registry)
}

/// Returns the same for a simulation with wires instead of names, as [`link`] makes it.
pub(crate) fn find_loops_linked(simulation: &Simulation, registry: &Registry) -> Vec<(Arc<str>, Vec<Hop>)> {
    let mut needs = Needs::new(simulation, registry);
    let mut found = Vec::new();
    for name in nesting(simulation).order {
        let Some(model) = simulation.model(&name) else { continue };
        let mut walk = Walk::new(model, &needs);
        for id in model.blocks.keys() {
            for output in 0..walk.output_count(*id) {
                walk.follow(*id, output, &mut |hops| found.push((Arc::clone(&name), hops)));
            }
        }
        needs.finish_model(model);
    }
    found
}

/// Returns the algebraic loop that a new connection in `model` would close; none if loops are solved.
pub fn loop_closed_by(
    simulation: &Simulation,
    registry: &Registry,
    model: &str,
    connection: &Connection,
) -> Option<Vec<Hop>> {
    if simulation.solves_loops() {
        return None;
    }
    let mut changed = simulation.clone();
    changed.model_mut(model)?.connect(connection.clone());
    loop_through(&changed, registry, model, &[connection])
}

/// Returns the algebraic loop that a new connection in `model` would close there or in a model that contains it, with
/// the name of that model.
pub fn loop_closed_anywhere(
    simulation: &Simulation,
    registry: &Registry,
    model: &str,
    connection: &Connection,
) -> Option<(Arc<str>, Vec<Hop>)> {
    if let Some(hops) = loop_closed_by(simulation, registry, model, connection) {
        return Some((model.into(), hops));
    }
    if simulation.solves_loops() || simulation.instances_of(model).next().is_none() {
        return None;
    }
    let mut changed = simulation.clone();
    changed.model_mut(model)?.connect(connection.clone());
    new_loop(simulation, &changed, registry)
}

/// Returns an algebraic loop that a change has closed, with its model.
pub(super) fn new_loop(before: &Simulation, after: &Simulation, registry: &Registry) -> Option<(Arc<str>, Vec<Hop>)> {
    let known = find_loops(before, registry);
    find_loops(after, registry).into_iter().find(|found| !known.contains(found))
}

/// Returns the new connections in `model` that can be added in order without closing an algebraic loop.
pub fn without_loops(
    simulation: &Simulation,
    registry: &Registry,
    model: &str,
    connections: Vec<Connection>,
) -> Vec<Connection> {
    let with = |simulation: &Simulation, connections: &[&Connection]| {
        let mut changed = simulation.clone();
        let into = changed.model_mut(model)?;
        connections.iter().for_each(|connection| drop(into.connect((*connection).clone())));
        loop_through(&changed, registry, model, connections).is_none().then_some(changed)
    };
    let all: Vec<&Connection> = connections.iter().collect();
    if simulation.solves_loops() || with(simulation, &all).is_some() {
        return connections;
    }
    let mut changed = simulation.clone();
    let mut kept = Vec::new();
    for connection in connections {
        if let Some(next) = with(&changed, &[&connection]) {
            changed = next;
            kept.push(connection);
        }
    }
    kept
}

/// Returns the inputs in a model that an output depends on within the step, directly or indirectly: a wire from the
/// output to one of them would close an algebraic loop.
pub fn inputs_behind(
    simulation: &Simulation,
    registry: &Registry,
    model: &str,
    block: BlockId,
    output: &Arc<str>,
) -> BTreeSet<InputKey> {
    let mut behind = BTreeSet::new();
    let linked = link(simulation, registry);
    let simulation = &*linked.simulation;
    let Some(found) = simulation.model(model).filter(|_| !simulation.solves_loops()) else { return behind };
    let needs = Needs::of_inside(simulation, registry, model);
    let mut walk = Walk::new(found, &needs);
    let mut pending = vec![(block, output)];
    while let Some((block, output)) = pending.pop() {
        let Some((output, needs)) = walk.find(block, output) else { continue };
        if walk.mark(block, output, Mark::Done) == Mark::Done {
            continue;
        }
        for input in inputs_of(&needs, output) {
            let key = InputKey { block, input: Arc::clone(input) };
            pending.extend(found.connections.get(&key).map(|source| (source.from, &source.output)));
            behind.insert(key);
        }
    }
    behind
}

/// Returns an algebraic loop in `model` that contains one of these connections, if there is one.
pub(super) fn loop_through(
    simulation: &Simulation,
    registry: &Registry,
    model: &str,
    connections: &[&Connection],
) -> Option<Vec<Hop>> {
    let linked = link(simulation, registry);
    let simulation = &*linked.simulation;
    let searched = simulation.model(model)?;
    // In most cases not even all inputs of all blocks lead back; those of pasted blocks lead to other pasted blocks, but
    // in no cycle.
    if !leads_back(searched, connections) || !has_cycle_behind(searched, connections) {
        return None;
    }
    let needs = Needs::of_inside(simulation, registry, model);
    let mut walk = Walk::new(searched, &needs);
    let mut found = None;
    for connection in connections {
        let Some((output, _)) = walk.find(connection.from, &connection.output) else { continue };
        walk.follow(connection.from, output, &mut |hops| {
            // A loop upstream that does not contain a new connection existed before.
            let is_new = |hop: &Hop| connections.iter().any(|new| new.to == hop.block && new.input == hop.input);
            if found.is_none() && hops.iter().any(is_new) {
                found = Some(hops);
            }
        });
    }
    found
}

/// Whether the signal of one of the connections may depend on a block that one of them leads to, if each output depended
/// on each input.
fn leads_back(model: &Model, connections: &[&Connection]) -> bool {
    let targets: HashSet<BlockId> = connections.iter().map(|connection| connection.to).collect();
    let mut pending: Vec<BlockId> = connections.iter().map(|connection| connection.from).collect();
    let mut seen = HashSet::new();
    while let Some(block) = pending.pop() {
        if targets.contains(&block) {
            return true;
        }
        if seen.insert(block) {
            pending.extend(model.sources(block).map(|connection| connection.from));
        }
    }
    false
}

/// Whether the blocks that the connections start at, or those that they depend on, form a cycle, if each output depended
/// on each input.
fn has_cycle_behind(model: &Model, connections: &[&Connection]) -> bool {
    // Whether a block is still on the path to the one that is visited.
    let mut is_on_path: HashMap<BlockId, bool> = HashMap::new();
    let mut path = Vec::new();
    for connection in connections {
        let mut next = Some(connection.from);
        loop {
            if let Some(block) = next {
                match is_on_path.get(&block) {
                    Some(true) => return true,
                    Some(false) => {}
                    None => {
                        is_on_path.insert(block, true);
                        path.push((block, model.sources(block)));
                    }
                }
            }
            let Some((block, sources)) = path.last_mut() else { break };
            next = sources.next().map(|source| source.from);
            if next.is_none() {
                is_on_path.insert(*block, false);
                path.pop();
            }
        }
    }
    false
}

/// The direct feedthrough of a block: its outputs by name, each with the inputs that it depends on within the step.
type BlockNeeds = Vec<(Arc<str>, Vec<Arc<str>>)>;

/// The inputs that the tape of a block depends on: its definition, and the number of its inputs with the shape of its
/// settings, which is `None` for a block without options.
type BlockShape = (*const BlockDef, Option<(usize, SettingsShape)>);

struct Needs<'a> {
    simulation: &'a Simulation,
    registry: &'a Registry,
    /// The feedthrough of the finished models.
    models: BTreeMap<Arc<str>, Arc<BlockNeeds>>,
    /// The feedthrough of library blocks, so that each tape is built once.
    shapes: RefCell<HashMap<BlockShape, Arc<BlockNeeds>>>,
}

impl<'a> Needs<'a> {
    fn new(simulation: &'a Simulation, registry: &'a Registry) -> Needs<'a> {
        Needs { simulation, registry, models: BTreeMap::new(), shapes: RefCell::default() }
    }

    /// Includes all models that come before `model` in nesting order, which is as fast as finding those inside it.
    fn of_inside(simulation: &'a Simulation, registry: &'a Registry, model: &str) -> Needs<'a> {
        let mut needs = Needs::new(simulation, registry);
        for name in nesting(simulation).order.iter().take_while(|name| &***name != model) {
            if let Some(inner) = simulation.model(name) {
                needs.finish_model(inner);
            }
        }
        needs
    }

    fn of_block(&self, model: &Model, block: &Block) -> Arc<BlockNeeds> {
        match &block.kind {
            BlockKind::Entry { .. } | BlockKind::Exit { .. } => Arc::default(),
            BlockKind::Model { model } => self.models.get(model).cloned().unwrap_or_default(),
            BlockKind::Library { group, name } => {
                let Some(def) = self.registry.get(group, name) else { return Arc::default() };
                // Blocks of one kind without options are equal; their settings need not be read.
                let plain = (std::ptr::from_ref(def), None);
                let is_plain = block.options().next().is_none() && def.tag().is_none();
                if let Some(needs) = self.shapes.borrow().get(&plain).filter(|_| is_plain) {
                    return Arc::clone(needs);
                }
                let (settings, _) = settings_of(def, block, &Scope::of_model(self.simulation, model));
                let ports = linked_ports(def, &settings, model, block.id);
                let settings = Arc::new(settings);
                let shape = (std::ptr::from_ref(def), Some((ports.inputs.len(), SettingsShape(Arc::clone(&settings)))));
                let known = self.shapes.borrow().get(&shape).cloned();
                if let Some(needs) = known {
                    if is_plain {
                        self.shapes.borrow_mut().insert(plain, Arc::clone(&needs));
                    }
                    return needs;
                }
                let mut widths = vec![1; ports.inputs.len()];
                let context = BuildContext::new(self.simulation.delta);
                let mut built = Kernel::build(def, &settings, &widths, context);
                // The settings of some blocks tell the width of an input.
                if let Err(BuildError::InputWidth { input, width, .. }) = built {
                    widths[input] = width;
                    built = Kernel::build(def, &settings, &widths, context);
                }
                let kernel = match built {
                    Ok(kernel) => kernel,
                    // The names of the inputs are not known here. A block that needs them has no states.
                    Err(error) if error.is_about_names() => {
                        let all = |output: &Arc<str>| (Arc::clone(output), ports.inputs.clone());
                        return Arc::new(sorted(ports.outputs.iter().map(all)));
                    }
                    // The compiler reports a block that cannot be built.
                    Err(_) => return Arc::default(),
                };
                let inputs =
                    |needs: &[usize]| needs.iter().filter_map(|&input| ports.inputs.get(input).cloned()).collect();
                let of_outputs = kernel.outputs.iter().map(|output| inputs(&output.needs));
                let needs = Arc::new(sorted(ports.outputs.iter().cloned().zip(of_outputs)));
                self.shapes.borrow_mut().insert(shape, Arc::clone(&needs));
                needs
            }
        }
    }

    /// Stores the feedthrough of a model; the models inside must be finished already.
    fn finish_model(&mut self, model: &'a Model) {
        let ports = model_ports(model);
        if Flow::of(model).is_atomic() {
            let inputs: Vec<Arc<str>> = ports.inputs.into_iter().map(|(name, _)| name).collect();
            let needs = sorted(ports.outputs.into_iter().map(|(name, _)| (name, inputs.clone())));
            self.models.insert(Arc::clone(&model.name), Arc::new(needs));
            return;
        }
        let names = ports.inputs.iter().flat_map(|(name, ids)| ids.iter().map(move |id| (*id, name)));
        let name_of: BTreeMap<BlockId, &Arc<str>> = names.collect();
        let of_outputs = ports.outputs.iter().map(|(name, exit)| {
            let entries = Walk::new(model, self).entries_behind(*exit);
            let inputs: BTreeSet<&Arc<str>> = entries.iter().filter_map(|id| name_of.get(id).copied()).collect();
            (Arc::clone(name), inputs.into_iter().cloned().collect())
        });
        let needs = sorted(of_outputs);
        self.models.insert(Arc::clone(&model.name), Arc::new(needs));
    }
}

fn inputs_of(needs: &BlockNeeds, output: usize) -> &[Arc<str>] {
    needs.get(output).map_or(&[], |(_, inputs)| inputs)
}

/// Returns the outputs in the order of their names.
fn sorted(outputs: impl Iterator<Item = (Arc<str>, Vec<Arc<str>>)>) -> BlockNeeds {
    let mut needs: BlockNeeds = outputs.collect();
    needs.sort();
    needs
}

/// A depth-first search through one model, against the signal direction.
struct Walk<'m, 'n> {
    model: &'m Model,
    needs: &'n Needs<'m>,
    /// The blocks that were reached.
    reached: HashMap<BlockId, Reached>,
}

struct Reached {
    needs: Arc<BlockNeeds>,
    /// One for each output.
    marks: Vec<Mark>,
}

/// How far the search has come with an output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    OnPath,
    /// It was searched completely.
    Done,
}

/// An output on the current path, by its index, with the inputs that are still to be followed.
struct Visit {
    block: BlockId,
    output: usize,
    needs: Arc<BlockNeeds>,
    /// The number of inputs that are still to be followed, from the last to the first. The input at this index was
    /// followed last.
    left: usize,
}

impl Visit {
    fn inputs(&self) -> &[Arc<str>] {
        inputs_of(&self.needs, self.output)
    }
}

impl<'m, 'n> Walk<'m, 'n> {
    fn new(model: &'m Model, needs: &'n Needs<'m>) -> Walk<'m, 'n> {
        Walk { model, needs, reached: HashMap::new() }
    }

    fn reach(&mut self, block: BlockId) -> &mut Reached {
        self.reached.entry(block).or_insert_with(|| {
            let needs = self.model.block(block).map(|found| self.needs.of_block(self.model, found)).unwrap_or_default();
            Reached { marks: vec![Mark::New; needs.len()], needs }
        })
    }

    fn output_count(&mut self, block: BlockId) -> usize {
        self.reach(block).needs.len()
    }

    /// Returns the index of an output, if it has feedthrough, and the feedthrough of its block.
    fn find(&mut self, block: BlockId, output: &str) -> Option<(usize, Arc<BlockNeeds>)> {
        let needs = &self.reach(block).needs;
        Some((needs.iter().position(|(name, _)| **name == *output)?, Arc::clone(needs)))
    }

    /// Marks an output and returns its former mark.
    fn mark(&mut self, block: BlockId, output: usize, mark: Mark) -> Mark {
        let known = self.reach(block).marks.get_mut(output);
        known.map_or(Mark::Done, |known| std::mem::replace(known, mark))
    }

    fn follow(&mut self, block: BlockId, output: usize, report: &mut dyn FnMut(Vec<Hop>)) {
        let mut path = Vec::new();
        self.enter(block, output, &mut path, report);
        while let Some(visit) = path.last_mut() {
            if visit.left == 0 {
                let (block, output) = (visit.block, visit.output);
                self.mark(block, output, Mark::Done);
                path.pop();
                continue;
            }
            visit.left -= 1;
            let (block, left) = (visit.block, visit.left);
            let Some(input) = visit.inputs().get(left) else { continue };
            let Some(source) = self.model.source(block, input) else { continue };
            if let Some((output, _)) = self.find(source.from, &source.output) {
                self.enter(source.from, output, &mut path, report);
            }
        }
    }

    /// Continues the path with a new output, or reports the loop that it closes.
    fn enter(&mut self, block: BlockId, output: usize, path: &mut Vec<Visit>, report: &mut dyn FnMut(Vec<Hop>)) {
        let reached = self.reach(block);
        let Some(mark) = reached.marks.get_mut(output) else { return };
        match *mark {
            Mark::Done => {}
            Mark::OnPath => report(hops(path, block, output)),
            Mark::New => {
                *mark = Mark::OnPath;
                let needs = Arc::clone(&reached.needs);
                let mut visit = Visit { block, output, needs, left: 0 };
                visit.left = visit.inputs().len();
                path.push(visit);
            }
        }
    }

    /// Returns all entries that an exit depends on within the step.
    fn entries_behind(&mut self, exit: BlockId) -> BTreeSet<BlockId> {
        let mut entries = BTreeSet::new();
        let model = self.model;
        let mut pending: Vec<_> = model.source(exit, super::BlockPorts::INPUT).into_iter().collect();
        while let Some(connection) = pending.pop() {
            let Some(block) = model.block(connection.from) else { continue };
            if matches!(block.kind, BlockKind::Entry { .. }) {
                entries.insert(block.id);
            }
            let Some((output, needs)) = self.find(connection.from, &connection.output) else { continue };
            if self.mark(connection.from, output, Mark::Done) == Mark::New {
                pending.extend(inputs_of(&needs, output).iter().filter_map(|input| model.source(block.id, input)));
            }
        }
        entries
    }
}

/// Returns the part of the path from an output on, in signal direction.
fn hops(path: &[Visit], block: BlockId, output: usize) -> Vec<Hop> {
    let from = path.iter().position(|visit| visit.block == block && visit.output == output).unwrap_or(0);
    let hop = |visit: &Visit| {
        let input = Arc::clone(visit.inputs().get(visit.left)?);
        Some(Hop { block: visit.block, input, output: Arc::clone(&visit.needs.get(visit.output)?.0) })
    };
    path.get(from..).unwrap_or_default().iter().rev().filter_map(hop).collect()
}

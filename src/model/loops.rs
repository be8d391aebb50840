//! Finds algebraic loops: cycles of blocks with direct feedthrough.
//!
//! The block's tape tells which inputs an output depends on within the step; for a model, the paths inside tell. A
//! state on the path (integrator, delay, an entry and an exit of the same name) ends it; a tag does not. A conditional
//! or iterated model runs as a whole: each of its outputs depends on all its inputs.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
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
        for block in model.blocks.values() {
            for output in Arc::clone(walk.needs_of(block)).keys() {
                walk.follow(block.id, output, &mut |hops| found.push((Arc::clone(&name), hops)));
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
    let mut pending = vec![(block, Arc::clone(output))];
    while let Some((block, output)) = pending.pop() {
        for input in walk.visit(block, &output).inputs {
            let key = InputKey { block, input };
            if let Some(source) = found.connections.get(&key) {
                let next = (source.from, Arc::clone(&source.output));
                if !behind.contains(&key) {
                    pending.push(next);
                }
            }
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
    let needs = Needs::of_inside(simulation, registry, model);
    let mut walk = Walk::new(simulation.model(model)?, &needs);
    let mut found = None;
    for connection in connections {
        walk.follow(connection.from, &connection.output, &mut |hops| {
            // A loop upstream that does not contain a new connection existed before.
            let is_new = |hop: &Hop| connections.iter().any(|new| new.to == hop.block && new.input == hop.input);
            if found.is_none() && hops.iter().any(is_new) {
                found = Some(hops);
            }
        });
    }
    found
}

/// The direct feedthrough of a block: for each output the inputs that it depends on within the step.
type BlockNeeds = BTreeMap<Arc<str>, Vec<Arc<str>>>;

/// What the tape of a block depends on: its definition, and the number of its inputs with the shape of its settings; none
/// for a block without options.
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
                        return Arc::new(ports.outputs.iter().map(all).collect());
                    }
                    // The compiler reports what cannot be built.
                    Err(_) => return Arc::default(),
                };
                let inputs =
                    |needs: &[usize]| needs.iter().filter_map(|&input| ports.inputs.get(input).cloned()).collect();
                let of_outputs = kernel.outputs.iter().map(|output| inputs(&output.needs));
                let needs: Arc<BlockNeeds> = Arc::new(ports.outputs.iter().cloned().zip(of_outputs).collect());
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
            let needs = ports.outputs.into_iter().map(|(name, _)| (name, inputs.clone())).collect();
            self.models.insert(Arc::clone(&model.name), Arc::new(needs));
            return;
        }
        let names = ports.inputs.iter().flat_map(|(name, ids)| ids.iter().map(move |id| (*id, name)));
        let name_of: BTreeMap<BlockId, &Arc<str>> = names.collect();
        let mut needs = BlockNeeds::new();
        for (name, exit) in &ports.outputs {
            let mut walk = Walk::new(model, self);
            let entries = walk.entries_behind(*exit);
            let inputs: BTreeSet<&Arc<str>> = entries.iter().filter_map(|id| name_of.get(id).copied()).collect();
            needs.insert(Arc::clone(name), inputs.into_iter().cloned().collect());
        }
        self.models.insert(Arc::clone(&model.name), Arc::new(needs));
    }
}

/// A depth-first search through one model, against the signal direction.
struct Walk<'m, 'n> {
    model: &'m Model,
    needs: &'n Needs<'m>,
    known: BTreeMap<BlockId, Arc<BlockNeeds>>,
    /// Outputs that were searched completely.
    done: BTreeSet<(BlockId, Arc<str>)>,
}

/// An output on the current path, with the inputs that are still to be followed.
struct Visit {
    block: BlockId,
    output: Arc<str>,
    inputs: Vec<Arc<str>>,
    /// The input that was followed last.
    input: Option<Arc<str>>,
}

impl<'m, 'n> Walk<'m, 'n> {
    fn new(model: &'m Model, needs: &'n Needs<'m>) -> Walk<'m, 'n> {
        Walk { model, needs, known: BTreeMap::new(), done: BTreeSet::new() }
    }

    fn needs_of(&mut self, block: &Block) -> &Arc<BlockNeeds> {
        let needs = self.needs;
        self.known.entry(block.id).or_insert_with(|| needs.of_block(self.model, block))
    }

    fn visit(&mut self, block: BlockId, output: &Arc<str>) -> Visit {
        let inputs = match self.model.block(block) {
            Some(found) => {
                let needs = self.needs_of(found);
                needs.get(output).cloned().unwrap_or_default()
            }
            None => Vec::new(),
        };
        Visit { block, output: Arc::clone(output), inputs, input: None }
    }

    fn follow(&mut self, block: BlockId, output: &Arc<str>, report: &mut dyn FnMut(Vec<Hop>)) {
        if self.done.contains(&(block, Arc::clone(output))) {
            return;
        }
        let mut path = vec![self.visit(block, output)];
        let mut on_path = BTreeSet::from([(block, Arc::clone(output))]);
        while let Some(visit) = path.last_mut() {
            let Some(input) = visit.inputs.pop() else {
                let key = (visit.block, Arc::clone(&visit.output));
                on_path.remove(&key);
                self.done.insert(key);
                path.pop();
                continue;
            };
            visit.input = Some(Arc::clone(&input));
            let Some(source) = self.model.source(visit.block, &input) else { continue };
            let key = (source.from, Arc::clone(&source.output));
            if on_path.contains(&key) {
                report(hops(&path, &key));
            } else if !self.done.contains(&key) {
                let next = self.visit(source.from, &source.output);
                on_path.insert(key);
                path.push(next);
            }
        }
    }

    /// Returns all entries that an exit depends on within the step.
    fn entries_behind(&mut self, exit: BlockId) -> BTreeSet<BlockId> {
        let mut entries = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut pending: Vec<_> = self.model.source(exit, super::BlockPorts::INPUT).cloned().into_iter().collect();
        while let Some(connection) = pending.pop() {
            if !seen.insert((connection.from, Arc::clone(&connection.output))) {
                continue;
            }
            let Some(block) = self.model.block(connection.from) else { continue };
            if matches!(block.kind, BlockKind::Entry { .. }) {
                entries.insert(block.id);
            }
            let visit = self.visit(connection.from, &connection.output);
            pending.extend(visit.inputs.iter().filter_map(|input| self.model.source(visit.block, input).cloned()));
        }
        entries
    }
}

/// Returns the part of the path from `key` on, in signal direction.
fn hops(path: &[Visit], key: &(BlockId, Arc<str>)) -> Vec<Hop> {
    let from = path.iter().position(|visit| visit.block == key.0 && visit.output == key.1).unwrap_or(0);
    let hop = |visit: &Visit| {
        let input = visit.input.clone()?;
        Some(Hop { block: visit.block, input, output: Arc::clone(&visit.output) })
    };
    path[from..].iter().rev().filter_map(hop).collect()
}

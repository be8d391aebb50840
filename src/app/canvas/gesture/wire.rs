//! A wire that is being drawn: its fixed end, and where its free end may go.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::emath::Pos2;

use super::hit::{PortDirection, port_for_end};
use crate::app::canvas::route::{End, corridor, loose, route};
use crate::app::canvas::scene::{Scene, source_end, target_end};
use crate::block::Registry;
use crate::model::check::loop_text;
use crate::model::{BlockId, Connection, InputKey, Model, Simulation, inputs_behind, loop_closed_by};

/// The port where a keyboard wire starts, and its chosen target, both by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyboardWire {
    pub own: usize,
    pub end: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Wire {
    pub fixed: WireEnd,
    pub pointer: Pos2,
    /// The wire whose end was picked up at its input.
    pub detached: Option<InputKey>,
    pub target: Option<Target>,
    /// Started with a click: it ends with the next click.
    pub is_sticky: bool,
    /// Inputs at which it would close an algebraic loop; computed when it starts to follow the pointer.
    pub closed: Option<BTreeSet<InputKey>>,
    /// The number of the block's loose wire whose end was picked up.
    pub loose: Option<usize>,
    /// Set if it is controlled by keys instead of the pointer.
    pub by_keys: Option<KeyboardWire>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum WireEnd {
    Output(BlockId, Arc<str>),
    Input(BlockId, Arc<str>),
}

/// The port to which the free end of a wire would connect.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    pub block: BlockId,
    pub port: Arc<str>,
    pub at: Pos2,
    /// Why the wire may not end here.
    pub refusal: Option<Refusal>,
    /// A text that says how the input's previous wire changes.
    pub note: Option<String>,
}

/// Why a wire is refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub text: String,
    /// The wires of the loop that it would close.
    pub wires: Vec<InputKey>,
}

impl Wire {
    pub fn new(fixed: WireEnd, pointer: Pos2) -> Wire {
        Wire {
            fixed,
            pointer,
            detached: None,
            target: None,
            is_sticky: false,
            closed: None,
            loose: None,
            by_keys: None,
        }
    }

    /// Returns another wire from the same source as this one.
    pub fn branch_of(scene: &Scene, key: &InputKey, at: Pos2) -> Option<Wire> {
        let connection = &scene.wire(key)?.connection;
        Some(Wire::new(WireEnd::Output(connection.from, Arc::clone(&connection.output)), at))
    }

    /// Returns a new wire at a free input, or the wire at a connected one with its end picked up.
    pub fn at_input(scene: &Scene, block: BlockId, input: Arc<str>, at: Pos2) -> Wire {
        let key = InputKey { block, input };
        match scene.wire(&key) {
            Some(wire) if !wire.is_broken => {
                let fixed = WireEnd::Output(wire.connection.from, Arc::clone(&wire.connection.output));
                Wire { detached: Some(key), ..Wire::new(fixed, at) }
            }
            _ => Wire::new(WireEnd::Input(block, key.input), at),
        }
    }

    /// Returns a loose wire with its end picked up.
    pub fn at_loose_end(scene: &Scene, id: BlockId, number: usize, at: Pos2) -> Option<Wire> {
        let wire = scene.block(id)?.loose.get(number)?;
        let port = Arc::clone(&wire.port);
        let fixed = match wire.side {
            PortDirection::Output => WireEnd::Output(id, port),
            PortDirection::Input => WireEnd::Input(id, port),
        };
        Some(Wire { loose: Some(number), ..Wire::new(fixed, at) })
    }

    /// Follows the pointer; finds the port under it and whether the wire may end there.
    pub fn follow(&mut self, scene: &Scene, simulation: &Simulation, registry: &Registry, pointer: Pos2, reach: f32) {
        self.pointer = pointer;
        self.find_closed(scene, simulation, registry);
        let side = match self.fixed {
            WireEnd::Output(..) => PortDirection::Input,
            WireEnd::Input(..) => PortDirection::Output,
        };
        let Some((block, port, at)) = port_for_end(scene, pointer, side, reach) else {
            self.target = None;
            return;
        };
        if self.target.as_ref().is_some_and(|known| known.block == block && known.port == port) {
            return;
        }
        self.target = Some(Target { block, port, at, refusal: None, note: None });
        self.judge(scene, simulation, registry);
    }

    /// Finds the inputs at which it would close an algebraic loop.
    pub fn find_closed(&mut self, scene: &Scene, simulation: &Simulation, registry: &Registry) {
        if self.closed.is_none()
            && let (WireEnd::Output(block, output), Some(model)) = (&self.fixed, scene.model())
        {
            self.closed = Some(inputs_behind(simulation, registry, &model.name, *block, output));
        }
    }

    /// Checks whether it may end at its target, and what happens to the wire there.
    pub fn judge(&mut self, scene: &Scene, simulation: &Simulation, registry: &Registry) {
        let Some(mut target) = self.target.take() else { return };
        if let (Some(model), Some(connection)) = (scene.model(), self.connection(&target)) {
            target.refusal = refusal(simulation, registry, model, &connection);
            let known = scene.wire(&connection.key()).map(|wire| &wire.connection);
            let other = known.filter(|known| known.from != connection.from || known.output != connection.output);
            let is_own = self.detached.as_ref() == Some(&connection.key());
            target.note = other.filter(|_| !is_own).and_then(|known| model.block(known.from)).map(|source| {
                format!(
                    "Input “{}” is connected: replaces the wire from {} {}",
                    connection.input,
                    source.title(),
                    source.id
                )
            });
        }
        self.target = Some(target);
    }

    /// Returns the connection that would be made.
    pub fn connection(&self, target: &Target) -> Option<Connection> {
        Some(match &self.fixed {
            WireEnd::Output(block, output) => Connection::new(*block, output, target.block, &target.port),
            WireEnd::Input(block, input) => Connection::new(target.block, &target.port, *block, input),
        })
    }

    /// Returns the ports at which it may end, unconnected ones first, then by distance.
    pub fn ends(&self, scene: &Scene) -> Vec<(BlockId, Arc<str>, Pos2)> {
        let (own, from) = match &self.fixed {
            WireEnd::Output(id, name) => (*id, scene.block(*id).and_then(|view| view.output_at(name))),
            WireEnd::Input(id, name) => (*id, scene.block(*id).and_then(|view| view.input_at(name))),
        };
        let Some(from) = from else { return Vec::new() };
        let is_out = matches!(self.fixed, WireEnd::Output(..));
        let mut found = Vec::new();
        for view in scene.blocks().filter(|view| view.block.id != own) {
            let id = view.block.id;
            let (names, positions) = match is_out {
                true => (&view.ports.inputs, &view.outline.inputs),
                false => (&view.ports.outputs, &view.outline.outputs),
            };
            for (name, at) in names.iter().zip(positions) {
                let key = InputKey { block: id, input: Arc::clone(name) };
                if is_out && self.closed.as_ref().is_some_and(|closed| closed.contains(&key)) {
                    continue;
                }
                let is_taken = is_out && scene.wire(&key).is_some();
                // Ports behind count as farther away.
                let gap = *at - from;
                let far = gap.length() + if (gap.x < 0.0) == is_out { 400.0 } else { 0.0 };
                found.push((is_taken, far, id, Arc::clone(name), *at));
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        found.into_iter().map(|(_, _, id, name, at)| (id, name, at)).collect()
    }

    /// Returns the points of the wire as it would be.
    pub fn points(&self, scene: &Scene) -> Vec<Pos2> {
        let Some(fixed) = self.fixed.end(scene) else { return Vec::new() };
        let is_from_output = matches!(self.fixed, WireEnd::Output(..));
        if let Some(target) = &self.target
            && let Some(view) = scene.block(target.block)
        {
            let (from, to) = match is_from_output {
                true => (fixed, target_end(view, target.at)),
                false => (source_end(view, target.at), fixed),
            };
            let obstacles = scene.obstacles(corridor(&from, &to));
            return route(&from, &to, None, &obstacles);
        }
        match is_from_output {
            true => loose(&fixed, self.pointer),
            false => {
                let mut points = loose(&End { heading: fixed.heading.reversed(), ..fixed }, self.pointer);
                points.reverse();
                points
            }
        }
    }
}

impl WireEnd {
    /// Returns the outputs of a block, then its unconnected inputs.
    pub fn all_of(scene: &Scene, id: BlockId) -> Vec<WireEnd> {
        let Some(block) = scene.block(id) else { return Vec::new() };
        let outputs = block.ports.outputs.iter().map(|name| WireEnd::Output(id, Arc::clone(name)));
        let is_free = |name: &&Arc<str>| scene.wire(&InputKey { block: id, input: Arc::clone(name) }).is_none();
        let inputs = block.ports.inputs.iter().filter(is_free).map(|name| WireEnd::Input(id, Arc::clone(name)));
        outputs.chain(inputs).collect()
    }

    pub fn block(&self) -> BlockId {
        match self {
            WireEnd::Output(block, _) | WireEnd::Input(block, _) => *block,
        }
    }

    fn end(&self, scene: &Scene) -> Option<End> {
        match self {
            WireEnd::Output(id, name) => {
                let view = scene.block(*id)?;
                Some(source_end(view, view.output_at(name)?))
            }
            WireEnd::Input(id, name) => {
                let view = scene.block(*id)?;
                Some(target_end(view, view.input_at(name)?))
            }
        }
    }
}

/// Returns why a wire is refused if it would close an algebraic loop.
pub fn refusal(
    simulation: &Simulation,
    registry: &Registry,
    model: &Model,
    connection: &Connection,
) -> Option<Refusal> {
    let hops = loop_closed_by(simulation, registry, &model.name, connection)?;
    let text = format!("This wire would close an algebraic loop: {}", loop_text(model, &hops));
    let wires = hops.into_iter().map(|hop| InputKey { block: hop.block, input: hop.input });
    Some(Refusal { text, wires: wires.filter(|key| *key != connection.key()).collect() })
}

//! The current pointer gesture: a small state machine in model coordinates. Independent of the window.
//!
//! A gesture starts on what was hit, follows the pointer, and ends in at most one change.

mod click;
pub mod guides;
pub mod hit;
mod keys;
mod pointer;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use eframe::egui::emath::{Pos2, Vec2};

use self::hit::{PortDirection, port_for_end};
use super::Selection;
use super::route::{End, loose, route};
use super::scene::{Scene, source_end, target_end};
use crate::block::Registry;
use crate::model::check::loop_text;
use crate::model::{BlockId, Connection, InputKey, Model, Simulation, inputs_behind, loop_closed_by};

/// The port where a keyboard wire starts, and its chosen target, both by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyboardWire {
    pub own: usize,
    pub end: usize,
}

/// Number of blocks above which only their outlines follow the pointer.
const MANY: usize = 200;

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Gesture {
    #[default]
    Idle,
    Pan,
    Marquee {
        from: Pos2,
        to: Pos2,
        /// The previous selection, which is kept.
        base: Selection,
    },
    Move(Move),
    Wire(Wire),
    /// A note or area is resized.
    Resize {
        block: BlockId,
        from: Vec2,
        grab: Pos2,
        size: Vec2,
    },
    Segment {
        key: InputKey,
        segment: usize,
        /// The original wire.
        points: Vec<Pos2>,
        grab: Pos2,
        shift: Vec2,
        /// The branch that it becomes while the pointer is at a free input.
        branch: Option<Box<Wire>>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// Original positions of the blocks.
    pub from: BTreeMap<BlockId, Pos2>,
    /// The block under the pointer.
    pub block: BlockId,
    /// Its upper left corner.
    pub anchor: Pos2,
    /// Where the drag started.
    pub grab: Pos2,
    pub shift: Vec2,
    /// The drag moves copies; the blocks stay.
    pub is_copy: bool,
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

impl Gesture {
    pub fn is_idle(&self) -> bool {
        *self == Gesture::Idle
    }

    pub fn is_wiring(&self) -> bool {
        self.wire().is_some()
    }

    /// Returns the wire that is being drawn.
    pub fn wire(&self) -> Option<&Wire> {
        match self {
            Gesture::Wire(wire) => Some(wire),
            Gesture::Segment { branch, .. } => branch.as_deref(),
            _ => None,
        }
    }

    /// Returns where the scene shows blocks while they are dragged.
    pub fn moved(&self) -> BTreeMap<BlockId, Pos2> {
        match self {
            Gesture::Move(held) if !held.is_copy && held.from.len() <= MANY => held.positions().collect(),
            _ => BTreeMap::new(),
        }
    }

    /// Returns the blocks that are drawn as outlines, and their shift.
    pub fn ghosts(&self) -> Option<(Vec<BlockId>, Vec2)> {
        match self {
            Gesture::Move(held) if held.is_copy || held.from.len() > MANY => {
                Some((held.from.keys().copied().collect(), held.shift))
            }
            _ => None,
        }
    }
}

impl Move {
    /// Starts moving blocks; `held` is the one under the pointer.
    pub fn new(scene: &Scene, blocks: impl Iterator<Item = BlockId>, held: BlockId, grab: Pos2) -> Move {
        let from: BTreeMap<_, _> = blocks.filter_map(|id| Some((id, scene.block(id)?.position))).collect();
        let anchor = from.get(&held).copied().unwrap_or(grab);
        Move { from, block: held, anchor, grab, shift: Vec2::ZERO, is_copy: false }
    }

    /// Follows the pointer; `settle` returns the snapped shift of the blocks.
    pub fn follow(&mut self, pointer: Pos2, settle: impl Fn(&Move, Vec2) -> Vec2) {
        let wanted = pointer - self.grab;
        // Without movement the block stays, even off the grid.
        self.shift = if wanted.length() < 3.0 { Vec2::ZERO } else { settle(self, wanted) };
    }

    pub fn positions(&self) -> impl Iterator<Item = (BlockId, Pos2)> + '_ {
        self.from.iter().map(|(id, from)| (*id, *from + self.shift))
    }
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
            let obstacles = scene.obstacles(super::route::corridor(&from, &to));
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

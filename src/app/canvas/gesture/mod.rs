//! The current pointer gesture: a small state machine in model coordinates. Independent of the window.
//!
//! A gesture starts on what was hit, follows the pointer, and ends in at most one change.

mod click;
pub mod guides;
pub mod hit;
mod keys;
mod pointer;
mod wire;

use std::collections::BTreeMap;

use eframe::egui::emath::{Pos2, Vec2};

use self::hit::Hit;
pub use self::wire::{Target, Wire, WireEnd, refusal};
use super::route::{drag_segment, simplified};
use super::scene::{BlockView, Scene};
use super::selection::Selection;
use crate::model::{BlockId, InputKey};

/// The state of the pointer and the keys that the canvas keeps between frames.
#[derive(Default)]
pub struct GestureState {
    pub current: Gesture,
    pub hover: Hit,
    /// The selection was made by keys, not by the pointer.
    pub is_by_keys: bool,
    /// The diagram takes the keyboard focus in the next frame.
    pub wants_focus: bool,
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

    /// Returns the preview of the wire whose segment is dragged.
    pub fn dragged_wire(&self) -> Option<Vec<Pos2>> {
        let Gesture::Segment { segment, points, shift, .. } = self else { return None };
        let (first, last) = (points.first()?, points.last()?);
        if *shift == Vec2::ZERO {
            return Some(points.clone());
        }
        let bends = drag_segment(points, *segment, *shift);
        Some(simplified([*first].into_iter().chain(bends).chain([*last]).collect()))
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

    /// Returns the dragged block if it has no wires yet.
    pub fn loose_block<'s>(&self, scene: &'s Scene) -> Option<&'s BlockView> {
        let mut ids = self.from.keys();
        let (Some(id), None) = (ids.next(), ids.next()) else { return None };
        let is_loose = !self.is_copy && self.shift != Vec2::ZERO && scene.wires_at(*id).next().is_none();
        scene.block(*id).filter(|_| is_loose)
    }

    pub fn positions(&self) -> impl Iterator<Item = (BlockId, Pos2)> + '_ {
        self.from.iter().map(|(id, from)| (*id, *from + self.shift))
    }
}

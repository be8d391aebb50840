//! The open model as the canvas shows it: outlines and routes, kept between frames and indexed by position.
//!
//! A projection of the document: [`Scene::update`] compares the document's shared pointers with those of the last frame
//! and recomputes only what changed. Next: `follow`, [`BlockView`], `wires`.

mod beside;
mod block_view;
mod facing;
mod follow;
mod icon;
mod index;
pub mod layout;
mod loose;
mod recent;
mod slab;
mod spread;
mod titles;
mod wires;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use eframe::egui::emath::{Pos2, Rect};

pub use block_view::{
    BlockView, Drawing, TITLE_LETTERS, VIEW_COLOR, VIEW_HEIGHT, VIEW_INPUTS, VIEW_ROTATE, VIEW_TITLE, VIEW_WIDTH,
    longest, shortened,
};
pub use icon::{VIEW_ICON, path};
pub use loose::{LooseWire, VIEW_LOOSE};
pub use recent::RecentScenes;
pub use titles::TitlePlace;
pub use wires::{VIEW_BENDS, WireView, source_end, target_end};

use self::index::Index;
use self::layout::Link;
use self::slab::Slab;
use super::geometry::{Facing, position_of};
use crate::model::{BlockId, Connection, InputKey, Model, Position, Simulation};

/// A map for ids and names, which are hashed in every edit of many blocks.
type FastMap<K, V> = HashMap<K, V, ahash::RandomState>;

#[derive(Debug, Default)]
pub struct Scene {
    simulation: Option<Arc<Simulation>>,
    model: Option<Arc<Model>>,
    moved: BTreeMap<BlockId, Pos2>,
    blocks: Slab<BlockId, BlockView>,
    wires: Slab<InputKey, WireView>,
    /// The wires of an output.
    nets: FastMap<(BlockId, Arc<str>), BTreeSet<u32>>,
    wires_of: FastMap<BlockId, BTreeSet<u32>>,
    block_index: Index,
    wire_index: Index,
    /// Wires with provisional routes.
    pending: BTreeSet<u32>,
    /// Where removed wires have left space that others have not yet taken.
    unspread: Vec<Rect>,
    /// Changes whenever the displayed scene may have changed.
    revision: u64,
    /// Blocks that are still to be computed, with the wires that end at them, and their positions.
    waiting: BTreeMap<BlockId, Pos2>,
    /// Blocks of the library whose ports depend on variables, too, and model blocks.
    following: BTreeSet<BlockId>,
    instances: BTreeSet<BlockId>,
    /// Blocks whose ports depend on something else that has changed.
    outdated: BTreeSet<BlockId>,
    /// Blocks without a position in the document.
    unplaced: BTreeSet<BlockId>,
    /// A dragged block without wires: other wires do not avoid it, so that it can be inserted into one.
    passable: Option<BlockId>,
}

/// The changes since the last frame that affect wires.
#[derive(Debug, Default)]
struct Dirty {
    /// Blocks whose ports have moved.
    blocks: BTreeSet<BlockId>,
    /// Where blocks were and are.
    rects: Vec<Rect>,
    /// Outputs with wires that have come, gone or changed: the trunks of all their wires may change.
    nets: BTreeSet<(BlockId, Arc<str>)>,
    /// Where pieces of removed wires were.
    pieces: Vec<Rect>,
}

impl Scene {
    /// Returns the wires between some blocks, by index, for the layout.
    pub fn links(&self, ids: &[BlockId]) -> Vec<Link> {
        let index: HashMap<BlockId, usize> = ids.iter().enumerate().map(|(index, id)| (*id, index)).collect();
        let mut wires: Vec<_> = self.wires.values().map(|wire| &wire.connection).collect();
        wires.sort_by_key(|connection| (connection.to, &connection.input));
        wires
            .into_iter()
            .filter_map(|wire| {
                let (from, to) = (self.blocks.get(&wire.from)?, self.blocks.get(&wire.to)?);
                let from_y = from.output_at(&wire.output).unwrap_or_else(|| from.output_side()).y;
                let to_y = to.input_at(&wire.input).unwrap_or_else(|| to.input_side()).y;
                let link = Link {
                    from: *index.get(&wire.from)?,
                    to: *index.get(&wire.to)?,
                    from_y: from_y - from.outline.rect.top(),
                    to_y: to_y - to.outline.rect.top(),
                };
                // The signal passes a mirrored block from right to left.
                let is_back = from.outline.facing == Facing::Left || to.outline.facing == Facing::Left;
                Some(if is_back { link.reversed() } else { link })
            })
            .collect()
    }
}

/// Returns the displayed simulation and model.
impl Scene {
    /// Drops all blocks, so that the next update builds them again: with other definitions.
    pub fn forget(&mut self) {
        *self = Scene { revision: self.revision + 1, ..Scene::default() };
    }

    pub fn model(&self) -> Option<&Arc<Model>> {
        self.model.as_ref()
    }

    /// Whether it is the last state of the document that was displayed.
    pub fn shows(&self, simulation: &Arc<Simulation>) -> bool {
        self.simulation.as_ref().is_some_and(|known| Arc::ptr_eq(known, simulation))
    }

    /// Returns a number that is constant while the displayed scene does not change.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    pub fn block(&self, id: BlockId) -> Option<&BlockView> {
        self.blocks.get(&id)
    }

    pub fn wire(&self, key: &InputKey) -> Option<&WireView> {
        self.wires.get(key)
    }

    pub fn blocks(&self) -> impl Iterator<Item = &BlockView> {
        self.blocks.values()
    }

    pub fn wires(&self) -> impl Iterator<Item = &WireView> {
        self.wires.values()
    }

    /// Returns the blocks, including those within the areas among them.
    pub fn with_carried(&self, blocks: impl IntoIterator<Item = BlockId>) -> BTreeSet<BlockId> {
        let mut all: BTreeSet<BlockId> = blocks.into_iter().collect();
        let areas: Vec<Rect> = all
            .iter()
            .filter_map(|id| self.block(*id))
            .filter(|view| view.is_area())
            .map(|view| view.outline.body)
            .collect();
        for area in areas {
            let inside = self.blocks_in(area).into_iter();
            all.extend(inside.filter(|view| area.contains_rect(view.outline.body)).map(|view| view.block.id));
        }
        all
    }

    /// Returns the wires at a block, on either side.
    pub fn wires_at(&self, id: BlockId) -> impl Iterator<Item = &WireView> {
        self.wires_of.get(&id).into_iter().flatten().filter_map(|number| self.wires.at(*number))
    }

    /// Returns the wires that start at an output.
    pub fn net(&self, block: BlockId, output: &Arc<str>) -> impl Iterator<Item = &WireView> {
        let net = self.nets.get(&(block, Arc::clone(output)));
        net.into_iter().flatten().filter_map(|number| self.wires.at(*number))
    }

    /// Returns the outputs of a block.
    pub fn outputs_of(&self, id: BlockId) -> Vec<(BlockId, Arc<str>)> {
        let outputs = self.block(id).map(|view| view.ports.outputs.as_slice()).unwrap_or_default();
        outputs.iter().map(|output| (id, Arc::clone(output))).collect()
    }

    /// Returns the sources of a block's inputs: the signals that a scope shows.
    pub fn sources_of(&self, id: BlockId) -> Vec<(BlockId, Arc<str>)> {
        let inputs = self.block(id).map(|view| view.ports.inputs.as_slice()).unwrap_or_default();
        let wires = inputs.iter().filter_map(|input| self.wire(&InputKey { block: id, input: Arc::clone(input) }));
        wires.map(|wire| (wire.connection.from, Arc::clone(&wire.connection.output))).collect()
    }

    /// Returns the name that the user gave the signal of an output.
    pub fn signal_name(&self, block: BlockId, output: &Arc<str>) -> Option<&str> {
        self.net(block, output).find_map(|wire| wire.connection.attributes.get(Connection::NAME))
    }

    /// Returns the unit that the user gave the signal of an output.
    pub fn signal_unit(&self, block: BlockId, output: &Arc<str>) -> Option<&str> {
        self.net(block, output).find_map(|wire| wire.connection.attributes.get(Connection::UNIT))
    }

    /// Returns name and unit as displayed at the wire, `speed [m/s]`; None if it has neither.
    pub fn signal_text(&self, block: BlockId, output: &Arc<str>) -> Option<String> {
        match (self.signal_name(block, output), self.signal_unit(block, output)) {
            (None, None) => None,
            (Some(name), None) => Some(name.to_owned()),
            (None, Some(unit)) => Some(format!("[{unit}]")),
            (Some(name), Some(unit)) => Some(format!("{name} [{unit}]")),
        }
    }

    /// Returns the blocks whose body or title touches the rectangle, in drawing order: newer ones last.
    pub fn blocks_in(&self, rect: Rect) -> Vec<&BlockView> {
        let mut found: Vec<_> = self.block_index.find(rect).filter_map(|number| self.blocks.at(number)).collect();
        found.sort_by_key(|view| view.block.seq);
        found
    }

    /// Counts the blocks that touch the rectangle, up to `limit`.
    pub fn count_in(&self, rect: Rect, limit: usize) -> usize {
        self.block_index.find(rect).take(limit).count()
    }

    /// Returns the wires that may touch the rectangle, in the order of the file.
    pub fn wires_in(&self, rect: Rect) -> Vec<&WireView> {
        let found = self.wire_index.find(rect).filter_map(|number| self.wires.at(number));
        let mut found: Vec<_> = found.filter(|wire| wire.bounds.intersects(rect)).collect();
        found.sort_by_key(|wire| wire.connection.seq);
        found
    }

    /// Whether a block's upper left corner is within a unit of a point.
    pub fn has_block_at(&self, corner: Pos2) -> bool {
        let mut near = self.block_index.find_at(corner, 2.0).filter_map(|number| self.blocks.at(number));
        near.any(|view| (view.position - corner).abs().max_elem() < 1.0)
    }

    /// Returns the bounds of all blocks and wires with their titles.
    pub fn bounds(&self) -> Option<Rect> {
        let blocks = self.blocks.values().map(|view| view.reach());
        blocks
            .chain(self.wires.values().filter(|wire| wire.bounds.is_finite()).map(|wire| wire.bounds))
            .chain(self.waiting_bounds())
            .reduce(Rect::union)
    }

    /// Returns the positions of blocks that have none in the document. They are stored with the first edit that
    /// positions a block, since the layout would otherwise move the others.
    pub fn unplaced(&self) -> Vec<(BlockId, Position)> {
        let position = |id: &BlockId| Some((*id, position_of(self.blocks.get(id)?.position)));
        self.unplaced.iter().filter_map(position).collect()
    }
}

//! The open model as the canvas shows it: outlines and routes, kept from frame to frame and found by place.
//!
//! A projection of the document, never a second truth: [`Scene::update`] compares the document's shared pointers with
//! those it saw last and works out again only what another pointer stands for. Next: [`BlockView`], `wires`.

mod block_view;
mod index;
mod loose;
mod slab;
mod spread;
mod wires;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use eframe::egui::emath::{Pos2, Rect};

pub use block_view::{
    BlockView, Drawing, VIEW_COLOR, VIEW_FLIP, VIEW_HEIGHT, VIEW_ROTATE, VIEW_TITLE, VIEW_WIDTH, shortened,
};
pub use loose::{LooseWire, VIEW_LOOSE};
pub use wires::{VIEW_BENDS, WireView, source_end, target_end};

use self::index::Index;
use self::slab::Slab;
use super::geometry::{Facing, position_of};
use super::layout::{Link, Order, layout, origin_below};
use crate::block::Registry;
use crate::model::{BlockId, BlockKind, Connection, InputKey, Model, Position, Simulation};

#[derive(Debug, Default)]
pub struct Scene {
    simulation: Option<Arc<Simulation>>,
    model: Option<Arc<Model>>,
    moved: BTreeMap<BlockId, Pos2>,
    blocks: Slab<BlockId, BlockView>,
    wires: Slab<InputKey, WireView>,
    /// The wires of an output.
    nets: HashMap<(BlockId, Arc<str>), BTreeSet<u32>>,
    wires_of: HashMap<BlockId, BTreeSet<u32>>,
    block_index: Index,
    wire_index: Index,
    /// Wires that have a plain way until there is time for a better one.
    pending: BTreeSet<u32>,
    /// A block that is dragged and has no wires: wires stay where they are, so that it can be put into one.
    passable: Option<BlockId>,
}

/// What changed since the last frame, as far as wires care.
#[derive(Debug, Default)]
struct Dirty {
    /// Whose ports are elsewhere now.
    blocks: BTreeSet<BlockId>,
    /// Where blocks were and are.
    rects: Vec<Rect>,
    /// Whose connection is another.
    wires: BTreeSet<u32>,
    /// Where pieces of wires were that are gone.
    pieces: Vec<Rect>,
}

impl Scene {
    /// Shows `model` of `simulation`, with some blocks elsewhere than the document says (they are being dragged).
    pub fn update(
        &mut self,
        simulation: &Arc<Simulation>,
        model: &Arc<Model>,
        registry: &Registry,
        moved: &BTreeMap<BlockId, Pos2>,
    ) {
        let is_same = |known: &Option<Arc<Model>>| known.as_ref().is_some_and(|known| Arc::ptr_eq(known, model));
        let is_same_simulation = self.simulation.as_ref().is_some_and(|known| Arc::ptr_eq(known, simulation));
        if is_same(&self.model) && is_same_simulation && self.moved == *moved {
            return;
        }
        if self.model.as_ref().is_some_and(|known| known.name != model.name) {
            *self = Scene::default();
        }
        let mut dirty = Dirty::default();
        let is_model_same = is_same(&self.model);
        let mut elsewhere: BTreeSet<BlockId> = self.moved.keys().chain(moved.keys()).copied().collect();
        self.moved.clone_from(moved);
        if !(is_model_same && is_same_simulation) {
            self.update_blocks(simulation, model, registry, is_model_same, &mut elsewhere, &mut dirty);
            self.update_connections(model, is_model_same, &mut dirty);
            if !(elsewhere.is_empty() && dirty.wires.is_empty()) {
                self.update_layout(&mut elsewhere);
            }
        }
        self.update_places(&elsewhere, &mut dirty);
        self.update_passable(&mut dirty);
        self.block_index.commit();
        self.update_routes(&dirty);
        self.simulation = Some(Arc::clone(simulation));
        self.model = Some(Arc::clone(model));
    }

    fn update_blocks(
        &mut self,
        simulation: &Arc<Simulation>,
        model: &Model,
        registry: &Registry,
        is_model_same: bool,
        elsewhere: &mut BTreeSet<BlockId>,
        dirty: &mut Dirty,
    ) {
        if self.blocks.len() > model.blocks.len() || self.blocks.keys().any(|id| !model.blocks.contains_key(id)) {
            let gone: Vec<BlockId> = self.blocks.keys().filter(|id| !model.blocks.contains_key(id)).copied().collect();
            for id in gone {
                let Some(number) = self.blocks.number(&id) else { continue };
                if let Some(view) = self.blocks.remove(&id) {
                    dirty.rects.push(view.outline.with_title());
                    dirty.blocks.insert(id);
                }
                self.block_index.set(number, None);
            }
        }
        for (id, block) in &model.blocks {
            if let Some(known) = self.blocks.get(id)
                && Arc::ptr_eq(&known.block, block)
            {
                let inner_now = match &block.kind {
                    BlockKind::Model { model } => simulation.model(model),
                    _ => None,
                };
                let is_inner_same = match (&known.inner, inner_now) {
                    (Some(known), Some(now)) => Arc::ptr_eq(known, now),
                    (None, None) => true,
                    _ => false,
                };
                // A block that the program does not know has the ports that connections name.
                if is_inner_same && (known.is_known() || is_model_same) {
                    continue;
                }
            }
            let mut view = BlockView::new(simulation, registry, model, block);
            if let Some(known) = self.blocks.get(id) {
                if !view.is_placed {
                    view.place = known.place;
                }
                // As it stands now, so that wires move only if it does.
                view.outline = view.outline.moved_to(known.outline.rect.min);
                if known.ports != view.ports || known.outline != view.outline || known.loose != view.loose {
                    dirty.blocks.insert(*id);
                    dirty.rects.push(known.outline.with_title());
                }
            } else {
                dirty.blocks.insert(*id);
            }
            elsewhere.insert(*id);
            self.blocks.insert(*id, view);
        }
    }

    /// Gives places to the blocks for which the document has none.
    fn update_layout(&mut self, elsewhere: &mut BTreeSet<BlockId>) {
        let mut ids: Vec<BlockId> =
            self.blocks.iter().filter(|(_, _, view)| !view.is_placed).map(|(_, id, _)| *id).collect();
        if ids.is_empty() {
            return;
        }
        ids.sort_unstable();
        let sizes: Vec<_> =
            ids.iter().map(|id| self.blocks.get(id).map(|view| view.outline.rect.size()).unwrap_or_default()).collect();
        let links = self.links(&ids);
        let placed = self.blocks.values().filter(|view| view.is_placed);
        let taken = placed.map(|view| view.outline.moved_to(view.place).rect).reduce(Rect::union);
        let places = layout(&sizes, &links, origin_below(taken), Order::FewCrossings);
        for (id, place) in ids.iter().zip(places) {
            if let Some(view) = self.blocks.get_mut(id)
                && view.place != place
            {
                view.place = place;
                elsewhere.insert(*id);
            }
        }
    }

    /// The wires between some blocks, by their index, for the layout.
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
                // What goes through a mirrored block goes back.
                let is_back = from.outline.facing == Facing::Left || to.outline.facing == Facing::Left;
                Some(if is_back { link.reversed() } else { link })
            })
            .collect()
    }

    /// Sets outlines where the places, or the drag, say.
    fn update_places(&mut self, elsewhere: &BTreeSet<BlockId>, dirty: &mut Dirty) {
        for id in elsewhere {
            let Some(number) = self.blocks.number(id) else { continue };
            let Some(view) = self.blocks.at_mut(number) else { continue };
            let place = self.moved.get(id).copied().unwrap_or(view.place);
            if view.outline.rect.min != place {
                dirty.rects.push(view.outline.with_title());
                view.outline = view.outline.moved_to(place);
                dirty.blocks.insert(*id);
            }
            if dirty.blocks.contains(id) {
                dirty.rects.push(view.outline.with_title());
                self.block_index.set(number, Some(view.reach()));
            }
        }
    }
}

impl Scene {
    fn update_passable(&mut self, dirty: &mut Dirty) {
        let mut dragged = self.moved.keys();
        let single = dragged.next().filter(|_| dragged.next().is_none()).copied();
        let now = single.filter(|id| {
            let is_link = self.blocks.get(id).is_some_and(BlockView::is_link);
            is_link && self.wires_of.get(id).is_none_or(BTreeSet::is_empty)
        });
        if now != self.passable {
            let changed = [now, self.passable].into_iter().flatten();
            dirty.rects.extend(changed.filter_map(|id| Some(self.blocks.get(&id)?.outline.with_title())));
            self.passable = now;
        }
    }
}

/// What the scene shows.
impl Scene {
    pub fn model(&self) -> Option<&Arc<Model>> {
        self.model.as_ref()
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

    /// The wires at a block, on either side.
    pub fn wires_at(&self, id: BlockId) -> impl Iterator<Item = &WireView> {
        self.wires_of.get(&id).into_iter().flatten().filter_map(|number| self.wires.at(*number))
    }

    /// The wires that begin at an output.
    pub fn net(&self, block: BlockId, output: &Arc<str>) -> impl Iterator<Item = &WireView> {
        let net = self.nets.get(&(block, Arc::clone(output)));
        net.into_iter().flatten().filter_map(|number| self.wires.at(*number))
    }

    /// The name that a user gave an output's signal.
    pub fn signal_name(&self, block: BlockId, output: &Arc<str>) -> Option<&str> {
        self.net(block, output).find_map(|wire| wire.connection.attributes.get(Connection::NAME))
    }

    /// Blocks that touch the rectangle with their body or title, those drawn later (the younger) last.
    pub fn blocks_in(&self, rect: Rect) -> Vec<&BlockView> {
        let mut found: Vec<_> = self.block_index.find(rect).filter_map(|number| self.blocks.at(number)).collect();
        found.sort_by_key(|view| view.block.seq);
        found
    }

    /// How many blocks touch the rectangle, counted up to `limit`.
    pub fn count_in(&self, rect: Rect, limit: usize) -> usize {
        self.block_index.find(rect).take(limit).count()
    }

    /// Wires that may touch the rectangle, in the order of the file.
    pub fn wires_in(&self, rect: Rect) -> Vec<&WireView> {
        let found = self.wire_index.find(rect).filter_map(|number| self.wires.at(number));
        let mut found: Vec<_> = found.filter(|wire| wire.bounds.intersects(rect)).collect();
        found.sort_by_key(|wire| wire.connection.seq);
        found
    }

    pub fn block_at(&self, point: Pos2) -> Option<&BlockView> {
        let found = self.block_index.find_at(point, 0.0).filter_map(|number| self.blocks.at(number));
        found.filter(|view| view.outline.body.contains(point)).max_by_key(|view| view.block.seq)
    }

    /// All blocks and wires with their titles.
    pub fn bounds(&self) -> Option<Rect> {
        let blocks = self.blocks.values().map(|view| view.outline.with_title());
        blocks
            .chain(self.wires.values().filter(|wire| wire.bounds.is_finite()).map(|wire| wire.bounds))
            .reduce(Rect::union)
    }

    /// The places of blocks for which the document has none: written with the first edit that places a block, for
    /// else the layout would put the others elsewhere.
    pub fn unplaced(&self) -> Vec<(BlockId, Position)> {
        let unplaced = self.blocks.values().filter(|view| !view.is_placed);
        let mut found: Vec<_> = unplaced.map(|view| (view.block.id, position_of(view.place))).collect();
        found.sort_unstable_by_key(|(id, _)| *id);
        found
    }
}

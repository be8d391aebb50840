//! Updates the scene from the document: small differences at once; large ones first in view and then frame by frame.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use eframe::egui::emath::{Pos2, Rect, Vec2};

use super::beside::{self, Anchor, AnchorSide};
use super::layout::{Order, layout, origin_below};
use super::{BlockView, Dirty, Scene};
use crate::app::canvas::geometry::point_of;
use crate::block::{Ports, Registry};
use crate::model::{Block, BlockId, BlockKind, InputKey, KeyDifference, Model, Simulation, difference};

/// Number of deferred blocks computed between two looks at the clock.
const SLICE: usize = 48;
/// Up to this number of new blocks are placed beside their neighbours, more below everything.
const MAX_BESIDE: usize = 200;
/// Assumed size of a block that has not been computed yet.
const ABOUT: Vec2 = Vec2::new(90.0, 70.0);

impl Scene {
    /// Shows `model` of `simulation`; `moved` blocks, which are being dragged, are displayed at other positions.
    pub fn update(
        &mut self,
        simulation: &Arc<Simulation>,
        model: &Arc<Model>,
        registry: &Registry,
        moved: &BTreeMap<BlockId, Pos2>,
    ) {
        self.update_soon(simulation, model, registry, moved, usize::MAX);
        let waiting: Vec<BlockId> = self.waiting.keys().copied().collect();
        self.work_out(&waiting, registry, super::wires::AT_ONCE);
    }

    /// As [`Scene::update`], but if more than `at_once` blocks differ they are left to [`Scene::work_on`].
    pub fn update_soon(
        &mut self,
        simulation: &Arc<Simulation>,
        model: &Arc<Model>,
        registry: &Registry,
        moved: &BTreeMap<BlockId, Pos2>,
        at_once: usize,
    ) {
        if self.model.as_ref().is_some_and(|known| known.name != model.name) {
            *self = Scene::default();
        }
        let is_model_same = self.model.as_ref().is_some_and(|known| Arc::ptr_eq(known, model));
        let is_same = is_model_same && self.simulation.as_ref().is_some_and(|known| Arc::ptr_eq(known, simulation));
        if is_same && self.moved == *moved {
            return;
        }
        let mut dirty = Dirty::default();
        let mut elsewhere: BTreeSet<BlockId> = self.moved.keys().chain(moved.keys()).copied().collect();
        self.moved.clone_from(moved);
        let before = (self.simulation.replace(Arc::clone(simulation)), self.model.replace(Arc::clone(model)));
        if !is_same {
            let differing = self.let_go((before.0.as_deref(), before.1.as_deref()), simulation, model, &mut dirty);
            match self.positions_of_many(model, &differing, at_once) {
                Some(positions) => self.waiting.extend(positions),
                None => {
                    self.look_at(&differing, registry, &mut elsewhere, &mut dirty);
                    // The layout needs all blocks.
                    if !self.unplaced.is_empty() {
                        let waiting: Vec<BlockId> = self.waiting.keys().copied().collect();
                        self.look_at(&waiting, registry, &mut elsewhere, &mut dirty);
                    }
                }
            }
        }
        self.settle_blocks(elsewhere, dirty, super::wires::AT_ONCE);
    }

    /// Computes deferred blocks, those in view first, for the available time, but always some.
    pub fn work_on(&mut self, registry: &Registry, visible: Rect, has_time: &mut dyn FnMut() -> bool) {
        if self.waiting.is_empty() {
            return;
        }
        let in_view = |at: &Pos2| Rect::from_min_size(*at, ABOUT).intersects(visible);
        let (seen, rest): (Vec<_>, Vec<_>) = self.waiting.iter().partition(|(_, at)| in_view(at));
        let ids: Vec<BlockId> = seen.into_iter().chain(rest).map(|(id, _)| *id).collect();
        for slice in ids.chunks(SLICE) {
            self.work_out(slice, registry, 0);
            if !has_time() {
                break;
            }
        }
    }

    /// Computes some deferred blocks, if there are any.
    pub fn ensure(&mut self, ids: impl IntoIterator<Item = BlockId>, registry: &Registry) {
        if self.waiting.is_empty() {
            return;
        }
        let ids: Vec<BlockId> = ids.into_iter().filter(|id| self.waiting.contains_key(id)).collect();
        self.work_out(&ids, registry, 0);
    }

    /// Returns whether blocks are waiting to be computed.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn work_out(&mut self, ids: &[BlockId], registry: &Registry, wires_at_once: usize) {
        if ids.is_empty() {
            return;
        }
        let (mut elsewhere, mut dirty) = (BTreeSet::new(), Dirty::default());
        self.look_at(ids, registry, &mut elsewhere, &mut dirty);
        self.settle_blocks(elsewhere, dirty, wires_at_once);
    }

    fn settle_blocks(&mut self, mut elsewhere: BTreeSet<BlockId>, mut dirty: Dirty, wires_at_once: usize) {
        if !(elsewhere.is_empty() && dirty.nets.is_empty()) {
            self.update_layout(&mut elsewhere);
        }
        self.revision += 1;
        self.update_positions(&elsewhere, &mut dirty);
        self.update_passable(&mut dirty);
        self.block_index.commit();
        self.update_routes(&dirty, wires_at_once);
    }

    /// Removes deleted blocks and changed wires. Returns the blocks to update, sorted: those that differ and those at
    /// the ends of changed wires.
    fn let_go(
        &mut self,
        before: (Option<&Simulation>, Option<&Model>),
        simulation: &Simulation,
        model: &Model,
        dirty: &mut Dirty,
    ) -> Vec<BlockId> {
        let blocks = difference(before.1.map(|model| &model.blocks), &model.blocks);
        let wires = difference(before.1.map(|model| &model.connections), &model.connections);
        for id in blocks.gone {
            self.waiting.remove(&id);
            self.following.remove(&id);
            self.instances.remove(&id);
            self.outdated.remove(&id);
            self.unplaced.remove(&id);
            let Some(number) = self.blocks.number(&id) else { continue };
            if let Some(view) = self.blocks.remove(&id) {
                dirty.rects.push(view.reach());
                dirty.blocks.insert(id);
            }
            self.block_index.set(number, None);
        }
        for key in wires.gone.iter().chain(&wires.changed) {
            self.let_wire_go(key, dirty);
        }
        let ends = before.1.map(|before| ends_of(&wires, before, model)).unwrap_or_default();
        let outdated = self.following_what_differs(before, simulation, model, &ends);
        let mut ids = blocks.changed;
        ids.extend(wires.changed.into_iter().map(|key| key.block));
        ids.extend(&outdated);
        self.outdated.extend(outdated);
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Returns the blocks whose ports depend on something that differs: instances of a changed model, blocks with
    /// options if variables changed, unknown blocks if they are at the ends of changed wires.
    fn following_what_differs(
        &self,
        before: (Option<&Simulation>, Option<&Model>),
        simulation: &Simulation,
        model: &Model,
        ends: &BTreeSet<BlockId>,
    ) -> Vec<BlockId> {
        let (Some(simulation_before), Some(model_before)) = before else { return Vec::new() };
        let has_other_variables =
            simulation_before.variables != simulation.variables || model_before.variables != model.variables;
        let is_other = |id: &BlockId| {
            let Some(known) = self.blocks.get(id) else { return false };
            match &known.block.kind {
                BlockKind::Model { model: name } => match (&known.inner, simulation.model(name)) {
                    (Some(known), Some(now)) => !Arc::ptr_eq(known, now),
                    // The ports of an unknown block are those named by its wires.
                    (None, None) => ends.contains(id),
                    _ => true,
                },
                _ => has_other_variables || (!known.is_known() && ends.contains(id)),
            }
        };
        // Most edits leave the variables alone, and then the many blocks that only depend on these.
        let mut ids: BTreeSet<BlockId> = self.instances.iter().chain(ends).copied().collect();
        if has_other_variables {
            ids.extend(&self.following);
        }
        ids.retain(|id| is_other(id));
        ids.into_iter().collect()
    }

    /// Returns the positions of the blocks that may be deferred: there are many, and the document has a position for
    /// each.
    fn positions_of_many(&self, model: &Model, ids: &[BlockId], at_once: usize) -> Option<Vec<(BlockId, Pos2)>> {
        if ids.len() <= at_once || !self.unplaced.is_empty() {
            return None;
        }
        let position = |id: &BlockId| Some((*id, point_of(model.block(*id)?.position()?)));
        ids.iter().map(position).collect()
    }

    /// Rebuilds the views of changed blocks, and the wires that end at them.
    fn look_at(&mut self, ids: &[BlockId], registry: &Registry, elsewhere: &mut BTreeSet<BlockId>, dirty: &mut Dirty) {
        let (Some(simulation), Some(model)) = (self.simulation.clone(), self.model.clone()) else { return };
        for id in ids {
            self.waiting.remove(id);
            let Some(block) = model.block(*id) else { continue };
            let is_same = |known: &BlockView| Arc::ptr_eq(&known.block, block) && !self.outdated.contains(id);
            if !self.blocks.get(id).is_some_and(is_same) {
                if !self.move_view(block) {
                    self.make_view(&simulation, registry, &model, block, dirty);
                }
                elsewhere.insert(*id);
            }
            for connection in model.sources(*id) {
                self.take_wire(connection, dirty);
            }
        }
    }

    /// Gives the view of a block a new position, if nothing else of the block has changed; returns whether that was all.
    fn move_view(&mut self, block: &Arc<Block>) -> bool {
        let Some(position) = block.position().filter(|_| !self.outdated.contains(&block.id)) else { return false };
        let Some(view) = self.blocks.get_mut(&block.id) else { return false };
        let is_moved = view.is_placed && view.widgets.is_empty() && view.block.differs_in_position_only(block);
        if is_moved {
            (view.block, view.position) = (Arc::clone(block), point_of(position));
        }
        is_moved
    }

    fn make_view(
        &mut self,
        simulation: &Simulation,
        registry: &Registry,
        model: &Model,
        block: &Arc<Block>,
        dirty: &mut Dirty,
    ) {
        let id = block.id;
        let mut view = BlockView::new(simulation, registry, model, block);
        if let Some(known) = self.blocks.get(&id) {
            if !view.is_placed {
                view.position = known.position;
            }
            // Its current position: wires move only if it does.
            view.outline = view.own.moved_to(known.outline.rect.min);
            if known.ports != view.ports
                || known.outline != view.outline
                || known.loose != view.loose
                || known.widgets != view.widgets
            {
                dirty.blocks.insert(id);
                dirty.rects.push(known.reach());
            }
        } else {
            dirty.blocks.insert(id);
        }
        let has_fixed_ports = |view: &BlockView| {
            view.def.is_some_and(|def| matches!((&def.inputs, &def.outputs), (Ports::Fixed(_), Ports::Fixed(_))))
        };
        self.outdated.remove(&id);
        let (follows, is_instance) = match block.kind {
            BlockKind::Entry { .. } | BlockKind::Exit { .. } => (false, false),
            BlockKind::Model { .. } => (false, true),
            BlockKind::Library { .. } => (!has_fixed_ports(&view), false),
        };
        for (set, is_in) in [(&mut self.following, follows), (&mut self.instances, is_instance)] {
            match is_in {
                true => set.insert(id),
                false => set.remove(&id),
            };
        }
        match view.is_placed {
            true => self.unplaced.remove(&id),
            false => self.unplaced.insert(id),
        };
        self.blocks.insert(id, view);
    }

    /// Computes positions for the blocks that have none in the document.
    fn update_layout(&mut self, elsewhere: &mut BTreeSet<BlockId>) {
        if self.unplaced.is_empty() {
            return;
        }
        let ids: Vec<BlockId> = self.unplaced.iter().copied().collect();
        let sizes: Vec<_> =
            ids.iter().map(|id| self.blocks.get(id).map(|view| view.outline.rect.size()).unwrap_or_default()).collect();
        let links = self.links(&ids);
        let placed = self.blocks.values().filter(|view| view.is_placed);
        let taken: Vec<Rect> = placed.map(|view| view.outline.moved_to(view.position).with_title()).collect();
        let positions = match taken.is_empty() || ids.len() > MAX_BESIDE {
            true => {
                let taken = taken.into_iter().reduce(Rect::union);
                layout(&sizes, &links, origin_below(taken), Order::FewCrossings)
            }
            false => beside::place(&sizes, &links, &self.anchors(&ids), &taken),
        };
        for (id, position) in ids.iter().zip(positions) {
            if let Some(view) = self.blocks.get_mut(id)
                && view.position != position
            {
                view.position = position;
                elsewhere.insert(*id);
            }
        }
    }

    /// Returns the wires between blocks without a position and blocks with one, first those that lead to the former, the
    /// rightmost first.
    fn anchors(&self, ids: &[BlockId]) -> Vec<Anchor> {
        let mut anchors = Vec::new();
        for (block, id) in ids.iter().enumerate() {
            let Some(own) = self.blocks.get(id) else { continue };
            for wire in self.wires_at(*id) {
                let wire = &wire.connection;
                let (side, other) = match wire.to == *id {
                    true => (AnchorSide::Source, wire.from),
                    false => (AnchorSide::Target, wire.to),
                };
                let Some(other) = self.blocks.get(&other).filter(|other| other.is_placed) else { continue };
                let ports = match side {
                    AnchorSide::Source => (own.input_at(&wire.input), other.output_at(&wire.output)),
                    AnchorSide::Target => (own.output_at(&wire.output), other.input_at(&wire.input)),
                };
                let (Some(port), Some(at)) = ports else { continue };
                let rect = other.outline.moved_to(other.position).rect;
                let at = rect.top() + at.y - other.outline.rect.top();
                anchors.push(Anchor { block, side, port: port.y - own.outline.rect.top(), other: rect, at });
            }
        }
        // A block with several sources stands behind the last of them, so that all signals run to the right.
        anchors.sort_by(|a, b| {
            let is_target = |anchor: &Anchor| anchor.side == AnchorSide::Target;
            is_target(a)
                .cmp(&is_target(b))
                .then(b.other.right().total_cmp(&a.other.right()))
                .then(a.block.cmp(&b.block))
        });
        anchors
    }

    /// Sets outlines to the stored or dragged positions.
    fn update_positions(&mut self, elsewhere: &BTreeSet<BlockId>, dirty: &mut Dirty) {
        for id in elsewhere {
            let Some(number) = self.blocks.number(id) else { continue };
            let Some(view) = self.blocks.at_mut(number) else { continue };
            let position = self.moved.get(id).copied().unwrap_or(view.position);
            if view.outline.rect.min != position {
                dirty.rects.push(view.reach());
                view.outline = view.own.moved_to(position);
                dirty.blocks.insert(*id);
            }
            if dirty.blocks.contains(id) {
                dirty.rects.push(view.reach());
                self.block_index.set(number, Some(view.reach()));
            }
        }
    }

    fn update_passable(&mut self, dirty: &mut Dirty) {
        let mut dragged = self.moved.keys();
        let single = dragged.next().filter(|_| dragged.next().is_none()).copied();
        let now = single.filter(|id| {
            let is_link = self.blocks.get(id).is_some_and(BlockView::is_link);
            is_link && self.wires_of.get(id).is_none_or(BTreeSet::is_empty)
        });
        if now != self.passable {
            let changed = [now, self.passable].into_iter().flatten();
            dirty.rects.extend(changed.filter_map(|id| Some(self.blocks.get(&id)?.reach())));
            self.passable = now;
        }
    }

    /// Returns the rectangles of the deferred blocks.
    pub(super) fn waiting_bounds(&self) -> Option<Rect> {
        self.waiting.values().map(|at| Rect::from_min_size(*at, ABOUT)).reduce(Rect::union)
    }
}

/// Returns the blocks at both ends of wires that differ.
fn ends_of(wires: &KeyDifference<InputKey>, before: &Model, now: &Model) -> BTreeSet<BlockId> {
    let keys = wires.gone.iter().chain(&wires.changed);
    let wires = keys.flat_map(|key| [before, now].map(|model| model.connections.get(key)));
    wires.flatten().flat_map(|wire| [wire.from, wire.to]).collect()
}

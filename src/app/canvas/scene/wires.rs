//! The wires of the scene and their routes; keeps track of which must be rerouted.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::emath::{Pos2, Rect, vec2};

use super::spread::piece_rects;
use super::{BlockView, Dirty, Scene};
use crate::app::canvas::geometry::distance_to_segment;
use crate::app::canvas::route::{
    End, Obstacle, branch_point, corridor, read_bends, route, simplified, through_bends, trunk, within_rooms,
};
use crate::model::{Connection, InputKey};

/// Connection attribute with the bends made by the user.
pub const VIEW_BENDS: &str = "view:bends";

/// Number of moved blocks above which every wire is rerouted.
const MANY: usize = 1000;
/// Number of moved blocks above which all wires in the rectangle around them are rerouted.
const SEVERAL: usize = 200;
/// Maximum number of wires that are routed together with an edit; the others follow as time permits.
pub(super) const AT_ONCE: usize = 8;
/// Maximum number of removed pieces whose neighbours are moved together with an edit.
const PIECES: usize = 50;
/// Number of wires that are routed between two looks at the clock.
const SLICE: usize = 10;
/// More wires than can be routed in a frame.
const MOST: usize = 60 * SLICE;

/// Whether a route avoids blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocks {
    GoneRound,
    Ignored,
}

#[derive(Debug)]
pub struct WireView {
    pub connection: Arc<Connection>,
    /// The points from port to port; empty if one of the blocks is missing.
    pub points: Vec<Pos2>,
    pub bounds: Rect,
    /// Where it branches off a wire of the same output.
    pub dot: Option<Pos2>,
    /// The part that is not shared with another wire: from the branch dot on, or all.
    pub tail: Vec<Pos2>,
    /// One of the ports is missing.
    pub is_broken: bool,
    /// The route is provisional: it does not avoid blocks or other wires yet.
    pub(super) is_plain: bool,
    /// The rectangle that the route depends on.
    corridor: Rect,
    /// The route without regard to other wires, and the shift of each of its pieces.
    pub(super) route: Vec<Pos2>,
    pub(super) shifts: Vec<f32>,
    /// The greatest lengths of the pieces at its two ports, where a port of another wire faces one.
    pub(super) rooms: [Option<f32>; 2],
    /// Whether each of its pieces is in a crowded cluster.
    pub(super) crowded: Vec<bool>,
}

impl WireView {
    fn new(connection: &Arc<Connection>) -> WireView {
        WireView {
            connection: Arc::clone(connection),
            points: Vec::new(),
            bounds: Rect::NOTHING,
            dot: None,
            tail: Vec::new(),
            is_broken: false,
            is_plain: false,
            corridor: Rect::NOTHING,
            route: Vec::new(),
            shifts: Vec::new(),
            rooms: [None; 2],
            crowded: Vec::new(),
        }
    }

    pub fn key(&self) -> InputKey {
        self.connection.key()
    }

    /// Returns the centre of the signal name, which is `width` wide: above the middle of the longest horizontal piece,
    /// or of any piece if none is horizontal. A name longer than its piece keeps clear of the block at the piece's end.
    pub fn name_position(&self, width: f32) -> Pos2 {
        let pieces = self.points.windows(2).enumerate().filter_map(|(index, pair)| match pair {
            [a, b] => Some((index, *a, *b)),
            _ => None,
        });
        let length = |(_, a, b): &(usize, Pos2, Pos2)| {
            let length = (a.x - b.x).abs() + (a.y - b.y).abs();
            if a.y == b.y { 10.0 * length } else { length }
        };
        let Some((index, a, b)) = pieces.max_by(|a, b| length(a).total_cmp(&length(b))) else { return Pos2::ZERO };
        let ahead = vec2((b.x - a.x).signum(), 0.0) * (width / 2.0 + 2.0);
        let is_short = a.y == b.y && (b.x - a.x).abs() < width + 4.0;
        let middle = match (is_short, index) {
            (true, index) if index + 2 == self.points.len() && index > 0 => b - ahead,
            (true, 0) if self.points.len() > 2 => a + ahead,
            _ => a + (b - a) / 2.0,
        };
        middle - vec2(0.0, 8.0)
    }

    pub fn has_bends(&self) -> bool {
        self.connection.attributes.get(VIEW_BENDS).is_some()
    }
}

/// Whether both ports of a wire exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Present,
    Missing,
}

impl Scene {
    /// Removes a wire that no longer exists or has changed.
    pub(super) fn let_wire_go(&mut self, key: &InputKey, dirty: &mut Dirty) {
        let Some(number) = self.wires.number(key) else { return };
        let Some(wire) = self.wires.remove(key) else { return };
        self.wire_index.set(number, None);
        self.pending.remove(&number);
        dirty.pieces.extend(piece_rects(&wire.route));
        let connection = &wire.connection;
        for id in [connection.from, connection.to] {
            self.wires_of.get_mut(&id).map(|wires| wires.remove(&number));
        }
        let net = (connection.from, Arc::clone(&connection.output));
        if let Some(wires) = self.nets.get_mut(&net) {
            wires.remove(&number);
            if wires.is_empty() {
                self.nets.remove(&net);
            }
        }
        dirty.nets.insert(net);
    }

    /// Adds a wire if it does not exist yet.
    pub(super) fn take_wire(&mut self, connection: &Arc<Connection>, dirty: &mut Dirty) {
        let key = connection.key();
        if self.wires.number(&key).is_some() {
            return;
        }
        let number = self.wires.insert(key, WireView::new(connection));
        for id in [connection.from, connection.to] {
            self.wires_of.entry(id).or_default().insert(number);
        }
        let net = (connection.from, Arc::clone(&connection.output));
        self.nets.entry(net.clone()).or_default().insert(number);
        dirty.nets.insert(net);
    }

    /// Reroutes what has changed: `at_once` wires now and the rest by [`Scene::route_some`].
    pub(super) fn update_routes(&mut self, dirty: &Dirty, at_once: usize) {
        let mut wires: BTreeSet<u32> =
            dirty.nets.iter().filter_map(|net| self.nets.get(net)).flatten().copied().collect();
        if dirty.rects.len() > MANY {
            wires.extend(self.wires.iter().map(|(number, ..)| number));
        } else {
            for id in &dirty.blocks {
                wires.extend(self.wires_of.get(id).into_iter().flatten());
            }
            // If a port has moved, the bends of the whole net may move.
            let mut firsts = BTreeSet::new();
            let nets = wires.iter().filter_map(|number| self.net_of(*number));
            let nets: Vec<u32> =
                nets.filter(|net| net.first().is_some_and(|first| firsts.insert(*first))).flatten().copied().collect();
            wires.extend(nets);
            // Of many blocks, the wires around all of them are found at once.
            let around = dirty.rects.iter().copied().reduce(Rect::union).filter(|_| dirty.rects.len() > SEVERAL);
            for rect in around.as_ref().map_or(&dirty.rects[..], std::slice::from_ref) {
                let near = self.wire_index.find(*rect);
                wires.extend(
                    near.filter(|number| self.wires.at(*number).is_some_and(|wire| wire.corridor.intersects(*rect))),
                );
            }
        }
        if wires.len() > at_once {
            self.put_off(&mut wires, dirty, at_once);
        }
        let (now, later) = dirty.pieces.split_at(dirty.pieces.len().min(PIECES));
        self.unspread.extend_from_slice(later);
        self.route_wires(wires, now.to_vec());
    }

    /// Gives most of many wires a provisional route and leaves collision avoidance for later. Wires of moved blocks
    /// come first.
    fn put_off(&mut self, wires: &mut BTreeSet<u32>, dirty: &Dirty, at_once: usize) {
        let of_moved = dirty.blocks.iter().flat_map(|id| self.wires_of.get(id).into_iter().flatten()).copied();
        let now: BTreeSet<u32> = of_moved.filter(|number| wires.contains(number)).take(at_once).collect();
        let later: Vec<u32> = wires.iter().copied().filter(|number| !now.contains(number)).collect();
        for number in later {
            let Some(wire) = self.wires.at(number) else { continue };
            let connection = &wire.connection;
            let of_moved = dirty.blocks.contains(&connection.from) || dirty.blocks.contains(&connection.to);
            if of_moved || wire.route.is_empty() {
                // Its neighbours are moved as time permits.
                let left = piece_rects(&wire.route);
                self.unspread.extend(left);
                self.plain_wire(number);
                self.settle(number);
                self.set_tail(number);
            }
            self.pending.insert(number);
        }
        *wires = now;
    }

    /// Returns whether blocks are waiting to be computed, or wires still have provisional routes.
    pub fn is_routing(&self) -> bool {
        self.is_waiting() || !self.pending.is_empty() || !self.unspread.is_empty()
    }

    /// Routes deferred wires, those in view first, for the available time, but always some.
    pub fn route_some(&mut self, visible: Rect, has_time: &mut dyn FnMut() -> bool) {
        if self.pending.is_empty() && self.unspread.is_empty() {
            return;
        }
        let is_in_view = |number: &u32| self.wires.at(*number).is_some_and(|wire| wire.bounds.intersects(visible));
        let in_view: Vec<u32> = self.pending.iter().copied().filter(is_in_view).take(MOST).collect();
        for slice in in_view.chunks(SLICE) {
            self.route_wires(slice.iter().copied().collect(), Vec::new());
            if !has_time() {
                return;
            }
        }
        while !self.pending.is_empty() {
            self.route_wires(self.pending.iter().take(SLICE).copied().collect(), Vec::new());
            if !has_time() {
                return;
            }
        }
        while let Some(last) = self.unspread.len().checked_sub(1) {
            let slice = self.unspread.split_off(last.saturating_sub(SLICE));
            self.route_wires(BTreeSet::new(), slice);
            if !has_time() {
                return;
            }
        }
    }

    /// Routes all deferred wires.
    pub fn route_all(&mut self) {
        let (all, rects) = (std::mem::take(&mut self.pending), std::mem::take(&mut self.unspread));
        self.route_wires(all, rects);
    }

    fn route_wires(&mut self, mut wires: BTreeSet<u32>, mut changed: Vec<Rect>) {
        self.revision += u64::from(!(wires.is_empty() && changed.is_empty()));
        for number in &wires {
            self.pending.remove(number);
            let Some(wire) = self.wires.at_mut(*number) else { continue };
            let (before, was_plain) = (wire.route.clone(), std::mem::take(&mut wire.is_plain));
            self.route_wire(*number);
            let Some(after) = self.wires.at(*number).map(|wire| &wire.route) else { continue };
            if was_plain {
                changed.extend(piece_rects(after));
            } else if before != *after {
                changed.extend(piece_rects(&before).chain(piece_rects(after)));
            }
        }
        self.wire_index.commit();
        let moved = self.spread(&changed);
        wires.extend(moved);
        for number in &wires {
            self.settle(*number);
        }
        let mut nets = BTreeSet::new();
        for number in &wires {
            let Some(first) = self.net_of(*number).and_then(|net| net.first()).copied() else { continue };
            if nets.insert(first) {
                self.set_dots(first);
            }
        }
    }

    fn net_of(&self, number: u32) -> Option<&BTreeSet<u32>> {
        let connection = &self.wires.at(number)?.connection;
        self.nets.get(&(connection.from, Arc::clone(&connection.output)))
    }

    /// Sets a route that ignores blocks.
    fn plain_wire(&mut self, number: u32) {
        self.way_of(number, Blocks::Ignored);
        if let Some(wire) = self.wires.at_mut(number) {
            wire.is_plain = true;
            wire.crowded.fill(false);
        }
    }

    fn route_wire(&mut self, number: u32) {
        self.way_of(number, Blocks::GoneRound);
    }

    /// Before tracks are assigned, a wire is its own tail.
    fn set_tail(&mut self, number: u32) {
        if let Some(wire) = self.wires.at_mut(number) {
            (wire.dot, wire.tail) = (None, wire.points.clone());
        }
    }

    fn way_of(&mut self, number: u32, blocks: Blocks) {
        let Some(wire) = self.wires.at(number) else { return };
        let connection = Arc::clone(&wire.connection);
        let ends = (self.blocks.get(&connection.from), self.blocks.get(&connection.to));
        let (Some(from_block), Some(to_block)) = ends else {
            self.set_route(number, Vec::new(), Rect::NOTHING, Ends::Missing);
            return;
        };
        let output = from_block.output_at(&connection.output);
        let input = to_block.input_at(&connection.input);
        let from = source_end(from_block, output.unwrap_or_else(|| from_block.output_side()));
        let to = target_end(to_block, input.unwrap_or_else(|| to_block.input_side()));
        let ends = if output.is_none() || input.is_none() { Ends::Missing } else { Ends::Present };
        let bends = connection.attributes.get(VIEW_BENDS).map(read_bends).filter(|bends| !bends.is_empty());
        if let Some(mut bends) = bends {
            // Bends move with the blocks if both are dragged.
            let shift = from_block.outline.rect.min - from_block.position;
            if shift == to_block.outline.rect.min - to_block.position {
                bends.iter_mut().for_each(|bend| *bend += shift);
            }
            let points = through_bends(&from, &to, &bends);
            self.set_route(number, points, Rect::NOTHING, ends);
            return;
        }
        let corridor = corridor(&from, &to);
        if blocks == Blocks::Ignored {
            self.set_route(number, route(&from, &to, None, &[]), corridor, ends);
            return;
        }
        let trunk = trunk(&from, &self.targets(number));
        let obstacles = self.obstacles(corridor);
        let points = route(&from, &to, trunk, &obstacles);
        let ports = [(connection.from, from.at, from.heading.vector()), (connection.to, to.at, -to.heading.vector())];
        let rooms = match points.len() {
            // A straight wire has no piece that could be shorter.
            ..=2 => [None; 2],
            _ => ports.map(|port| self.room_at(port, &connection, corridor)),
        };
        let points = within_rooms(points, rooms, &obstacles);
        self.set_route(number, points, corridor, ends);
        if let Some(wire) = self.wires.at_mut(number) {
            wire.rooms = rooms;
        }
    }

    fn set_route(&mut self, number: u32, points: Vec<Pos2>, corridor: Rect, ends: Ends) {
        let Some(wire) = self.wires.at_mut(number) else { return };
        if wire.route != points {
            wire.shifts = vec![0.0; points.len().saturating_sub(1)];
            wire.crowded = vec![false; points.len().saturating_sub(1)];
            wire.route = points;
        }
        wire.rooms = [None; 2];
        wire.corridor = corridor;
        wire.is_broken = ends == Ends::Missing;
        // Maximum distance between a track and the route.
        let found_by = Rect::from_points(&wire.route).expand(10.0).union(corridor);
        self.wire_index.set(number, found_by.is_finite().then_some(found_by));
    }

    /// Returns the points at which the wires of an output end.
    fn targets(&self, number: u32) -> Vec<Pos2> {
        let net = self.net_of(number).into_iter().flatten();
        net.filter_map(|number| {
            let connection = &self.wires.at(*number)?.connection;
            self.blocks.get(&connection.to)?.input_at(&connection.input)
        })
        .collect()
    }

    /// Returns the blocks in a rectangle, in an order that depends on their positions only.
    pub fn obstacles(&self, rect: Rect) -> Vec<Obstacle> {
        let found = self.block_index.find(rect).filter_map(|number| self.blocks.at(number));
        let solid = found.filter(|view| self.passable != Some(view.block.id) && !view.is_remark());
        let mut found: Vec<Obstacle> = Vec::new();
        for view in solid {
            found.push(Obstacle { rect: view.outline.rect, with_title: title_room(view) });
            found.extend(view.widget_rects().map(|rect| Obstacle { rect, with_title: rect }));
        }
        found.sort_by(|a, b| a.rect.min.y.total_cmp(&b.rect.min.y).then(a.rect.min.x.total_cmp(&b.rect.min.x)));
        found
    }

    /// Sets a dot where a wire leaves those of the same output that precede it.
    fn set_dots(&mut self, first: u32) {
        let Some(net) = self.net_of(first) else { return };
        let mut net: Vec<u32> = net.iter().copied().collect();
        // Broken wires come last, so that the shared part looks intact.
        net.sort_by_cached_key(|number| self.wires.at(*number).map(|wire| (wire.is_broken, wire.key())));
        for (index, number) in net.iter().enumerate() {
            let before = net.get(..index).unwrap_or_default();
            let Some(points) = self.wires.at(*number).map(|wire| &wire.points) else { continue };
            let branches = before.iter().filter_map(|other| branch_point(&self.wires.at(*other)?.points, points));
            // The last point that still lies on another wire.
            let start = points.first().copied().unwrap_or_default();
            let far = |point: &Pos2| (point.x - start.x).abs() + (point.y - start.y).abs();
            let dot = branches.max_by(|a, b| far(a).total_cmp(&far(b)));
            if let Some(wire) = self.wires.at_mut(*number) {
                wire.dot = dot;
                wire.tail = dot.map_or_else(|| wire.points.clone(), |dot| tail(&wire.points, dot));
            }
        }
    }
}

/// Returns a block with its title and space for tracks above and below.
fn title_room(view: &BlockView) -> Rect {
    let rect = view.outline.with_title();
    Rect { min: rect.min - vec2(0.0, 12.0), max: rect.max + vec2(0.0, 8.0) }
}

/// Returns the part of a wire after a point on it.
fn tail(points: &[Pos2], from: Pos2) -> Vec<Pos2> {
    let is_on = |pair: &[Pos2]| matches!(pair, [a, b] if distance_to_segment(*a, *b, from) < 0.01);
    let Some(index) = points.windows(2).position(is_on) else { return points.to_vec() };
    simplified([from].into_iter().chain(points.iter().skip(index + 1).copied()).collect())
}

pub fn source_end(view: &BlockView, at: Pos2) -> End {
    End { at, heading: view.outline.facing.heading(), block: view.outline.rect }
}

pub fn target_end(view: &BlockView, at: Pos2) -> End {
    End { at, heading: view.outline.input_heading(at), block: view.outline.rect }
}

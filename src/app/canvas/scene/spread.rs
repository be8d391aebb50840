//! Assigns tracks to overlapping wires of different outputs, where something changed.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use eframe::egui::emath::{Pos2, Rect};

use super::Scene;
use crate::app::canvas::route::tracks::{Piece, shifted, tracks};
use crate::model::BlockId;

/// Size of a cluster above which its pieces do not move.
const MANY: usize = 80;

type Net = (BlockId, Arc<str>);

impl Scene {
    /// Assigns the tracks of all clusters that touch one of the rectangles (where wire pieces were or are). Returns the
    /// wires whose routes changed.
    pub(super) fn spread(&mut self, rects: &[Rect]) -> BTreeSet<u32> {
        let mut seen: BTreeSet<(u32, usize)> = BTreeSet::new();
        let mut changed = BTreeSet::new();
        for rect in rects {
            for seed in self.pieces_in(*rect).into_iter().filter(|piece| !piece.is_fixed) {
                if seen.contains(&(seed.wire, seed.index)) {
                    continue;
                }
                let cluster = self.cluster(seed, &mut seen);
                for (number, index, shift) in tracks(&cluster) {
                    let Some(wire) = self.wires.at_mut(number) else { continue };
                    if let Some(known) = wire.shifts.get_mut(index)
                        && *known != shift
                    {
                        *known = shift;
                        changed.insert(number);
                    }
                }
            }
        }
        changed
    }

    /// Returns a piece and all that touches it, transitively; pieces that cannot move end the cluster.
    fn cluster(&self, seed: Piece<Net>, seen: &mut BTreeSet<(u32, usize)>) -> Vec<Piece<Net>> {
        seen.insert((seed.wire, seed.index));
        let mut fixed = BTreeSet::new();
        let mut cluster = Vec::new();
        let mut ahead = VecDeque::from([seed]);
        while let Some(piece) = ahead.pop_front() {
            for other in self.pieces_in(piece.reach()).into_iter().filter(|other| piece.touches(other)) {
                let key = (other.wire, other.index);
                if other.is_fixed {
                    if fixed.insert(key) {
                        cluster.push(other);
                    }
                } else if seen.insert(key) {
                    ahead.push_back(other);
                }
            }
            cluster.push(piece);
        }
        if cluster.len() > MANY {
            // A single net needs no tracks.
            cluster.retain(|piece| !piece.is_fixed);
            if let Some(net) = cluster.first().map(|piece| piece.net.clone()) {
                cluster.iter_mut().for_each(|piece| piece.net = net.clone());
            }
        }
        cluster
    }

    fn pieces_in(&self, rect: Rect) -> Vec<Piece<Net>> {
        let mut found = Vec::new();
        for number in self.wire_index.find(rect) {
            let Some(wire) = self.wires.at(number) else { continue };
            for index in 0..wire.route.len().saturating_sub(1) {
                let Some(bounds) = piece_bounds(&wire.route, index) else { continue };
                if rect.intersects(bounds) {
                    let net = (wire.connection.from, Arc::clone(&wire.connection.output));
                    let mut piece = Piece::of(&wire.route, number, index, net);
                    if wire.has_bends() {
                        piece.iter_mut().for_each(Piece::fix);
                    }
                    found.extend(piece);
                }
            }
        }
        found
    }

    /// Moves the wire to its tracks.
    pub(super) fn settle(&mut self, number: u32) {
        let Some(wire) = self.wires.at_mut(number) else { return };
        wire.points = shifted(&wire.route, &wire.shifts);
        wire.bounds = Rect::from_points(&wire.points);
    }
}

fn piece_bounds(route: &[Pos2], index: usize) -> Option<Rect> {
    Some(Rect::from_two_pos(*route.get(index)?, *route.get(index + 1)?))
}

/// Returns the rectangles of the pieces of a route.
pub(super) fn piece_rects(route: &[Pos2]) -> impl Iterator<Item = Rect> + '_ {
    (0..route.len().saturating_sub(1)).filter_map(|index| piece_bounds(route, index)).map(|rect| rect.expand(5.0))
}

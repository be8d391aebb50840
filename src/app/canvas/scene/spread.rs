//! Assigns tracks to overlapping wires of different outputs, where something changed.

use std::collections::{BTreeSet, HashSet, VecDeque};

use eframe::egui::emath::{Pos2, Rect};

use super::{FastMap, Scene};
use crate::app::canvas::route::tracks::{Piece, shifted, tracks};
use crate::model::BlockId;

/// Size of a cluster above which it is crowded: its pieces stay where they are.
const MANY: usize = 80;

/// A wire's number, and the index of one of its pieces.
type PieceKey = (u32, usize);
type NetPiece<'s> = Piece<(BlockId, &'s str)>;

/// The tracks of a cluster: a piece and all that touches it, transitively; pieces that cannot move end the cluster.
struct Tracks {
    /// The shift of each piece; in a crowded cluster, of those that were not in one before.
    shifts: Vec<(u32, usize, f32)>,
    is_crowded: bool,
}

impl Scene {
    /// Assigns the tracks of all clusters that touch one of the rectangles (where wire pieces were or are). Returns the
    /// wires whose routes changed.
    ///
    /// The pieces of a crowded cluster are marked. A mark ends the search for the rest of the cluster once it is known
    /// to be crowded, so that a wire beside ten thousand others costs no more than one beside a hundred.
    pub(super) fn spread(&mut self, rects: &[Rect]) -> BTreeSet<u32> {
        // The pieces whose tracks are known, and whether they are in a crowded cluster.
        let mut seen: FastMap<PieceKey, bool> = FastMap::default();
        let mut changed = BTreeSet::new();
        for rect in rects {
            let seeds: Vec<PieceKey> =
                self.pieces_in(*rect).iter().filter(|piece| !piece.is_fixed).map(key_of).collect();
            for seed in seeds {
                if seen.contains_key(&seed) {
                    continue;
                }
                let Some(tracks) = self.tracks_around(seed, &mut seen) else { continue };
                for (number, index, shift) in tracks.shifts {
                    let Some(wire) = self.wires.at_mut(number) else { continue };
                    if let Some(mark) = wire.crowded.get_mut(index) {
                        *mark = tracks.is_crowded;
                    }
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

    fn tracks_around(&self, (number, index): PieceKey, seen: &mut FastMap<PieceKey, bool>) -> Option<Tracks> {
        let mut found: HashSet<PieceKey, ahash::RandomState> = HashSet::from_iter([(number, index)]);
        let mut cluster = Vec::new();
        let mut ahead = VecDeque::from([self.piece(number, index)?]);
        let mut is_crowded = false;
        while let Some(piece) = ahead.pop_front() {
            // All that touches a marked piece is marked, or is found from where it changed.
            if is_crowded && self.is_marked(key_of(&piece)) {
                continue;
            }
            for other in self.pieces_in(piece.reach()).into_iter().filter(|other| piece.touches(other)) {
                if !found.insert(key_of(&other)) {
                    continue;
                }
                if other.is_fixed {
                    cluster.push(other);
                } else {
                    is_crowded |= seen.get(&key_of(&other)).copied().unwrap_or(false);
                    ahead.push_back(other);
                }
            }
            is_crowded |= found.len() > MANY;
            cluster.push(piece);
        }
        seen.extend(found.iter().map(|key| (*key, is_crowded)));
        let shifts = if is_crowded {
            let movable = cluster.iter().filter(|piece| !piece.is_fixed).map(key_of);
            movable.filter(|key| !self.is_marked(*key)).map(|(number, index)| (number, index, 0.0)).collect()
        } else {
            tracks(&cluster)
        };
        Some(Tracks { shifts, is_crowded })
    }

    fn is_marked(&self, (number, index): PieceKey) -> bool {
        self.wires.at(number).and_then(|wire| wire.crowded.get(index)).copied().unwrap_or(false)
    }

    fn piece(&self, number: u32, index: usize) -> Option<NetPiece<'_>> {
        let wire = self.wires.at(number)?;
        let net = (wire.connection.from, &*wire.connection.output);
        let mut piece = Piece::of(&wire.route, number, index, net)?;
        if wire.has_bends() {
            piece.fix();
        }
        for (room, is_first) in wire.rooms.into_iter().zip([true, false]) {
            if let Some(room) = room {
                piece.keep_within(&wire.route, room, is_first);
            }
        }
        Some(piece)
    }

    /// Provisional wires do not count: others make room for them once they have their route.
    fn pieces_in(&self, rect: Rect) -> Vec<NetPiece<'_>> {
        let mut found = Vec::new();
        for number in self.wire_index.find(rect) {
            let Some(wire) = self.wires.at(number).filter(|wire| !wire.is_plain) else { continue };
            for index in 0..wire.route.len().saturating_sub(1) {
                if piece_bounds(&wire.route, index).is_some_and(|bounds| rect.intersects(bounds)) {
                    found.extend(self.piece(number, index));
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

fn key_of(piece: &NetPiece) -> PieceKey {
    (piece.wire, piece.index)
}

fn piece_bounds(route: &[Pos2], index: usize) -> Option<Rect> {
    Some(Rect::from_two_pos(*route.get(index)?, *route.get(index + 1)?))
}

/// Returns the rectangles of the pieces of a route.
pub(super) fn piece_rects(route: &[Pos2]) -> impl Iterator<Item = Rect> + '_ {
    (0..route.len().saturating_sub(1)).filter_map(|index| piece_bounds(route, index)).map(|rect| rect.expand(5.0))
}

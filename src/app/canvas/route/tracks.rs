//! Separates wires of different outputs that would overlap.
//!
//! Pieces of wires that touch along their length form a cluster; each output in it gets a track, in the order with the
//! fewest crossings. The tracks of a cluster depend on its pieces only.

use eframe::egui::emath::{Pos2, Rect, pos2};

/// Distance below which two pieces look like one.
pub const NEAR: f32 = 5.0;
/// Distance between two tracks.
const GAP: f32 = 6.0;
/// Maximum shift of a piece: blocks and stubs are hardly farther away.
const FARTHEST: f32 = 8.0;
/// Beside a piece shorter than this, the maximum shift is smaller.
const SHORT: f32 = 17.0;
const NEAR_SHORT: f32 = 3.0;

/// Distance between two tracks at least, where their rooms are narrow.
const MIN_GAP: f32 = 3.0;
/// How many crossings count as much as two wires that run over each other.
const SHARED: usize = 50;
/// The room of a piece that may be moved anywhere.
const UNBOUNDED: (f32, f32) = (f32::NEG_INFINITY, f32::INFINITY);

/// A straight piece of a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece<N> {
    pub wire: u32,
    /// Index of its first point.
    pub index: usize,
    /// The output that the wire belongs to.
    pub net: N,
    pub is_vertical: bool,
    /// At a port, or placed by the user.
    pub is_fixed: bool,
    /// Coordinate across its direction.
    at: f32,
    low: f32,
    high: f32,
    /// Where other pieces leave it at its two ends, and whether towards greater coordinates.
    leaving: [Option<(f32, bool)>; 2],
    is_beside_short: bool,
    /// Where it may be moved, across its direction.
    room: (f32, f32),
}

impl<N> Piece<N> {
    /// Keeps the piece where it is.
    pub fn fix(&mut self) {
        self.is_fixed = true;
    }

    /// Keeps the piece beside that at the first or the last port of its route where the latter is no longer than its room.
    pub fn keep_within(&mut self, route: &[Pos2], room: f32, is_first: bool) {
        let (port, next) = match is_first {
            true => (route.first(), route.get(1)),
            false => (route.last(), route.len().checked_sub(2).and_then(|index| route.get(index))),
        };
        let is_beside = if is_first { self.index == 1 } else { self.index + 3 == route.len() };
        let (Some(port), Some(next), true) = (port, next, is_beside) else { return };
        let across = |point: &Pos2| if self.is_vertical { point.x } else { point.y };
        let (from, to) = (across(port), across(next));
        match to > from {
            true => self.room.1 = self.room.1.min((from + room).max(to)),
            false => self.room.0 = self.room.0.max((from - room).min(to)),
        }
    }

    /// Returns the piece of a route that starts at a point.
    pub fn of(points: &[Pos2], wire: u32, index: usize, net: N) -> Option<Piece<N>> {
        let (a, b) = (*points.get(index)?, *points.get(index + 1)?);
        let is_vertical = a.x == b.x && a.y != b.y;
        let across = |point: Pos2| if is_vertical { point.x } else { point.y };
        let along = |point: Pos2| if is_vertical { point.y } else { point.x };
        let before = index.checked_sub(1).and_then(|before| points.get(before));
        let after = points.get(index + 2);
        let leaving = |from: Pos2, to: Option<&Pos2>| {
            let to = to?;
            (across(*to) != across(from)).then(|| (along(from), across(*to) > across(from)))
        };
        let is_short = |from: Pos2, to: Option<&Pos2>| to.is_some_and(|to| (across(*to) - across(from)).abs() < SHORT);
        let is_at_port = index == 0 || index + 2 == points.len();
        Some(Piece {
            wire,
            index,
            net,
            is_vertical,
            is_fixed: is_at_port,
            at: across(a),
            low: along(a).min(along(b)),
            high: along(a).max(along(b)),
            leaving: [leaving(a, before), leaving(b, after)],
            is_beside_short: is_short(a, before) || is_short(b, after),
            room: UNBOUNDED,
        })
    }

    /// Returns the rectangle that contains all pieces that touch it.
    pub fn reach(&self) -> Rect {
        let (low, high) = (self.low - NEAR, self.high + NEAR);
        match self.is_vertical {
            true => Rect { min: pos2(self.at - NEAR, low), max: pos2(self.at + NEAR, high) },
            false => Rect { min: pos2(low, self.at - NEAR), max: pos2(high, self.at + NEAR) },
        }
    }

    pub fn touches(&self, other: &Piece<N>) -> bool {
        self.is_vertical == other.is_vertical
            && (self.at - other.at).abs() < NEAR
            && self.low < other.high + NEAR - 1.0
            && other.low < self.high + NEAR - 1.0
    }
}

/// The pieces of one output in a cluster.
struct Track<'p, N> {
    net: &'p N,
    pieces: Vec<&'p Piece<N>>,
    is_fixed: bool,
    at: f32,
}

/// Returns for each piece that moves its wire, its index and its shift across its direction.
pub fn tracks<N: Ord>(cluster: &[Piece<N>]) -> Vec<(u32, usize, f32)> {
    let mut pieces: Vec<&Piece<N>> = cluster.iter().collect();
    let key = |piece: &Piece<N>| (piece.at, piece.low, piece.high);
    pieces.sort_by(|a, b| {
        let ((a_at, a_low, a_high), (b_at, b_low, b_high)) = (key(a), key(b));
        let by_position = a_at.total_cmp(&b_at).then(a_low.total_cmp(&b_low)).then(a_high.total_cmp(&b_high));
        a.net.cmp(&b.net).then(by_position)
    });
    let mut tracks: Vec<Track<N>> = Vec::new();
    for piece in pieces {
        match tracks.iter_mut().find(|track| *track.net == piece.net && track.at == piece.at) {
            Some(track) => {
                track.is_fixed |= piece.is_fixed;
                track.pieces.push(piece);
            }
            None => {
                tracks.push(Track { net: &piece.net, pieces: vec![piece], is_fixed: piece.is_fixed, at: piece.at });
            }
        }
    }
    let still = |cluster: &[Piece<N>]| {
        let movable = cluster.iter().filter(|piece| !piece.is_fixed);
        movable.map(|piece| (piece.wire, piece.index, 0.0)).collect()
    };
    let is_one_net = tracks.windows(2).all(|pair| matches!(pair, [a, b] if a.net == b.net));
    if is_one_net || tracks.len() > 12 {
        return still(cluster);
    }
    let mut ordered: Vec<Track<N>> = Vec::with_capacity(tracks.len());
    for track in tracks {
        // Inserts it at the leftmost position with the fewest crossings.
        let own = room_of(&track);
        // One that must be above another in position comes after it, whatever crosses.
        let wrong = |lesser: (f32, f32), greater: (f32, f32)| if lesser.0 >= greater.1 { 1000 } else { 0 };
        let cost = |index: usize| {
            let before = ordered.iter().take(index).map(|other| wrong(room_of(other), own)).sum::<usize>();
            let behind = ordered.iter().skip(index).map(|other| wrong(own, room_of(other))).sum::<usize>();
            let left = ordered.iter().take(index).map(|other| crossings(other, &track)).sum::<usize>();
            before + behind + left + ordered.iter().skip(index).map(|other| crossings(&track, other)).sum::<usize>()
        };
        let best = (0..=ordered.len()).min_by_key(|index| (cost(*index), *index)).unwrap_or(0);
        ordered.insert(best, track);
    }
    let count = ordered.len();
    let gap = GAP.min(2.0 * FARTHEST / (count.saturating_sub(1)).max(1) as f32);
    let held = ordered.iter().position(|track| track.is_fixed);
    let (origin, zero) = match held.and_then(|held| Some((held, ordered.get(held)?))) {
        Some((held, track)) => (track.at, held as f32),
        None => {
            let mean = ordered.iter().map(|track| track.at).sum::<f32>() / count as f32;
            (mean, (count - 1) as f32 / 2.0)
        }
    };
    let mut places: Vec<f32> = Vec::with_capacity(count);
    for (index, track) in ordered.iter().enumerate() {
        let limit = if track.pieces.iter().any(|piece| piece.is_beside_short) { NEAR_SHORT } else { FARTHEST };
        let wanted = origin + (index as f32 - zero) * gap - track.at;
        places.push(track.at + if track.is_fixed { 0.0 } else { wanted.clamp(-limit, limit) });
    }
    keep_in_rooms(&ordered, &mut places, gap.min(MIN_GAP));
    let mut moves = Vec::new();
    for (track, place) in ordered.iter().zip(places) {
        let movable = track.pieces.iter().filter(|piece| !piece.is_fixed);
        moves.extend(movable.map(|piece| (piece.wire, piece.index, place - piece.at)));
    }
    moves
}

/// Moves tracks into their rooms, and those beside them as far as they need at least `gap` between them.
fn keep_in_rooms<N>(ordered: &[Track<N>], places: &mut [f32], gap: f32) {
    if ordered.iter().flat_map(|track| &track.pieces).all(|piece| piece.room == UNBOUNDED) {
        return;
    }
    let within = |track: &Track<N>, place: f32| match (track.is_fixed, room_of(track)) {
        (true, _) => track.at,
        (false, (low, high)) if low < high => place.clamp(low, high),
        // Rooms at both ends that leave one place only: the order of the tracks keeps the wires apart.
        (false, _) => place,
    };
    let mut before = f32::NEG_INFINITY;
    for (track, place) in ordered.iter().zip(places.iter_mut()) {
        *place = within(track, place.max(before + gap));
        before = *place;
    }
    let mut behind = f32::INFINITY;
    for (track, place) in ordered.iter().zip(places.iter_mut()).rev() {
        *place = within(track, place.min(behind - gap));
        behind = *place;
    }
}

/// Returns where all pieces of a track may be.
fn room_of<N>(track: &Track<N>) -> (f32, f32) {
    let rooms = track.pieces.iter().map(|piece| piece.room);
    rooms.fold(UNBOUNDED, |a, b| (a.0.max(b.0), a.1.min(b.1)))
}

/// Counts the crossings if one track is on the lower side of the other. Pieces that leave the two towards each other on
/// one line would run over each other, which is worse than any crossing.
fn crossings<N>(lesser: &Track<N>, greater: &Track<N>) -> usize {
    let towards = |track: &Track<N>, is_greater: bool| -> Vec<f32> {
        let leaving = track.pieces.iter().flat_map(|piece| piece.leaving.iter().flatten());
        leaving.filter(|(_, side)| *side == is_greater).map(|(along, _)| *along).collect()
    };
    let crossed = |leaving: &[f32], other: &Track<N>| {
        let is_crossed = |along: &&f32| other.pieces.iter().any(|piece| piece.low < **along && **along < piece.high);
        leaving.iter().filter(is_crossed).count()
    };
    let (up, down) = (towards(lesser, true), towards(greater, false));
    let shared = up.iter().filter(|along| down.iter().any(|other| (**along - other).abs() < NEAR)).count();
    crossed(&up, greater) + crossed(&down, lesser) + SHARED * shared
}

/// Returns the route with its pieces shifted.
pub fn shifted(route: &[Pos2], shifts: &[f32]) -> Vec<Pos2> {
    let mut points = route.to_vec();
    for (index, pair) in route.windows(2).enumerate() {
        let ([a, b], Some(shift)) = (pair, shifts.get(index)) else { continue };
        let is_vertical = a.x == b.x && a.y != b.y;
        for point in points.iter_mut().skip(index).take(2) {
            match is_vertical {
                true => point.x += shift,
                false => point.y += shift,
            }
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three wires side by side, each one row further down at its end: the row of one is that at which the next begins.
    #[test]
    fn wires_to_the_next_row_never_meet() {
        let row = |number: f32| 20.0 * number;
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let pieces: Vec<Piece<usize>> = order
                .into_iter()
                .enumerate()
                .map(|(net, number)| {
                    let (from, to) = (row(number as f32), row(number as f32 + 1.0));
                    let points = [pos2(0.0, from), pos2(150.0, from), pos2(150.0, to), pos2(300.0, to)];
                    let mut piece = Piece::of(&points, number as u32, 1, net).expect("a piece");
                    piece.keep_within(&points, 147.0, true);
                    piece.keep_within(&points, 147.0, false);
                    piece
                })
                .collect();
            let mut moves = tracks(&pieces);
            moves.sort_by_key(|(wire, ..)| *wire);
            let at: Vec<f32> = moves.into_iter().map(|(_, _, shift)| 150.0 + shift).collect();
            assert!(at[1] <= at[0] - MIN_GAP && at[2] <= at[1] - MIN_GAP, "{order:?}: {at:?}");
        }
    }
}

//! Shortens the pieces of a route at its ports, where a port of another wire faces one on the same line.

use eframe::egui::emath::Pos2;

use super::{Obstacle, STUB, simplified};
use crate::app::canvas::geometry::crosses;

/// Returns the route with pieces at its ports that are no longer than their rooms. A route keeps its shape where a shorter
/// piece would lead it through a block.
pub fn within_rooms(points: Vec<Pos2>, [first, last]: [Option<f32>; 2], obstacles: &[Obstacle]) -> Vec<Pos2> {
    let points = first.map_or(points.clone(), |room| shortened(points, room, obstacles));
    let Some(room) = last else { return points };
    let backwards: Vec<Pos2> = points.into_iter().rev().collect();
    shortened(backwards, room, obstacles).into_iter().rev().collect()
}

/// Shortens the first piece: its end and the piece behind it move towards the port.
fn shortened(points: Vec<Pos2>, room: f32, obstacles: &[Obstacle]) -> Vec<Pos2> {
    let [start, corner, next, _, ..] = points[..] else { return points };
    let length = (corner - start).length();
    if length <= room {
        return points;
    }
    let with = |length_now: f32| {
        let shift = (corner - start) * (length_now / length - 1.0);
        let mut moved = points.clone();
        for (point, to) in moved.iter_mut().skip(1).zip([corner + shift, next + shift]) {
            *point = to;
        }
        moved
    };
    let crossed = |points: &[Pos2]| {
        let crosses =
            |pair: &[Pos2], obstacle: &Obstacle| matches!(pair, [a, b] if crosses(*a, *b, obstacle.rect.shrink(0.5)));
        let pieces = points.windows(2).skip(1).take(2);
        pieces.map(|pair| obstacles.iter().filter(|obstacle| crosses(pair, obstacle)).count()).sum::<usize>()
    };
    // A block in the way leaves room nearer to the port.
    let lengths = [1.0, 0.75, 0.5].map(|part| room * part).into_iter().chain([STUB.min(room)]);
    let most = crossed(&points);
    let moved = lengths.map(with).find(|moved| crossed(moved) <= most);
    moved.map_or(points.clone(), simplified)
}

//! Snapping of a dragged block: its ports to those it is connected to, its edges or centre to its neighbours, otherwise
//! to the grid.

use eframe::egui::emath::{Pos2, Rect, Vec2, pos2};

use super::Move;
use crate::app::canvas::geometry::snap_number;
use crate::app::canvas::scene::{BlockView, Scene};

/// Number of blocks in view, or dragged, above which only the grid counts.
const MANY: usize = 400;
/// Distance below which two edges are aligned.
const SAME: f32 = 0.05;

/// A line that shows an alignment.
pub type Guide = [Pos2; 2];

/// Returns the snapped shift nearest to `wanted` for the held block. `reach` is the snapping distance.
pub fn settled(scene: &Scene, held: &Move, wanted: Vec2, reach: f32, visible: Rect) -> Vec2 {
    let Some(block) = scene.block(held.block) else { return wanted };
    let rect = block.outline.moved_to(block.position).rect.translate(wanted);
    let others = neighbours(scene, held, visible);
    let mut across = Nearest::new(reach);
    let mut down = Nearest::new(reach);
    for other in &others {
        let other = other.outline.rect;
        for (own, theirs) in edges(rect, other, |point| point.x) {
            across.offer(theirs - own, 1.0);
        }
        for (own, theirs) in edges(rect, other, |point| point.y) {
            down.offer(theirs - own, 1.0);
        }
    }
    // A straight wire takes precedence over an edge; with very many wires none counts.
    for id in held.from.keys().filter(|_| held.from.len() <= MANY) {
        for wire in scene.wires_at(*id) {
            let connection = &wire.connection;
            let is_out = connection.from == *id;
            let end = if is_out { connection.to } else { connection.from };
            if held.from.contains_key(&end) {
                continue;
            }
            let (Some(from), Some(to)) = (scene.block(connection.from), scene.block(connection.to)) else { continue };
            let (Some(a), Some(b)) = (from.output_at(&connection.output), to.input_at(&connection.input)) else {
                continue;
            };
            // The dragged end is at its wanted position, whatever the scene shows now.
            let own = if is_out { from } else { to };
            let at_rest = |point: Pos2| point - (own.outline.rect.min - own.position) + wanted;
            let gap = if is_out { b - at_rest(a) } else { a - at_rest(b) };
            match from.outline.facing.is_vertical() {
                true => across.offer(gap.x, 0.2),
                false => down.offer(gap.y, 0.2),
            }
        }
    }
    let target = held.anchor + wanted;
    let on_grid = Vec2::new(snap_number(target.x), snap_number(target.y)) - held.anchor.to_vec2();
    Vec2::new(across.best.map_or(on_grid.x, |gap| wanted.x + gap), down.best.map_or(on_grid.y, |gap| wanted.y + gap))
}

/// Returns the lines along which the held block is aligned with its neighbours.
pub fn guides(scene: &Scene, held: &Move, visible: Rect) -> Vec<Guide> {
    let Some(block) = scene.block(held.block) else { return Vec::new() };
    let rect = block.outline.moved_to(block.position).rect.translate(held.shift);
    let rect = if block.position == block.outline.rect.min { rect } else { block.outline.rect };
    let others = neighbours(scene, held, visible);
    let mut found = Vec::new();
    let nearest = |coordinate: fn(Pos2) -> f32| {
        let lines = others.iter().flat_map(|other| {
            let theirs = other.outline.rect;
            edges(rect, theirs, coordinate)
                .into_iter()
                .filter(|(own, theirs)| (own - theirs).abs() < SAME)
                .map(move |(own, _)| (own, theirs))
        });
        lines.min_by(|(_, a), (_, b)| {
            let far = |other: &Rect| other.center().distance(rect.center());
            far(a).total_cmp(&far(b))
        })
    };
    if let Some((x, other)) = nearest(|point| point.x) {
        let (top, bottom) = (rect.top().min(other.top()), rect.bottom().max(other.bottom()));
        found.push([pos2(x, top - 8.0), pos2(x, bottom + 8.0)]);
    }
    if let Some((y, other)) = nearest(|point| point.y) {
        let (left, right) = (rect.left().min(other.left()), rect.right().max(other.right()));
        found.push([pos2(left - 8.0, y), pos2(right + 8.0, y)]);
    }
    found
}

fn neighbours<'s>(scene: &'s Scene, held: &Move, visible: Rect) -> Vec<&'s BlockView> {
    if scene.count_in(visible, MANY + 1) > MANY {
        return Vec::new();
    }
    let mut found = scene.blocks_in(visible);
    found.retain(|other| !held.from.contains_key(&other.block.id) && !other.is_remark());
    found
}

/// Returns the offsets between centre, low and high edge of both along one coordinate.
fn edges(own: Rect, other: Rect, coordinate: fn(Pos2) -> f32) -> [(f32, f32); 3] {
    [
        (coordinate(own.center()), coordinate(other.center())),
        (coordinate(own.min), coordinate(other.min)),
        (coordinate(own.max), coordinate(other.max)),
    ]
}

/// The smallest offered gap within reach.
struct Nearest {
    reach: f32,
    best: Option<f32>,
    cost: f32,
}

impl Nearest {
    fn new(reach: f32) -> Nearest {
        Nearest { reach, best: None, cost: f32::INFINITY }
    }

    fn offer(&mut self, gap: f32, weight: f32) {
        let cost = gap.abs() * weight;
        if gap.abs() <= self.reach && cost < self.cost {
            (self.best, self.cost) = (Some(gap), cost);
        }
    }
}

//! Draws lines of different kinds.

use eframe::egui::{Color32, Mesh, Painter, Pos2, Rect, Shape, Stroke};

use super::kinds::LineKind;
use super::{AxisSide, Frame};

/// Points farther outside are clamped to this distance, since screen coordinates must be finite.
const FAR: f32 = 4000.0;
/// Distance in screen points that is not visible.
const CLOSE: f32 = 0.2;

/// Draws a curve through screen points; NaN makes a gap.
pub fn stroke_ui(painter: &Painter, room: Rect, points: &[Pos2], kind: LineKind, width: f32, color: Color32) {
    let painter = painter.with_clip_rect(room.intersect(painter.clip_rect()));
    let near = room.expand(FAR);
    let stroke = Stroke::new(width, color);
    for part in points.split(|point| point.x.is_nan() || point.y.is_nan()) {
        let part = apart(part.iter().map(|point| near.clamp(*point)));
        match (kind, &part[..]) {
            (_, []) => {}
            (LineKind::Points, part) => {
                let seen = part.iter().filter(|point| room.expand(4.0).contains(**point));
                painter.extend(seen.map(|point| Shape::circle_filled(*point, width + 0.9, color)));
            }
            // A single sample between gaps has no line.
            (_, [only]) => drop(painter.circle_filled(*only, width, color)),
            (LineKind::Solid, _) => drop(painter.add(Shape::line(part, stroke))),
            (LineKind::Stairs, corners) => drop(painter.add(Shape::line(stairs(corners), stroke))),
            (LineKind::Dashed, _) => painter.extend(Shape::dashed_line(&part, stroke, 7.0, 4.0)),
            (LineKind::Dotted, _) => painter.extend(Shape::dotted_line(&part, color, 3.0 + width, width * 0.75)),
        }
    }
}

/// Removes points that cannot be distinguished from the previous one, except the last.
fn apart(points: impl Iterator<Item = Pos2>) -> Vec<Pos2> {
    let mut kept: Vec<Pos2> = Vec::with_capacity(points.size_hint().1.unwrap_or(0));
    let mut left_out = None;
    for point in points {
        left_out = kept.last().is_some_and(|before| before.distance_sq(point) < CLOSE * CLOSE).then_some(point);
        if left_out.is_none() {
            kept.push(point);
        }
    }
    kept.extend(left_out);
    kept
}

/// Fills the area between two curves: x, low, high. It has gaps where one of them has no value.
pub fn band_ui(painter: &Painter, frame: &Frame, edges: &[(f64, f64, f64)], color: Color32) {
    let painter = painter.with_clip_rect(frame.rect.intersect(painter.clip_rect()));
    let near = frame.rect.expand(FAR);
    let is_whole = |edge: &(f64, f64, f64)| edge.1.is_finite() && edge.2.is_finite();
    for part in edges.split(|edge| !is_whole(edge)) {
        // A single mesh: separate pieces would have visible seams.
        let mut mesh = Mesh::default();
        for (x, low, high) in part {
            for value in [low, high] {
                mesh.colored_vertex(near.clamp(frame.at(AxisSide::Left, (*x, *value))), color);
            }
        }
        for first in (0..u32::try_from(part.len().saturating_sub(1)).unwrap_or(0)).map(|number| 2 * number) {
            mesh.add_triangle(first, first + 1, first + 2);
            mesh.add_triangle(first + 1, first + 3, first + 2);
        }
        painter.add(Shape::mesh(mesh));
    }
}

/// Adds a corner before each point but the first.
pub fn stairs(points: &[Pos2]) -> Vec<Pos2> {
    let mut corners = Vec::with_capacity(points.len() * 2);
    for pair in points.windows(2) {
        if let [from, to] = pair {
            corners.extend([*from, Pos2::new(to.x, from.y)]);
        }
    }
    corners.extend(points.last());
    corners
}

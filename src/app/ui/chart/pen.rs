//! Draws lines of different kinds.

use eframe::egui::{Color32, Mesh, Painter, Pos2, Rect, Shape, Stroke};

use super::kinds::LineKind;
use super::{AxisSide, Frame};

/// Points farther outside are clamped to this distance, since screen coordinates must be finite.
const FAR: f32 = 4000.0;
/// Distance in screen points that is not visible.
const CLOSE: f32 = 0.2;

/// The lengths of a dash and of the gap after it, in screen points.
const DASH: f32 = 7.0;
const GAP: f32 = 4.0;

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
            (LineKind::Dashed, _) => {
                let dashes = dashes(&part, DASH, GAP, room.expand(width));
                painter.extend(dashes.into_iter().map(|dash| Shape::line(dash, stroke)));
            }
            (LineKind::Dotted, _) => {
                let dots = dashes(&part, 0.0, 3.0 + width, room.expand(width));
                let dots = dots.iter().filter_map(|dot| dot.first());
                painter.extend(dots.map(|dot| Shape::circle_filled(*dot, width * 0.75, color)));
            }
        }
    }
}

/// Cuts a line into dashes of one length along the line, however close its points are: each dash is a line of its own
/// that follows all corners within it. Dashes of length 0 are single points. Those outside `room` are left out.
pub fn dashes(points: &[Pos2], dash: f32, gap: f32, room: Rect) -> Vec<Vec<Pos2>> {
    let mut dashes: Vec<Vec<Pos2>> = Vec::new();
    let mut open: Vec<Pos2> = Vec::new();
    let mut close = |open: &mut Vec<Pos2>| {
        let dash = std::mem::take(open);
        if Rect::from_points(&dash).intersects(room) {
            dashes.push(dash);
        }
    };
    // The length up to the end of the dash or the gap.
    let mut left = dash;
    open.extend(points.first());
    for pair in points.windows(2) {
        let [from, to] = pair else { continue };
        let length = from.distance(*to);
        let mut at = 0.0;
        let is_outside = !Rect::from_two_pos(*from, *to).intersects(room);
        while length - at > left {
            // Outside, whole periods are passed over.
            if is_outside && open.is_empty() {
                at += ((length - at - left) / (dash + gap)).floor() * (dash + gap);
            }
            at = (at + left).min(length);
            let corner = *from + (*to - *from) * (at / length);
            if open.is_empty() {
                open.push(corner);
                left = dash;
            } else {
                open.push(corner);
                close(&mut open);
                left = gap;
            }
        }
        left -= length - at;
        if !open.is_empty() {
            open.push(*to);
        }
    }
    if !open.is_empty() {
        close(&mut open);
    }
    dashes
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

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::pos2;

    const ROOM: Rect = Rect { min: Pos2 { x: 0.0, y: -100.0 }, max: Pos2 { x: 1000.0, y: 100.0 } };

    fn length(dash: &[Pos2]) -> f32 {
        dash.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }

    #[test]
    fn dashes_are_the_same_at_any_density_of_points() {
        // Points that are a tenth of a screen point apart, and two that are 100 apart.
        let dense: Vec<Pos2> = (0..=1000).map(|number| pos2(number as f32 * 0.1, 0.0)).collect();
        let sparse = [pos2(0.0, 0.0), pos2(100.0, 0.0)];
        let (dense, sparse) = (dashes(&dense, 7.0, 4.0, ROOM), dashes(&sparse, 7.0, 4.0, ROOM));
        // Ten dashes begin at 0, 11, …, 99.
        assert_eq!((dense.len(), sparse.len()), (10, 10));
        for (number, (dense, sparse)) in dense.iter().zip(&sparse).enumerate() {
            let begin = 11.0 * number as f32;
            assert!((dense[0].x - begin).abs() < 0.01 && (sparse[0].x - begin).abs() < 0.01, "{number}: {dense:?}");
            let wanted = if number == 9 { 1.0 } else { 7.0 };
            assert!((length(dense) - wanted).abs() < 0.01 && (length(sparse) - wanted).abs() < 0.01, "{number}");
        }
    }

    #[test]
    fn a_dash_goes_around_corners() {
        let corners = [pos2(0.0, 0.0), pos2(5.0, 0.0), pos2(5.0, 20.0)];
        let dashes = dashes(&corners, 7.0, 4.0, ROOM);
        assert_eq!(dashes[0], [pos2(0.0, 0.0), pos2(5.0, 0.0), pos2(5.0, 2.0)]);
        assert_eq!(dashes[1][0], pos2(5.0, 6.0));
    }

    #[test]
    fn what_is_far_outside_costs_nothing_and_keeps_the_phase() {
        let far = [pos2(-110_000.0, 0.0), pos2(-1100.0, 0.0), pos2(50.0, 0.0)];
        let dashes = dashes(&far, 7.0, 4.0, ROOM);
        assert!(dashes.len() <= 6, "{}", dashes.len());
        assert!(dashes.iter().all(|dash| dash[0].x.rem_euclid(11.0) < 0.2), "{dashes:?}");
        assert!(super::dashes(&[pos2(1.0, 1.0); 2], 7.0, 4.0, ROOM).len() == 1, "points on each other end");
    }

    #[test]
    fn dots_are_single_points() {
        let dots = dashes(&[pos2(0.0, 0.0), pos2(10.0, 0.0)], 0.0, 4.0, ROOM);
        let at: Vec<f32> = dots.iter().map(|dot| dot[0].x).collect();
        assert_eq!(at, [0.0, 4.0, 8.0]);
    }
}

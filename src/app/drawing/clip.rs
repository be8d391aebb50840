//! Clips drawings to a rectangle, since not all picture formats support clipping.

use eframe::egui::{Pos2, Rect, pos2};

use super::capture::bounds_of;
use super::item::{Item, Segment};

/// Returns the part of an item within a rectangle: nothing, the item, or pieces of it. Texts and round shapes are kept
/// or dropped as a whole.
pub fn clipped(item: Item, clip: Rect) -> Vec<Item> {
    let bounds = bounds_of(&item);
    if clip.contains_rect(bounds) {
        return vec![item];
    }
    let Item::Path { path, fill, stroke } = &item else {
        return if clip.intersects(bounds) { vec![item] } else { Vec::new() };
    };
    let Some((corners, is_closed)) = straight(path) else {
        return if clip.intersects(bounds) { vec![item] } else { Vec::new() };
    };
    let mut parts = Vec::new();
    if fill.is_some() {
        let inside = polygon_within(&corners, clip);
        if inside.len() > 2 {
            let path = closed_path(&inside);
            parts.push(Item::Path { path, fill: *fill, stroke: None });
        }
    }
    if stroke.is_some() {
        let mut line = corners;
        if is_closed {
            line.extend(line.first().copied());
        }
        let lines = line_within(&line, clip).into_iter();
        parts.extend(lines.map(|line| Item::Path { path: open_path(&line), fill: None, stroke: *stroke }));
    }
    parts
}

/// Returns the corners of a connected path of straight lines, and whether it is closed.
fn straight(path: &[Segment]) -> Option<(Vec<Pos2>, bool)> {
    let mut corners = Vec::with_capacity(path.len());
    for (index, segment) in path.iter().enumerate() {
        match segment {
            Segment::Move(to) if index == 0 => corners.push(*to),
            Segment::Line(to) => corners.push(*to),
            Segment::Close if index + 1 == path.len() => return Some((corners, true)),
            _ => return None,
        }
    }
    Some((corners, false))
}

fn open_path(corners: &[Pos2]) -> Vec<Segment> {
    let mut path: Vec<Segment> = corners.iter().map(|corner| Segment::Line(*corner)).collect();
    if let Some(first) = path.first_mut()
        && let Segment::Line(at) = *first
    {
        *first = Segment::Move(at);
    }
    path
}

fn closed_path(corners: &[Pos2]) -> Vec<Segment> {
    let mut path = open_path(corners);
    path.push(Segment::Close);
    path
}

/// Returns the pieces of a polyline within a rectangle (Liang and Barsky, 1984).
fn line_within(line: &[Pos2], clip: Rect) -> Vec<Vec<Pos2>> {
    let mut parts: Vec<Vec<Pos2>> = Vec::new();
    for pair in line.windows(2) {
        let &[from, to] = pair else { continue };
        let Some((enter, leave)) = within(from, to, clip) else { continue };
        let (start, end) = (from + (to - from) * enter, from + (to - from) * leave);
        match parts.last_mut() {
            Some(part) if enter == 0.0 && part.last() == Some(&from) => part.push(end),
            _ => parts.push(vec![start, end]),
        }
    }
    parts
}

/// Returns the range, as fractions of its length, in which a line is within a rectangle.
fn within(from: Pos2, to: Pos2, clip: Rect) -> Option<(f32, f32)> {
    let way = to - from;
    let (mut enter, mut leave) = (0.0_f32, 1.0_f32);
    for (step, room) in [
        (-way.x, from.x - clip.left()),
        (way.x, clip.right() - from.x),
        (-way.y, from.y - clip.top()),
        (way.y, clip.bottom() - from.y),
    ] {
        if step == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if step < 0.0 {
            enter = enter.max(room / step);
        } else {
            leave = leave.min(room / step);
        }
    }
    (enter <= leave).then_some((enter, leave))
}

/// Returns the part of a polygon within a rectangle (Sutherland and Hodgman, 1974).
fn polygon_within(corners: &[Pos2], clip: Rect) -> Vec<Pos2> {
    type EdgeDistance = fn(Pos2, Rect) -> f32;
    const SIDES: [EdgeDistance; 4] = [
        |at, clip| at.x - clip.left(),
        |at, clip| clip.right() - at.x,
        |at, clip| at.y - clip.top(),
        |at, clip| clip.bottom() - at.y,
    ];
    let mut inside = corners.to_vec();
    for side in SIDES {
        let before = std::mem::take(&mut inside);
        let Some(mut last) = before.last().copied() else { return inside };
        for corner in before {
            let (off, last_off) = (side(corner, clip), side(last, clip));
            if (off >= 0.0) != (last_off >= 0.0) {
                let part = last_off / (last_off - off);
                inside.push(pos2(last.x + (corner.x - last.x) * part, last.y + (corner.y - last.y) * part));
            }
            if off >= 0.0 {
                inside.push(corner);
            }
            last = corner;
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::{Color32, vec2};

    fn room() -> Rect {
        Rect::from_min_size(pos2(0.0, 0.0), vec2(10.0, 10.0))
    }

    #[test]
    fn a_line_that_leaves_and_comes_back_has_two_parts() {
        let line = [pos2(-5.0, 5.0), pos2(5.0, 5.0), pos2(5.0, 20.0), pos2(8.0, 20.0), pos2(8.0, 0.0)];
        let parts = line_within(&line, room());
        assert_eq!(
            parts,
            [vec![pos2(0.0, 5.0), pos2(5.0, 5.0), pos2(5.0, 10.0)], vec![pos2(8.0, 10.0), pos2(8.0, 0.0)]]
        );
    }

    #[test]
    fn an_area_keeps_its_part() {
        let corners = [pos2(5.0, 5.0), pos2(15.0, 5.0), pos2(15.0, 8.0), pos2(5.0, 8.0)];
        let item = Item::Path { path: closed_path(&corners), fill: Some(Color32::RED), stroke: None };
        let parts = clipped(item, room());
        assert_eq!(
            parts.iter().map(bounds_of).collect::<Vec<_>>(),
            [Rect::from_min_max(pos2(5.0, 5.0), pos2(10.0, 8.0))]
        );
        let outside = Item::Path { path: closed_path(&corners), fill: Some(Color32::RED), stroke: None };
        assert!(clipped(outside, Rect::from_min_size(pos2(50.0, 50.0), vec2(1.0, 1.0))).is_empty());
    }
}

//! Bends made by the user: stored with the connection as `view:bends="40,80 40,120"`; the wire passes through them.

use eframe::egui::emath::{Pos2, Vec2, pos2};

use super::{End, STUB, simplified};
use crate::app::canvas::geometry::snap_number;

/// Parses the bends of an attribute; anything but pairs of finite numbers is ignored.
pub fn read_bends(text: &str) -> Vec<Pos2> {
    let number = |text: &str| text.trim().parse::<f32>().ok().filter(|number| number.is_finite());
    let pair = |text: &str| {
        let (x, y) = text.split_once(',')?;
        Some(pos2(number(x)?, number(y)?))
    };
    text.split_whitespace().filter_map(pair).collect()
}

pub fn write_bends(bends: &[Pos2]) -> String {
    bends.iter().map(|bend| format!("{},{}", bend.x, bend.y)).collect::<Vec<_>>().join(" ")
}

/// Returns the wire through bends. The first and the last bend follow their ports vertically; a corner is inserted
/// where two points still differ in both coordinates.
pub fn through_bends(from: &End, to: &End, bends: &[Pos2]) -> Vec<Pos2> {
    let mut bends = bends.to_vec();
    if bends.len() >= 2 {
        bends.first_mut().into_iter().for_each(|bend| follow(from, bend));
        bends.last_mut().into_iter().for_each(|bend| follow(to, bend));
    }
    let mut points = vec![from.at];
    // A wire never runs back into its own port.
    let out = from.at + from.heading.vector() * STUB;
    if bends.first().is_none_or(|bend| (*bend - out).dot(from.heading.vector()) < 0.0) {
        points.push(out);
    }
    let into = to.at - to.heading.vector() * STUB;
    let is_ahead = bends.last().is_some_and(|bend| (into - *bend).dot(to.heading.vector()) >= 0.0);
    points.append(&mut bends);
    if !is_ahead {
        points.push(into);
    }
    points.push(to.at);
    let mut squared: Vec<Pos2> = Vec::with_capacity(points.len());
    for point in points {
        if let Some(&last) = squared.last()
            && last.x != point.x
            && last.y != point.y
        {
            // Next to a vertical segment the corner lies on the horizontal.
            squared.push(pos2(last.x, point.y));
        }
        squared.push(point);
    }
    simplified(squared)
}

/// Aligns a bend with its port.
fn follow(end: &End, bend: &mut Pos2) {
    match end.heading.is_vertical() {
        true => bend.x = end.at.x,
        false => bend.y = end.at.y,
    }
}

/// Returns the bends after a wire segment was dragged across its direction. The pieces at the ports do not move.
pub fn drag_segment(points: &[Pos2], segment: usize, shift: Vec2) -> Vec<Pos2> {
    let mut points = points.to_vec();
    let mut segment = segment;
    let (Some(&first), Some(&second)) = (points.first(), points.get(1)) else { return Vec::new() };
    if segment == 0 {
        let stub = stub_towards(first, second);
        points.splice(1..1, [stub, stub]);
        segment = 2;
    }
    if segment + 2 == points.len() {
        let (Some(&last), Some(&before)) = (points.last(), points.get(segment)) else { return Vec::new() };
        let stub = stub_towards(last, before);
        let end = points.len() - 1;
        points.splice(end..end, [stub, stub]);
    }
    let (Some(&a), Some(&b)) = (points.get(segment), points.get(segment + 1)) else { return Vec::new() };
    let is_vertical = a.x == b.x && a.y != b.y;
    for index in [segment, segment + 1] {
        if let Some(point) = points.get_mut(index) {
            match is_vertical {
                true => point.x = snap_number(a.x + shift.x),
                false => point.y = snap_number(a.y + shift.y),
            }
        }
    }
    let points = simplified(points);
    points.get(1..points.len().saturating_sub(1)).unwrap_or_default().to_vec()
}

fn stub_towards(port: Pos2, next: Pos2) -> Pos2 {
    let way = next - port;
    port + way.normalized() * STUB.min(way.length() / 2.0)
}

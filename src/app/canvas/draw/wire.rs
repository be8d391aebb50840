//! Wires, their arrowheads and the dots where they branch.

use std::collections::HashMap;

use eframe::egui::{Align2, Color32, Pos2, Shape, Stroke, Vec2, vec2};

use super::{Detail, Marks, Pen, mix};
use crate::app::canvas::hit::Hit;
use crate::app::canvas::scene::{BlockView, Scene, WireView, shortened};
use crate::app::theme::TEXT_SMALL;
use crate::model::BlockId;

const WIDTH: f32 = 1.4;
/// What a letter of a signal's name takes, about.
const LETTER: f32 = 5.6;
const ARROW: f32 = 7.0;

/// `lanes`: 1 for a scalar; a vector's wire is wider and says how many it has. `rate`: the colour of how often it
/// changes, where that is shown.
pub fn wire_ui(pen: &Pen, wire: &WireView, lanes: usize, rate: Option<Color32>, marks: &Marks) {
    let key = wire.key();
    if wire.points.len() < 2 || marks.hidden_wire == Some(&key) {
        return;
    }
    let is_selected = marks.selection.wires.contains(&key);
    let is_hovered = matches!(marks.hover, Hit::Wire { key: hovered, .. } if *hovered == key);
    let plain = if lanes > 1 { pen.theme.wire_wide } else { pen.theme.wire };
    let plain = rate.unwrap_or(plain);
    let color = if is_selected { pen.theme.accent } else { plain };
    let mut color = color_of(pen, wire, marks, color);
    let is_lit = marks.lit.as_ref().map(|lit| lit.wires.contains(&key));
    match is_lit {
        Some(true) => {
            let soft = Stroke::new(pen.line_width(WIDTH) + 5.0, pen.theme.guide.gamma_multiply(0.3));
            pen.painter.line(on_screen(pen, &wire.points), soft);
            color = pen.theme.guide;
        }
        Some(false) => color = mix(pen.theme.canvas, color, 0.3),
        None => {}
    }
    if is_selected || is_hovered {
        let strength = if is_selected { 0.25 } else { 0.14 };
        let soft = Stroke::new(pen.line_width(WIDTH) + 5.0, pen.theme.accent.gamma_multiply(strength));
        pen.painter.line(on_screen(pen, &wire.points), soft);
    }
    let more = f32::from(u8::from(is_selected)) * 0.6 + if lanes > 1 { 1.2 } else { 0.0 };
    // What several wires share is drawn once, or its soft edges would add up.
    let points =
        if is_selected || is_lit == Some(true) || marks.hidden_wire.is_some() { &wire.points } else { &wire.tail };
    line_ui(pen, points, Stroke::new(pen.line_width(WIDTH + more), color), wire.is_broken);
    // The number stands at the trunk, once for all wires of the output.
    if lanes > 1
        && pen.detail == Detail::All
        && wire.dot.is_none()
        && let [a, b, ..] = wire.points[..]
        && a.y == b.y
    {
        let at = a + (b - a).normalized() * 9.0 - vec2(0.0, 2.0);
        pen.text(at, Align2::CENTER_BOTTOM, lanes, TEXT_SMALL - 2.0, color);
    }
}

/// What a wire is, before what it is like.
fn color_of(pen: &Pen, wire: &WireView, marks: &Marks, otherwise: Color32) -> Color32 {
    if wire.is_broken || (!marks.faulty.is_empty() && marks.faulty.contains(&wire.key())) {
        return pen.theme.error;
    }
    let watched = marks.watched.get(&(wire.connection.from, &*wire.connection.output));
    watched.copied().unwrap_or(otherwise)
}

/// A line with an arrowhead at its end.
fn line_ui(pen: &Pen, points: &[Pos2], stroke: Stroke, is_dashed: bool) {
    let mut points = on_screen(pen, points);
    if pen.detail >= Detail::Drawings
        && let [.., before, tip] = points[..]
    {
        let size = ARROW * pen.lens.zoom().clamp(0.6, 2.2);
        let along = (tip - before).normalized();
        if along != Vec2::ZERO {
            let base = tip - along * size;
            let across = along.rot90() * size * 0.46;
            let head = vec![tip, base + across, base - across];
            pen.painter.add(Shape::convex_polygon(head, stroke.color, Stroke::NONE));
            if let Some(last) = points.last_mut()
                && (tip - before).length() > size
            {
                *last = base + along;
            }
        }
    }
    if is_dashed {
        pen.painter.extend(Shape::dashed_line(&points, stroke, 5.0, 4.0));
    } else {
        pen.painter.line(points, stroke);
    }
}

fn on_screen(pen: &Pen, points: &[Pos2]) -> Vec<Pos2> {
    points.iter().map(|point| pen.crisp(pen.at(*point))).collect()
}

/// `rates`: the colours of how often outputs change, where that is shown.
pub fn dots_ui(pen: &Pen, wires: &[&WireView], rates: &HashMap<(BlockId, &str), Color32>, marks: &Marks) {
    if pen.detail < Detail::Drawings {
        return;
    }
    let radius = 3.0 * pen.lens.zoom().clamp(0.6, 2.2);
    for wire in wires {
        if let Some(dot) = wire.dot {
            let rate = rates.get(&(wire.connection.from, &*wire.connection.output));
            let color = color_of(pen, wire, marks, rate.copied().unwrap_or(pen.theme.wire));
            pen.painter.circle_filled(pen.crisp(pen.at(dot)), radius, color);
        }
    }
}

/// A wire that is being drawn.
pub fn loose_wire_ui(pen: &Pen, points: &[Pos2], color: Color32) {
    line_ui(pen, points, Stroke::new(pen.line_width(WIDTH + 0.4), color), false);
}

/// Wires of a block that end in the air.
pub fn loose_ends_ui(pen: &Pen, block: &BlockView, marks: &Marks) {
    for (number, wire) in block.loose.iter().enumerate() {
        let id = block.block.id;
        let Some(points) = wire.points(block).filter(|_| marks.hidden_loose != Some((id, number))) else { continue };
        let color = pen.theme.error;
        let stroke = Stroke::new(pen.line_width(WIDTH), color);
        pen.painter.extend(Shape::dashed_line(&on_screen(pen, &points), stroke, 5.0, 4.0));
        let end = pen.crisp(pen.at(wire.end_of(block)));
        let is_hovered = *marks.hover == Hit::Loose(id, number);
        let radius = 3.5 * pen.lens.zoom().clamp(0.6, 2.0) + if is_hovered { 2.0 } else { 0.0 };
        pen.painter.circle(end, radius, pen.theme.canvas, Stroke::new(1.4, color));
    }
}

/// A wire of a loop that may not be closed.
pub fn hop_ui(pen: &Pen, points: &[Pos2]) {
    line_ui(pen, points, Stroke::new(pen.line_width(WIDTH + 1.4), pen.theme.error), false);
}

/// A wire that will be made where a block is let go.
pub fn suggested_wire_ui(pen: &Pen, points: &[Pos2]) {
    line_ui(pen, points, Stroke::new(pen.line_width(WIDTH + 0.6), pen.theme.accent), true);
}

/// The name and unit of the signal, once for all wires of the output.
pub fn name_ui(pen: &Pen, scene: &Scene, wire: &WireView) {
    let connection = &wire.connection;
    if pen.detail < Detail::All || wire.dot.is_some() || wire.points.len() < 2 {
        return;
    }
    if let Some(name) = scene.signal_text(connection.from, &connection.output) {
        let ink = mix(pen.theme.text, pen.theme.accent, 0.35);
        let name = shortened(&name, 24);
        let place = wire.name_place(name.chars().count() as f32 * LETTER);
        pen.text(place, Align2::CENTER_CENTER, name, TEXT_SMALL - 0.5, ink);
    }
}

/// A wire while one of its segments is dragged.
pub fn moved_wire_ui(pen: &Pen, points: &[Pos2]) {
    line_ui(pen, points, Stroke::new(pen.line_width(WIDTH + 0.4), pen.theme.accent), false);
}

//! Draws wires, their arrowheads and the dots at branches.

use std::collections::HashMap;

use eframe::egui::{Align2, Color32, Pos2, Shape, Stroke, Vec2, vec2};

use super::context::{Decorations, Detail, DrawContext, mix};
use crate::app::canvas::gesture::hit::Hit;
use crate::app::canvas::scene::{BlockView, Scene, WireView, shortened};
use crate::app::ui::chart::LineKind;
use crate::app::ui::theme::TEXT_SMALL;
use crate::block::SignalType;
use crate::model::BlockId;

const WIDTH: f32 = 1.4;
/// Approximate width of a letter of a signal name.
const LETTER: f32 = 5.6;
const ARROW: f32 = 7.0;
/// How much wider the double line of a bus is.
const BUS: f32 = 2.8;

/// Draws a wire. That of a vector is wider and shows its number of elements, that of a bus is a double line. `rate` is
/// the colour of its sample time, if rates are shown.
pub fn wire_ui(
    context: &DrawContext,
    wire: &WireView,
    of: &SignalType,
    rate: Option<Color32>,
    decorations: &Decorations,
) {
    let (elements, is_bus) = (of.width, of.bus.is_some());
    let key = wire.key();
    if wire.points.len() < 2 || decorations.hidden_wire == Some(&key) {
        return;
    }
    let is_selected = decorations.selection.wires.contains(&key);
    let is_hovered = matches!(decorations.hover, Hit::Wire { key: hovered, .. } if *hovered == key);
    let plain = if elements > 1 || is_bus { context.theme.wire_wide } else { context.theme.wire };
    let plain = rate.unwrap_or(plain);
    let color = if is_selected { context.theme.accent } else { plain };
    let mut color = color_of(context, wire, decorations, color);
    let is_lit = decorations.highlight.as_ref().map(|highlight| highlight.wires.contains(&key));
    match is_lit {
        Some(true) => {
            let soft = Stroke::new(context.line_width(WIDTH) + 5.0, context.theme.guide.gamma_multiply(0.3));
            context.painter.line(on_screen(context, &wire.points), soft);
            color = context.theme.guide;
        }
        Some(false) => color = mix(context.theme.canvas, color, 0.3),
        None => {}
    }
    if is_selected || is_hovered {
        let strength = if is_selected { 0.25 } else { 0.14 };
        let soft = Stroke::new(context.line_width(WIDTH) + 5.0, context.theme.accent.gamma_multiply(strength));
        context.painter.line(on_screen(context, &wire.points), soft);
    }
    let extra_width = match is_bus {
        true => BUS,
        false if elements > 1 => 1.2,
        false => 0.0,
    };
    let more = f32::from(u8::from(is_selected)) * 0.6 + extra_width;
    // A shared part is drawn once, since overlapping antialiased edges would look darker.
    let points = if is_selected || is_lit == Some(true) || decorations.hidden_wire.is_some() {
        &wire.points
    } else {
        &wire.tail
    };
    let kind = if wire.is_broken { LineKind::Dashed } else { LineKind::Solid };
    line_ui(context, points, Stroke::new(context.line_width(WIDTH + more), color), kind);
    if is_bus && !wire.is_broken && context.detail >= Detail::Drawings {
        core_ui(context, points);
    }
    // The number of elements is at the trunk, once for all wires of the output.
    if elements > 1
        && context.detail == Detail::All
        && wire.dot.is_none()
        && let [a, b, ..] = wire.points[..]
        && a.y == b.y
    {
        let at = a + (b - a).normalized() * 9.0 - vec2(0.0, 2.0);
        context.text(at, Align2::CENTER_BOTTOM, elements, TEXT_SMALL - 2.0, color);
    }
}

/// Returns the colour of the wire's kind, before selection and hover.
fn color_of(context: &DrawContext, wire: &WireView, decorations: &Decorations, otherwise: Color32) -> Color32 {
    if wire.is_broken || (!decorations.faulty.is_empty() && decorations.faulty.contains(&wire.key())) {
        return context.theme.error;
    }
    let watched = decorations.watched.get(&(wire.connection.from, &*wire.connection.output));
    watched.copied().unwrap_or(otherwise)
}

/// Draws the gap between the two lines of a bus, which ends before the arrowhead.
fn core_ui(context: &DrawContext, points: &[Pos2]) {
    let mut points = on_screen(context, points);
    if let [.., before, tip] = &mut points[..] {
        let back = ARROW * context.transform.zoom().clamp(0.6, 2.2) * 1.3;
        let way = *tip - *before;
        *tip = if way.length() > back { *tip - way.normalized() * back } else { *before };
    }
    context.painter.line(points, Stroke::new(context.line_width(WIDTH) * 0.9, context.theme.canvas));
}

/// Draws a line with an arrowhead at its end.
fn line_ui(context: &DrawContext, points: &[Pos2], stroke: Stroke, kind: LineKind) {
    let mut points = on_screen(context, points);
    if context.detail >= Detail::Drawings
        && let [.., before, tip] = points[..]
    {
        let size = ARROW * context.transform.zoom().clamp(0.6, 2.2);
        let along = (tip - before).normalized();
        if along != Vec2::ZERO {
            let base = tip - along * size;
            let across = along.rot90() * size * 0.46;
            let head = vec![tip, base + across, base - across];
            context.painter.add(Shape::convex_polygon(head, stroke.color, Stroke::NONE));
            if let Some(last) = points.last_mut()
                && (tip - before).length() > size
            {
                *last = base + along;
            }
        }
    }
    if kind == LineKind::Dashed {
        context.painter.extend(Shape::dashed_line(&points, stroke, 5.0, 4.0));
    } else {
        context.painter.line(points, stroke);
    }
}

fn on_screen(context: &DrawContext, points: &[Pos2]) -> Vec<Pos2> {
    points.iter().map(|point| context.crisp(context.at(*point))).collect()
}

/// Draws the dots at branches. `rates` are the colours of the outputs' sample times, if rates are shown.
pub fn dots_ui(
    context: &DrawContext,
    wires: &[&WireView],
    rates: &HashMap<(BlockId, &str), Color32>,
    decorations: &Decorations,
) {
    if context.detail < Detail::Drawings {
        return;
    }
    let radius = 3.0 * context.transform.zoom().clamp(0.6, 2.2);
    for wire in wires {
        if let Some(dot) = wire.dot {
            let rate = rates.get(&(wire.connection.from, &*wire.connection.output));
            let color = color_of(context, wire, decorations, rate.copied().unwrap_or(context.theme.wire));
            context.painter.circle_filled(context.crisp(context.at(dot)), radius, color);
        }
    }
}

/// Draws a wire that is being drawn by the user.
pub fn loose_wire_ui(context: &DrawContext, points: &[Pos2], color: Color32) {
    line_ui(context, points, Stroke::new(context.line_width(WIDTH + 0.4), color), LineKind::Solid);
}

/// Draws the loose wires of a block.
pub fn loose_ends_ui(context: &DrawContext, block: &BlockView, decorations: &Decorations) {
    for (number, wire) in block.loose.iter().enumerate() {
        let id = block.block.id;
        let Some(points) = wire.points(block).filter(|_| decorations.hidden_loose != Some((id, number))) else {
            continue;
        };
        let color = context.theme.error;
        let stroke = Stroke::new(context.line_width(WIDTH), color);
        context.painter.extend(Shape::dashed_line(&on_screen(context, &points), stroke, 5.0, 4.0));
        let end = context.crisp(context.at(wire.end_of(block)));
        let is_hovered = *decorations.hover == Hit::Loose(id, number);
        let radius = 3.5 * context.transform.zoom().clamp(0.6, 2.0) + if is_hovered { 2.0 } else { 0.0 };
        context.painter.circle(end, radius, context.theme.canvas, Stroke::new(1.4, color));
    }
}

/// Draws a wire of an algebraic loop that may not be closed.
pub fn hop_ui(context: &DrawContext, points: &[Pos2]) {
    line_ui(context, points, Stroke::new(context.line_width(WIDTH + 1.4), context.theme.error), LineKind::Solid);
}

/// Draws a wire that will be made when the block is dropped.
pub fn suggested_wire_ui(context: &DrawContext, points: &[Pos2]) {
    line_ui(context, points, Stroke::new(context.line_width(WIDTH + 0.6), context.theme.accent), LineKind::Dashed);
}

/// Draws the name and unit of the signal, once for all wires of the output.
pub fn name_ui(context: &DrawContext, scene: &Scene, wire: &WireView) {
    let connection = &wire.connection;
    if context.detail < Detail::All || wire.dot.is_some() || wire.points.len() < 2 {
        return;
    }
    if let Some(name) = scene.signal_text(connection.from, &connection.output) {
        let ink = mix(context.theme.text, context.theme.accent, 0.35);
        let name = shortened(&name, 24);
        let name_pos = scene.name_place(wire, name.chars().count() as f32 * LETTER);
        context.text(name_pos, Align2::CENTER_CENTER, name, TEXT_SMALL - 0.5, ink);
    }
}

/// Draws a wire while one of its segments is dragged.
pub fn moved_wire_ui(context: &DrawContext, points: &[Pos2]) {
    line_ui(context, points, Stroke::new(context.line_width(WIDTH + 0.4), context.theme.accent), LineKind::Solid);
}

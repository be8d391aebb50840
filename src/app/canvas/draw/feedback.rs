//! Draws the feedback of gestures on top of the diagram.

use eframe::egui::{Align2, Color32, FontId, Pos2, Rect, Shape, Stroke, StrokeKind, vec2};

use super::context::DrawContext;
use crate::app::canvas::geometry::Outline;
use crate::app::canvas::scene::Scene;
use crate::app::ui::theme::TEXT_SMALL;
use crate::model::BlockId;

pub fn marquee_ui(context: &DrawContext, rect: Rect) {
    let accent = context.theme.accent;
    context.painter.rect(
        context.rect(rect),
        1.0,
        accent.gamma_multiply(0.10),
        Stroke::new(1.0, accent.gamma_multiply(0.8)),
        StrokeKind::Inside,
    );
}

/// Draws the wires that a drag has made straight.
pub fn guides_ui(context: &DrawContext, scene: &Scene, held: impl Iterator<Item = BlockId>) {
    let stroke = Stroke::new(context.line_width(1.6), context.theme.guide);
    for wire in held.take(50).flat_map(|id| scene.wires_at(id)) {
        if let [a, b] = wire.points[..] {
            context.painter.line_segment([context.crisp(context.at(a)), context.crisp(context.at(b))], stroke);
        }
    }
}

/// Draws the lines along which a dragged block is aligned with others.
pub fn alignment_ui(context: &DrawContext, lines: &[[Pos2; 2]]) {
    let stroke = Stroke::new(1.0, context.theme.guide.gamma_multiply(0.85));
    for line in lines {
        let points = line.map(|point| context.crisp(context.at(point)));
        context.painter.extend(Shape::dashed_line(&points, stroke, 5.0, 4.0));
    }
}

/// Draws a frame around the canvas while a run is active.
pub fn running_ui(context: &DrawContext) {
    let stroke = Stroke::new(2.0, context.theme.success.gamma_multiply(0.7));
    context.painter.rect_stroke(context.transform.screen, 0.0, stroke, StrokeKind::Inside);
}

/// Draws the ghost of a block that does not exist yet.
pub fn ghost_ui(context: &DrawContext, outline: &Outline, title: &str) {
    let accent = context.theme.accent;
    let rect = context.rect(outline.body);
    context.painter.rect(rect, 4.0, accent.gamma_multiply(0.12), Stroke::new(1.5, accent), StrokeKind::Middle);
    if !title.is_empty() {
        context.painter.text(rect.center(), Align2::CENTER_CENTER, title, FontId::proportional(11.5), accent);
    }
}

/// Draws the port at which a wire would end.
pub fn target_ui(context: &DrawContext, at: Pos2) {
    ring_ui(context, at, context.theme.accent);
}

/// Draws the port at which a wire may not end.
pub fn refused_target_ui(context: &DrawContext, at: Pos2) {
    let color = context.theme.error;
    let center = ring_ui(context, at, color);
    for arm in [vec2(8.0, 8.0), vec2(8.0, -8.0)] {
        context.painter.line_segment([center - arm, center + arm], Stroke::new(2.0, color));
    }
}

fn ring_ui(context: &DrawContext, at: Pos2, color: Color32) -> Pos2 {
    let center = context.crisp(context.at(at));
    context.painter.circle_filled(center, 9.0, color.gamma_multiply(0.25));
    context.painter.circle(center, 4.5, context.theme.canvas, Stroke::new(2.0, color));
    center
}

/// Draws a text beside a position, on a background.
pub fn note_ui(context: &DrawContext, at: Pos2, text: &str, color: Color32) {
    let font = FontId::proportional(TEXT_SMALL);
    let galley = context.painter.layout(text.to_owned(), font, color, 320.0);
    let room = galley.size() + vec2(16.0, 10.0);
    let mut corner = context.at(at) + vec2(14.0, 14.0);
    let screen = context.transform.screen;
    corner.x = corner.x.min(screen.right() - room.x - 4.0).max(screen.left() + 4.0);
    corner.y = corner.y.min(screen.bottom() - room.y - 4.0).max(screen.top() + 4.0);
    let rect = Rect::from_min_size(corner, room);
    context.painter.rect(rect, 4.0, context.theme.raised, Stroke::new(1.0, context.theme.line), StrokeKind::Inside);
    context.painter.galley(corner + vec2(8.0, 5.0), galley, color);
}

/// Formats values with six digits: `1.5`, or `[1, 2, 3]`.
pub fn text_of_values(values: &[f64]) -> String {
    match values {
        [one] => text_of_value(*one),
        several => {
            let shown: Vec<String> = several.iter().take(8).map(|value| text_of_value(*value)).collect();
            let rest = if several.len() > shown.len() { ", …" } else { "" };
            format!("[{}{rest}]", shown.join(", "))
        }
    }
}

fn text_of_value(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{value:.4e}");
    }
    let places = (5 - size.log10().floor() as i64).clamp(0, 9) as usize;
    let fixed = format!("{value:.places$}");
    match fixed.contains('.') {
        true => fixed.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => fixed,
    }
}

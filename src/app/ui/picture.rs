//! The small picture of a block, from its [`Look`]: in the palette, in lists, in the header of the inspector.

use eframe::egui::{Align2, Color32, CornerRadius, FontId, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, pos2, vec2};

use super::style;
use super::theme::Theme;
use crate::block::{BlockDef, Body, Face, Look, Registry};
use crate::model::{Block, BlockKind};

/// Draws a library block.
pub fn paint_def(painter: &Painter, rect: Rect, def: &BlockDef, theme: &Theme) {
    let text = match def.look.face {
        Face::Param(name) => def.param(name).map(|param| param.default_texts().join(" ")).unwrap_or_default(),
        _ => String::new(),
    };
    paint(painter, rect, &def.look, &text, theme.group(def.group), theme);
}

/// Draws a block of a document: a gain shows its own value.
pub fn paint_block(painter: &Painter, rect: Rect, block: &Block, registry: &Registry, theme: &Theme) {
    let def = match &block.kind {
        BlockKind::Library { group, name } => registry.get(group, name),
        _ => None,
    };
    match def.map(|def| (def, def.look.face)) {
        Some((def, Face::Param(name))) => {
            let default = || def.param(name).map(|param| param.default_texts().join(" ")).unwrap_or_default();
            let text = block.option_texts(name).map_or_else(default, |texts| texts.join(" "));
            paint(painter, rect, &def.look, &text, theme.group(def.group), theme);
        }
        _ => paint_kind(painter, rect, &block.kind, registry, theme),
    }
}

/// Draws a kind of block.
pub fn paint_kind(painter: &Painter, rect: Rect, kind: &BlockKind, registry: &Registry, theme: &Theme) {
    let pill = Look { body: Body::Pill, face: Face::Empty };
    match kind {
        BlockKind::Library { group, name } => match registry.get(group, name) {
            Some(def) => paint_def(painter, rect, def, theme),
            None => paint(painter, rect, &Look::rect(Face::Text("?")), "", theme.error, theme),
        },
        BlockKind::Entry { .. } | BlockKind::Exit { .. } => {
            let tint = theme.group("Var");
            paint(painter, rect, &pill, "", tint, theme);
            let inner = body_rect(rect, Body::Pill);
            let (from, to) = (inner.left() + inner.width() * 0.24, inner.right() - inner.width() * 0.24);
            let y = inner.center().y;
            let stroke = Stroke::new(1.3, tint);
            painter.line_segment([pos2(from, y), pos2(to, y)], stroke);
            painter.line_segment([pos2(to - 3.0, y - 3.0), pos2(to, y)], stroke);
            painter.line_segment([pos2(to - 3.0, y + 3.0), pos2(to, y)], stroke);
        }
        BlockKind::Model { .. } => {
            let tint = theme.accent;
            paint(painter, rect, &Look::rect(Face::Empty), "", tint, theme);
            let inner = body_rect(rect, Body::Rect);
            let part = Rect::from_center_size(inner.center(), inner.size() * vec2(0.42, 0.42));
            painter.rect_stroke(part, CornerRadius::same(1), Stroke::new(1.2, tint), StrokeKind::Middle);
        }
    }
}

fn paint(painter: &Painter, rect: Rect, look: &Look, param: &str, tint: Color32, theme: &Theme) {
    let body = body_rect(rect, look.body);
    let fill = style::mix(theme.block_fill, tint, if theme.is_dark { 0.16 } else { 0.09 });
    let stroke = Stroke::new(1.2, style::mix(theme.block_stroke, tint, 0.65));
    match look.body {
        Body::Rect => {
            painter.rect(body, CornerRadius::same(3), fill, stroke, StrokeKind::Inside);
        }
        Body::Pill => {
            let radius = CornerRadius::same((body.height() / 2.0) as u8);
            painter.rect(body, radius, fill, stroke, StrokeKind::Inside);
        }
        Body::Triangle => {
            let points = vec![body.left_top(), pos2(body.right(), body.center().y), body.left_bottom()];
            painter.add(Shape::convex_polygon(points, fill, stroke));
        }
        Body::Circle => {
            painter.circle(body.center(), body.height() / 2.0, fill, stroke);
        }
        Body::Note => {
            painter.rect(body, CornerRadius::same(2), fill, stroke, StrokeKind::Inside);
        }
        Body::Area => {
            let faint = Stroke::new(1.0, stroke.color.gamma_multiply(0.7));
            painter.rect(body, CornerRadius::same(4), fill.gamma_multiply(0.6), faint, StrokeKind::Inside);
        }
        Body::Bar => {
            painter.rect(body, CornerRadius::same(2), stroke.color, Stroke::NONE, StrokeKind::Inside);
        }
    }
    face(painter, body, look, param, style::mix(theme.text, tint, 0.35), theme);
}

fn body_rect(rect: Rect, body: Body) -> Rect {
    let (width, height) = (rect.width(), rect.height());
    let size = match body {
        Body::Rect | Body::Triangle | Body::Note | Body::Area => vec2(width.min(height * 1.35), height),
        Body::Circle => vec2(height, height),
        Body::Pill => vec2(width.min(height * 1.5), height * 0.62),
        Body::Bar => vec2(4.0, height),
    };
    Rect::from_center_size(rect.center(), size)
}

fn face(painter: &Painter, body: Rect, look: &Look, param: &str, color: Color32, theme: &Theme) {
    let center = match look.body {
        Body::Triangle => body.center() - vec2(body.width() * 0.14, 0.0),
        _ => body.center(),
    };
    let room = if look.body == Body::Triangle { body.width() * 0.5 } else { body.width() * 0.86 };
    match look.face {
        Face::Text(text) => fitted(painter, center, text, room, body.height() * 0.6, color),
        Face::Param(_) => fitted(painter, center, param, room, body.height() * 0.48, color),
        Face::Fraction(over, under) => {
            fraction_ui(painter, (center, room, body.height() * 0.36), [over, under], color);
        }
        // The polynomials of one block are too long for a list.
        Face::Polynomials(_, _, variable) => {
            let variable = variable.name(|_| None);
            let fraction = [format!("N({variable})"), format!("D({variable})")];
            fraction_ui(painter, (center, room, body.height() * 0.36), [&fraction[0], &fraction[1]], color);
        }
        Face::Strokes(strokes) | Face::Curve(strokes) | Face::Ports(strokes) => {
            let side = body.width().min(body.height()) * 0.74;
            let square = Rect::from_center_size(center, vec2(side, side));
            for points in strokes {
                let points: Vec<Pos2> =
                    points.iter().map(|&(x, y)| pos2(square.left() + x * side, square.top() + y * side)).collect();
                painter.add(Shape::line(points, Stroke::new(1.4, color)));
            }
        }
        Face::Live => {
            let screen = body.shrink2(vec2(body.width() * 0.16, body.height() * 0.26));
            painter.rect_filled(screen, CornerRadius::same(1), style::mix(theme.block_fill, theme.text, 0.12));
            fitted(painter, center, "0.0", screen.width(), body.height() * 0.36, color);
        }
        Face::Empty => {}
    }
}

fn fraction_ui(painter: &Painter, (center, room, size): (Pos2, f32, f32), [over, under]: [&str; 2], color: Color32) {
    fitted(painter, center - vec2(0.0, size * 0.58), over, room, size, color);
    fitted(painter, center + vec2(0.0, size * 0.62), under, room, size, color);
    let half = room * 0.36;
    painter.line_segment([pos2(center.x - half, center.y), pos2(center.x + half, center.y)], Stroke::new(1.0, color));
}

/// Draws text as large as the space allows, up to `size`.
fn fitted(painter: &Painter, center: Pos2, text: &str, width: f32, size: f32, color: Color32) {
    if text.is_empty() {
        return;
    }
    let layout = |size: f32| painter.layout_no_wrap(text.to_owned(), FontId::proportional(size), color);
    let galley = layout(size);
    let galley = match galley.size().x > width {
        true => layout((size * width / galley.size().x).max(5.5)),
        false => galley,
    };
    let pos =
        Align2::CENTER_CENTER.align_size_within_rect(galley.size(), Rect::from_center_size(center, vec2(0.0, 0.0))).min;
    painter.galley(pos, galley, color);
}

//! Draws the execution-time heat map, with a legend.

use eframe::egui::{Align2, Color32, FontId, Rect, Shape, Stroke, StrokeKind, vec2};

use super::block::triangle;
use super::context::{DrawContext, mix};
use crate::app::canvas::scene::BlockView;
use crate::app::doc::heat::warmth;
use crate::app::ui::numbers;
use crate::app::ui::theme::{TEXT_SMALL, Theme};
use crate::block::Body;

/// Colour scale from transparent over yellow to red.
fn color(theme: &Theme, warmth: f32) -> Color32 {
    mix(theme.warning, theme.error, warmth).gamma_multiply(0.7 * warmth)
}

/// Draws heat over the bodies, below the icons.
pub fn block_ui(context: &DrawContext, block: &BlockView, seconds: f64, hottest: f64) {
    let warmth = warmth(seconds, hottest);
    if warmth > 0.0 {
        fill_ui(context, block, color(context.theme, warmth));
    }
}

/// Draws a colour over a block's body.
pub fn fill_ui(context: &DrawContext, block: &BlockView, color: Color32) {
    let rect = context.rect(block.outline.body).shrink(0.5);
    if block.body == Body::Triangle {
        let corners = triangle(rect, block.outline.facing).to_vec();
        context.painter.add(Shape::convex_polygon(corners, color, Stroke::NONE));
        return;
    }
    let radius = match block.body {
        Body::Pill => rect.height() / 2.0,
        Body::Circle => rect.width().min(rect.height()) / 2.0,
        _ => 3.0,
    };
    context.painter.rect_filled(rect, radius, color);
}

/// Draws the legend in the corner of the canvas.
pub fn legend_ui(context: &DrawContext, hottest: f64) {
    let theme = context.theme;
    let font = FontId::proportional(TEXT_SMALL);
    let frame = Rect::from_min_size(context.transform.screen.left_bottom() + vec2(10.0, -66.0), vec2(190.0, 56.0));
    context.painter.rect(
        frame,
        4.0,
        theme.panel.gamma_multiply(0.95),
        Stroke::new(1.0, theme.line),
        StrokeKind::Inside,
    );
    let title = frame.left_top() + vec2(10.0, 6.0);
    if hottest <= 0.0 {
        context.painter.text(title, Align2::LEFT_TOP, "Run a step to measure execution times", font, theme.text_weak);
        return;
    }
    context.painter.text(title, Align2::LEFT_TOP, "Execution time per step", font.clone(), theme.text_weak);
    const PARTS: usize = 34;
    for part in 0..PARTS {
        let at = frame.left_top() + vec2(10.0 + 5.0 * part as f32, 24.0);
        let warmth = warmth((part as f64 + 0.5) / PARTS as f64, 1.0);
        context.painter.rect_filled(Rect::from_min_size(at, vec2(5.0, 8.0)), 0.0, theme.block_fill);
        context.painter.rect_filled(Rect::from_min_size(at, vec2(5.0, 8.0)), 0.0, color(theme, warmth));
    }
    let below = frame.left_top() + vec2(10.0, 36.0);
    context.painter.text(below, Align2::LEFT_TOP, "0", font.clone(), theme.text);
    let right = frame.right_top() + vec2(-10.0, 36.0);
    context.painter.text(right, Align2::RIGHT_TOP, numbers::span(hottest), font, theme.text);
}

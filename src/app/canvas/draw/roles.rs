//! Draws the symbols of entries and exits that control when and how often their model runs.

use eframe::egui::{Align2, Color32, Pos2, Rect, Stroke, vec2};

use super::context::DrawContext;
use crate::app::ui::theme::TEXT_SMALL;
use crate::model::{Edge, Role};

/// Width of a symbol beside a name, in model units.
pub const WIDTH: f32 = 14.0;

const PULSE: &[(f32, f32)] = &[(0.0, 1.0), (0.25, 1.0), (0.25, 0.0), (0.75, 0.0), (0.75, 1.0), (1.0, 1.0)];
const RISING: &[(f32, f32)] = &[(0.0, 1.0), (0.5, 1.0), (0.5, 0.0), (1.0, 0.0)];
const FALLING: &[(f32, f32)] = &[(0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (1.0, 1.0)];
const EITHER: &[(f32, f32)] = &[(0.0, 1.0), (0.3, 1.0), (0.3, 0.0), (0.7, 0.0), (0.7, 1.0), (1.0, 1.0)];
const UP: &[(f32, f32)] = &[(0.3, 0.55), (0.5, 0.25), (0.7, 0.55)];
const DOWN: &[(f32, f32)] = &[(0.3, 0.45), (0.5, 0.75), (0.7, 0.45)];
const ROUND: &[(f32, f32)] =
    &[(0.85, 0.25), (0.6, 0.05), (0.3, 0.1), (0.1, 0.4), (0.15, 0.75), (0.45, 0.98), (0.8, 0.85), (0.95, 0.5)];
const TIP: &[(f32, f32)] = &[(0.55, 0.32), (0.9, 0.3), (0.92, 0.0)];

/// Draws a symbol centred at a model position.
pub fn mark_ui(context: &DrawContext, role: Role, edge: Edge, at: Pos2, color: Color32) {
    let area = context.rect(Rect::from_center_size(at, vec2(9.0, 9.0)));
    let stroke = Stroke::new(context.line_width(1.2), color);
    let line = |points: &[(f32, f32)]| {
        let point_at = |&(x, y): &(f32, f32)| Pos2::new(area.left() + x * area.width(), area.top() + y * area.height());
        context.painter.line(points.iter().map(point_at).collect(), stroke);
    };
    let word = |text: &str| {
        context.text(at, Align2::CENTER_CENTER, text, TEXT_SMALL - 1.5, color);
    };
    match (role, edge) {
        (Role::Enable, _) => line(PULSE),
        (Role::Trigger, Edge::Rising) => [RISING, UP].into_iter().for_each(line),
        (Role::Trigger, Edge::Falling) => [FALLING, DOWN].into_iter().for_each(line),
        (Role::Trigger, Edge::Either) => line(EITHER),
        (Role::Reset, _) => [ROUND, TIP].into_iter().for_each(line),
        (Role::Call, _) => word("f()"),
        (Role::For, _) => word("n×"),
        (Role::While, _) => word("?"),
        (Role::Each, _) => word("[ ]"),
        (Role::Index, _) => word("i"),
    }
}

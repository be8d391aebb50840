//! Draws the grid dots behind the diagram.

use eframe::egui::{Mesh, Pos2, Rect, Shape, Vec2};

use super::context::DrawContext;
use crate::app::canvas::geometry::GRID;

/// Draws dots at every second grid line, or at fewer if those would be too dense; they fade with their distance.
pub fn grid_ui(context: &DrawContext) {
    let mut step = if context.scaled(GRID) >= 24.0 { GRID } else { 2.0 * GRID };
    while context.scaled(step) < 12.0 {
        step *= 5.0;
    }
    let room = context.scaled(step);
    let strength = ((room - 9.0) / 12.0).clamp(0.25, 1.0);
    let color = context.theme.grid.gamma_multiply(strength);
    let visible = context.transform.visible();
    let pixel = 1.0 / context.painter.pixels_per_point();
    let size = (1.5 / pixel).round().max(1.0) * pixel;
    let (left, top) = ((visible.left() / step).ceil(), (visible.top() / step).ceil());
    let columns = ((visible.right() / step).floor() - left).max(-1.0) as i32;
    let rows = ((visible.bottom() / step).floor() - top).max(-1.0) as i32;
    let mut mesh = Mesh::default();
    for row in 0..=rows {
        for column in 0..=columns {
            let at = context.at(Pos2::new((left + column as f32) * step, (top + row as f32) * step));
            let at = Pos2::new((at.x / pixel).floor() * pixel, (at.y / pixel).floor() * pixel);
            mesh.add_colored_rect(Rect::from_min_size(at, Vec2::splat(size)), color);
        }
    }
    context.painter.add(Shape::mesh(mesh));
}

//! The diagram from afar: one mesh of rectangles and hairlines.

use eframe::egui::{Color32, Mesh, Pos2, Rect, Shape, pos2};

use super::{Marks, Pen, mix};
use crate::app::canvas::scene::Scene;
use crate::model::Severity;

pub fn far_ui(pen: &Pen, scene: &Scene, marks: &Marks, visible: Rect) {
    let theme = pen.theme;
    let pixel = 1.0 / pen.painter.pixels_per_point();
    let mut mesh = Mesh::default();
    mesh.reserve_vertices(scene.block_count() * 16);
    mesh.reserve_triangles(scene.block_count() * 8);
    let zoom = pen.lens.zoom();
    let faint = mix(theme.canvas, theme.wire, (0.25 + zoom * 2.0).min(0.7));
    // Most wires have the plain colour: looking up nothing for them is what makes this fast.
    let is_plain = marks.watched.is_empty() && marks.selection.wires.is_empty();
    for wire in scene.wires() {
        if !visible.intersects(wire.bounds) {
            continue;
        }
        let connection = &wire.connection;
        let color = match is_plain {
            true => faint,
            false if marks.selection.wires.contains(&connection.key()) => theme.accent,
            false => marks.watched.get(&(connection.from, &*connection.output)).copied().unwrap_or(faint),
        };
        for pair in wire.tail.windows(2) {
            if let [a, b] = pair {
                hairline(&mut mesh, pen.at(*a), pen.at(*b), pixel, color);
            }
        }
    }
    let plain = mix(theme.block_fill, theme.block_stroke, 0.55);
    for view in scene.blocks() {
        let rect = view.outline.body;
        if view.is_area() || !visible.intersects(rect) {
            continue;
        }
        let id = view.block.id;
        let color = if marks.selection.blocks.contains(&id) {
            theme.accent
        } else {
            match marks.problems.get(&id) {
                Some(Severity::Error) => theme.error,
                Some(Severity::Warning) => mix(plain, theme.warning, 0.6),
                None => mix(plain, theme.group(view.group()), 0.25),
            }
        };
        let on_screen = pen.rect(rect);
        let size = on_screen.size().max(eframe::egui::Vec2::splat(pixel));
        mesh.add_colored_rect(Rect::from_min_size(on_screen.min, size), color);
    }
    pen.painter.add(Shape::mesh(mesh));
}

fn hairline(mesh: &mut Mesh, a: Pos2, b: Pos2, width: f32, color: Color32) {
    let rect = Rect::from_two_pos(a, b);
    let far = pos2(rect.max.x.max(rect.min.x + width), rect.max.y.max(rect.min.y + width));
    mesh.add_colored_rect(Rect { min: rect.min, max: far }, color);
}

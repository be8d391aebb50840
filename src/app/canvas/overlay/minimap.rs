//! A small overview in the corner, shown while part of the diagram is out of view: a click or drag moves the view.

use std::sync::Arc;

use eframe::egui::{self, Color32, Mesh, Pos2, Rect, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, vec2};

use crate::app::canvas::CanvasView;
use crate::app::canvas::camera::ViewTransform;
use crate::app::canvas::draw::mix;
use crate::app::canvas::scene::Scene;
use crate::model::Model;

const SIZE: Vec2 = Vec2::new(176.0, 118.0);
const MARGIN: f32 = 10.0;
/// Smallest item drawn, in points; items in the same square of this size are drawn once.
const DOT: f32 = 2.0;
/// Minimum seconds between two redraws, and the number of blocks below which every change is drawn at once.
const EVERY: f64 = 0.3;
const MIN_BLOCKS_FOR_PAUSE: usize = 500;

/// The image of a model, redrawn if the model or its position on the screen changes.
#[derive(Default)]
pub struct Minimap {
    of: Option<(Arc<Model>, Rect, Color32)>,
    /// When it was drawn, in seconds, and the number of blocks at that time.
    at: f64,
    count: usize,
    bounds: Option<Rect>,
    mesh: Arc<Mesh>,
    /// It is redrawn in the next frame.
    is_put_off: bool,
}

impl Minimap {
    /// Draws it. Returns where the user wants the centre of the view, in the model.
    pub fn ui(
        &mut self,
        ui: &Ui,
        view: &CanvasView,
        (scene, model): (&Scene, &Arc<Model>),
        transform: ViewTransform,
    ) -> Option<Pos2> {
        if scene.block_count() < 2 || transform.screen.size().min_elem() < 3.0 * SIZE.y {
            return None;
        }
        let corner = transform.screen.max - SIZE - Vec2::splat(MARGIN);
        let frame = Rect::from_min_size(corner, SIZE);
        let theme = view.theme;
        let key = (Arc::clone(model), frame, theme.wire);
        let is_known = self
            .of
            .as_ref()
            .is_some_and(|(known, rect, color)| Arc::ptr_eq(known, model) && *rect == frame && *color == theme.wire);
        // During continuous changes it is redrawn only now and then, since the cost grows with the model.
        let count = scene.block_count();
        let is_other = !is_known || self.count != count;
        let now = ui.input(|input| input.time);
        let is_elsewhere = self.of.as_ref().is_none_or(|(known, rect, _)| known.name != model.name || *rect != frame);
        let is_due = is_elsewhere || now - self.at > EVERY || count < MIN_BLOCKS_FOR_PAUSE;
        if is_other && !is_due {
            ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(EVERY));
        }
        // The frame that shows an edit leaves it to the next.
        let is_put_off = is_other && is_due && !is_elsewhere && count >= MIN_BLOCKS_FOR_PAUSE && !self.is_put_off;
        self.is_put_off = is_put_off;
        if is_put_off {
            ui.ctx().request_repaint();
        } else if is_other && is_due {
            let bounds = scene.bounds();
            let color = mix(theme.panel, theme.block_stroke, 0.55);
            let mesh = bounds.map(|bounds| mesh(scene, frame, bounds, color)).unwrap_or_default();
            *self = Minimap { of: Some(key), at: now, count, bounds, mesh: Arc::new(mesh), is_put_off };
        }
        let bounds = self.bounds?;
        let visible = transform.visible();
        if visible.expand(4.0).contains_rect(bounds) {
            return None;
        }
        let id = ui.scope_id().with("minimap");
        let response = ui.interact(frame, id, Sense::click_and_drag());
        let painter = ui.painter_at(transform.screen);
        painter.rect(frame, 4.0, theme.panel.gamma_multiply(0.94), Stroke::new(1.0, theme.line), StrokeKind::Inside);
        painter.add(Shape::mesh(Arc::clone(&self.mesh)));
        let scale = scale(frame, bounds);
        let seen = Rect { min: scale.to_map(visible.min), max: scale.to_map(visible.max) }.intersect(frame.shrink(1.0));
        if seen.is_positive() {
            let line = Stroke::new(1.2, theme.accent);
            painter.rect(seen, 2.0, theme.accent.gamma_multiply(0.12), line, StrokeKind::Inside);
        }
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "Minimap"));
        let pointer = response.interact_pointer_pos().filter(|_| response.clicked() || response.dragged())?;
        ui.ctx().request_repaint();
        Some(scale.to_model(pointer))
    }
}

/// The transform from the model to the overview.
struct Scale {
    factor: f32,
    from: Pos2,
    to: Pos2,
}

fn scale(frame: Rect, bounds: Rect) -> Scale {
    let inner = frame.shrink(6.0);
    let size = bounds.size().max(vec2(1.0, 1.0));
    let factor = (inner.width() / size.x).min(inner.height() / size.y);
    Scale { factor, from: bounds.center(), to: inner.center() }
}

impl Scale {
    fn to_map(&self, point: Pos2) -> Pos2 {
        self.to + (point - self.from) * self.factor
    }

    fn to_model(&self, point: Pos2) -> Pos2 {
        self.from + (point - self.to) / self.factor
    }
}

fn mesh(scene: &Scene, frame: Rect, bounds: Rect, color: Color32) -> Mesh {
    let scale = scale(frame, bounds);
    let mut mesh = Mesh::default();
    let cells = (SIZE / DOT).ceil();
    let mut filled = vec![false; (cells.x * cells.y) as usize];
    for block in scene.blocks().filter(|block| !block.is_area()) {
        let body = block.outline.body;
        let rect = Rect { min: scale.to_map(body.min), max: scale.to_map(body.max) };
        if rect.width() > DOT {
            mesh.add_colored_rect(Rect::from_min_size(rect.min, rect.size().max(Vec2::splat(DOT * 0.8))), color);
            continue;
        }
        // At its cell, not at its own position: rows that are closer than a cell would form bands.
        let at = ((rect.min - frame.min) / DOT).floor();
        let cell = filled.get_mut((at.y * cells.x + at.x) as usize);
        if cell.is_some_and(|filled| !std::mem::replace(filled, true)) {
            mesh.add_colored_rect(Rect::from_min_size(frame.min + at * DOT, Vec2::splat(DOT * 0.8)), color);
        }
    }
    mesh
}

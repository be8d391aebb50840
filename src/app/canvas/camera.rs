//! The transform between model and screen.

use eframe::egui::emath::{Pos2, Rect, Vec2};

pub const MIN_ZOOM: f32 = 0.02;
pub const MAX_ZOOM: f32 = 4.0;

/// The visible position and zoom; kept for each open model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The model position at the centre of the canvas.
    pub center: Pos2,
    /// Screen points per model unit.
    pub zoom: f32,
}

/// A camera and the part of the screen that it fills.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewTransform {
    pub camera: Camera,
    pub screen: Rect,
}

impl Default for Camera {
    fn default() -> Camera {
        Camera { center: Pos2::ZERO, zoom: 1.0 }
    }
}

impl ViewTransform {
    pub fn to_screen(self, point: Pos2) -> Pos2 {
        self.screen.center() + (point - self.camera.center) * self.camera.zoom
    }

    pub fn to_model(self, point: Pos2) -> Pos2 {
        self.camera.center + (point - self.screen.center()) / self.camera.zoom
    }

    pub fn rect_to_screen(&self, rect: Rect) -> Rect {
        Rect { min: self.to_screen(rect.min), max: self.to_screen(rect.max) }
    }

    /// Returns the visible part of the model.
    pub fn visible(&self) -> Rect {
        Rect { min: self.to_model(self.screen.min), max: self.to_model(self.screen.max) }
    }

    pub fn zoom(&self) -> f32 {
        self.camera.zoom
    }
}

impl Camera {
    pub fn pan(&mut self, shift_on_screen: Vec2) {
        self.center -= shift_on_screen / self.zoom;
    }

    /// Zooms so that `fixed` stays at its position on the screen.
    pub fn zoom_at(&mut self, transform: &ViewTransform, factor: f32, fixed: Pos2) {
        let in_model = ViewTransform { camera: *self, screen: transform.screen }.to_model(fixed);
        self.zoom = (self.zoom * factor).clamp(MIN_ZOOM, MAX_ZOOM);
        let now = ViewTransform { camera: *self, screen: transform.screen }.to_model(fixed);
        self.center += in_model - now;
    }

    /// Fits `bounds` into the screen, with a zoom of at most `largest`.
    pub fn fit(bounds: Rect, screen: Vec2, largest: f32) -> Camera {
        let free = (screen - Vec2::splat(64.0)).max(Vec2::splat(32.0));
        let size = bounds.size().max(Vec2::splat(1.0));
        let zoom = (free.x / size.x).min(free.y / size.y).min(largest).clamp(MIN_ZOOM, MAX_ZOOM);
        Camera { center: bounds.center(), zoom }
    }
}

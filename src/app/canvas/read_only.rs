//! A diagram that is only looked at, such as one of two that are compared.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui::{Painter, Rect};

use super::camera::{Camera, ViewTransform};
use super::draw::{self, Decorations, Detail, DrawContext, LodMesh};
use super::scene::Scene;
use super::{CanvasView, DocumentView, Selection};
use crate::app::ui::theme::Theme;
use crate::block::Registry;
use crate::model::{BlockId, Simulation};

/// The time in a frame for the ways of wires.
const ROUTING: Duration = Duration::from_millis(6);
/// Number of changed blocks above which those out of view are deferred.
const AT_ONCE: usize = 300;

/// The diagram of one model, kept between frames.
#[derive(Default)]
pub struct ReadOnlyDiagram {
    scene: Scene,
    lod_mesh: LodMesh,
}

impl ReadOnlyDiagram {
    /// Follows the root model of a simulation. Returns whether it has one.
    pub fn follow(&mut self, simulation: &Arc<Simulation>, registry: &Registry, visible: Rect) -> bool {
        let Some(model) = simulation.root_model() else { return false };
        let start = Instant::now();
        self.scene.update_soon(simulation, model, registry, &BTreeMap::new(), AT_ONCE);
        self.scene.work_on(registry, visible, &mut || start.elapsed() < ROUTING / 2);
        self.scene.route_some(visible, &mut || start.elapsed() < ROUTING);
        true
    }

    /// Returns whether ways of wires are still being found, in which case another frame is needed.
    pub fn is_routing(&self) -> bool {
        self.scene.is_routing()
    }

    /// Returns what the diagram covers, in model coordinates; none if it is empty.
    pub fn bounds(&self) -> Option<Rect> {
        self.scene.bounds()
    }

    /// Returns where a block is, in model coordinates.
    pub fn rect_of(&self, block: BlockId) -> Option<Rect> {
        self.scene.block(block).map(|block| block.outline.rect)
    }

    /// Draws the diagram as far as the screen of the transform shows it, without a grid.
    pub fn draw(
        &mut self,
        (painter, transform): (&Painter, ViewTransform),
        simulation: &Arc<Simulation>,
        registry: &Registry,
        theme: &Theme,
    ) {
        let mut context = DrawContext { painter, transform, theme, detail: Detail::at(transform.zoom()) };
        let selection = Selection::default();
        let decorations = Decorations::none(&selection);
        let view = CanvasView::plain(DocumentView { simulation, registry }, theme);
        draw::scene_ui(&mut context, &view, &self.scene, &decorations, &[], &mut self.lod_mesh);
    }
}

/// Returns the camera that shows bounds in a rectangle of the screen.
pub fn fitting(bounds: Rect, screen: Rect) -> Camera {
    Camera::fit(bounds, screen.size(), 1.0)
}

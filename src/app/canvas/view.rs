//! Which model the canvas shows, which part of it at which zoom, and which parts beside the blocks and wires.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use eframe::egui::{self, Pos2, Rect};

use super::camera::{Camera, MAX_ZOOM, MIN_ZOOM, ViewTransform};
use super::draw::LodMesh;
use super::geometry;
use super::scene::{RecentScenes, Scene};
use crate::app::action::diagram_command::DiagramCommand;
use crate::block::Registry;
use crate::model::{BlockId, BlockKind, Model, Position, Simulation};

/// The open model and the visible part of it.
#[derive(Default)]
pub struct View {
    pub(super) path: Vec<BlockId>,
    cameras: HashMap<Vec<BlockId>, Camera>,
    /// A camera move for the next frame, when the scene and the screen are known.
    pub(super) camera_move: Option<CameraMove>,
    /// The part of the screen that the canvas filled last.
    pub(super) screen: Option<Rect>,
    /// The widget id of the canvas.
    pub(super) id: Option<egui::Id>,
    pub shown: ShownParts,
    pub(super) recent: RecentScenes,
    /// The mesh of the diagram at the lowest level of detail.
    pub(super) lod_mesh: LodMesh,
    /// The time that drawing the last frame took.
    pub(super) drawn_in: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CameraMove {
    All,
    /// Moves the view only if the block is outside it.
    Block(BlockId),
}

/// Switches of the parts that are shown beside the blocks and wires.
#[derive(Clone, Copy, Debug)]
pub struct ShownParts {
    pub minimap: bool,
    pub grid: bool,
    pub strip: bool,
    /// Wires and blocks are coloured by sample time.
    pub rates: bool,
    /// Values are shown beside the wires.
    pub values: bool,
}

impl Default for ShownParts {
    fn default() -> ShownParts {
        ShownParts { minimap: true, grid: true, strip: true, rates: false, values: false }
    }
}

impl ShownParts {
    /// Returns the flag of a toggle command; None for other commands.
    pub(super) fn flag_mut(&mut self, command: DiagramCommand) -> Option<&mut bool> {
        match command {
            DiagramCommand::ToggleMinimap => Some(&mut self.minimap),
            DiagramCommand::ToggleGrid => Some(&mut self.grid),
            DiagramCommand::ToggleStrip => Some(&mut self.strip),
            DiagramCommand::ToggleRates => Some(&mut self.rates),
            DiagramCommand::ToggleValues => Some(&mut self.values),
            _ => None,
        }
    }

    /// Returns whether a toggle command is on; None for other commands.
    pub fn is_on(mut self, command: DiagramCommand) -> Option<bool> {
        self.flag_mut(command).copied()
    }
}

impl View {
    /// Returns the ids of the model blocks from the root to the open model.
    pub fn path(&self) -> &[BlockId] {
        &self.path
    }

    /// Returns the open model: the one at the end of the path, as far as the path exists.
    pub fn open_model<'a>(&self, simulation: &'a Simulation) -> Option<&'a Arc<Model>> {
        self.levels(simulation).into_iter().last().map(|(model, _)| model)
    }

    /// Returns title and path of each open level, from the root down.
    pub fn breadcrumbs(&self, simulation: &Simulation) -> Vec<(String, Vec<BlockId>)> {
        let paths = (0..).map(|depth| self.path.get(..depth).unwrap_or(&self.path).to_vec());
        let titles = self.levels(simulation).into_iter().map(|(_, title)| title);
        titles.zip(paths).collect()
    }

    /// Returns the models from the root along the path, with the titles of their blocks.
    fn levels<'a>(&self, simulation: &'a Simulation) -> Vec<(&'a Arc<Model>, String)> {
        let Some(root) = simulation.root_model() else { return Vec::new() };
        let mut levels = vec![(root, root.name.to_string())];
        let mut open = root;
        for id in &self.path {
            let Some(block) = open.block(*id) else { break };
            let BlockKind::Model { model } = &block.kind else { break };
            let Some(inner) = simulation.model(model) else { break };
            levels.push((inner, block.title().to_owned()));
            open = inner;
        }
        levels
    }

    /// Fits the whole diagram into the view in the next frame.
    pub fn fit(&mut self) {
        self.camera_move = Some(CameraMove::All);
    }

    /// Sets the zoom; 1.0 is one screen point per model unit. The centre of the view does not move.
    pub fn set_zoom(&mut self, zoom: f32) {
        self.camera_mut().zoom = zoom.clamp(MIN_ZOOM, MAX_ZOOM);
    }

    pub fn zoom(&self) -> f32 {
        self.camera().zoom
    }

    /// Scrolls the view by a distance on the screen.
    pub fn pan(&mut self, shift: egui::Vec2) {
        self.camera_mut().pan(shift);
    }

    pub fn zoom_in(&mut self) {
        self.set_zoom(self.zoom() * 1.25);
    }

    pub fn zoom_out(&mut self) {
        self.set_zoom(self.zoom() / 1.25);
    }

    /// Returns the screen position of a point of the open model, for menus, tours and tests.
    pub fn screen_of(&self, point: Position) -> Pos2 {
        self.transform().to_screen(geometry::point_of(point))
    }

    /// Returns the centre of the diagram on the screen.
    pub fn screen_middle(&self) -> Pos2 {
        self.transform().screen.center()
    }

    /// Returns the centre of the view, in the model.
    pub(super) fn middle(&self) -> Pos2 {
        self.transform().visible().center()
    }

    fn camera(&self) -> Camera {
        self.cameras.get(&self.path).copied().unwrap_or_default()
    }

    pub(super) fn camera_mut(&mut self) -> &mut Camera {
        self.cameras.entry(self.path.clone()).or_default()
    }

    pub(super) fn transform(&self) -> ViewTransform {
        let screen = self.screen.unwrap_or(Rect::from_min_size(Pos2::ZERO, egui::vec2(800.0, 600.0)));
        ViewTransform { camera: self.camera(), screen }
    }

    /// Executes a pending camera move, and fits the view of a model that is opened for the first time.
    pub(super) fn move_camera(&mut self, scene: &mut Scene, registry: &Registry) {
        let transform = self.transform();
        let size = transform.screen.size();
        if !self.cameras.contains_key(&self.path) {
            let camera = scene.bounds().map(|bounds| Camera::fit(bounds, size, 1.0)).unwrap_or(Camera {
                // The first blocks of an empty model get positive positions.
                center: (size / 2.0).to_pos2(),
                zoom: 1.0,
            });
            self.cameras.insert(self.path.clone(), camera);
        }
        match self.camera_move.take() {
            None => {}
            Some(CameraMove::All) => {
                if let Some(bounds) = scene.bounds() {
                    *self.camera_mut() = Camera::fit(bounds, size, 1.5);
                }
            }
            Some(CameraMove::Block(id)) => {
                scene.ensure([id], registry);
                let Some(rect) = scene.block(id).map(|view| view.outline.with_title()) else { return };
                if !transform.visible().shrink(20.0 / transform.zoom()).contains_rect(rect) || transform.zoom() < 0.5 {
                    let camera = self.camera_mut();
                    camera.center = rect.center();
                    camera.zoom = camera.zoom.max(0.8);
                }
            }
        }
    }
}

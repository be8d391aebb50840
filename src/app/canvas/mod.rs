//! The canvas: shows one model of the document and turns gestures into changes.
//!
//! Borrows its input ([`CanvasView`]) and returns the user's changes and requests ([`CanvasOutput`]); it never changes
//! the document. Its state is not part of the document: which model is open, the selection, pan and zoom of each open
//! model, and a projection of the open model ([`scene`]) for drawing.
//!
//! Use by the shell, once per frame:
//!
//! ```text
//! let output = canvas.ui(ui, &CanvasView { document, … });
//! for change in &output.changes { document.apply(change)?; }   // in this order; show an error in the status line
//! ```
//!
//! - The canvas handles pointer gestures, and while it has the focus ([`Canvas::has_focus`]) the keys of `keys`. The
//!   shell handles all other keys: it calls the commands below ([`Canvas::delete_selection`] and so on), each of
//!   which returns the change to apply, or None.
//! - A palette row starts a drag with `response.dnd_set_drag_payload(block)` where `block` is a
//!   [`BlockKind`](crate::model::BlockKind); the canvas draws the block under the pointer and emits the change when
//!   it is dropped. A double click in the palette calls [`Canvas::add_block`].
//! - Double click on the empty canvas: [`CanvasOutput::insert_at`]; the shell opens its quick-insert list
//!   at `screen` and then calls [`Canvas::insert_block`] with `position`.
//! - [`Canvas::go_to`] shows a diagnostic or a search result.
//!
//! Geometry, layout and routing use only egui's number types (`emath`). Next: [`scene`], then `gesture`.

mod camera;
mod capture;
mod draw;
mod edit;
mod frame;
pub mod geometry;
mod gesture;
mod interface;
mod overlay;
mod picture;
pub mod route;
pub mod scene;

use std::collections::HashMap;
use std::sync::Arc;

use eframe::egui::{self, Pos2, Rect};

pub use self::capture::{arranged, capture, capture_with_blocks, export};
pub use self::draw::COLORS;
pub use self::edit::straighten::crooked;
pub use self::interface::{CanvasOutput, CanvasView, DocumentView, InsertPosition, Selection};
pub use self::picture::WidgetsUi;

use self::camera::{Camera, ViewTransform};
use self::gesture::Gesture;
use self::gesture::hit::Hit;
use self::scene::Scene;
use crate::model::{BlockId, BlockKind, Model, Position, Simulation};

/// The canvas of one document.
#[derive(Default)]
pub struct Canvas {
    path: Vec<BlockId>,
    selection: Selection,
    cameras: HashMap<Vec<BlockId>, Camera>,
    scene: Scene,
    /// The scenes of recently open models, the latest last.
    kept: Vec<Scene>,
    /// The model in which a large selection was last checked to exist.
    checked_for: Option<Arc<Model>>,
    gesture: Gesture,
    /// A camera move for the next frame, when the scene and the screen are known.
    camera_move: Option<CameraMove>,
    /// The part of the screen that the canvas filled last.
    screen: Option<Rect>,
    id: Option<egui::Id>,
    hover: Hit,
    /// The target of the context menu, and the model position where it was opened.
    menu: (Hit, Pos2),
    /// The text that is being edited in place.
    editing: Option<overlay::InPlaceEdit>,
    /// A block that was just inserted: its main value is edited once the scene contains it.
    awaited: Option<BlockId>,
    /// It is the new subsystem of blocks that exist, whose name is edited.
    is_grouped: bool,
    /// The fixes for the loop of a wire that was just left open.
    offer: Option<overlay::LoopOffer>,
    highlight: Option<overlay::Highlight>,
    /// The time that drawing the last frame took.
    drawn_in: std::time::Duration,
    /// The mesh of the diagram at the lowest level of detail.
    lod_mesh: draw::LodMesh,
    minimap: overlay::Minimap,
    /// The selection was made by keys, not by the pointer.
    is_by_keys: bool,
    /// The diagram takes the keyboard focus in the next frame.
    wants_focus: bool,
    hides_minimap: bool,
    hides_grid: bool,
    hides_strip: bool,
    /// Wires and blocks are coloured by sample time.
    shows_rates: bool,
    /// Values are shown beside the wires.
    shows_values: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum CameraMove {
    All,
    Selection,
    /// Moves the view only if the block is outside it.
    Block(BlockId),
}

/// The widget id of the canvas.
impl Canvas {
    /// Draws all blocks again, since their definitions have changed.
    pub fn forget_blocks(&mut self) {
        self.scene.forget();
    }

    pub fn new() -> Canvas {
        Canvas::default()
    }

    /// Returns whether arrow keys, Delete and the like are for the canvas: it has the focus, or nothing has.
    pub fn has_focus(&self, ctx: &egui::Context) -> bool {
        let focused = ctx.memory(|memory| memory.focused());
        focused.is_none() || (focused == self.id && self.editing.is_none())
    }

    /// Returns the open model: the one at the end of the path, as far as the path exists.
    pub fn open_model<'a>(&self, simulation: &'a Simulation) -> Option<&'a Arc<Model>> {
        self.levels(simulation).into_iter().last().map(|(model, _)| model)
    }

    /// Returns the ids of the model blocks from the root to the open model.
    pub fn path(&self) -> &[BlockId] {
        &self.path
    }

    /// Opens a model, selects a block in it and brings it into view.
    pub fn go_to(&mut self, path: Vec<BlockId>, select: Option<BlockId>) {
        if self.path != path {
            self.gesture = Gesture::Idle;
            self.editing = None;
            self.hover = Hit::Empty;
            self.path = path;
        }
        self.selection = Selection { blocks: select.into_iter().collect(), ..Selection::default() };
        self.camera_move = select.map(CameraMove::Block);
    }

    /// Opens the parent model, with the block that was left selected.
    pub fn go_up(&mut self) {
        let mut path = self.path.clone();
        if let Some(left) = path.pop() {
            self.go_to(path, Some(left));
        }
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

    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    pub fn select(&mut self, selection: Selection) {
        self.selection = selection;
    }

    /// Fits the whole diagram into the view in the next frame.
    pub fn fit(&mut self) {
        self.camera_move = Some(CameraMove::All);
    }

    /// Fits the selection into the view, or everything if nothing is selected.
    pub fn fit_selection(&mut self) {
        self.camera_move = Some(if self.selection.is_empty() { CameraMove::All } else { CameraMove::Selection });
    }

    /// Sets the zoom; 1.0 is one screen point per model unit. The centre of the view does not move.
    pub fn set_zoom(&mut self, zoom: f32) {
        self.camera_mut().zoom = zoom.clamp(camera::MIN_ZOOM, camera::MAX_ZOOM);
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

    /// Starts in-place editing of the selected block's title, or of the selected wire's signal name.
    pub fn rename(&mut self) {
        match self.selection.single_block() {
            Some(id) => self.begin_title(id),
            None => self.name_signal(),
        }
    }

    /// Starts in-place editing of the selected block's main value; for a block that was just inserted, as soon as it
    /// exists.
    pub fn edit_value(&mut self) {
        self.awaited = self.selection.single_block();
    }

    /// Starts editing the signal name and unit of the selected wire, or of the selected block's first output.
    pub fn name_signal(&mut self) {
        let of_block = self.selection.single_block().and_then(|id| {
            let output = self.scene.block(id)?.ports.outputs.first()?;
            self.scene.net(id, output).next().map(|wire| wire.key())
        });
        if let Some(key) = self.selection.wires.first().cloned().or(of_block) {
            self.begin_signal(&key);
        }
    }

    /// Returns the screen rectangle of a block or wire of the open model, for menus, tours and tests.
    pub fn screen_of(&self, point: Position) -> Pos2 {
        self.transform().to_screen(geometry::point_of(point))
    }

    /// Returns the centre of the diagram on the screen.
    pub fn screen_middle(&self) -> Pos2 {
        self.transform().screen.center()
    }

    /// Returns the position below the selected block, if exactly one is selected.
    pub fn screen_of_selected(&self) -> Option<Pos2> {
        let block = self.scene.block(self.selection.single_block()?)?;
        Some(self.transform().to_screen(block.outline.rect.left_bottom()) + egui::vec2(0.0, 6.0))
    }

    /// Returns the open model as it was last shown.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    fn camera(&self) -> Camera {
        self.cameras.get(&self.path).copied().unwrap_or_default()
    }

    fn camera_mut(&mut self) -> &mut Camera {
        self.cameras.entry(self.path.clone()).or_default()
    }

    fn transform(&self) -> ViewTransform {
        let screen = self.screen.unwrap_or(Rect::from_min_size(Pos2::ZERO, egui::vec2(800.0, 600.0)));
        ViewTransform { camera: self.camera(), screen }
    }
}

//! The canvas: shows one model of the document and turns gestures into changes.
//!
//! Borrows what it shows ([`CanvasView`]) and returns what the user wants ([`CanvasOutput`]); it never changes the
//! document. What it keeps is not in the document: which model is open, the selection, pan and zoom of each open
//! model, and a projection of the open model ([`scene`]) for drawing.
//!
//! How the shell uses it, once a frame:
//!
//! ```text
//! let output = canvas.ui(ui, &CanvasView { simulation, registry, … });
//! for change in &output.changes { document.apply(change)?; }   // in this order; show an error in the status line
//! ```
//!
//! - The canvas handles pointer gestures, and while it has the focus ([`Canvas::has_focus`]) the keys of `keys`. All
//!   other keys are the shell's: it calls the commands below ([`Canvas::delete_selection`] and so on), each of
//!   which returns the change to be applied, or none.
//! - A palette row starts a drag with `response.dnd_set_drag_payload(kind)` where `kind` is a
//!   [`BlockKind`](crate::model::BlockKind); the canvas draws the block under the pointer and emits the change when
//!   it is dropped. A double click in the palette calls [`Canvas::add_block`].
//! - Double click on the empty canvas: [`CanvasOutput::insert_at`]; the shell opens its quick-insert list
//!   at `screen` and then calls [`Canvas::insert_block`] with `position`.
//! - A diagnostic or a search result is shown with [`Canvas::go_to`].
//!
//! Geometry, layout and routing know nothing of egui but its numbers (`emath`). Next: [`scene`], then `gesture`.

mod arrange;
mod breaks;
mod camera;
mod click;
mod command;
mod commands;
mod connect;
mod curve;
mod draw;
mod frame;
pub mod geometry;
mod gesture;
mod guides;
mod heal;
mod hierarchy;
mod hit;
mod in_place;
mod input;
mod keep;
mod keys;
pub mod layout;
mod loop_wire;
mod menu;
mod minimap;
mod open_ends;
mod picture;
mod pinned;
pub mod route;
pub mod scene;
mod size;
mod strip;
mod suggest;
mod tags;

use std::collections::HashMap;
use std::sync::Arc;

use eframe::egui::{self, Color32, Pos2, Rect};

pub use self::arrange::{Align, Axis};
pub use self::command::DiagramCommand;
pub use self::draw::COLORS;
pub use self::size::Size;

use self::camera::{Camera, ViewTransform};
use self::gesture::Gesture;
use self::hit::Hit;
use self::scene::Scene;
use super::theme::Theme;
use crate::app::chart::CurveParts;
use crate::app::lab::Heat;
use crate::block::Registry;
use crate::engine::Program;
use crate::model::{
    BlockId, BlockKind, Change, Diagnostic, Fragment, InputKey, Model, Position, SignalKey, Simulation,
};

/// What the canvas shows; borrowed for one frame.
pub struct CanvasView<'a> {
    pub simulation: &'a Arc<Simulation>,
    pub registry: &'a Registry,
    pub theme: &'a Theme,
    /// Blocks that one of these names bear a marker with its message.
    pub diagnostics: &'a [Diagnostic],
    /// The outputs that are plotted, each with its curve's colour; their wires are drawn in it.
    pub watched: &'a [(SignalKey, Color32)],
    /// The last value of an output, for display blocks and for the tooltip of a port or wire.
    pub values: &'a dyn Fn(&SignalKey) -> Option<Vec<f64>>,
    /// What an output did so far, where that is recorded, in so many parts of the run.
    pub curve: &'a dyn Fn(&SignalKey, usize) -> Option<CurveParts>,
    pub is_running: bool,
    /// The simulation as the last check made it ready to run: widths and rates.
    pub program: Option<&'a Program>,
    /// What blocks cost; they are coloured by it.
    pub heat: Option<&'a Heat>,
}

/// What the user did in this frame.
#[derive(Debug, Default)]
pub struct CanvasOutput {
    /// To be applied by `Document::apply`, in this order.
    pub changes: Vec<Change>,
    /// Why a gesture did nothing, for the status line.
    pub refused: Option<String>,
    /// Outputs to be plotted, and those no longer to be.
    pub plot: Vec<SignalKey>,
    pub unplot: Vec<SignalKey>,
    /// Outputs to be recorded without being drawn.
    pub record: Vec<SignalKey>,
    /// The user asked for the window of a block that shows its inputs.
    pub open_scope: Option<BlockId>,
    /// The user wants to insert a block here.
    pub insert_at: Option<InsertPosition>,
    /// To be put on the clipboard.
    pub copy: Option<Fragment>,
    /// “Paste” was chosen in the context menu: get the clipboard, then call [`Canvas::paste`] with this place.
    pub paste_at: Option<Position>,
    /// The user asked for the block's parameters: show and focus the inspector.
    pub edit_parameters: Option<BlockId>,
    /// The user asked for the block's help page.
    pub help: Option<BlockId>,
    /// Where the pointer is in the model, for the status line.
    pub pointer: Option<Position>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InsertPosition {
    /// In the model.
    pub position: Position,
    pub screen: Pos2,
}

/// Blocks and wires of the open model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    pub blocks: std::collections::BTreeSet<BlockId>,
    /// Wires by the input they end at.
    pub wires: std::collections::BTreeSet<InputKey>,
}

impl Selection {
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.wires.is_empty()
    }

    /// The block, if that is all that is selected.
    pub fn single_block(&self) -> Option<BlockId> {
        match (self.blocks.first(), self.blocks.len(), self.wires.is_empty()) {
            (Some(id), 1, true) => Some(*id),
            _ => None,
        }
    }
}

/// The canvas of one document.
#[derive(Default)]
pub struct Canvas {
    path: Vec<BlockId>,
    selection: Selection,
    cameras: HashMap<Vec<BlockId>, Camera>,
    scene: Scene,
    /// The scenes of models that were open before, the last at the end.
    kept: Vec<Scene>,
    /// The model for which a large selection was looked at: all of it is there.
    checked_for: Option<Arc<Model>>,
    gesture: Gesture,
    /// Where to look from the next frame on, when the scene and the screen are known.
    camera_move: Option<CameraMove>,
    /// The part of the screen that the canvas had last.
    screen: Option<Rect>,
    id: Option<egui::Id>,
    hover: Hit,
    /// What the context menu is about, and where in the model it was opened.
    menu: (Hit, Pos2),
    /// The text that is being edited where it stands.
    editing: Option<in_place::InPlaceEdit>,
    /// A block that was just inserted: its main value is asked for when the scene has it.
    awaited: Option<BlockId>,
    /// What mends the loop of a wire that was just left open.
    offer: Option<loop_wire::LoopOffer>,
    highlight: Option<hierarchy::Highlight>,
    /// How long it took to draw the last frame.
    drawn_in: std::time::Duration,
    /// The diagram as it was drawn from afar.
    lod_mesh: draw::LodMesh,
    minimap: minimap::Minimap,
    /// The keys have led to what is selected, not the pointer.
    is_by_keys: bool,
    /// The diagram is to have the keyboard with the next frame.
    wants_focus: bool,
    hides_minimap: bool,
    hides_grid: bool,
    hides_strip: bool,
    /// Wires and blocks have the colours of their rates.
    shows_rates: bool,
    /// What wires are worth is written beside them.
    shows_values: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum CameraMove {
    All,
    Selection,
    /// Only moves the view where the block is not in it.
    Block(BlockId),
}

/// Where the canvas stands.
impl Canvas {
    pub fn new() -> Canvas {
        Canvas::default()
    }

    /// Whether arrow keys, Delete and the like are meant for the canvas: it has the focus, or nothing has.
    pub fn has_focus(&self, ctx: &egui::Context) -> bool {
        let focused = ctx.memory(|memory| memory.focused());
        focused.is_none() || (focused == self.id && self.editing.is_none())
    }

    /// The model that is open: that to which the path leads, as far as it leads anywhere.
    pub fn open_model<'a>(&self, simulation: &'a Simulation) -> Option<&'a Arc<Model>> {
        self.levels(simulation).into_iter().last().map(|(model, _)| model)
    }

    /// Ids of the model blocks from the root down to what is open.
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

    /// Opens the model around the open one, with the block that was left selected.
    pub fn go_up(&mut self) {
        let mut path = self.path.clone();
        if let Some(left) = path.pop() {
            self.go_to(path, Some(left));
        }
    }

    /// For each open level, from the root down, its title and its path.
    pub fn breadcrumbs(&self, simulation: &Simulation) -> Vec<(String, Vec<BlockId>)> {
        let paths = (0..).map(|depth| self.path.get(..depth).unwrap_or(&self.path).to_vec());
        let titles = self.levels(simulation).into_iter().map(|(_, title)| title);
        titles.zip(paths).collect()
    }

    /// The models from the root down along the path, with the titles of their blocks.
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

    /// Brings all that is there into view with the next frame.
    pub fn fit(&mut self) {
        self.camera_move = Some(CameraMove::All);
    }

    /// Brings what is selected into view, or all where nothing is.
    pub fn fit_selection(&mut self) {
        self.camera_move = Some(if self.selection.is_empty() { CameraMove::All } else { CameraMove::Selection });
    }

    /// 1.0 is a point of the screen for a unit of the model. Keeps the middle where it is.
    pub fn set_zoom(&mut self, zoom: f32) {
        self.camera_mut().zoom = zoom.clamp(camera::MIN_ZOOM, camera::MAX_ZOOM);
    }

    pub fn zoom(&self) -> f32 {
        self.camera().zoom
    }

    /// Moves what is seen by so much on the screen.
    pub fn pan(&mut self, shift: egui::Vec2) {
        self.camera_mut().pan(shift);
    }

    pub fn zoom_in(&mut self) {
        self.set_zoom(self.zoom() * 1.25);
    }

    pub fn zoom_out(&mut self) {
        self.set_zoom(self.zoom() / 1.25);
    }

    /// Begins to edit the title of the selected block where it stands, or the name of the selected wire's signal.
    pub fn rename(&mut self) {
        match self.selection.single_block() {
            Some(id) => self.begin_title(id),
            None => self.name_signal(),
        }
    }

    /// Begins to edit the main value of the selected block where it stands; of one that was just inserted as soon as
    /// it is there.
    pub fn edit_value(&mut self) {
        self.awaited = self.selection.single_block();
    }

    /// Begins to edit the name and unit of the signal of the selected wire, or of the selected block's first output.
    pub fn name_signal(&mut self) {
        let of_block = self.selection.single_block().and_then(|id| {
            let output = self.scene.block(id)?.ports.outputs.first()?;
            self.scene.net(id, output).next().map(|wire| wire.key())
        });
        if let Some(key) = self.selection.wires.first().cloned().or(of_block) {
            self.begin_signal(&key);
        }
    }

    /// Where a block or wire of the open model is on the screen, for menus, tours and tests.
    pub fn screen_of(&self, point: Position) -> Pos2 {
        self.transform().to_screen(geometry::point_of(point))
    }

    /// The middle of what the diagram has of the screen.
    pub fn screen_middle(&self) -> Pos2 {
        self.transform().screen.center()
    }

    /// Below the selected block, if there is just one.
    pub fn screen_of_selected(&self) -> Option<Pos2> {
        let block = self.scene.block(self.selection.single_block()?)?;
        Some(self.transform().to_screen(block.outline.rect.left_bottom()) + egui::vec2(0.0, 6.0))
    }

    /// The open model as it was shown last.
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

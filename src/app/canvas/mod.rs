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
//! - The canvas handles pointer gestures, and while it has the focus ([`Canvas::has_focus`]) the keys of
//!   `gesture::keys`. The shell handles all other keys: it calls [`Canvas::perform`], or [`Canvas::edit`] with a command
//!   of [`OpenModel`], each of which returns the change to apply, or None.
//! - A palette row starts a drag with `response.dnd_set_drag_payload(block)` where `block` is a
//!   [`BlockKind`](crate::model::BlockKind); the canvas draws the block under the pointer and emits the change when
//!   it is dropped. A double click in the palette calls [`Canvas::add_block`].
//! - Double click on the empty canvas: [`CanvasOutput::insert_at`]; the shell opens its quick-insert list
//!   at `screen` and then calls [`OpenModel::insert_block`] with `position`.
//! - [`Canvas::go_to`] shows a diagnostic or a search result.
//!
//! | module | contents |
//! |---|---|
//! | `interface` | what the shell gives and gets: [`CanvasView`], [`CanvasOutput`] |
//! | `frame` | one frame: the scene is updated, the input read, the diagram drawn |
//! | `view`, `camera` | the open model, the visible part of it, what is shown beside blocks and wires |
//! | `selection` | the selected blocks and wires |
//! | [`scene`] | the projection of the open model: outlines, automatic layout, wires |
//! | [`route`] | ways of wires round blocks |
//! | `draw` | draws the scene, and the feedback of gestures |
//! | `gesture` | pointer and keys: what is hit, dragged, drawn by hand |
//! | `edit` | what changes the model |
//! | `overlay` | menus, tooltips, texts edited in place, offers, the minimap |
//! | `picture` | diagrams without the canvas: thumbnails and picture files |
//! | `read_only` | diagrams that are only looked at |
//!
//! Geometry, layout and routing use only egui's number types (`emath`). Next: [`scene`], then `gesture`.

mod camera;
mod draw;
mod edit;
mod frame;
pub mod geometry;
mod gesture;
mod interface;
mod overlay;
mod picture;
mod read_only;
pub mod route;
pub mod scene;
mod selection;
mod view;

use std::sync::Arc;

use eframe::egui::{self, Pos2};

pub use self::camera::{Camera, ViewTransform};
pub use self::draw::COLORS;
pub use self::edit::straighten::crooked;
pub use self::edit::{Edited, OpenModel};
pub use self::interface::{CanvasOutput, CanvasView, DocumentView, InsertPosition};
pub use self::picture::{Captured, WidgetsUi, arranged, capture, capture_with_blocks, export, thumbnail_ui};
pub use self::read_only::{ReadOnlyDiagram, fitting};
pub use self::selection::Selection;
pub use self::view::View;

use self::gesture::hit::Hit;
use self::gesture::{Gesture, GestureState};
use self::overlay::{Highlight, Overlay};
use self::scene::Scene;
use self::view::CameraMove;
use crate::model::{BlockId, Change, Edit, Model, Simulation, Trace};

/// The canvas of one document.
#[derive(Default)]
pub struct Canvas {
    pub view: View,
    selection: Selection,
    scene: Scene,
    gesture: GestureState,
    overlay: Overlay,
}

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
        focused.is_none() || (focused == self.view.id && self.overlay.editing.is_none())
    }

    /// Returns the open model: the one at the end of the path, as far as the path exists.
    pub fn open_model<'a>(&self, simulation: &'a Simulation) -> Option<&'a Arc<Model>> {
        self.view.open_model(simulation)
    }

    /// Returns the ids of the model blocks from the root to the open model.
    pub fn path(&self) -> &[BlockId] {
        self.view.path()
    }

    /// Opens a model, selects a block in it and brings it into view.
    pub fn go_to(&mut self, path: Vec<BlockId>, select: Option<BlockId>) {
        if self.view.path != path {
            self.gesture.current = Gesture::Idle;
            self.overlay.editing = None;
            self.overlay.code = None;
            self.gesture.hover = Hit::Empty;
            self.view.path = path;
        }
        self.selection = Selection::of_blocks(select);
        self.view.camera_move = select.map(CameraMove::Block);
    }

    /// Opens the code of a block of the open model, as soon as the block is shown.
    pub fn open_code(&mut self, block: BlockId) {
        self.overlay.awaited_code = Some(block);
    }

    /// Returns the block whose code is open.
    pub fn block_of_code(&self) -> Option<BlockId> {
        self.overlay.code.as_ref().map(|open| open.block)
    }

    /// Returns the change of code that is typed and that the document does not have yet.
    pub fn typed_code(&self, view: &DocumentView) -> Option<Change> {
        self.overlay.code_change(&self.scene, (view.simulation, self.open_model(view.simulation)?))
    }

    /// Opens the parent model, with the block that was left selected.
    pub fn go_up(&mut self) {
        let mut path = self.view.path.clone();
        if let Some(left) = path.pop() {
            self.go_to(path, Some(left));
        }
    }

    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    pub fn select(&mut self, selection: Selection) {
        self.selection = selection;
    }

    /// Highlights blocks and wires until the document changes.
    pub fn light(&mut self, trace: Trace, simulation: &Arc<Simulation>) {
        self.overlay.highlight = Some(Highlight::of_trace(trace, simulation));
    }

    /// Returns the edits that give the blocks of the open model the positions at which they are shown.
    pub fn pins(&self, simulation: &Simulation) -> Vec<Edit> {
        let open = self.open_model(simulation);
        open.map(|model| edit::changes::pins(&self.scene, model, |_| false)).unwrap_or_default()
    }

    /// Frames blocks that a program has changed, for some seconds.
    pub fn show_changed(&mut self, blocks: std::collections::BTreeSet<(Arc<str>, BlockId)>) {
        self.overlay.changed.add(blocks);
    }

    /// Returns whether a signal path is highlighted.
    pub fn is_lit(&self) -> bool {
        self.overlay.highlight.is_some()
    }

    /// Returns the position below the selected block, if exactly one is selected.
    pub fn screen_of_selected(&self) -> Option<Pos2> {
        let block = self.scene.block(self.selection.single_block()?)?;
        Some(self.view.transform().to_screen(block.outline.rect.left_bottom()) + egui::vec2(0.0, 6.0))
    }

    /// Returns the open model as it was last shown.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }
}

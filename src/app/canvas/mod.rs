//! The canvas: shows one model of the document and turns gestures into changes.
//!
//! Borrows what it shows ([`CanvasView`]) and returns what the user wants ([`CanvasOutput`]); it never changes the
//! document. What it keeps is not in the document: which model is open, the selection, pan and zoom of each open
//! model, and a projection of the open model ([`scene`]) for drawing.
//!
//! How the shell uses it, once a frame:
//!
//! ```ignore
//! let output = canvas.ui(ui, &CanvasView { simulation, registry, … });
//! for change in &output.changes { document.apply(change)?; }   // in this order; show an error in the status line
//! ```
//!
//! - The canvas handles pointer gestures, Escape, and the arrow keys while it has the focus ([`Canvas::has_focus`]).
//!   All other keys are the shell's: it calls the commands below ([`Canvas::delete_selection`] and so on), each of
//!   which returns the change to be applied, or none.
//! - A palette row starts a drag with `response.dnd_set_drag_payload(kind)` where `kind` is a
//!   [`BlockKind`](crate::model::BlockKind); the canvas draws the block under the pointer and emits the change when
//!   it is dropped. A double click in the palette calls [`Canvas::add_block`].
//! - Double click or a key on the empty canvas: [`CanvasOutput::insert_at`]; the shell opens its quick-insert list
//!   at `screen` and then calls [`Canvas::insert_block`] with `position`.
//! - A diagnostic or a search result is shown with [`Canvas::go_to`].
//!
//! Geometry, layout and routing know nothing of egui but its numbers (`emath`). Next: [`scene`], then `gesture`.

use std::sync::Arc;

use eframe::egui::{self, Color32, Pos2};

use super::theme::Theme;
use crate::block::Registry;
use crate::model::{BlockId, BlockKind, Change, Diagnostic, Fragment, InputKey, Model, Position, Simulation};

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
    pub is_running: bool,
}

/// An output seen from the root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignalKey {
    /// Ids of the model blocks from the root down.
    pub path: Vec<BlockId>,
    pub block: BlockId,
    pub output: Arc<str>,
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
    /// The user wants to insert a block here.
    pub insert_at: Option<InsertPlace>,
    /// To be put on the clipboard.
    pub copy: Option<Fragment>,
    /// “Paste” was chosen in the context menu: get the clipboard, then call [`Canvas::paste`] with this place.
    pub paste_at: Option<Position>,
    /// The user asked for the block's parameters: show and focus the inspector.
    pub edit_parameters: Option<BlockId>,
    /// The user asked for the block's help page.
    pub help: Option<BlockId>,
    /// The open model or the selection is another than before.
    pub is_elsewhere: bool,
    /// Where the pointer is in the model, for the status line.
    pub pointer: Option<Position>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InsertPlace {
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
}

/// Drawing and where the canvas stands.
impl Canvas {
    pub fn new() -> Canvas {
        Canvas::default()
    }

    /// Shows the open model in all that `ui` has left.
    pub fn ui(&mut self, ui: &mut egui::Ui, view: &CanvasView) -> CanvasOutput {
        let _ = (ui, view);
        CanvasOutput::default()
    }

    /// Whether arrow keys, Delete and the like are meant for the canvas.
    pub fn has_focus(&self, ctx: &egui::Context) -> bool {
        let _ = ctx;
        true
    }

    /// The model that is open: the outer one where the path does not lead anywhere any more.
    pub fn open_model<'a>(&self, simulation: &'a Simulation) -> Option<&'a Arc<Model>> {
        simulation.root_model()
    }

    /// Ids of the model blocks from the root down to what is open.
    pub fn path(&self) -> &[BlockId] {
        &self.path
    }

    /// Opens a model, selects a block in it and brings it into view.
    pub fn go_to(&mut self, path: Vec<BlockId>, select: Option<BlockId>) {
        self.path = path;
        self.selection.blocks.extend(select);
    }

    /// Opens the model around the open one.
    pub fn go_up(&mut self) {}

    /// For each open level, from the root down, its title and its path.
    pub fn breadcrumbs(&self, simulation: &Simulation) -> Vec<(String, Vec<BlockId>)> {
        vec![(simulation.root.to_string(), Vec::new())]
    }

    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    pub fn select(&mut self, selection: Selection) {
        self.selection = selection;
    }

    /// Brings all that is there (or all that is selected) into view with the next frame.
    pub fn fit(&mut self) {}
    pub fn fit_selection(&mut self) {}

    /// 1.0 is a point of the screen for a unit of the model. Keeps the middle where it is.
    pub fn set_zoom(&mut self, zoom: f32) {
        let _ = zoom;
    }

    pub fn zoom(&self) -> f32 {
        1.0
    }

    pub fn zoom_in(&mut self) {}
    pub fn zoom_out(&mut self) {}
}

/// Commands of menus and shortcuts. Each acts on the open model and the selection.
impl Canvas {
    pub fn select_all(&mut self, simulation: &Simulation) {
        let _ = simulation;
    }

    pub fn delete_selection(&mut self, simulation: &Simulation) -> Option<Change> {
        let _ = simulation;
        None
    }

    /// None where no block is selected.
    pub fn copy(&self, simulation: &Simulation) -> Option<Fragment> {
        let _ = simulation;
        None
    }

    /// With the upper left corner of what is pasted at `at`, or a little beside where it was copied from.
    pub fn paste(&mut self, simulation: &Simulation, fragment: &Fragment, at: Option<Position>) -> Option<Change> {
        let _ = (simulation, fragment, at);
        None
    }

    pub fn duplicate(&mut self, simulation: &Simulation) -> Option<Change> {
        let _ = simulation;
        None
    }

    /// Mirrors the selected blocks, so that their inputs are at the right.
    pub fn flip(&mut self, simulation: &Simulation) -> Option<Change> {
        let _ = simulation;
        None
    }

    /// Steps of the grid.
    pub fn nudge(&mut self, simulation: &Simulation, right: i32, down: i32) -> Option<Change> {
        let _ = (simulation, right, down);
        None
    }

    /// Begins to edit the title of the selected block where it stands.
    pub fn rename(&mut self) {}

    /// All outputs of the selected blocks and the sources of the selected wires.
    pub fn selected_signals(&self, simulation: &Simulation) -> Vec<SignalKey> {
        let _ = simulation;
        Vec::new()
    }

    /// Adds a block with its middle at a place of the model, on the grid, and selects it. A block with one input and
    /// one output that lands on a wire is put into it.
    pub fn insert_block(&mut self, view: &CanvasView, kind: BlockKind, at: Position) -> Option<Change> {
        let _ = (view, kind, at);
        None
    }

    /// Adds a block where it is seen and does not cover another.
    pub fn add_block(&mut self, view: &CanvasView, kind: BlockKind) -> Option<Change> {
        let _ = (view, kind);
        None
    }
}

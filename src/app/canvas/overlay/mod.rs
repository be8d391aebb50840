//! The parts that lie over the diagram: menus, tooltips, texts edited in place, offers, the minimap.
//!
//! [`Overlay`] is what they keep between frames; in a frame they read an [`OverlayContext`].

mod breakpoint_menu;
mod changed;
mod code_editor;
mod highlight;
mod library_menu;
mod loop_offer;
mod menu;
mod minimap;
mod remote_menu;
pub mod strip;
mod text_field;
mod tooltip;
mod widget_menu;

use eframe::egui::Pos2;

pub use self::changed::ChangedBlocks;
pub use self::code_editor::CodeEdit;
pub use self::highlight::Highlight;
pub use self::menu::MenuChoice;
use self::minimap::Minimap;
use super::camera::ViewTransform;
use super::edit::OpenModel;
use super::gesture::hit::Hit;
use super::interface::CanvasView;
use crate::model::{BlockId, Connection, InputKey};

/// The state of the parts that lie over the diagram.
#[derive(Default)]
pub struct Overlay {
    /// The target of the context menu, and the model position where it was opened.
    pub menu: (Hit, Pos2),
    /// The text that is being edited in place.
    pub editing: Option<InPlaceEdit>,
    /// The code that is edited in the place of its block.
    pub code: Option<CodeEdit>,
    /// A block whose code is opened once the scene contains it.
    pub awaited_code: Option<BlockId>,
    /// A block that was just inserted: its main value is edited once the scene contains it.
    pub awaited: Option<BlockId>,
    /// It is the new subsystem of blocks that exist, whose name is edited.
    pub is_grouped: bool,
    /// The fixes for the loop of a wire that was just left open.
    pub offer: Option<LoopOffer>,
    pub highlight: Option<Highlight>,
    /// The blocks that a program has changed.
    pub changed: ChangedBlocks,
    pub minimap: Minimap,
}

/// The input of the parts of the overlay in one frame.
#[derive(Clone, Copy)]
pub struct OverlayContext<'a> {
    pub open: OpenModel<'a>,
    pub view: &'a CanvasView<'a>,
    pub transform: ViewTransform,
}

#[derive(Clone, Debug)]
pub struct InPlaceEdit {
    pub what: EditTarget,
    pub text: String,
    pub is_new: bool,
    /// The cursor stands behind the text, which the user goes on typing; otherwise all of it is selected.
    pub keeps_text: bool,
}

/// The text that is edited in place.
#[derive(Clone, Debug, PartialEq)]
pub enum EditTarget {
    Title(BlockId),
    /// The model of a model block that was just made.
    ModelName(BlockId),
    /// A typed parameter, by its index in `typed_params`.
    Value(BlockId, usize),
    Signal(InputKey),
}

/// A wire that was just left open, and the loop that it would close.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopOffer {
    pub from: BlockId,
    pub to: InputKey,
    pub text: String,
}

impl LoopOffer {
    pub fn new(connection: &Connection, text: &str) -> LoopOffer {
        LoopOffer { from: connection.from, to: connection.key(), text: text.to_owned() }
    }
}

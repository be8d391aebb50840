//! The state that the canvas keeps between frames for its parts: texts edited in place, offers, highlights, the
//! overview.

mod breakpoint_menu;
mod menu;
mod minimap;
mod remote_menu;
mod strip;
pub mod text_field;
mod widget_menu;

use std::sync::Arc;

use eframe::egui::{Color32, Mesh, Rect};

use crate::model::{BlockId, Direction, InputKey, Model, SignalKey, Simulation, Trace};

#[derive(Clone, Debug)]
pub struct InPlaceEdit {
    pub what: EditTarget,
    pub text: String,
    pub is_new: bool,
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

/// A highlighted signal path, kept until Escape.
#[derive(Debug)]
pub struct Highlight {
    pub signals: Vec<SignalKey>,
    pub direction: Direction,
    /// The simulation in which it was traced; another one is traced again.
    pub simulation: Arc<Simulation>,
    pub trace: Trace,
}

/// The image of a model, redrawn if the model or its position on the screen changes.
#[derive(Default)]
pub struct Minimap {
    pub of: Option<(Arc<Model>, Rect, Color32)>,
    /// When it was drawn, in seconds, and the number of blocks at that time.
    pub at: f64,
    pub count: usize,
    pub bounds: Option<Rect>,
    pub mesh: Arc<Mesh>,
    /// It is redrawn in the next frame.
    pub is_put_off: bool,
}

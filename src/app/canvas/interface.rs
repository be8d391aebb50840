//! The input of the canvas, and the user's actions on it.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::{Color32, Pos2};

use crate::app::action::command::Command;
use crate::app::doc::code_lines::CodeInRun;
use crate::app::doc::curve::CurveParts;
use crate::app::doc::derived::DiagnosticList;
use crate::app::doc::heat::Heat;
use crate::app::ui::theme::Theme;
use crate::block::Registry;
use crate::engine::{Program, RemoteCost};
use crate::model::{BlockId, Change, Fragment, Position, SignalKey, Simulation};

/// The document of the canvas: all that a command or a gesture needs.
#[derive(Clone, Copy)]
pub struct DocumentView<'a> {
    pub simulation: &'a Arc<Simulation>,
    pub registry: &'a Registry,
}

/// The input of the canvas, borrowed for one frame: the document, and its decorations.
pub struct CanvasView<'a> {
    pub document: DocumentView<'a>,
    pub theme: &'a Theme,
    /// Blocks with a diagnostic show a badge with its message.
    pub diagnostics: &'a DiagnosticList,
    /// The plotted outputs, each with its curve's colour; their wires have the same colour.
    pub watched: &'a [(SignalKey, Color32)],
    /// Returns the last value of an output, for display blocks and tooltips.
    pub values: &'a dyn Fn(&SignalKey) -> Option<Vec<f64>>,
    /// Returns the recorded curve of an output so far, in the given number of buckets.
    pub curve: &'a dyn Fn(&SignalKey, usize) -> Option<CurveParts>,
    /// Returns what a run shows beside the code of a block of the open model.
    pub code: &'a dyn Fn(BlockId) -> Option<CodeInRun>,
    pub is_running: bool,
    /// An earlier step of the run is shown: the values of the wires are, too.
    pub is_scrubbed: bool,
    /// The simulation compiled by the last check: signal widths and rates.
    pub program: Option<&'a Program>,
    /// Execution times of blocks, for the heat map.
    pub heat: Option<&'a Heat>,
    /// The names of the pools in whose workers blocks may run.
    pub pools: &'a [String],
    /// The costs of remote blocks in the last run.
    pub remote_costs: &'a [RemoteCost],
    /// The models of which their library has a newer version.
    pub outdated: &'a BTreeSet<Arc<str>>,
}

impl<'a> CanvasView<'a> {
    /// Returns the view of a document without decorations, for pictures.
    pub fn plain(document: DocumentView<'a>, theme: &'a Theme) -> CanvasView<'a> {
        CanvasView {
            document,
            theme,
            diagnostics: DiagnosticList::none(),
            watched: &[],
            values: &|_| None,
            curve: &|_, _| None,
            code: &|_| None,
            is_running: false,
            is_scrubbed: false,
            program: None,
            heat: None,
            pools: &[],
            remote_costs: &[],
            outdated: &NONE,
        }
    }
}

static NONE: BTreeSet<Arc<str>> = BTreeSet::new();

/// The user's actions in this frame.
#[derive(Debug, Default)]
pub struct CanvasOutput {
    /// To be applied by `Document::apply`, in this order.
    pub changes: Vec<Change>,
    /// Why a gesture did nothing, for the status line.
    pub refused: Option<String>,
    /// Outputs to add to the plot; `unplot` are those to remove.
    pub plot: Vec<SignalKey>,
    pub unplot: Vec<SignalKey>,
    /// Outputs to record without plotting.
    pub record: Vec<SignalKey>,
    /// The block whose scope window the user asked for.
    pub open_scope: Option<BlockId>,
    /// Where the user wants to insert a block.
    pub insert_at: Option<InsertPosition>,
    /// The blocks to put on the clipboard.
    pub copy: Option<Fragment>,
    /// “Paste” was chosen in the context menu: get the clipboard, then call `OpenModel::paste` with this position.
    pub paste_at: Option<Position>,
    /// The block whose parameters the user asked for: show and focus the inspector.
    pub edit_parameters: Option<BlockId>,
    /// The model that is to be updated from its library.
    pub library_update: Option<Arc<str>>,
    /// The commands chosen in the context menu.
    pub commands: Vec<Command>,
    /// The pointer's position in the model, for the status line.
    pub pointer: Option<Position>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InsertPosition {
    /// In model coordinates.
    pub position: Position,
    pub screen: Pos2,
}

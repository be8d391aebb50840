//! What panels want done: they draw and ask, and [`super::App`] acts.

use std::path::PathBuf;
use std::sync::Arc;

use super::command::{Command, Panel};
use super::dashboard::ParamKey;
use super::drawing::Format;
use super::panels::plots::Range;
use super::plots::Recorded;
use crate::block::{BlockDef, ParamDef};
use crate::model::{BlockId, Change, SignalKey};

/// What a panel wants done.
#[derive(Clone, Debug)]
pub enum Action {
    Command(Command),
    Apply(Change),
    OpenPath(PathBuf),
    OpenExample(usize),
    /// One of a block's examples, as a simulation of its own.
    OpenBlockExample(&'static BlockDef, usize),
    Forget(PathBuf),
    /// Inserts into the middle of what is seen.
    AddBlock(crate::model::BlockKind),
    GoTo {
        path: Vec<BlockId>,
        block: Option<BlockId>,
    },
    /// Opens a model by name, wherever it is used first.
    OpenModel {
        model: Arc<str>,
        block: Option<BlockId>,
    },
    ShowPanel(Panel),
    /// Shows what is to be said about a block.
    Help(crate::model::BlockKind),
    /// So many changes back, where below 0, or forth.
    GoInHistory(i64),
    OpenTab(usize),
    CloseTab(usize),
    /// Opens a tab with a model, as it is used first.
    OpenModelInTab(Arc<str>),
    /// Writes a model into the user's library.
    KeepModel(Arc<str>),
    /// Makes a block a favourite, or no longer; by what the settings call it.
    Favourite(String),
    Plot(Vec<SignalKey>),
    Unplot(Vec<SignalKey>),
    /// Opens the editor of a parameter whose numbers are a table.
    EditTable {
        model: Arc<str>,
        block: BlockId,
        param: &'static ParamDef,
    },
    /// Asks for the file that a parameter is to name.
    ChooseFile {
        model: Arc<str>,
        block: BlockId,
        param: &'static ParamDef,
    },
    StopAtNonFinite(bool),
    /// Runs on the engine of this name from the next run on.
    ChooseEngine(&'static str),
    /// So many threads at most; none: one more than there are processors.
    LimitThreads(Option<usize>),
    /// Asks the engines which of them can run the document.
    AskEngines,
    /// Adds signals to a plot, at one of its sides.
    PlotIn {
        signals: Vec<SignalKey>,
        plot: usize,
    },
    /// Records signals without drawing them, or no longer.
    Record {
        signals: Vec<SignalKey>,
        is_recorded: Recorded,
    },
    /// Opens the window of a block that shows its inputs.
    OpenScope {
        path: Vec<BlockId>,
        block: BlockId,
    },
    /// Lets a parameter act while a control is turned; the document stays as it is.
    Turn {
        param: ParamKey,
        value: f64,
    },
    /// Takes a widget of the dashboard to the diagram, where the pointer is on the screen.
    PinWidget {
        number: usize,
        at: eframe::egui::Pos2,
    },
    /// Asks for the file that a picture of the dashboard shows.
    ChoosePicture {
        number: usize,
    },
    /// Puts the file that a picture shows into the simulation. `block`: the widget stands on the diagram, at that block.
    KeepPicture {
        block: Option<BlockId>,
        number: usize,
        path: PathBuf,
    },
    /// Writes a plot as a picture.
    ExportPlot {
        plot: usize,
        format: Format,
    },
    /// Writes the samples of a plot, or of all that is recorded.
    ExportData {
        plot: Option<usize>,
        range: Range,
    },
    Lab(super::lab::LabCommand),
    /// Looks at a step of the current run; none: at as far as it is.
    ChooseStep(Option<u64>),
    /// Looks at a step where it is done, else runs to it.
    GoToStep(u64),
    /// Gives a state of a block other values in the run that holds.
    SetState {
        path: Vec<BlockId>,
        block: BlockId,
        number: usize,
        values: Vec<f64>,
    },
    Run(super::panels::runs::RunRequest),
    Say(String),
    Complain(String),
}

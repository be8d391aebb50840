//! The actions of panels: panels return them, and [`super::App`] carries them out.

use std::path::PathBuf;
use std::sync::Arc;

use super::command::{Command, Panel};
use super::dashboard::ParamKey;
use super::drawing::Format;
use super::panels::plots::Range;
use super::plots::Recorded;
use crate::block::{BlockDef, ParamDef};
use crate::model::{BlockId, Change, SignalKey};

/// An action of a panel.
#[derive(Clone, Debug)]
pub enum Action {
    Command(Command),
    Apply(Change),
    OpenPath(PathBuf),
    OpenExample(usize),
    /// Opens one of a block's examples as a new simulation.
    OpenBlockExample(&'static BlockDef, usize),
    Forget(PathBuf),
    /// Inserts a block at the visible centre.
    AddBlock(crate::model::BlockKind),
    GoTo {
        path: Vec<BlockId>,
        block: Option<BlockId>,
    },
    /// Opens the first instance of a model.
    OpenModel {
        model: Arc<str>,
        block: Option<BlockId>,
    },
    ShowPanel(Panel),
    /// Shows the help page of a block.
    Help(crate::model::BlockKind),
    /// Moves in the undo history; negative is back.
    GoInHistory(i64),
    OpenTab(usize),
    CloseTab(usize),
    /// Opens the first instance of a model in a tab.
    OpenModelInTab(Arc<str>),
    /// Writes a model into the user's library.
    KeepModel(Arc<str>),
    /// Toggles a favourite block, given by its name in the settings.
    Favourite(String),
    Plot(Vec<SignalKey>),
    Unplot(Vec<SignalKey>),
    /// Opens the table editor of a parameter.
    EditTable {
        model: Arc<str>,
        block: BlockId,
        param: &'static ParamDef,
    },
    /// Asks for the file of a parameter.
    ChooseFile {
        model: Arc<str>,
        block: BlockId,
        param: &'static ParamDef,
    },
    StopAtNonFinite(bool),
    /// Chooses the engine by name; takes effect on the next run.
    ChooseEngine(&'static str),
    /// Sets the thread limit; `None`: the number of processors plus one.
    LimitThreads(Option<usize>),
    /// Asks the engines which of them can run the document.
    AskEngines,
    /// Adds signals to a plot, at one of its sides.
    PlotIn {
        signals: Vec<SignalKey>,
        plot: usize,
    },
    /// Starts or stops recording signals without plotting them.
    Record {
        signals: Vec<SignalKey>,
        is_recorded: Recorded,
    },
    /// Opens the window of a scope block.
    OpenScope {
        path: Vec<BlockId>,
        block: BlockId,
    },
    /// Sets a parameter in the run during a drag of a control; the document is unchanged.
    Turn {
        param: ParamKey,
        value: f64,
    },
    /// Moves a dashboard widget to the diagram, at a screen position.
    PinWidget {
        number: usize,
        at: eframe::egui::Pos2,
    },
    /// Asks for the file of a picture on the dashboard.
    ChoosePicture {
        number: usize,
    },
    /// Stores a picture's file in the simulation. `block`: the widget is on the diagram, beside that block.
    KeepPicture {
        block: Option<BlockId>,
        number: usize,
        path: PathBuf,
    },
    /// Exports a plot as a picture.
    ExportPlot {
        plot: usize,
        format: Format,
    },
    /// Exports the samples of a plot, or of all signals.
    ExportData {
        plot: Option<usize>,
        range: Range,
    },
    Lab(super::lab::LabCommand),
    /// Shows a step of the current run; `None`: the latest.
    ChooseStep(Option<u64>),
    /// Shows a step if it is recorded, else runs to it.
    GoToStep(u64),
    /// Sets a state of a block in the paused run.
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

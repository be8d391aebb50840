//! The user's requests: the commands of menus and keys, and the actions of panels. The shell carries them out.
//!
//! | module | contents |
//! |---|---|
//! | `command` | the table of commands: menus, toolbar, shortcuts and tooltips come from it |
//! | `diagram_command` | the commands of the diagram |
//! | `new_block` | the blocks to insert |
//! | `panel` | the panels and tours that commands show |
//! | `path_request` | the questions for a path |
//! | `shortcuts` | the shortcuts of the commands, and which were pressed |

pub mod command;
pub mod diagram_command;
pub mod new_block;
pub mod panel;
pub mod path_request;
pub mod shortcuts;

use std::path::PathBuf;
use std::sync::Arc;

use self::command::{Command, Panel};
use self::new_block::NewBlock;
use super::drawing::Format;
use crate::app::doc::dashboard::ParamKey;
use crate::app::doc::plots::Recorded;
use crate::app::store::speed::SpeedChoice;
use crate::block::{BlockDef, ParamDef};
use crate::model::{BlockAddress, BlockId, Change, ParamAddress, SignalKey};

/// An action of a panel.
#[derive(Clone, Debug)]
pub enum Action {
    Command(Command),
    /// Changes the document.
    Apply(Change),
    File(FileAction),
    Edit(EditAction),
    View(ViewAction),
    Plots(PlotsAction),
    Dashboard(DashboardAction),
    Run(RunAction),
    Lab(LabAction),
    Review(ReviewAction),
    /// Shows a message in the status bar.
    Say(String),
    /// The same for a problem.
    Complain(String),
}

/// Opens and writes files.
#[derive(Clone, Debug)]
pub enum FileAction {
    OpenPath(PathBuf),
    OpenExample(usize),
    /// Opens one of a block's examples as a new simulation.
    OpenBlockExample(&'static BlockDef, usize),
    Forget(PathBuf),
    /// Writes a model into the user's library.
    KeepModel(Arc<str>),
    /// Shows what an update of a model from its library changes, and asks.
    AskLibraryUpdate(Arc<str>),
    /// Asks for a file with values for the variables of the simulation.
    AskValues,
    /// Asks for the file of a parameter.
    ChooseFile {
        model: Arc<str>,
        block: BlockId,
        param: &'static ParamDef,
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
}

/// Changes the document by a tool of the window, or the favourite blocks.
#[derive(Clone, Debug)]
pub enum EditAction {
    /// Inserts a block at the visible centre.
    AddBlock(NewBlock),
    /// Opens the table editor of a parameter.
    EditTable { model: Arc<str>, block: BlockId, param: &'static ParamDef },
    /// Asks which block or model replaces a block; `screen` is where the list opens.
    AskReplacement { model: Arc<str>, block: BlockId, screen: eframe::egui::Pos2 },
    /// Toggles a favourite block, given by its name in the settings.
    Favourite(String),
    /// Moves in the undo history; negative is back.
    GoInHistory(i64),
}

/// Shows a part of the document or of the window.
#[derive(Clone, Debug)]
pub enum ViewAction {
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
    /// Shows a chapter of the manual.
    ShowChapter(&'static crate::app::store::manual::Chapter),
    OpenTab(usize),
    CloseTab(usize),
    /// Opens the first instance of a model in a tab.
    /// Shows a block in its model, and opens its code.
    OpenCode {
        model: Arc<str>,
        block: BlockId,
    },
    OpenModelInTab(Arc<str>),
}

/// Changes which signals are plotted and recorded.
#[derive(Clone, Debug)]
pub enum PlotsAction {
    Plot(Vec<SignalKey>),
    Unplot(Vec<SignalKey>),
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
}

/// Uses the controls and widgets of dashboards.
#[derive(Clone, Debug)]
pub enum DashboardAction {
    /// Sets a parameter in the run during a drag of a control; the document is unchanged.
    Turn { param: ParamKey, value: f64 },
    /// Adds a slider for a parameter.
    AddSlider { param: ParamKey, place: SliderPlace },
    /// Moves a dashboard widget to the diagram, at a screen position.
    PinWidget { number: usize, at: eframe::egui::Pos2 },
    /// Asks for the file of a picture on the dashboard.
    ChoosePicture { number: usize },
    /// Stores a picture's file in the simulation. `block`: the widget is on the diagram, beside that block.
    KeepPicture { block: Option<BlockId>, number: usize, path: PathBuf },
}

/// Where a new slider stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliderPlace {
    /// Below its block, in the open model.
    Diagram,
    Dashboard,
}

/// The pending action after unsaved changes are saved or discarded.
#[derive(Clone, Debug)]
pub enum AfterSave {
    New,
    OpenPath(PathBuf),
    OpenExample(usize),
    OpenBlockExample(&'static BlockDef, usize),
    AskOpen,
    Tour(command::Tour),
    Close,
    Quit,
}

/// A command of the step, analysis, sweep or fit panel.
#[derive(Clone, Debug)]
pub enum LabAction {
    /// Highlights a block execution in the diagram, with the input that triggered it.
    ShowExecution {
        block: BlockAddress,
        input: Option<String>,
    },
    /// Goes to a link of the cause chain of a stopped run.
    ShowLink(usize),
    ForgetCause,
    /// Runs the analysis with the settings of its panel.
    Analyse,
    /// Adds a parameter or a variable to those that the sweep varies, with a range about its value, and shows the panel.
    Vary {
        path: String,
        value: f64,
    },
    /// Plots the derivatives of the plotted signals by a parameter.
    PlotSensitivity(ParamAddress),
    /// Starts the sweep with the settings of its panel.
    Sweep,
    StopSweep,
    Pool(PoolAction),
    Fit(FitAction),
    Response(ResponseAction),
    /// Sets the parameters to the values of a run of the sweep.
    LoadSweepRun(u64),
    /// Sets the parameters to the values found for the equilibrium.
    TakeFound,
}

/// Requests of the panel that fits parameters to measured curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitAction {
    /// Asks for the data file.
    ChooseFile,
    /// Starts the fit with the settings of its panel.
    Begin,
    /// Ends the fit, which then has the best values so far.
    Stop,
    /// Writes the values into the simulation, as one change.
    Apply,
}

/// Requests of the panel that finds parameters with which the response meets requirements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseAction {
    /// Starts the search with the settings of its panel.
    Begin,
    /// Ends the search, which then has the best values so far.
    Stop,
    /// Writes the values into the simulation, as one change.
    Apply,
}

/// Requests about pools of computers and their sweeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PoolAction {
    /// Opens the list of pools.
    Edit,
    /// Lets the pool continue the sweep of this window.
    Leave,
    /// Continues a sweep of the chosen pool, given by its id.
    Attach(String),
    /// Removes it from the pool.
    Cancel(String),
}

/// A request of the Runs panel; runs are given by number.
#[derive(Clone, Debug, PartialEq)]
pub enum RunAction {
    Show(u64),
    ToggleOverlay(u64),
    TogglePin(u64),
    /// Compares the shown run with this one, or with the overlays.
    Compare(Option<u64>),
    Rename(u64, String),
    Remove(u64),
    /// Sets the memory limit of all runs in megabytes.
    Limit(u64),
    /// Sets the rewind buffer of each run in megabytes.
    LimitPast(u64),
    /// Asks for a file, and saves the run.
    Save(u64),
    /// Repeats the run, with its changes at their steps.
    Repeat(u64),
    /// Runs again from the start, with all blocks on this computer.
    RunHere,
    StopAtNonFinite(bool),
    /// Chooses the engine by name; takes effect on the next run.
    ChooseEngine(&'static str),
    /// Sets the thread limit; `None`: the number of processors plus one.
    LimitThreads(Option<usize>),
    /// Asks the engines which of them can run the document.
    AskEngines,
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
    /// Sets the speed of the run, without storing it in the settings file.
    SetSpeed(SpeedChoice),
    /// Sets the playback speed in simulated seconds per second.
    SetPlayRate(f64),
    /// Sets the number of steps of the step commands.
    StepBy(u64),
}

/// A request of the Review panel.
#[derive(Clone, Debug, PartialEq)]
pub enum ReviewAction {
    /// Compares with a state of the undo history, by its number; 0 is the oldest.
    CompareWithHistory(usize),
    /// Ends the comparison.
    End,
    /// Runs both states, or stops these runs.
    RunBoth,
    StopBoth,
    /// Takes a change back: its place is as in the other state.
    Take(Box<crate::diff::Change>),
}

/// The range of exported samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    All,
    Seen,
}

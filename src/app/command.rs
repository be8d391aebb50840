//! The commands: one table from which the menus, the toolbar, the shortcuts, the tooltips, the command palette and
//! the overview of shortcuts are made.

use eframe::egui::{self, Key, KeyboardShortcut, ModifierNames, Modifiers};

use super::canvas::{Align, Axis, DiagramCommand, Size};
use super::icons::Icon;
use super::keymap::Keymap;
use super::settings::{SpeedChoice, ThemeChoice};
use crate::model::Direction;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    New,
    Open,
    Save,
    SaveAs,
    Close,
    Quit,
    Undo,
    Redo,
    Cut,
    Copy,
    Paste,
    Duplicate,
    Delete,
    SelectAll,
    Rename,
    InsertBlock,
    ReplaceBlock,
    Diagram(DiagramCommand),
    PlotSelected,
    Find,
    FindBlock,
    ZoomIn,
    ZoomOut,
    ZoomReset,
    ZoomFit,
    GoUp,
    ReloadLibrary,
    OpenInTab,
    NextTab,
    PreviousTab,
    CloseTab,
    SplitView,
    Theme(ThemeChoice),
    TogglePanel(Panel),
    LargerText,
    SmallerText,
    ResetLayout,
    Run,
    Pause,
    Step,
    StepBack,
    Stop,
    Restart,
    /// Puts the keyboard into the field of the step that is looked at.
    GoToStep,
    /// Lets recorded steps go by, or holds them.
    PlayRecorded,
    /// Looks at as far as the run is.
    FollowRun,
    Branch,
    SaveRun,
    OpenRun,
    /// Whether a run that goes on takes edits of the diagram over.
    ToggleLiveEdits,
    ToggleGhost,
    /// Colours blocks by what they cost, or no longer.
    ToggleHeat,
    PauseAtNonFinite,
    Speed(SpeedChoice),
    Check,
    SimulationSettings,
    ExportCsv,
    ExportPicture,
    ExportModel,
    ImportModel,
    Help,
    CommandPalette,
    Shortcuts,
    About,
}

/// The panels that can be shown and hidden; settings hold the names in quotation marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Panel {
    #[serde(rename = "Blocks")]
    Blocks,
    #[serde(rename = "Models")]
    Models,
    #[serde(rename = "Canvas")]
    Canvas,
    #[serde(rename = "Inspector")]
    Inspector,
    #[serde(rename = "Plots")]
    Plots,
    #[serde(rename = "Problems")]
    Problems,
    #[serde(rename = "Help")]
    Help,
    #[serde(rename = "Find")]
    Find,
    #[serde(rename = "History")]
    History,
    #[serde(rename = "Runs")]
    Runs,
    #[serde(rename = "Dashboard")]
    Dashboard,
    #[serde(rename = "Step")]
    Step,
    #[serde(rename = "Analysis")]
    Analysis,
    #[serde(rename = "Sweep")]
    Sweep,
}

impl Panel {
    pub const ALL: [Panel; 14] = [
        Panel::Blocks,
        Panel::Models,
        Panel::Canvas,
        Panel::Inspector,
        Panel::Plots,
        Panel::Problems,
        Panel::Help,
        Panel::Find,
        Panel::History,
        Panel::Runs,
        Panel::Dashboard,
        Panel::Step,
        Panel::Analysis,
        Panel::Sweep,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Panel::Blocks => "Blocks",
            Panel::Models => "Models",
            Panel::Canvas => "Diagram",
            Panel::Inspector => "Inspector",
            Panel::Plots => "Plots",
            Panel::Problems => "Problems",
            Panel::Help => "Help",
            Panel::Find => "Find",
            Panel::History => "History",
            Panel::Runs => "Runs",
            Panel::Dashboard => "Dashboard",
            Panel::Step => "Step",
            Panel::Analysis => "Analysis",
            Panel::Sweep => "Sweep",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Menu {
    File,
    Edit,
    View,
    Run,
    Help,
}

/// What must be so that a command makes sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    Document,
    Undo,
    Redo,
    /// Something on the canvas is selected.
    Selection,
    /// Blocks are selected.
    Blocks,
    /// A run that has not ended.
    Run,
    /// A recording that has samples.
    Samples,
    /// A run that goes on just now.
    Running,
    /// A step before the one that is shown.
    StepBefore,
    /// A run with steps that are done.
    Steps,
    /// A step before the last one is looked at.
    Cursor,
    /// An inner model is open.
    InnerModel,
    /// More than one tab is open.
    Tabs,
}

pub struct CommandDef {
    pub command: Command,
    /// What the settings call it: unique, and the same in all versions of the program.
    pub name: &'static str,
    pub menu: Menu,
    pub label: &'static str,
    /// The first is the one that menus show.
    pub shortcuts: &'static [KeyboardShortcut],
    pub icon: Option<Icon>,
    pub tooltip: &'static str,
    pub needs: Needs,
}

const NONE: Modifiers = Modifiers::NONE;
const CTRL: Modifiers = Modifiers::COMMAND;
const SHIFT: Modifiers = Modifiers::SHIFT;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

const fn key(modifiers: Modifiers, key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(modifiers, key)
}

#[expect(clippy::too_many_arguments, reason = "a row has these columns")]
const fn row(
    menu: Menu,
    command: Command,
    name: &'static str,
    label: &'static str,
    shortcuts: &'static [KeyboardShortcut],
    icon: Option<Icon>,
    needs: Needs,
    tooltip: &'static str,
) -> CommandDef {
    CommandDef { command, name, menu, label, shortcuts, icon, tooltip, needs }
}

/// All commands, in the order of the menus.
#[rustfmt::skip]
pub static COMMANDS: &[CommandDef] = {
    use Command as C;
    use DiagramCommand as D;
    use Menu as M;
    use Needs as N;
    &[
        row(M::File, C::New, "new", "New", &[key(CTRL, Key::N)], Some(Icon::New), N::Nothing, "Start an empty simulation"),
        row(M::File, C::Open, "open", "Open…", &[key(CTRL, Key::O)], Some(Icon::Open), N::Nothing, "Open a simulation"),
        row(M::File, C::Save, "save", "Save", &[key(CTRL, Key::S)], Some(Icon::Save), N::Document, "Write the simulation to its file"),
        row(M::File, C::SaveAs, "save-as", "Save as…", &[key(CTRL_SHIFT, Key::S)], None, N::Document, "Write the simulation to another file"),
        row(M::File, C::ExportCsv, "export-csv", "Export curves…", &[key(CTRL_SHIFT, Key::E)], Some(Icon::Export), N::Samples, "Write the plotted curves to a .csv file"),
        row(M::File, C::ExportPicture, "export-picture", "Export picture…", &[key(CTRL_SHIFT, Key::I)], Some(Icon::Export), N::Document, "Write the diagram to a .svg, .pdf or .png file"),
        row(M::File, C::ExportModel, "export-model", "Export model…", &[], None, N::Document, "Write the selected model block's model, or the open one, with all that it uses to a file"),
        row(M::File, C::ImportModel, "import-model", "Import model…", &[], None, N::Document, "Bring the root model of another file, with all that it uses, into this simulation"),
        row(M::File, C::Close, "close", "Close", &[key(CTRL, Key::W)], None, N::Document, "Close the simulation and show the welcome page"),
        row(M::File, C::Quit, "quit", "Quit", &[key(CTRL, Key::Q)], None, N::Nothing, "Leave the program"),

        row(M::Edit, C::Undo, "undo", "Undo", &[key(CTRL, Key::Z)], Some(Icon::Undo), N::Undo, "Take the last change back"),
        row(M::Edit, C::Redo, "redo", "Redo", &[key(CTRL_SHIFT, Key::Z), key(CTRL, Key::Y)], Some(Icon::Redo), N::Redo, "Do again what was undone"),
        row(M::Edit, C::Cut, "cut", "Cut", &[key(CTRL, Key::X)], None, N::Blocks, "Copy the selected blocks and remove them"),
        row(M::Edit, C::Copy, "copy", "Copy", &[key(CTRL, Key::C)], None, N::Blocks, "Copy the selected blocks and the wires between them"),
        row(M::Edit, C::Paste, "paste", "Paste", &[key(CTRL, Key::V)], None, N::Document, "Insert what was copied"),
        row(M::Edit, C::Duplicate, "duplicate", "Duplicate", &[key(CTRL_SHIFT, Key::D)], None, N::Blocks, "Insert a copy of the selected blocks beside them"),
        row(M::Edit, C::Delete, "delete", "Delete", &[key(NONE, Key::Delete), key(NONE, Key::Backspace)], None, N::Selection, "Remove the selected blocks and wires"),
        row(M::Edit, C::SelectAll, "select-all", "Select all", &[key(CTRL, Key::A)], None, N::Document, "Select all blocks of the open model"),
        row(M::Edit, C::Diagram(D::Flip), "diagram.flip", "Flip", &[key(CTRL, Key::I)], None, N::Blocks, "Mirror the selected blocks, inputs to the right"),
        row(M::Edit, C::Diagram(D::Rotate), "diagram.rotate", "Rotate", &[key(CTRL, Key::R)], None, N::Blocks, "Turn the selected blocks by a quarter with the clock"),
        row(M::Edit, C::Rename, "rename", "Rename", &[key(NONE, Key::F2)], None, N::Selection, "Change the title of the selected block, or name the signal of the selected wire"),
        row(M::Edit, C::InsertBlock, "insert-block", "Insert block…", &[key(CTRL, Key::Space)], Some(Icon::Plus), N::Document, "Find a block by typing and insert it"),
        row(M::Edit, C::ReplaceBlock, "replace-block", "Replace block…", &[key(CTRL, Key::H)], None, N::Blocks, "Make the selected block one of another kind, with its wires and equal parameters"),
        row(M::Edit, C::Diagram(D::EditValue), "diagram.edit-value", "Edit value", &[], None, N::Blocks, "Type the selected block's main value where it stands"),
        row(M::Edit, C::Diagram(D::NameSignal), "diagram.name-signal", "Name signal…", &[], None, N::Selection, "Give the signal of the selected wire a name, and behind it in brackets a unit: speed [m/s]"),
        row(M::Edit, C::Diagram(D::Connect), "diagram.connect", "Connect selected blocks", &[key(CTRL, Key::K)], Some(Icon::Wire), N::Blocks, "Join the selected blocks from left to right; Alt and a click on a block join them to it"),
        row(M::Edit, C::Diagram(D::WireByKeys), "diagram.wire-by-keys", "Draw wire by keys", &[key(CTRL_SHIFT, Key::K)], None, N::Blocks, "Draw a wire from the selected block: up and down choose its end, left and right the port, Enter connects"),
        row(M::Edit, C::Diagram(D::Align(Align::Left)), "diagram.align.left", "Align left", &[], Some(Icon::AlignLeft), N::Blocks, "Set the left edges of the selected blocks in line"),
        row(M::Edit, C::Diagram(D::Align(Align::Centre)), "diagram.align.centre", "Align centres", &[], Some(Icon::AlignCentre), N::Blocks, "Set the middles of the selected blocks above each other"),
        row(M::Edit, C::Diagram(D::Align(Align::Right)), "diagram.align.right", "Align right", &[], Some(Icon::AlignRight), N::Blocks, "Set the right edges of the selected blocks in line"),
        row(M::Edit, C::Diagram(D::Align(Align::Top)), "diagram.align.top", "Align top", &[], Some(Icon::AlignTop), N::Blocks, "Set the upper edges of the selected blocks in line"),
        row(M::Edit, C::Diagram(D::Align(Align::Middle)), "diagram.align.middle", "Align middles", &[], Some(Icon::AlignMiddle), N::Blocks, "Set the middles of the selected blocks beside each other"),
        row(M::Edit, C::Diagram(D::Align(Align::Bottom)), "diagram.align.bottom", "Align bottom", &[], Some(Icon::AlignBottom), N::Blocks, "Set the lower edges of the selected blocks in line"),
        row(M::Edit, C::Diagram(D::Distribute(Axis::Across)), "diagram.distribute.across", "Distribute across", &[], Some(Icon::DistributeAcross), N::Blocks, "Set equal gaps between the selected blocks from left to right"),
        row(M::Edit, C::Diagram(D::Distribute(Axis::Down)), "diagram.distribute.down", "Distribute down", &[], Some(Icon::DistributeDown), N::Blocks, "Set equal gaps between the selected blocks from top to bottom"),
        row(M::Edit, C::Diagram(D::SameSize(Size::Width)), "diagram.same-size.width", "Same width", &[], Some(Icon::SameWidth), N::Blocks, "Make the selected blocks as wide as the widest"),
        row(M::Edit, C::Diagram(D::SameSize(Size::Height)), "diagram.same-size.height", "Same height", &[], Some(Icon::SameHeight), N::Blocks, "Make the selected blocks as high as the highest"),
        row(M::Edit, C::Diagram(D::SameSize(Size::Both)), "diagram.same-size.both", "Same size", &[], Some(Icon::SameSize), N::Blocks, "Make the selected blocks as wide and high as the largest"),
        row(M::Edit, C::Diagram(D::OwnSize), "diagram.own-size", "Own size", &[], None, N::Blocks, "Make the selected blocks as large as what they show again"),
        row(M::Edit, C::Diagram(D::Arrange), "diagram.arrange", "Arrange", &[key(CTRL_SHIFT, Key::L)], Some(Icon::Arrange), N::Document, "Lay out the selected blocks, or all, along their wires from left to right"),
        row(M::Edit, C::Diagram(D::AddArea), "diagram.add-area", "Add area", &[], None, N::Document, "Put a coloured frame with a title round the selected blocks"),
        row(M::Edit, C::Diagram(D::Group), "diagram.group", "Make a model of the selection", &[key(CTRL, Key::G)], None, N::Blocks, "Put the selected blocks into a model of their own"),
        row(M::Edit, C::Diagram(D::Expand), "diagram.expand", "Expand model block", &[key(CTRL_SHIFT, Key::U)], None, N::Blocks, "Put the blocks of the selected model block in its place"),
        row(M::Edit, C::Diagram(D::ToTags), "diagram.to-tags", "Replace wires by names", &[], None, N::Selection, "Put a block that gives a name to the signal, and one that takes it, in place of each selected wire"),
        row(M::Edit, C::Diagram(D::ToWires), "diagram.to-wires", "Replace names by wires", &[], None, N::Blocks, "Put wires in place of the selected blocks that give or take a name"),
        row(M::Edit, C::Find, "find", "Find…", &[key(CTRL, Key::F)], Some(Icon::Search), N::Document, "Find blocks, signals, parameters and values in all models"),
        row(M::Edit, C::FindBlock, "find-block", "Find block in library", &[key(CTRL_SHIFT, Key::F)], None, N::Document, "Search the palette"),

        row(M::Edit, C::ReloadLibrary, "reload-library", "Reload my library", &[], None, N::Nothing, "Read the .simx files in the folder of your own blocks again"),

        row(M::View, C::ZoomIn, "zoom-in", "Zoom in", &[key(CTRL, Key::Plus), key(CTRL, Key::Equals)], Some(Icon::ZoomIn), N::Document, "Show the diagram larger"),
        row(M::View, C::ZoomOut, "zoom-out", "Zoom out", &[key(CTRL, Key::Minus)], Some(Icon::ZoomOut), N::Document, "Show the diagram smaller"),
        row(M::View, C::ZoomReset, "zoom-reset", "Zoom to 100 %", &[key(CTRL, Key::Num0)], None, N::Document, "Show the diagram in its own size"),
        row(M::View, C::ZoomFit, "zoom-fit", "Zoom to fit", &[key(CTRL, Key::Num1)], Some(Icon::Fit), N::Document, "Show the whole diagram"),
        row(M::View, C::GoUp, "go-up", "Go to outer model", &[key(Modifiers::ALT, Key::ArrowUp)], Some(Icon::Up), N::InnerModel, "Leave this model for the one around it"),
        row(M::View, C::Diagram(D::Trace(Direction::ToSource)), "diagram.trace.to-source", "Highlight to source", &[], None, N::Selection, "Light up all that the selected signals come from, through all models; Escape ends it"),
        row(M::View, C::Diagram(D::Trace(Direction::ToDestination)), "diagram.trace.to-destination", "Highlight to destination", &[], None, N::Selection, "Light up all that the selected signals go to, through all models; Escape ends it"),
        row(M::View, C::Diagram(D::Focus), "diagram.focus", "Go to diagram", &[key(NONE, Key::F4)], None, N::Document, "Give the diagram the keyboard: Tab walks, Enter opens, letters insert"),
        row(M::View, C::Diagram(D::ToggleRates), "diagram.toggle-rates", "Colours by sample time", &[], None, N::Document, "Colour wires and blocks by how often they change"),
        row(M::View, C::Diagram(D::ToggleValues), "diagram.toggle-values", "Show values", &[key(NONE, Key::F8)], Some(Icon::Eye), N::Document, "Write what the wires in view are worth in the step that is shown"),
        row(M::View, C::ToggleHeat, "toggle-heat", "Show block heat", &[], None, N::Document, "Colour blocks by what they cost in the step that is shown, model blocks by all that stands in them"),
        row(M::View, C::Diagram(D::ToggleMinimap), "diagram.toggle-minimap", "Minimap", &[], None, N::Document, "Show or hide the small overview of a large diagram"),
        row(M::View, C::Diagram(D::ToggleGrid), "diagram.toggle-grid", "Grid", &[], None, N::Document, "Show or hide the dots behind the diagram; blocks stand on them in any case"),
        row(M::View, C::Diagram(D::ToggleStrip), "diagram.toggle-strip", "Alignment bar", &[], None, N::Document, "Show or hide the buttons over the diagram that set several selected blocks in order"),
        row(M::View, C::OpenInTab, "open-in-tab", "Open in new tab", &[key(CTRL, Key::Enter)], None, N::Document, "Open the selected model block, or this model again, in a tab of its own"),
        row(M::View, C::NextTab, "next-tab", "Next tab", &[key(CTRL, Key::Tab)], None, N::Tabs, "Show the model of the next tab"),
        row(M::View, C::PreviousTab, "previous-tab", "Previous tab", &[key(CTRL_SHIFT, Key::Tab)], None, N::Tabs, "Show the model of the tab before"),
        row(M::View, C::CloseTab, "close-tab", "Close tab", &[key(CTRL, Key::F4)], None, N::Tabs, "Close the tab; the model stays in the file"),
        row(M::View, C::SplitView, "split-view", "Split view", &[key(CTRL, Key::Backslash)], None, N::Document, "Show two models of the file side by side, or one again"),
        row(M::View, C::TogglePanel(Panel::Blocks), "toggle-panel.blocks", "Blocks panel", &[key(CTRL, Key::B)], None, N::Document, "Show or hide the palette of blocks"),
        row(M::View, C::TogglePanel(Panel::Models), "toggle-panel.models", "Models panel", &[], None, N::Document, "Show or hide the tree of models"),
        row(M::View, C::TogglePanel(Panel::Inspector), "toggle-panel.inspector", "Inspector panel", &[key(CTRL, Key::J)], None, N::Document, "Show or hide the inspector"),
        row(M::View, C::TogglePanel(Panel::Plots), "toggle-panel.plots", "Plots panel", &[key(CTRL, Key::P)], None, N::Document, "Show or hide the plots"),
        row(M::View, C::TogglePanel(Panel::Problems), "toggle-panel.problems", "Problems panel", &[key(CTRL, Key::M)], None, N::Document, "Show or hide the list of problems"),
        row(M::View, C::TogglePanel(Panel::Help), "toggle-panel.help", "Help panel", &[], None, N::Document, "Show or hide the pages about blocks"),
        row(M::View, C::TogglePanel(Panel::Find), "toggle-panel.find", "Find panel", &[], None, N::Document, "Show or hide what was found"),
        row(M::View, C::TogglePanel(Panel::History), "toggle-panel.history", "History panel", &[key(CTRL_SHIFT, Key::H)], None, N::Document, "Show or hide the list of changes"),
        row(M::View, C::TogglePanel(Panel::Dashboard), "toggle-panel.dashboard", "Dashboard panel", &[], None, N::Document, "Show or hide the controls and instruments"),
        row(M::View, C::TogglePanel(Panel::Runs), "toggle-panel.runs", "Runs panel", &[key(CTRL_SHIFT, Key::R)], None, N::Document, "Show or hide the list of runs and what was changed in them"),
        row(M::View, C::TogglePanel(Panel::Step), "toggle-panel.step", "Step panel", &[key(CTRL_SHIFT, Key::M)], None, N::Document, "Show or hide what ran in a step, in which order and why"),
        row(M::View, C::TogglePanel(Panel::Analysis), "toggle-panel.analysis", "Analysis panel", &[], None, N::Document, "Show or hide the linear system: poles, zeros, Bode, step response"),
        row(M::View, C::TogglePanel(Panel::Sweep), "toggle-panel.sweep", "Sweep panel", &[], None, N::Document, "Show or hide many runs with different values"),
        row(M::View, C::ResetLayout, "reset-layout", "Reset layout", &[], None, N::Document, "Put all panels back where they were at first"),
        row(M::View, C::Theme(ThemeChoice::Light), "theme.light", "Light theme", &[], Some(Icon::Sun), N::Nothing, "Dark text on a light ground"),
        row(M::View, C::Theme(ThemeChoice::Dark), "theme.dark", "Dark theme", &[], Some(Icon::Moon), N::Nothing, "Light text on a dark ground"),
        row(M::View, C::Theme(ThemeChoice::System), "theme.system", "Theme of the system", &[], None, N::Nothing, "Light or dark as the desktop is"),
        row(M::View, C::LargerText, "larger-text", "Larger text", &[key(CTRL_SHIFT, Key::Plus)], None, N::Nothing, "Show the whole window larger"),
        row(M::View, C::SmallerText, "smaller-text", "Smaller text", &[key(CTRL_SHIFT, Key::Minus)], None, N::Nothing, "Show the whole window smaller"),

        row(M::Run, C::Run, "run", "Run", &[key(NONE, Key::F5), key(CTRL, Key::T)], Some(Icon::Run), N::Document, "Run the simulation from the start, or go on after a pause"),
        row(M::Run, C::Pause, "pause", "Pause", &[key(NONE, Key::F6)], Some(Icon::Pause), N::Running, "Hold the run; Run goes on"),
        row(M::Run, C::Step, "step", "Step", &[key(NONE, Key::F10)], Some(Icon::Step), N::Document, "Run one step and pause, or look at the next one that is recorded"),
        row(M::Run, C::StepBack, "step-back", "Step back", &[key(SHIFT, Key::F10)], Some(Icon::StepBack), N::StepBefore, "Look at the step before; nothing is lost"),
        row(M::Run, C::Stop, "stop", "Stop", &[key(SHIFT, Key::F5), key(CTRL_SHIFT, Key::T)], Some(Icon::Stop), N::Run, "End the run"),
        row(M::Run, C::Restart, "restart", "Restart", &[key(CTRL_SHIFT, Key::F5)], Some(Icon::Restart), N::Document, "Run from the start; what is ready already is not made ready again"),
        row(M::Run, C::GoToStep, "go-to-step", "Go to step…", &[key(CTRL_SHIFT, Key::G)], None, N::Document, "Look at a step of the run, or run to it"),
        row(M::Run, C::PlayRecorded, "play-recorded", "Play recorded steps", &[], None, N::Steps, "Let the steps of the run go by once more, at the speed of the time bar"),
        row(M::Run, C::FollowRun, "follow-run", "Go to newest step", &[], Some(Icon::Follow), N::Cursor, "Show the run as far as it is"),
        row(M::Run, C::Branch, "branch", "Branch here", &[key(CTRL_SHIFT, Key::B)], Some(Icon::Branch), N::Steps, "Run on from the step that is shown, beside this run, with the values that the document has now"),
        row(M::Run, C::Diagram(D::ToggleBreakpoint), "diagram.toggle-breakpoint", "Toggle breakpoint", &[key(NONE, Key::F9)], None, N::Selection, "Pause the run where the signal of the selected wire changes; other conditions stand in the panel Runs"),
        row(M::Run, C::PauseAtNonFinite, "pause-at-non-finite", "Pause at the first non-finite value", &[], None, N::Nothing, "Hold a run before a value becomes infinite or not-a-number, and show where that comes from"),
        row(M::Run, C::SaveRun, "save-run", "Save run…", &[], None, N::Steps, "Write what the current run recorded to a file, with what was run and changed"),
        row(M::Run, C::OpenRun, "open-run", "Open run…", &[], None, N::Document, "Read a run from a file and draw it beside the current one"),
        row(M::Run, C::ToggleLiveEdits, "toggle-live-edits", "Apply edits to the running model", &[], None, N::Nothing, "A run that goes on takes blocks and wires over that are drawn meanwhile; what they leave alone keeps its state"),
        row(M::Run, C::ToggleGhost, "toggle-ghost", "Show previous run", &[], None, N::Document, "Draw the run before faintly behind the current one"),
        row(M::Run, C::Speed(SpeedChoice::Fastest), "speed.fastest", "Run as fast as possible", &[], None, N::Nothing, "Do not wait between steps"),
        row(M::Run, C::Speed(SpeedChoice::RealTime(0.1)), "speed.real-time.0.1", "Run at 0.1× real time", &[], None, N::Nothing, "A simulated second takes ten seconds"),
        row(M::Run, C::Speed(SpeedChoice::RealTime(0.5)), "speed.real-time.0.5", "Run at 0.5× real time", &[], None, N::Nothing, "A simulated second takes two seconds"),
        row(M::Run, C::Speed(SpeedChoice::RealTime(1.0)), "speed.real-time.1.0", "Run in real time", &[], None, N::Nothing, "A simulated second takes one second"),
        row(M::Run, C::Speed(SpeedChoice::RealTime(2.0)), "speed.real-time.2.0", "Run at 2× real time", &[], None, N::Nothing, "Two simulated seconds take one second"),
        row(M::Run, C::Speed(SpeedChoice::RealTime(10.0)), "speed.real-time.10.0", "Run at 10× real time", &[], None, N::Nothing, "Ten simulated seconds take one second"),
        row(M::Run, C::Speed(SpeedChoice::RealTime(100.0)), "speed.real-time.100.0", "Run at 100× real time", &[], None, N::Nothing, "A hundred simulated seconds take one second"),
        row(M::Run, C::PlotSelected, "plot-selected", "Plot selected signals", &[key(CTRL, Key::L)], Some(Icon::Curve), N::Selection, "Draw the outputs of the selected blocks as curves"),
        row(M::Run, C::Check, "check", "Check", &[key(CTRL, Key::D), key(NONE, Key::F7)], Some(Icon::Check), N::Document, "Look for problems without running"),
        row(M::Run, C::SimulationSettings, "simulation-settings", "Simulation settings", &[key(CTRL, Key::E)], Some(Icon::Sliders), N::Document, "Steps, step length, solver and root model"),

        row(M::Help, C::Help, "help", "Help about block", &[key(NONE, Key::F1)], Some(Icon::Info), N::Document, "Show what the selected block does: formula, ports, parameters, example"),
        row(M::Help, C::CommandPalette, "command-palette", "All commands…", &[key(CTRL_SHIFT, Key::P)], Some(Icon::Search), N::Nothing, "Find a command by typing"),
        row(M::Help, C::Shortcuts, "shortcuts", "Keyboard shortcuts", &[key(NONE, Key::Questionmark)], None, N::Nothing, "All shortcuts on one page"),
        row(M::Help, C::About, "about", "About Simulate", &[], Some(Icon::Info), N::Nothing, "Version, licence and thanks"),
    ]
};

impl Command {
    pub fn def(self) -> Option<&'static CommandDef> {
        COMMANDS.iter().find(|def| def.command == self)
    }

    /// Cut, copy and paste have the platform's keys, which come as events of their own.
    pub fn is_of_clipboard(self) -> bool {
        matches!(self, Command::Cut | Command::Copy | Command::Paste)
    }
}

/// The name of a command, which earlier versions wrote as `Diagram(Align(Left))`.
pub fn stable_name(name: &str) -> String {
    let mut stable = String::with_capacity(name.len() + 4);
    let mut before = '.';
    for letter in name.trim_end_matches(')').chars() {
        match letter {
            '(' => stable.push('.'),
            letter if letter.is_ascii_uppercase() && before.is_ascii_alphanumeric() => {
                stable.push('-');
                stable.push(letter.to_ascii_lowercase());
            }
            letter => stable.push(letter.to_ascii_lowercase()),
        }
        before = letter;
    }
    stable
}

impl CommandDef {
    /// The first shortcut as a user reads it.
    pub fn shortcut_text(&self, ctx: &egui::Context) -> Option<String> {
        Keymap::of(ctx).shortcuts(self).first().map(|shortcut| text_of(*shortcut))
    }

    /// Label, sentence and shortcut.
    pub fn tooltip_text(&self, ctx: &egui::Context) -> String {
        let label = self.label.trim_end_matches('…');
        match self.shortcut_text(ctx) {
            Some(shortcut) => format!("{label} ({shortcut})\n{}", self.tooltip),
            None => format!("{label}\n{}", self.tooltip),
        }
    }
}

pub fn text_of(shortcut: KeyboardShortcut) -> String {
    if shortcut.logical_key == Key::Questionmark {
        return "?".to_owned();
    }
    let is_mac = cfg!(target_os = "macos");
    let names = if is_mac { &ModifierNames::SYMBOLS } else { &ModifierNames::NAMES };
    shortcut.format(names, is_mac)
}

/// The commands whose shortcuts were pressed since the last frame, in their order. While a text is edited, only those that no text field uses are looked for.
pub fn pressed(ctx: &egui::Context) -> Vec<Command> {
    if !ctx.input(|input| input.events.iter().any(|event| matches!(event, egui::Event::Key { pressed: true, .. }))) {
        return Vec::new();
    }
    let is_typing = ctx.text_edit_focused();
    let keymap = Keymap::of(ctx);
    let of = |def: &CommandDef| keymap.shortcuts(def).to_vec();
    let mut shortcuts: Vec<_> =
        COMMANDS.iter().flat_map(|def| of(def).into_iter().map(move |shortcut| (shortcut, def.command))).collect();
    // `Ctrl+Z` also fits when Shift is held: the longer ones first.
    let held =
        |modifiers: Modifiers| [modifiers.command, modifiers.shift, modifiers.alt].iter().filter(|m| **m).count();
    shortcuts.sort_by_key(|(shortcut, _)| std::cmp::Reverse(held(shortcut.modifiers)));
    // A slow frame brings several keys, and their order counts: “Undo, Save” is not “Save, Undo”.
    let mut commands = Vec::new();
    ctx.input_mut(|input| {
        input.events.retain(|event| {
            let egui::Event::Key { key, pressed: true, modifiers, .. } = event else { return true };
            let found = shortcuts.iter().find(|(shortcut, command)| {
                // Cut, copy and paste come as events of their own.
                *key == shortcut.logical_key
                    && modifiers.matches_logically(shortcut.modifiers)
                    && !(is_typing && is_for_text(*shortcut))
                    && !command.is_of_clipboard()
            });
            commands.extend(found.map(|(_, command)| *command));
            found.is_none()
        });
    });
    commands
}

fn is_for_text(shortcut: KeyboardShortcut) -> bool {
    let is_function_key =
        matches!(shortcut.logical_key, Key::F1 | Key::F4 | Key::F5 | Key::F6 | Key::F7 | Key::F8 | Key::F9 | Key::F10);
    match shortcut.modifiers.command {
        true => {
            matches!(
                shortcut.logical_key,
                Key::Z | Key::Y | Key::A | Key::X | Key::C | Key::V | Key::D | Key::I | Key::Enter
            ) && !(shortcut.modifiers.shift && shortcut.logical_key != Key::Z)
        }
        false => !is_function_key,
    }
}

//! The commands: one table from which the menus, the toolbar, the shortcuts, the tooltips, the command palette and
//! the overview of shortcuts are made.

use std::sync::LazyLock;

use eframe::egui::{self, Key, KeyboardShortcut, Modifiers};

pub use crate::app::action::panel::{Panel, Tour};

use crate::app::action::diagram_command::{Align, DiagramCommand, DistributionAxis, Size};
use crate::app::store::speed::SpeedChoice;
use crate::app::ui::icons::Icon;
use crate::app::ui::keymap::{Keymap, text_of};
use crate::app::ui::theme::ThemeChoice;
use crate::listed::listed;
use crate::model::Direction;

listed! {
    /// A command of menus, keys and the command palette.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Command {
        File(FileCommand),
        Edit(EditCommand),
        Diagram(DiagramCommand),
        View(ViewCommand),
        Run(RunCommand),
        Help(HelpCommand),
    }
}

listed! {
    /// Opens and writes files.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum FileCommand {
        New,
        Open,
        Save,
        SaveAs,
        Close,
        Quit,
        ExportCsv,
        ExportPicture,
        ExportReport,
        ExportModel,
        ExportCode,
        ExportFmu,
        ImportModel,
        CompareFile,
        CompareCommit,
        ReloadLibrary,
        Preferences,
        Reload,
        Revert,
    }
}

listed! {
    /// Edits the document and searches in it.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum EditCommand {
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
        Find,
        Replace,
        FindBlock,
        PlotSelected,
    }
}

listed! {
    /// Changes the view.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum ViewCommand {
        ZoomIn,
        ZoomOut,
        ZoomReset,
        ZoomFit,
        GoUp,
        OpenInTab,
        NextTab,
        PreviousTab,
        CloseTab,
        SplitView,
        Theme(ThemeChoice),
        TogglePanel(Panel),
        /// Gives the lower panels the whole window, or ends that.
        MaximizeLower,
        LargerText,
        SmallerText,
        ResetLayout,
        /// Shows nothing but the diagram.
        DistractionFree,
        SimulationSettings,
    }
}

listed! {
    /// Controls the run, and the view of it.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum RunCommand {
        Run,
        Pause,
        Step,
        StepBack,
        Stop,
        Restart,
        /// Focuses the field of the shown step.
        GoToStep,
        /// Starts or pauses the playback of recorded steps.
        PlayRecorded,
        /// Shows the latest step.
        FollowRun,
        Branch,
        SaveRun,
        OpenRun,
        /// Toggles whether edits of the diagram are applied to the live run.
        ToggleLiveEdits,
        ToggleGhost,
        /// Toggles the execution-time heat map.
        ToggleHeat,
        PauseAtNonFinite,
        Speed(SpeedChoice),
        Check,
        /// Shows the tuner for the selected PID block.
        TunePid,
        /// Shows the panel that fits parameters to measured curves.
        FitToData,
        /// Shows the panel that finds parameters with which the response meets requirements.
        OptimizeResponse,
        /// Opens the list of pools.
        Pools,
    }
}

listed! {
    /// Explains the program.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum HelpCommand {
        Help,
        Manual,
        Tour(Tour),
        WhatIsNew,
        CommandPalette,
        Shortcuts,
        Plugins,
        ToggleDriving,
        Report,
        Licences,
        About,
    }
}

/// A menu of the menu bar.
pub struct MenuDef {
    pub title: &'static str,
    pub entries: &'static [MenuEntry],
}

pub enum MenuEntry {
    Command(CommandDef),
    Separator,
    /// A submenu, so that no menu is higher than a small screen.
    Menu(&'static str, &'static [MenuEntry]),
    /// The files that were opened last.
    Recent,
    /// The examples that come with the program.
    Examples,
}

/// The condition under which a command is enabled.
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
    /// A run in progress.
    Running,
    /// A step before the shown one.
    StepBefore,
    /// The document has a file.
    File,
    /// The document has a file and unsaved changes.
    Unsaved,
    /// A run with completed steps.
    Steps,
    /// A step before the latest is shown.
    Cursor,
    /// An inner model is open.
    InnerModel,
    /// More than one tab is open.
    Tabs,
    /// The program was built with pools.
    Pools,
}

pub struct CommandDef {
    pub command: Command,
    /// Its name in the settings: unique, and the same in all versions of the program.
    pub name: &'static str,
    pub label: &'static str,
    /// The first is the one that menus show.
    pub shortcuts: &'static [KeyboardShortcut],
    pub icon: Option<Icon>,
    pub tooltip: &'static str,
    pub needs: Needs,
}

/// The current states of the commands.
pub trait CommandStates {
    /// Returns whether a command that needs this is enabled.
    fn can(&self, needs: Needs) -> bool;

    /// Returns whether a toggle command is on; None for other commands.
    fn is_on(&self, command: Command) -> Option<bool>;

    /// Returns the current label: Undo and Redo name the change.
    fn label_of(&self, def: &CommandDef) -> String;
}

const NONE: Modifiers = Modifiers::NONE;
const CTRL: Modifiers = Modifiers::COMMAND;
const SHIFT: Modifiers = Modifiers::SHIFT;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

const fn key(modifiers: Modifiers, key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(modifiers, key)
}

const fn row(
    command: Command,
    (name, label): (&'static str, &'static str),
    shortcuts: &'static [KeyboardShortcut],
    icon: Option<Icon>,
    needs: Needs,
    tooltip: &'static str,
) -> MenuEntry {
    MenuEntry::Command(CommandDef { command, name, label, shortcuts, icon, tooltip, needs })
}

/// The menu bar with all commands.
#[rustfmt::skip]
pub static MENUS: &[MenuDef] = {
    use Command as C;
    use DiagramCommand as D;
    use MenuEntry::{Examples, Menu, Recent, Separator};
    use Needs as N;
    &[
        MenuDef {
            title: "File",
            entries: &[
                row(C::File(FileCommand::New), ("new", "New"), &[key(CTRL, Key::N)], Some(Icon::New), N::Nothing, "Start an empty simulation"),
                row(C::File(FileCommand::Open), ("open", "Open…"), &[key(CTRL, Key::O)], Some(Icon::Open), N::Nothing, "Open a simulation"),
                Recent,
                Examples,
                Separator,
                row(C::File(FileCommand::Save), ("save", "Save"), &[key(CTRL, Key::S)], Some(Icon::Save), N::Document, "Save the simulation to its file"),
                row(C::File(FileCommand::SaveAs), ("save-as", "Save as…"), &[key(CTRL_SHIFT, Key::S)], None, N::Document, "Save the simulation to another file"),
                row(C::File(FileCommand::Reload), ("reload", "Reload from disk"), &[], None, N::File, "Read the file again as it is now; Undo brings back what is here"),
                row(C::File(FileCommand::Revert), ("revert", "Revert to saved"), &[], None, N::Unsaved, "Undo all changes since the last save; Redo brings them back"),
                Separator,
                Menu("Export", &[
                    row(C::File(FileCommand::ExportCsv), ("export-csv", "Export curves…"), &[key(CTRL_SHIFT, Key::E)], Some(Icon::Export), N::Samples, "Write the plotted curves to a .csv file"),
                    row(C::File(FileCommand::ExportPicture), ("export-picture", "Export picture…"), &[key(CTRL_SHIFT, Key::I)], Some(Icon::Export), N::Document, "Write the diagram to a .svg, .pdf or .png file"),
                    row(C::File(FileCommand::ExportReport), ("export-report", "Export report…"), &[], None, N::Document, "Write a page with all diagrams, parameters and the curves of the run, as .html or .pdf"),
                    row(C::File(FileCommand::ExportModel), ("export-model", "Export model…"), &[], None, N::Document, "Write the model of the selected subsystem, or the open model, with all models that it uses to a file"),
                    row(C::File(FileCommand::ExportCode), ("export-code", "Export C code…"), &[], None, N::Document, "Write C code with exactly the results of the simulation, for a device or another program"),
                    row(C::File(FileCommand::ExportFmu), ("export-fmu", "Export FMU…"), &[], None, N::Document, "Write a Functional Mock-up Unit, which other simulation programs read"),
                ]),
                row(C::File(FileCommand::ImportModel), ("import-model", "Import model…"), &[], None, N::Document, "Add the root model of another file, with all models that it uses, to this simulation"),
                Menu("Compare", &[
                    row(C::File(FileCommand::CompareFile), ("compare-file", "Compare with file…"), &[], None, N::Document, "Show what differs from another file, in both diagrams"),
                    row(C::File(FileCommand::CompareCommit), ("compare-commit", "Compare with last commit"), &[], None, N::Document, "Show what differs from the file in the last commit of its git repository"),
                ]),
                Separator,
                row(C::File(FileCommand::Close), ("close", "Close"), &[key(CTRL, Key::W)], None, N::Document, "Close the simulation and show the welcome page"),
                row(C::File(FileCommand::Quit), ("quit", "Quit"), &[key(CTRL, Key::Q)], None, N::Nothing, "Leave the program"),
            ],
        },
        MenuDef {
            title: "Edit",
            entries: &[
                row(C::Edit(EditCommand::Undo), ("undo", "Undo"), &[key(CTRL, Key::Z)], Some(Icon::Undo), N::Undo, "Undo the last change"),
                row(C::Edit(EditCommand::Redo), ("redo", "Redo"), &[key(CTRL_SHIFT, Key::Z), key(CTRL, Key::Y)], Some(Icon::Redo), N::Redo, "Redo the last undone change"),
                Separator,
                row(C::Edit(EditCommand::Cut), ("cut", "Cut"), &[key(CTRL, Key::X)], None, N::Blocks, "Copy the selected blocks and remove them"),
                row(C::Edit(EditCommand::Copy), ("copy", "Copy"), &[key(CTRL, Key::C)], None, N::Blocks, "Copy the selected blocks and the wires between them"),
                row(C::Edit(EditCommand::Paste), ("paste", "Paste"), &[key(CTRL, Key::V)], None, N::Document, "Insert what was copied"),
                row(C::Edit(EditCommand::Duplicate), ("duplicate", "Duplicate"), &[key(CTRL_SHIFT, Key::D)], None, N::Blocks, "Insert a copy of the selected blocks next to them"),
                row(C::Edit(EditCommand::Delete), ("delete", "Delete"), &[key(NONE, Key::Delete), key(NONE, Key::Backspace)], None, N::Selection, "Remove the selected blocks and wires"),
                row(C::Edit(EditCommand::SelectAll), ("select-all", "Select all"), &[key(CTRL, Key::A)], None, N::Document, "Select all blocks of the open model"),
                Separator,
                row(C::Edit(EditCommand::InsertBlock), ("insert-block", "Insert block…"), &[key(CTRL, Key::Space)], Some(Icon::Plus), N::Document, "Find a block by typing and insert it"),
                row(C::Edit(EditCommand::ReplaceBlock), ("replace-block", "Replace block…"), &[key(CTRL, Key::H)], None, N::Blocks, "Replace the selected block by another kind; wires and equal parameters stay"),
                row(C::Edit(EditCommand::Rename), ("rename", "Rename"), &[key(NONE, Key::F2)], None, N::Selection, "Change the title of the selected block, or name the signal of the selected wire"),
                row(C::File(FileCommand::Preferences), ("preferences", "Preferences…"), &[key(CTRL, Key::Comma)], Some(Icon::Sliders), N::Nothing, "Theme, text, numbers, memory, recovery copies and shortcuts"),
                row(C::File(FileCommand::ReloadLibrary), ("reload-library", "Reload my library"), &[], None, N::Nothing, "Read the .simx files in the folder of your own blocks again"),
                Separator,
                row(C::Diagram(D::Connect), ("diagram.connect", "Connect selected blocks"), &[key(CTRL, Key::K)], Some(Icon::Wire), N::Blocks, "Connect the selected blocks from left to right; Alt-click on a block connects them to it"),
                row(C::Diagram(D::WireByKeys), ("diagram.wire-by-keys", "Draw wire with keyboard"), &[key(CTRL_SHIFT, Key::K)], None, N::Blocks, "Draw a wire from the selected block: up and down choose its end, left and right the port, Enter connects"),
                row(C::Diagram(D::Flip), ("diagram.flip", "Flip"), &[key(CTRL, Key::I)], None, N::Blocks, "Mirror the selected blocks horizontally"),
                row(C::Diagram(D::Rotate), ("diagram.rotate", "Rotate"), &[key(CTRL, Key::R)], None, N::Blocks, "Rotate the selected blocks clockwise by 90°"),
                row(C::Diagram(D::CommentOut), ("diagram.comment-out", "Comment out"), &[key(CTRL_SHIFT, Key::X)], None, N::Blocks, "Leave the selected blocks out of runs, as if they were not there, or take them in again"),
                row(C::Diagram(D::CommentThrough), ("diagram.comment-through", "Comment through"), &[key(CTRL_SHIFT, Key::Y)], None, N::Blocks, "Leave the selected blocks out of runs and let their inputs through to their outputs, or take them in again"),
                row(C::Diagram(D::EditValue), ("diagram.edit-value", "Edit value"), &[], None, N::Blocks, "Edit the main parameter of the selected block in the diagram"),
                row(C::Diagram(D::NameSignal), ("diagram.name-signal", "Name signal…"), &[], None, N::Selection, "Name the signal of the selected wire, with its unit in brackets: speed [m/s]"),
                Menu("Align and size", &[
                    row(C::Diagram(D::Align(Align::Left)), ("diagram.align.left", "Align left"), &[], Some(Icon::AlignLeft), N::Blocks, "Align the left edges of the selected blocks"),
                    row(C::Diagram(D::Align(Align::Centre)), ("diagram.align.centre", "Align centres"), &[], Some(Icon::AlignCentre), N::Blocks, "Align the selected blocks on a vertical line through their centres"),
                    row(C::Diagram(D::Align(Align::Right)), ("diagram.align.right", "Align right"), &[], Some(Icon::AlignRight), N::Blocks, "Align the right edges of the selected blocks"),
                    row(C::Diagram(D::Align(Align::Top)), ("diagram.align.top", "Align top"), &[], Some(Icon::AlignTop), N::Blocks, "Align the upper edges of the selected blocks"),
                    row(C::Diagram(D::Align(Align::Middle)), ("diagram.align.middle", "Align middles"), &[], Some(Icon::AlignMiddle), N::Blocks, "Align the selected blocks on a horizontal line through their centres"),
                    row(C::Diagram(D::Align(Align::Bottom)), ("diagram.align.bottom", "Align bottom"), &[], Some(Icon::AlignBottom), N::Blocks, "Align the lower edges of the selected blocks"),
                    Separator,
                    row(C::Diagram(D::Distribute(DistributionAxis::Across)), ("diagram.distribute.across", "Distribute horizontally"), &[], Some(Icon::DistributeAcross), N::Blocks, "Make the horizontal gaps between the selected blocks equal"),
                    row(C::Diagram(D::Distribute(DistributionAxis::Down)), ("diagram.distribute.down", "Distribute vertically"), &[], Some(Icon::DistributeDown), N::Blocks, "Make the vertical gaps between the selected blocks equal"),
                    Separator,
                    row(C::Diagram(D::SameSize(Size::Width)), ("diagram.same-size.width", "Same width"), &[], Some(Icon::SameWidth), N::Blocks, "Make the selected blocks as wide as the widest of them"),
                    row(C::Diagram(D::SameSize(Size::Height)), ("diagram.same-size.height", "Same height"), &[], Some(Icon::SameHeight), N::Blocks, "Make the selected blocks as high as the highest of them"),
                    row(C::Diagram(D::SameSize(Size::Both)), ("diagram.same-size.both", "Same size"), &[], Some(Icon::SameSize), N::Blocks, "Make the selected blocks as wide and high as the largest of them"),
                    row(C::Diagram(D::OwnSize), ("diagram.own-size", "Reset size"), &[], None, N::Blocks, "Give the selected blocks the size that fits their contents"),
                ]),
                row(C::Diagram(D::Arrange), ("diagram.arrange", "Arrange"), &[key(CTRL_SHIFT, Key::L)], Some(Icon::Arrange), N::Document, "Lay out the selected blocks, or all, from left to right along their wires"),
                row(C::Diagram(D::AddArea), ("diagram.add-area", "Add area"), &[], None, N::Document, "Draw a coloured frame with a title around the selected blocks"),
                Menu("Subsystems and tags", &[
                    row(C::Diagram(D::Group), ("diagram.group", "Create subsystem from selection"), &[key(CTRL, Key::G)], None, N::Blocks, "Move the selected blocks into a new model"),
                    row(C::Diagram(D::Expand), ("diagram.expand", "Expand subsystem"), &[key(CTRL_SHIFT, Key::U)], None, N::Blocks, "Replace the selected subsystem by the blocks of its model"),
                    Separator,
                    row(C::Diagram(D::ToTags), ("diagram.to-tags", "Replace with Goto/From"), &[], None, N::Selection, "Replace each selected wire by a Goto and a From block"),
                    row(C::Diagram(D::ToWires), ("diagram.to-wires", "Replace Goto/From with wires"), &[], None, N::Blocks, "Replace the selected Goto and From blocks by wires"),
                ]),
                Separator,
                row(C::Edit(EditCommand::Find), ("find", "Find…"), &[key(CTRL, Key::F)], Some(Icon::Search), N::Document, "Find blocks, signals, parameters and values in all models"),
                row(C::Edit(EditCommand::Replace), ("replace", "Find and replace…"), &[key(CTRL.plus(Modifiers::ALT), Key::F)], None, N::Document, "Replace a text in names, values and types of blocks in all models, after a preview"),
                row(C::Edit(EditCommand::FindBlock), ("find-block", "Find block in library"), &[key(CTRL_SHIFT, Key::F)], None, N::Document, "Search the palette"),
            ],
        },
        MenuDef {
            title: "View",
            entries: &[
                row(C::View(ViewCommand::ZoomIn), ("zoom-in", "Zoom in"), &[key(CTRL, Key::Plus), key(CTRL, Key::Equals)], Some(Icon::ZoomIn), N::Document, "Show the diagram larger"),
                row(C::View(ViewCommand::ZoomOut), ("zoom-out", "Zoom out"), &[key(CTRL, Key::Minus)], Some(Icon::ZoomOut), N::Document, "Show the diagram smaller"),
                row(C::View(ViewCommand::ZoomReset), ("zoom-reset", "Zoom to 100 %"), &[key(CTRL, Key::Num0)], None, N::Document, "Show the diagram in its own size"),
                row(C::View(ViewCommand::ZoomFit), ("zoom-fit", "Zoom to fit"), &[key(CTRL, Key::Num1)], Some(Icon::Fit), N::Document, "Show the whole diagram"),
                row(C::View(ViewCommand::GoUp), ("go-up", "Go to parent model"), &[key(Modifiers::ALT, Key::ArrowUp)], Some(Icon::Up), N::InnerModel, "Leave this model for the one that contains it"),
                Separator,
                Menu("Panels", &[
                    row(C::View(ViewCommand::TogglePanel(Panel::Blocks)), ("toggle-panel.blocks", "Blocks panel"), &[key(CTRL, Key::B)], None, N::Document, "Show or hide the palette of blocks"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Models)), ("toggle-panel.models", "Models panel"), &[], None, N::Document, "Show or hide the tree of models"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Inspector)), ("toggle-panel.inspector", "Inspector panel"), &[key(CTRL, Key::J)], None, N::Document, "Show or hide the inspector"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Plots)), ("toggle-panel.plots", "Plots panel"), &[key(CTRL, Key::P)], None, N::Document, "Show or hide the plots"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Problems)), ("toggle-panel.problems", "Problems panel"), &[key(CTRL, Key::M)], None, N::Document, "Show or hide the list of problems"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Help)), ("toggle-panel.help", "Help panel"), &[], None, N::Document, "Show or hide the pages about blocks"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Find)), ("toggle-panel.find", "Find panel"), &[], None, N::Document, "Show or hide the search results"),
                    row(C::View(ViewCommand::TogglePanel(Panel::History)), ("toggle-panel.history", "History panel"), &[key(CTRL_SHIFT, Key::H)], None, N::Document, "Show or hide the undo history"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Dashboard)), ("toggle-panel.dashboard", "Dashboard panel"), &[], None, N::Document, "Show or hide the controls and instruments"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Runs)), ("toggle-panel.runs", "Runs panel"), &[key(CTRL_SHIFT, Key::R)], None, N::Document, "Show or hide the list of runs and the changes made during them"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Step)), ("toggle-panel.step", "Step panel"), &[key(CTRL_SHIFT, Key::M)], None, N::Document, "Show or hide which blocks ran in a step, in which order and why"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Analysis)), ("toggle-panel.analysis", "Analysis panel"), &[], None, N::Document, "Show or hide the linear analysis: poles, zeros, Bode plot, step response"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Tuner)), ("toggle-panel.tuner", "PID tuner panel"), &[], None, N::Document, "Show or hide the tuner of PID controllers"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Fit)), ("toggle-panel.fit", "Fit to data panel"), &[], None, N::Document, "Show or hide the panel that fits parameters to measured curves"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Response)), ("toggle-panel.response", "Optimizer panel"), &[], None, N::Document, "Show or hide the panel that finds parameters with which the response meets requirements"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Sweep)), ("toggle-panel.sweep", "Sweep panel"), &[], None, N::Document, "Show or hide parameter sweeps"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Import)), ("toggle-panel.import", "Import panel"), &[], Some(Icon::Import), N::Document, "Show or hide what became of the blocks of a model of another program, and the values that it lacks"),
                    row(C::View(ViewCommand::TogglePanel(Panel::Review)), ("toggle-panel.review", "Review panel"), &[], None, N::Document, "Show or hide the conflicts of a merge, and the comparison with another state"),
                    Separator,
                    row(C::View(ViewCommand::MaximizeLower), ("maximize-lower", "Maximize lower panels"), &[key(CTRL_SHIFT, Key::Space)], None, N::Document, "Give the lower panels the whole window, or the others their places again"),
                    row(C::View(ViewCommand::ResetLayout), ("reset-layout", "Reset layout"), &[], None, N::Document, "Restore the default arrangement of the panels"),
                ]),
                Menu("Show in diagram", &[
                    row(C::Diagram(D::ToggleRates), ("diagram.toggle-rates", "Colours by sample time"), &[], None, N::Document, "Colour wires and blocks by their sample time"),
                    row(C::Diagram(D::ToggleValues), ("diagram.toggle-values", "Show values"), &[key(NONE, Key::F8)], Some(Icon::Eye), N::Document, "Show the values of the wires in view at the current step"),
                    row(C::Run(RunCommand::ToggleHeat), ("toggle-heat", "Execution-time heat map"), &[], None, N::Document, "Colour blocks by their execution time in the current step; subsystems by that of their contents"),
                    row(C::Diagram(D::ToggleMinimap), ("diagram.toggle-minimap", "Minimap"), &[], None, N::Document, "Show or hide the overview of a large diagram"),
                    row(C::Diagram(D::ToggleGrid), ("diagram.toggle-grid", "Grid"), &[], None, N::Document, "Show or hide the grid; blocks snap to it in any case"),
                    row(C::Diagram(D::ToggleStrip), ("diagram.toggle-strip", "Alignment bar"), &[], None, N::Document, "Show or hide the buttons that align several selected blocks"),
                ]),
                row(C::Diagram(D::Trace(Direction::ToSource)), ("diagram.trace.to-source", "Highlight to source"), &[], None, N::Selection, "Highlight everything that the selected signals depend on, through all models; Escape ends it"),
                row(C::Diagram(D::Trace(Direction::ToDestination)), ("diagram.trace.to-destination", "Highlight to destination"), &[], None, N::Selection, "Highlight everything that depends on the selected signals, through all models; Escape ends it"),
                row(C::Diagram(D::Focus), ("diagram.focus", "Focus diagram"), &[key(NONE, Key::F4)], None, N::Document, "Move the keyboard focus to the diagram: Tab selects the next block, Enter opens it, letters insert a block"),
                Separator,
                row(C::View(ViewCommand::OpenInTab), ("open-in-tab", "Open in new tab"), &[key(CTRL, Key::Enter)], None, N::Document, "Open the selected subsystem, or this model again, in a new tab"),
                row(C::View(ViewCommand::NextTab), ("next-tab", "Next tab"), &[key(CTRL, Key::Tab)], None, N::Tabs, "Show the model of the next tab"),
                row(C::View(ViewCommand::PreviousTab), ("previous-tab", "Previous tab"), &[key(CTRL_SHIFT, Key::Tab)], None, N::Tabs, "Show the model of the previous tab"),
                row(C::View(ViewCommand::CloseTab), ("close-tab", "Close tab"), &[key(CTRL, Key::F4)], None, N::Tabs, "Close the tab; the model stays in the file"),
                row(C::View(ViewCommand::SplitView), ("split-view", "Split view"), &[key(CTRL, Key::Backslash)], None, N::Document, "Show two models of the file side by side, or one again"),
                Separator,
                Menu("Theme", &[
                    row(C::View(ViewCommand::Theme(ThemeChoice::Light)), ("theme.light", "Light theme"), &[], Some(Icon::Sun), N::Nothing, "Dark text on a light background"),
                    row(C::View(ViewCommand::Theme(ThemeChoice::Dark)), ("theme.dark", "Dark theme"), &[], Some(Icon::Moon), N::Nothing, "Light text on a dark background"),
                    row(C::View(ViewCommand::Theme(ThemeChoice::System)), ("theme.system", "System theme"), &[], None, N::Nothing, "Light or dark, as set on the desktop"),
                ]),
                row(C::View(ViewCommand::DistractionFree), ("distraction-free", "Distraction-free"), &[key(NONE, Key::F11)], None, N::Document, "Show nothing but the diagram, or all bars and panels again; shortcuts act as ever"),
                row(C::View(ViewCommand::LargerText), ("larger-text", "Larger text"), &[key(CTRL_SHIFT, Key::Plus)], None, N::Nothing, "Enlarge the whole interface"),
                row(C::View(ViewCommand::SmallerText), ("smaller-text", "Smaller text"), &[key(CTRL_SHIFT, Key::Minus)], None, N::Nothing, "Reduce the whole interface"),
            ],
        },
        MenuDef {
            title: "Run",
            entries: &[
                row(C::Run(RunCommand::Run), ("run", "Run"), &[key(NONE, Key::F5), key(CTRL, Key::T)], Some(Icon::Run), N::Document, "Start the simulation, or resume it after a pause"),
                row(C::Run(RunCommand::Pause), ("pause", "Pause"), &[key(NONE, Key::F6)], Some(Icon::Pause), N::Running, "Pause the run; Run resumes it"),
                row(C::Run(RunCommand::Step), ("step", "Step"), &[key(NONE, Key::F10)], Some(Icon::Step), N::Document, "Run one step and pause, or show the next recorded step"),
                row(C::Run(RunCommand::StepBack), ("step-back", "Step back"), &[key(SHIFT, Key::F10)], Some(Icon::StepBack), N::StepBefore, "Show the previous step; nothing is lost"),
                row(C::Run(RunCommand::Stop), ("stop", "Stop"), &[key(SHIFT, Key::F5), key(CTRL_SHIFT, Key::T)], Some(Icon::Stop), N::Run, "End the run"),
                row(C::Run(RunCommand::Restart), ("restart", "Restart"), &[key(CTRL_SHIFT, Key::F5)], Some(Icon::Restart), N::Document, "Start again without recompiling"),
                Menu("Speed", &[
                    row(C::Run(RunCommand::Speed(SpeedChoice::Fastest)), ("speed.fastest", "Run as fast as possible"), &[], None, N::Nothing, "Do not wait between steps"),
                    row(C::Run(RunCommand::Speed(SpeedChoice::RealTime(0.1))), ("speed.real-time.0.1", "Run at 0.1× real time"), &[], None, N::Nothing, "A simulated second takes ten seconds"),
                    row(C::Run(RunCommand::Speed(SpeedChoice::RealTime(0.5))), ("speed.real-time.0.5", "Run at 0.5× real time"), &[], None, N::Nothing, "A simulated second takes two seconds"),
                    row(C::Run(RunCommand::Speed(SpeedChoice::RealTime(1.0))), ("speed.real-time.1.0", "Run in real time"), &[], None, N::Nothing, "A simulated second takes one second"),
                    row(C::Run(RunCommand::Speed(SpeedChoice::RealTime(2.0))), ("speed.real-time.2.0", "Run at 2× real time"), &[], None, N::Nothing, "Two simulated seconds take one second"),
                    row(C::Run(RunCommand::Speed(SpeedChoice::RealTime(10.0))), ("speed.real-time.10.0", "Run at 10× real time"), &[], None, N::Nothing, "Ten simulated seconds take one second"),
                    row(C::Run(RunCommand::Speed(SpeedChoice::RealTime(100.0))), ("speed.real-time.100.0", "Run at 100× real time"), &[], None, N::Nothing, "A hundred simulated seconds take one second"),
                ]),
                Separator,
                row(C::Run(RunCommand::GoToStep), ("go-to-step", "Go to step…"), &[key(CTRL_SHIFT, Key::G)], None, N::Document, "Show a step of the run, or run until it"),
                row(C::Run(RunCommand::PlayRecorded), ("play-recorded", "Play recorded steps"), &[], None, N::Steps, "Play the recorded steps; the list of speeds has that of playback"),
                row(C::Run(RunCommand::FollowRun), ("follow-run", "Go to latest step"), &[], Some(Icon::Follow), N::Cursor, "Show the latest step of the run"),
                row(C::Run(RunCommand::Branch), ("branch", "Branch here"), &[key(CTRL_SHIFT, Key::B)], Some(Icon::Branch), N::Steps, "Start a second run from the step that is shown, with the current parameters of the document"),
                Separator,
                row(C::Diagram(D::ToggleBreakpoint), ("diagram.toggle-breakpoint", "Toggle breakpoint"), &[key(NONE, Key::F9)], None, N::Selection, "Pause the run when the signal of the selected wire changes; other conditions are in the Runs panel"),
                row(C::Run(RunCommand::PauseAtNonFinite), ("pause-at-non-finite", "Pause at the first non-finite value"), &[], None, N::Nothing, "Pause a run before a value becomes infinite or NaN, and show its cause"),
                Separator,
                row(C::Run(RunCommand::SaveRun), ("save-run", "Save run…"), &[], None, N::Steps, "Save the recorded signals of the current run to a file, with its model and the changes made during it"),
                row(C::Run(RunCommand::OpenRun), ("open-run", "Open run…"), &[], None, N::Document, "Open a run from a file and draw it beside the current one"),
                Separator,
                row(C::Run(RunCommand::ToggleLiveEdits), ("toggle-live-edits", "Apply edits to the running model"), &[], None, N::Nothing, "Apply edits of the diagram to a run in progress; unchanged blocks keep their states"),
                row(C::Run(RunCommand::ToggleGhost), ("toggle-ghost", "Show previous run"), &[], None, N::Document, "Draw the previous run faintly behind the current one"),
                Separator,
                row(C::Edit(EditCommand::PlotSelected), ("plot-selected", "Plot selected signals"), &[key(CTRL, Key::L)], Some(Icon::Curve), N::Selection, "Plot the outputs of the selected blocks"),
                row(C::Run(RunCommand::Check), ("check", "Check"), &[key(CTRL, Key::D), key(NONE, Key::F7)], Some(Icon::Check), N::Document, "Check the model for problems without running it"),
                row(C::Run(RunCommand::TunePid), ("tune-pid", "Tune PID controller…"), &[], None, N::Document, "Find the gains of the selected PID block by bandwidth and phase margin, or by a rule"),
                row(C::Run(RunCommand::FitToData), ("fit-to-data", "Fit to data…"), &[], Some(Icon::CurveFit), N::Document, "Find the values of parameters with which the simulation agrees best with measured curves"),
                row(C::Run(RunCommand::OptimizeResponse), ("optimize-response", "Optimize response…"), &[], Some(Icon::Response), N::Document, "Find the values of parameters with which the response meets requirements: bounds, overshoot, settling time"),
                row(C::View(ViewCommand::SimulationSettings), ("simulation-settings", "Simulation settings"), &[key(CTRL, Key::E)], Some(Icon::Sliders), N::Document, "Number of steps, step length, solver and root model"),
                row(C::Run(RunCommand::Pools), ("pools", "Pools…"), &[], None, N::Pools, "Add, change and test the pools of computers that compute sweeps and subsystems"),
            ],
        },
        MenuDef {
            title: "Help",
            entries: &[
                row(C::Help(HelpCommand::Help), ("help", "Help about block"), &[key(NONE, Key::F1)], Some(Icon::Info), N::Document, "Show the formula, ports, parameters and an example of the selected block"),
                row(C::Help(HelpCommand::Manual), ("manual", "Manual"), &[key(SHIFT, Key::F1)], None, N::Nothing, "Read how everything works, from the first model on"),
                row(C::Help(HelpCommand::Tour(Tour::FirstModel)), ("tour.first-model", "Tour: your first model"), &[], None, N::Nothing, "Two minutes from an empty diagram to a curve, step by step in the window"),
                row(C::Help(HelpCommand::Tour(Tour::Laboratory)), ("tour.laboratory", "Tour: the laboratory"), &[], None, N::Nothing, "Look back in time, sweep a parameter and linearize, step by step in the window"),
                Examples,
                row(C::Help(HelpCommand::CommandPalette), ("command-palette", "All commands…"), &[key(CTRL_SHIFT, Key::P)], Some(Icon::Search), N::Nothing, "Find a command by typing"),
                row(C::Help(HelpCommand::Shortcuts), ("shortcuts", "Keyboard shortcuts"), &[key(NONE, Key::Questionmark)], None, N::Nothing, "All shortcuts on one page"),
                Separator,
                row(C::Help(HelpCommand::Plugins), ("plugins", "Plug-ins…"), &[], None, N::Nothing, "See the blocks that others have written, and switch them on and off"),
                row(C::Help(HelpCommand::ToggleDriving), ("toggle-driving", "Let programs drive this window"), &[], None, N::Nothing, "Let programs and assistants of yours change the shown simulation, each change one undo away"),
                row(C::Help(HelpCommand::Report), ("copy-report", "Copy report…"), &[], None, N::Nothing, "Copy a description of the program and what it did, for a question or an error"),
                row(C::Help(HelpCommand::WhatIsNew), ("what-is-new", "What is new"), &[], None, N::Nothing, "What has changed in this version and those before"),
                row(C::Help(HelpCommand::Licences), ("licences", "Licences…"), &[], None, N::Nothing, "The libraries that are parts of the program, and their licences"),
                row(C::Help(HelpCommand::About), ("about", "About Simulate"), &[], Some(Icon::Info), N::Nothing, "Version, licence and thanks"),
            ],
        },
    ]
};

/// All commands, in the order of the menus.
pub fn commands() -> impl Iterator<Item = &'static CommandDef> {
    static ALL: LazyLock<Vec<&'static CommandDef>> =
        LazyLock::new(|| MENUS.iter().flat_map(MenuDef::commands).collect());
    ALL.iter().copied()
}

/// Returns the menu within a menu that has a command, with its title.
pub fn menu_with(command: Command) -> Option<(&'static str, &'static [MenuEntry])> {
    let has = |entry: &MenuEntry| matches!(entry, MenuEntry::Command(def) if def.command == command);
    MENUS.iter().flat_map(|menu| menu.entries).find_map(|entry| match entry {
        MenuEntry::Menu(title, entries) if entries.iter().any(has) => Some((*title, *entries)),
        _ => None,
    })
}

impl MenuDef {
    /// The commands of the menu and of the menus within it.
    pub fn commands(&self) -> Vec<&CommandDef> {
        fn collect<'a>(entries: &'a [MenuEntry], found: &mut Vec<&'a CommandDef>) {
            for entry in entries {
                match entry {
                    MenuEntry::Command(def) => found.push(def),
                    MenuEntry::Menu(_, entries) => collect(entries, found),
                    MenuEntry::Separator | MenuEntry::Recent | MenuEntry::Examples => {}
                }
            }
        }
        let mut found = Vec::new();
        collect(self.entries, &mut found);
        found
    }
}

impl Command {
    pub fn def(self) -> Option<&'static CommandDef> {
        commands().find(|def| def.command == self)
    }

    /// Cut, copy and paste have the platform's keys, which come as events of their own.
    pub fn is_of_clipboard(self) -> bool {
        matches!(
            self,
            Command::Edit(EditCommand::Cut) | Command::Edit(EditCommand::Copy) | Command::Edit(EditCommand::Paste)
        )
    }
}

impl CommandDef {
    /// Returns the first shortcut as display text.
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

//! The state of the window, without drawing.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use eframe::egui;

use super::chooser::Chooser;
use super::layout::Layout;
use crate::app::action::command::Panel;
use crate::app::canvas::Canvas;
use crate::app::dialogs::Dialog;
use crate::app::doc::dashboard::Dashboard;
use crate::app::doc::plots::PlotList;
use crate::app::doc::uses::Uses;
use crate::app::panels::status::Message;
use crate::app::panels::tabs::Tabs;
use crate::app::panels::{blocks, dashboard, find, help, inspector, models, plots, problems, quick_insert, runs, time};
use crate::app::shell::lab::LabPanels;
use crate::app::store::document_check::DocumentCheck;
use crate::app::store::engines::EngineChecks;
use crate::app::store::files::OnDisk;
use crate::app::store::jobs::Jobs;
use crate::app::store::lab::Lab;
use crate::app::store::libraries::Libraries;
use crate::app::store::recovery::{Left, Recovery};
use crate::app::store::run::RunSession;
use crate::app::store::runs::Runs;
use crate::app::store::settings::Settings;
use crate::app::store::spill_file::TempSpillFile;
use crate::app::ui::style;
use crate::app::ui::theme::ThemeChoice;
use crate::block::{Reaction, Registry};
use crate::components::Components;
use crate::engine::{AssertionEvent, Program};
use crate::format::Folder;
use crate::model::{
    BlockId, Change, ChangeKind, Diagnostic, Document, Edit, EditError, Fragment, SignalKey, Simulation, Snapshot,
    Subscription, block_text,
};

/// The window. It needs an egui context, no platform window, so that tests can drive it.
pub struct App {
    pub settings: Settings,
    /// The blocks, formats and engines that this program is made of.
    pub(super) components: Components,
    /// The blocks, which find files in the folder of the open file.
    pub registry: Arc<Registry>,
    /// The file in whose folder the registry finds files.
    pub(super) registry_of: Option<PathBuf>,
    /// Where it finds them.
    pub(super) folder: Arc<Folder>,
    /// The window is a player: it shows only the dashboard.
    pub is_player: bool,
    /// None: the welcome page is shown.
    pub file: Option<OpenFile>,
    pub run: RunSession,
    pub layout: Layout,
    pub(super) dialog: Dialog,
    /// The dialogs that wait for the open one.
    pub(super) waiting_dialogs: VecDeque<Dialog>,
    pub message: Option<Message>,
    pub clipboard: Option<Fragment>,
    pub blocks: blocks::BlocksState,
    pub models: models::ModelsState,
    pub inspector: inspector::InspectorState,
    pub plots: plots::PlotsPanelState,
    pub board: dashboard::DashboardState,
    pub problems: problems::ProblemsState,
    pub help: help::HelpState,
    pub find: find::FindState,
    pub runs: runs::RunsState,
    pub lab: Lab,
    pub lab_panels: LabPanels,
    pub time: time::TimeBarState,
    pub quick_insert: Option<quick_insert::QuickInsertState>,
    /// The recovery copies that the user has not decided about.
    pub(super) left: Vec<Left>,
    pub(super) ctx: egui::Context,
    pub(super) check: DocumentCheck,
    pub(super) engine_checks: EngineChecks,
    pub(super) libraries: Libraries,
    pub(super) recovery: Recovery,
    /// The open document was drawn at least once.
    pub(super) was_drawn: bool,
    pub(super) chooser: Option<Chooser>,
    /// The background jobs.
    pub(super) jobs: Jobs<App>,
    pub(super) spill_file: Arc<TempSpillFile>,
    pub(super) has_told_of_disk: bool,
    /// Counts requests to open a document.
    pub(super) opening: u64,
    /// The window may close without asking again.
    pub(super) may_quit: bool,
    pub(super) title: String,
    /// The pointer's position in the open model.
    pub(super) pointer: Option<crate::model::Position>,
    next_file: u64,
}

/// An open document with its view state.
pub struct OpenFile {
    /// The unique number of the document.
    pub number: u64,
    pub document: Document,
    pub path: Option<PathBuf>,
    /// The title without a path.
    pub name: String,
    /// The canvas that commands act on.
    pub canvas: Canvas,
    /// The second canvas of a split view.
    pub other: Option<Canvas>,
    /// Whether `canvas` is at the right of the other.
    pub is_right: bool,
    pub tabs: Tabs,
    pub uses: Uses,
    /// The diagnostics of loading.
    pub load_diagnostics: Vec<Diagnostic>,
    /// The diagnostics of the last check, including those of loading.
    pub diagnostics: Arc<Vec<Diagnostic>>,
    /// The compiled program of the last check, if there are no errors.
    pub program: Option<Arc<Program>>,
    /// For the plots; follows the document.
    pub plot_list: PlotList,
    pub dashboard: Dashboard,
    /// The document has notified a change that derived data does not reflect yet.
    has_changed: Arc<AtomicBool>,
    _told: Subscription,
    /// The stamp of its file when it was last read or written here.
    pub(super) disk: OnDisk,
    /// The number of saves started, and the last that succeeded.
    pub(super) saves: u64,
    pub(super) saved: u64,
}

impl App {
    /// The window with the welcome page.
    pub fn new(ctx: &egui::Context, settings: Settings, components: Components) -> App {
        style::apply(ctx);
        let wake = ctx.clone();
        let left = Recovery::left(settings.home.as_deref());
        let recordings = settings.home.as_ref().map(|home| home.join("recordings"));
        let spill_file = TempSpillFile::new(recordings.as_deref(), Runs::LIMIT);
        let folder = Arc::new(Folder::new(Path::new("")));
        let mut run = RunSession::new(ctx, components.engines.clone());
        run.spill_file = Some(spill_file.clone());
        let mut app = App {
            run,
            spill_file,
            has_told_of_disk: false,
            layout: Layout::restore(settings.layout.as_ref()),
            dialog: if left.is_empty() { Dialog::None } else { Dialog::Recover { discards_all: false } },
            waiting_dialogs: VecDeque::new(),
            message: None,
            clipboard: None,
            blocks: blocks::BlocksState::default(),
            models: models::ModelsState::default(),
            inspector: inspector::InspectorState::default(),
            plots: plots::PlotsPanelState::default(),
            board: dashboard::DashboardState::default(),
            problems: problems::ProblemsState::default(),
            help: help::HelpState::default(),
            find: find::FindState::default(),
            runs: runs::RunsState::default(),
            lab: Lab::new(ctx),
            lab_panels: LabPanels::default(),
            time: time::TimeBarState::default(),
            quick_insert: None,
            left,
            check: DocumentCheck::new(move || wake.request_repaint()),
            engine_checks: EngineChecks::new(ctx, components.engines.clone()),
            libraries: Libraries::unread(settings.library_folder()),
            was_drawn: false,
            recovery: Recovery::new(settings.home.as_deref()),
            chooser: None,
            jobs: Jobs::new(ctx),
            opening: 0,
            may_quit: false,
            title: String::new(),
            pointer: None,
            next_file: 0,
            file: None,
            ctx: ctx.clone(),
            registry: Arc::new(components.registry.with_files(Arc::clone(&folder) as _)),
            folder,
            registry_of: None,
            components,
            is_player: false,
            settings,
        };
        if app.settings.library_folder().is_some() {
            app.load_library(|_| ());
        }
        app.settings.keymap.install(ctx);
        app.apply_theme();
        ctx.set_zoom_factor(app.settings.text_size.clamp(0.6, 3.0));
        app
    }

    pub(super) fn apply_theme(&self) {
        self.ctx.set_theme(match self.settings.theme {
            ThemeChoice::Light => egui::ThemePreference::Light,
            ThemeChoice::Dark => egui::ThemePreference::Dark,
            ThemeChoice::System => egui::ThemePreference::System,
        });
    }

    pub fn say(&mut self, text: impl Into<String>) {
        self.message = Some(Message { text: text.into(), is_problem: false, since: Instant::now() });
    }

    pub fn complain(&mut self, text: impl Into<String>) {
        self.message = Some(Message { text: text.into(), is_problem: true, since: Instant::now() });
    }

    /// Makes a document the open one.
    pub fn show(&mut self, simulation: Simulation, path: Option<PathBuf>, name: &str, found: Vec<Diagnostic>) {
        self.run.clear();
        self.forget_dialogs();
        self.next_file += 1;
        // Pending reads are outdated.
        self.opening += 1;
        let mut canvas = Canvas::new();
        canvas.fit();
        let mut document = Document::new(simulation, Arc::clone(&self.registry));
        let has_changed = Arc::new(AtomicBool::new(true));
        let follows = Arc::clone(&has_changed);
        let told = document.listen(move |_| follows.store(true, Ordering::Relaxed));
        self.file = Some(OpenFile {
            number: self.next_file,
            document,
            path,
            name: name.to_owned(),
            canvas,
            other: None,
            is_right: false,
            tabs: Tabs::default(),
            uses: Uses::default(),
            diagnostics: Arc::new(found.clone()),
            program: None,
            load_diagnostics: found,
            plot_list: PlotList::default(),
            dashboard: Dashboard::default(),
            has_changed,
            _told: told,
            disk: OnDisk::default(),
            saves: 0,
            saved: 0,
        });
        self.plots.forget();
        self.board.forget();
        self.blocks.search.clear();
        self.inspector.forget();
        self.problems.forget();
        self.lab.forget_all();
        self.lab_panels.forget();
        self.runs.forget();
        self.quick_insert = None;
        self.recovery.drop_copy(&mut self.jobs);
        self.was_drawn = false;
        self.refresh();
    }

    pub fn show_new(&mut self) {
        let mut simulation = Simulation::new("Main");
        simulation.steps = 1000;
        simulation.delta = 0.01;
        self.show(simulation, None, "Untitled", Vec::new());
    }

    pub(super) fn save_settings(&mut self) {
        if let Err(error) = self.settings.save() {
            self.complain(format!("The settings could not be saved: {error}"));
        }
    }

    /// Returns whether a modal dialog is open.
    pub fn has_dialog(&self) -> bool {
        self.dialog.is_open()
    }

    pub fn is_unsaved(&self) -> bool {
        self.file.as_ref().is_some_and(|file| !file.document.is_saved())
    }

    /// Applies a change; the status bar shows why it was refused.
    pub fn apply(&mut self, change: &Change) -> bool {
        let Some(file) = &mut self.file else { return false };
        if change.edits.is_empty() {
            return false;
        }
        let completed = self.libraries.completed(file.document.simulation(), change);
        let change = completed.as_ref().unwrap_or(change);
        let result = file.document.apply(change);
        match result {
            Ok(()) => {
                self.note_use(change);
                self.refresh();
                true
            }
            Err(error) => {
                let wire = change.edits.iter().find_map(|edit| match edit {
                    Edit::Connect { model, connection } => Some((model, connection)),
                    _ => None,
                });
                let open = match (&error, wire) {
                    (EditError::AlgebraicLoop(_), Some((model, connection))) => {
                        let text = crate::app::ui::widgets::sentence(&error.to_string());
                        let model = file.document.simulation().model(model).cloned();
                        model.and_then(|model| file.canvas.leave_refused_open(&model, connection, &text))
                    }
                    _ => None,
                };
                if let Some(open) = open {
                    self.apply(&open);
                }
                self.complain(format!("{}: {error}", change.label));
                false
            }
        }
    }

    /// Notes a single inserted block as recently used.
    fn note_use(&mut self, change: &Change) {
        let mut added = change.edits.iter().filter_map(|edit| match edit {
            Edit::AddBlock { block, .. } => Some(block),
            _ => None,
        });
        if let (Some(block), None) = (added.next(), added.next())
            && let Some(name) = crate::app::store::settings::name_of(&block.kind)
            && change.kind == ChangeKind::InsertBlock
        {
            self.settings.note_block(name);
        }
    }

    /// Updates everything derived from the document.
    pub(super) fn refresh(&mut self) {
        let Some(file) = &mut self.file else { return };
        if file.has_changed.swap(false, Ordering::Relaxed) {
            file.plot_list = PlotList::of(file.document.simulation(), &self.registry);
            file.dashboard = Dashboard::of(file.document.simulation(), &self.registry);
            self.run.watch(watched_in(file, &self.plots, &self.registry));
            self.run.break_at(crate::app::doc::breakpoints::armed(file.document.simulation()));
            self.run.compare(file.document.simulation());
        }
        // File parameters are relative to the simulation's file.
        if self.registry_of != file.path {
            self.use_folder();
        }
        let Some(file) = &self.file else { return };
        self.check.ask(file.number, &file.snapshot(), &self.registry);
    }

    /// Takes the results of background threads.
    pub(super) fn poll(&mut self) {
        if let Some(found) = self.check.poll()
            && let Some(file) = self.file.as_mut().filter(|file| file.number == found.of.0)
        {
            file.program = found.program;
            if let Some(program) = &file.program {
                self.run.follow(crate::app::store::run::CheckedDocument {
                    program: Arc::clone(program),
                    simulation: Arc::clone(file.document.simulation()),
                    registry: Arc::clone(&self.registry),
                });
            }
            file.take_check(found.diagnostics);
        }
        self.engine_checks.poll();
        self.run.play_on();
        self.run.fill();
        let news = self.run.poll();
        if self.run.has_more {
            self.ctx.request_repaint();
        }
        self.take_news(news);
        self.poll_chooser();
        self.poll_jobs();
        self.keep_recovery();
        self.watch_spill_file();
        let is_old = |message: &Message| message.since.elapsed() > Duration::from_secs(12);
        if self.message.as_ref().is_some_and(is_old) {
            self.message = None;
        }
    }

    /// Takes the run's events until it ends, pauses, or sends nothing for `timeout`.
    pub fn wait_for_run(&mut self, timeout: Duration) {
        let news = self.run.wait(timeout);
        self.take_news(news);
    }

    /// Shows the last report, which is the one that ends a run.
    pub(super) fn take_assertions(&mut self, assertions: &[AssertionEvent], left_out: u64) {
        let Some(last) = assertions.last() else { return };
        let (path, block) = last.block.clone();
        let more = assertions.len() as u64 - 1 + left_out;
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let Some(file) = &mut self.file else { return };
        let place = block_text(file.document.simulation(), &path, block);
        let text = format!("{place} at {} s: {}{more}", last.time, last.message);
        if matches!(last.reaction, Reaction::Pause | Reaction::Stop) {
            file.canvas.go_to(path, Some(block));
        }
        match last.reaction {
            Reaction::Warn | Reaction::Pause | Reaction::Stop => self.complain(text),
            Reaction::Finish => self.say(text),
        }
    }

    pub(super) fn refuse_run(&mut self, diagnostics: Vec<Diagnostic>) {
        let errors = diagnostics.iter().filter(|found| found.is_error()).count();
        let first = diagnostics.iter().find(|found| found.is_error()).cloned();
        if let Some(file) = &mut self.file {
            file.take_check(diagnostics);
            self.problems.selected = first;
        }
        self.layout.show(Panel::Problems);
        self.complain(match errors {
            1 => "The simulation does not run: one error".to_owned(),
            errors => format!("The simulation does not run: {errors} errors"),
        });
        self.ask_outside();
    }
}

/// Returns the signals to record: plotted, marked for recording, or shown in open windows.
pub(super) fn watched_in(file: &OpenFile, plots: &plots::PlotsPanelState, registry: &Registry) -> Vec<SignalKey> {
    let mut signals = file.plot_list.signals();
    signals.extend(plots::signals_of(&plots.scopes, file.simulation(), registry));
    signals.extend(file.dashboard.signals().cloned());
    signals.extend(crate::app::doc::plots::signals_on_blocks(file.simulation(), registry));
    signals.extend(crate::app::doc::dashboard::signals_of_pinned(file.simulation(), registry));
    signals.sort();
    signals.dedup();
    signals
}

impl OpenFile {
    pub fn simulation(&self) -> &Arc<Simulation> {
        self.document.simulation()
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot { simulation: Arc::clone(self.document.simulation()), revision: self.document.revision() }
    }

    fn take_check(&mut self, found: Vec<Diagnostic>) {
        let mut all = self.load_diagnostics.clone();
        // The check may repeat diagnostics of loading.
        let key = |one: &Diagnostic| (one.code, one.location.model.clone(), one.location.block, one.message.clone());
        let known: HashSet<_> = all.iter().map(key).collect();
        let further: Vec<Diagnostic> = found.into_iter().filter(|one| !known.contains(&key(one))).collect();
        all.extend(further);
        all.sort_by_key(|one| std::cmp::Reverse(one.severity));
        self.diagnostics = Arc::new(all);
    }

    /// Returns the path of the first instance of a model.
    pub fn way_to(&self, model: &str) -> Option<Vec<BlockId>> {
        let simulation = self.simulation();
        let root = simulation.root_model()?;
        let mut seen = std::collections::BTreeSet::new();
        let mut ahead = std::collections::VecDeque::from([(Arc::clone(root), Vec::new())]);
        while let Some((here, path)) = ahead.pop_front() {
            if &*here.name == model {
                return Some(path);
            }
            if !seen.insert(Arc::clone(&here.name)) {
                continue;
            }
            for block in here.blocks.values() {
                if let crate::model::BlockKind::Model { model } = &block.kind
                    && let Some(inner) = simulation.model(model)
                {
                    let path: Vec<BlockId> = path.iter().copied().chain([block.id]).collect();
                    ahead.push_back((Arc::clone(inner), path));
                }
            }
        }
        None
    }
}

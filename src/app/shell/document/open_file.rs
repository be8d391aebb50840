//! The open document with everything that belongs to it: its runs, what is derived from it, the state of the panels.
//! Opening another document drops all of it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use eframe::egui;

use crate::app::canvas::{self, Canvas, DocumentView, OpenModel};
use crate::app::doc::derived::{Derived, DiagnosticList};
use crate::app::doc::import_lines::ImportLines;
use crate::app::panels::items::ItemSource;
use crate::app::panels::tabs::Tabs;
use crate::app::panels::{import, plots};
use crate::app::shell::window::panel_states::PanelStates;
use crate::app::store::comparison::DocumentComparison;
use crate::app::store::document_check::DocumentCheck;
use crate::app::store::document_search::{DocumentAdvice, DocumentSearch};
use crate::app::store::engines::EngineChecks;
use crate::app::store::files::{ChangedOutside, OnDisk};
use crate::app::store::lab::Lab;
use crate::app::store::run::{CheckedDocument, RunEvent, RunSession, RunState};
use crate::app::store::settings::Allowed;
use crate::block::Registry;
use crate::engine::{Engines, Program};
use crate::model::imported::Report;
use crate::model::{
    BlockId, BlockKind, Diagnostic, Document, Position, SignalKey, Simulation, Snapshot, Subscription, Update,
};

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
    /// Where `canvas` is, beside the other.
    pub side: Side,
    pub tabs: Tabs,
    /// Facts derived from the document.
    pub derived: Derived,
    /// The diagnostics of loading.
    load_diagnostics: Vec<Diagnostic>,
    /// The diagnostics of the last check.
    checked: Vec<Diagnostic>,
    /// Why the run has stopped, as long as it is stopped, if something can be done about it.
    run_problem: Option<Diagnostic>,
    /// All of these.
    pub diagnostics: DiagnosticList,
    /// The compiled program of the last check, if there are no errors.
    pub program: Option<Arc<Program>>,
    pub run: RunSession,
    pub lab: Lab,
    pub panels: PanelStates,
    pub(crate) check: DocumentCheck,
    pub(crate) engine_checks: EngineChecks,
    pub search: DocumentSearch,
    pub advice: DocumentAdvice,
    pub comparison: DocumentComparison,
    /// The pointer's position in the open model.
    pub(crate) pointer: Option<Position>,
    /// It was drawn at least once.
    pub(crate) was_drawn: bool,
    /// The model blocks that were removed when it was loaded.
    pub(crate) removed: Vec<String>,
    /// The import report of a file of another program.
    pub import: Option<ImportLines>,
    /// The bar about the import is shown, until the user dismisses it.
    pub(crate) shows_import: bool,
    /// The stamp of its file when it was last read or written here.
    pub(crate) disk: OnDisk,
    /// The files outside its folder that it may use while it has no file itself.
    pub(crate) allowed: Allowed,
    /// The next run computes remote blocks on this computer.
    #[cfg(feature = "pool")]
    pub(crate) runs_here: bool,
    /// Another window has the file open too.
    pub is_elsewhere: bool,
    /// The change of the file by another program that was noticed since it was read or written here.
    pub changed_outside: Option<ChangedOutside>,
    /// The change that the user has dismissed.
    pub(crate) dismissed_outside: Option<ChangedOutside>,
    /// The changes of the document that the runs and panels have not followed yet.
    updates: Updates,
    /// The number of saves started, and the last that succeeded.
    pub(crate) saves: u64,
    pub(crate) saved: u64,
}

/// Collects the changes of a document.
struct Updates {
    list: Arc<Mutex<Vec<Update>>>,
    _subscription: Subscription,
}

impl Updates {
    fn of(document: &mut Document) -> Updates {
        let list: Arc<Mutex<Vec<Update>>> = Arc::default();
        let collected = Arc::clone(&list);
        let subscription = document.listen(move |update| {
            if update.keeps_results || !update.moves.is_empty() {
                collected.lock().unwrap_or_else(PoisonError::into_inner).push(update.clone());
            }
        });
        Updates { list, _subscription: subscription }
    }

    fn take(&self) -> Vec<Update> {
        std::mem::take(&mut *self.list.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A side of a split view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    Left,
    Right,
}

/// The content and settings that a document is opened with.
pub(crate) struct LoadedDocument {
    pub number: u64,
    pub simulation: Simulation,
    pub path: Option<PathBuf>,
    pub name: String,
    /// The diagnostics of loading.
    pub diagnostics: Vec<Diagnostic>,
}

impl OpenFile {
    pub(crate) fn new(
        ctx: &egui::Context,
        registry: &Arc<Registry>,
        engines: &Engines,
        opening: LoadedDocument,
    ) -> OpenFile {
        let mut canvas = Canvas::new();
        canvas.view.fit();
        let import = Report::of(&opening.simulation).map(|report| ImportLines::new(report, &opening.simulation));
        let shows_import = import.as_ref().is_some_and(|import| import.is_open(&opening.simulation));
        let mut document = Document::new(opening.simulation, Arc::clone(registry));
        let updates = Updates::of(&mut document);
        OpenFile {
            number: opening.number,
            document,
            updates,
            path: opening.path,
            name: opening.name,
            canvas,
            other: None,
            side: Side::Left,
            tabs: Tabs::default(),
            derived: Derived::default(),
            diagnostics: DiagnosticList::new(&opening.diagnostics, Vec::new()),
            load_diagnostics: opening.diagnostics,
            checked: Vec::new(),
            run_problem: None,
            program: None,
            run: RunSession::new(ctx, engines.clone()),
            lab: Lab::new(ctx),
            panels: PanelStates::default(),
            check: DocumentCheck::new(ctx),
            engine_checks: EngineChecks::new(ctx, engines.clone()),
            search: DocumentSearch::new(ctx),
            advice: DocumentAdvice::new(ctx, canvas::crooked),
            comparison: DocumentComparison::new(ctx),
            pointer: None,
            was_drawn: false,
            removed: Vec::new(),
            import,
            shows_import,
            disk: OnDisk::default(),
            allowed: Allowed::default(),
            #[cfg(feature = "pool")]
            runs_here: false,
            is_elsewhere: false,
            changed_outside: None,
            dismissed_outside: None,
            saves: 0,
            saved: 0,
        }
    }

    /// Takes the report of the import that the document comes from.
    pub(crate) fn set_import(&mut self, report: Option<Report>) {
        let simulation = Arc::clone(self.simulation());
        let report = report.or_else(|| Report::of(&simulation));
        self.import = report.map(|report| ImportLines::new(report, &simulation));
        self.panels.import = import::ImportState::default();
    }

    pub fn simulation(&self) -> &Arc<Simulation> {
        self.document.simulation()
    }

    /// Returns the open model with the selection.
    pub(crate) fn open_model<'a>(&'a self, registry: &'a Registry) -> Option<OpenModel<'a>> {
        self.canvas.open(&DocumentView { simulation: self.simulation(), registry })
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot { simulation: Arc::clone(self.document.simulation()), revision: self.document.revision() }
    }

    /// Returns the blocks and models that can be inserted.
    pub(crate) fn items(&self, registry: &Arc<Registry>) -> ItemSource {
        ItemSource { registry: Arc::clone(registry), models: Arc::clone(self.derived.model_names()) }
    }

    /// Brings the derived facts up to date, and moves the run to the new state of the document.
    pub(crate) fn follow_document(&mut self, registry: &Registry) {
        for update in self.updates.take() {
            self.run.relocate(&update);
            self.panels.relocate(&update.addresses());
        }
        if self.derived.follow(&self.snapshot(), registry) {
            self.watch(registry);
            self.run.break_at(self.derived.armed().to_vec());
            self.run.compare(self.document.simulation());
        }
    }

    /// Returns the signals to record: plotted, marked for recording, or shown in open windows.
    pub(crate) fn watched(&self, registry: &Registry) -> Vec<SignalKey> {
        let mut signals = self.derived.recorded();
        signals.extend(plots::signals_of(&self.panels.plots.scopes, self.simulation(), registry));
        signals.sort();
        signals.dedup();
        signals
    }

    /// Updates the recorded signals of the run.
    pub(crate) fn watch(&mut self, registry: &Registry) {
        self.run.watch(self.watched(registry));
    }

    /// Takes the results of the background threads, and returns the events of the run.
    pub(crate) fn poll(&mut self, registry: &Arc<Registry>) -> Vec<RunEvent> {
        if let Some(found) = self.check.poll() {
            self.program = found.program;
            if let Some(program) = &self.program {
                self.run.follow(CheckedDocument {
                    program: Arc::clone(program),
                    simulation: Arc::clone(self.document.simulation()),
                    registry: Arc::clone(registry),
                });
            }
            self.take_check(found.diagnostics);
        }
        self.engine_checks.poll();
        self.search.poll();
        self.advice.poll();
        self.comparison.poll();
        self.run.play_on();
        self.run.fill();
        let events = self.run.poll();
        if !matches!(self.run.state, RunState::PausedByError(_)) {
            self.set_run_problem(None);
        }
        events
    }

    /// Takes the diagnostics of a check.
    pub(crate) fn take_check(&mut self, found: Vec<Diagnostic>) {
        self.checked = found;
        self.collect_diagnostics();
    }

    /// Replaces the diagnostics of loading, after the file was read again.
    pub(crate) fn set_load_diagnostics(&mut self, found: Vec<Diagnostic>) {
        self.load_diagnostics = found;
        self.collect_diagnostics();
    }

    /// Lists why the run has stopped with the problems of the document; it is listed until the run continues.
    pub(crate) fn set_run_problem(&mut self, found: Option<Diagnostic>) {
        if self.run_problem != found {
            self.run_problem = found;
            self.collect_diagnostics();
        }
    }

    fn collect_diagnostics(&mut self) {
        let found = self.run_problem.iter().chain(&self.checked).cloned().collect();
        self.diagnostics = DiagnosticList::new(&self.load_diagnostics, found);
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
                if let BlockKind::Model { model } = &block.kind
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

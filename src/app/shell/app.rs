//! The state of the window, without drawing.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui;

use super::document::open_file::{OpenFile, Opening};
use super::window::file_dialog::Chooser;
use super::window::layout::Layout;
use super::window::tour::OpenTour;
use crate::app::action::command::Panel;
use crate::app::canvas::DocumentView;
use crate::app::dialogs::{Dialog, Refused};
use crate::app::panels::help;
use crate::app::panels::status::Message;
use crate::app::panels::welcome::WelcomePage;
use crate::app::store::jobs::{About, Jobs};
use crate::app::store::libraries::Libraries;
use crate::app::store::log::CONTENT;
use crate::app::store::recovery::{Left, Recovery};
use crate::app::store::runs::Runs;
use crate::app::store::settings::Settings;
use crate::app::store::spill_file::TempSpillFile;
use crate::app::ui::style;
use crate::app::ui::theme::ThemeChoice;
use crate::block::{Reaction, Registry};
use crate::components::Components;
use crate::engine::AssertionEvent;
use crate::format::Folder;
use crate::model::{Change, ChangeKind, Diagnostic, Edit, EditError, Fragment, Simulation, block_text};
use crate::worker::{AllowedFmus, Fmus};

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
    /// The FMUs there, whose code may run if the user has allowed it.
    pub(super) fmus: Arc<Fmus>,
    /// The window is a player: it shows only the dashboard.
    pub is_player: bool,
    /// The open document with all that belongs to it. `None`: the welcome page is shown.
    pub file: Option<OpenFile>,
    pub layout: Layout,
    pub(super) dialog: Dialog,
    /// The dialogs that wait for the open one.
    pub(super) waiting_dialogs: VecDeque<Dialog>,
    pub message: Option<Message>,
    pub(super) clipboard: Option<Clipboard>,
    /// The blocks are coloured by their execution time.
    pub shows_heat: bool,
    /// The recovery copies that the user has not decided about.
    pub(super) left: Vec<Left>,
    pub(super) ctx: egui::Context,
    pub(super) libraries: Libraries,
    pub(super) recovery: Recovery,
    /// The action that waits until unsaved work is in a copy.
    pub(super) after_copy: Option<AfterCopy>,
    pub(super) chooser: Option<Chooser>,
    /// The pool that the Sweep panel shows.
    #[cfg(feature = "pool")]
    pub(super) pool_watch: Option<crate::app::store::pool_watch::PoolWatch>,
    /// The background jobs.
    pub(super) jobs: Jobs<App>,
    pub(super) spill_file: Arc<TempSpillFile>,
    pub(super) has_told_of_disk: bool,
    /// Counts requests to open a document.
    pub(super) opening: u64,
    /// The window may close without asking again.
    pub(super) may_quit: bool,
    pub(super) title: String,
    pub welcome: WelcomePage,
    /// The tour in progress.
    pub(super) tour: Option<OpenTour>,
    /// Where the bars were in the last frame.
    pub(super) bars: Bars,
    next_file: u64,
}

/// An action that waits until unsaved work is in a copy, since it may end the program.
pub(super) struct AfterCopy {
    /// The number of the document.
    pub document: u64,
    pub action: Box<dyn FnOnce(&mut App)>,
}

/// The blocks that can be pasted.
#[derive(Clone, Debug)]
pub(super) struct Clipboard {
    pub fragment: Fragment,
    /// The text that this window has put on the platform's clipboard for them.
    pub text: Option<String>,
    /// The number of the open file from which they were copied; `None` for a text from elsewhere.
    pub document: Option<u64>,
}

/// The rectangles of bars on the screen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bars {
    pub tools: Option<egui::Rect>,
    pub time: Option<egui::Rect>,
}

/// Gives access to the FMUs in a folder, as far as the settings allow it.
pub(super) fn fmus(folder: &Arc<Folder>, settings: &Settings) -> Fmus {
    let fmus = Fmus::new(Arc::clone(folder), AllowedFmus(settings.allowed_fmus.clone()));
    match &settings.worker {
        Some(program) => fmus.with_program(program.clone()),
        None => fmus,
    }
}

impl App {
    /// The window with the welcome page.
    pub fn new(ctx: &egui::Context, settings: Settings, components: Components) -> App {
        style::apply(ctx);
        let recordings = settings.home.as_ref().map(|home| home.join("recordings"));
        let spill_file = TempSpillFile::new(recordings.as_deref(), Runs::LIMIT);
        let folder = Arc::new(Folder::new(Path::new("")));
        let fmus = Arc::new(fmus(&folder, &settings));
        let mut app = App {
            spill_file,
            has_told_of_disk: false,
            layout: Layout::restore(settings.layout.as_ref()),
            dialog: Dialog::None,
            waiting_dialogs: VecDeque::new(),
            message: None,
            clipboard: None,
            shows_heat: false,
            left: Vec::new(),
            libraries: Libraries::unread(settings.library_folder()),
            recovery: Recovery::new(settings.home.as_deref()),
            after_copy: None,
            chooser: None,
            #[cfg(feature = "pool")]
            pool_watch: None,
            jobs: Jobs::new(ctx),
            opening: 0,
            may_quit: false,
            title: String::new(),
            welcome: WelcomePage::default(),
            tour: None,
            bars: Bars::default(),
            next_file: 0,
            file: None,
            ctx: ctx.clone(),
            registry: Arc::new(components.registry.with_files(Arc::clone(&fmus) as _)),
            folder,
            fmus,
            registry_of: None,
            components,
            is_player: false,
            settings,
        };
        if let Some(problem) = app.settings.problem.take() {
            app.complain(problem);
        } else if let (Some(home), None) = (&app.settings.home, &app.recovery.own) {
            let folder = home.display();
            app.complain(format!("Settings and recovery copies are not kept: {folder} cannot be written; save often"));
        }
        app.look_for_copies();
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
        let text = text.into();
        tracing::warn!({ CONTENT } = text, "a problem was shown");
        self.message = Some(Message { text, is_problem: true, since: Instant::now() });
    }

    /// Makes a document the open one.
    pub fn show(&mut self, simulation: Simulation, path: Option<PathBuf>, name: &str, found: Vec<Diagnostic>) {
        // The user's choices about runs and help apply to all documents.
        let before = self.file.as_ref();
        let shows_ghost = before.is_none_or(|file| file.run.runs().shows_ghost);
        let help = before.map_or_else(help::HelpState::default, |file| file.panels.help.for_next_document());
        self.close_document();
        self.next_file += 1;
        let (number, name) = (self.next_file, name.to_owned());
        let opening = Opening { number, simulation, path, name, diagnostics: found };
        let mut file = OpenFile::new(&self.ctx, &self.registry, &self.components.engines, opening);
        file.run.spill_file = Some(self.spill_file.clone());
        file.run.runs_mut().shows_ghost = shows_ghost;
        file.panels.help = help;
        self.file = Some(file);
        // The permissions of the last document do not apply to this one.
        self.use_folder();
        self.refresh();
    }

    /// Closes the document, and drops everything that belongs to it.
    pub(super) fn close_document(&mut self) {
        self.forget_dialogs();
        // Pending reads are outdated.
        self.opening += 1;
        self.recovery.drop_copy(&mut self.jobs);
        if let Some(file) = self.file.take() {
            // The engine may be in a long step, and recordings may be large.
            self.jobs.start(About::default(), move || drop(file), |_, ()| ());
        }
    }

    pub fn show_new(&mut self) {
        let mut simulation = Simulation::new("Main");
        simulation.steps = 1000;
        simulation.delta = 0.01;
        self.show(simulation, None, "Untitled", Vec::new());
    }

    /// Writes the settings.
    pub(super) fn save_settings(&mut self) {
        let about = About { path: self.settings.file(), must_end: true, ..About::default() };
        let settings = self.settings.clone();
        self.jobs.start(
            about,
            move || settings.save(),
            |app, result| {
                if let Err(error) = result {
                    app.complain(format!("The settings could not be saved: {error}"));
                }
            },
        );
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
                        let simulation = file.document.simulation();
                        let view = DocumentView { simulation, registry: &self.registry };
                        let model = simulation.model(model);
                        model.and_then(|model| file.canvas.leave_refused_open(&view, model, connection, &text))
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
        file.follow_document(&self.registry);
        // File parameters are relative to the simulation's file.
        if self.registry_of != file.path {
            self.use_folder();
        }
        let Some(file) = &mut self.file else { return };
        file.check.ask(&file.snapshot(), &self.registry);
    }

    /// Takes the results of background threads, except those of jobs, which [`App::logic`] takes.
    pub(super) fn poll(&mut self) {
        let mut news = Vec::new();
        if let Some(file) = &mut self.file {
            news = file.poll(&self.registry);
            if file.run.has_more {
                self.ctx.request_repaint();
            }
        }
        self.take_news(news);
        self.poll_chooser();
        self.watch_spill_file();
        let is_old = |message: &Message| message.since.elapsed() > Duration::from_secs(12);
        if self.message.as_ref().is_some_and(is_old) {
            self.message = None;
        }
    }

    /// Takes the run's events until it ends, pauses, or sends nothing for `timeout`.
    pub fn wait_for_run(&mut self, timeout: Duration) {
        let news = self.file.as_mut().map(|file| file.run.wait(timeout));
        self.take_news(news.unwrap_or_default());
    }

    /// Shows the last report, which is the one that ends a run.
    pub(super) fn take_assertions(&mut self, assertions: &[AssertionEvent], left_out: u64) {
        let Some(last) = assertions.last() else { return };
        let (path, block) = last.block.clone();
        let more = assertions.len() as u64 - 1 + left_out;
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let Some(file) = &mut self.file else { return };
        let name = block_text(file.document.simulation(), &path, block);
        let text = format!("{name} at {} s: {}{more}", last.time, last.message);
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
            file.panels.problems.selected = first;
        }
        self.layout.show(Panel::Problems);
        self.complain(match errors {
            1 => "The simulation does not run: one error".to_owned(),
            errors => format!("The simulation does not run: {errors} errors"),
        });
        if let Some(begin) = self.file.as_ref().map(|file| file.run.begun) {
            self.ask_outside(Refused::Run(begin));
        }
    }
}

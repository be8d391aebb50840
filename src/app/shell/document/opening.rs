//! Opens files as documents. Reading is a job, which does not block the window.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::open_file::{LoadedDocument, OpenFile};
use crate::app::action::AfterSave;
use crate::app::dialogs::{Dialog, NestedChoice, NestedFile};
use crate::app::panels::help;
use crate::app::shell::app::App;
use crate::app::store::files::{self, FileProblem, OnDisk, Opened, file_name};
use crate::app::store::jobs::About;
use crate::app::store::log::CONTENT;
use crate::format::LoadOptions;
use crate::model::{Diagnostic, Simulation, nesting};

/// A file being opened.
struct Opening {
    path: PathBuf,
    /// The number of the request; only the result of the last request is shown.
    number: u64,
    /// The number and revision of the open document whose changes the user agreed to lose.
    given_up: Option<(u64, u64)>,
    options: LoadOptions,
}

impl App {
    /// Opens a file in place of the open document; errors are shown.
    pub fn open_path(&mut self, path: &Path) {
        self.open_path_with(path, LoadOptions::default());
    }

    /// Opens a file with load options.
    pub fn open_path_with(&mut self, path: &Path, options: LoadOptions) {
        self.open_over(path.to_owned(), options, self.state_id());
    }

    /// Opens a file. `given_up` is the number and revision of the open document whose changes may be lost; for any
    /// other state the user is asked.
    pub(crate) fn open_over(&mut self, path: PathBuf, options: LoadOptions, given_up: Option<(u64, u64)>) {
        let path = std::path::absolute(&path).unwrap_or(path);
        self.documents.opening += 1;
        let opening = Opening { path: path.clone(), number: self.documents.opening, given_up, options };
        let about = About { title: format!("Opening {}", file_name(&path)), path: Some(path.clone()), must_end: false };
        let formats = Arc::clone(&self.components.formats);
        let work = move || files::open(&formats, &path, &options);
        self.jobs.start(about, work, move |app, result| app.opened(opening, result));
    }

    fn opened(&mut self, opening: Opening, result: Result<Opened, FileProblem>) {
        let Opening { path, number, given_up, options } = opening;
        match result {
            Err(problem) => self.show_problem("The file could not be opened", &path, &problem),
            // A newer request exists.
            Ok(_) if number != self.documents.opening => {}
            Ok(_) if self.is_unsaved() && self.state_id() != given_up => self.guarded(AfterSave::OpenPath(path)),
            Ok(opened) => {
                let ring = endless_nesting(&opened.simulation).filter(|_| !options.skip_invalid_models);
                let Some(ring) = ring else { return self.show_opened(path, opened) };
                self.open_dialog(Dialog::Nested(Box::new(NestedFile { path, ring, opened: Some(opened), given_up })));
            }
        }
    }

    pub(crate) fn show_opened(&mut self, path: PathBuf, opened: Opened) {
        self.settings.remember(&path);
        self.save_settings();
        let name = file_name(&path);
        let (count, models) = (opened.diagnostics.len(), opened.simulation.models.len());
        let blocks: usize = opened.simulation.models.values().map(|model| model.blocks.len()).sum();
        tracing::info!(models, blocks, problems = count, { CONTENT } = ?path, "opened a file");
        self.show(opened.simulation, Some(path), &name, opened.diagnostics);
        if let Some(file) = &mut self.file {
            file.disk = OnDisk::new(opened.stamp);
            file.removed = opened.removed;
            if opened.imported.is_some() {
                file.set_import(opened.imported);
                file.shows_import = true;
            }
        }
        match count {
            0 => self.say(format!("Opened {name}")),
            1 => self.complain(format!("Opened {name} with one problem")),
            count => self.complain(format!("Opened {name} with {count} problems")),
        }
    }

    /// Makes a document the open one.
    pub fn show(&mut self, simulation: Simulation, path: Option<PathBuf>, name: &str, found: Vec<Diagnostic>) {
        // The user's choices about runs and help apply to all documents.
        let before = self.file.as_ref();
        let shows_ghost = before.is_none_or(|file| file.run.runs().shows_ghost);
        let help = before.map_or_else(help::HelpState::default, |file| file.panels.help.for_next_document());
        self.close_document();
        self.documents.last_number += 1;
        let (number, name) = (self.documents.last_number, name.to_owned());
        let opening = LoadedDocument { number, simulation, path, name, diagnostics: found };
        let mut file = OpenFile::new(&self.ctx, &self.blocks.registry, &self.components.engines, opening);
        file.run.spill_file = Some(self.spill.file.clone());
        file.run.runs_mut().shows_ghost = shows_ghost;
        file.panels.help = help;
        self.file = Some(file);
        // The permissions of the last document do not apply to this one.
        self.use_folder();
        self.refresh();
        self.show_conflicts();
    }

    pub fn show_new(&mut self) {
        let mut simulation = Simulation::new("Main");
        simulation.steps = 1000;
        simulation.delta = 0.01;
        self.show(simulation, None, "Untitled", Vec::new());
    }

    /// Closes the document, and drops everything that belongs to it.
    pub(crate) fn close_document(&mut self) {
        self.forget_dialogs();
        // Pending reads are outdated.
        self.documents.opening += 1;
        self.documents.recovery.drop_copy(&mut self.jobs);
        if let Some(file) = self.file.take() {
            // The engine may be in a long step, and recordings may be large.
            self.jobs.start(About::default(), move || drop(file), |_, ()| ());
        }
    }

    /// Carries out the choice for a file whose models contain themselves.
    pub(crate) fn open_nested(&mut self, nested: NestedFile, choice: NestedChoice) {
        let NestedFile { path, opened, given_up, .. } = nested;
        match (choice, opened) {
            (NestedChoice::Skip, _) => self.open_over(path, LoadOptions { skip_invalid_models: true }, given_up),
            (NestedChoice::OpenAsItIs, Some(opened)) => self.show_opened(path, opened),
            (NestedChoice::OpenAsItIs, None) => {}
        }
    }

    /// Returns the open document's number and revision.
    pub(crate) fn state_id(&self) -> Option<(u64, u64)> {
        self.file.as_ref().map(|file| (file.number, file.document.revision()))
    }

    /// Shows an error about a file, with advice.
    pub(crate) fn show_problem(&mut self, title: &str, path: &Path, problem: &FileProblem) {
        tracing::warn!({ CONTENT } = format!("{}: {}", path.display(), problem.message), "{title}");
        self.open_dialog(Dialog::problem(title, &problem.message, &problem.help, Some(path)));
    }
}

/// Returns the first cycle of models that contain themselves, as `Plant → Motor → Plant`; `None` if there is no cycle.
pub(crate) fn endless_nesting(simulation: &Simulation) -> Option<String> {
    let ring = nesting(simulation).rings.into_iter().next()?;
    let first = ring.first().map(|(model, _)| model.to_string());
    let names: Vec<String> = ring.iter().map(|(model, _)| model.to_string()).chain(first).collect();
    Some(names.join(" → "))
}

//! Compares the document with other states, and takes changes of it back.

use std::path::PathBuf;
use std::sync::Arc;

use crate::app::action::ReviewAction;
use crate::app::action::command::Panel;
use crate::app::shell::app::App;
use crate::app::store::comparison::OtherState;
use crate::app::store::engines::engine_of;
use crate::app::store::files::{self, file_name};
use crate::app::store::jobs::About;
use crate::diff::{Change, take};
use crate::format::{LoadOptions, last_commit};
use crate::model::{Simulation, conflicts};

impl App {
    /// Carries out a request of the Review panel.
    pub(crate) fn act_on_review(&mut self, action: ReviewAction) {
        match action {
            ReviewAction::CompareWithHistory(number) => self.compare_with_history(number),
            ReviewAction::End => {
                self.with_file(|file| file.comparison.set_other(None));
            }
            ReviewAction::RunBoth => self.run_both(),
            ReviewAction::StopBoth => self.with_file(|file| file.comparison.runs.stop()),
            ReviewAction::Take(change) => self.take_back(&change),
        }
    }

    /// Shows the conflicts of a document that has some.
    pub(crate) fn show_conflicts(&mut self) {
        let Some(file) = &mut self.file else { return };
        if !conflicts(file.simulation()).is_empty() {
            file.panels.review.show_conflicts();
            self.window.layout.show(Panel::Review);
        }
    }

    /// Compares the document with another file.
    pub(crate) fn compare_with_path(&mut self, path: PathBuf) {
        let Some(document) = self.file.as_ref().map(|file| file.number) else { return };
        let name = file_name(&path);
        let about = About { title: format!("Reading {name}"), path: Some(path.clone()), must_end: false };
        let (source, formats) = (path.clone(), Arc::clone(&self.components.formats));
        self.jobs.start(
            about,
            move || files::open(&formats, &source, &LoadOptions::default()),
            move |app, result| match result {
                Ok(opened) => app.compare(document, name, opened.simulation),
                Err(problem) => app.show_problem("The file could not be compared", &path, &problem),
            },
        );
    }

    /// Compares the document with its file in the last commit.
    pub(crate) fn compare_with_commit(&mut self) {
        let Some(file) = &self.file else { return };
        let Some(path) = file.path.clone() else {
            return self.complain("Save the simulation first: only a file can be in a commit".to_owned());
        };
        let (document, name) = (file.number, format!("{} in the last commit", file_name(&path)));
        let about = About { title: "Reading the last commit".to_owned(), path: None, must_end: false };
        let formats = Arc::clone(&self.components.formats);
        self.jobs.start(
            about,
            move || last_commit(&path, &formats),
            move |app, result| match result {
                Ok(simulation) => app.compare(document, name, simulation),
                Err(error) => app.complain(format!("The last commit cannot be compared: {error}")),
            },
        );
    }

    fn compare_with_history(&mut self, number: usize) {
        let Some(file) = &mut self.file else { return };
        let states = file.document.states();
        let Some((label, state)) = states.get(number) else { return };
        let name = match label {
            Some(label) => format!("after “{label}”"),
            None => "as opened".to_owned(),
        };
        let other = OtherState { name, simulation: Arc::clone(&state.simulation) };
        file.comparison.set_other(Some(other));
        file.panels.review.show_comparison();
        self.window.layout.show(Panel::Review);
    }

    /// Shows the comparison with another state, if the document is still open.
    fn compare(&mut self, document: u64, name: String, simulation: Simulation) {
        let Some(file) = self.file.as_mut().filter(|file| file.number == document) else { return };
        file.comparison.set_other(Some(OtherState { name, simulation: Arc::new(simulation) }));
        file.panels.review.show_comparison();
        self.window.layout.show(Panel::Review);
    }

    fn run_both(&mut self) {
        let Some(engine) = engine_of(&self.settings, &self.components.engines) else { return };
        let registry = Arc::clone(&self.blocks.registry);
        let Some(file) = &mut self.file else { return };
        let Some(other) = file.comparison.other() else { return };
        let states = [Arc::clone(&other.simulation), Arc::clone(file.document.simulation())];
        file.comparison.runs.start(states, registry, engine);
    }

    fn take_back(&mut self, change: &Change) {
        let Some(file) = &self.file else { return };
        let Some(other) = file.comparison.other() else { return };
        match take(&other.simulation, file.simulation(), change) {
            Some(edits) => {
                self.apply(&crate::model::Change::new(format!("Take back: {}", change.what()), edits));
            }
            None => self
                .complain(format!("{} cannot be taken back alone: what it needs is not in this state", change.what())),
        }
    }
}

//! Saves the document, and asks what to do if another program changed its file.

use std::path::PathBuf;
use std::sync::Arc;

use super::open_file::OpenFile;
use crate::app::action::AfterSave;
use crate::app::action::path_request::PathRequest;
use crate::app::dialogs::{Dialog, FileChanged, Remedy};
use crate::app::shell::app::App;
use crate::app::store::files::{self, OnDisk, SaveFailure, file_name};
use crate::app::store::jobs::About;
use crate::app::store::log::CONTENT;
use crate::diff::diff;
use crate::format::LoadOptions;

/// A save in progress.
struct Saving {
    document: u64,
    revision: u64,
    /// Counts the saves of the document.
    number: u64,
    path: PathBuf,
    disk: OnDisk,
    /// The pending action after the save.
    after: Option<AfterSave>,
}

impl App {
    /// Saves, then carries out the pending action.
    pub fn save_then(&mut self, after: Option<AfterSave>) {
        let Some(file) = &self.file else { return };
        // A file of a format that is only read is saved elsewhere.
        let is_writable =
            |path: &PathBuf| self.components.formats.of_path(path).is_none_or(|loader| !loader.is_read_only());
        match file.path.clone().filter(is_writable) {
            Some(path) => {
                let disk = file.disk.clone();
                self.start_save(path, disk, after);
            }
            None => self.ask_path(PathRequest::SaveAs { after }),
        }
    }

    /// Saves to a path that the user chose. The dialog has confirmed overwriting.
    pub(crate) fn save_as(&mut self, path: PathBuf, after: Option<AfterSave>) {
        self.start_save(path, OnDisk::default(), after);
    }

    fn start_save(&mut self, path: PathBuf, disk: OnDisk, after: Option<AfterSave>) {
        let Some(file) = &mut self.file else { return };
        file.saves += 1;
        let snapshot = file.snapshot();
        let (document, revision, number) = (file.number, snapshot.revision, file.saves);
        let about = About { title: format!("Saving {}", file_name(&path)), path: Some(path.clone()), must_end: true };
        let formats = Arc::clone(&self.components.formats);
        let saving = Saving { document, revision, number, path: path.clone(), disk: disk.clone(), after };
        self.jobs.start(
            about,
            move || files::save_document(&formats, &path, &snapshot.simulation, &disk),
            move |app, result| app.saved(saving, result),
        );
    }

    fn saved(&mut self, saving: Saving, result: Result<(), SaveFailure>) {
        let Saving { document, revision, number, path, disk, after } = saving;
        let file = self.file.as_mut().filter(|file| file.number == document);
        let is_open = file.is_some();
        match result {
            Ok(()) => {
                tracing::info!({ CONTENT } = ?path, "saved a file");
                // A later save may have ended earlier.
                if let Some(file) = file.filter(|file| file.saved < number) {
                    file.saved = number;
                    file.document.mark_saved(revision);
                    file.name = file_name(&path);
                    (file.path, file.disk) = (Some(path.clone()), disk);
                    file.changed_outside = None;
                }
                self.settings.remember(&path);
                self.save_settings();
                self.say(format!("Saved {}", file_name(&path)));
                if let Some(next) = after.filter(|_| is_open) {
                    self.guarded(next);
                }
            }
            Err(SaveFailure::Changed(present)) if is_open => {
                self.open_dialog(Dialog::Changed(Box::new(FileChanged::new(path, document, present, after))));
            }
            Err(SaveFailure::Changed(_)) => {
                let message = "another program changed the file, and the simulation is closed";
                self.open_dialog(Dialog::problem("The file was not saved", message, "", Some(&path)));
            }
            Err(SaveFailure::Problem(problem)) => {
                let found = Dialog::problem("The file was not saved", &problem.message, &problem.help, Some(&path));
                let elsewhere = is_open.then_some(PathRequest::SaveAs { after });
                self.open_dialog(found.with_other_place(elsewhere));
            }
        }
    }

    /// Carries out the user's choice after a change by another program.
    pub(crate) fn remedy(&mut self, changed: FileChanged, remedy: Remedy) {
        let is_open = |file: &&OpenFile| file.number == changed.document;
        let Some(file) = self.file.as_ref().filter(is_open) else { return };
        match remedy {
            Remedy::Overwrite => {
                // If the file changes again meanwhile, the user is asked again.
                let disk = file.disk.clone();
                disk.set(changed.present);
                self.start_save(changed.path, disk, changed.after);
            }
            Remedy::Reload => self.reload(),
            Remedy::SaveAs => self.ask_path(PathRequest::SaveAs { after: changed.after }),
            Remedy::ShowDifferences => {
                let (path, simulation) = (changed.path.clone(), file.snapshot().simulation);
                let about = About { title: format!("Reading {}", file_name(&path)), ..About::default() };
                let formats = Arc::clone(&self.components.formats);
                let work = move || {
                    let opened = files::open(&formats, &path, &LoadOptions::default())?;
                    Ok(diff(&simulation, &opened.simulation))
                };
                self.window.dialog = Dialog::Changed(Box::new(changed));
                self.jobs.start(about, work, |app, found| {
                    if let Dialog::Changed(changed) = &mut app.window.dialog {
                        changed.show(found);
                    }
                });
            }
        }
    }
}

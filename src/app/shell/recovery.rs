//! Recovery copies of the open document.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::state::App;
use crate::app::dialogs::Dialog;
use crate::app::store::files::{self, FileProblem, OnDisk, Opened, file_name};
use crate::app::store::jobs::About;
use crate::app::store::recovery::{EVERY, Left, Recovery, remove, text_of_path};
use crate::format::LoadOptions;

impl App {
    /// Looks for copies of crashed programs, and offers them.
    pub(super) fn look_for_copies(&mut self) {
        let Some(home) = self.settings.home.clone() else { return };
        let about = About { title: "Looking for recovery copies".to_owned(), ..About::default() };
        self.jobs.start(
            about,
            move || Recovery::left(Some(&home)),
            |app, left| {
                // A player cannot save them.
                if !left.is_empty() && !app.is_player {
                    app.left = left;
                    app.open_dialog(Dialog::Recover { discards_all: false });
                }
            },
        );
    }

    /// Writes a copy of unsaved work when due, and removes the copy of saved work.
    pub(super) fn keep_recovery(&mut self) {
        self.note_opened_copy();
        let Some(file) = &self.file else { return };
        if self.is_player {
            return;
        }
        if file.document.is_saved() {
            if self.recovery.written.is_some() || self.recovery.source.is_some() {
                self.recovery.drop_copy(&mut self.jobs);
            }
            return;
        }
        let recovery = &self.recovery;
        if recovery.own.is_none() || recovery.is_writing || recovery.written == self.state_id() {
            return;
        }
        let waited = *self.recovery.last.get_or_insert_with(Instant::now);
        match EVERY.checked_sub(waited.elapsed()).filter(|rest| !rest.is_zero()) {
            Some(rest) => self.ctx.request_repaint_after(rest.max(Duration::from_millis(200))),
            None => self.copy_unsaved_work(),
        }
    }

    /// Writes a copy of unsaved work now.
    pub fn copy_unsaved_work(&mut self) {
        let (Some(file), Some(own)) = (&self.file, &self.recovery.own) else { return };
        if file.document.is_saved() || self.recovery.is_writing {
            return;
        }
        let (copy, lock) = (own.copy.clone(), own.lock.clone());
        let about = About { path: Some(copy.clone()), must_end: true, ..About::default() };
        let state = (file.number, file.document.revision());
        let simulation = Arc::clone(file.document.simulation());
        let belongs = text_of_path(file.path.as_deref(), file.disk.get());
        let dropped = self.recovery.dropped;
        self.recovery.is_writing = true;
        let formats = Arc::clone(&self.components.formats);
        let work = move || {
            files::save(&formats, &copy, &simulation)?;
            // Without it the copy is offered as work without a file.
            let _ = std::fs::write(lock.with_extension("path"), belongs);
            Ok(())
        };
        self.jobs.start(about, work, move |app, result: Result<(), FileProblem>| {
            let recovery = &mut app.recovery;
            recovery.is_writing = false;
            recovery.last = Some(Instant::now());
            if dropped != recovery.dropped {
                return;
            }
            // The user is informed once; the write is repeated every few seconds.
            if let Err(problem) = result {
                if !std::mem::replace(&mut recovery.has_failed, true) {
                    app.complain(format!("No recovery copy could be written: {}. Save your work", problem.message));
                }
                return;
            }
            recovery.has_failed = false;
            recovery.written = Some(state);
            if let Some(source) = recovery.source.take_if(|_| !recovery.is_opening) {
                source.discard();
            }
        });
    }

    /// Opens a recovery copy as unsaved work of its file.
    pub(super) fn recover(&mut self, number: usize) {
        let Some(left) = self.left.get(number).cloned() else { return };
        let about = About { title: "Reading the copy".to_owned(), path: Some(left.copy.clone()), must_end: false };
        let (source, mark) = (left.copy.clone(), left.mark());
        let formats = Arc::clone(&self.components.formats);
        self.jobs.start(
            about,
            move || {
                // The marker tells the next program if this one crashes meanwhile.
                let _ = std::fs::write(mark, "");
                files::open(&formats, &source, &LoadOptions::default())
            },
            move |app, result| app.recovered(left, result),
        );
    }

    fn recovered(&mut self, left: Left, result: Result<Opened, FileProblem>) {
        match result {
            Ok(opened) => {
                self.left.retain(|other| other.copy != left.copy);
                let name = left.path.as_deref().map_or_else(|| "Recovered".to_owned(), file_name);
                self.show(opened.simulation, left.path.clone(), &name, opened.diagnostics);
                if let Some(file) = &mut self.file {
                    file.document.mark_unsaved();
                    file.disk = OnDisk::new(left.disk);
                }
                (self.recovery.source, self.recovery.is_opening) = (Some(left), true);
                self.say(format!("Recovered {name}; save it to keep it"));
            }
            Err(problem) => {
                self.remove_mark(&left);
                self.show_problem("The copy could not be opened", &left.copy, &problem);
            }
        }
    }

    /// Removes one recovery copy, or all.
    pub(super) fn discard_left(&mut self, number: Option<usize>) {
        let gone = match number {
            Some(number) if number < self.left.len() => vec![self.left.remove(number)],
            Some(_) => Vec::new(),
            None => std::mem::take(&mut self.left),
        };
        let work = move || gone.into_iter().for_each(Left::discard);
        self.jobs.start(About { must_end: true, ..About::default() }, work, |_, ()| ());
        if !self.left.is_empty() {
            self.open_dialog(Dialog::Recover { discards_all: false });
        }
    }

    fn remove_mark(&mut self, left: &Left) {
        let mark = left.mark();
        self.jobs.start(About { must_end: true, ..About::default() }, move || remove(&mark), |_, ()| ());
    }

    /// Removes the marker once the recovered document was drawn and checked.
    fn note_opened_copy(&mut self) {
        if !self.recovery.is_opening || self.file.as_ref().is_none_or(|file| file.check.is_busy() || !file.was_drawn) {
            return;
        }
        self.recovery.is_opening = false;
        if let Some(source) = self.recovery.source.clone() {
            self.remove_mark(&source);
        }
        self.copy_unsaved_work();
    }
}

//! Recovery copies of the open document.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::state::AfterCopy;
use crate::app::dialogs::{Dialog, RecoverDialog};
use crate::app::shell::app::App;
use crate::app::store::files::{self, FileProblem, OnDisk, Opened, file_name};
use crate::app::store::jobs::About;
use crate::app::store::recovery::{Left, Recovery, WorkCopy, announce, remove};
use crate::app::store::unsaved_work::UnsavedWork;
use crate::format::LoadOptions;

/// The fate of unsaved work when the program ended because of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// There was none.
    Nothing,
    /// It is in this copy.
    Kept(PathBuf),
    /// It could not be kept.
    Lost(String),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Simulate ended because of an error in the program.")?;
        match self {
            Ended::Nothing => write!(f, " There was no unsaved work."),
            Ended::Kept(copy) => {
                let copy = copy.display();
                write!(f, " The unsaved work was kept and is offered at the next start; the copy is {copy}")
            }
            Ended::Lost(problem) => write!(f, " The unsaved work could not be kept: {problem}"),
        }
    }
}

impl App {
    /// Looks for copies of crashed programs, and offers them.
    pub(crate) fn look_for_copies(&mut self) {
        let Some(home) = self.settings.home.clone() else { return };
        let about = About { title: "Looking for recovery copies".to_owned(), ..About::default() };
        self.jobs.start(
            about,
            move || Recovery::left(Some(&home)),
            |app, left| {
                // A player cannot save them.
                if !left.is_empty() && !app.window.is_player {
                    app.documents.left = left;
                    app.open_dialog(Dialog::Recover(RecoverDialog::default()));
                }
            },
        );
    }

    /// Writes a copy of unsaved work when due, and removes the copy of saved work. Called in each frame, also when the
    /// window is hidden.
    pub fn keep_recovery(&mut self, now: Instant) {
        self.note_opened_copy();
        let has_focus = self.ctx.input(|input| input.focused);
        let gets_focus = !std::mem::replace(&mut self.documents.recovery.had_focus, has_focus) && has_focus;
        self.share_unsaved_work();
        self.announce_file(gets_focus);
        if gets_focus {
            self.look_at_file();
        }
        let Some(file) = &self.file else { return };
        if self.window.is_player {
            return;
        }
        if file.document.is_saved() {
            if self.documents.recovery.written.is_some() || self.documents.recovery.source.is_some() {
                self.documents.recovery.drop_copy(&mut self.jobs);
            }
            return;
        }
        let recovery = &self.documents.recovery;
        if recovery.own.is_none() || recovery.is_writing || recovery.written == self.state_id() {
            return;
        }
        // Later edits do not postpone the copy.
        let since = *self.documents.recovery.last.get_or_insert(now);
        match self
            .settings
            .preferences
            .copy_delay()
            .checked_sub(now.saturating_duration_since(since))
            .filter(|rest| !rest.is_zero())
        {
            Some(rest) => self.ctx.request_repaint_after(rest.max(Duration::from_millis(200))),
            None => self.begin_copy(now),
        }
    }

    /// Shares unsaved work through `work` from now on.
    pub(crate) fn share_work_with(&mut self, work: UnsavedWork) {
        self.documents.recovery.shared = work;
    }

    /// Shares unsaved work with those who keep it without the window.
    pub(crate) fn share_unsaved_work(&self) {
        match self.state_id().filter(|_| self.is_unsaved() && !self.window.is_player) {
            Some(state) => self.documents.recovery.shared.set(state, || self.work_copy(), &self.components.formats),
            None => self.documents.recovery.shared.clear(),
        }
    }

    /// Returns the copy of the open document that is to be written, if it has unsaved changes.
    fn work_copy(&self) -> Option<WorkCopy> {
        let (file, own) = (self.file.as_ref()?, self.documents.recovery.own.as_ref()?);
        (!file.document.is_saved()).then(|| WorkCopy {
            copy: own.copy.clone(),
            simulation: Arc::clone(file.document.simulation()),
            path: file.path.clone(),
            disk: file.disk.get(),
        })
    }

    /// Returns whether unsaved work is in no copy, though one can be written.
    pub(crate) fn lacks_copy(&self) -> bool {
        let recovery = &self.documents.recovery;
        let is_wanted = !self.window.is_player && self.is_unsaved() && recovery.written != self.state_id();
        is_wanted && recovery.own.is_some() && !recovery.has_failed
    }

    /// Writes a copy of unsaved work, then continues, if the document is still open. Replaces an action that waits.
    pub(crate) fn when_copied(&mut self, action: impl FnOnce(&mut App) + 'static) {
        let document = self.file.as_ref().map(|file| file.number);
        self.documents.after_copy = document.map(|document| AfterCopy { document, action: Box::new(action) });
        self.begin_copy(Instant::now());
    }

    /// Continues with the action that waits for a copy.
    fn continue_after_copy(&mut self) {
        let Some(AfterCopy { document, action }) = self.documents.after_copy.take() else { return };
        if self.file.as_ref().is_some_and(|file| file.number == document) {
            action(self);
        }
    }

    /// Writes a copy of unsaved work now.
    pub fn copy_unsaved_work(&mut self) {
        self.begin_copy(Instant::now());
    }

    fn begin_copy(&mut self, now: Instant) {
        if self.documents.recovery.is_writing {
            return;
        }
        let (Some(copy), Some(state)) = (self.work_copy(), self.state_id()) else { return };
        let about = About { path: Some(copy.copy.clone()), must_end: true, ..About::default() };
        let dropped = self.documents.recovery.dropped;
        self.documents.recovery.is_writing = true;
        // The copy holds the work up to now; a crash loses at most the ten seconds of work that follow.
        self.documents.recovery.last = Some(now);
        let formats = Arc::clone(&self.components.formats);
        let work = move || {
            // A job that panics would never say that it has ended.
            let written = catch_unwind(AssertUnwindSafe(|| copy.write(&formats)));
            written.unwrap_or_else(|_| {
                let message = "the simulation cannot be written: internal error".to_owned();
                Err(FileProblem { message, help: String::new() })
            })
        };
        self.jobs.start(about, work, move |app, result: Result<(), FileProblem>| {
            app.documents.recovery.is_writing = false;
            if dropped == app.documents.recovery.dropped {
                app.copied(state, result);
            }
            app.continue_after_copy();
        });
    }

    /// Notes that a copy of a state of the document was written, or why it was not.
    fn copied(&mut self, state: (u64, u64), result: Result<(), FileProblem>) {
        let recovery = &mut self.documents.recovery;
        // The user is informed once; the write is repeated every few seconds.
        if let Err(problem) = result {
            if !std::mem::replace(&mut recovery.has_failed, true) {
                self.complain(format!("No recovery copy could be written: {}. Save your work", problem.message));
            }
            return;
        }
        recovery.has_failed = false;
        recovery.written = Some(state);
        if let Some(source) = recovery.source.take_if(|_| !recovery.is_opening) {
            source.discard();
        }
    }

    /// Draws a frame. If that panics, the unsaved work is kept first.
    ///
    /// # Panics
    /// If the frame panics, with an [`Ended`] that says whether the work was kept.
    pub(crate) fn guard(&mut self, frame: impl FnOnce(&mut App)) {
        if catch_unwind(AssertUnwindSafe(|| frame(self))).is_err() {
            // The work is only read; should that panic too, the last copy stays as it is.
            let ended = catch_unwind(AssertUnwindSafe(|| self.rescue()));
            let twice =
                |_| Ended::Lost("a second error prevented it; the last copy is offered at the next start".to_owned());
            resume_unwind(Box::new(ended.unwrap_or_else(twice)));
        }
    }

    /// Writes a copy of unsaved work before the program ends because of an error.
    fn rescue(&mut self) -> Ended {
        // Saves and copies under way come first.
        self.jobs.finish();
        if self.window.is_player || !self.is_unsaved() {
            return Ended::Nothing;
        }
        // A copy that cannot be drawn stays as it is, with its mark.
        if let Some(source) = self.documents.recovery.source.as_ref().filter(|_| self.documents.recovery.is_opening) {
            return Ended::Kept(source.copy.clone());
        }
        let Some(copy) = self.work_copy() else {
            return Ended::Lost("the settings folder cannot be written".to_owned());
        };
        match copy.write(&self.components.formats) {
            Ok(()) => {
                if let Some(source) = self.documents.recovery.source.take() {
                    source.discard();
                }
                Ended::Kept(copy.copy)
            }
            Err(problem) => Ended::Lost(problem.message),
        }
    }

    /// Tells other windows which file is open here, and checks whether one of them has it open too: when another file
    /// is open, and when the window gets the focus.
    fn announce_file(&mut self, gets_focus: bool) {
        let path = self.file.as_ref().and_then(|file| file.path.clone());
        let is_new = path != self.documents.recovery.announced;
        if self.window.is_player || !(is_new || gets_focus && path.is_some()) {
            return;
        }
        let Some(own) = &self.documents.recovery.own else { return };
        self.documents.recovery.announced.clone_from(&path);
        let lock = own.lock.clone();
        let about = About { path: Some(lock.clone()), must_end: true, ..About::default() };
        let asked = path.clone();
        self.jobs.start(
            about,
            move || announce(&lock, path.as_deref()),
            move |app, is_elsewhere| {
                if let Some(file) = app.file.as_mut().filter(|file| file.path == asked) {
                    file.is_elsewhere = is_elsewhere;
                }
            },
        );
    }

    /// Opens a recovery copy as unsaved work of its file.
    pub(crate) fn recover(&mut self, number: usize) {
        let Some(left) = self.documents.left.get(number).cloned() else { return };
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
                self.documents.left.retain(|other| other.copy != left.copy);
                let name = left.path.as_deref().map_or_else(|| "Recovered".to_owned(), file_name);
                self.show(opened.simulation, left.path.clone(), &name, opened.diagnostics);
                if let Some(file) = &mut self.file {
                    file.document.mark_unsaved();
                    file.disk = OnDisk::new(left.disk);
                }
                (self.documents.recovery.source, self.documents.recovery.is_opening) = (Some(left), true);
                self.say(format!("Recovered {name}; save it to keep it"));
            }
            Err(problem) => {
                self.remove_mark(&left);
                self.show_problem("The copy could not be opened", &left.copy, &problem);
            }
        }
    }

    /// Removes one recovery copy, or all.
    pub(crate) fn discard_left(&mut self, number: Option<usize>) {
        let gone = match number {
            Some(number) if number < self.documents.left.len() => vec![self.documents.left.remove(number)],
            Some(_) => Vec::new(),
            None => std::mem::take(&mut self.documents.left),
        };
        let work = move || gone.into_iter().for_each(Left::discard);
        self.jobs.start(About { must_end: true, ..About::default() }, work, |_, ()| ());
        if !self.documents.left.is_empty() {
            self.open_dialog(Dialog::Recover(RecoverDialog::default()));
        }
    }

    fn remove_mark(&mut self, left: &Left) {
        let mark = left.mark();
        self.jobs.start(About { must_end: true, ..About::default() }, move || remove(&mark), |_, ()| ());
    }

    /// Removes the marker once the recovered document was drawn and checked.
    fn note_opened_copy(&mut self) {
        if !self.documents.recovery.is_opening
            || self.file.as_ref().is_none_or(|file| file.check.is_busy() || !file.was_drawn)
        {
            return;
        }
        self.documents.recovery.is_opening = false;
        if let Some(source) = self.documents.recovery.source.clone() {
            self.remove_mark(&source);
        }
        self.copy_unsaved_work();
    }
}

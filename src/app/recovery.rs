//! Recovery copies of unsaved work, written every few seconds, offered after a crash.
//!
//! Each running program locks its own file in the folder `recovery`; copies whose lock is free were
//! left by a program that crashed. Beside `1-0.lock` are `1-0.simx`, the copy; `1-0.path`, the path of its file
//! and the stamp of that file; and `1-0.opening` while the copy is being opened: if the program crashed
//! meanwhile, the copy is opened again only if the user insists.
//!
//! A copy is removed only when its work is saved, discarded, or in a newer copy on disk.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::dialogs::Dialog;
use super::files::{self, FileProblem, OnDisk, Opened, Stamp};
use super::jobs::{About, Jobs};
use super::state::{App, file_name};
use crate::format::{LoadOptions, read_bounded};

/// The delay between an edit and its copy.
const EVERY: Duration = Duration::from_secs(10);
/// The maximum size of a path file in bytes.
const LONGEST_PATH: u64 = 1 << 16;

pub struct Recovery {
    /// `None` if no copies can be written.
    own: Option<Own>,
    /// The document and revision of the copy on disk.
    written: Option<(u64, u64)>,
    is_writing: bool,
    /// The last copy could not be written, and the user was informed.
    has_failed: bool,
    /// Counts removals of the copy; results of earlier writes are outdated.
    dropped: u64,
    last: Option<Instant>,
    /// The copy that the open document was recovered from, until its work is safe elsewhere.
    source: Option<Left>,
    /// The copy is being opened and was not drawn yet.
    is_opening: bool,
}

struct Own {
    copy: PathBuf,
    lock: PathBuf,
    /// Locked until the program ends, in any way.
    _held: File,
}

/// A recovery copy after a crash. Its lock keeps other programs from using it.
#[derive(Clone, Debug)]
pub struct Left {
    pub copy: PathBuf,
    lock: PathBuf,
    /// The file of the document, if it had one.
    pub path: Option<PathBuf>,
    /// The stamp of that file when it was last read or written.
    disk: Option<Stamp>,
    pub written: Option<SystemTime>,
    /// Bytes.
    pub size: u64,
    /// The program crashed while opening the copy.
    pub has_crashed: bool,
    _held: Arc<File>,
}

impl Recovery {
    /// `home` is the folder of the settings.
    pub fn new(home: Option<&Path>) -> Recovery {
        Recovery {
            own: home.and_then(take_place),
            written: None,
            is_writing: false,
            has_failed: false,
            dropped: 0,
            last: None,
            source: None,
            is_opening: false,
        }
    }

    /// Returns the copies of crashed programs, the newest first.
    pub fn left(home: Option<&Path>) -> Vec<Left> {
        let Some(entries) = home.and_then(|home| std::fs::read_dir(home.join("recovery")).ok()) else {
            return Vec::new();
        };
        let mut found: Vec<Left> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "lock"))
            .filter_map(left_behind)
            .collect();
        found.sort_by(|a, b| b.written.cmp(&a.written).then_with(|| a.copy.cmp(&b.copy)));
        found
    }

    /// Removes the copy: the work is saved or discarded.
    pub fn drop_copy(&mut self, jobs: &mut Jobs) {
        self.dropped += 1;
        self.is_opening = false;
        if let Some(source) = self.source.take() {
            source.discard();
        }
        if self.written.take().is_none() && !self.is_writing {
            return;
        }
        if let Some(own) = &self.own {
            let (copy, lock) = (own.copy.clone(), own.lock.clone());
            // After pending writes to the same path.
            let about = About { path: Some(copy.clone()), must_end: true, ..About::default() };
            jobs.start(about, move || remove_copy(&copy, &lock), |_, ()| ());
        }
    }

    /// Removes the files at a regular exit, after all jobs have ended.
    pub fn finish(&mut self) {
        if let Some(source) = self.source.take() {
            source.discard();
        }
        if let Some(own) = self.own.take() {
            remove_copy(&own.copy, &own.lock);
            remove(&own.lock);
        }
    }
}

impl App {
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
        let work = move || {
            files::save(&copy, &simulation)?;
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
        // The marker tells the next program if this one crashes meanwhile.
        let _ = std::fs::write(left.mark(), "");
        let about = About { title: "Reading the copy".to_owned(), path: Some(left.copy.clone()), must_end: false };
        let source = left.copy.clone();
        self.jobs.start(
            about,
            move || files::open(&source, &LoadOptions::default()),
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
                remove(&left.mark());
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
        gone.into_iter().for_each(Left::discard);
        if !self.left.is_empty() {
            self.open_dialog(Dialog::Recover { discards_all: false });
        }
    }

    /// Removes the marker once the recovered document was drawn and checked.
    fn note_opened_copy(&mut self) {
        if !self.recovery.is_opening || self.check.is_busy() || !self.was_drawn {
            return;
        }
        self.recovery.is_opening = false;
        if let Some(source) = &self.recovery.source {
            remove(&source.mark());
        }
        self.copy_unsaved_work();
    }
}

impl Left {
    /// Removes the copy for good.
    pub fn discard(self) {
        remove_copy(&self.copy, &self.lock);
        remove(&self.mark());
        remove(&self.lock);
    }

    /// Returns the marker file of an opening in progress.
    fn mark(&self) -> PathBuf {
        self.lock.with_extension("opening")
    }
}

fn take_place(home: &Path) -> Option<Own> {
    let folder = home.join("recovery");
    std::fs::create_dir_all(&folder).ok()?;
    let pid = std::process::id();
    (0..100).find_map(|number: u32| {
        let lock = folder.join(format!("{pid}-{number}.lock"));
        let held = OpenOptions::new().create(true).truncate(false).write(true).open(&lock).ok()?;
        held.try_lock().ok()?;
        let copy = lock.with_extension(files::EXTENSION);
        // An existing copy belongs to another program.
        (!copy.exists()).then_some(Own { copy, lock, _held: held })
    })
}

fn left_behind(lock: PathBuf) -> Option<Left> {
    let held = OpenOptions::new().write(true).open(&lock).ok()?;
    held.try_lock().ok()?;
    let copy = lock.with_extension(files::EXTENSION);
    let Ok(about) = std::fs::metadata(&copy) else {
        remove(&lock);
        return None;
    };
    let belongs = read_bounded(&lock.with_extension("path"), LONGEST_PATH).unwrap_or_default();
    let (path, disk) = path_of_text(&String::from_utf8_lossy(&belongs));
    let has_crashed = lock.with_extension("opening").exists();
    let (written, size) = (about.modified().ok(), about.len());
    Some(Left { copy, lock, path, disk, written, size, has_crashed, _held: Arc::new(held) })
}

/// The path, and after a zero byte the length and hash of the file's content.
fn text_of_path(path: Option<&Path>, disk: Option<Stamp>) -> String {
    let path = path.map(|path| path.display().to_string()).unwrap_or_default();
    match disk {
        Some(Stamp { length, hash }) => format!("{path}\0{length} {hash}"),
        None => path,
    }
}

fn path_of_text(text: &str) -> (Option<PathBuf>, Option<Stamp>) {
    let (path, stamp) = text.split_once('\0').unwrap_or((text, ""));
    let stamp = stamp
        .split_once(' ')
        .and_then(|(length, hash)| Some(Stamp { length: length.parse().ok()?, hash: hash.parse().ok()? }));
    (Some(path).filter(|path| !path.is_empty()).map(PathBuf::from), stamp)
}

fn remove_copy(copy: &Path, lock: &Path) {
    remove(copy);
    remove(&lock.with_extension("path"));
}

/// The file may not exist.
fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

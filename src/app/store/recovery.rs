//! Recovery copies of unsaved work, written every few seconds, offered after a crash.
//!
//! Each running program locks its own file in the folder `recovery`; copies whose lock is free were
//! left by a program that crashed. Beside `1-0.lock` are `1-0.simx`, the copy; `1-0.path`, the path of its file
//! and the stamp of that file, written before the copy; `1-0.opening` while the copy is being opened: if the program
//! crashed meanwhile, the copy is opened again only if the user insists; and `1-0.open`, the path of the open document's
//! file, so that other windows know of it.
//!
//! A copy is removed only when its work is saved, discarded, or in a newer copy on disk.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use super::files::{self, FileProblem, Stamp};
use super::jobs::{About, Jobs};
use super::unsaved_work::UnsavedWork;
use crate::format::{self, Formats, read_bounded};
use crate::model::Simulation;

/// The extension of the files with the path of an open document.
const OPEN: &str = "open";
/// The maximum size of a path file in bytes.
const LONGEST_PATH: u64 = 1 << 16;

pub struct Recovery {
    /// `None` if no copies can be written.
    pub own: Option<Own>,
    /// The document and revision of the copy on disk.
    pub written: Option<(u64, u64)>,
    pub is_writing: bool,
    /// The last copy could not be written, and the user was informed.
    pub has_failed: bool,
    /// Counts removals of the copy; results of earlier writes are outdated.
    pub dropped: u64,
    pub last: Option<Instant>,
    /// The copy that the open document was recovered from, until its work is safe elsewhere.
    pub source: Option<Left>,
    /// The copy is being opened and was not drawn yet.
    pub is_opening: bool,
    /// The file that the other windows know to be open here.
    pub announced: Option<PathBuf>,
    /// The window had the focus in the last frame.
    pub had_focus: bool,
    /// The unsaved work, for those who keep it without the window.
    pub shared: UnsavedWork,
}

/// The files of this program.
pub struct Own {
    pub copy: PathBuf,
    pub lock: PathBuf,
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
    pub disk: Option<Stamp>,
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
            own: home.and_then(claim_folder),
            written: None,
            is_writing: false,
            has_failed: false,
            dropped: 0,
            last: None,
            source: None,
            is_opening: false,
            announced: None,
            had_focus: false,
            shared: UnsavedWork::default(),
        }
    }

    /// Returns the copies of crashed programs, the most recent first.
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
    pub fn drop_copy<W: 'static>(&mut self, jobs: &mut Jobs<W>) {
        self.dropped += 1;
        self.is_opening = false;
        if let Some(source) = self.source.take() {
            jobs.start(About { must_end: true, ..About::default() }, move || source.discard(), |_, ()| ());
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
            remove(&own.lock.with_extension(OPEN));
            remove(&own.lock);
        }
    }
}

/// A copy to be written: the work, and the file that it belongs to.
pub struct WorkCopy {
    pub copy: PathBuf,
    pub simulation: Arc<Simulation>,
    pub path: Option<PathBuf>,
    pub disk: Option<Stamp>,
}

impl WorkCopy {
    /// Writes the copy. A crash at any moment leaves the old copy or the new one, with the path of its file.
    ///
    /// # Errors
    /// If it cannot be written; the old copy is then unchanged.
    pub fn write(&self, formats: &Formats) -> Result<(), FileProblem> {
        let belongs = text_of_path(self.path.as_deref(), self.disk);
        // Without it the copy is offered as work without a file.
        let _ = format::replace(&self.copy.with_extension("path"), &belongs);
        files::save(formats, &self.copy, &self.simulation)
    }
}

/// Tells other windows which file is open in this one, and returns whether one of them has it open too. `lock` is the
/// lock of this program.
pub fn announce(lock: &Path, path: Option<&Path>) -> bool {
    let own = lock.with_extension(OPEN);
    // A file that does not exist is open nowhere.
    let Some(path) = path.and_then(|path| std::fs::canonicalize(path).ok()) else {
        remove(&own);
        return false;
    };
    let text = path.as_os_str().as_encoded_bytes();
    if read_bounded(&own, LONGEST_PATH).ok().as_deref() != Some(text) {
        // If this fails, other windows do not know that the file is open here.
        let _ = format::replace(&own, text);
    }
    let entries = lock.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let mut others = entries.into_iter().flatten().flatten().map(|entry| entry.path()).filter(|other| *other != own);
    others.any(|other| {
        other.extension().is_some_and(|extension| extension == OPEN)
            && read_bounded(&other, LONGEST_PATH).is_ok_and(|known| known == text)
            && is_locked(&other.with_extension("lock"))
    })
}

/// Returns whether a running program holds a lock.
fn is_locked(lock: &Path) -> bool {
    OpenOptions::new().write(true).open(lock).is_ok_and(|file| file.try_lock().is_err())
}

impl Left {
    /// Removes the copy for good.
    pub fn discard(self) {
        remove_copy(&self.copy, &self.lock);
        remove(&self.mark());
        remove(&self.lock);
    }

    /// Returns the marker file of an opening in progress.
    pub fn mark(&self) -> PathBuf {
        self.lock.with_extension("opening")
    }
}

fn claim_folder(home: &Path) -> Option<Own> {
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
    remove(&lock.with_extension(OPEN));
    let Ok(about) = std::fs::metadata(&copy) else {
        remove_copy(&copy, &lock);
        remove(&lock);
        return None;
    };
    let belongs = read_bounded(&lock.with_extension("path"), LONGEST_PATH).unwrap_or_default();
    let (path, disk) = path_of_text(&belongs);
    let has_crashed = lock.with_extension("opening").exists();
    let (written, size) = (about.modified().ok(), about.len());
    Some(Left { copy, lock, path, disk, written, size, has_crashed, _held: Arc::new(held) })
}

/// The bytes of the path, and after a zero byte the length and hash of the file's content.
fn text_of_path(path: Option<&Path>, disk: Option<Stamp>) -> Vec<u8> {
    let mut text = path.and_then(bytes_of_path).unwrap_or_default();
    if let Some(Stamp { length, hash }) = disk {
        text.extend(format!("\0{length} {hash}").bytes());
    }
    text
}

fn path_of_text(text: &[u8]) -> (Option<PathBuf>, Option<Stamp>) {
    let mut parts = text.splitn(2, |byte| *byte == 0);
    let path = parts.next().filter(|path| !path.is_empty()).and_then(path_of_bytes);
    let stamp = parts.next().and_then(|stamp| {
        let (length, hash) = std::str::from_utf8(stamp).ok()?.split_once(' ')?;
        Some(Stamp { length: length.parse().ok()?, hash: hash.parse().ok()? })
    });
    (path, stamp)
}

/// A path may be any bytes: it is kept as it is, since another one would be another file.
#[cfg(unix)]
fn bytes_of_path(path: &Path) -> Option<Vec<u8>> {
    use std::os::unix::ffi::OsStrExt as _;
    Some(path.as_os_str().as_bytes().to_vec())
}

#[cfg(unix)]
fn path_of_bytes(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    Some(std::ffi::OsString::from_vec(bytes.to_vec()).into())
}

/// A path that is no Unicode text is not kept: its copy is offered as work without a file.
#[cfg(not(unix))]
fn bytes_of_path(path: &Path) -> Option<Vec<u8>> {
    path.to_str().map(|path| path.as_bytes().to_vec())
}

#[cfg(not(unix))]
fn path_of_bytes(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

fn remove_copy(copy: &Path, lock: &Path) {
    remove(copy);
    remove(&lock.with_extension("path"));
}

/// Removes a file, which may not exist.
pub fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

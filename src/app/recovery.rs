//! A copy of unsaved work, written every few seconds, offered again after a crash.
//!
//! Each running program holds a lock on a file of its own in the folder `recovery`; copies whose lock is free were
//! left by a program that did not end in order.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded};

use super::files;
use crate::model::Simulation;

/// How long unsaved work waits for its copy.
const EVERY: Duration = Duration::from_secs(10);

pub struct Recovery {
    /// None where nothing can be kept.
    own: Option<Own>,
    written: Option<(u64, u64)>,
    last: Instant,
    writing: Option<Receiver<()>>,
}

struct Own {
    copy: PathBuf,
    lock: PathBuf,
    /// Held until the program ends, in whatever way.
    _held: File,
}

/// Work that a crash left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    pub copy: PathBuf,
    lock: PathBuf,
    /// Where it belongs, if it had a file.
    pub path: Option<PathBuf>,
}

impl Recovery {
    /// `home` is the folder of the settings.
    pub fn new(home: Option<&Path>) -> Recovery {
        Recovery { own: home.and_then(take_place), written: None, last: Instant::now(), writing: None }
    }

    /// Copies left by programs that ended without order, the oldest first.
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
        found.sort_by(|a, b| a.copy.cmp(&b.copy));
        found
    }

    /// Writes a copy when it is time. `document` and `revision` name the state.
    pub fn keep(&mut self, document: u64, revision: u64, simulation: &Arc<Simulation>, path: Option<&Path>) {
        if self.writing.as_ref().is_some_and(|writing| writing.try_recv().is_err_and(|error| error.is_empty())) {
            return;
        }
        self.writing = None;
        let Some(own) = &self.own else { return };
        if self.written == Some((document, revision)) || self.last.elapsed() < EVERY {
            return;
        }
        self.last = Instant::now();
        self.written = Some((document, revision));
        let (sender, done) = bounded(1);
        let (copy, lock) = (own.copy.clone(), own.lock.clone());
        let simulation = Arc::clone(simulation);
        let path = path.map(|path| path.display().to_string()).unwrap_or_default();
        std::thread::spawn(move || {
            // A copy that cannot be written must not disturb the work.
            if files::save(&copy, &simulation).is_ok() {
                let _ = std::fs::write(lock.with_extension("path"), path);
            }
            let _ = sender.send(());
        });
        self.writing = Some(done);
    }

    /// When a copy of this state may be due; none where there is one, or is to be none.
    pub fn wait(&self, document: u64, revision: u64) -> Option<Duration> {
        let is_due = self.own.is_some() && self.written != Some((document, revision));
        is_due.then(|| EVERY.saturating_sub(self.last.elapsed()).max(Duration::from_millis(200)))
    }

    /// The work is safe elsewhere or given up: no copy is needed.
    pub fn drop_copy(&mut self) {
        if let Some(writing) = self.writing.take() {
            let _ = writing.recv_timeout(Duration::from_secs(2));
        }
        self.written = None;
        if let Some(own) = &self.own {
            remove(&own.copy);
            remove(&own.lock.with_extension("path"));
        }
    }

    /// The program ends in order.
    pub fn finish(&mut self) {
        self.drop_copy();
        if let Some(own) = self.own.take() {
            remove(&own.lock);
        }
    }
}

impl Left {
    /// Removes the copy for good.
    pub fn discard(&self) {
        remove(&self.copy);
        remove(&self.lock.with_extension("path"));
        remove(&self.lock);
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
        // A copy that stands here already is not ours to write over.
        (!copy.exists()).then_some(Own { copy, lock, _held: held })
    })
}

fn left_behind(lock: PathBuf) -> Option<Left> {
    let file = OpenOptions::new().write(true).open(&lock).ok()?;
    file.try_lock().ok()?;
    let copy = lock.with_extension(files::EXTENSION);
    if !copy.exists() {
        remove(&lock);
        return None;
    }
    let path = std::fs::read_to_string(lock.with_extension("path")).ok().filter(|path| !path.is_empty());
    Some(Left { copy, lock, path: path.map(PathBuf::from) })
}

/// What is not there need not be removed.
fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

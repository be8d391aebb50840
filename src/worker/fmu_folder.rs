//! The folder to which an FMU is unpacked. It is removed with its owner; that of a program that was killed is removed by
//! the next one that unpacks an FMU.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

const PREFIX: &str = "simulate-fmu-";
/// A file that its owner holds locked as long as it lives.
const LOCK: &str = "in-use.lock";
/// A folder of this age without a lock has no owner: a new one is locked at once.
const ABANDONED: Duration = Duration::from_secs(3600);

#[derive(Debug)]
pub struct FmuFolder {
    folder: TempDir,
    _lock: File,
}

impl FmuFolder {
    /// Makes an empty folder, and removes those of programs that were killed.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new() -> io::Result<FmuFolder> {
        let parent = std::env::temp_dir();
        remove_abandoned(&parent);
        FmuFolder::within(&parent)
    }

    fn within(parent: &Path) -> io::Result<FmuFolder> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        lock.lock()?;
        Ok(FmuFolder { folder, _lock: lock })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn remove_abandoned(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        // A link that was placed there is not followed.
        if is_ours && entry.file_type().is_ok_and(|of| of.is_dir()) && is_abandoned(&entry.path()) {
            // Another program may remove it at the same time; that of another user stays.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(folder: &Path) -> bool {
    match File::open(folder.join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let changed = fs::metadata(folder).and_then(|about| about.modified());
            changed.is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > ABANDONED))
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_killed_programs_are_removed_and_no_others() {
        let parent = tempfile::tempdir().expect("a folder");
        let live = FmuFolder::within(parent.path()).expect("a folder");
        // One whose owner was killed keeps its lock file; one has just been made and has none yet.
        let make = |name: &str| {
            let folder = parent.path().join(name);
            fs::create_dir(&folder).expect("a folder");
            folder
        };
        let [killed, new, other] = ["simulate-fmu-killed", "simulate-fmu-new", "other"].map(make);
        fs::write(killed.join(LOCK), "").expect("it is written");
        fs::write(killed.join("model.so"), "").expect("it is written");
        fs::write(other.join(LOCK), "").expect("it is written");
        let old = make("simulate-fmu-old");
        let long_ago = SystemTime::now() - 2 * ABANDONED;
        File::open(&old).and_then(|file| file.set_modified(long_ago)).expect("its time is set");
        remove_abandoned(parent.path());
        let is_there = [live.path(), &killed, &new, &other, &old].map(Path::exists);
        assert_eq!(is_there, [true, false, true, true, false]);
        let path = live.path().to_owned();
        drop(live);
        assert!(!path.exists());
    }
}

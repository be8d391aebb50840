//! A file that takes the place of another when it is complete.
//!
//! It is written beside its target under a temporary name and renamed at the end, so that a crash or a full disk leaves
//! the old file as it was. A process that is killed leaves its temporary file; the next one that writes to the folder
//! removes it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tempfile::NamedTempFile;

use super::scratch_file::ScratchFile;

/// Temporary files have names that no other program gives: `.simulate-1a2B3c4D5e.tmp`.
const PREFIX: &str = ".simulate-";
const SUFFIX: &str = ".tmp";
const RANDOM: usize = 10;
/// A younger file may have been created but not locked yet.
const YOUNG: Duration = Duration::from_secs(60);

/// The number of names that are tried for the kept rows of a file.
const MAX_KEPT: u32 = 100;

/// The temporary files of this process.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes the temporary files of this process, which ends at once: they are not committed any more.
pub fn remove_unfinished() {
    let unfinished = std::mem::take(&mut *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner));
    for path in unfinished {
        let _ = fs::remove_file(path);
    }
}

/// A temporary file in the list of [`remove_unfinished`], as long as this lives.
#[derive(Debug)]
struct Listed(PathBuf);

impl Listed {
    fn new(path: &Path) -> Listed {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        Listed(path.to_owned())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

/// A file that replaces its target when it is committed. Dropping it removes it.
#[derive(Debug)]
pub struct NewFile {
    file: NamedTempFile,
    _listed: Listed,
    target: PathBuf,
    /// `None` if the user may write to the folder, but not read it.
    folder: Option<File>,
    /// The folder through which the paths of the file and of its target lead, if they lead through an open one.
    _held: Option<File>,
}

impl NewFile {
    /// Creates a file beside `target`, with the permissions of `target` and, where allowed, its owner.
    ///
    /// # Errors
    /// If the folder is not writable.
    pub(super) fn create(target: &Path) -> io::Result<NewFile> {
        NewFile::create_in(target, None)
    }

    /// The same with a folder that must stay open until the file is committed, since the path of `target` needs it.
    ///
    /// # Errors
    /// If the folder is not writable.
    pub(super) fn create_in(target: &Path, held: Option<File>) -> io::Result<NewFile> {
        let folder = folder_of(target);
        remove_leftovers(folder, YOUNG);
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(RANDOM);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder).map_err(plain)?;
        // A locked file belongs to a running process. On a file system without locks it is only young.
        let _ = file.as_file().try_lock();
        if let Ok(old) = fs::metadata(target) {
            keep_attributes(file.as_file(), &old).map_err(plain)?;
        }
        // Opened here, because an error after the renaming would come too late.
        let (listed, folder) = (Listed::new(file.path()), File::open(folder).ok());
        Ok(NewFile { file, _listed: listed, target: target.to_owned(), folder, _held: held })
    }

    /// Creates a temporary file in the same folder.
    ///
    /// # Errors
    /// If the folder is not writable any more.
    pub fn scratch(&self) -> io::Result<ScratchFile> {
        ScratchFile::beside(&self.target)
    }

    /// Replaces the target, durably: the content is on the disk before the name, and the name when this returns.
    ///
    /// # Errors
    /// If the disk is full, the folder is not writable, or the disk is damaged; the target is then unchanged or complete.
    pub fn commit(self) -> io::Result<()> {
        self.file.as_file().sync_all().map_err(plain)?;
        self.file.persist(&self.target).map_err(|error| plain(error.error))?;
        sync_folder(self.folder.as_ref()).map_err(plain)
    }

    /// Keeps the first bytes of a file that cannot be completed under a new name beside its target, `a.incomplete.csv` for
    /// `a.csv`, and returns that name. The target stays as it was.
    ///
    /// # Errors
    /// If the file cannot be shortened or renamed.
    pub(super) fn keep_incomplete(mut self, length: u64) -> io::Result<String> {
        self.file.as_file().set_len(length)?;
        // A full disk may refuse that, too; the bytes are kept nevertheless.
        let _ = self.file.as_file().sync_all();
        let stem = self.target.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let extension = self.target.extension().map(|extension| format!(".{}", extension.to_string_lossy()));
        let extension = extension.unwrap_or_default();
        for number in 1..=MAX_KEPT {
            let number = if number == 1 { String::new() } else { format!("-{number}") };
            let name = format!("{stem}.incomplete{number}{extension}");
            match self.file.persist_noclobber(self.target.with_file_name(&name)) {
                Ok(_) => return Ok(name),
                Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => self.file = failed.file,
                Err(failed) => return Err(failed.error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes).map_err(plain)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush().map_err(plain)
    }
}

pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The message for a path that leads through a file.
pub(super) const NO_FOLDER: &str = "a part of the path is a file, not a folder; check the path";

/// Replaces the error of a path that leads through a file by one with a clear message; other errors stay.
pub(super) fn through_file(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::NotADirectory => io::Error::new(io::ErrorKind::NotADirectory, NO_FOLDER),
        _ => error,
    }
}

/// Describes an error of the system in plain words instead of a number, without the name of the temporary file.
pub(super) fn plain(error: io::Error) -> io::Error {
    let kind = error.kind();
    let text = match kind {
        io::ErrorKind::StorageFull => "the disk is full; free some space and try again",
        io::ErrorKind::QuotaExceeded => "your share of the disk is full; free some space and try again",
        io::ErrorKind::FileTooLarge => "the file would be larger than the system allows",
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only",
        io::ErrorKind::PermissionDenied => "you have no permission to write here",
        io::ErrorKind::NotFound => "the folder does not exist",
        io::ErrorKind::NotADirectory => NO_FOLDER,
        _ => match error.to_string().split_once(" at path ") {
            Some((what, _)) => return io::Error::new(kind, what),
            None => return error,
        },
    };
    io::Error::new(kind, text)
}

#[cfg(unix)]
fn keep_attributes(new: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    // Only the administrator may give a file away; its owner may give it to another group that he belongs to.
    let _ = fchown(new, Some(old.uid()), Some(old.gid())).or_else(|_| fchown(new, None, Some(old.gid())));
    new.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn keep_attributes(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn sync_folder(folder: Option<&File>) -> io::Result<()> {
    match folder.map_or(Ok(()), File::sync_all) {
        // Some file systems cannot.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        done => done,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: Option<&File>) -> io::Result<()> {
    Ok(())
}

/// Removes temporary files of processes that were killed. Files that cannot be removed stay.
fn remove_leftovers(folder: &Path, young: Duration) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| is_temporary(&entry.file_name())) {
        let age = entry.metadata().and_then(|about| about.modified()).ok().and_then(|at| at.elapsed().ok());
        let is_left = age.is_some_and(|age| age >= young)
            && File::options().write(true).open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if is_left {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_temporary(name: &OsStr) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
    random.is_some_and(|random| random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("the folder").flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn leftovers_of_killed_processes_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = [
            ".a.simx.backup",
            ".simulate-12345-7890.tmp",
            ".simulate-12345.tmp",
            ".simulate-1234567890.tmp.bak",
            "a.simx",
            "simulate-1.tmp",
        ];
        for name in kept.into_iter().chain([".simulate-abcDEF1234.tmp"]) {
            fs::write(folder.path().join(name), "x").expect("a file");
        }
        let written = NewFile::create(&folder.path().join("b.simx")).expect("it can be written");
        assert!(names(folder.path()).contains(&".simulate-abcDEF1234.tmp".to_owned()), "it is young");
        remove_leftovers(folder.path(), Duration::ZERO);
        let mut left = names(folder.path());
        let own = written.file.path().file_name().expect("a name").to_string_lossy().into_owned();
        left.retain(|name| *name != own);
        assert_eq!(left, kept);
        written.commit().expect("the file of a running process stays");
        assert!(folder.path().join("b.simx").is_file());
    }

    #[test]
    fn what_is_not_committed_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.simx");
        fs::write(&path, "old").expect("a file");
        let mut file = NewFile::create(&path).expect("it can be written");
        file.write_all(b"new").expect("there is room");
        drop(file);
        assert_eq!(names(folder.path()), ["a.simx"]);
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "old");
    }
}

//! The files that blocks read and write, relative to a folder: tables from CSV and WAV files, and CSV output.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::disk::behind_links;
use super::names::{is_reserved, names_a_server};
use super::new_file::through_file;
use super::real::{begin_real, read_real};
use super::{FileKind, Formats, LineFile, tables};
use crate::block::{DataTable, FileAccess, FileError, Files, RowWriter};

/// Gives blocks access to the files in a folder, and in other folders that the user has allowed. Access is checked
/// after resolving links, and the checked file is the one that is opened. A path to another computer is refused without
/// accessing it. Tables are cached until the file changes.
#[derive(Debug)]
pub struct Folder {
    base: PathBuf,
    reads: Vec<PathBuf>,
    writes: Vec<PathBuf>,
    known: Mutex<BTreeMap<PathBuf, Known>>,
    refused: Mutex<BTreeSet<Outside>>,
}

/// A file outside the allowed folders, with links resolved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outside {
    pub folder: PathBuf,
    pub file: PathBuf,
    pub access: FileAccess,
}

#[derive(Clone, Debug)]
struct Known {
    changed: SystemTime,
    size: u64,
    table: Arc<DataTable>,
}

/// The maximum size of a table file, in bytes.
const MAX_BYTES: u64 = 1 << 30;

impl Folder {
    /// Gives access to the folder of a simulation file.
    pub fn beside(file: &Path) -> Folder {
        Folder::new(file.parent().unwrap_or(Path::new("")))
    }

    pub fn new(base: &Path) -> Folder {
        let (reads, writes) = (Vec::new(), Vec::new());
        Folder { base: base.to_owned(), reads, writes, known: Mutex::default(), refused: Mutex::default() }
    }

    /// Also allows reading from the folders `reads` and writing to the folders `writes`.
    #[must_use]
    pub fn allowing(self, reads: &[PathBuf], writes: &[PathBuf]) -> Folder {
        Folder { reads: reads.to_vec(), writes: writes.to_vec(), ..self }
    }

    /// Returns the files that were refused since the last call.
    pub fn take_refused(&self) -> BTreeSet<Outside> {
        std::mem::take(&mut self.refused.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the real path of a file that a block names and may read.
    ///
    /// # Errors
    /// If there is no such file, or it may not be read.
    pub fn locate(&self, path: &str) -> Result<PathBuf, FileError> {
        self.find(&self.path(path, FileAccess::Read)?)
    }

    /// Returns the real path of a file that may be written. It need not exist, but its folder must.
    ///
    /// # Errors
    /// If the folder does not exist, or the file may not be written.
    pub fn target(&self, path: &str) -> Result<PathBuf, FileError> {
        self.find_target(&self.path(path, FileAccess::Write)?)
    }

    /// Returns the folders with this access.
    fn allowed(&self, access: FileAccess) -> impl Iterator<Item = &Path> {
        let allowed = if access == FileAccess::Write { &self.writes } else { &self.reads };
        let base = if self.base.as_os_str().is_empty() { Path::new(".") } else { &self.base };
        std::iter::once(base).chain(allowed.iter().map(PathBuf::as_path))
    }

    /// Refuses a file outside the allowed folders.
    fn check_access(&self, wanted: Outside) -> Result<(), FileError> {
        let mut folders = self.allowed(wanted.access);
        match folders.any(|folder| fs::canonicalize(folder).is_ok_and(|folder| wanted.folder.starts_with(folder))) {
            true => Ok(()),
            false => Err(self.refuse(wanted)),
        }
    }

    fn refuse(&self, wanted: Outside) -> FileError {
        let path = wanted.file.clone();
        let error = if wanted.access == FileAccess::Write {
            FileError::WriteRefused(path)
        } else {
            FileError::ReadRefused(path)
        };
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(wanted);
        error
    }

    /// Returns the path that a block names, without accessing the disk.
    fn path(&self, path: &str, access: FileAccess) -> Result<PathBuf, FileError> {
        let text = path.trim();
        if text.is_empty() {
            return Err(FileError::NoName);
        }
        let path = self.base.join(text);
        if cfg!(windows) && path.file_name().is_some_and(|name| is_reserved(&name.to_string_lossy())) {
            return Err(FileError::Reserved(path));
        }
        // Looking a file up on another computer tells that computer who asks, and may wait for its answer.
        if names_a_server(text) && !self.allowed(access).any(|folder| path.starts_with(folder)) {
            let folder = path.parent().unwrap_or(&path).to_owned();
            return Err(self.refuse(Outside { folder, file: path, access }));
        }
        Ok(path)
    }

    /// Returns the real path of a file that may be read.
    fn find(&self, path: &Path) -> Result<PathBuf, FileError> {
        let real = fs::canonicalize(path).map_err(|error| unreadable(error, path))?;
        let folder = real.parent().unwrap_or(&real).to_owned();
        self.check_access(Outside { folder, file: real.clone(), access: FileAccess::Read })?;
        Ok(real)
    }

    /// Reads the file with a real path, or returns the table from the last time that it was read.
    fn read(&self, path: &Path, real: &Path) -> Result<Arc<DataTable>, FileError> {
        let unreadable = |error: io::Error| unreadable(error, path);
        let about = fs::symlink_metadata(real).map_err(unreadable)?;
        if !about.is_file() {
            return Err(FileError::NotRegular(path.to_owned()));
        }
        if about.len() > MAX_BYTES {
            return Err(FileError::TooLong { limit: MAX_BYTES, path: path.to_owned() });
        }
        let (changed, size) = (about.modified().map_err(unreadable)?, about.len());
        // A panic cannot leave the map inconsistent.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(real)
            && (known.changed, known.size) == (changed, size)
        {
            return Ok(Arc::clone(&known.table));
        }
        let bytes = read_real(real, MAX_BYTES).map_err(unreadable)?;
        let table = tables::read(&bytes).map_err(|error| FileError::Table { error, path: path.to_owned() })?;
        let table = Arc::new(table);
        known.insert(real.to_owned(), Known { changed, size, table: Arc::clone(&table) });
        Ok(table)
    }

    /// Returns the real path of a file that may be written. The file need not exist, but its folder must.
    fn find_target(&self, path: &Path) -> Result<PathBuf, FileError> {
        let unwritable = |error: io::Error| unwritable(error, path);
        let target = behind_links(path).map_err(unwritable)?;
        let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let parent = fs::canonicalize(parent).map_err(unwritable)?;
        let real = target.file_name().map_or_else(|| parent.clone(), |name| parent.join(name));
        self.check_access(Outside { folder: parent, file: real.clone(), access: FileAccess::Write })?;
        Ok(real)
    }
}

fn unreadable(error: io::Error, path: &Path) -> FileError {
    FileError::Unreadable { error: through_file(error), path: path.to_owned() }
}

fn unwritable(error: io::Error, path: &Path) -> FileError {
    FileError::Unwritable { error: through_file(error), path: path.to_owned() }
}

impl Files for Folder {
    fn read_files(&self) -> Vec<PathBuf> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    fn table(&self, path: &str) -> Result<Arc<DataTable>, FileError> {
        let path = self.path(path, FileAccess::Read)?;
        self.read(&path, &self.find(&path)?)
    }

    fn create(&self, path: &str, columns: &[String]) -> Result<Box<dyn RowWriter>, FileError> {
        let path = self.path(path, FileAccess::Write)?;
        // A simulation from an unknown source must not write executable or configuration files.
        if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("csv")) {
            return Err(FileError::NotCsv(path));
        }
        let target = self.find_target(&path)?;
        // A link of this name may lead to a file of another kind.
        if let Ok(Some(found)) = FileKind::of_file(&target, &Formats::standard())
            && found != FileKind::Csv
        {
            return Err(FileError::OtherKind { found: found.text(), path: target });
        }
        let begin = || {
            let mut head = csv::Writer::from_writer(Vec::new());
            head.write_record(columns)?;
            let head = head.into_inner().map_err(|error| error.into_error())?;
            LineFile::begin(begin_real(&target)?, &head)
        };
        let file = begin().map_err(|error| unwritable(error, &path))?;
        Ok(Box::new(Rows { writer: csv::Writer::from_writer(file), path: path.clone() }))
    }
}

struct Rows {
    writer: csv::Writer<LineFile>,
    path: PathBuf,
}

impl Rows {
    fn fields(&mut self, fields: impl Iterator<Item = impl AsRef<[u8]>>) -> Result<(), FileError> {
        self.writer.write_record(fields).map_err(|error| unwritable(error.into(), &self.path))
    }
}

impl RowWriter for Rows {
    fn row(&mut self, cells: &[Option<f64>]) -> Result<(), FileError> {
        let text = |cell: &Option<f64>| match cell {
            None => String::new(),
            Some(value) if value.is_nan() => "nan".to_owned(),
            Some(value) => value.to_string(),
        };
        self.fields(cells.iter().map(text))
    }

    fn finish(self: Box<Self>) -> Result<(), FileError> {
        let Rows { writer, path } = *self;
        let unwritable = |error: io::Error| unwritable(error, &path);
        let file = writer.into_inner().map_err(|error| unwritable(error.into_error()))?;
        file.commit().map_err(unwritable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "time,u\n0,1\n1,2\n";

    /// A folder with `models`, and `other` beside it, each with a table `a.csv`; and access to `models`.
    fn folders() -> (tempfile::TempDir, Folder) {
        let all = tempfile::tempdir().expect("a folder");
        for name in ["models", "other"] {
            fs::create_dir(all.path().join(name)).expect("a folder");
            fs::write(all.path().join(name).join("a.csv"), TABLE).expect("a file");
        }
        let folder = Folder::new(&all.path().join("models"));
        (all, folder)
    }

    fn is_refused<T>(result: Result<T, FileError>) -> bool {
        matches!(result, Err(FileError::ReadRefused(_) | FileError::WriteRefused(_)))
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_link_that_came_after_the_check_gives_no_access() {
        let (all, folder) = folders();
        let inside = all.path().join("models");
        let (path, target) = (inside.join("a.csv"), inside.join("out.csv"));
        let (real, real_target) = (folder.find(&path).expect("inside"), folder.find_target(&target).expect("inside"));
        assert!(folder.read(&path, &real).is_ok());
        fs::rename(&inside, all.path().join("before")).expect("it is moved");
        std::os::unix::fs::symlink(all.path().join("other"), &inside).expect("a link");
        // The time or size differs, so the cached table is not used.
        fs::write(all.path().join("other/a.csv"), "time,u\n0,1\n1,2\n2,3\n").expect("a file");
        assert!(matches!(folder.read(&path, &real), Err(FileError::Unreadable { .. })));
        assert!(begin_real(&real_target).is_err());
        assert!(!all.path().join("other/out.csv").exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_whose_name_differs_in_case_is_another_one() {
        let (all, folder) = folders();
        fs::create_dir(all.path().join("Models")).expect("a folder");
        fs::write(all.path().join("Models/a.csv"), TABLE).expect("a file");
        assert!(is_refused(folder.table("../Models/a.csv")));
        assert!(is_refused(folder.create("../Models/out.csv", &[])));
        assert!(folder.table("../models/a.csv").is_ok());
    }

    /// These names are of a computer that does not exist, and of a file that does: neither is accessed.
    #[test]
    fn another_computer_is_not_asked() {
        let (all, folder) = folders();
        let twice = format!("/{}", all.path().join("other/a.csv").display());
        for path in ["//nowhere.invalid/share/a.csv", &twice] {
            assert!(is_refused(folder.table(path)), "{path}");
            assert!(is_refused(folder.create(path, &[])), "{path}");
            let refused = folder.take_refused();
            assert_eq!(refused.len(), 2, "the user is asked for {path}");
            assert!(refused.iter().all(|outside| outside.file == Path::new(path)), "{refused:?}");
        }
        // Once it is allowed, it is looked at.
        let server = [PathBuf::from("//nowhere.invalid/share")];
        let folder = folder.allowing(&server, &[]);
        assert!(matches!(folder.table("//nowhere.invalid/share/a.csv"), Err(FileError::Unreadable { .. })));
        assert!(is_refused(folder.create("//nowhere.invalid/share/a.csv", &[])), "reading is not writing");
    }
}

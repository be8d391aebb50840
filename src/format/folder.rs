//! The files that blocks read and write, relative to a folder: tables from CSV and WAV files, and CSV output.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::disk::{begin, behind_links, read_bounded};
use super::new_file::NewFile;
use super::tables;
use crate::block::{DataTable, FileError, Files, RowWriter};

/// Gives blocks access to the files in a folder, and in other folders that the user has allowed. Access is checked
/// after resolving links. Tables are cached until the file changes.
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
    /// Whether a block wants to write the file, not read it.
    pub is_written: bool,
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

    /// Refuses a file outside the allowed folders.
    fn check_access(&self, wanted: Outside) -> Result<(), FileError> {
        let allowed = if wanted.is_written { &self.writes } else { &self.reads };
        let base = if self.base.as_os_str().is_empty() { Path::new(".") } else { &self.base };
        let mut folders = std::iter::once(base).chain(allowed.iter().map(PathBuf::as_path));
        if folders.any(|folder| fs::canonicalize(folder).is_ok_and(|folder| wanted.folder.starts_with(folder))) {
            return Ok(());
        }
        let path = wanted.file.clone();
        let error = if wanted.is_written { FileError::WriteRefused(path) } else { FileError::ReadRefused(path) };
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(wanted);
        Err(error)
    }

    fn path(&self, path: &str) -> Result<PathBuf, FileError> {
        match path.trim() {
            "" => Err(FileError::NoName),
            path => Ok(self.base.join(path)),
        }
    }
}

impl Files for Folder {
    fn table(&self, path: &str) -> Result<Arc<DataTable>, FileError> {
        let path = self.path(path)?;
        let unreadable = |error: io::Error| FileError::Unreadable { error, path: path.clone() };
        let real = fs::canonicalize(&path).map_err(unreadable)?;
        let folder = real.parent().unwrap_or(&real).to_owned();
        self.check_access(Outside { folder, file: real.clone(), is_written: false })?;
        let about = fs::metadata(&real).map_err(unreadable)?;
        if !about.is_file() {
            return Err(FileError::NotRegular(path));
        }
        if about.len() > MAX_BYTES {
            return Err(FileError::TooLong { limit: MAX_BYTES, path });
        }
        let (changed, size) = (about.modified().map_err(unreadable)?, about.len());
        // A panic cannot leave the map inconsistent.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&path)
            && (known.changed, known.size) == (changed, size)
        {
            return Ok(Arc::clone(&known.table));
        }
        let bytes = read_bounded(&real, MAX_BYTES).map_err(unreadable)?;
        let table = tables::read(&bytes).map_err(|error| FileError::Table { error, path: path.clone() })?;
        let table = Arc::new(table);
        known.insert(path, Known { changed, size, table: Arc::clone(&table) });
        Ok(table)
    }

    fn create(&self, path: &str, columns: &[String]) -> Result<Box<dyn RowWriter>, FileError> {
        let path = self.path(path)?;
        // A simulation from an unknown source must not write executable or configuration files.
        if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("csv")) {
            return Err(FileError::NotCsv(path));
        }
        let unwritable = |error: io::Error| FileError::Unwritable { error, path: path.clone() };
        // The file need not exist, but its folder must.
        let target = behind_links(&path).map_err(unwritable)?;
        let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let parent = fs::canonicalize(parent).map_err(unwritable)?;
        let real = target.file_name().map_or_else(|| parent.clone(), |name| parent.join(name));
        self.check_access(Outside { folder: parent, file: real, is_written: true })?;
        let file = begin(&target).map_err(unwritable)?;
        let mut rows = Rows { writer: csv::Writer::from_writer(BufWriter::new(file)), path: path.clone() };
        rows.fields(columns.iter().map(String::as_str))?;
        Ok(Box::new(rows))
    }
}

struct Rows {
    writer: csv::Writer<BufWriter<NewFile>>,
    path: PathBuf,
}

impl Rows {
    fn fields(&mut self, fields: impl Iterator<Item = impl AsRef<[u8]>>) -> Result<(), FileError> {
        let failed = |error: csv::Error| FileError::Unwritable { error: error.into(), path: self.path.clone() };
        self.writer.write_record(fields).map_err(failed)
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
        let unwritable = |error: io::Error| FileError::Unwritable { error, path: path.clone() };
        let buffer = writer.into_inner().map_err(|error| unwritable(error.into_error()))?;
        let file = buffer.into_inner().map_err(|error| unwritable(error.into_error()))?;
        file.commit().map_err(unwritable)
    }
}

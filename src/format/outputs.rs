//! The files that a command or an action of the window writes, and the one rule for all of them: an output replaces
//! neither a file that is read, nor another output, nor a file of another kind.
//!
//! Paths are compared by the file that they lead to: through symbolic and hard links, and in any spelling. A file of the
//! same kind is replaced without a question: most often it is an older result. Where a user insists, a file of another
//! kind is replaced too, but never one that is read.

use std::fs;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use super::disk::{begin, behind_links, replace};
use super::{FileKind, Formats, NewFile};

/// Whether an output may replace files of other kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overwrite {
    #[default]
    SameKind,
    AnyKind,
}

/// The files that are read, and the outputs so far.
#[derive(Clone, Debug)]
pub struct Outputs {
    formats: Formats,
    overwrite: Overwrite,
    hint: &'static str,
    read: Vec<PathBuf>,
    written: Vec<PathBuf>,
}

/// A file that may be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    path: PathBuf,
}

/// Why a file is not written: it would replace another one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    #[error("{0}: this file is read here and would be replaced; give another file")]
    Read(PathBuf),
    #[error("{0} would be written twice, as two different outputs; give another file")]
    Twice(PathBuf),
    #[error("{path} is {} and would be replaced by {}; give another file{}", found.text(), wanted.text(), .hint)]
    Kind {
        path: PathBuf,
        found: FileKind,
        wanted: FileKind,
        /// How to insist on it, if that is possible.
        hint: &'static str,
    },
}

/// Why a file is not written.
#[derive(Debug, thiserror::Error)]
pub enum NotWritten<E: std::error::Error> {
    #[error(transparent)]
    Refused(OutputError),
    #[error(transparent)]
    Failed(E),
}

impl From<OutputError> for io::Error {
    fn from(error: OutputError) -> io::Error {
        io::Error::new(io::ErrorKind::AlreadyExists, error)
    }
}

impl Outputs {
    pub fn new(formats: &Formats) -> Outputs {
        let (overwrite, formats) = (Overwrite::SameKind, formats.clone());
        Outputs { formats, overwrite, hint: "", read: Vec::new(), written: Vec::new() }
    }

    /// Sets whether files of other kinds may be replaced.
    #[must_use]
    pub fn overwriting(self, overwrite: Overwrite) -> Outputs {
        Outputs { overwrite, ..self }
    }

    /// Adds to messages how a user insists on a file of another kind.
    #[must_use]
    pub fn hinting(self, hint: &'static str) -> Outputs {
        Outputs { hint, ..self }
    }

    /// Adds files that are read, which no output replaces.
    #[must_use]
    pub fn reading<P: AsRef<Path>>(mut self, paths: impl IntoIterator<Item = P>) -> Outputs {
        self.read.extend(paths.into_iter().map(|path| path.as_ref().to_owned()));
        self
    }

    /// Admits an output, whose file need not exist.
    ///
    /// # Errors
    /// If it would replace a file that is read, another output, or a file of another kind.
    pub fn admit(&mut self, path: &Path, kind: FileKind) -> Result<OutputFile, OutputError> {
        let file = self.admit_any(path)?;
        match self.check_kind(path, kind) {
            Ok(()) => Ok(file),
            Err(error) => {
                self.written.pop();
                Err(error)
            }
        }
    }

    /// Admits an output even if it replaces a file of another kind, but not if it replaces a file that is read or
    /// another output. The caller decides whether the file may be replaced.
    ///
    /// # Errors
    /// If it would replace one of these.
    pub fn admit_any(&mut self, path: &Path) -> Result<OutputFile, OutputError> {
        if self.read.iter().any(|read| is_same_file(path, read)) {
            return Err(OutputError::Read(path.to_owned()));
        }
        if self.written.iter().any(|written| is_same_file(path, written)) {
            return Err(OutputError::Twice(path.to_owned()));
        }
        self.written.push(path.to_owned());
        Ok(OutputFile { path: path.to_owned() })
    }

    /// Admits an output and writes it with a function.
    ///
    /// # Errors
    /// If it is not admitted, or the function fails.
    pub fn write<T, E: std::error::Error>(
        mut self,
        path: &Path,
        kind: FileKind,
        write: impl FnOnce(&OutputFile) -> Result<T, E>,
    ) -> Result<T, NotWritten<E>> {
        write(&self.admit(path, kind).map_err(NotWritten::Refused)?).map_err(NotWritten::Failed)
    }

    fn check_kind(&self, path: &Path, wanted: FileKind) -> Result<(), OutputError> {
        // Only a regular file is replaced. The extension of a link says nothing about its file.
        let Ok(target) = behind_links(path) else { return Ok(()) };
        if self.overwrite == Overwrite::AnyKind || !fs::metadata(&target).is_ok_and(|about| about.is_file()) {
            return Ok(());
        }
        let found = match FileKind::of_file(&target, &self.formats) {
            Ok(None) => return Ok(()),
            Ok(Some(found)) => found,
            // A file that cannot be read is known by its name.
            Err(_) => FileKind::of_extension(&target).unwrap_or(FileKind::Other),
        };
        if found == wanted {
            return Ok(());
        }
        Err(OutputError::Kind { path: path.to_owned(), found, wanted, hint: self.hint })
    }
}

impl OutputFile {
    /// Begins the file, which replaces an older one when it is committed. Symbolic links are followed and kept.
    ///
    /// # Errors
    /// If the path is not that of a regular file, or the file or its folder is not writable.
    pub fn begin(&self) -> io::Result<NewFile> {
        begin(&self.path)
    }

    /// Writes the file completely or leaves it unchanged. Symbolic links are followed and kept, as are permissions.
    ///
    /// # Errors
    /// If the file cannot be written; it is then unchanged.
    pub fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        replace(&self.path, bytes)
    }
}

impl Deref for OutputFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

/// Returns whether two paths lead to the same file, which need not exist.
fn is_same_file(one: &Path, other: &Path) -> bool {
    has_same_content(one, other) || resolved(one).is_some_and(|one| resolved(other).is_some_and(|other| one == other))
}

/// Returns whether two paths lead to one file that is there. It is not opened: opening a pipe may block.
#[cfg(unix)]
fn has_same_content(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |path| fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

#[cfg(not(unix))]
fn has_same_content(one: &Path, other: &Path) -> bool {
    same_file::is_same_file(one, other).unwrap_or(false)
}

/// Returns the path behind links, whose last part need not exist.
fn resolved(path: &Path) -> Option<PathBuf> {
    let path = behind_links(path).ok()?;
    if let Ok(path) = fs::canonicalize(&path) {
        return Some(path);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIMULATION: &str = "<simulation root=\"M\"/>";

    fn outputs(read: &[PathBuf]) -> Outputs {
        Outputs::new(&Formats::standard()).reading(read)
    }

    #[test]
    fn an_input_is_found_in_every_spelling() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("sub")).expect("a folder");
        fs::write(path("a.csv"), "t,x\n").expect("a file");
        fs::hard_link(path("a.csv"), path("hard.csv")).expect("a link");
        let mut names = vec!["a.csv", "./a.csv", "sub/../a.csv", "hard.csv"];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("a.csv", path("soft.csv")).expect("a link");
            std::os::unix::fs::symlink("../a.csv", path("sub/soft.csv")).expect("a link");
            names.extend(["soft.csv", "sub/soft.csv"]);
        }
        for overwrite in [Overwrite::SameKind, Overwrite::AnyKind] {
            for name in &names {
                let mut outputs = outputs(&[path("a.csv")]).overwriting(overwrite);
                let refused = outputs.admit(&path(name), FileKind::Csv);
                assert_eq!(refused, Err(OutputError::Read(path(name))), "{name}");
                assert!(outputs.admit(&path("b.csv"), FileKind::Csv).is_ok());
            }
        }
    }

    #[test]
    fn two_outputs_are_two_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut outputs = outputs(&[]);
        assert!(outputs.admit(&folder.path().join("a"), FileKind::Csv).is_ok());
        assert!(outputs.admit(&folder.path().join("b"), FileKind::Csv).is_ok());
        let again = folder.path().join(".").join("a");
        assert_eq!(outputs.admit(&again, FileKind::Checkpoint), Err(OutputError::Twice(again)));
    }

    #[test]
    fn only_a_file_of_the_same_kind_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for (name, content) in [("m.simx", SIMULATION), ("m.csv", SIMULATION), ("old.csv", "t,x\n"), ("empty", "")] {
            fs::write(path(name), content).expect("a file");
        }
        let is_admitted = |name: &str, kind| outputs(&[]).admit(&path(name), kind).is_ok();
        assert!(is_admitted("old.csv", FileKind::Csv) && is_admitted("new", FileKind::Checkpoint));
        assert!(is_admitted("empty", FileKind::Checkpoint), "nothing is lost");
        assert!(is_admitted("m.simx", FileKind::Simulation));
        for (name, kind) in [
            ("m.simx", FileKind::Csv),
            ("m.csv", FileKind::Csv),
            ("m.simx", FileKind::Checkpoint),
            ("old.csv", FileKind::Checkpoint),
        ] {
            let found = if name == "old.csv" { FileKind::Csv } else { FileKind::Simulation };
            let refused = outputs(&[]).admit(&path(name), kind);
            assert_eq!(refused, Err(OutputError::Kind { path: path(name), found, wanted: kind, hint: "" }));
            assert!(outputs(&[]).overwriting(Overwrite::AnyKind).admit(&path(name), kind).is_ok());
        }
        // A folder is not a file; opening it reports this.
        assert!(is_admitted("", FileKind::Csv));
    }
}

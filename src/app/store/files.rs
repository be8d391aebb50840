//! Reading and writing simulations. Nothing here is called on the window's thread: see [`super::jobs`].

use std::hash::Hasher as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::block::Registry;
use crate::format::{
    self, FileKind, Formats, LoadError, LoadOptions, Loaded, Loader as _, OutputError, Outputs, SaveError,
};
use crate::model::imported::Report;
use crate::model::{BlockId, Diagnostic, Fragment, Simulation};

pub const EXTENSION: &str = "simx";

/// Returns the length and CRC-32 of a simulation as a .simx file; `None` if it cannot be written.
pub fn fingerprint(simulation: &Simulation) -> Option<String> {
    let bytes = format::simx::Simx.write(simulation).ok()?;
    Some(format!("{:08x} ({} bytes)", crc32fast::hash(&bytes), bytes.len()))
}

/// Returns the text of a simulation as a .simx file; `None` if it cannot be written.
pub fn simx_of(simulation: &Simulation) -> Option<String> {
    String::from_utf8(format::simx::Simx.write(simulation).ok()?).ok()
}

/// A file that was read.
pub struct Opened {
    pub simulation: Simulation,
    pub diagnostics: Vec<Diagnostic>,
    /// The model blocks that were removed because their models contain themselves.
    pub removed: Vec<String>,
    /// The import report of a file of another program.
    pub imported: Option<Report>,
    /// The stamp of the file's content.
    pub stamp: Option<Stamp>,
}

/// Why a file could not be read or written, and what to do.
#[derive(Clone, Debug)]
pub struct FileProblem {
    pub message: String,
    pub help: String,
}

/// Why a file was not saved.
#[derive(Debug)]
pub enum SaveFailure {
    /// Another program changed it since it was read or written here; its current stamp.
    Changed(Stamp),
    Problem(FileProblem),
}

/// Identifies a file's content by its length and a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub length: u64,
    pub hash: u64,
}

impl Stamp {
    pub fn of(bytes: &[u8]) -> Stamp {
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write(bytes);
        Stamp { length: bytes.len() as u64, hash: hasher.finish() }
    }

    /// Returns the stamp of a file's content; `None` if it is not a regular file or cannot be read.
    pub fn of_file(path: &Path) -> Option<Stamp> {
        if !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let mut file = std::fs::File::open(path).ok()?;
        let mut hasher = std::hash::DefaultHasher::new();
        let mut part = vec![0; 1 << 16];
        let mut length = 0;
        loop {
            let count = file.read(&mut part).ok()?;
            let Some(read) = part.get(..count).filter(|read| !read.is_empty()) else { break };
            hasher.write(read);
            length += count as u64;
        }
        Some(Stamp { length, hash: hasher.finish() })
    }
}

/// A change of a file by another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangedOutside {
    /// The current stamp of its content.
    Changed(Stamp),
    Removed,
}

impl ChangedOutside {
    /// Returns what has happened to a file since it had this stamp; `None` if nothing has, or it cannot be read.
    pub fn of_file(path: &Path, known: Stamp) -> Option<ChangedOutside> {
        match Stamp::of_file(path) {
            Some(present) => (present != known).then_some(ChangedOutside::Changed(present)),
            None => matches!(path.try_exists(), Ok(false)).then_some(ChangedOutside::Removed),
        }
    }
}

/// The stamp of a document's file when it was last read or written here, if known. Shared with the
/// jobs that save the document, so that each sees the stamp of the one before.
#[derive(Clone, Debug, Default)]
pub struct OnDisk(Arc<Mutex<Option<Stamp>>>);

impl OnDisk {
    pub fn new(stamp: Option<Stamp>) -> OnDisk {
        OnDisk(Arc::new(Mutex::new(stamp)))
    }

    pub fn get(&self) -> Option<Stamp> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set(&self, stamp: Stamp) {
        self.renew(Some(stamp));
    }

    /// Sets the stamp, or that it is unknown.
    pub fn renew(&self, stamp: Option<Stamp>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = stamp;
    }
}

/// The maximum size of a simulation's file in bytes.
const MAX_BYTES: u64 = 256 << 20;

pub use crate::format::read_bounded;

/// Reads a file.
///
/// # Errors
/// Fails if it cannot be read or is not a simulation.
pub fn open(formats: &Formats, path: &Path, options: &LoadOptions) -> Result<Opened, FileProblem> {
    let bytes = read_bounded(path, MAX_BYTES).map_err(|error| unreadable(error.into()))?;
    let loaded = formats.parse(path, &bytes, options).map_err(unreadable)?;
    Ok(Opened { stamp: Some(Stamp::of(&bytes)), ..opened(loaded) })
}

/// Reads a simulation from an embedded text.
///
/// # Errors
/// Fails if it is not a simulation.
pub fn read(text: &str) -> Result<Opened, FileProblem> {
    format::simx::Simx.read(text.as_bytes(), &LoadOptions::default()).map(opened).map_err(unreadable)
}

/// Writes a simulation to a file that may be written.
///
/// # Errors
/// Fails if the file would replace another one, or cannot be written; the old file is then unchanged.
pub fn save_output(
    formats: &Formats,
    mut outputs: Outputs,
    path: &Path,
    simulation: &Simulation,
) -> Result<(), FileProblem> {
    let output = outputs.admit(path, FileKind::Simulation).map_err(refused)?;
    save(formats, &output, simulation)
}

/// Writes a file atomically.
///
/// # Errors
/// Fails if it cannot be written; the old file is then unchanged.
pub fn save(formats: &Formats, path: &Path, simulation: &Simulation) -> Result<(), FileProblem> {
    formats.save(path, simulation).map_err(unwritable)
}

/// Writes a document to its file atomically, if the file's content still matches `disk`.
///
/// # Errors
/// Fails if another program changed the file, or it cannot be written; the old file is then unchanged.
pub fn save_document(
    formats: &Formats,
    path: &Path,
    simulation: &Simulation,
    disk: &OnDisk,
) -> Result<(), SaveFailure> {
    let problem = |error| SaveFailure::Problem(unwritable(error));
    // A path that this document was not opened from may lead to a file of any kind.
    if disk.get().is_none() {
        let mut outputs = Outputs::new(formats);
        outputs.admit(path, FileKind::Simulation).map_err(|error| SaveFailure::Problem(refused(error)))?;
    }
    let bytes = formats.bytes_of(path, simulation).map_err(problem)?;
    let new = Stamp::of(&bytes);
    if let Some(known) = disk.get()
        && let Some(present) = Stamp::of_file(path)
        && present != known
        && present != new
    {
        return Err(SaveFailure::Changed(present));
    }
    format::replace(path, &bytes).map_err(|error| problem(error.into()))?;
    disk.set(new);
    Ok(())
}

fn refused(error: OutputError) -> FileProblem {
    FileProblem { message: error.to_string(), help: "the old file is unchanged".to_owned() }
}

fn unwritable(error: SaveError) -> FileProblem {
    let help = match error {
        SaveError::UnknownFormat { .. } => "give the file the extension .simx",
        SaveError::Unwritable(_) => "choose another folder with “Save as…”; the old file is unchanged",
        _ => "the old file is unchanged",
    };
    FileProblem { message: error.to_string(), help: help.to_owned() }
}

fn opened(mut loaded: format::Loaded) -> Opened {
    let source_map = loaded.source_map;
    loaded.diagnostics.iter_mut().for_each(|found| source_map.locate(found));
    let Loaded { simulation, mut diagnostics, removed, imported, .. } = loaded;
    if imported.is_some() {
        // The Import panel lists them.
        diagnostics.retain(|found| found.code != "approximated");
    }
    Opened { simulation, diagnostics, removed, imported, stamp: None }
}

fn unreadable(error: LoadError) -> FileProblem {
    let line = error.position().map(|position| format!("line {}: ", position.line)).unwrap_or_default();
    FileProblem { message: format!("{line}{error}"), help: error.help().to_owned() }
}

/// The name of the model with the clipboard's blocks.
const CLIPBOARD: &str = "Clipboard";

/// The longest text of a clipboard that is read, in bytes.
const LONGEST_TEXT: usize = 64 << 20;

/// Returns blocks as the text of a file, with the models and variables that they use.
pub fn text_of(fragment: &Fragment, registry: &Registry) -> Option<String> {
    simx_of(&fragment.alone(registry, CLIPBOARD))
}

/// Returns the blocks of the root model of a text that is a simulation, with all that they use.
///
/// # Errors
/// Fails with the reason, for the user, if the text is not a simulation.
pub fn fragment_of(text: &str) -> Result<Fragment, String> {
    if text.len() > LONGEST_TEXT {
        let (size, limit) = (text.len() >> 20, LONGEST_TEXT >> 20);
        return Err(format!("The clipboard holds {size} MB of text; diagrams up to {limit} MB can be pasted"));
    }
    let start: String = text.trim_start().chars().take(24).collect();
    let not_a_diagram = || format!("“{start}…” on the clipboard is not a diagram; copy blocks first");
    if !text.contains("<simulation") {
        return Err(not_a_diagram());
    }
    let opened =
        read(text).map_err(|problem| format!("The diagram on the clipboard is damaged: {}", problem.message))?;
    let root = opened.simulation.root_model().ok_or_else(not_a_diagram)?;
    let ids: Vec<BlockId> = root.blocks.keys().copied().collect();
    let fragment = Fragment::of(root, &ids);
    let name = Arc::clone(&root.name);
    if fragment.is_empty() {
        return Err("The diagram on the clipboard has no blocks".to_owned());
    }
    Ok(fragment.with_definitions(&Arc::new(opened.simulation), &name))
}

/// Adds the extension of the file type to a path without extension.
pub fn with_extension(path: PathBuf, extension: &str) -> PathBuf {
    match path.extension() {
        Some(_) => path,
        None => path.with_extension(extension),
    }
}

/// Returns the last part of a path as text.
pub fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_else(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_or_is_too_long_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("long");
        std::fs::write(&path, [7; 11]).expect("it is written");
        assert_eq!(read_bounded(&path, 11).expect("it is short enough"), [7; 11]);
        let refused = |path: &Path, most| read_bounded(path, most).expect_err("it is refused").to_string();
        assert!(refused(&path, 10).contains("longer"));
        assert!(refused(folder.path(), 10).contains("folder"));
        #[cfg(unix)]
        assert!(refused(Path::new("/dev/zero"), 10).contains("regular"));
    }

    #[test]
    fn a_stamp_is_that_of_the_content_however_it_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("long");
        // Longer than the read buffer, and not a multiple of it.
        let mut bytes: Vec<u8> = (0..200_001u32).map(|n| (n % 251) as u8).collect();
        std::fs::write(&path, &bytes).expect("it is written");
        assert_eq!(Stamp::of_file(&path), Some(Stamp::of(&bytes)));
        bytes[150_000] ^= 1;
        assert_ne!(Stamp::of_file(&path), Some(Stamp::of(&bytes)));
        assert_eq!(Stamp::of_file(folder.path()), None, "a folder holds no text");
        assert_eq!(Stamp::of_file(&folder.path().join("none")), None);
    }
}

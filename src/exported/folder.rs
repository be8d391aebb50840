//! Writes the files of an export into a folder, and recognizes later which of them a user has changed.
//!
//! The hashes of what was written are in a file of their own beside it, `NAME.export.json`. A file that is there and has
//! another hash, or none, is a user's work: a Makefile that was edited, or one that was there before.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::export::c::Code;
use crate::format::{self, OutputError, Outputs};

/// How an export treats files that were changed since they were written, or that it did not write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnChanged {
    /// Nothing is written if there is one.
    #[default]
    Refuse,
    Overwrite,
    /// Only the others are written.
    Keep,
}

/// Why the files are not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    #[error(
        "{}: changed since the export, or not from one; an export would replace {}; choose another folder",
        .0.join(", "), if .0.len() == 1 { "it" } else { "them" }
    )]
    Changed(Vec<String>),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("{0}: {1}")]
    Unwritable(String, io::Error),
}

impl FolderError {
    pub fn unwritable(path: &Path, error: io::Error) -> FolderError {
        FolderError::Unwritable(path.display().to_string(), error)
    }
}

/// The hashes of the files that an export has written, by their names.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Manifest {
    files: BTreeMap<String, String>,
}

/// The maximum size of a file of an export that is compared, in bytes.
const MAX_BYTES: u64 = 1 << 28;

/// The files of an export in their folder.
#[derive(Debug)]
pub struct CodeFolder {
    folder: PathBuf,
    manifest: String,
    written: Manifest,
    /// The files that keep their changes.
    kept: Vec<String>,
}

impl CodeFolder {
    /// Writes the files of the code; each is complete or as it was before. The folder is created if it does not exist.
    ///
    /// # Errors
    /// If a file was changed and is not to be replaced, if one is read by the caller, or one cannot be written.
    pub fn write(
        folder: &Path,
        code: &Code,
        outputs: &mut Outputs,
        on_changed: OnChanged,
    ) -> Result<CodeFolder, FolderError> {
        let manifest = format!("{}.export.json", code.name);
        let known = format::read_bounded(&folder.join(&manifest), MAX_BYTES);
        let known = known.ok().and_then(|bytes| serde_json::from_slice::<Manifest>(&bytes).ok());
        let is_new = known.is_none();
        let mut written =
            CodeFolder { folder: folder.to_owned(), manifest, written: known.unwrap_or_default(), kept: Vec::new() };
        for file in &code.files {
            outputs.admit_any(&folder.join(&file.name))?;
            if written.is_changed(&file.name, file.text.as_bytes()) {
                written.kept.push(file.name.clone());
            }
        }
        outputs.admit_any(&folder.join(&written.manifest))?;
        // A manifest that cannot be read was not written by an export.
        if is_new && written.is_changed(&written.manifest, b"") {
            written.kept.push(written.manifest.clone());
        }
        match on_changed {
            OnChanged::Refuse if !written.kept.is_empty() => {
                let paths = written.kept.iter().map(|name| folder.join(name).display().to_string());
                return Err(FolderError::Changed(paths.collect()));
            }
            OnChanged::Overwrite => written.kept.clear(),
            OnChanged::Refuse | OnChanged::Keep => {}
        }
        fs::create_dir_all(folder).map_err(|error| FolderError::unwritable(folder, error))?;
        let files = code.files.iter().map(|file| (&*file.name, file.text.as_bytes()));
        written.write_all(files)?;
        Ok(written)
    }

    /// Returns the names of the files that keep their changes.
    pub fn kept(&self) -> &[String] {
        &self.kept
    }

    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Replaces a file of the export, unless it keeps its changes.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn replace(&mut self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        self.write_all([(name, bytes)])
    }

    fn write_all<'a>(&mut self, files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Result<(), FolderError> {
        for (name, bytes) in files {
            if !self.kept.iter().any(|kept| kept == name) {
                self.write_file(name, bytes)?;
                self.written.files.insert(name.to_owned(), hash(bytes));
            }
        }
        if self.kept.contains(&self.manifest) {
            return Ok(());
        }
        // Only maps with keys that are not strings fail.
        let text = serde_json::to_string_pretty(&self.written).unwrap_or_default() + "\n";
        self.write_file(&self.manifest, text.as_bytes())
    }

    fn write_file(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let path = self.folder.join(name);
        format::replace(&path, bytes).map_err(|error| FolderError::unwritable(&path, error))
    }

    /// Returns whether a file is there that neither is as it was written nor has the new content.
    fn is_changed(&self, name: &str, new: &[u8]) -> bool {
        let path = self.folder.join(name);
        if fs::symlink_metadata(&path).is_err() {
            return false;
        }
        match format::read_bounded(&path, MAX_BYTES) {
            Ok(bytes) => bytes != new && self.written.files.get(name) != Some(&hash(&bytes)),
            Err(_) => true,
        }
    }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

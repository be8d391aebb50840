//! The archive of an FMU. It comes from a stranger: its entries, their paths and their sizes are bounded.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::path::Path;

use zip::ZipArchive;

use super::FmuError;

pub const DESCRIPTION: &str = "modelDescription.xml";

/// The folders that a run needs.
const NEEDED: [&str; 3] = ["binaries", "resources", "sources"];
const MAX_ENTRIES: usize = 50_000;
/// The maximum size of all files together, unpacked, in bytes.
const MAX_UNPACKED: u64 = 2 << 30;
/// The maximum size of the description, in bytes.
const MAX_DESCRIPTION: u64 = 256 << 20;

pub struct FmuArchive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
}

impl<'a> FmuArchive<'a> {
    /// Opens an archive whose entries all have paths within it.
    pub fn open(bytes: &'a [u8]) -> Result<FmuArchive<'a>, FmuError> {
        let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(FmuError::Archive)?;
        if zip.len() > MAX_ENTRIES {
            return Err(FmuError::Entries { count: zip.len(), limit: MAX_ENTRIES });
        }
        for index in 0..zip.len() {
            let entry = zip.by_index_raw(index).map_err(FmuError::Archive)?;
            let name = entry.name().to_owned();
            // A drive letter or a device name of Windows is a path out of the archive too.
            if entry.enclosed_name().is_none() || name.starts_with('/') || name.contains([':', '\\', '\0']) {
                return Err(FmuError::Outside(name));
            }
            if entry.is_symlink() {
                return Err(FmuError::Link(name));
            }
            if entry.encrypted() {
                return Err(FmuError::Encrypted(name));
            }
        }
        Ok(FmuArchive { zip })
    }

    /// Returns the text of a file.
    pub fn text(&mut self, name: &'static str) -> Result<String, FmuError> {
        let entry = self.zip.by_name(name).map_err(|_| FmuError::Missing(name))?;
        let mut bytes = Vec::new();
        let failed = |error| FmuError::Entry { entry: name.to_owned(), error };
        // The size in the archive's directory may be a lie.
        entry.take(MAX_DESCRIPTION + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MAX_DESCRIPTION {
            return Err(FmuError::Unpacked { entry: name.to_owned(), limit: MAX_DESCRIPTION });
        }
        let text = String::from_utf8(bytes);
        text.map_err(|error| FmuError::Text { file: name, at: error.utf8_error().valid_up_to() })
    }

    /// Returns the names of the folders in `binaries`.
    pub fn platforms(&self) -> Vec<String> {
        let platform = |name: &str| Some(name.strip_prefix("binaries/")?.split_once('/')?.0.to_owned());
        BTreeSet::from_iter(self.zip.file_names().filter_map(platform)).into_iter().collect()
    }

    /// Returns the C files directly in `sources`, sorted.
    pub fn sources(&self) -> Vec<String> {
        let is_source = |name: &&str| name.ends_with(".c") && !name.contains('/');
        let files = self.zip.file_names().filter_map(|name| name.strip_prefix("sources/")).filter(is_source);
        BTreeSet::from_iter(files.map(str::to_owned)).into_iter().collect()
    }

    /// Unpacks the folders that a run needs.
    pub fn unpack(&mut self, folder: &Path) -> Result<(), FmuError> {
        let mut left = MAX_UNPACKED;
        for index in 0..self.zip.len() {
            let mut entry = self.zip.by_index(index).map_err(FmuError::Archive)?;
            let name = entry.name().to_owned();
            let Some(path) = entry.enclosed_name() else { return Err(FmuError::Outside(name)) };
            if !NEEDED.iter().any(|needed| path.starts_with(needed)) {
                continue;
            }
            let failed = |error| FmuError::Entry { entry: name.clone(), error };
            let target = folder.join(path);
            if entry.is_dir() {
                fs::create_dir_all(&target).map_err(failed)?;
                continue;
            }
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent).map_err(failed)?;
            }
            // A second entry of the same name is refused, not written over the first.
            let mut file = File::create_new(&target).map_err(failed)?;
            let written = std::io::copy(&mut (&mut entry).take(left + 1), &mut file).map_err(failed)?;
            left = left.checked_sub(written).ok_or(FmuError::Unpacked { entry: name.clone(), limit: MAX_UNPACKED })?;
        }
        Ok(())
    }
}

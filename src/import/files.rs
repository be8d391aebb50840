//! The files beside a model: libraries, referenced models, scripts and arrays. They are only read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::format::read_bounded;

/// The largest file beside a model, in bytes.
const MAX_FILE: u64 = 256 << 20;
const MAX_SCRIPT: u64 = 4 << 20;
/// How many folders below are looked at, and how many entries.
const MAX_DEPTH: usize = 3;
const MAX_ENTRIES: usize = 5000;

/// The folders in which the files of a model are looked for, the nearest first.
#[derive(Clone, Debug, Default)]
pub struct Files {
    folders: Vec<PathBuf>,
    /// The folder of the model, if it is in one.
    own: Option<PathBuf>,
}

impl Files {
    /// The files in these folders.
    pub fn only(libraries: &[PathBuf]) -> Files {
        Files { folders: libraries.to_vec(), own: None }
    }

    pub fn beside(path: &Path, libraries: &[PathBuf]) -> Files {
        let own = match path.parent() {
            Some(folder) if folder.as_os_str().is_empty() => PathBuf::from("."),
            Some(folder) => folder.to_owned(),
            None => return Files::only(libraries),
        };
        Files { folders: std::iter::once(own.clone()).chain(libraries.iter().cloned()).collect(), own: Some(own) }
    }

    /// Returns the model of a name, with one of these extensions.
    pub fn model(&self, name: &str) -> Option<(PathBuf, Vec<u8>)> {
        let stem = name.trim_end_matches(".slx").trim_end_matches(".mdl");
        let path = self.find(&[format!("{stem}.slx"), format!("{stem}.mdl")])?;
        let bytes = read_bounded(&path, MAX_FILE).ok()?;
        Some((path, bytes))
    }

    /// Returns the text of a script.
    pub fn script(&self, name: &str) -> Option<String> {
        let stem = name.trim_end_matches(".m");
        text(&self.find(&[format!("{stem}.m")])?)
    }

    /// Returns a file of arrays.
    pub fn arrays(&self, name: &str) -> Option<Vec<u8>> {
        let stem = name.trim_end_matches(".mat");
        read_bounded(&self.find(&[format!("{stem}.mat")])?, MAX_FILE).ok()
    }

    /// Returns the scripts directly beside the model, sorted by name.
    pub fn scripts_beside(&self) -> Vec<(String, String)> {
        const MAX_SCRIPTS: usize = 100;
        let Some(folder) = &self.own else { return Vec::new() };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_ENTRIES);
        let paths: BTreeSet<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "m")).collect();
        let named = |path: PathBuf| Some((path.file_name()?.to_string_lossy().into_owned(), text(&path)?));
        paths.into_iter().take(MAX_SCRIPTS).filter_map(named).collect()
    }

    /// Finds a file with one of these names in the folders and those below.
    fn find(&self, names: &[String]) -> Option<PathBuf> {
        let is_plain = |name: &String| !name.contains(['/', '\\', '\0']);
        let names: Vec<&String> = names.iter().filter(|name| is_plain(name)).collect();
        let mut left = MAX_ENTRIES;
        let mut folders: Vec<(PathBuf, usize)> = self.folders.iter().map(|folder| (folder.clone(), 0)).collect();
        while !folders.is_empty() {
            let mut below = Vec::new();
            for (folder, depth) in folders {
                for name in &names {
                    let path = folder.join(name);
                    if path.is_file() {
                        return Some(path);
                    }
                }
                if depth < MAX_DEPTH {
                    let entries = fs::read_dir(&folder).into_iter().flatten().flatten().take(left);
                    let entries: BTreeSet<PathBuf> = entries.map(|entry| entry.path()).collect();
                    left = left.saturating_sub(entries.len());
                    let is_folder = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|about| about.is_dir());
                    below.extend(entries.into_iter().filter(is_folder).map(|path| (path, depth + 1)));
                }
            }
            folders = below;
        }
        None
    }
}

/// The text of a script: UTF-8, or Latin-1 where it is not.
pub fn text(path: &Path) -> Option<String> {
    let bytes = read_bounded(path, MAX_SCRIPT).ok()?;
    Some(String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect()))
}

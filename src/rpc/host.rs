//! Where the simulations are that calls act on: in a folder, or in the window.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::error::RpcError;
use crate::api::{Opener, Simulation};
use crate::block::FileError;
use crate::format::{Folder, LoadOptions};
use crate::model::near::did_you_mean;
use crate::model::{self, Change};

/// The simulations that calls act on. Files are named relative to the folder; without a name a call means the only
/// open simulation.
pub trait SimulationHost: Send {
    /// Returns an open simulation, or opens it.
    ///
    /// # Errors
    /// If there is no such file, it may not be read, or no name is given and not exactly one simulation is open.
    fn simulation(&mut self, file: Option<&str>) -> Result<&mut Simulation, RpcError>;

    /// Returns the open simulations: the name, and whether it has changes that are not saved.
    fn open(&self) -> Vec<(String, bool)>;

    /// Returns the files that can be opened, and whether there are more than are listed.
    fn files(&self) -> (Vec<String>, bool);

    /// Changes a simulation, all or nothing.
    ///
    /// # Errors
    /// If the document refuses the change.
    fn apply(&mut self, file: Option<&str>, change: Change) -> Result<(), RpcError>;

    /// Replaces a simulation by another state of it, as one change.
    ///
    /// # Errors
    /// If the simulation cannot be opened.
    fn replace(&mut self, file: Option<&str>, label: String, state: model::Simulation) -> Result<(), RpcError>;

    /// Undoes the last change, or redoes the last undone one; returns what it was.
    ///
    /// # Errors
    /// If the simulation cannot be opened.
    fn step_back(&mut self, file: Option<&str>, direction: HistoryStep) -> Result<Option<String>, RpcError>;

    /// Makes an empty simulation that a file of this name is meant for.
    ///
    /// # Errors
    /// If there is such a file or simulation already, or it may not be written.
    fn create(&mut self, file: &str, root: &str) -> Result<(), RpcError>;

    /// Writes a simulation to its file, or to another one that it has from then on. Returns the file.
    ///
    /// # Errors
    /// If the file may not be written, or another file would be replaced without `overwrite`.
    fn save(&mut self, file: Option<&str>, to: Option<&str>, overwrite: Overwriting) -> Result<String, RpcError>;

    /// Reads another file, without opening it.
    ///
    /// # Errors
    /// If there is none, it may not be read, or is no simulation.
    fn load(&self, file: &str) -> Result<model::Simulation, RpcError>;
}

/// The direction in the history of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryStep {
    Undo,
    Redo,
}

/// Whether a file may be replaced that another program has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwriting {
    Refused,
    Allowed,
}

/// The host of the files in a folder, and of nothing outside it.
pub struct FolderHost {
    /// The folder, with links resolved.
    root: PathBuf,
    access: Folder,
    opener: Opener,
    open: BTreeMap<String, OpenFile>,
}

struct OpenFile {
    simulation: Simulation,
    /// The state of the file when it was read or written; `None` if it does not exist.
    on_disk: Option<DiskState>,
}

/// Tells a changed file from an unchanged one.
type DiskState = (SystemTime, u64);

/// The maximum number of files that are listed, and of folders that are searched.
const MAX_FILES: usize = 500;
/// The maximum number of simulations that are open at once.
const MAX_OPEN: usize = 64;

impl FolderHost {
    /// # Errors
    /// If the folder does not exist.
    pub fn new(folder: &Path, opener: Opener) -> Result<FolderHost, std::io::Error> {
        let root = std::fs::canonicalize(folder)?;
        let access = Folder::new(&root);
        Ok(FolderHost { root, access, opener, open: BTreeMap::new() })
    }

    /// Returns a name as others write the same file: relative to the folder, with slashes.
    fn name_of(&self, path: &Path) -> String {
        let inner = path.strip_prefix(&self.root).unwrap_or(path);
        inner.to_string_lossy().replace('\\', "/")
    }

    /// Returns the path of a file that may be written; it need not exist.
    fn target(&self, file: &str) -> Result<PathBuf, RpcError> {
        self.access.target(file).map_err(|error| outside(file, &error))
    }

    /// Returns the path of a file that may be read.
    fn locate(&self, file: &str) -> Result<PathBuf, RpcError> {
        self.access.locate(file).map_err(|error| {
            let refusal = outside(file, &error);
            let (files, _) = self.files();
            let near = match error {
                FileError::Unreadable { .. } => did_you_mean(file, files.iter().map(String::as_str)),
                _ => String::new(),
            };
            RpcError::refused(format!("{}{near}", refusal.message))
        })
    }

    fn opened(&mut self, file: &str) -> Result<&mut OpenFile, RpcError> {
        // A simulation that was created has no file yet.
        let name = match self.open.contains_key(file) {
            true => file.to_owned(),
            false => self.name_of(&self.locate(file)?),
        };
        let path = self.root.join(&name);
        let is_changed = self.open.get(&name).is_some_and(|open| {
            let now = disk_state(&path);
            open.simulation.document().is_saved() && now.is_some() && now != open.on_disk
        });
        if is_changed || !self.open.contains_key(&name) {
            if self.open.len() >= MAX_OPEN {
                self.close_one()?;
            }
            let on_disk = disk_state(&path);
            // The file may have become a link since it was opened.
            let simulation = self.opener.open(self.locate(&name)?)?;
            self.open.insert(name.clone(), OpenFile { simulation, on_disk });
        }
        self.open.get_mut(&name).ok_or_else(|| RpcError::refused(format!("{name} is not open")))
    }

    /// Closes a simulation without changes.
    fn close_one(&mut self) -> Result<(), RpcError> {
        let saved = self.open.iter().find(|(_, open)| open.simulation.document().is_saved());
        match saved.map(|(name, _)| name.clone()) {
            Some(name) => drop(self.open.remove(&name)),
            None => return Err(RpcError::refused("too many simulations with unsaved changes are open: save some")),
        }
        Ok(())
    }

    fn meant(&mut self, file: Option<&str>) -> Result<&mut OpenFile, RpcError> {
        let name = match (file, self.open.len()) {
            (Some(file), _) => file.to_owned(),
            (None, 1) => self.open.keys().next().cloned().unwrap_or_default(),
            (None, 0) => return Err(RpcError::arguments("“file” is missing: no simulation is open yet".to_owned())),
            (None, _) => {
                let open: Vec<&str> = self.open.keys().map(String::as_str).collect();
                let text = format!("“file” is missing: several simulations are open: {}", open.join(", "));
                return Err(RpcError::arguments(text));
            }
        };
        self.opened(&name)
    }
}

/// Says why a file is not accessible.
fn outside(file: &str, error: &FileError) -> RpcError {
    RpcError::refused(match error {
        FileError::ReadRefused(_) | FileError::WriteRefused(_) => {
            format!("“{file}” is outside the folder whose simulations may be read and written")
        }
        error => error.to_string(),
    })
}

fn disk_state(path: &Path) -> Option<DiskState> {
    let about = std::fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

impl SimulationHost for FolderHost {
    fn simulation(&mut self, file: Option<&str>) -> Result<&mut Simulation, RpcError> {
        Ok(&mut self.meant(file)?.simulation)
    }

    fn open(&self) -> Vec<(String, bool)> {
        self.open.iter().map(|(name, open)| (name.clone(), !open.simulation.document().is_saved())).collect()
    }

    fn files(&self) -> (Vec<String>, bool) {
        let formats = &self.opener.components().formats;
        let (mut files, mut folders, mut seen) = (Vec::new(), vec![self.root.clone()], 0);
        while let Some(folder) = folders.pop() {
            seen += 1;
            if seen > MAX_FILES || files.len() > MAX_FILES {
                break;
            }
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let (Ok(kind), path) = (entry.file_type(), entry.path()) else { continue };
                let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
                if kind.is_dir() && !is_hidden {
                    folders.push(path);
                } else if kind.is_file() && formats.of_path(&path).is_some() {
                    files.push(self.name_of(&path));
                }
            }
        }
        files.sort();
        let has_more = seen > MAX_FILES || files.len() > MAX_FILES;
        files.truncate(MAX_FILES);
        (files, has_more)
    }

    fn apply(&mut self, file: Option<&str>, change: Change) -> Result<(), RpcError> {
        Ok(self.meant(file)?.simulation.document_mut().apply(&change)?)
    }

    fn replace(&mut self, file: Option<&str>, label: String, state: model::Simulation) -> Result<(), RpcError> {
        self.meant(file)?.simulation.document_mut().replace(label, state);
        Ok(())
    }

    fn step_back(&mut self, file: Option<&str>, direction: HistoryStep) -> Result<Option<String>, RpcError> {
        let simulation = &mut self.meant(file)?.simulation;
        let label = match direction {
            HistoryStep::Undo => simulation.undo(),
            HistoryStep::Redo => simulation.redo(),
        };
        Ok(label.map(str::to_owned))
    }

    fn create(&mut self, file: &str, root: &str) -> Result<(), RpcError> {
        let path = self.target(file)?;
        let formats = &self.opener.components().formats;
        if formats.of_path(&path).is_none_or(|loader| loader.is_read_only()) {
            return Err(RpcError::refused(format!("“{file}” is no file of a simulation: name it like model.simx")));
        }
        let name = self.name_of(&path);
        if path.exists() || self.open.contains_key(&name) {
            return Err(RpcError::refused(format!("“{name}” exists already: open it, or choose another name")));
        }
        if self.open.len() >= MAX_OPEN {
            self.close_one()?;
        }
        let mut simulation = self.opener.create(root)?;
        simulation.set_path(&path)?;
        self.open.insert(name, OpenFile { simulation, on_disk: None });
        Ok(())
    }

    fn save(&mut self, file: Option<&str>, to: Option<&str>, overwriting: Overwriting) -> Result<String, RpcError> {
        let open = self.meant(file)?;
        let own = open.simulation.path().map(Path::to_owned);
        let known = open.on_disk;
        let path = match to {
            Some(to) => self.target(to)?,
            None => {
                let own = own.as_deref().ok_or_else(|| RpcError::refused("the simulation has no file: give “to”"))?;
                self.target(&self.name_of(own))?
            }
        };
        let is_own = own.as_ref() == Some(&path);
        let now = disk_state(&path);
        if overwriting == Overwriting::Refused && now.is_some() && !(is_own && now == known) {
            let name = self.name_of(&path);
            let why = if is_own { "has been changed by another program since it was read" } else { "exists already" };
            return Err(RpcError::refused(format!("“{name}” {why}: set “overwrite” to replace it")));
        }
        let open = self.meant(file)?;
        open.simulation.save(&path)?;
        let old_name = own.map(|own| self.name_of(&own)).unwrap_or_default();
        let name = self.name_of(&path);
        if let Some(mut open) = self.open.remove(&old_name) {
            open.on_disk = disk_state(&path);
            self.open.insert(name.clone(), open);
        }
        Ok(name)
    }

    fn load(&self, file: &str) -> Result<model::Simulation, RpcError> {
        let loaded = self.opener.components().formats.open(&self.locate(file)?, &LoadOptions::default());
        Ok(loaded.map_err(|error| RpcError::refused(error.to_string()))?.simulation)
    }
}

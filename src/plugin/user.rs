//! The user's plug-ins: where they are, and which of them the user has switched on, by the hash of their files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::definition::{hash_of, inspect, load};
use super::description::About;
use super::wasm::{LoadError, MAX_FILE};
use crate::block::{Absent, Registry, RegistryError};
use crate::format::{read_bounded, replace};

/// The plug-in folder, and the plug-ins that the user has switched on.
#[derive(Clone, Debug, Default)]
pub struct UserPlugins {
    folder: Option<PathBuf>,
    /// The file with the list.
    file: Option<PathBuf>,
    list: List,
    /// Why the list could not be read.
    problem: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct List {
    /// The plug-ins that are on, by hash.
    enabled: BTreeMap<String, Enabled>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Enabled {
    /// For the reader of the list.
    name: String,
    /// Where the file was, which need not be the plug-in folder.
    path: PathBuf,
}

/// A file with a plug-in.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPlugin {
    pub path: PathBuf,
    /// SHA-256 of the file in hexadecimal digits; empty if it cannot be read.
    pub hash: String,
    pub state: PluginState,
    /// The plug-in's own description; its name is that of the file if the plug-in gives none.
    pub about: About,
    /// The names of its blocks.
    pub blocks: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginState {
    On,
    Off,
    /// It cannot be used.
    Broken(String),
}

/// Why the list of plug-ins cannot be changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UserError {
    #[error("the folder of settings is unknown; set SIMULATE_CONFIG_DIR")]
    NoHome,
    #[error("{0}")]
    Broken(String),
    #[error("the list of plug-ins cannot be read: {0}")]
    List(String),
    #[error("the list of plug-ins cannot be saved: {error}: {path}")]
    Save { error: io::Error, path: PathBuf },
}

/// Why the blocks of a plug-in cannot be added.
#[derive(Debug, thiserror::Error)]
enum AddError {
    #[error("the file cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("the group “{0}” has blocks of the program or of another plug-in")]
    Group(String),
    #[error(transparent)]
    Block(#[from] RegistryError),
}

/// The maximum number of plug-ins in a folder, and the maximum size of the list in bytes.
const MAX_PLUGINS: usize = 100;
const MAX_LIST: u64 = 1 << 20;

impl UserPlugins {
    /// Reads the list of the user: in the folder that `SIMULATE_CONFIG_DIR` names, or the platform's for settings. The
    /// plug-in folder is the one that `SIMULATE_PLUGIN_DIR` names, `plugins` in the former, or the platform's for the
    /// data of programs.
    pub fn of_user() -> UserPlugins {
        let platforms = || directories::ProjectDirs::from("", "", "simulate").map(|dirs| dirs.config_dir().to_owned());
        UserPlugins::in_home(variable("SIMULATE_CONFIG_DIR").or_else(platforms).as_deref())
    }

    /// Reads the list in a folder of settings; without one there are no plug-ins.
    pub fn in_home(home: Option<&Path>) -> UserPlugins {
        let Some(home) = home else { return UserPlugins::default() };
        let platforms = directories::ProjectDirs::from("", "", "simulate").filter(|dirs| dirs.config_dir() == home);
        let folder = variable("SIMULATE_PLUGIN_DIR").or_else(|| platforms.map(|dirs| dirs.data_dir().join(FOLDER)));
        UserPlugins::read(Some(home.join("plugins.json")), folder.or_else(|| Some(home.join(FOLDER))))
    }

    /// Reads a list; a missing one is empty.
    pub fn read(file: Option<PathBuf>, folder: Option<PathBuf>) -> UserPlugins {
        let read = file.as_deref().map(|file| read_bounded(file, MAX_LIST));
        let (list, problem) = match read {
            None => (List::default(), None),
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => (List::default(), None),
            Some(Err(error)) => (List::default(), Some(error.to_string())),
            Some(Ok(bytes)) => match serde_json::from_slice(&bytes) {
                Ok(list) => (list, None),
                Err(error) => (List::default(), Some(error.to_string())),
            },
        };
        UserPlugins { folder, file, list, problem }
    }

    /// Returns the plug-in folder.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns why the list could not be read; nothing is on then.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Returns all plug-ins: those in the folder `plugins` beside a simulation's file, those of the plug-in folder, and those
    /// that are on elsewhere. Of equal files only the first is listed, and of those that are on with the same name only the
    /// first can be used.
    pub fn found(&self, simulation: Option<&Path>) -> Vec<FoundPlugin> {
        let beside = simulation.map(|file| file.parent().unwrap_or(Path::new("")).join(FOLDER));
        let elsewhere = self.list.enabled.values().map(|known| known.path.clone()).filter(|path| path.exists());
        // A simulation's own version of a plug-in comes before others.
        let mut paths = beside.as_deref().map(files_in).unwrap_or_default();
        paths.extend(self.folder.as_deref().map(files_in).unwrap_or_default());
        paths.extend(elsewhere.collect::<BTreeSet<_>>());
        let mut seen = BTreeSet::new();
        let mut found: Vec<FoundPlugin> = Vec::new();
        let mut seen_paths = BTreeSet::new();
        for path in paths {
            if !seen_paths.insert(path.clone()) {
                continue;
            }
            let mut plugin = self.look_at(&path);
            if !plugin.hash.is_empty() && !seen.insert(plugin.hash.clone()) {
                continue;
            }
            let is_on = |other: &&FoundPlugin| other.state == PluginState::On && other.about.name == plugin.about.name;
            if plugin.state == PluginState::On
                && let Some(other) = found.iter().find(is_on)
            {
                let text = format!("another plug-in of this name is on: {}", other.path.display());
                plugin.state = PluginState::Broken(text);
            }
            found.push(plugin);
        }
        found
    }

    /// Reads the description of a file. Nothing of it runs.
    pub fn look_at(&self, path: &Path) -> FoundPlugin {
        let broken = |hash: String, problem: String| {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let about = About { name, ..About::default() };
            let state = PluginState::Broken(problem);
            FoundPlugin { path: path.to_owned(), hash, state, about, blocks: Vec::new() }
        };
        let bytes = match read_bounded(path, MAX_FILE) {
            Ok(bytes) => bytes,
            Err(error) => return broken(String::new(), format!("the file cannot be read: {error}")),
        };
        let hash = hash_of(&bytes);
        match inspect(&bytes) {
            Ok((about, blocks)) => FoundPlugin {
                path: path.to_owned(),
                state: if self.list.enabled.contains_key(&hash) { PluginState::On } else { PluginState::Off },
                hash,
                about,
                blocks,
            },
            Err(error) => broken(hash, error.to_string()),
        }
    }

    /// Adds the blocks of all plug-ins that are on to a copy of a registry, and notes the others for its messages.
    #[must_use]
    pub fn added_to(&self, registry: &Registry, simulation: Option<&Path>) -> Registry {
        let mut registry = registry.clone();
        for found in self.found(simulation) {
            let problem = match found.state {
                PluginState::On => add(&mut registry, &found.path).err().map(|error| error.to_string()),
                PluginState::Off => None,
                PluginState::Broken(ref problem) => Some(problem.clone()),
            };
            if found.state != PluginState::On || problem.is_some() {
                let path = found.path.display().to_string();
                registry.add_absent(Absent { group: found.about.name, problem, path });
            }
        }
        registry
    }

    /// Switches a plug-in on and saves the list.
    ///
    /// # Errors
    /// Fails if the plug-in is broken or the list cannot be saved.
    pub fn enable(&mut self, found: &FoundPlugin) -> Result<(), UserError> {
        if let PluginState::Broken(problem) = &found.state {
            return Err(UserError::Broken(problem.clone()));
        }
        let path = std::path::absolute(&found.path).unwrap_or_else(|_| found.path.clone());
        let enabled = Enabled { name: found.about.name.clone(), path };
        self.change(|list| drop(list.enabled.insert(found.hash.clone(), enabled)))
    }

    /// Switches a plug-in off and saves the list.
    ///
    /// # Errors
    /// Fails if the list cannot be saved.
    pub fn disable(&mut self, hash: &str) -> Result<(), UserError> {
        self.change(|list| drop(list.enabled.remove(hash)))
    }

    /// Changes the list as it is on the disk now: another window may have changed it since it was read.
    fn change(&mut self, change: impl FnOnce(&mut List)) -> Result<(), UserError> {
        let Some(file) = self.file.clone() else { return Err(UserError::NoHome) };
        let mut now = UserPlugins::read(Some(file.clone()), self.folder.clone());
        if let Some(problem) = now.problem {
            return Err(UserError::List(format!("{problem}: {}", file.display())));
        }
        change(&mut now.list);
        let save = |error: io::Error| UserError::Save { error, path: file.clone() };
        let text = serde_json::to_string_pretty(&now.list).map_err(|error| save(error.into()))?;
        file.parent().map_or(Ok(()), fs::create_dir_all).map_err(save)?;
        replace(&file, (text + "\n").as_bytes()).map_err(save)?;
        self.list = now.list;
        self.problem = None;
        Ok(())
    }
}

/// Returns the path in a variable of the environment.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The name of the folder of plug-ins.
const FOLDER: &str = "plugins";

/// Adds the blocks of a plug-in; either all or none.
fn add(registry: &mut Registry, path: &Path) -> Result<(), AddError> {
    let (plugin, defs) = load(&read_bounded(path, MAX_FILE)?)?;
    let is_known = |group: &str| {
        defs.iter().all(|def| registry.get(group, def.name).is_some_and(|known| std::ptr::eq(known, *def)))
    };
    let group = &plugin.about.name;
    if is_known(group) {
        return Ok(());
    }
    if registry.has_group(group) {
        return Err(AddError::Group(group.clone()));
    }
    Ok(defs.into_iter().try_for_each(|def| registry.add(def))?)
}

/// Returns the `.wasm` files in a folder and in the folders inside it, sorted; empty if the folder does not exist.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let listed = |folder: &Path| -> BTreeSet<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.take(MAX_PLUGINS).map(|entry| entry.path()).collect()
    };
    let is_wasm = |path: &PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wasm"));
    let mut files = Vec::new();
    for path in listed(folder) {
        if path.is_dir() {
            files.extend(listed(&path).into_iter().filter(is_wasm));
        } else if is_wasm(&path) {
            files.push(path);
        }
    }
    files.truncate(MAX_PLUGINS);
    files
}

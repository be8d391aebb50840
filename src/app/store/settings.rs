//! The settings of the program, as JSON in the platform's settings folder.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::speed::SpeedChoice;
use crate::app::ui::keymap::{Keymap, stable_name};
use crate::app::ui::theme::ThemeChoice;
use crate::engine::Runner;
use crate::format::read_bounded;
use crate::model::BlockKind;

/// The maximum number of recent files.
const RECENT: usize = 12;
/// The maximum size of the settings file in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// The maximum number of recent blocks and commands.
const USED: usize = 8;

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(default)]
pub struct Settings {
    pub theme: ThemeChoice,
    /// The most recent first.
    pub recent: Vec<PathBuf>,
    /// The folder of the last file dialog.
    pub folder: Option<PathBuf>,
    /// The arrangement of the panels, as `shell::layout` writes it.
    pub layout: Option<serde_json::Value>,
    pub speed: SpeedChoice,
    /// The name of the engine that runs.
    pub engine: String,
    /// The thread limit of engines; `None`: the number of processors plus one.
    pub threads: Option<usize>,
    /// The number of steps of the step commands.
    pub step_by: u64,
    /// The playback speed in simulated seconds per second.
    pub play_rate: f64,
    /// Edits of the diagram are applied to the live run.
    pub takes_edits: bool,
    /// The memory limit of all runs in megabytes.
    pub runs_megabytes: u64,
    /// The rewind buffer of a run in megabytes.
    pub past_megabytes: u64,
    /// Width and height of the window, points.
    pub window: Option<(f32, f32)>,
    /// The text size; 1.0 is the platform's.
    pub text_size: f32,
    /// Runs pause at the first infinite or NaN value.
    pub stops_at_non_finite: bool,
    /// The folder with the user's own blocks; `libraries` beside the settings if absent.
    pub libraries: Option<PathBuf>,
    /// The changed shortcuts.
    pub keymap: Keymap,
    /// The favourite blocks, as `Math/Gain`, in the order of choice.
    pub favourites: Vec<String>,
    /// The recently inserted blocks, the newest first.
    pub used: Vec<String>,
    /// The commands recently chosen in the command palette, the newest first.
    pub commands: Vec<String>,
    /// The permissions outside the folders of simulations, by the path of the file.
    pub allowed: BTreeMap<PathBuf, Allowed>,
    /// The folder of the settings; if absent, they are not stored.
    #[serde(skip)]
    pub home: Option<PathBuf>,
}

/// The folders that blocks of a simulation may read from and write to.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
#[serde(default)]
pub struct Allowed {
    pub reads: Vec<PathBuf>,
    pub writes: Vec<PathBuf>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            theme: ThemeChoice::System,
            recent: Vec::new(),
            folder: None,
            layout: None,
            speed: SpeedChoice::Fastest,
            engine: crate::engine::Engines::DEFAULT.to_owned(),
            threads: None,
            step_by: 1,
            play_rate: 1.0,
            takes_edits: false,
            runs_megabytes: (super::runs::Runs::LIMIT >> 20) as u64,
            past_megabytes: (Runner::MEMORY >> 20) as u64,
            window: None,
            text_size: 1.0,
            stops_at_non_finite: true,
            libraries: None,
            keymap: Keymap::default(),
            favourites: Vec::new(),
            used: Vec::new(),
            commands: Vec::new(),
            allowed: BTreeMap::new(),
            home: None,
        }
    }
}

impl Settings {
    /// Reads the user's settings; missing or invalid ones get their defaults.
    pub fn load() -> Settings {
        Settings::load_from(home())
    }

    pub fn load_from(home: Option<PathBuf>) -> Settings {
        let bytes = home.as_ref().and_then(|home| read_bounded(&file_in(home), MAX_BYTES).ok());
        let mut settings: Settings = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        settings.commands.iter_mut().for_each(|name| *name = stable_name(name));
        settings.home = home;
        settings
    }

    /// Returns the file that they are stored in.
    pub fn file(&self) -> Option<PathBuf> {
        self.home.as_deref().map(file_in)
    }

    /// Writes the settings atomically.
    ///
    /// # Errors
    /// Fails if the folder cannot be created or written.
    pub fn save(&self) -> std::io::Result<()> {
        let Some(home) = &self.home else { return Ok(()) };
        std::fs::create_dir_all(home)?;
        let text = serde_json::to_string_pretty(self).map_err(std::io::Error::other)?;
        let mut file = crate::format::begin(&file_in(home))?;
        file.write_all(text.as_bytes())?;
        file.commit()
    }

    /// Adds a file as the most recent one.
    pub fn remember(&mut self, path: &Path) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        self.folder = path.parent().map(Path::to_owned);
        self.recent.retain(|known| *known != path);
        self.recent.insert(0, path);
        self.recent.truncate(RECENT);
    }

    /// Returns the folder of the user's library.
    pub fn library_folder(&self) -> Option<PathBuf> {
        self.libraries.clone().or_else(|| Some(self.home.as_ref()?.join("libraries")))
    }

    pub fn note_block(&mut self, name: String) {
        put_first(&mut self.used, name);
    }

    pub fn note_command(&mut self, name: String) {
        put_first(&mut self.commands, name);
    }

    /// Toggles a favourite block.
    pub fn toggle_favourite(&mut self, name: &str) {
        let before = self.favourites.len();
        self.favourites.retain(|known| known != name);
        if self.favourites.len() == before {
            self.favourites.push(name.to_owned());
        }
    }

    pub fn forget(&mut self, path: &Path) {
        self.recent.retain(|known| known != path);
    }
}

/// Returns the name of a library block in the settings.
pub fn name_of(kind: &BlockKind) -> Option<String> {
    match kind {
        BlockKind::Library { group, name } => Some(format!("{group}/{name}")),
        _ => None,
    }
}

fn put_first(list: &mut Vec<String>, name: String) {
    list.retain(|known| *known != name);
    list.insert(0, name);
    list.truncate(USED);
}

fn file_in(home: &Path) -> PathBuf {
    home.join("settings.json")
}

/// `SIMULATE_CONFIG_DIR`, or the platform's folder.
fn home() -> Option<PathBuf> {
    let platforms = || directories::ProjectDirs::from("", "", "simulate").map(|dirs| dirs.config_dir().to_owned());
    chosen_home().or_else(platforms)
}

/// Returns `SIMULATE_CONFIG_DIR`.
pub fn chosen_home() -> Option<PathBuf> {
    std::env::var_os("SIMULATE_CONFIG_DIR").filter(|path| !path.is_empty()).map(PathBuf::from)
}

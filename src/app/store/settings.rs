//! The settings of the program, as JSON in the platform's settings folder.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::pools::PoolSetting;
use super::preferences::Preferences;
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
    pub layout: Option<Value>,
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
    pub preferences: Preferences,
    /// The changed shortcuts.
    pub keymap: Keymap,
    /// The favourite blocks, as `Math/Gain`, in the order of choice.
    pub favourites: Vec<String>,
    /// The recently inserted blocks, the most recent first.
    pub used: Vec<String>,
    /// The commands recently chosen in the command palette, the most recent first.
    pub commands: Vec<String>,
    /// The permissions outside the folders of simulations, by the path of the file.
    pub allowed: BTreeMap<PathBuf, Allowed>,
    /// The folders that C code was exported to, by the path of the simulation's file.
    pub code_folders: BTreeMap<PathBuf, PathBuf>,
    /// The hashes of the FMUs whose code may run.
    pub allowed_fmus: BTreeSet<String>,
    /// The pools of computers that the user knows.
    pub pools: Vec<PoolSetting>,
    /// The program that runs the code of FMUs; if absent, this one.
    #[serde(skip)]
    pub worker: Option<PathBuf>,
    /// The folder of the settings; if absent, they are not stored.
    #[serde(skip)]
    pub home: Option<PathBuf>,
    /// The problem with the file of the settings, as a text for the user.
    #[serde(skip)]
    pub problem: Option<String>,
}

/// The folders that blocks of a simulation may read from and write to, and where it may be computed.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
#[serde(default)]
pub struct Allowed {
    pub reads: Vec<PathBuf>,
    pub writes: Vec<PathBuf>,
    /// The addresses of pools that it may be sent to.
    pub pools: BTreeSet<String>,
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
            preferences: Preferences::default(),
            keymap: Keymap::default(),
            favourites: Vec::new(),
            used: Vec::new(),
            commands: Vec::new(),
            allowed: BTreeMap::new(),
            code_folders: BTreeMap::new(),
            allowed_fmus: BTreeSet::new(),
            pools: Vec::new(),
            worker: None,
            home: None,
            problem: None,
        }
    }
}

impl Settings {
    /// Reads the user's settings; missing or invalid ones get their defaults. A damaged file is kept as a copy.
    pub fn load() -> Settings {
        let home = home();
        let is_homeless = home.is_none();
        let mut settings = Settings::load_from(home);
        if is_homeless {
            let text = "No folder for settings is known, so settings and recovery copies are not kept; set HOME";
            settings.problem = Some(text.to_owned());
        }
        settings
    }

    pub fn load_from(home: Option<PathBuf>) -> Settings {
        let (mut settings, problem) = match &home {
            Some(home) => read(&file_in(home)),
            None => (Settings::default(), None),
        };
        settings.commands.iter_mut().for_each(|name| *name = stable_name(name));
        (settings.home, settings.problem) = (home, problem);
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
    pub fn save(&self) -> io::Result<()> {
        let Some(home) = &self.home else { return Ok(()) };
        std::fs::create_dir_all(home)?;
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
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

/// Reads the settings in a file; also returns the problem, if there was one.
fn read(file: &Path) -> (Settings, Option<String>) {
    let bytes = match read_bounded(file, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (Settings::default(), None),
        Err(error) => {
            return (Settings::default(), Some(format!("The settings cannot be read: {error}; {}", file.display())));
        }
    };
    let (settings, what) = match serde_json::from_slice(&bytes) {
        Ok(settings) => return (settings, None),
        Err(_) => salvaged(&bytes),
    };
    let copy = file.with_extension("json.broken");
    let kept = match crate::format::replace(&copy, &bytes) {
        Ok(()) => format!("the old file is kept as {}", copy.display()),
        Err(error) => format!("the old file could not be kept: {error}"),
    };
    (settings, Some(format!("{what}; {kept}")))
}

/// Takes the valid settings out of a damaged file, and says which are not.
fn salvaged(bytes: &[u8]) -> (Settings, String) {
    let nothing = || (Settings::default(), "The settings are damaged and were reset".to_owned());
    let Ok(Value::Object(found)) = serde_json::from_slice(bytes) else { return nothing() };
    let (mut good, mut bad) = (serde_json::Map::new(), Vec::new());
    for (name, value) in found {
        let one = serde_json::Map::from_iter([(name.clone(), value.clone())]);
        match serde_json::from_value::<Settings>(Value::Object(one)) {
            Ok(_) => drop(good.insert(name, value)),
            Err(_) => bad.push(name),
        }
    }
    match serde_json::from_value(Value::Object(good)) {
        Ok(settings) => (settings, format!("These settings are damaged and were reset: {}", bad.join(", "))),
        Err(_) => nothing(),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings of a folder with this file, and the copy of a damaged one.
    fn read_from(text: &str) -> (Settings, Option<String>) {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(file_in(folder.path()), text).expect("it is written");
        let settings = Settings::load_from(Some(folder.path().to_owned()));
        // Later saves do not change the copy.
        settings.save().expect("it is written");
        assert_eq!(Settings::load_from(Some(folder.path().to_owned())).problem, None, "it is valid now");
        let copy = std::fs::read_to_string(folder.path().join("settings.json.broken")).ok();
        (Settings { home: None, ..settings }, copy)
    }

    #[test]
    fn one_damaged_setting_costs_no_other_and_the_old_file_is_kept() {
        let text = r#"{"text_size": "large", "step_by": 7, "recent": ["/a.simx"], "theme": 3, "unknown": [1]}"#;
        let (settings, copy) = read_from(text);
        let problem = settings.problem.clone().expect("it is told");
        assert!(problem.starts_with("These settings are damaged and were reset: text_size, theme; "), "{problem}");
        assert!(problem.contains("settings.json.broken"), "{problem}");
        let expected = Settings { step_by: 7, recent: vec!["/a.simx".into()], ..Settings::default() };
        assert_eq!(Settings { problem: None, ..settings }, expected);
        assert_eq!(copy.as_deref(), Some(text));
    }

    #[test]
    fn a_file_that_is_no_settings_is_kept() {
        for text in ["", "garbage", "[1, 2]", "{\"step_by\": 7", "null"] {
            let (settings, copy) = read_from(text);
            let problem = settings.problem.clone().expect("it is told");
            assert!(problem.starts_with("The settings are damaged and were reset; "), "{text}: {problem}");
            assert_eq!(Settings { problem: None, ..settings }, Settings::default(), "{text}");
            assert_eq!(copy.as_deref(), Some(text));
        }
    }

    #[test]
    fn missing_and_valid_settings_are_no_problem() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Settings::load_from(Some(folder.path().join("none"))).problem, None);
        let (settings, copy) = read_from(r#"{"step_by": 7}"#);
        assert_eq!((settings.step_by, settings.problem, copy), (7, None, None));
        std::fs::create_dir(file_in(folder.path())).expect("a folder in its place");
        let problem = Settings::load_from(Some(folder.path().to_owned())).problem.expect("it is told");
        assert!(problem.starts_with("The settings cannot be read: "), "{problem}");
    }
}

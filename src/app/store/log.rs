//! The log of the window: what the program did, in files that are renewed every day.
//!
//! Texts from a document and paths are only in the field [`CONTENT`], the last of an event, so that a
//! [report](super::report) can leave them out. Libraries do not know this field, so their messages are left out as a
//! whole.

use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};

use tracing::Level;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_appender::rolling::{InitError, RollingFileAppender, Rotation};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::format::read_bounded;

/// The field of an event with names, messages and paths of the user.
pub const CONTENT: &str = "content";
/// The libraries that write of the machine only: the version of OpenGL is known to the painter alone.
const MACHINE: [&str; 1] = ["egui_glow"];
/// The last line of a log that has reached its limit.
pub const FULL: &str = "the log is full; the rest is left out";
const PREFIX: &str = "simulate";
const SUFFIX: &str = "log";
/// The number of daily files that are kept.
const FILES: usize = 7;
/// The maximum size in bytes that one start of the program adds.
const MAX_BYTES: u64 = 4 << 20;
/// The maximum size of a file that is read for a report.
const MAX_READ: u64 = 64 << 20;

/// The log, written by its own thread; dropping it writes the remaining lines.
pub struct Log {
    _worker: WorkerGuard,
}

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error(transparent)]
    Folder(#[from] io::Error),
    #[error(transparent)]
    File(#[from] InitError),
}

impl Log {
    /// Begins the log of this program in a folder. Events of other programs in the same folder go to the same file.
    ///
    /// # Errors
    /// If the folder cannot be created or written; the program works without a log.
    pub fn begin(folder: &Path) -> Result<Log, LogError> {
        // Otherwise its first start complains about a folder without files.
        std::fs::create_dir_all(folder).map_err(LogError::Folder)?;
        let files = RollingFileAppender::builder()
            .rotation(Rotation::DAILY)
            .filename_prefix(PREFIX)
            .filename_suffix(SUFFIX)
            .max_log_files(FILES)
            .build(folder)?;
        let (queue, worker) =
            NonBlockingBuilder::default().thread_name("log").finish(Bounded { files, left: MAX_BYTES, is_full: false });
        let wanted = Targets::new()
            .with_default(Level::WARN)
            .with_target("simulate", Level::INFO)
            .with_targets(MACHINE.map(|library| (library, Level::DEBUG)));
        let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(queue).with_filter(wanted);
        // Tests have several windows in a process: the first one has the log.
        let _ = tracing_subscriber::registry().with(lines).try_init();
        Ok(Log { _worker: worker })
    }
}

/// Logs every panic with its backtrace, before the previous panic hook runs.
pub fn log_panics() {
    let otherwise = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic: &PanicHookInfo| {
        let location = panic.location().map_or_else(|| "an unknown location".to_owned(), ToString::to_string);
        let calls = std::backtrace::Backtrace::force_capture();
        let message = panic.payload_as_str().unwrap_or_default();
        tracing::error!({ CONTENT } = message, "panic at {location}\n{}", own_calls(&calls.to_string()));
        otherwise(panic);
    }));
}

/// Returns whether the events of a module keep names in [`CONTENT`] only. `source` is the module as the log names it.
pub fn is_own(source: &str) -> bool {
    let first = source.split(':').next().unwrap_or_default();
    first == "simulate" || MACHINE.contains(&first)
}

/// Returns the lines of a stack trace that name functions of this program.
fn own_calls(calls: &str) -> String {
    const MAX_CALLS: usize = 40;
    let own = calls.lines().filter(|line| line.contains("simulate::")).take(MAX_CALLS);
    own.map(str::trim).collect::<Vec<_>>().join("\n")
}

/// Returns the folder of the log: `logs` in the folder that `SIMULATE_CONFIG_DIR` names, or the platform's place.
pub fn folder() -> Option<PathBuf> {
    if let Some(home) = super::settings::chosen_home() {
        return Some(home.join("logs"));
    }
    if cfg!(target_os = "macos") {
        return Some(directories::UserDirs::new()?.home_dir().join("Library/Logs/Simulate"));
    }
    let folders = directories::ProjectDirs::from("", "", "simulate")?;
    Some(folders.state_dir().unwrap_or_else(|| folders.data_local_dir()).join("logs"))
}

/// Returns the last `count` lines of the newest file in a folder; empty without a log.
pub fn last_lines(folder: &Path, count: usize) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_log = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
    };
    // Their names have the date.
    let newest = entries.filter(is_log).max();
    let bytes = newest.and_then(|path| read_bounded(&path, MAX_READ).ok()).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].iter().map(|line| (*line).to_owned()).collect()
}

/// A log that says when it is full, and drops the rest.
struct Bounded<W> {
    files: W,
    /// Bytes.
    left: u64,
    is_full: bool,
}

impl<W: Write> Write for Bounded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = bytes.len() as u64;
        if self.is_full {
            return Ok(bytes.len());
        }
        self.is_full = length > self.left;
        self.left = self.left.saturating_sub(length);
        match self.is_full {
            true => writeln!(self.files, "{FULL}")?,
            false => self.files.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.files.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_ends_at_its_limit_and_says_so() {
        let mut log = Bounded { files: Vec::new(), left: 10, is_full: false };
        for text in ["12345\n", "678\n", "9\n", "0\n"] {
            log.write_all(text.as_bytes()).expect("there is room");
        }
        let text = String::from_utf8(log.files).expect("text");
        assert_eq!(text, format!("12345\n678\n{FULL}\n"));
    }

    #[test]
    fn the_last_lines_are_those_of_the_newest_file() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(last_lines(folder.path(), 2).is_empty());
        for (name, text) in [("simulate.2024-05-01.log", "old"), ("simulate.2024-05-02.log", "a\nb\nc\n"), ("z", "no")]
        {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        assert_eq!(last_lines(folder.path(), 2), ["b", "c"]);
    }
}

//! The results of commands on standard output, messages on standard error, and exit codes.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;
use indicatif::ProgressBar;

use crate::format::{FileKind, Formats, OutputError, OutputFile, Outputs, Overwrite};
use crate::results::{Marks, Provenance, TableError};

/// The format of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    #[default]
    Text,
    Json,
}

/// The exit code for success.
pub const SUCCESS: u8 = 0;
/// The exit code for an invalid file or a failed command.
pub const FAILURE: u8 = 1;
/// The exit code if a failed assertion of a block stopped or paused the run.
pub const STOPPED: u8 = 3;
/// The exit code for an unreadable file or invalid arguments.
pub const UNREADABLE: u8 = 2;

/// Returns a count with its noun, in the singular or the plural.
pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Escapes control characters as in JSON, except line breaks and tabs, so that a text cannot control the terminal.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    let is_obeyed = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut harmless = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_obeyed(character) {
            true => harmless.push_str(&format!("\\u{:04x}", u32::from(character))),
            false => harmless.push(character),
        }
    }
    Cow::Owned(harmless)
}

/// Prints a result and returns `code`. A closed pipe (`| head`) is not an error.
pub(super) fn print(text: &str, code: u8) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(escaped(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("the result cannot be written: {error}"));
            ExitCode::from(FAILURE)
        }
        _ => ExitCode::from(code),
    }
}

/// Formats a result as indented JSON.
pub(super) fn json(value: &impl serde::Serialize) -> String {
    match serde_json::to_string_pretty(value) {
        Ok(text) => text + "\n",
        // Only maps with keys that are not strings fail; no result has one.
        Err(error) => format!("{{\"error\":\"{error}\"}}\n"),
    }
}

/// Prints a line on standard error, ignoring failures.
pub(super) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escaped(text));
}

/// The option of all commands that write files.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct ForceArgs {
    /// Replaces existing files of another kind, too; files that the command reads are never replaced
    #[arg(long)]
    pub force: bool,
}

impl ForceArgs {
    /// Returns the rule for the files that the command writes.
    pub fn outputs(&self, formats: &Formats) -> Outputs {
        let outputs = Outputs::new(formats).hinting(", or --force to replace it");
        outputs.overwriting(if self.force { Overwrite::AnyKind } else { Overwrite::SameKind })
    }
}

/// Why a table cannot be written to a path.
#[derive(Debug, thiserror::Error)]
pub enum TableOutputError {
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Table(#[from] TableError),
}

/// Admits a table of results in the format of its extension.
///
/// # Errors
/// If the extension is unknown, or the file may not be written.
pub(super) fn admit_table(outputs: &mut Outputs, path: &Path) -> Result<OutputFile, TableOutputError> {
    let kind = FileKind::of_extension(path);
    let is_table = |kind: &FileKind| [FileKind::Csv, FileKind::Parquet, FileKind::Npz, FileKind::Mat].contains(kind);
    let kind = kind.filter(is_table).ok_or_else(|| TableError::Extension(path.display().to_string()))?;
    Ok(outputs.admit(path, kind)?)
}

/// How the .csv files of a command separate values and write decimals. A block that reads a file knows all of these.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct MarksArgs {
    /// The separator of values in .csv files: ",", ";" or "tab" [default: ","]
    #[arg(long, value_name = "MARK", requires = "out", value_parser = separator)]
    pub separator: Option<u8>,
    /// The decimal mark in .csv files: "." or ",", which needs another separator [default: "."]
    #[arg(long, value_name = "MARK", requires = "out", value_parser = decimal)]
    pub decimal: Option<u8>,
}

/// Why values cannot be separated as it is asked for.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarksError {
    #[error("a comma cannot separate values and be the decimal mark: give another --separator, such as \";\"")]
    Equal,
    #[error("{0}: only .csv files have a --separator and a --decimal mark")]
    NotCsv(String),
}

fn separator(text: &str) -> Result<u8, &'static str> {
    match text {
        "," => Ok(b','),
        ";" => Ok(b';'),
        "tab" | "\t" | "\\t" => Ok(b'\t'),
        _ => Err("a comma, a semicolon or tab is expected"),
    }
}

fn decimal(text: &str) -> Result<u8, &'static str> {
    match text {
        "." => Ok(b'.'),
        "," => Ok(b','),
        _ => Err("a point or a comma is expected"),
    }
}

impl MarksArgs {
    /// Returns the marks for the file at a path.
    ///
    /// # Errors
    /// If both are the same, or if the file has none.
    pub fn of(&self, out: Option<&Path>) -> Result<Marks, MarksError> {
        let default = Marks::default();
        let marks = Marks {
            separator: self.separator.unwrap_or(default.separator),
            decimal: self.decimal.unwrap_or(default.decimal),
        };
        let is_csv = |path: &Path| FileKind::of_extension(path) == Some(FileKind::Csv);
        match out.filter(|path| marks != default && !is_csv(path)) {
            _ if marks.separator == marks.decimal => Err(MarksError::Equal),
            Some(path) => Err(MarksError::NotCsv(path.display().to_string())),
            None => Ok(marks),
        }
    }
}

/// Whether a table says where its numbers come from.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct OriginArgs {
    /// Begins a .csv file with a line `# {…}` that says where its numbers come from; other files always say so
    #[arg(long)]
    pub provenance: bool,
}

impl OriginArgs {
    /// Returns whether the file at a path says where its numbers come from.
    pub fn is_said_in(&self, path: &Path) -> bool {
        let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        self.provenance || !is_csv
    }

    /// Returns the origin if the file at a path is to name it.
    pub fn of<'a>(&self, path: &Path, origin: &'a Provenance) -> Option<&'a Provenance> {
        Some(origin).filter(|_| self.is_said_in(path))
    }
}

/// Returns the progress of a search whose length is not known; hidden if the user wants none, or where standard error is no
/// terminal.
pub fn spinner(is_hidden: bool) -> ProgressBar {
    let bar = match is_hidden || !io::stderr().is_terminal() {
        true => ProgressBar::hidden(),
        false => ProgressBar::new_spinner(),
    };
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

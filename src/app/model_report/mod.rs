//! The report of a simulation: one file with its diagrams, parameters and curves, and where they come from.
//!
//! | module | contents |
//! |---|---|
//! | `content` | the content of a report, from a simulation and a run |
//! | `html` | a page for a browser |
//! | `pages` | pages of a .pdf |
//!
//! A report is written on a thread of its own; it knows neither the window nor the command line.

mod content;
mod html;
mod pages;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use crate::app::store::report_run::RunProblem;

use crate::app::drawing::{Drawing, write_pdf};
use crate::app::store::runs::RunRecord;
use crate::block::Registry;
use crate::engine::Engine;
use crate::format::OutputFile;
use crate::model::Simulation;

/// The subject of a report.
pub struct ReportSource {
    pub simulation: Arc<Simulation>,
    pub registry: Arc<Registry>,
    /// The simulation's file, if it has one.
    pub file: Option<PathBuf>,
    pub curves: Curves,
    /// Parameters that were set, as `PATH=VALUE`.
    pub set: Vec<String>,
    /// The model blocks that were removed when the file was loaded.
    pub removed: Vec<String>,
}

/// Where the curves of a report come from.
pub enum Curves {
    /// A run that exists.
    Recorded(Box<RunRecord>),
    /// A run for the report, of `steps` steps or else as many as the simulation says.
    Computed {
        engine: Arc<dyn Engine>,
        steps: Option<u64>,
    },
    None,
}

/// The file formats of reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportFormat {
    #[default]
    Html,
    Pdf,
}

impl ReportFormat {
    pub const ALL: [ReportFormat; 2] = [ReportFormat::Html, ReportFormat::Pdf];

    pub fn extension(self) -> &'static str {
        match self {
            ReportFormat::Html => "html",
            ReportFormat::Pdf => "pdf",
        }
    }

    /// Returns the format for a file extension.
    pub fn of(path: &Path) -> Option<ReportFormat> {
        let extension = path.extension()?;
        ReportFormat::ALL.into_iter().find(|format| extension.eq_ignore_ascii_case(format.extension()))
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("the file name of a report must end with .html or .pdf")]
    UnknownFormat,
    #[error(transparent)]
    Run(#[from] RunProblem),
    #[error("the report cannot be written: {0}")]
    Unwritable(#[from] std::io::Error),
}

/// The content of a report: sections with texts, tables and drawings.
#[derive(Debug, Default)]
struct Report {
    title: String,
    /// Below the title.
    about: String,
    sections: Vec<Section>,
}

#[derive(Debug)]
struct Section {
    /// Unique; links lead here.
    anchor: String,
    title: String,
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Text(String),
    Table { head: Vec<&'static str>, rows: Vec<Vec<String>> },
    Drawing(Drawing),
}

/// Writes the report of a simulation in the format of the file's extension, completely or not at all.
///
/// # Errors
/// Fails if the extension is unknown, the simulation cannot run, or the file cannot be written. A run that fails is
/// shown up to the failed step.
pub fn write(source: &ReportSource, out: &OutputFile) -> Result<(), ReportError> {
    let format = ReportFormat::of(out).ok_or(ReportError::UnknownFormat)?;
    let report = content::report_of(source)?;
    let bytes = match format {
        ReportFormat::Html => html::write(&report).into_bytes(),
        ReportFormat::Pdf => write_pdf(&report.title, &pages::lay_out(&report)),
    };
    Ok(out.replace(&bytes)?)
}

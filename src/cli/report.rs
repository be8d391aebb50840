//! `simulate report`: writes the report of a simulation.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::opened::{FileArgs, OpenOptions, Opened, engine_of, error_text};
use super::output::{FAILURE, ForceArgs, SUCCESS, UNREADABLE, complain, print};
use crate::block::Registry;
use crate::components::Components;
use crate::engine::{Engine, Engines};
use crate::format::{FileKind, OutputFile};
use crate::model::Simulation;

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The simulation file
    file: PathBuf,
    /// The output file: .html or .pdf
    #[arg(long, short)]
    out: PathBuf,
    /// Writes the report without a run, and so without curves
    #[arg(long, conflicts_with_all = ["steps", "engine"])]
    no_run: bool,
    /// The number of steps [default: that of the file]
    #[arg(long)]
    steps: Option<u64>,
    /// Sets an option or variable for the report, as PATH=VALUE; may be repeated
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// The engine of the run
    #[arg(long, default_value = Engines::DEFAULT)]
    engine: String,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    files: FileArgs,
}

/// A request to write a report. The command is given the function that writes, since it knows no drawing itself.
pub struct ReportRequest<'a> {
    /// The output file; its extension determines the format.
    pub out: &'a OutputFile,
    /// The file of the simulation.
    pub file: &'a Path,
    /// With the values that are set.
    pub simulation: &'a Arc<Simulation>,
    pub registry: &'a Arc<Registry>,
    /// The engine of the run; `None`: no run.
    pub engine: Option<Arc<dyn Engine>>,
    /// The number of steps; `None`: that of the file.
    pub steps: Option<u64>,
    pub set: &'a [String],
    /// The model blocks that were removed when the file was loaded.
    pub removed: &'a [String],
}

impl ReportArgs {
    /// Writes with a function.
    pub fn run(
        &self,
        components: &Components,
        write: impl FnOnce(&ReportRequest) -> Result<(), Box<dyn Error>>,
    ) -> ExitCode {
        let extension = self.out.extension().map(|extension| extension.to_ascii_lowercase());
        if !["html", "pdf"].iter().any(|known| extension.as_deref() == Some(known.as_ref())) {
            complain("the output file must end with .html or .pdf");
            return ExitCode::from(UNREADABLE);
        }
        let options = OpenOptions { set: &self.set, delta: None, files: Some(&self.files) };
        let opened = match Opened::open(components, &self.file, options) {
            Ok(opened) => opened,
            Err(error) => return error.complain(&self.file),
        };
        let engine = match engine_of(&components.engines, &self.engine) {
            Ok(engine) => Some(engine).filter(|_| !self.no_run),
            Err(error) => return error.complain(&self.file),
        };
        // The errors with their lines in the file.
        if engine.is_some()
            && let Err(error) = opened.compile()
        {
            complain("a report without curves needs no run: --no-run");
            return error.complain(&self.file);
        }
        let kind = if extension.as_deref() == Some("pdf".as_ref()) { FileKind::Pdf } else { FileKind::Html };
        let out = match opened.outputs(self.force, &components.formats).admit(&self.out, kind) {
            Ok(out) => out,
            Err(error) => {
                complain(&error_text(&error, &self.file));
                return ExitCode::from(FAILURE);
            }
        };
        let request = ReportRequest {
            out: &out,
            file: &self.file,
            simulation: opened.simulation(),
            registry: opened.registry(),
            engine,
            steps: self.steps,
            set: &self.set,
            removed: opened.removed(),
        };
        match write(&request) {
            Ok(()) => print(&format!("{}\n", self.out.display()), SUCCESS),
            Err(error) => {
                complain(&error_text(&*error, &self.file));
                ExitCode::from(FAILURE)
            }
        }
    }
}

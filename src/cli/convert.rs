//! `simulate convert`: converts a file to another format.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::imported::{self, ImportArgs};
use super::output::{FAILURE, ForceArgs, SUCCESS, UNREADABLE, complain};
use crate::components::Components;
use crate::format::{FileKind, Formats, LoadOptions, Loader, OutputError, SaveError};
use crate::model::Simulation;

#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The file to read, in any known format
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; its extension determines the format
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Removes one model block of each endless nesting, with a warning
    #[arg(long)]
    skip_invalid_models: bool,
    #[command(flatten)]
    imported: ImportArgs,
    #[command(flatten)]
    force: ForceArgs,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("{0}: {1}")]
    Save(SaveError, String),
}

pub fn run(args: &ConvertArgs, components: &Components) -> ExitCode {
    let (input, output) = (args.input.display(), args.output.display());
    let formats = &components.formats;
    if formats.of_path(&args.output).is_none_or(Loader::is_read_only) {
        let is_known = formats.of_path(&args.output).is_some();
        let problem = if is_known { "files of this kind are only read" } else { "unknown file extension" };
        complain(&format!("error: {problem}: {output}"));
        for loader in formats.iter().filter(|loader| !loader.is_read_only()) {
            let extensions: Vec<String> = loader.extensions().iter().map(|known| format!(".{known}")).collect();
            complain(&format!("  {}: {}", loader.title(), extensions.join(", ")));
        }
        return ExitCode::from(UNREADABLE);
    }
    match imported::import(&args.input, &args.imported) {
        Some(Ok(imported)) => {
            complain(imported.report.text().trim_end());
            return written(args, formats, &imported.simulation);
        }
        Some(Err(error)) => {
            complain(&format!("error: {error}: {input}"));
            return ExitCode::from(UNREADABLE);
        }
        None => {}
    }
    let loaded = match formats.open(&args.input, &LoadOptions { skip_invalid_models: args.skip_invalid_models }) {
        Ok(loaded) => loaded,
        Err(error) => {
            let location = error.position().map(|position| format!(":{position}")).unwrap_or_default();
            complain(&format!("error: {error}: {input}{location}"));
            return ExitCode::from(UNREADABLE);
        }
    };
    for found in &loaded.diagnostics {
        // Invalid parts are kept, so these diagnostics do not prevent the conversion.
        complain(&format!("note: {}: {input}:{}", found.message, found.location));
    }
    written(args, formats, &loaded.simulation)
}

fn written(args: &ConvertArgs, formats: &Formats, simulation: &Simulation) -> ExitCode {
    match write(args, formats, simulation) {
        Ok(()) => ExitCode::from(SUCCESS),
        Err(error) => {
            complain(&format!("error: {error}"));
            ExitCode::from(FAILURE)
        }
    }
}

fn write(args: &ConvertArgs, formats: &Formats, simulation: &Simulation) -> Result<(), Failure> {
    let output = args.force.outputs(formats).reading([&args.input]).admit(&args.output, FileKind::Simulation)?;
    let failed = |error| Failure::Save(error, args.output.display().to_string());
    let bytes = formats.bytes_of(&output, simulation).map_err(failed)?;
    output.replace(&bytes).map_err(|error| failed(error.into()))
}

//! `simulate convert`: converts a file to another format.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::imported::{self, ImportArgs};
use super::output::{FAILURE, ForceArgs, SUCCESS, UNREADABLE, complain};
use crate::components::Components;
use crate::format::simt::{self, Simt};
use crate::format::{FileKind, Formats, LoadError, LoadOptions, Loaded, Loader, OutputError, SaveError};
use crate::model::Simulation;

#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The file to read, in any known format
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; its extension determines the format: .simx, .simt, .json, .bson or .simb. A .simt that is
    /// converted to an existing file changes that file, whose positions stay
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Writes positions, colours and default options into a .simt, too; otherwise they are left out
    #[arg(long)]
    looks: bool,
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
            return written(args, components, &imported.simulation);
        }
        Some(Err(error)) => {
            complain(&format!("error: {error}: {input}"));
            return ExitCode::from(UNREADABLE);
        }
        None => {}
    }
    let loaded = match load(args, components) {
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
    written(args, components, &loaded.simulation)
}

/// Loads the input. If it is a text and the output exists, the text is applied to the output.
fn load(args: &ConvertArgs, components: &Components) -> Result<Loaded, LoadError> {
    let formats = &components.formats;
    let options = LoadOptions { skip_invalid_models: args.skip_invalid_models };
    let loaded = formats.open(&args.input, &options)?;
    if !is_text(formats, &args.input) || is_text(formats, &args.output) {
        return Ok(loaded);
    }
    // A file of another kind is replaced, if the user says so.
    let Ok(onto) = formats.open(&args.output, &LoadOptions::default()) else { return Ok(loaded) };
    let Ok(text) = std::fs::read_to_string(&args.input) else { return Ok(loaded) };
    Ok(simt::apply(&text, &onto.simulation, &components.registry)?.finish(&options))
}

fn is_text(formats: &Formats, path: &Path) -> bool {
    formats.of_path(path).is_some_and(|loader| loader.name() == Simt.name())
}

fn written(args: &ConvertArgs, components: &Components, simulation: &Simulation) -> ExitCode {
    match write(args, components, simulation) {
        Ok(()) => ExitCode::from(SUCCESS),
        Err(error) => {
            complain(&format!("error: {error}"));
            ExitCode::from(FAILURE)
        }
    }
}

fn write(args: &ConvertArgs, components: &Components, simulation: &Simulation) -> Result<(), Failure> {
    let formats = &components.formats;
    let output = args.force.outputs(formats).reading([&args.input]).admit(&args.output, FileKind::Simulation)?;
    let failed = |error| Failure::Save(error, args.output.display().to_string());
    let bytes = match is_text(formats, &args.output) && !args.looks {
        true => simt::text(simulation, &components.registry).map(String::into_bytes),
        false => formats.bytes_of(&output, simulation),
    };
    let bytes = bytes.map_err(failed)?;
    output.replace(&bytes).map_err(|error| failed(error.into()))
}

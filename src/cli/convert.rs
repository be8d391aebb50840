//! `simulate convert`: converts a file to another format.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::output::{FAILURE, SUCCESS, UNREADABLE, complain};
use crate::components::Components;
use crate::format::{LoadOptions, SaveError};

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
}

pub fn run(args: &ConvertArgs, components: &Components) -> ExitCode {
    let (input, output) = (args.input.display(), args.output.display());
    let formats = &components.formats;
    if formats.of_path(&args.output).is_none() {
        complain(&format!("error: unknown file extension: {output}"));
        for loader in formats.iter() {
            let extensions: Vec<String> = loader.extensions().iter().map(|known| format!(".{known}")).collect();
            complain(&format!("  {}: {}", loader.title(), extensions.join(", ")));
        }
        return ExitCode::from(UNREADABLE);
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
    match formats.save(&args.output, &loaded.simulation) {
        Ok(()) => ExitCode::from(SUCCESS),
        Err(error) => {
            complain(&format!("error: {error}: {output}"));
            ExitCode::from(match error {
                SaveError::UnknownFormat { .. } => UNREADABLE,
                _ => FAILURE,
            })
        }
    }
}

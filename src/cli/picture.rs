//! `simulate picture`: draws a diagram as .svg, .pdf or .png.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::{FAILURE, SUCCESS, UNREADABLE, complain, print};
use crate::app::canvas::export;
use crate::app::drawing::{Format, Part};
use crate::block::Registry;
use crate::format::{self, LoadOptions};

#[derive(Debug, Args)]
pub struct PictureArgs {
    /// The simulation file
    file: PathBuf,
    /// The output file: .svg, .pdf or .png
    #[arg(long, short)]
    out: PathBuf,
    /// The model to draw [default: the root model]
    #[arg(long, conflicts_with = "all")]
    model: Option<String>,
    /// Draws all models: on separate pages of a .pdf, otherwise into separate files
    #[arg(long)]
    all: bool,
    /// The number of .png pixels for each pixel of the diagram
    #[arg(long, default_value_t = 2.0)]
    scale: f32,
    /// Removes one model block of each endless nesting, instead of an error
    #[arg(long)]
    skip_invalid_models: bool,
}

pub fn run(args: &PictureArgs) -> ExitCode {
    if Format::of(&args.out).is_none() {
        complain("the output file must end with .svg, .pdf or .png");
        return ExitCode::from(UNREADABLE);
    }
    if !(args.scale.is_finite() && args.scale > 0.0 && args.scale <= 32.0) {
        complain("the scale must be above 0 and at most 32");
        return ExitCode::from(UNREADABLE);
    }
    let simulation = match format::open(&args.file, &LoadOptions { skip_invalid_models: args.skip_invalid_models }) {
        Ok(loaded) => Arc::new(loaded.simulation),
        Err(error) => {
            complain(&format!("{error}: {}", args.file.display()));
            return ExitCode::from(UNREADABLE);
        }
    };
    let model = args.model.as_deref().unwrap_or(&simulation.root);
    let parts = match (args.all, simulation.model(model)) {
        (true, _) => Part::all(&simulation),
        (false, Some(model)) => vec![Part { model: Arc::clone(&model.name), blocks: None }],
        (false, None) => {
            let known: Vec<&str> = simulation.models_in_order().into_iter().map(|model| &*model.name).collect();
            complain(&format!("there is no model “{model}”; the models are: {}", known.join(", ")));
            return ExitCode::from(FAILURE);
        }
    };
    match export(&args.out, &simulation, &Registry::standard(), &parts, args.scale) {
        Ok(written) => {
            let lines: String = written.iter().map(|path| format!("{}\n", path.display())).collect();
            print(&lines, SUCCESS)
        }
        Err(error) => {
            complain(&format!("{error}: {}", args.out.display()));
            ExitCode::from(FAILURE)
        }
    }
}

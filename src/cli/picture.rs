//! `simulate picture`: draws a diagram as .svg, .pdf or .png.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::excerpt::warn_of_removals;
use super::output::{FAILURE, ForceArgs, SUCCESS, UNREADABLE, complain, print};
use crate::components::Components;
use crate::format::{LoadOptions, Outputs};
use crate::model::Simulation;

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
    #[command(flatten)]
    force: ForceArgs,
}

/// A request to draw. The command is given the function that draws, since it knows no drawing itself.
pub struct PictureRequest<'a> {
    /// The output file; its extension determines the format.
    pub out: &'a Path,
    /// The file of the simulation.
    pub file: &'a Path,
    pub simulation: &'a Arc<Simulation>,
    /// The name of the model to draw; `None`: all models.
    pub model: Option<Arc<str>>,
    /// The number of .png pixels for each pixel of the diagram.
    pub scale: f32,
}

impl PictureArgs {
    /// Draws with a function that returns the files that it has written, or a message.
    pub fn run(
        &self,
        components: &Components,
        draw: impl FnOnce(&PictureRequest, &mut Outputs) -> Result<Vec<PathBuf>, Box<dyn Error>>,
    ) -> ExitCode {
        let extension = self.out.extension().map(|extension| extension.to_ascii_lowercase());
        if !["svg", "pdf", "png"].iter().any(|known| extension.as_deref() == Some(known.as_ref())) {
            complain("the output file must end with .svg, .pdf or .png");
            return ExitCode::from(UNREADABLE);
        }
        if !(self.scale.is_finite() && self.scale > 0.0 && self.scale <= 32.0) {
            complain("the scale must be above 0 and at most 32");
            return ExitCode::from(UNREADABLE);
        }
        let options = LoadOptions { skip_invalid_models: self.skip_invalid_models };
        let simulation = match components.formats.open(&self.file, &options) {
            Ok(loaded) => {
                warn_of_removals(&self.file, &loaded);
                Arc::new(loaded.simulation)
            }
            Err(error) => {
                complain(&format!("{error}: {}", self.file.display()));
                return ExitCode::from(UNREADABLE);
            }
        };
        let model = self.model.as_deref().unwrap_or(&simulation.root);
        let model = match (self.all, simulation.model(model)) {
            (true, _) => None,
            (false, Some(model)) => Some(Arc::clone(&model.name)),
            (false, None) => {
                let known: Vec<&str> = simulation.models_in_order().into_iter().map(|model| &*model.name).collect();
                complain(&format!("there is no model “{model}”; the models are: {}", known.join(", ")));
                return ExitCode::from(FAILURE);
            }
        };
        let (out, file, scale) = (&*self.out, &*self.file, self.scale);
        let request = PictureRequest { out, file, simulation: &simulation, model, scale };
        match draw(&request, &mut self.force.outputs(&components.formats).reading([file])) {
            Ok(written) => {
                let lines: String = written.iter().map(|path| format!("{}\n", path.display())).collect();
                print(&lines, SUCCESS)
            }
            Err(error) => {
                complain(&format!("{error}: {}", self.out.display()));
                ExitCode::from(FAILURE)
            }
        }
    }
}

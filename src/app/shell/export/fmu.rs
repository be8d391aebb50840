//! Exports FMUs: asks how and where, and compiles and writes in the background.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::code::{InvalidModel, export_name, location_of};
use crate::app::action::path_request::FmuExport;
use crate::app::dialogs::Dialog;
use crate::app::shell::app::App;
use crate::app::store::files::file_name;
use crate::app::store::jobs::About;
use crate::block::Registry;
use crate::engine::compile;
use crate::export::c::{Options, Precision};
use crate::export::fmu::Located;
use crate::exported::{FmuError, FmuRequest, WrittenFmu, write_fmu};
use crate::format::{FileKind, NotWritten, OutputFile};
use crate::model::{BlockId, Simulation};

/// Why there is no FMU.
#[derive(Debug, thiserror::Error)]
enum FmuFailure {
    #[error(transparent)]
    Invalid(#[from] InvalidModel),
    #[error(transparent)]
    Fmu(#[from] FmuError),
}

impl FmuFailure {
    /// The model and the block that is the reason.
    fn block(&self) -> Option<(Arc<str>, BlockId)> {
        match self {
            FmuFailure::Invalid(invalid) => invalid.block.clone(),
            FmuFailure::Fmu(FmuError::Refused(refusal)) => location_of(refusal),
            FmuFailure::Fmu(_) => None,
        }
    }

    fn help(&self) -> &str {
        if let FmuFailure::Invalid(invalid) = self { &invalid.help } else { "" }
    }
}

impl App {
    pub(crate) fn ask_fmu(&mut self) {
        let Some(file) = &self.file else { return };
        let export = FmuExport::new(file.simulation());
        self.open_dialog(Dialog::Fmu(export));
    }

    /// Writes the FMU into a file.
    pub(crate) fn export_fmu(&mut self, wanted: &FmuExport, path: PathBuf) {
        let Some(file) = &self.file else { return };
        let (document, simulation) = (file.number, Arc::clone(file.simulation()));
        let (registry, name) = (Arc::clone(&self.blocks.registry), export_name(file, &wanted.model));
        let about = About { title: format!("Writing {}", file_name(&path)), path: Some(path.clone()), must_end: false };
        let (wanted, target, outputs) = (wanted.clone(), path.clone(), self.outputs());
        self.jobs.start(
            about,
            move || outputs.write(&target, FileKind::Fmu, |file| write(&wanted, &name, &simulation, &registry, file)),
            move |app, result| app.fmu_written(document, &path, result),
        );
    }

    fn fmu_written(&mut self, document: u64, path: &Path, result: Result<WrittenFmu, NotWritten<FmuFailure>>) {
        match result {
            Ok(WrittenFmu { notice: Some(notice), .. }) => self.say(notice),
            Ok(written) => self.say(format!("Wrote {}: {}", path.display(), written.text())),
            Err(failure) => {
                let is_open = self.file.as_ref().is_some_and(|file| file.number == document);
                let title = "The FMU was not exported";
                let (help, block) = match &failure {
                    NotWritten::Refused(_) => ("", None),
                    NotWritten::Failed(failure) => (failure.help(), failure.block()),
                };
                let dialog = Dialog::problem(title, &failure.to_string(), help, Some(path));
                self.open_dialog(dialog.about_block(block.filter(|_| is_open)));
            }
        }
    }
}

/// Compiles the simulation, and writes the FMU.
fn write(
    wanted: &FmuExport,
    name: &str,
    simulation: &Simulation,
    registry: &Arc<Registry>,
    file: &OutputFile,
) -> Result<WrittenFmu, FmuFailure> {
    let mut simulation = simulation.clone();
    simulation.root = Arc::clone(&wanted.model);
    let program = Arc::new(compile(&simulation, registry).map_err(|found| InvalidModel::of(&found))?);
    let located = Located::program(&simulation, registry);
    let options = Options {
        name,
        is_single_file: false,
        inlines_parameters: wanted.inlines_parameters,
        precision: Precision::Double,
        params: &program.params,
    };
    let request = FmuRequest {
        program: &program,
        located: located.as_ref().map(|program| Located { program, params: &program.params }),
        simulation: &simulation,
        options: &options,
        version: wanted.version,
        is_source_only: wanted.is_source_only,
    };
    Ok(write_fmu(file, request)?)
}

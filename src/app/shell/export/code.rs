//! Exports C code: asks how and where, and writes, compiles and compares in the background.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::app::action::path_request::CodeExport;
use crate::app::dialogs::{Dialog, EditedExport};
use crate::app::shell::app::App;
use crate::app::shell::document::open_file::OpenFile;
use crate::app::store::files::file_name;
use crate::app::store::jobs::About;
use crate::block::Registry;
use crate::engine::{Context, compile};
use crate::export::c::{Options, Refusal, export};
use crate::exported::{self, CodeFolder, FolderError, OnChanged, Verdict, VerifyError};
use crate::format::Outputs;
use crate::model::{BlockId, Diagnostic, Simulation};

/// The code in a folder.
struct Written {
    files: usize,
    /// The number of files that keep their changes.
    kept: usize,
    /// The result of the comparison with the simulation, if it was requested.
    verdict: Option<(Verdict, String)>,
}

/// The first error of a model that does not compile.
#[derive(Debug, thiserror::Error)]
#[error("the model has an error: {message}")]
pub(crate) struct InvalidModel {
    message: String,
    pub help: String,
    pub block: Option<(Arc<str>, BlockId)>,
}

impl InvalidModel {
    pub fn of(found: &[Diagnostic]) -> InvalidModel {
        let first = found.iter().find(|found| found.is_error());
        let (message, help) = first.map(|first| (first.message.clone(), first.help.clone())).unwrap_or_default();
        let block = first.and_then(|first| Some((first.location.model.clone()?, first.location.block?)));
        InvalidModel { message, help, block }
    }
}

/// Why there is no code, or none that was compared.
#[derive(Debug, thiserror::Error)]
enum CodeFailure {
    #[error(transparent)]
    Invalid(#[from] InvalidModel),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Verify(#[from] VerifyError),
}

impl CodeFailure {
    /// The model and the block that is the reason.
    fn block(&self) -> Option<(Arc<str>, BlockId)> {
        match self {
            CodeFailure::Invalid(invalid) => invalid.block.clone(),
            CodeFailure::Refused(refusal) => location_of(refusal),
            CodeFailure::Folder(_) | CodeFailure::Verify(_) => None,
        }
    }

    fn title(&self) -> &'static str {
        match self {
            CodeFailure::Verify(_) => "The C code was not compared",
            _ => "The C code was not exported",
        }
    }

    fn help(&self) -> &str {
        match self {
            CodeFailure::Invalid(invalid) => &invalid.help,
            CodeFailure::Verify(_) => "the code is written",
            _ => "",
        }
    }
}

/// The model and the block that cannot be exported.
pub(crate) fn location_of(refusal: &Refusal) -> Option<(Arc<str>, BlockId)> {
    refusal.block().map(|block| (Arc::clone(&block.model), block.block))
}

/// The name of the exported code: for the root model that of the file, for other models their own.
pub(crate) fn export_name(file: &OpenFile, model: &Arc<str>) -> String {
    if *model != file.simulation().root {
        return model.to_string();
    }
    let name = file.path.as_deref().map_or_else(|| file.name.clone(), file_name);
    Path::new(&name).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or(name)
}

impl App {
    pub(crate) fn ask_code(&mut self) {
        let Some(file) = &self.file else { return };
        let export = CodeExport::new(file.simulation());
        self.open_dialog(Dialog::Code(export));
    }

    /// Returns the folder that code of the open file was exported to last.
    pub(crate) fn code_folder(&self) -> Option<PathBuf> {
        let path = self.file.as_ref()?.path.as_ref()?;
        self.settings.code_folders.get(path).filter(|folder| folder.is_dir()).cloned()
    }

    pub(crate) fn remember_code_folder(&mut self, folder: &Path) {
        let Some(path) = self.file.as_ref().and_then(|file| file.path.clone()) else { return };
        self.settings.code_folders.insert(path, folder.to_owned());
        self.save_settings();
    }

    /// Writes the code into a folder.
    pub(crate) fn export_code(&mut self, wanted: &CodeExport, folder: PathBuf, on_changed: OnChanged) {
        let Some(file) = &self.file else { return };
        let (document, simulation) = (file.number, Arc::clone(file.simulation()));
        let registry = Arc::clone(&self.blocks.registry);
        let name = export_name(file, &wanted.model);
        let doing = if wanted.is_compared { "Writing and comparing" } else { "Writing" };
        let about =
            About { title: format!("{doing} {}", file_name(&folder)), path: Some(folder.clone()), must_end: false };
        let (export, target, mut outputs) = (wanted.clone(), folder.clone(), self.outputs());
        let wanted = wanted.clone();
        self.jobs.start(
            about,
            move || write(&export, &name, &simulation, &registry, (&target, &mut outputs, on_changed)),
            move |app, result| app.code_written(document, wanted, &folder, result),
        );
    }

    fn code_written(&mut self, document: u64, export: CodeExport, folder: &Path, result: Result<Written, CodeFailure>) {
        let shown = folder.display();
        let is_open = self.file.as_ref().is_some_and(|file| file.number == document);
        let kept = |count: usize| match count {
            0 => String::new(),
            1 => "; 1 stays as it is".to_owned(),
            count => format!("; {count} stay as they are"),
        };
        match result {
            Ok(Written { files, kept: count, verdict: None }) => {
                self.say(format!("Wrote {files} files to {shown}{}", kept(count)));
            }
            Ok(Written { files, verdict: Some((Verdict::Equal { steps, .. }, _)), .. }) => {
                self.say(format!("Wrote {files} files to {shown}; {steps} steps are exactly those of the simulation"));
            }
            Ok(Written { files, verdict: Some((Verdict::Measured { steps, errors }, _)), .. }) => {
                let worst = errors.iter().map(|error| error.relative).fold(0.0, f64::max);
                self.say(format!(
                    "Wrote {files} files to {shown}; the relative error over {steps} steps is at most {worst:.1e}"
                ));
            }
            Ok(Written { verdict: Some((Verdict::Different { .. }, text)), .. }) => {
                let title = "The C code differs from the simulation";
                self.open_dialog(Dialog::problem(title, &text, "report this as an error of the program", Some(folder)));
            }
            Err(CodeFailure::Folder(FolderError::Changed(files))) if is_open => {
                let files = files.into_iter().map(PathBuf::from).collect();
                let edited = EditedExport { export, folder: folder.to_owned(), files };
                self.open_dialog(Dialog::Edited(Box::new(edited)));
            }
            Err(failure) => {
                let dialog = Dialog::problem(failure.title(), &failure.to_string(), failure.help(), Some(folder));
                self.open_dialog(dialog.about_block(failure.block().filter(|_| is_open)));
            }
        }
    }
}

/// Compiles the simulation, and writes its code; compares both if requested.
fn write(
    wanted: &CodeExport,
    name: &str,
    simulation: &Simulation,
    registry: &Arc<Registry>,
    (folder, outputs, on_changed): (&Path, &mut Outputs, OnChanged),
) -> Result<Written, CodeFailure> {
    let mut simulation = simulation.clone();
    simulation.root = Arc::clone(&wanted.model);
    let program = Arc::new(compile(&simulation, registry).map_err(|found| InvalidModel::of(&found))?);
    let options = Options {
        name,
        is_single_file: wanted.is_single_file,
        inlines_parameters: wanted.inlines_parameters,
        precision: wanted.precision,
        params: &program.params,
    };
    let code = export(&program, &simulation, &options)?;
    let mut folder = CodeFolder::write(folder, &code, outputs, on_changed)?;
    let kept = folder.kept().len();
    let verdict = match wanted.is_compared {
        true => {
            let steps = exported::default_steps(&program);
            let verdict = exported::verify(&mut folder, &code, &program, Context::new(&program), steps)?;
            let text = verdict.text(&code.name);
            Some((verdict, text))
        }
        false => None,
    };
    Ok(Written { files: code.files.len().saturating_sub(kept), kept, verdict })
}

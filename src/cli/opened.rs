//! Opens a file for a run, for all commands that run one.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use super::excerpt::{Excerpts, invalid_text, warn_of_removals};
use super::output::{FAILURE, ForceArgs, UNREADABLE, complain};
use crate::block::{FileError, Registry};
use crate::components::Components;
use crate::engine::{Context, Engine, Engines, OverrideError, Program, RunSetup, SelectedSignal};
use crate::format::{Folder, Formats, LoadError, LoadOptions, Loaded, Outputs};
use crate::model::{Diagnostic, Document, EditError, SignalError, Simulation};
use crate::plugin::UserPlugins;
use crate::worker::{AllowedFmus, Fmus};

/// Why a file cannot be opened for a run.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The simulation is invalid; the text lists the errors with the lines of the file.
    #[error("{0}")]
    Invalid(String),
    #[error("--set {0}")]
    Override(#[from] OverrideError),
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error("unknown engine “{0}”; the engines are: {1}")]
    UnknownEngine(String, String),
    #[error("--signals: {0}")]
    Signal(#[from] SignalError),
    #[error("--allow-fmu: {0}")]
    Fmu(FileError),
}

/// The options of all commands that load a file.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct FileArgs {
    /// Allows blocks to read files in this folder too, not only in the simulation's folder
    #[arg(long, value_name = "DIR")]
    pub allow_read: Vec<PathBuf>,
    /// Allows blocks to write files in this folder too, not only in the simulation's folder
    #[arg(long, value_name = "DIR")]
    pub allow_write: Vec<PathBuf>,
    /// Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can
    #[arg(long, value_name = "FILE")]
    pub allow_fmu: Vec<PathBuf>,
    /// Removes one model block of each endless nesting, instead of an error
    #[arg(long)]
    pub skip_invalid_models: bool,
}

impl FileArgs {
    pub fn options(&self) -> LoadOptions {
        LoadOptions { skip_invalid_models: self.skip_invalid_models }
    }

    /// Returns the blocks that a file may use: with those of the user's plug-ins, and with access to files.
    ///
    /// # Errors
    /// As [`FileArgs::access`].
    pub fn registry(&self, components: &Components, file: &Path) -> Result<Registry, FileError> {
        let registry = UserPlugins::of_user().added_to(&components.registry, Some(file));
        Ok(registry.with_files(Arc::new(self.access(file)?)))
    }

    /// Returns the files that blocks may access.
    ///
    /// # Errors
    /// If a file whose code is allowed is no FMU.
    pub fn access(&self, file: &Path) -> Result<Fmus, FileError> {
        let mut allowed = AllowedFmus::default();
        self.allow_fmu.iter().try_for_each(|file| allowed.add_file(file))?;
        let folder = Folder::beside(file).allowing(&self.allow_read, &self.allow_write);
        Ok(Fmus::new(Arc::new(folder), allowed))
    }
}

/// The options of opening a file.
#[derive(Clone, Copy, Default)]
pub struct OpenOptions<'a> {
    /// Values of options, as `PATH=VALUE`.
    pub set: &'a [String],
    /// The step length in seconds.
    pub delta: Option<f64>,
    pub files: Option<&'a FileArgs>,
}

/// An open file with the values for this run.
pub struct Opened<'a> {
    file: &'a Path,
    loaded: Loaded,
    pub setup: RunSetup,
    /// The FMUs whose code may run.
    allowed: Vec<PathBuf>,
    /// All signals by name, computed on demand.
    all: OnceCell<Vec<SelectedSignal>>,
}

impl<'a> Opened<'a> {
    /// Opens a file, and warns of the model blocks that were removed from it.
    ///
    /// # Errors
    /// If the file cannot be read or is invalid, or a value cannot be set.
    pub fn open(components: &Components, file: &'a Path, given: OpenOptions) -> Result<Opened<'a>, OpenError> {
        let files = given.files.cloned().unwrap_or_default();
        let loaded = components.formats.open(file, &files.options())?;
        warn_of_removals(file, &loaded);
        let registry = Arc::new(files.registry(components, file).map_err(OpenError::Fmu)?);
        let setup = RunSetup::of(&Document::new(loaded.simulation.clone(), registry));
        let mut opened = Opened { file, loaded, setup, allowed: files.allow_fmu, all: OnceCell::new() };
        if opened.loaded.has_errors() {
            return Err(opened.invalid(Vec::new()));
        }
        if let Some(delta) = given.delta {
            opened.setup.set_delta(delta)?;
        }
        opened.setup.set(given.set)?;
        Ok(opened)
    }

    /// Returns the simulation with the values of this run.
    pub fn simulation(&self) -> &Arc<Simulation> {
        self.setup.simulation()
    }

    pub fn registry(&self) -> &Arc<Registry> {
        self.setup.registry()
    }

    /// Compiles the simulation.
    ///
    /// # Errors
    /// If it is invalid.
    pub fn compile(&self) -> Result<Program, OpenError> {
        self.setup.compile().map_err(|found| self.invalid(found))
    }

    /// Returns the rule for written files: they do not replace the files that the command reads, which are the
    /// simulation and the files that its blocks read when it was compiled.
    pub fn outputs(&self, force: ForceArgs, formats: &Formats) -> Outputs {
        let outputs = force.outputs(formats).reading([self.file]).reading(&self.allowed);
        outputs.reading(self.registry().files().read_files())
    }

    /// Returns the model blocks that were removed when the file was loaded.
    pub fn removed(&self) -> &[String] {
        &self.loaded.removed
    }

    /// Formats the errors with the lines of the file.
    pub fn invalid(&self, found: Vec<Diagnostic>) -> OpenError {
        OpenError::Invalid(invalid_text(self.file, &self.loaded, found))
    }

    /// Creates the context of a new run.
    ///
    /// # Errors
    /// If a value cannot be set for one instance of a model.
    pub fn context(&self, program: &Program) -> Result<Context, OpenError> {
        Ok(self.setup.context(program)?)
    }

    /// Returns the signals to record by default: exits, inputs of scopes, named and probed signals.
    pub fn marked(&self, program: &Program) -> Vec<SelectedSignal> {
        SelectedSignal::marked(self.simulation(), self.registry(), program)
    }

    /// Selects signals by name: `exits`, `all`, or paths separated by commas.
    ///
    /// # Errors
    /// If a signal does not exist.
    pub fn signals(&self, program: &Program, names: &str) -> Result<Vec<SelectedSignal>, OpenError> {
        let names: Vec<&str> = names.split(',').map(str::trim).collect();
        Ok(self.setup.signals(&names, program, &self.all)?)
    }

    /// Finds a signal by path or display name.
    ///
    /// # Errors
    /// If the signal does not exist.
    pub fn signal(&self, program: &Program, path: &str) -> Result<SelectedSignal, OpenError> {
        let library = (&**self.simulation(), &**self.registry());
        Ok(SelectedSignal::find(path, library, program, &self.all)?)
    }
}

/// Finds an engine by name.
///
/// # Errors
/// If the engine does not exist.
pub fn engine_of(engines: &Engines, name: &str) -> Result<Arc<dyn Engine>, OpenError> {
    engines.get(name).cloned().ok_or_else(|| {
        let known: Vec<&str> = engines.iter().map(Engine::name).collect();
        OpenError::UnknownEngine(name.to_owned(), known.join(", "))
    })
}

impl OpenError {
    pub fn code(&self) -> u8 {
        if matches!(self, OpenError::Load(_)) { UNREADABLE } else { FAILURE }
    }

    pub fn text(&self, file: &Path) -> String {
        match self {
            OpenError::Load(error) => Excerpts::new(file, "").render(&error.to_diagnostic()),
            OpenError::Invalid(text) => text.clone(),
            error => error_text(error, file),
        }
    }

    /// Prints the error and returns the exit code.
    pub fn complain(&self, file: &Path) -> ExitCode {
        complain(&self.text(file));
        ExitCode::from(self.code())
    }
}

pub fn error_text(error: &dyn std::error::Error, file: &Path) -> String {
    format!("error: {error}\n  file: {}", file.display())
}

//! A file that is read and made ready to run, for all commands that run one.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use super::excerpt::{Excerpts, invalid_text};
use super::override_option::{Override, OverrideError};
use super::{FAILURE, UNREADABLE, complain};
use crate::block::Registry;
use crate::engine::{Context, Engine, Engines, Program, compile};
use crate::format::{self, Folder, LoadError, LoadOptions, Loaded};
use crate::model::{
    Change, Diagnostic, Document, Edit, EditError, SignalError, SignalKey, marked_signals, names_of_signals,
};

/// Why a file cannot be made ready as it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The simulation cannot run; the text shows why, with the lines of the file.
    #[error("{0}")]
    Invalid(String),
    #[error(transparent)]
    Override(#[from] OverrideError),
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error("there is no engine “{0}”; the engines are: {1}")]
    UnknownEngine(String, String),
    #[error("--signals: {0}")]
    Signal(#[from] SignalError),
}

/// What a file may do, as every command that loads one can be told.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct FileArgs {
    /// Lets blocks read files in this folder too; without it only in the simulation's own
    #[arg(long, value_name = "DIR")]
    pub allow_read: Vec<PathBuf>,
    /// Lets blocks write files into this folder too; without it only into the simulation's own
    #[arg(long, value_name = "DIR")]
    pub allow_write: Vec<PathBuf>,
    /// Removes one model block of each endless nesting instead of refusing the file
    #[arg(long)]
    pub skip_invalid_models: bool,
}

impl FileArgs {
    pub fn options(&self) -> LoadOptions {
        LoadOptions { skip_invalid_models: self.skip_invalid_models }
    }

    /// The files that the blocks of a simulation may name.
    pub fn folder(&self, file: &Path) -> Folder {
        Folder::beside(file).allowing(&self.allow_read, &self.allow_write)
    }
}

/// What was asked for besides the file.
#[derive(Clone, Copy, Default)]
pub struct Given<'a> {
    /// `PATH=VALUE` each.
    pub set: &'a [String],
    /// Seconds a step.
    pub delta: Option<f64>,
    pub files: Option<&'a FileArgs>,
}

/// A file with what was set for this run.
pub struct Opened<'a> {
    file: &'a Path,
    loaded: Loaded,
    pub registry: Arc<Registry>,
    pub document: Document,
    /// One use of a model that is used more than once has its own value in the context alone.
    pub sets: Vec<Override>,
    /// All signals by name, once they were asked for.
    all: OnceCell<Vec<Chosen>>,
}

/// A signal to be recorded.
#[derive(Clone)]
pub struct Chosen {
    /// As it is called in the results.
    pub name: String,
    pub key: SignalKey,
    /// Its number among the program's outputs.
    pub output: usize,
    /// Lanes.
    pub width: usize,
}

impl<'a> Opened<'a> {
    /// # Errors
    /// Where the file cannot be read, is invalid, or has nothing that could be set like this.
    pub fn open(file: &'a Path, given: Given) -> Result<Opened<'a>, OpenError> {
        let files = given.files.cloned().unwrap_or_default();
        let loaded = format::open(file, &files.options())?;
        let registry = Arc::new(Registry::standard().with_files(Arc::new(files.folder(file))));
        let document = Document::new(loaded.simulation.clone(), Arc::clone(&registry));
        let mut opened = Opened { file, loaded, registry, document, sets: Vec::new(), all: OnceCell::new() };
        if opened.loaded.has_errors() {
            return Err(opened.invalid(Vec::new()));
        }
        if let Some(delta) = given.delta {
            opened.document.apply(&Change::one("Set delta", Edit::SetDelta(delta)))?;
        }
        for text in given.set {
            let set = Override::parse(text, opened.document.simulation(), &opened.registry)?;
            set.edit(&mut opened.document)?;
            opened.sets.push(set);
        }
        Ok(opened)
    }

    /// # Errors
    /// Where it cannot run.
    pub fn compile(&self) -> Result<Program, OpenError> {
        compile(self.document.simulation(), &self.registry).map_err(|found| self.invalid(found))
    }

    /// What is wrong, each with the line of the file.
    pub fn invalid(&self, found: Vec<Diagnostic>) -> OpenError {
        OpenError::Invalid(invalid_text(self.file, &self.loaded, found))
    }

    /// The begin of a run.
    ///
    /// # Errors
    /// Where a use of a model cannot have what was set for it alone.
    pub fn context(&self, program: &Program) -> Result<Context, OpenError> {
        let mut context = Context::new(program);
        self.sets.iter().try_for_each(|set| set.tune(self.document.simulation(), program, &mut context))?;
        // Initial states follow the parameters.
        context.reset(program);
        Ok(context)
    }

    /// What the file marks for recording: exits, what scopes show, named and probed signals.
    pub fn marked(&self, program: &Program) -> Vec<Chosen> {
        let keys = marked_signals(self.document.simulation(), &self.registry);
        let mut seen = HashSet::new();
        let known = keys.into_iter().filter_map(|key| Some((program.output_of(&key)?, key)));
        self.named(known.filter(|(output, _)| seen.insert(*output)).map(|(output, key)| (key, output)), program)
    }

    /// Signals with what people call them.
    fn named(&self, signals: impl Iterator<Item = (SignalKey, usize)>, program: &Program) -> Vec<Chosen> {
        let (keys, outputs): (Vec<SignalKey>, Vec<usize>) = signals.unzip();
        let names = names_of_signals(self.document.simulation(), &keys);
        let named = names.into_iter().zip(keys).zip(outputs);
        named.map(|((name, key), output)| Chosen::new(name, key, output, program)).collect()
    }

    /// The signals by name: `exits`, `all`, or paths with commas.
    ///
    /// # Errors
    /// Where there is none of a name.
    pub fn signals(&self, program: &Program, names: &str) -> Result<Vec<Chosen>, OpenError> {
        match names {
            "exits" => {
                let exits = program.exits().into_iter();
                Ok(exits.map(|(name, key, output)| Chosen::new(name.to_string(), key, output, program)).collect())
            }
            "all" => Ok(self.named(program.signals(), program)),
            paths => paths.split(',').map(|path| self.signal(program, path.trim())).collect(),
        }
    }

    /// # Errors
    /// Where there is no signal of this name.
    pub fn signal(&self, program: &Program, path: &str) -> Result<Chosen, OpenError> {
        let key = match SignalKey::parse(path, self.document.simulation(), &self.registry) {
            Ok(key) => key,
            // A name as the results have it.
            Err(error) => return self.by_name(program, path).ok_or_else(|| error.into()),
        };
        let output = program.output_of(&key).ok_or_else(|| SignalError::Malformed(path.to_owned()))?;
        Ok(Chosen::new(path.to_owned(), key, output, program))
    }
}

impl Opened<'_> {
    fn by_name(&self, program: &Program, name: &str) -> Option<Chosen> {
        let mut all = self.all.get_or_init(|| self.named(program.signals(), program)).iter();
        all.find(|signal| signal.name == name).cloned()
    }
}

impl Chosen {
    fn new(name: String, key: SignalKey, output: usize, program: &Program) -> Chosen {
        let width = program.outputs.get(output).map_or(0, |output| output.width as usize);
        Chosen { name, key, output, width }
    }
}

/// # Errors
/// Where there is no engine of this name.
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

    /// Says it, and how the program ends.
    pub fn complain(&self, file: &Path) -> ExitCode {
        complain(&self.text(file));
        ExitCode::from(self.code())
    }
}

pub fn error_text(error: &dyn std::error::Error, file: &Path) -> String {
    format!("error: {error}\n  file: {}", file.display())
}

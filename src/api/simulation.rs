//! A simulation as a document with its file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::run::Compiled;
use super::{Error, ErrorKind, Opener, Run, RunOptions};
use crate::block::{BlockDef, Setting};
use crate::components::Components;
use crate::engine::{Override, Program, RunSetup, SelectedSignal, diagnose};
use crate::format::{LoadOptions, Loaded, SourceMap};
use crate::model::{BlockAddress, Change, Diagnostic, Document, Edit, Scope, definition_of, model_at, settings_of};

/// A simulation: the diagrams of a file, which are opened, changed, checked, saved and run.
///
/// Options and signals have text addresses: model blocks from the root down, the block by its title or `#id`, and the
/// option or output, as in `Plant/Motor#3.Output`.
///
/// ```
/// use simulate::Simulation;
///
/// let mut simulation = Simulation::open("assets/examples/dc_motor.simx")?;
/// assert!(simulation.check().is_empty());
/// assert_eq!(simulation.get("PID/P.Gain")?, [100.0]);
/// simulation.set("PID/P.Gain", 120)?;
/// simulation.set_steps(2000)?;
///
/// let mut run = simulation.run()?;
/// run.finish()?;
/// assert_eq!(run.values("speed")?.len(), 2000);
/// # Ok::<(), simulate::Error>(())
/// ```
pub struct Simulation {
    document: Document,
    path: Option<PathBuf>,
    /// The diagnostics of the file itself, until the first edit.
    found: Vec<Diagnostic>,
    source_map: SourceMap,
    /// The revision of the document that the file has.
    loaded: u64,
    opener: Opener,
    /// The program of a revision of the document.
    compiled: Mutex<Option<(u64, Arc<Compiled>)>>,
}

impl Simulation {
    /// Opens a file of any known format.
    ///
    /// # Errors
    /// As [`Opener::open`], which also says what the file's blocks may access.
    pub fn open(path: impl AsRef<Path>) -> Result<Simulation, Error> {
        Opener::default().open(path)
    }

    pub(super) fn of(loaded: Loaded, path: Option<PathBuf>, opener: Opener) -> Result<Simulation, Error> {
        let registry = opener.registry(path.as_deref())?;
        Ok(Simulation {
            document: Document::new(loaded.simulation, Arc::new(registry)),
            path,
            found: loaded.diagnostics,
            source_map: loaded.source_map,
            loaded: 0,
            opener,
            compiled: Mutex::default(),
        })
    }

    /// Returns the file of the simulation, if it has one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the number of steps of a run; 0 if it has no end.
    pub fn steps(&self) -> u64 {
        self.document.simulation().steps
    }

    /// Returns the step length in seconds.
    pub fn delta(&self) -> f64 {
        self.document.simulation().delta
    }

    /// Sets the number of steps of a run.
    ///
    /// # Errors
    /// If the document refuses it.
    pub fn set_steps(&mut self, steps: u64) -> Result<(), Error> {
        Ok(self.document.apply(&Change::one("Set steps", Edit::SetSteps(steps)))?)
    }

    /// Sets the step length in seconds.
    ///
    /// # Errors
    /// If it is not a finite number above 0.
    pub fn set_delta(&mut self, delta: f64) -> Result<(), Error> {
        Ok(self.document.apply(&Change::one("Set delta", Edit::SetDelta(delta)))?)
    }

    /// Returns the numbers of an option of a block as they are used: expressions are computed.
    ///
    /// # Errors
    /// If the address leads to no option, or the option has no numbers.
    pub fn get(&self, address: &str) -> Result<Vec<f64>, Error> {
        let simulation = self.document.simulation();
        let (place, option) = BlockAddress::parse_with_rest(address, simulation)?;
        let text = format!("“{address}” is not an option with numbers, such as PID.P");
        let none = || Error::new(ErrorKind::Address, text);
        let numbers = || {
            let (option, model) = (option?, model_at(simulation, &place.path)?);
            let block = model.block(place.block)?;
            let def = definition_of(self.document.registry(), block)?;
            def.param(&option)?;
            let (settings, _) = settings_of(def, block, &Scope::of_model(simulation, model));
            match settings.get(&option) {
                Setting::Number(values) => Some(values.to_vec()),
                Setting::Integer(value) => Some(vec![*value as f64]),
                Setting::Flag(value) => Some(vec![f64::from(u8::from(*value))]),
                _ => None,
            }
        };
        numbers().ok_or_else(none)
    }

    /// Sets an option of a block, or a variable of the simulation by its name: a number, or a text as in a file, in which
    /// commas separate the elements of a vector.
    ///
    /// # Errors
    /// If the address leads to no option, or the value is not possible.
    pub fn set(&mut self, address: &str, value: impl std::fmt::Display) -> Result<(), Error> {
        self.set_text(&format!("{address}={value}"))
    }

    /// The same, given as `PATH=VALUE`.
    #[doc(hidden)]
    pub fn set_text(&mut self, text: &str) -> Result<(), Error> {
        let simulation = self.document.simulation();
        let set = Override::parse(text, simulation, self.document.registry())?;
        let several = "the model has several instances, which share the option; set it on the block of the model";
        let edit = set.edit_of(simulation).ok_or_else(|| Error::new(ErrorKind::Edit, format!("{text}: {several}")))?;
        Ok(self.document.apply(&Change::one(format!("Set {text}"), edit))?)
    }

    /// Undoes the last change and returns what it was.
    pub fn undo(&mut self) -> Option<&str> {
        self.document.undo()
    }

    /// Redoes the last undone change and returns what it was.
    pub fn redo(&mut self) -> Option<&str> {
        self.document.redo()
    }

    /// Returns all errors and warnings, with their places in the file while it is unchanged. With an error it cannot run.
    pub fn check(&self) -> Vec<Diagnostic> {
        self.located(diagnose(self.document.simulation(), self.document.registry()))
    }

    fn located(&self, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        if self.document.revision() != self.loaded {
            return found;
        }
        let mut all = self.found.clone();
        let known =
            |one: &Diagnostic| self.found.iter().any(|other| other.code == one.code && other.message == one.message);
        all.extend(found.into_iter().filter(|one| !known(one)));
        all.iter_mut().for_each(|diagnostic| self.source_map.locate(diagnostic));
        all
    }

    /// Writes a file in the format of its extension; the simulation has this path from then on. A save that fails leaves
    /// the file unchanged.
    ///
    /// # Errors
    /// If the file cannot be written, or its format cannot represent the simulation.
    pub fn save(&mut self, path: impl Into<PathBuf>) -> Result<(), Error> {
        let path = path.into();
        let saved = self.opener.components.formats.save(&path, self.document.simulation());
        saved.map_err(|error| Error::of(ErrorKind::File, error).in_front(&format!("{}: ", path.display())))?;
        self.document.mark_saved(self.document.revision());
        self.path = Some(path);
        self.found.clear();
        self.renew_registry()
    }

    /// Returns the simulation as the content of a file of this extension, such as `simx`.
    ///
    /// # Errors
    /// If the format is unknown or cannot represent the simulation.
    pub fn to_bytes(&self, extension: &str) -> Result<Vec<u8>, Error> {
        let path = PathBuf::from(format!("model.{extension}"));
        let bytes = self.opener.components.formats.bytes_of(&path, self.document.simulation());
        bytes.map_err(|error| Error::of(ErrorKind::File, error))
    }

    /// Returns the names of all signals that a run can record.
    ///
    /// # Errors
    /// If the simulation is invalid.
    pub fn signals(&self) -> Result<Vec<String>, Error> {
        let all = SelectedSignal::all(self.document.simulation(), &self.compiled()?.program);
        Ok(all.into_iter().map(|signal| signal.name).collect())
    }

    /// Begins a run before its first step, on the fastest engine, which records what the file marks: exits, inputs of
    /// scopes, named signals.
    ///
    /// # Errors
    /// If the simulation is invalid.
    pub fn run(&self) -> Result<Run, Error> {
        self.run_with(&RunOptions::default())
    }

    /// Begins a run with values, an engine or a checkpoint of its own.
    ///
    /// # Errors
    /// If the simulation is invalid with these values, or an option is not possible.
    pub fn run_with(&self, options: &RunOptions) -> Result<Run, Error> {
        let invalid = |found| Error::invalid(self.located(found), self.path());
        Run::begin(self.compiled()?, RunSetup::of(&self.document), (&self.opener.components.engines, options), &invalid)
    }

    /// Returns the set-up of runs with further values, and its program.
    #[doc(hidden)]
    pub fn setup(&self, set: &[String]) -> Result<(RunSetup, Arc<Program>), Error> {
        let mut setup = RunSetup::of(&self.document);
        setup.set(set)?;
        let program = match set {
            [] => Arc::clone(&self.compiled()?.program),
            _ => Arc::new(setup.compile().map_err(|found| Error::invalid(self.located(found), self.path()))?),
        };
        Ok((setup, program))
    }

    /// Returns the compiled simulation, which is kept until the next edit.
    #[doc(hidden)]
    pub fn compiled(&self) -> Result<Arc<Compiled>, Error> {
        let revision = self.document.revision();
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, compiled)) = compiled.as_ref().filter(|(known, _)| *known == revision) {
            return Ok(Arc::clone(compiled));
        }
        let invalid = |found| Error::invalid(self.located(found), self.path());
        if revision == self.loaded && self.found.iter().any(Diagnostic::is_error) {
            return Err(invalid(diagnose(self.document.simulation(), self.document.registry())));
        }
        let program = RunSetup::of(&self.document).compile().map_err(invalid)?;
        let (_, kept) = compiled.insert((revision, Arc::new(Compiled::of(program))));
        Ok(Arc::clone(kept))
    }

    /// Adds a block to those that the simulation may use.
    ///
    /// # Errors
    /// If its group has a block of its name.
    pub fn add_block(&mut self, def: &'static BlockDef) -> Result<(), Error> {
        let components = self.opener.components.clone().with_block(def);
        self.opener.components = components.map_err(|error| Error::of(ErrorKind::Edit, error))?;
        self.renew_registry()
    }

    /// Returns the simulation as its file has it.
    ///
    /// # Errors
    /// If it has no file, or the file cannot be read.
    #[doc(hidden)]
    pub fn as_saved(&self) -> Result<crate::model::Simulation, Error> {
        let none = || Error::new(ErrorKind::File, "the simulation has not been saved yet".to_owned());
        let path = self.path.as_deref().filter(|path| path.exists()).ok_or_else(none)?;
        let loaded = self.opener.components.formats.open(path, &LoadOptions::default());
        Ok(loaded.map_err(|error| Error::open(path, error))?.simulation)
    }

    /// Names the file that a new simulation is meant for, without writing it.
    ///
    /// # Errors
    /// If a file whose code is allowed is no FMU.
    #[doc(hidden)]
    pub fn set_path(&mut self, path: &Path) -> Result<(), Error> {
        self.path = Some(path.to_owned());
        self.renew_registry()
    }

    fn renew_registry(&mut self) -> Result<(), Error> {
        self.document.use_registry(Arc::new(self.opener.registry(self.path.as_deref())?));
        self.compiled = Mutex::default();
        Ok(())
    }

    /// What the simulation is made of.
    #[doc(hidden)]
    pub fn components(&self) -> &Components {
        &self.opener.components
    }

    /// The document behind the simulation, for edits of its diagrams.
    #[doc(hidden)]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The same, to change it.
    #[doc(hidden)]
    pub fn document_mut(&mut self) -> &mut Document {
        &mut self.document
    }
}

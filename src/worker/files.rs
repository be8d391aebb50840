//! Gives blocks the FMUs that they name, if the user has allowed their code.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};
use std::{env, fs};

use super::compile::{CompileError, compile};
use super::exchange::{ExchangeDecision, ExchangeModel, ExchangeRates, ExchangeStart};
use super::fmu_folder::FmuFolder;
use super::history::FmuHistory;
use super::message::{Load, Slot};
use super::options::described;
use super::process::ProcessLimits;
use super::stepping::{CoSimulationStep, StepOutputs, StepWidths};
use crate::block::{
    CallError, DataTable, FileError, Files, ForeignDescription, ForeignKind, ForeignModel, ForeignUse, HostFn,
    RowWriter, formula_names,
};
use crate::format::fmu::{Description, FmiVersion, Fmu, FmuError, FmuType, FmuVariable, Simulated, Variability};
use crate::format::{Folder, read_real};

/// The hashes of the FMUs whose code the user allows to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedFmus(pub BTreeSet<String>);

/// Files in a folder, and FMUs whose code runs in workers.
#[derive(Debug)]
pub struct Fmus {
    folder: Arc<Folder>,
    allowed: AllowedFmus,
    /// The program that is started as a worker.
    program: PathBuf,
    known: Mutex<BTreeMap<PathBuf, KnownFmu>>,
    /// The descriptions of the FMUs, by the texts that blocks name them with; `None` while a description is not known
    /// yet.
    described: Mutex<BTreeMap<String, Option<Arc<ForeignDescription>>>>,
    refused: Mutex<BTreeSet<RefusedFmu>>,
    /// The instances of the FMUs, the last used first. They are kept from one compilation to the next, so that a run goes
    /// on in the program of an edited simulation.
    histories: Mutex<Vec<Arc<FmuHistory>>>,
}

/// The number of FMUs with different settings whose instances are kept.
const MAX_HISTORIES: usize = 16;

/// An FMU whose code was not allowed to run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefusedFmu {
    pub file: PathBuf,
    pub hash: String,
    pub name: String,
    pub tool: String,
    /// Whether it has only sources for this platform, which are compiled first.
    pub is_source_only: bool,
}

#[derive(Clone, Debug)]
struct KnownFmu {
    changed: SystemTime,
    size: u64,
    unpacked: Arc<UnpackedFmu>,
}

#[derive(Debug)]
struct UnpackedFmu {
    fmu: Fmu,
    described: Arc<ForeignDescription>,
    folder: OnceLock<Arc<FmuFolder>>,
    /// The libraries that were compiled from sources, or why they were not, by their identifiers.
    compiled: Mutex<BTreeMap<String, Result<(), Arc<LibraryError>>>>,
}

impl AllowedFmus {
    /// Allows an FMU by its file.
    ///
    /// # Errors
    /// If the file cannot be read or is no FMU.
    pub fn add_file(&mut self, file: &Path) -> Result<(), FileError> {
        self.0.insert(read_fmu(file)?.hash);
        Ok(())
    }
}

/// Reads an FMU that the user has chosen.
///
/// # Errors
/// If the file cannot be read or is no FMU.
pub fn read_fmu(path: &Path) -> Result<Fmu, FileError> {
    let unreadable = |error| FileError::Unreadable { error, path: path.to_owned() };
    read(&fs::canonicalize(path).map_err(unreadable)?, path)
}

fn read(real: &Path, path: &Path) -> Result<Fmu, FileError> {
    let unreadable = |error: io::Error| FileError::Unreadable { error, path: path.to_owned() };
    let bytes = read_real(real, Fmu::MAX_BYTES).map_err(unreadable)?;
    Fmu::read(bytes).map_err(|error| foreign(error, path))
}

fn foreign(problem: impl ToString, path: &Path) -> FileError {
    FileError::Foreign { problem: CallError::new(problem.to_string()), path: path.to_owned() }
}

impl Fmus {
    /// Gives access to the files of a folder, and to these FMUs; this program is the worker.
    pub fn new(folder: Arc<Folder>, allowed: AllowedFmus) -> Fmus {
        // Without a path, starting a worker fails with an error.
        let program = env::current_exe().unwrap_or_default();
        Fmus {
            folder,
            allowed,
            program,
            known: Mutex::default(),
            described: Mutex::default(),
            refused: Mutex::default(),
            histories: Mutex::default(),
        }
    }

    /// Another program is the worker.
    #[must_use]
    pub fn with_program(self, program: PathBuf) -> Fmus {
        Fmus { program, ..self }
    }

    /// Returns the FMUs that were refused since the last call.
    pub fn take_refused(&self) -> BTreeSet<RefusedFmu> {
        std::mem::take(&mut self.refused.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns whether reading the FMU of this name has not begun yet; if so, the caller calls [`Fmus::describe`].
    pub fn begins_description(&self, path: &str) -> bool {
        let mut described = self.described.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !described.contains_key(path);
        described.entry(path.to_owned()).or_default();
        is_new
    }

    /// Reads an FMU for [`Files::foreign_description`]; nothing is known of one that cannot be read.
    pub fn describe(&self, path: &str) {
        if let Ok((_, unpacked)) = self.find(path) {
            self.keep_description(path, &unpacked);
        }
    }

    fn keep_description(&self, path: &str, unpacked: &UnpackedFmu) {
        let mut described = self.described.lock().unwrap_or_else(PoisonError::into_inner);
        described.insert(path.to_owned(), Some(Arc::clone(&unpacked.described)));
    }

    /// Reads the FMU that a block names, or returns its cached contents if the file has not changed.
    fn find(&self, path: &str) -> Result<(PathBuf, Arc<UnpackedFmu>), FileError> {
        let real = self.folder.locate(path)?;
        let unreadable = |error: io::Error| FileError::Unreadable { error, path: real.clone() };
        let about = fs::symlink_metadata(&real).map_err(unreadable)?;
        let (changed, size) = (about.modified().map_err(unreadable)?, about.len());
        // A panic cannot leave the map inconsistent.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&real)
            && (known.changed, known.size) == (changed, size)
        {
            return Ok((real, Arc::clone(&known.unpacked)));
        }
        let fmu = read(&real, &real)?;
        let described = Arc::new(described(&fmu.description));
        let unpacked = Arc::new(UnpackedFmu { fmu, described, folder: OnceLock::new(), compiled: Mutex::default() });
        known.insert(real.clone(), KnownFmu { changed, size, unpacked: Arc::clone(&unpacked) });
        Ok((real, unpacked))
    }

    /// Returns the instances of an FMU with these settings.
    fn history(&self, limits: ProcessLimits, load: Load, folder: Arc<FmuFolder>) -> Arc<FmuHistory> {
        let mut histories = self.histories.lock().unwrap_or_else(PoisonError::into_inner);
        let known = histories.iter().position(|history| history.is_of(&load, limits));
        let history = match known {
            Some(index) => histories.remove(index),
            None => Arc::new(FmuHistory::new(self.program.clone(), limits, load, folder)),
        };
        histories.insert(0, Arc::clone(&history));
        histories.truncate(MAX_HISTORIES);
        history
    }

    fn prepare(&self, wanted: &ForeignUse, path: &Path, unpacked: &UnpackedFmu) -> Result<ForeignModel, FileError> {
        let plan = plan(&unpacked.fmu.description, wanted).map_err(|problem| foreign(problem, path))?;
        if !self.allowed.0.contains(&unpacked.fmu.hash) {
            let Description { name, tool, .. } = &unpacked.fmu.description;
            let (name, tool) = (name.clone(), tool.clone());
            let (file, hash) = (path.to_owned(), unpacked.fmu.hash.clone());
            let refused = RefusedFmu { file, hash, name, tool, is_source_only: unpacked.is_source_only(&plan) };
            self.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(refused);
            return Err(FileError::CodeRefused(path.to_owned()));
        }
        let folder = unpacked.folder(path)?;
        let library = unpacked.library(&plan, folder.path()).map_err(|problem| foreign(problem, path))?;
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let (states, indicators) = (plan.load.states as usize, plan.load.indicators as usize);
        let load = Load { library: text(&library), resources: text(&folder.path().join("resources")), ..plan.load };
        // Calls are limited to a day, since longer times may overflow a duration.
        let call = Duration::from_secs_f64(wanted.call_limit.clamp(0.001, 86400.0));
        let limits = ProcessLimits { call, memory: wanted.memory };
        let history = self.history(limits, load, folder);
        let sum = |widths: &[(String, usize)]| widths.iter().map(|(_, width)| width).sum();
        let [parameters, inputs, outputs] = [&wanted.parameters, &wanted.inputs, &wanted.outputs].map(|all| sum(all));
        if wanted.kind == ForeignKind::CoSimulation {
            let widths = StepWidths { parameters, inputs, outputs };
            let begin = StepOutputs { history: Arc::clone(&history), widths };
            let step = CoSimulationStep { history, widths, length: wanted.step, is_direct: wanted.is_direct };
            return Ok(ForeignModel::CoSimulation {
                begin: (!wanted.is_direct).then(|| HostFn(Arc::new(begin))),
                step: HostFn(Arc::new(step)),
            });
        }
        let completes = plan.completes;
        let (discrete, now) = (plan.discrete, 1e-9 * wanted.step);
        let exchange =
            ExchangeModel { history, parameters, states, indicators, inputs, outputs, discrete, completes, now };
        let exchange = Arc::new(exchange);
        Ok(ForeignModel::ModelExchange {
            states,
            indicators,
            discrete: exchange.discrete.len(),
            is_direct: plan.is_direct,
            start: HostFn(Arc::new(ExchangeStart(Arc::clone(&exchange)))),
            decide: HostFn(Arc::new(ExchangeDecision(Arc::clone(&exchange)))),
            evaluate: HostFn(Arc::new(ExchangeRates(exchange))),
        })
    }
}

impl UnpackedFmu {
    fn folder(&self, path: &Path) -> Result<Arc<FmuFolder>, FileError> {
        if let Some(folder) = self.folder.get() {
            return Ok(Arc::clone(folder));
        }
        let failed = |error: io::Error| foreign(format!("there is no room to unpack the FMU: {error}"), path);
        let folder = FmuFolder::new().map_err(failed)?;
        self.fmu.unpack(folder.path()).map_err(|error| foreign(error, path))?;
        // Another thread may have unpacked it meanwhile.
        Ok(Arc::clone(self.folder.get_or_init(|| Arc::new(folder))))
    }

    /// Returns the library for this platform; it is compiled from the sources if the FMU has no binary.
    fn library(&self, plan: &FmuPlan, folder: &Path) -> Result<PathBuf, FmuUseError> {
        let about = &self.fmu.description;
        let (inside, platform) = library_path(about.version, &plan.identifier);
        let library = folder.join(inside);
        if library.is_file() {
            return Ok(library);
        }
        let has = match about.platforms.as_slice() {
            _ if about.has_sources => {
                // Another thread that wants it waits.
                let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
                let compile = || -> Result<(), Arc<LibraryError>> {
                    let sources = self.fmu.sources(plan.load.simulated).map_err(LibraryError::Sources)?;
                    Ok(compile(&sources, folder, &library).map_err(LibraryError::Compile)?)
                };
                match compiled.entry(plan.identifier.clone()).or_insert_with(compile) {
                    Ok(()) => return Ok(library),
                    Err(problem) => problem.to_string(),
                }
            }
            [] => "it has no code".to_owned(),
            platforms => format!("it has code for: {}", platforms.join(", ")),
        };
        Err(FmuUseError::NoCode { platform, has })
    }

    /// Whether the code is compiled before it runs.
    fn is_source_only(&self, plan: &FmuPlan) -> bool {
        let about = &self.fmu.description;
        let (_, platform) = library_path(about.version, &plan.identifier);
        about.has_sources && !about.platforms.contains(&platform)
    }
}

impl Files for Fmus {
    fn read_files(&self) -> Vec<PathBuf> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        self.folder.read_files().into_iter().chain(known.keys().cloned()).collect()
    }

    fn table(&self, path: &str) -> Result<Arc<DataTable>, FileError> {
        self.folder.table(path)
    }

    fn create(&self, path: &str, columns: &[String]) -> Result<Box<dyn RowWriter>, FileError> {
        self.folder.create(path, columns)
    }

    fn foreign(&self, path: &str, wanted: &ForeignUse) -> Result<ForeignModel, FileError> {
        let (real, unpacked) = self.find(path)?;
        self.keep_description(path, &unpacked);
        self.prepare(wanted, &real, &unpacked)
    }

    fn foreign_description(&self, path: &str) -> Option<Arc<ForeignDescription>> {
        self.described.lock().unwrap_or_else(PoisonError::into_inner).get(path)?.clone()
    }
}

/// Why the library of an FMU is not compiled from its sources.
#[derive(Debug, thiserror::Error)]
enum LibraryError {
    #[error(transparent)]
    Sources(FmuError),
    #[error(transparent)]
    Compile(CompileError),
}

/// Why an FMU cannot be used as a block asks: a sentence without a full stop.
#[derive(Debug, thiserror::Error)]
enum FmuUseError {
    #[error("the FMU has no {missing}: set Type to {other}")]
    NoInterface { missing: Simulated, other: &'static str },
    #[error("the FMU is no code but a connection to another program ({0}), which is not supported")]
    NeedsTool(String),
    #[error("the FMU waits for clocks that another program ticks ({0}), which is not supported")]
    NeedsClocks(String),
    #[error("the FMU has no {what} “{name}”{}", listed(.names))]
    Unknown { what: &'static str, name: String, names: Vec<String> },
    #[error("the FMU has no parameter “{0}” that is a text")]
    NoText(String),
    #[error("the FMU's parameter “{name}” has the width {is}, but {given} values are given")]
    ValueCount { name: String, is: usize, given: usize },
    #[error("the FMU's {what} “{name}” has the width {is}: write it as “{name} : {is}”")]
    PortWidth { what: &'static str, name: String, is: usize },
    #[error("the FMU has no code for this platform, {platform}: {has}")]
    NoCode { platform: String, has: String },
}

/// How an FMU is loaded.
struct FmuPlan {
    identifier: String,
    /// Without the paths, which are known when the FMU is unpacked.
    load: Load,
    completes: bool,
    /// The indices of the elements of inputs that change only at events.
    discrete: Vec<usize>,
    /// Whether each output may follow an input at once.
    is_direct: Vec<bool>,
}

/// Checks the options of the block against the description of the FMU.
fn plan(about: &Description, wanted: &ForeignUse) -> Result<FmuPlan, FmuUseError> {
    let simulated = match wanted.kind {
        ForeignKind::CoSimulation => Simulated::CoSimulation,
        ForeignKind::ModelExchange => Simulated::ModelExchange,
    };
    let Some(interface) = about.interface(simulated) else {
        let other = match simulated {
            Simulated::CoSimulation => "model-exchange",
            Simulated::ModelExchange => "co-simulation",
        };
        return Err(FmuUseError::NoInterface { missing: simulated, other });
    };
    if interface.needs_tool {
        let tool = if about.tool.is_empty() { "the program that made it" } else { &about.tool };
        return Err(FmuUseError::NeedsTool(tool.to_owned()));
    }
    let clocks: Vec<String> = about.input_clocks().map(|clock| clock.name.clone()).collect();
    if !clocks.is_empty() {
        let few = if clocks.len() > 5 { format!("{}, …", clocks[..5].join(", ")) } else { clocks.join(", ") };
        return Err(FmuUseError::NeedsClocks(few));
    }
    let inputs = ports("input", &wanted.inputs, &about.inputs().collect::<Vec<_>>())?;
    let outputs = ports("output", &wanted.outputs, &about.outputs().collect::<Vec<_>>())?;
    let all: Vec<&FmuVariable> = about.parameters().collect();
    let names = formula_names(all.iter().map(|variable| variable.name.as_str()));
    let mut parameters = Vec::new();
    for (name, width) in &wanted.parameters {
        let known = names.iter().position(|known| known == name).and_then(|index| all.get(index));
        let Some(variable) = known.filter(|variable| variable.kind.is_number()) else {
            return Err(FmuUseError::Unknown { what: "parameter", name: name.clone(), names });
        };
        if variable.width() != *width {
            return Err(FmuUseError::ValueCount { name: name.clone(), is: variable.width(), given: *width });
        }
        parameters.push(slot(variable));
    }
    let mut texts = Vec::new();
    for (name, text) in &wanted.texts {
        let variable = all.iter().find(|variable| variable.name == *name && variable.kind == FmuType::String);
        let variable = variable.ok_or_else(|| FmuUseError::NoText(name.clone()))?;
        texts.push((variable.reference, text.clone()));
    }
    let load = Load {
        version: about.version,
        simulated,
        library: String::new(),
        resources: String::new(),
        name: about.name.clone(),
        token: about.token.clone(),
        parameters,
        inputs,
        outputs,
        texts,
        states: about.states as u32,
        indicators: about.indicators as u32,
        can_save: interface.can_save_state,
    };
    let is_discrete = load.inputs.iter().flat_map(|slot| vec![!slot.is_continuous; slot.width as usize]);
    let discrete = is_discrete.enumerate().filter(|(_, is_discrete)| *is_discrete).map(|(index, _)| index).collect();
    let is_direct = |(name, _): &(String, usize)| {
        about.outputs().find(|variable| variable.name == *name).is_none_or(|variable| variable.is_direct)
    };
    let is_direct = wanted.outputs.iter().map(is_direct).collect();
    let completes = interface.needs_completed_step;
    Ok(FmuPlan { identifier: interface.identifier.clone(), load, completes, discrete, is_direct })
}

fn listed(names: &[String]) -> String {
    const MOST: usize = 20;
    let more = if names.len() > MOST { ", …" } else { "" };
    let names = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if names.is_empty() { String::new() } else { format!("; it has: {names}{more}") }
}

/// Finds the variables of ports. Ports may be fewer than the variables, and in another order.
fn ports(what: &'static str, wanted: &[(String, usize)], all: &[&FmuVariable]) -> Result<Vec<Slot>, FmuUseError> {
    let slot = |(name, width): &(String, usize)| {
        let Some(variable) = all.iter().find(|variable| variable.name == *name) else {
            let names = all.iter().map(|variable| variable.name.clone()).collect();
            return Err(FmuUseError::Unknown { what, name: name.clone(), names });
        };
        if variable.width() != *width {
            return Err(FmuUseError::PortWidth { what, name: name.clone(), is: variable.width() });
        }
        Ok(slot(variable))
    };
    wanted.iter().map(slot).collect()
}

fn slot(variable: &FmuVariable) -> Slot {
    Slot {
        reference: variable.reference,
        kind: variable.kind,
        width: variable.width() as u32,
        is_continuous: variable.variability == Variability::Continuous
            && matches!(variable.kind, FmuType::Float64 | FmuType::Float32),
    }
}

/// Returns the path of the library for this platform in an FMU, and the platform's name.
fn library_path(version: FmiVersion, identifier: &str) -> (PathBuf, String) {
    let (system, extension) = match env::consts::OS {
        "linux" => ("linux", "so"),
        "macos" => ("darwin", "dylib"),
        "windows" => ("windows", "dll"),
        _ => ("unknown", "so"),
    };
    let three = format!("{}-{system}", env::consts::ARCH);
    let platform = match (version, env::consts::OS, env::consts::ARCH) {
        (FmiVersion::Two, "linux", "x86_64") => "linux64".to_owned(),
        (FmiVersion::Two, "windows", "x86_64") => "win64".to_owned(),
        (FmiVersion::Two, "macos", "x86_64") => "darwin64".to_owned(),
        _ => three,
    };
    (Path::new("binaries").join(&platform).join(format!("{identifier}.{extension}")), platform)
}

//! A simulation: loaded, looked at, checked, written, compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;
use simulate::Components;
use simulate::block::Registry;
use simulate::engine::{Execute, Program, SelectedSignal, compile, diagnose};
use simulate::format::{Folder, LoadOptions, Loaded, SourceMap};
use simulate::model::{Diagnostic, Document, Simulation};
use simulate::plugin::UserPlugins;
use simulate::worker::{AllowedFmus, Fmus};

use crate::blocks;
use crate::errors::{Kind, diagnostic, invalid};

/// A simulation. All its methods may be called from several threads.
#[pyclass(frozen, module = "simulate._native")]
pub struct ModelCore {
    state: Mutex<ModelState>,
}

pub struct ModelState {
    pub document: Document,
    pub path: Option<PathBuf>,
    /// The diagnostics of the file itself, until the first edit.
    found: Vec<Diagnostic>,
    source_map: SourceMap,
    /// The revision of the document that the file has.
    loaded: u64,
    files: FileAccess,
    compiled: Option<(u64, Arc<Program>)>,
    pub components: Components,
    pub pool: Arc<Pool>,
}

/// The folders and FMUs that blocks may use besides the folder of the file.
#[derive(Clone, Default)]
struct FileAccess {
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    fmus: Vec<PathBuf>,
    fmu_program: Option<PathBuf>,
    /// The groups and names of blocks in Python that were added.
    blocks: BTreeSet<(String, String)>,
}

/// Prepared engines and selections of signals that the next runs of a program use again.
#[derive(Default)]
pub struct Pool {
    /// Engines that are prepared and wait for a run.
    idle: Mutex<Vec<Prepared>>,
    /// The signals that were selected, by their names.
    selected: Mutex<BTreeMap<Option<Vec<String>>, Vec<SelectedSignal>>>,
    /// Whether a step may take long, so that it must be possible to cancel it.
    pub is_long: OnceLock<bool>,
}

pub struct Prepared {
    pub program: Arc<Program>,
    pub engine: String,
    pub execute: Box<dyn Execute>,
}

/// The maximum number of engines, and of selections of signals, that are kept.
const MAX_IDLE: usize = 8;

impl Pool {
    fn list(&self) -> MutexGuard<'_, Vec<Prepared>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns selected signals, which `select` finds the first time.
    pub fn signals<E>(
        &self,
        names: Option<&[String]>,
        select: impl FnOnce() -> Result<Vec<SelectedSignal>, E>,
    ) -> Result<Vec<SelectedSignal>, E> {
        let mut selected = self.selected.lock().unwrap_or_else(PoisonError::into_inner);
        let names = names.map(<[String]>::to_vec);
        if let Some(known) = selected.get(&names) {
            return Ok(known.clone());
        }
        let found = select()?;
        if selected.len() >= MAX_IDLE {
            selected.pop_first();
        }
        selected.insert(names, found.clone());
        Ok(found)
    }

    pub fn take(&self, program: &Arc<Program>, engine: &str) -> Option<Box<dyn Execute>> {
        let mut list = self.list();
        let is_it = |known: &Prepared| Arc::ptr_eq(&known.program, program) && known.engine == engine;
        let index = list.iter().position(is_it)?;
        Some(list.swap_remove(index).execute)
    }

    pub fn put(&self, prepared: Prepared) {
        let mut list = self.list();
        if list.len() >= MAX_IDLE {
            list.remove(0);
        }
        list.push(prepared);
    }
}

impl ModelState {
    fn new(loaded: Loaded, path: Option<PathBuf>, files: FileAccess) -> Result<ModelState, (Kind, String)> {
        let components = Components::standard();
        let registry = files.registry(&components.registry, path.as_deref())?;
        Ok(ModelState {
            document: Document::new(loaded.simulation, Arc::new(registry)),
            path,
            found: loaded.diagnostics,
            source_map: loaded.source_map,
            loaded: 0,
            files,
            compiled: None,
            components,
            pool: Arc::default(),
        })
    }

    pub fn file(&self) -> Option<String> {
        self.path.as_ref().map(|path| path.display().to_string())
    }

    pub fn simulation(&self) -> &Arc<Simulation> {
        self.document.simulation()
    }

    pub fn registry(&self) -> &Arc<Registry> {
        self.document.registry()
    }

    /// Returns the diagnostics of the file and of the simulation, with positions in the file while that is unchanged.
    fn all_diagnostics(&self, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
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

    pub fn invalid(&self, py: Python<'_>, found: Vec<Diagnostic>) -> PyErr {
        invalid(py, &self.all_diagnostics(found), self.file().as_deref())
    }

    /// Returns the compiled simulation, which is kept until the next edit.
    pub fn program(&mut self, py: Python<'_>) -> PyResult<Arc<Program>> {
        let revision = self.document.revision();
        if let Some((known, program)) = &self.compiled
            && *known == revision
        {
            return Ok(Arc::clone(program));
        }
        if revision == self.loaded && self.found.iter().any(Diagnostic::is_error) {
            return Err(self.invalid(py, diagnose(self.simulation(), self.registry())));
        }
        let program = compile(self.simulation(), self.registry()).map_err(|found| self.invalid(py, found))?;
        let program = Arc::new(program);
        self.compiled = Some((revision, Arc::clone(&program)));
        self.pool = Arc::default();
        Ok(program)
    }
}

impl FileAccess {
    fn registry(&self, blocks: &Registry, path: Option<&Path>) -> Result<Registry, (Kind, String)> {
        let mut blocks = UserPlugins::of_user().added_to(blocks, path);
        for (group, name) in &self.blocks {
            let def = blocks::definition(group, name)
                .ok_or_else(|| (Kind::Edit, format!("there is no block {group}/{name}")))?;
            blocks.add(def).map_err(|error| (Kind::Edit, error.to_string()))?;
        }
        let mut allowed = AllowedFmus::default();
        for file in &self.fmus {
            allowed.add_file(file).map_err(|error| (Kind::File, error.to_string()))?;
        }
        let folder = path.map_or_else(|| Folder::new(Path::new(".")), Folder::beside);
        let mut files = Fmus::new(Arc::new(folder.allowing(&self.read, &self.write)), allowed);
        if let Some(program) = &self.fmu_program {
            files = files.with_program(program.clone());
        }
        Ok(blocks.with_files(Arc::new(files)))
    }
}

impl ModelCore {
    /// Locks the simulation; the calling thread lets others run Python while it waits.
    pub fn lock<'a>(&'a self, py: Python<'_>) -> MutexGuard<'a, ModelState> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn of(py: Python<'_>, loaded: Loaded, path: Option<PathBuf>, files: FileAccess) -> PyResult<ModelCore> {
        let state = ModelState::new(loaded, path, files).map_err(|(kind, problem)| kind.of(py, problem))?;
        Ok(ModelCore { state: Mutex::new(state) })
    }
}

#[pymethods]
impl ModelCore {
    /// A new simulation with an empty root model.
    #[new]
    fn new(py: Python<'_>, root: &str) -> PyResult<ModelCore> {
        let loaded = Loaded { simulation: Simulation::new(root), ..Loaded::default() };
        ModelCore::of(py, loaded, None, FileAccess::default())
    }

    /// Loads a file, or the content that a file with this path has.
    #[staticmethod]
    #[pyo3(signature = (path, content=None, *, skip_invalid_models=false, allow_read=vec![], allow_write=vec![], allow_fmu=vec![], fmu_program=None, blocks=vec![]))]
    #[allow(clippy::too_many_arguments)]
    fn load(
        py: Python<'_>,
        path: Option<PathBuf>,
        content: Option<Vec<u8>>,
        skip_invalid_models: bool,
        allow_read: Vec<PathBuf>,
        allow_write: Vec<PathBuf>,
        allow_fmu: Vec<PathBuf>,
        fmu_program: Option<PathBuf>,
        blocks: Vec<(String, String)>,
    ) -> PyResult<ModelCore> {
        let formats = Components::standard().formats;
        let options = LoadOptions { skip_invalid_models };
        let place = path.clone().unwrap_or_else(|| PathBuf::from("model.simx"));
        let loaded = match &content {
            Some(bytes) => formats.parse(&place, bytes, &options),
            None => formats.open(&place, &options),
        };
        let loaded = loaded.map_err(|error| {
            let found = error.to_diagnostic();
            let text = found.location.text;
            Kind::Load.with(py, format!("{}: {error}", place.display()), |attributes| {
                attributes.set_item("file", place.display().to_string())?;
                attributes.set_item("line", text.map(|text| text.line))?;
                attributes.set_item("column", text.map(|text| text.column))
            })
        })?;
        let files = FileAccess {
            read: allow_read,
            write: allow_write,
            fmus: allow_fmu,
            fmu_program,
            blocks: blocks.into_iter().collect(),
        };
        ModelCore::of(py, loaded, path, files)
    }

    #[getter]
    fn path(&self, py: Python<'_>) -> Option<PathBuf> {
        self.lock(py).path.clone()
    }

    #[getter]
    fn revision(&self, py: Python<'_>) -> u64 {
        self.lock(py).document.revision()
    }

    /// Returns the number of steps, the step length in seconds, the solver and the root model.
    fn about(&self, py: Python<'_>) -> (u64, f64, String, String) {
        let state = self.lock(py);
        let simulation = state.simulation();
        (simulation.steps, simulation.delta, simulation.solver().to_owned(), simulation.root.to_string())
    }

    /// Returns the simulation as the bytes of a file with this extension.
    fn to_bytes<'py>(&self, py: Python<'py>, extension: &str) -> PyResult<Bound<'py, PyBytes>> {
        let state = self.lock(py);
        let path = PathBuf::from(format!("model.{extension}"));
        let bytes = state.components.formats.bytes_of(&path, state.simulation());
        bytes.map(|bytes| PyBytes::new(py, &bytes)).map_err(|error| Kind::File.of(py, error))
    }

    /// Writes a file; the simulation has its path from then on.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let mut state = self.lock(py);
        let saved = state.components.formats.save(&path, state.simulation());
        saved.map_err(|error| Kind::File.of(py, format!("{}: {error}", path.display())))?;
        let registry = state.files.registry(&state.components.registry, Some(&path));
        let registry = registry.map_err(|(kind, problem)| kind.of(py, problem))?;
        state.document.use_registry(Arc::new(registry));
        state.path = Some(path);
        state.compiled = None;
        state.found.clear();
        Ok(())
    }

    /// Makes a block in Python known to the simulation.
    fn use_block(&self, py: Python<'_>, group: String, name: String) -> PyResult<()> {
        let mut state = self.lock(py);
        if !state.files.blocks.insert((group, name)) {
            return Ok(());
        }
        let registry = state.files.registry(&state.components.registry, state.path.as_deref());
        let registry = registry.map_err(|(kind, problem)| kind.of(py, problem))?;
        state.document.use_registry(Arc::new(registry));
        state.compiled = None;
        Ok(())
    }

    /// Returns the blocks in Python that the simulation uses.
    fn used_blocks(&self, py: Python<'_>) -> Vec<(String, String)> {
        self.lock(py).files.blocks.iter().cloned().collect()
    }

    /// Returns all errors and warnings.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let state = self.lock(py);
        let found = state.all_diagnostics(diagnose(state.simulation(), state.registry()));
        found.iter().map(|of| diagnostic(py, of, state.file().as_deref())).collect()
    }

    /// Returns the signals that can be recorded: the name, the path, the number of elements.
    fn signals(&self, py: Python<'_>) -> PyResult<Vec<(String, String, usize)>> {
        let mut state = self.lock(py);
        let program = state.program(py)?;
        let simulation = state.simulation();
        let all = SelectedSignal::all(simulation, &program).into_iter();
        Ok(all.map(|signal| (signal.name, signal.key.text(simulation), signal.of.width)).collect())
    }

    /// Returns the names and first sentences of the engines.
    fn engines(&self, py: Python<'_>) -> Vec<(&'static str, &'static str)> {
        self.lock(py).components.engines.iter().map(|engine| (engine.name(), engine.doc())).collect()
    }

    fn undo(&self, py: Python<'_>) -> Option<String> {
        self.lock(py).document.undo().map(str::to_owned)
    }

    fn redo(&self, py: Python<'_>) -> Option<String> {
        self.lock(py).document.redo().map(str::to_owned)
    }
}

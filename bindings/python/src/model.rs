//! A simulation: loaded, looked at, checked, written, compiled.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;
use simulate::block::Registry;
use simulate::engine::SelectedSignal;
use simulate::model::{Document, Simulation};
use simulate::{Components, Opener};

use crate::blocks;
use crate::errors::{Kind, diagnostic, failed};

/// A simulation. All its methods may be called from several threads.
#[pyclass(frozen, module = "simulate._native")]
pub struct ModelCore {
    state: Mutex<ModelState>,
}

pub struct ModelState {
    pub whole: simulate::Simulation,
    /// The groups and names of blocks in Python that were added.
    blocks: BTreeSet<(String, String)>,
}

impl ModelState {
    pub fn file(&self) -> Option<String> {
        self.whole.path().map(|path| path.display().to_string())
    }

    pub fn document(&mut self) -> &mut Document {
        self.whole.document_mut()
    }

    pub fn simulation(&self) -> &Arc<Simulation> {
        self.whole.document().simulation()
    }

    pub fn registry(&self) -> &Arc<Registry> {
        self.whole.document().registry()
    }

    /// Returns a result of a call, or its error as an exception.
    pub fn done<T>(&self, py: Python<'_>, result: Result<T, simulate::Error>) -> PyResult<T> {
        result.map_err(|error| failed(py, &error, self.file().as_deref()))
    }
}

impl ModelCore {
    /// Locks the simulation; the calling thread lets others run Python while it waits.
    pub fn lock<'a>(&'a self, py: Python<'_>) -> MutexGuard<'a, ModelState> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn of(whole: simulate::Simulation, blocks: BTreeSet<(String, String)>) -> ModelCore {
        ModelCore { state: Mutex::new(ModelState { whole, blocks }) }
    }
}

#[pymethods]
impl ModelCore {
    /// A new simulation with an empty root model.
    #[new]
    fn new(py: Python<'_>, root: &str) -> PyResult<ModelCore> {
        let made = Opener::default().create(root).map_err(|error| failed(py, &error, None))?;
        Ok(ModelCore::of(made, BTreeSet::new()))
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
        let mut components = Components::standard();
        for (group, name) in &blocks {
            let added = components.with_block(blocks::named(py, group, name)?);
            components = added.map_err(|error| Kind::Edit.of(py, error))?;
        }
        let mut opener = Opener::new(components);
        opener = allow_read.into_iter().fold(opener, Opener::allow_read);
        opener = allow_write.into_iter().fold(opener, Opener::allow_write);
        opener = allow_fmu.into_iter().fold(opener, Opener::allow_fmu);
        opener = fmu_program.into_iter().fold(opener, Opener::fmu_program);
        if skip_invalid_models {
            opener = opener.skip_invalid_models();
        }
        let place = path.clone().unwrap_or_else(|| PathBuf::from("model.simx"));
        let opened = match &content {
            Some(bytes) => opener.read(bytes, path.as_deref()),
            None => opener.open(&place),
        };
        let opened = opened.map_err(|error| failed(py, &error, Some(&place.display().to_string())))?;
        Ok(ModelCore::of(opened, blocks.into_iter().collect()))
    }

    #[getter]
    fn path(&self, py: Python<'_>) -> Option<PathBuf> {
        self.lock(py).whole.path().map(PathBuf::from)
    }

    #[getter]
    fn revision(&self, py: Python<'_>) -> u64 {
        self.lock(py).document().revision()
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
        Ok(PyBytes::new(py, &state.done(py, state.whole.to_bytes(extension))?))
    }

    /// Writes a file; the simulation has its path from then on.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let mut state = self.lock(py);
        let saved = state.whole.save(path);
        state.done(py, saved)
    }

    /// Makes a block in Python known to the simulation.
    fn use_block(&self, py: Python<'_>, group: String, name: String) -> PyResult<()> {
        let mut state = self.lock(py);
        let def = blocks::named(py, &group, &name)?;
        if !state.blocks.insert((group, name)) {
            return Ok(());
        }
        let added = state.whole.add_block(def);
        state.done(py, added)
    }

    /// Returns the blocks in Python that the simulation uses.
    fn used_blocks(&self, py: Python<'_>) -> Vec<(String, String)> {
        self.lock(py).blocks.iter().cloned().collect()
    }

    /// Returns all errors and warnings.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let state = self.lock(py);
        let found = state.whole.check();
        found.iter().map(|of| diagnostic(py, of, state.file().as_deref())).collect()
    }

    /// Returns the signals that can be recorded: the name, the path, the number of elements.
    fn signals(&self, py: Python<'_>) -> PyResult<Vec<(String, String, usize)>> {
        let state = self.lock(py);
        let compiled = state.done(py, state.whole.compiled())?;
        let simulation = state.simulation();
        let all = SelectedSignal::all(simulation, &compiled.program).into_iter();
        Ok(all.map(|signal| (signal.name, signal.key.text(simulation), signal.of.width)).collect())
    }

    /// Returns the names and first sentences of the engines.
    fn engines(&self, py: Python<'_>) -> Vec<(&'static str, &'static str)> {
        self.lock(py).whole.components().engines.iter().map(|engine| (engine.name(), engine.doc())).collect()
    }

    fn undo(&self, py: Python<'_>) -> Option<String> {
        self.lock(py).whole.undo().map(str::to_owned)
    }

    fn redo(&self, py: Python<'_>) -> Option<String> {
        self.lock(py).whole.redo().map(str::to_owned)
    }
}

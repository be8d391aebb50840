//! A run: its context, its engine, and the samples so far.

use std::error::Error as _;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict};
use simulate::block::{Reaction, Registry, element_names};
use simulate::engine::{AssertionEvent, Cancel, RunError, Samples, SelectedSignal};
use simulate::model::{BlockKind, Simulation};
use simulate::{Error, Run, RunOptions, threads};

use crate::blocks;
use crate::column::Column;
use crate::errors::failed;
use crate::memory;
use crate::model::{ModelCore, ModelState};

/// A run, with what Python needs to interrupt it.
pub struct PyRun {
    pub run: Run,
    /// Whether a step may take long, so that it must be possible to cancel it.
    is_long: bool,
    file: Option<String>,
}

/// The number of steps in the first call of the engine.
const CHUNK: u64 = 1024;
const MAX_CHUNK: u64 = 1 << 17;
/// The time between two looks at whether the user has pressed Ctrl+C.
const LOOK: Duration = Duration::from_millis(50);

impl PyRun {
    /// Begins a run of a model.
    pub fn begin(py: Python<'_>, state: &mut ModelState, options: &RunOptions) -> PyResult<PyRun> {
        // A block in Python is called while machine code is compiled on another thread.
        let whole = &mut state.whole;
        let run = py.detach(|| whole.run_with(options));
        let run = state.done(py, run)?;
        let (simulation, registry) = (run.setup.simulation(), run.setup.registry());
        let is_long = !run.program().has_fixed_length() || runs_foreign_code(simulation, registry);
        Ok(PyRun { run, is_long, file: state.file() })
    }

    /// Selects the signals to record: none for those that the file marks.
    pub fn record(&mut self, py: Python<'_>, names: Option<&[String]>) -> PyResult<()> {
        let Some(names) = names else { return Ok(()) };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let recorded = self.run.record(&names);
        self.done(py, recorded)
    }

    pub fn simulation(&self) -> &Arc<Simulation> {
        self.run.setup.simulation()
    }

    /// Finds a signal by path or name.
    pub fn find(&self, py: Python<'_>, name: &str) -> PyResult<SelectedSignal> {
        self.done(py, self.run.find(name))
    }

    /// Returns a result of the run, or its error as an exception.
    pub fn done<T>(&self, py: Python<'_>, result: Result<T, Error>) -> PyResult<T> {
        result.map_err(|error| {
            let found = failed(py, &error, self.file.as_deref());
            // The exception of a block in Python is the cause, unless it is left from another call.
            let problem = error.source().and_then(|source| source.downcast_ref::<RunError>());
            let is_cause = |cause: &PyErr| problem.is_some_and(|of| of.problem.contains(&cause.to_string()));
            match problem.and_then(|_| blocks::take_exception()).filter(is_cause) {
                Some(cause) if cause.is_instance_of::<PyKeyboardInterrupt>(py) => return cause,
                Some(cause) => found.set_cause(py, Some(cause)),
                None => {}
            }
            found
        })
    }

    /// Runs steps that are not recorded, without checking for Ctrl+C.
    pub fn execute(&mut self, py: Python<'_>, count: u64) -> PyResult<()> {
        let run = &mut self.run;
        let ran = py.detach(|| run.execute(count));
        self.done(py, ran.map_err(|error| self.run.failed(error)))
    }

    /// Runs until `until` steps are complete, or a block ends the run.
    fn advance(&mut self, py: Python<'_>, until: u64, progress: Option<&Py<PyAny>>) -> PyResult<()> {
        let numbers = self.run.selected().iter().map(|signal| signal.of.width).sum();
        memory::check(until.saturating_sub(self.run.steps()), numbers)?;
        let mut chunk = CHUNK;
        let mut looked = Instant::now();
        let mut is_over = false;
        while self.run.steps() < until && !is_over {
            let count = chunk.min(until - self.run.steps());
            let is_cancellable = self.is_long;
            let begin = Instant::now();
            let ran = py.detach(|| if is_cancellable { self.run_aside(count) } else { Ok(self.run.step(count)) })?;
            self.done(py, ran)?;
            is_over = self.run.end().is_some();
            let took = begin.elapsed();
            chunk = if took > LOOK { (chunk / 2).max(1) } else { (chunk * 2).min(MAX_CHUNK) };
            if looked.elapsed() > LOOK || self.run.steps() >= until {
                looked = Instant::now();
                py.check_signals()?;
                if let Some(progress) = progress {
                    progress.call1(py, (self.run.steps(), until))?;
                }
            }
        }
        let finished = self.run.finish_files();
        self.done(py, finished)
    }

    /// Runs steps on another thread, so that this one hears of Ctrl+C within a step.
    fn run_aside(&mut self, count: u64) -> PyResult<Result<(), Error>> {
        let cancel = Cancel::new();
        self.run.samples.set_cancel(&cancel);
        std::thread::scope(|scope| {
            let (done, waits) = channel();
            let engine = threads::spawn_in(scope, "engine", move || {
                let ran = self.run.step(count);
                // Nobody waits after an interruption.
                let _ = done.send(());
                ran
            })?;
            let mut heard = Ok(());
            while waits.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                heard = Python::attach(|py| py.check_signals());
                if heard.is_err() {
                    cancel.cancel();
                    break;
                }
            }
            match (engine.join(), heard) {
                (_, Err(interrupted)) => Err(interrupted),
                (Ok(ran), Ok(())) => Ok(ran),
                (Err(panic), Ok(())) => std::panic::resume_unwind(panic),
            }
        })
    }
}

fn runs_foreign_code(simulation: &Simulation, registry: &Registry) -> bool {
    let blocks = simulation.models.values().flat_map(|model| model.blocks.values());
    blocks.into_iter().any(|block| match &block.kind {
        BlockKind::Library { group, name } => registry.get(group, name).is_some_and(|def| def.runs_file()),
        _ => false,
    })
}

/// A run with its recorded signals.
#[pyclass(frozen, module = "simulate._native")]
pub struct RunCore {
    run: Mutex<PyRun>,
}

impl RunCore {
    pub fn lock<'a>(&'a self, py: Python<'_>) -> MutexGuard<'a, PyRun> {
        self.run.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl RunCore {
    /// Begins a run of a model before its first step, or at a checkpoint.
    #[new]
    #[pyo3(signature = (model, signals, *, engine="auto", threads=None, set=vec![], resume=None, stop_at_non_finite=false, writes_files=true))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        model: &ModelCore,
        signals: Option<Vec<String>>,
        engine: &str,
        threads: Option<usize>,
        set: Vec<String>,
        resume: Option<Vec<u8>>,
        stop_at_non_finite: bool,
        writes_files: bool,
    ) -> PyResult<RunCore> {
        let engine = engine.to_owned();
        let options = RunOptions { engine, threads, set, resume, stop_at_non_finite, writes_files };
        let mut run = PyRun::begin(py, &mut model.lock(py), &options)?;
        run.record(py, signals.as_deref())?;
        Ok(RunCore { run: Mutex::new(run) })
    }

    /// Runs until `until` steps are complete; `progress` is called with the steps so far and `until`.
    #[pyo3(signature = (until, progress=None))]
    fn advance(&self, py: Python<'_>, until: u64, progress: Option<Py<PyAny>>) -> PyResult<()> {
        self.lock(py).advance(py, until, progress.as_ref())
    }

    /// Returns the first recorded step, the completed steps and the step length in seconds.
    fn span(&self, py: Python<'_>) -> (u64, u64, f64) {
        let run = &self.lock(py).run;
        (run.first_context().step, run.steps(), run.program().delta)
    }

    /// Returns the times of the recorded steps in seconds.
    fn times(&self, py: Python<'_>) -> Column {
        Column::vector(self.lock(py).run.times())
    }

    /// Returns the name of the engine, and why a faster one was not chosen.
    fn engine(&self, py: Python<'_>) -> (&'static str, Option<String>) {
        let run = self.lock(py);
        let (name, reason) = run.run.engine();
        (name, reason.map(str::to_owned))
    }

    /// Returns the recorded signals: name, path, width, names of the elements.
    fn signals(&self, py: Python<'_>) -> Vec<(String, String, usize, Vec<String>)> {
        let run = self.lock(py);
        let of = |signal: &SelectedSignal| {
            let elements = element_names(&signal.name, &signal.of);
            (signal.name.clone(), signal.key.text(run.simulation()), signal.of.width, elements)
        };
        run.run.selected().iter().map(of).collect()
    }

    /// Hands over the recorded values, one column for each signal.
    fn take_columns(&self, py: Python<'_>) -> Vec<Column> {
        let run = &mut self.lock(py).run;
        let columns = run.take_columns();
        columns.into_iter().zip(run.selected()).map(|(values, signal)| Column::new(values, signal.of.width)).collect()
    }

    /// Computes a signal that was not recorded, by repeating the run without writing files.
    fn recompute(&self, py: Python<'_>, name: &str) -> PyResult<(String, Column)> {
        let mut run = self.lock(py);
        let signal = run.find(py, name)?;
        let again = Samples::new([signal.output]);
        let (begin, until) = (run.run.first_context().clone(), run.run.steps());
        let context = std::mem::replace(&mut run.run.context, begin);
        let samples = std::mem::replace(&mut run.run.samples, again);
        let mut ran = Ok(());
        while run.run.steps() < until && ran.is_ok() {
            let count = MAX_CHUNK.min(until - run.run.steps());
            ran = run.execute(py, count).and_then(|()| py.check_signals());
        }
        run.run.context = context;
        let samples = std::mem::replace(&mut run.run.samples, samples);
        ran?;
        let values = samples.watches().first().map(|watch| watch.values.clone()).unwrap_or_default();
        Ok((signal.key.text(run.simulation()), Column::new(values, signal.of.width)))
    }

    /// Returns the values of the root's exits after the last step; `None` for an exit that was never set.
    fn exits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let exits = PyDict::new(py);
        for (name, values) in self.lock(py).run.exits() {
            exits.set_item(&*name, values)?;
        }
        Ok(exits)
    }

    /// Returns the reports of blocks: step, time, block, reaction, message; and how many more there were.
    #[allow(clippy::type_complexity)]
    fn events(&self, py: Python<'_>) -> (Vec<(u64, f64, String, &'static str, String)>, u64) {
        let run = self.lock(py);
        let of = |event: &AssertionEvent| {
            let block = event.block.title_text(run.simulation());
            (event.step, event.time, block, reaction(event.reaction), event.message.clone())
        };
        let (events, left_out) = run.run.events();
        (events.iter().map(of).collect(), left_out)
    }

    /// Returns how a block ended or paused the run, if one did.
    fn ended_by(&self, py: Python<'_>) -> Option<&'static str> {
        self.lock(py).run.end().map(reaction)
    }

    /// Returns all values of the run between two steps.
    fn checkpoint<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lock(py).run.checkpoint())
    }
}

fn reaction(reaction: Reaction) -> &'static str {
    match reaction {
        Reaction::Warn => "warn",
        Reaction::Pause => "pause",
        Reaction::Stop => "stop",
        Reaction::Finish => "finish",
    }
}

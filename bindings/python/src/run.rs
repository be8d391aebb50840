//! A run: its context, its engine, and the samples so far.

use std::cell::OnceCell;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict};
use simulate::block::{Reaction, Registry, element_names};
use simulate::engine::{
    AssertionEvent, Cancel, Context, Engines, Execute, OverrideError, Program, RunError, RunSetup, Samples,
    SelectedSignal, Threaded, Writers,
};
use simulate::model::{BlockKind, Simulation};
use simulate::threads;

use crate::blocks;
use crate::column::Column;
use crate::errors::{Kind, failed_step, text_of};
use crate::memory;
use crate::model::{ModelCore, ModelState, Pool, Prepared};

/// The state of a run.
pub struct Run {
    pub simulation: Arc<Simulation>,
    pub registry: Arc<Registry>,
    pub program: Arc<Program>,
    begin: Context,
    pub context: Context,
    execute: Option<Box<dyn Execute>>,
    engine: String,
    pool: Arc<Pool>,
    pub samples: Samples,
    signals: Vec<SelectedSignal>,
    all: OnceCell<Vec<SelectedSignal>>,
    columns: Vec<Vec<f64>>,
    writers: Writers,
    events: Vec<AssertionEvent>,
    left_out: u64,
    end: Option<Reaction>,
    /// Whether a step may take long, so that it must be possible to cancel it.
    is_long: bool,
    file: Option<String>,
}

/// How a run begins.
pub struct RunOptions<'a> {
    pub engine: &'a str,
    pub threads: Option<usize>,
    pub sets: &'a [String],
    pub resume: Option<&'a [u8]>,
    pub refuses_non_finite: bool,
    pub writes_files: bool,
}

/// The number of steps in the first call of the engine.
const CHUNK: u64 = 1024;
const MAX_CHUNK: u64 = 1 << 17;
/// The time between two looks at whether the user has pressed Ctrl+C.
const LOOK: Duration = Duration::from_millis(50);

impl Run {
    /// Begins a run of a model. Values that can change between steps are set without compiling the simulation again.
    pub fn begin(py: Python<'_>, state: &mut ModelState, options: &RunOptions) -> PyResult<Run> {
        let mut program = state.program(py)?;
        let mut pool = Arc::clone(&state.pool);
        let mut setup = RunSetup::of(&state.document);
        let path_error = |error: OverrideError| Kind::Path.of(py, error);
        let invalid = |found| state.invalid(py, found);
        // A path that the other values lead to is only in a simulation that has them.
        let sets = setup.parse(options.sets).ok();
        let shared = sets.and_then(|sets| setup.shared(&program, sets.iter().map(|set| (set, None))));
        if shared.is_none() || options.resume.is_some() {
            setup.set(options.sets).map_err(path_error)?;
        }
        if shared.is_none() {
            program = Arc::new(setup.compile().map_err(invalid)?);
            pool = Arc::default();
        }
        let context = match (options.resume, shared) {
            (None, Some(context)) => context,
            (None, None) => setup.context(&program).map_err(path_error)?,
            (Some(bytes), _) => {
                let mut context =
                    Context::from_bytes(bytes, &program).map_err(|error| Kind::Checkpoint.of(py, error))?;
                setup.retune(&program, &mut context).map_err(path_error)?;
                context
            }
        };
        if options.refuses_non_finite {
            // Another program: the engines look after each step.
            let mut compiled = setup.compile().map_err(invalid)?;
            compiled.refuses_non_finite = true;
            program = Arc::new(compiled);
            pool = Arc::default();
        }
        let engine = format!("{} {:?}", options.engine, options.threads);
        let execute = match pool.take(&program, &engine) {
            Some(execute) => execute,
            None => prepare(py, &state.components.engines, options, &program)?,
        };
        let writers = if options.writes_files {
            Writers::open(&program, setup.registry().files()).map_err(invalid)?
        } else {
            Writers::none()
        };
        let is_long = || !program.has_fixed_length() || runs_foreign_code(setup.simulation(), setup.registry());
        let is_long = *pool.is_long.get_or_init(is_long);
        Ok(Run {
            begin: context.clone(),
            context,
            execute: Some(execute),
            engine,
            pool,
            samples: Samples::default(),
            signals: Vec::new(),
            all: OnceCell::new(),
            columns: Vec::new(),
            writers,
            events: Vec::new(),
            left_out: 0,
            end: None,
            is_long,
            file: state.file(),
            simulation: Arc::clone(setup.simulation()),
            registry: Arc::clone(setup.registry()),
            program,
        })
    }

    /// Selects the signals to record: none for those that the file marks.
    pub fn record(&mut self, py: Python<'_>, names: Option<&[String]>) -> PyResult<()> {
        let (simulation, program) = (&self.simulation, &self.program);
        self.signals = self.pool.signals(names, || match names {
            None => Ok(SelectedSignal::marked(simulation, &self.registry, program)),
            Some([all]) if all == "all" => Ok(SelectedSignal::all(simulation, program)),
            Some([exits]) if exits == "exits" => Ok(SelectedSignal::exits(program)),
            Some(names) => names.iter().map(|name| self.find(py, name)).collect::<PyResult<_>>(),
        })?;
        self.columns = vec![Vec::new(); self.signals.len()];
        let recorded = self.signals.iter().map(|signal| signal.output);
        self.samples = Samples::new(recorded.chain(self.writers.outputs()));
        Ok(())
    }

    /// Finds a signal by path or name.
    pub fn find(&self, py: Python<'_>, name: &str) -> PyResult<SelectedSignal> {
        let library = (&*self.simulation, &*self.registry);
        SelectedSignal::find(name, library, &self.program, &self.all).map_err(|error| Kind::Path.of(py, error))
    }

    pub fn failed(&self, py: Python<'_>, error: &RunError) -> PyErr {
        let found = failed_step(py, error, &self.simulation, self.file.as_deref());
        // The exception of a block in Python is the cause, unless it is left from another call.
        if let Some(cause) = blocks::take_exception().filter(|cause| error.problem.contains(&cause.to_string())) {
            if cause.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) {
                return cause;
            }
            found.set_cause(py, Some(cause));
        }
        found
    }

    /// Runs `count` steps without checking for Ctrl+C.
    pub fn advance(&mut self, count: u64) -> Result<(), RunError> {
        let Some(execute) = &mut self.execute else { return Ok(()) };
        execute.run(&mut self.context, count, &mut self.samples)
    }

    /// Takes the samples since the last call.
    fn take(&mut self) -> Result<(), simulate::engine::WriteError> {
        for (column, watch) in self.columns.iter_mut().zip(self.samples.watches()) {
            column.extend_from_slice(&watch.values);
        }
        let written = self.writers.take(&self.samples);
        self.events.extend_from_slice(self.samples.assertions());
        self.left_out += self.samples.left_out();
        self.end = self.end.max(self.samples.end());
        self.samples.clear();
        written
    }

    /// Runs until `until` steps are complete, or a block ends the run.
    fn run(&mut self, py: Python<'_>, until: u64, progress: Option<&Py<PyAny>>) -> PyResult<()> {
        let numbers = self.signals.iter().map(|signal| signal.of.width).sum();
        memory::check(until.saturating_sub(self.context.step), numbers)?;
        let mut chunk = CHUNK;
        let mut looked = Instant::now();
        self.end = None;
        while self.context.step < until && self.end.is_none() {
            let count = chunk.min(until - self.context.step);
            let is_cancellable = self.is_long;
            let begin = Instant::now();
            let ran = py.detach(|| if is_cancellable { self.run_aside(count) } else { Ok(self.advance(count)) })?;
            let written = self.take();
            if let Err(error) = ran {
                return Err(self.failed(py, &error));
            }
            if let Err(error) = written {
                let block = text_of(&self.simulation, &error.block);
                return Err(Kind::File.with(py, error.to_string(), |attributes| attributes.set_item("block", block)));
            }
            let took = begin.elapsed();
            chunk = if took > LOOK { (chunk / 2).max(1) } else { (chunk * 2).min(MAX_CHUNK) };
            if looked.elapsed() > LOOK || self.context.step >= until {
                looked = Instant::now();
                py.check_signals()?;
                if let Some(progress) = progress {
                    progress.call1(py, (self.context.step, until))?;
                }
            }
        }
        self.writers.finish().map_err(|error| Kind::File.of(py, error))
    }

    /// Runs steps on another thread, so that this one hears of Ctrl+C within a step.
    fn run_aside(&mut self, count: u64) -> PyResult<Result<(), RunError>> {
        let cancel = Cancel::new();
        self.samples.set_cancel(&cancel);
        std::thread::scope(|scope| {
            let (done, waits) = channel();
            let engine = threads::spawn_in(scope, "engine", move || {
                let ran = self.advance(count);
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

    fn engine_name(&self) -> (&'static str, Option<String>) {
        let Some(execute) = &self.execute else { return ("", None) };
        (execute.engine(), execute.reason().map(str::to_owned))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if let Some(execute) = self.execute.take() {
            let (program, engine) = (Arc::clone(&self.program), std::mem::take(&mut self.engine));
            self.pool.put(Prepared { program, engine, execute });
        }
    }
}

fn prepare(
    py: Python<'_>,
    engines: &Engines,
    options: &RunOptions,
    program: &Arc<Program>,
) -> PyResult<Box<dyn Execute>> {
    let mut engines = engines.clone();
    if let Some(threads) = options.threads {
        engines.add(Arc::new(Threaded::limited(threads)));
    }
    let engine = engines.get(options.engine).cloned().ok_or_else(|| {
        let known: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
        let problem = format!("unknown engine “{}”; the engines are: {}", options.engine, known.join(", "));
        Kind::Engine.of(py, problem)
    })?;
    // A block in Python is called while machine code is compiled on another thread.
    py.detach(|| engine.prepare(program)).map_err(|declined| Kind::Engine.of(py, declined))
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
    run: Mutex<Run>,
}

impl RunCore {
    pub fn lock<'a>(&'a self, py: Python<'_>) -> MutexGuard<'a, Run> {
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
        let options = RunOptions {
            engine,
            threads,
            sets: &set,
            resume: resume.as_deref(),
            refuses_non_finite: stop_at_non_finite,
            writes_files,
        };
        let mut run = Run::begin(py, &mut model.lock(py), &options)?;
        run.record(py, signals.as_deref())?;
        Ok(RunCore { run: Mutex::new(run) })
    }

    /// Runs until `until` steps are complete; `progress` is called with the steps so far and `until`.
    #[pyo3(signature = (until, progress=None))]
    fn advance(&self, py: Python<'_>, until: u64, progress: Option<Py<PyAny>>) -> PyResult<()> {
        self.lock(py).run(py, until, progress.as_ref())
    }

    /// Returns the first recorded step, the completed steps and the step length in seconds.
    fn span(&self, py: Python<'_>) -> (u64, u64, f64) {
        let run = self.lock(py);
        (run.begin.step, run.context.step, run.program.delta)
    }

    /// Returns the times of the recorded steps in seconds.
    fn times(&self, py: Python<'_>) -> Column {
        let run = self.lock(py);
        Column::vector((run.begin.step..run.context.step).map(|step| step as f64 * run.program.delta).collect())
    }

    /// Returns the name of the engine, and why a faster one was not chosen.
    fn engine(&self, py: Python<'_>) -> (&'static str, Option<String>) {
        self.lock(py).engine_name()
    }

    /// Returns the recorded signals: name, path, width, names of the elements.
    fn signals(&self, py: Python<'_>) -> Vec<(String, String, usize, Vec<String>)> {
        let run = self.lock(py);
        let of = |signal: &SelectedSignal| {
            let elements = element_names(&signal.name, &signal.of);
            (signal.name.clone(), signal.key.text(&run.simulation), signal.of.width, elements)
        };
        run.signals.iter().map(of).collect()
    }

    /// Hands over the recorded values, one column for each signal.
    fn take_columns(&self, py: Python<'_>) -> Vec<Column> {
        let mut run = self.lock(py);
        let columns = std::mem::take(&mut run.columns);
        columns.into_iter().zip(&run.signals).map(|(values, signal)| Column::new(values, signal.of.width)).collect()
    }

    /// Computes a signal that was not recorded, by repeating the run without writing files.
    fn recompute(&self, py: Python<'_>, name: &str) -> PyResult<(String, Column)> {
        let mut run = self.lock(py);
        let run = &mut *run;
        let signal = run.find(py, name)?;
        let until = run.context.step;
        let mut context = run.begin.clone();
        let mut samples = Samples::new([signal.output]);
        while context.step < until {
            let count = MAX_CHUNK.min(until - context.step);
            let Some(execute) = &mut run.execute else { break };
            let ran = py.detach(|| execute.run(&mut context, count, &mut samples));
            ran.map_err(|error| run.failed(py, &error))?;
            py.check_signals()?;
        }
        let values = samples.watches().first().map(|watch| watch.values.clone()).unwrap_or_default();
        Ok((signal.key.text(&run.simulation), Column::new(values, signal.of.width)))
    }

    /// Returns the values of the root's exits after the last step; `None` for an exit that was never set.
    fn exits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let run = self.lock(py);
        let exits = PyDict::new(py);
        for (name, values) in run.context.exits(&run.program) {
            exits.set_item(&*name, values)?;
        }
        Ok(exits)
    }

    /// Returns the reports of blocks: step, time, block, reaction, message; and how many more there were.
    #[allow(clippy::type_complexity)]
    fn events(&self, py: Python<'_>) -> (Vec<(u64, f64, String, &'static str, String)>, u64) {
        let run = self.lock(py);
        let of = |event: &AssertionEvent| {
            let block = text_of(&run.simulation, &event.block);
            (event.step, event.time, block, reaction(event.reaction), event.message.clone())
        };
        (run.events.iter().map(of).collect(), run.left_out)
    }

    /// Returns how a block ended or paused the run, if one did.
    fn ended_by(&self, py: Python<'_>) -> Option<&'static str> {
        self.lock(py).end.map(reaction)
    }

    /// Returns all values of the run between two steps.
    fn checkpoint<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let run = self.lock(py);
        PyBytes::new(py, &run.context.to_bytes(&run.program))
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

impl Run {
    /// Returns the signals that are recorded.
    pub fn signals(&self) -> Vec<SelectedSignal> {
        self.signals.clone()
    }
}

//! A run: its program, its context, and the signals that it records.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Error, ErrorKind};
use crate::block::Reaction;
use crate::engine::{
    AssertionEvent, Context, Engine, Engines, Execute, Program, RunError, RunSetup, Samples, SelectedSignal, Threaded,
    Writers,
};
use crate::model::{Block, BlockAddress, BlockKind, Diagnostic, ParamAddress};

/// How a run begins.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The name of the engine: `auto`, `compiled`, `threaded`, `flat` or `simple`. All give the same bits.
    pub engine: String,
    /// The maximum number of threads of the engine `threaded`; by default one more than there are processors.
    pub threads: Option<usize>,
    /// Values for this run alone, as `PATH=VALUE` or `VARIABLE=VALUE`.
    pub set: Vec<String>,
    /// The checkpoint at which the run resumes.
    pub resume: Option<Vec<u8>>,
    /// Whether the first infinite or not-a-number value is an error.
    pub stop_at_non_finite: bool,
    /// Whether blocks write their files.
    pub writes_files: bool,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            engine: Engines::DEFAULT.to_owned(),
            threads: None,
            set: Vec::new(),
            resume: None,
            stop_at_non_finite: false,
            writes_files: true,
        }
    }
}

/// A run of a simulation. It has a copy of the simulation's values: later changes do not reach it.
///
/// ```
/// use simulate::{RunOptions, Simulation};
///
/// let simulation = Simulation::open("assets/examples/dc_motor.simx")?;
/// let set = vec!["PID/P.Gain=120".to_owned()];
/// let mut run = simulation.run_with(&RunOptions { set, ..RunOptions::default() })?;
/// run.record(&["speed", "Motor/Current.Output"])?;
/// run.step(1000)?;
/// let middle = run.checkpoint();
///
/// run.set("PID/P.Gain", &[80.0])?;
/// run.step(1000)?;
/// assert_eq!(run.values("speed")?.len(), 2000);
/// let speed = run.last("speed")?.to_vec();
///
/// // The same steps once more, with the gain as it was.
/// run.restore(&middle)?;
/// run.step(1000)?;
/// assert_ne!(run.last("speed")?, speed);
/// # Ok::<(), simulate::Error>(())
/// ```
pub struct Run {
    /// The simulation with the values of the run.
    #[doc(hidden)]
    pub setup: RunSetup,
    /// The values between two steps.
    #[doc(hidden)]
    pub context: Context,
    /// The values of the last steps.
    #[doc(hidden)]
    pub samples: Samples,
    begin: Context,
    compiled: Arc<Compiled>,
    /// None when the run is dropped.
    execute: Option<Box<dyn Execute>>,
    /// The engine and its threads.
    engine: String,
    signals: Vec<SelectedSignal>,
    known: OnceCell<Vec<SelectedSignal>>,
    /// For each signal the recorded values, those of vectors step after step.
    columns: Vec<Vec<f64>>,
    /// The recorded steps, the first to the last of each stretch.
    recorded: Vec<Range<u64>>,
    writers: Writers,
    events: Vec<AssertionEvent>,
    left_out: u64,
    end: Option<Reaction>,
}

/// A compiled simulation, with the prepared engines and selections of signals that its next runs use again.
#[doc(hidden)]
pub struct Compiled {
    pub program: Arc<Program>,
    /// Engines that are prepared and wait for a run, by engine and threads.
    idle: Mutex<Vec<(String, Box<dyn Execute>)>>,
    selected: Mutex<BTreeMap<Option<Vec<String>>, Vec<SelectedSignal>>>,
}

/// The maximum number of engines, and of selections of signals, that are kept.
const MAX_IDLE: usize = 8;

/// The maximum number of steps in a call of the engine, whose samples are in memory twice.
const CHUNK: u64 = 1 << 17;

impl Compiled {
    pub(super) fn of(program: Program) -> Compiled {
        Compiled { program: Arc::new(program), idle: Mutex::default(), selected: Mutex::default() }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(String, Box<dyn Execute>)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Run {
    pub(super) fn begin(
        mut compiled: Arc<Compiled>,
        mut setup: RunSetup,
        (engines, options): (&Engines, &RunOptions),
        invalid: &dyn Fn(Vec<Diagnostic>) -> Error,
    ) -> Result<Run, Error> {
        // A path to which other values lead is only in a simulation that has these.
        let sets = setup.parse(&options.set).ok();
        let shared = sets.and_then(|sets| setup.shared(&compiled.program, sets.iter().map(|set| (set, None))));
        if shared.is_none() || options.resume.is_some() {
            setup.set(&options.set)?;
        }
        if shared.is_none() || options.stop_at_non_finite {
            let mut program = setup.compile().map_err(invalid)?;
            program.refuses_non_finite = options.stop_at_non_finite;
            compiled = Arc::new(Compiled::of(program));
        }
        let program = &compiled.program;
        let context = match (&options.resume, shared) {
            (Some(bytes), _) => {
                let mut context = Context::from_bytes(bytes, program)?;
                setup.retune(program, &mut context)?;
                context
            }
            (None, Some(context)) => context,
            (None, None) => setup.context(program)?,
        };
        let engine = format!("{} {:?}", options.engine, options.threads);
        let idle = compiled.idle().extract_if(.., |(known, _)| *known == engine).next();
        let execute = idle.map_or_else(|| prepare(engines, options, program), |(_, execute)| Ok(execute))?;
        let writers = match options.writes_files {
            true => Writers::open(program, setup.registry().files()).map_err(invalid)?,
            false => Writers::none(),
        };
        let mut run = Run {
            setup,
            begin: context.clone(),
            context,
            samples: Samples::default(),
            compiled,
            execute: Some(execute),
            engine,
            signals: Vec::new(),
            known: OnceCell::new(),
            columns: Vec::new(),
            recorded: Vec::new(),
            writers,
            events: Vec::new(),
            left_out: 0,
            end: None,
        };
        run.select(None)?;
        Ok(run)
    }

    /// Selects the signals to record from the next step on, by names or addresses, or all by `exits` or `all`. What was
    /// recorded before is dropped.
    ///
    /// # Errors
    /// If a signal does not exist.
    pub fn record(&mut self, signals: &[&str]) -> Result<(), Error> {
        self.select(Some(signals))
    }

    /// Records the signals that the file marks, if there are no names.
    fn select(&mut self, names: Option<&[&str]>) -> Result<(), Error> {
        let mut selected = self.compiled.selected.lock().unwrap_or_else(PoisonError::into_inner);
        let key = names.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let (setup, program) = (&self.setup, &self.compiled.program);
        self.signals = match (selected.get(&key), names) {
            (Some(known), _) => known.clone(),
            (None, Some(names)) => setup.signals(names, program, &self.known)?,
            (None, None) => SelectedSignal::marked(setup.simulation(), setup.registry(), program),
        };
        if selected.len() >= MAX_IDLE {
            selected.pop_first();
        }
        selected.insert(key, self.signals.clone());
        drop(selected);
        self.columns = vec![Vec::new(); self.signals.len()];
        self.recorded.clear();
        self.samples = Samples::new(self.signals.iter().map(|signal| signal.output).chain(self.writers.outputs()));
        Ok(())
    }

    /// Returns the number of completed steps.
    pub fn steps(&self) -> u64 {
        self.context.step
    }

    /// Returns the time at which the next step begins, in seconds.
    pub fn time(&self) -> f64 {
        self.context.time(self.program())
    }

    /// Runs so many steps, or fewer if a block pauses or ends the run.
    ///
    /// # Errors
    /// If a step cannot be completed, or a block's file cannot be written; what was recorded before is kept.
    pub fn step(&mut self, count: u64) -> Result<(), Error> {
        let until = self.context.step.saturating_add(count);
        self.end = None;
        while self.context.step < until && self.end.is_none() && !self.samples.is_cancelled() {
            let ran = self.execute(CHUNK.min(until - self.context.step));
            for (column, watch) in self.columns.iter_mut().zip(self.samples.watches()) {
                column.extend_from_slice(&watch.values);
            }
            let (first, count) = (self.samples.first(), self.samples.len() as u64);
            match self.recorded.last_mut().filter(|stretch| stretch.end == first) {
                Some(stretch) => stretch.end += count,
                None => self.recorded.push(first..first + count),
            }
            let written = self.writers.take(&self.samples);
            self.events.extend_from_slice(self.samples.assertions());
            self.left_out += self.samples.left_out();
            self.end = self.end.max(self.samples.end());
            self.samples.clear();
            ran.map_err(|error| self.failed(error))?;
            written.map_err(|error| {
                let block = error.block.title_text(self.setup.simulation());
                Error::of(ErrorKind::File, error).at_block(Some(block))
            })?;
        }
        Ok(())
    }

    /// Runs to the simulation's number of steps, or until a block ends the run, and completes the files that blocks write.
    ///
    /// # Errors
    /// As [`Run::step`], and if the simulation has no end.
    pub fn finish(&mut self) -> Result<(), Error> {
        let steps = self.setup.simulation().steps;
        if steps == 0 {
            let text = "the simulation has no end: set its number of steps, or run some by Run::step";
            return Err(Error::new(ErrorKind::Invalid, text.to_owned()));
        }
        self.step(steps.saturating_sub(self.context.step))?;
        self.finish_files()
    }

    /// Completes the files that blocks write.
    #[doc(hidden)]
    pub fn finish_files(&mut self) -> Result<(), Error> {
        self.writers.finish().map_err(|error| Error::of(ErrorKind::File, error))
    }

    /// Runs steps that only [`Run::samples`] has.
    #[doc(hidden)]
    pub fn execute(&mut self, count: u64) -> Result<(), RunError> {
        self.execute.as_mut().map_or(Ok(()), |execute| execute.run(&mut self.context, count, &mut self.samples))
    }

    /// The error of a step, with its block.
    #[doc(hidden)]
    pub fn failed(&self, error: RunError) -> Error {
        let block = error.block.as_ref().map(|block| block.title_text(self.setup.simulation()));
        Error::of(ErrorKind::Step, error).at_block(block)
    }

    /// Returns how a block has paused or ended the run in its last step.
    pub fn end(&self) -> Option<Reaction> {
        self.end
    }

    /// Returns the names of the recorded signals.
    pub fn signals(&self) -> impl Iterator<Item = &str> {
        self.signals.iter().map(|signal| &*signal.name)
    }

    /// Returns the times of the recorded steps in seconds.
    pub fn times(&self) -> Vec<f64> {
        let steps = self.recorded.iter().cloned().flatten();
        steps.map(|step| step as f64 * self.program().delta).collect()
    }

    /// Returns the recorded values of a signal, step after step; the elements of a vector are side by side. A value that
    /// was never set is not a number.
    ///
    /// # Errors
    /// If the run does not record this signal.
    pub fn values(&self, signal: &str) -> Result<&[f64], Error> {
        Ok(&self.columns[self.index(signal)?])
    }

    /// Returns the elements of a recorded signal after the last step; empty before the first.
    ///
    /// # Errors
    /// If the run does not record this signal.
    pub fn last(&self, signal: &str) -> Result<&[f64], Error> {
        let index = self.index(signal)?;
        let values = &self.columns[index];
        Ok(&values[values.len().saturating_sub(self.signals[index].of.width)..])
    }

    fn index(&self, name: &str) -> Result<usize, Error> {
        if let Some(index) = self.signals.iter().position(|signal| signal.name == name) {
            return Ok(index);
        }
        let output = self.find(name)?.output;
        self.signals.iter().position(|signal| signal.output == output).ok_or_else(|| {
            let text = format!("“{name}” is not recorded: name it in Run::record before its steps");
            Error::new(ErrorKind::Address, text)
        })
    }

    /// Finds a signal by address or name.
    #[doc(hidden)]
    pub fn find(&self, name: &str) -> Result<SelectedSignal, Error> {
        let library = (&**self.setup.simulation(), &**self.setup.registry());
        Ok(SelectedSignal::find(name, library, self.program(), &self.known)?)
    }

    /// Returns the values of the root model's exits after the last step, in the order of the file; `None` for an exit that
    /// was never set.
    pub fn exits(&self) -> Vec<(Arc<str>, Option<Vec<f64>>)> {
        self.context.exits(self.program())
    }

    /// Sets an option of a block, or the value of an entry of the root model, from the next step on.
    ///
    /// # Errors
    /// If the address leads to no option, it has another number of elements, or it cannot change between steps.
    pub fn set(&mut self, address: &str, values: &[f64]) -> Result<(), Error> {
        for range in self.ranges(address, Some(values.len()))? {
            self.context.params[range].copy_from_slice(values);
        }
        Ok(())
    }

    /// Returns the places of an option among the parameters of the context: one, or one for each iteration of a model.
    #[doc(hidden)]
    pub fn ranges(&self, address: &str, width: Option<usize>) -> Result<Vec<Range<usize>>, Error> {
        let (place, option) = BlockAddress::parse_with_rest(address, self.setup.simulation())?;
        let block = place.find(self.setup.simulation());
        let is_entry = block.is_some_and(|block| matches!(block.kind, BlockKind::Entry { .. }));
        let option = option.or_else(|| is_entry.then(|| Block::INITIAL_VALUE.to_owned())).ok_or_else(|| {
            let text = format!("“{address}” is neither an entry nor an option, such as PID.P");
            Error::new(ErrorKind::Address, text)
        })?;
        let program = self.program();
        let param = ParamAddress { block: place, name: option };
        let width = width.map_or_else(|| program.param_width(&param), Ok);
        let ranges = width.and_then(|width| program.param_ranges(&param, width));
        ranges.map_err(|error| Error::of(ErrorKind::Address, error).in_front(&format!("“{address}”: ")))
    }

    /// Returns all values of the run between two steps, for [`Run::restore`] and [`RunOptions::resume`].
    pub fn checkpoint(&self) -> Vec<u8> {
        self.context.to_bytes(self.program())
    }

    /// Goes to a checkpoint of this simulation. Recorded values stay.
    ///
    /// # Errors
    /// If the bytes are no checkpoint of it.
    pub fn restore(&mut self, checkpoint: &[u8]) -> Result<(), Error> {
        self.context = Context::from_bytes(checkpoint, self.program())?;
        self.end = None;
        Ok(())
    }

    #[doc(hidden)]
    pub fn program(&self) -> &Arc<Program> {
        &self.compiled.program
    }

    /// The values at which the run began.
    #[doc(hidden)]
    pub fn first_context(&self) -> &Context {
        &self.begin
    }

    #[doc(hidden)]
    pub fn selected(&self) -> &[SelectedSignal] {
        &self.signals
    }

    #[doc(hidden)]
    pub fn take_columns(&mut self) -> Vec<Vec<f64>> {
        std::mem::take(&mut self.columns)
    }

    /// The reports of blocks, and how many more there were.
    #[doc(hidden)]
    pub fn events(&self) -> (&[AssertionEvent], u64) {
        (&self.events, self.left_out)
    }

    /// Returns the name of the engine, and why a faster one was not chosen.
    pub fn engine(&self) -> (&'static str, Option<&str>) {
        self.execute.as_ref().map_or(("", None), |execute| (execute.engine(), execute.reason()))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let mut idle = self.compiled.idle();
        if idle.len() >= MAX_IDLE {
            idle.remove(0);
        }
        let engine = std::mem::take(&mut self.engine);
        idle.extend(self.execute.take().map(|execute| (engine, execute)));
    }
}

fn prepare(engines: &Engines, options: &RunOptions, program: &Arc<Program>) -> Result<Box<dyn Execute>, Error> {
    let mut engines = engines.clone();
    if let Some(threads) = options.threads {
        engines.add(Arc::new(Threaded::limited(threads)));
    }
    let engine = engines.get(&options.engine).ok_or_else(|| {
        let known: Vec<&str> = engines.iter().map(Engine::name).collect();
        let text = format!("unknown engine “{}”; the engines are: {}", options.engine, known.join(", "));
        Error::new(ErrorKind::Engine, text)
    })?;
    Ok(engine.prepare(program)?)
}

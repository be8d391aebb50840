//! A sweep of a bundle, ready to compute any of its runs.

use std::cell::OnceCell;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;
use std::sync::Arc;

use super::bundle::{SentTables, SweepBundle, hash_of};
use super::work::PreparedWork;
use crate::block::{Ports, Registry, element_names};
use crate::calibration::CalibrationError;
use crate::engine::{
    Curve, CurveShape, DesignError, Engines, OverrideError, Points, RunSetup, Runs, Sweep, SweepFlow, Vary, VaryError,
};
use crate::format::{Formats, LoadError, LoadOptions, Loaded};
use crate::model::{Diagnostic, Document, EditError, SignalError, Simulation};

/// The blocks, formats and engines of a program.
#[derive(Clone)]
pub struct PoolParts {
    pub registry: Arc<Registry>,
    pub formats: Arc<Formats>,
    pub engines: Engines,
}

impl PoolParts {
    /// Opens the file of a bundle, given by its name and content.
    pub(super) fn opened(&self, (name, file): (&str, &[u8]), options: &LoadOptions) -> Result<Loaded, PrepareError> {
        let loaded = self.formats.parse(Path::new(name), file, options)?;
        match loaded.has_errors() {
            true => Err(PrepareError::Invalid(loaded.diagnostics.into_iter().filter(Diagnostic::is_error).collect())),
            false => Ok(loaded),
        }
    }
}

/// Returns the setup of a run with a step length and values of options.
pub(super) fn setup_with(document: Document, delta: Option<f64>, set: &[String]) -> Result<RunSetup, PrepareError> {
    let mut setup = RunSetup::of(&document);
    if let Some(delta) = delta {
        setup.set_delta(delta)?;
    }
    setup.set(set)?;
    Ok(setup)
}

/// The version of a program and of its blocks. Only programs with the same one compute for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    pub version: String,
    /// The fingerprint of the block library, 16 hexadecimal digits.
    pub library: String,
}

impl Build {
    pub fn of(registry: &Registry) -> Build {
        let blocks: Vec<String> = registry
            .iter()
            .map(|def| {
                let params: Vec<String> = def.params.iter().map(|param| format!("{param:?}")).collect();
                let ports = [&def.inputs, &def.outputs].map(ports_text);
                format!("{}/{} {} {ports:?} {params:?}", def.group, def.name, def.formula)
            })
            .collect();
        Build {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            library: start_of(&hash_of(blocks.join("\n").as_bytes())),
        }
    }

    /// Returns a name for subjects of the queue, which only equal builds share.
    pub fn build_key(&self) -> String {
        start_of(&hash_of(format!("{}\n{}", self.version, self.library).as_bytes()))
    }
}

impl std::fmt::Display for Build {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "version {} with block library {}", self.version, self.library)
    }
}

/// Functions have addresses, which differ from process to process.
fn ports_text(ports: &Ports) -> String {
    match ports {
        Ports::Fixed(names) => names.join(","),
        Ports::Counted { stem, param } => format!("{stem} by {param}"),
        Ports::By(_) => "by settings".to_owned(),
    }
}

fn start_of(hash: &str) -> String {
    hash.get(..16).unwrap_or_default().to_owned()
}

/// Why a worker cannot run a sweep: a sentence without a full stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("{}", .0.first().map_or("the simulation is invalid", |first| &first.message))]
    Invalid(Vec<Diagnostic>),
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error("--set {0}")]
    Override(#[from] OverrideError),
    #[error("--vary {0}")]
    Vary(#[from] VaryError),
    #[error("--signals: {0}")]
    Signal(#[from] SignalError),
    #[error("it has no engine “{0}”")]
    Engine(String),
    #[error("--design: {0}")]
    Design(#[from] DesignError),
    #[error("it has no design “{0}”")]
    UnknownDesign(String),
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    #[error("a measured curve names no signal")]
    Curve,
    #[error("a start has another number of values than the fit has parameters")]
    Start,
    #[error("it has too many runs")]
    TooMany,
}

/// A sweep that is ready.
pub struct PreparedSweep {
    sweep: Sweep,
    points: Points,
    runs: Runs,
    count: u64,
    columns: Vec<String>,
    shape: CurveShape,
    delta: f64,
    simulation: Arc<Simulation>,
    removed: Vec<String>,
}

impl PreparedSweep {
    /// Opens the file of a bundle and prepares its runs.
    ///
    /// # Errors
    /// If this program cannot run it.
    pub fn new(bundle: &SweepBundle, parts: &PoolParts) -> Result<PreparedSweep, PrepareError> {
        let head = &bundle.head;
        let options = LoadOptions { skip_invalid_models: head.skip_invalid_models };
        let loaded = parts.opened((&head.name, &bundle.file), &options)?;
        let engine = parts.engines.get(&head.engine).ok_or_else(|| PrepareError::Engine(head.engine.clone()))?;
        let registry = Arc::new(parts.registry.with_files(Arc::new(SentTables::of(head))));
        let removed = loaded.removed;
        let setup = setup_with(Document::new(loaded.simulation, registry), head.delta, &head.set)?;
        let program = Arc::new(setup.compile().map_err(PrepareError::Invalid)?);
        let varied = head.vary.iter().map(|text| Vary::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let design = head.design().ok_or_else(|| PrepareError::UnknownDesign(head.design.clone()))?;
        let runs = Runs { varied, draws: head.draws.max(1), seed: head.seed, design };
        runs.check()?;
        let count = runs.count().ok_or(PrepareError::TooMany)?;
        let names: Vec<&str> = head.signals.split(',').map(str::trim).collect();
        let signals = setup.signals(&names, &program, &OnceCell::new())?;
        let columns = signals.iter().flat_map(|signal| element_names(&signal.name, &signal.of)).collect();
        let delta = program.delta;
        let every = head.every.and_then(NonZeroU64::new);
        let widths = signals.iter().map(|signal| signal.of.width).collect();
        let shape = CurveShape { widths, steps: head.steps, every };
        let sweep = Sweep {
            engine: Arc::clone(engine),
            steps: head.steps,
            watch: signals.into_iter().map(|signal| signal.key).collect(),
            every,
            workers: NonZeroUsize::MIN,
            steps_together: Sweep::STEPS_TOGETHER,
        };
        let simulation = Arc::clone(setup.simulation());
        let points = Points::new(&runs, setup, &program)?;
        Ok(PreparedSweep { sweep, points, runs, count, columns, shape, delta, simulation, removed })
    }

    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    /// Returns the names of the elements of all signals, in the order of the values of curves.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Returns the simulation with the settings that apply to all runs.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Returns the model blocks that were removed when the file was loaded.
    pub fn removed(&self) -> &[String] {
        &self.removed
    }

    /// Returns the step length in seconds.
    pub fn delta(&self) -> f64 {
        self.delta
    }
}

impl PreparedWork for PreparedSweep {
    fn count(&self) -> u64 {
        self.count
    }

    fn shape(&self) -> &CurveShape {
        &self.shape
    }

    fn run(&self, runs: &[u64], take: &mut dyn FnMut(Curve) -> SweepFlow) {
        self.sweep.run(runs, &|run| self.points.ready(&self.runs.values(run)), take);
    }
}

//! Fits of parameters to measured curves in the window: data files, the curves of the simulation, and the fit itself, all on
//! background threads.
//!
//! | module | contents |
//! |---|---|
//! | `experiment` | the experiment of a fit, its simulated curves at evenly spread times, and messages of errors |
//! | `running` | a fit, in progress or finished |

mod experiment;
mod running;

use std::path::PathBuf;
use std::sync::Arc;

pub use self::experiment::{FitCurve, FitInput, SimulatedCurve};
pub use self::running::{FitSum, RunningFit};
use crate::app::store::latest::LatestWorker;
use crate::app::store::run::is_same;
use crate::block::{Cancel, DataTable};
use crate::model::Simulation;
use crate::results::{ReadTableError, read_table};

/// The data file, the simulated curves and the fit of the panel, computed on threads.
pub struct FitLab {
    tables: LatestWorker<PathBuf, Result<DataTable, ReadTableError>>,
    /// The file that is being read.
    reading: Option<PathBuf>,
    previews: LatestWorker<(FitInput, Cancel), Result<Vec<SimulatedCurve>, String>>,
    /// Ends the preview that is computed.
    cancel: Cancel,
    /// The input of the last preview.
    asked: Option<FitInput>,
    /// The curves with the values of the simulation, before any fit.
    pub preview: Option<Result<Vec<SimulatedCurve>, String>>,
    pub fit: Option<RunningFit>,
}

impl FitLab {
    pub fn new(wake: &Arc<dyn Fn() + Send + Sync>) -> FitLab {
        FitLab {
            tables: LatestWorker::new(Arc::clone(wake), |path: PathBuf, _| read_table(&path)),
            reading: None,
            previews: LatestWorker::new(Arc::clone(wake), |(input, cancel): (FitInput, Cancel), _| {
                input.simulated(&cancel).map_err(|error| experiment::text_of(&error))
            }),
            cancel: Cancel::new(),
            asked: None,
            preview: None,
            fit: None,
        }
    }

    /// Reads a data file.
    pub fn read(&mut self, path: PathBuf) {
        self.reading = Some(path.clone());
        self.tables.ask(path);
    }

    /// Returns the file that is being read.
    pub fn reading(&self) -> Option<&PathBuf> {
        self.reading.as_ref()
    }

    /// Returns the table that was read, once.
    pub fn poll_table(&mut self) -> Option<(PathBuf, Result<DataTable, ReadTableError>)> {
        let table = self.tables.poll()?;
        Some((self.reading.take()?, table))
    }

    /// Simulates the curves with the values of the simulation, unless that is done.
    pub fn preview(&mut self, input: FitInput) {
        if !self.asked.as_ref().is_some_and(|asked| asked.has_curves_of(&input)) {
            self.asked = Some(input.clone());
            self.cancel.cancel();
            self.cancel = Cancel::new();
            self.previews.ask((input, self.cancel.clone()));
        }
    }

    /// Forgets the curves of the simulation: there is nothing to compare them with.
    pub fn forget_preview(&mut self) {
        self.cancel.cancel();
        (self.asked, self.preview) = (None, None);
    }

    /// Starts a fit; `wake` is called when there is something new.
    pub fn begin(&mut self, input: FitInput, wake: impl Fn() + Send + 'static) {
        self.forget_preview();
        self.fit = Some(RunningFit::begin(input, wake));
    }

    /// Stops the fit, if there is one, and forgets it.
    pub fn forget_fit(&mut self) {
        self.fit = None;
    }

    pub fn is_fitting(&self) -> bool {
        self.fit.as_ref().is_some_and(RunningFit::is_going_on)
    }

    /// Takes results. A fit of a simulation that has changed ends, since its values would be those of another one.
    pub fn poll(&mut self, simulation: &Arc<Simulation>) {
        if let Some(preview) = self.previews.poll().filter(|_| self.asked.is_some()) {
            self.preview = Some(preview);
        }
        if let Some(fit) = &mut self.fit {
            fit.poll();
            fit.compare(simulation, is_same);
        }
    }
}

impl Drop for FitLab {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

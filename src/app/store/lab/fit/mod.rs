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
pub use self::running::RunningFit;
use crate::app::store::lab::preview::Preview;
use crate::app::store::latest::LatestWorker;
use crate::block::DataTable;
use crate::model::Simulation;
use crate::results::{ReadTableError, read_table};

/// The data file, the simulated curves and the fit of the panel, computed on threads.
pub struct FitLab {
    tables: LatestWorker<PathBuf, Result<DataTable, ReadTableError>>,
    /// The file that is being read.
    reading: Option<PathBuf>,
    /// The curves with the values of the simulation, before any fit.
    pub preview: Preview<FitInput, Vec<SimulatedCurve>>,
    pub fit: Option<RunningFit>,
}

impl FitLab {
    pub fn new(wake: &Arc<dyn Fn() + Send + Sync>) -> FitLab {
        FitLab {
            tables: LatestWorker::new(Arc::clone(wake), |path: PathBuf, _| read_table(&path)),
            reading: None,
            preview: Preview::new(wake, |input: &FitInput, cancel| {
                input.simulated(cancel).map_err(|error| experiment::text_of(&error))
            }),
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

    /// Starts a fit; `wake` is called when there is something new.
    pub fn begin(&mut self, input: FitInput, wake: impl Fn() + Send + 'static) {
        self.preview.forget();
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
        self.preview.poll();
        if let Some(fit) = &mut self.fit {
            fit.poll(simulation);
        }
    }
}

//! The state of a client: the simulations of its host, and the runs that it has made.

use std::collections::VecDeque;
use std::sync::Arc;

use super::error::RpcError;
use super::host::SimulationHost;
use crate::block::Registry;
use crate::components::Components;
use crate::model::near::did_you_mean;
use crate::model::{Diagnostic, Simulation};

/// The state of one client.
pub struct Session {
    pub host: Box<dyn SimulationHost>,
    pub components: Components,
    /// The functions that draw; `None` in a program without a window.
    pub artist: Option<Artist>,
    /// The problems of the state that the last change has made.
    pub checked: Option<CheckedState>,
    /// The name that the client has given itself.
    client: String,
    runs: VecDeque<KeptRun>,
    next_run: u64,
}

/// A state of a document with its problems.
#[derive(Clone, Debug)]
pub struct CheckedState {
    pub simulation: Arc<Simulation>,
    pub problems: Vec<Diagnostic>,
}

/// Draws pictures as .png files. This room knows no drawing itself.
#[derive(Clone, Copy)]
pub struct Artist {
    /// Draws the diagram of a model.
    pub diagram: DrawDiagram,
    /// Draws curves over time, with a title.
    pub plot: DrawPlot,
}

/// Draws the diagram of a model of a simulation.
pub type DrawDiagram = fn(&Arc<Simulation>, &Registry, &str) -> Result<Vec<u8>, String>;
/// Draws curves below a title.
pub type DrawPlot = fn(&[PlotCurve], &str) -> Result<Vec<u8>, String>;

/// A curve of a plot.
#[derive(Clone, Debug)]
pub struct PlotCurve {
    pub name: String,
    /// Time in seconds and value.
    pub points: Vec<(f64, f64)>,
}

/// A run that a client has made: the values of its recorded signals.
#[derive(Clone, Debug)]
pub struct KeptRun {
    /// Such as `run 3`.
    pub name: String,
    pub file: String,
    /// The values that were set for this run, as `PATH=VALUE`.
    pub set: Vec<String>,
    pub delta: f64,
    /// The times of the recorded steps in seconds.
    pub times: Vec<f64>,
    pub signals: Vec<KeptSignal>,
}

/// A recorded element of a signal.
#[derive(Clone, Debug)]
pub struct KeptSignal {
    /// The name of the signal, with the index of the element if it is a vector: `flow[1]`.
    pub name: String,
    pub values: Vec<f64>,
}

/// The maximum number of runs that are kept.
const MAX_RUNS: usize = 32;
/// The maximum number of values that all kept runs have, 8 bytes each.
const MAX_VALUES: usize = 50_000_000;

impl Session {
    pub fn new(host: Box<dyn SimulationHost>, components: Components, artist: Option<Artist>) -> Session {
        let client = "from outside".to_owned();
        Session { host, components, artist, checked: None, client, runs: VecDeque::new(), next_run: 1 }
    }

    /// Notes who the client is, for the labels of its changes.
    pub fn introduce(&mut self, client: &str) {
        /// A label has little room.
        const MOST: usize = 40;
        let name: String = client.chars().filter(|letter| !letter.is_control()).take(MOST).collect();
        if !name.trim().is_empty() {
            self.client = name.trim().to_owned();
        }
    }

    /// Returns who the client is.
    pub fn client(&self) -> &str {
        &self.client
    }

    /// Keeps a run, and returns the name that it gets. The oldest ones are dropped beyond a bound.
    pub fn keep(&mut self, mut run: KeptRun) -> String {
        run.name = format!("run {}", self.next_run);
        self.next_run += 1;
        let name = run.name.clone();
        self.runs.push_back(run);
        let values = |runs: &VecDeque<KeptRun>| runs.iter().map(KeptRun::size).sum::<usize>();
        while self.runs.len() > 1 && (self.runs.len() > MAX_RUNS || values(&self.runs) > MAX_VALUES) {
            self.runs.pop_front();
        }
        name
    }

    /// Returns a kept run; without a name the last one.
    ///
    /// # Errors
    /// If there is none.
    pub fn run(&self, name: Option<&str>) -> Result<&KeptRun, RpcError> {
        let found = match name {
            Some(name) => self.runs.iter().find(|run| run.name == name),
            None => self.runs.back(),
        };
        found.ok_or_else(|| match (name, self.runs.is_empty()) {
            (_, true) => RpcError::refused("there is no run yet: call “run” first"),
            (Some(name), false) => {
                let kept: Vec<&str> = self.runs.iter().map(|run| run.name.as_str()).collect();
                RpcError::refused(format!("there is no run “{name}”; those kept are: {}", kept.join(", ")))
            }
            (None, false) => RpcError::refused("there is no run"),
        })
    }
}

impl KeptRun {
    fn size(&self) -> usize {
        self.times.len() + self.signals.iter().map(|signal| signal.values.len()).sum::<usize>()
    }

    /// Returns a signal by its name.
    ///
    /// # Errors
    /// If the run has not recorded it.
    pub fn signal(&self, name: &str) -> Result<&KeptSignal, RpcError> {
        self.signals.iter().find(|signal| signal.name == name).ok_or_else(|| {
            let near = did_you_mean(name, self.signals.iter().map(|signal| signal.name.as_str()));
            RpcError::refused(format!("{} has not recorded “{name}”{near}", self.name))
        })
    }
}

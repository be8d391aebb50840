//! The request that starts a run.

use std::path::Path;
use std::sync::Arc;

use crate::app::store::speed::SpeedChoice;
use crate::block::Registry;
use crate::engine::{Engine, ParamChange};
use crate::model::{SignalKey, Simulation};

/// How far a run goes when it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartMode {
    Running,
    /// Pauses after this number of steps.
    Steps(u64),
    /// Runs until this number of steps is done.
    To(u64),
}

/// A simulation to run, and how.
pub struct StartRequest<'a> {
    pub simulation: &'a Arc<Simulation>,
    /// The file of the simulation.
    pub path: Option<&'a Path>,
    pub registry: &'a Arc<Registry>,
    pub watch: Vec<SignalKey>,
    /// `None`: nothing runs.
    pub engine: Option<Arc<dyn Engine>>,
    /// Whether the engine lets remote blocks run in workers.
    pub is_remote: bool,
    /// The thread limit of the engine.
    pub threads: Option<usize>,
    pub speed: SpeedChoice,
    pub begin: StartMode,
    /// Changes to apply at their steps.
    pub changes: Vec<ParamChange>,
}

//! What the window asks for when it starts a run.

use std::path::Path;
use std::sync::Arc;

use crate::app::settings::SpeedChoice;
use crate::block::Registry;
use crate::engine::{Engine, ParamChange};
use crate::model::{SignalKey, Simulation};

/// Whether a run starts at once, holds after its first steps, or before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartMode {
    Running,
    /// So many.
    Steps(u64),
    /// Up to where so many are done.
    To(u64),
}

/// What to run and how.
pub struct StartRequest<'a> {
    pub simulation: &'a Arc<Simulation>,
    /// The file that it was read from.
    pub path: Option<&'a Path>,
    pub registry: &'a Arc<Registry>,
    pub watch: Vec<SignalKey>,
    /// None: there is none, and nothing runs.
    pub engine: Option<Arc<dyn Engine>>,
    /// The limit of its threads.
    pub threads: Option<usize>,
    pub speed: SpeedChoice,
    pub begin: StartMode,
    /// Made when the run comes to their steps.
    pub changes: Vec<ParamChange>,
}

//! Runs the units of remote blocks in workers: other processes, on this computer or others.
//!
//! | module | what lives there |
//! |---|---|
//! | `placement`, `uses` | which instructions run where, and which locations read and write each cell |
//! | `plan`, `cut` | the step code with exchanges, as few in a step as the data flow allows |
//! | `message` | requests and answers as bytes |
//! | `service`, `code` | the worker: executes its instructions, after a while as machine code |
//! | `client`, `hook` | the run: updates workers, takes over their results, replaces lost workers |
//! | `exports` | the cells that each exchange brings back |
//!
//! The solver, events and error control stay here and see states and rates in cells, as always: a worker executes some
//! of the instructions of a step with the same operands, so that every solver gives the same bits. The connection
//! between is a [`RemoteSession`]; this module knows neither processes nor networks.

mod client;
mod code;
mod cut;
mod exports;
mod hook;
mod message;
mod placement;
mod plan;
mod service;
mod uses;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::hook::{Hook, SharedState};
pub use self::message::NoMessage;
use self::plan::Plan;
pub use self::service::RemoteService;
use super::program::execute::decline_iterations;
use super::program::remote_blocks::RemoteCost;
use super::step_code::Machine;
use super::{Context, Declined, Engine, Execute, Program, RunError, Samples};

/// The version of the messages between workers and runs.
pub const REMOTE_VERSION: u32 = message::VERSION;

/// Where remote blocks are computed.
pub trait RemoteWorkers: Debug + Send + Sync {
    /// Whether the pool of this name may be used.
    fn knows(&self, pool: &str) -> bool;

    /// Opens a session with a worker, which begins to prepare a remote block of a program, by number.
    ///
    /// # Errors
    /// If there is no worker.
    fn open(&self, program: &Arc<Program>, block: usize) -> Result<Box<dyn RemoteSession>, RemoteError>;

    /// How long a worker is looked for before a run ends.
    fn patience(&self) -> Duration;
}

/// A worker that prepares a block, and then answers requests in their order.
pub trait RemoteSession: Debug + Send {
    /// Waits up to `wait` until the block is prepared, and returns the fingerprint of the worker's [`RemoteService`];
    /// `None` if it is not prepared yet. Nothing is sent earlier.
    ///
    /// # Errors
    /// If the worker is lost, or cannot run the program.
    fn ready(&mut self, wait: Duration) -> Result<Option<u64>, RemoteError>;

    /// Sends a request to [`RemoteService::answer`].
    ///
    /// # Errors
    /// If the worker is lost.
    fn send(&mut self, request: &[u8]) -> Result<(), RemoteError>;

    /// Waits up to `wait` for the next answer; `None` if it has not arrived yet.
    ///
    /// # Errors
    /// If the worker is lost.
    fn receive(&mut self, wait: Duration) -> Result<Option<Vec<u8>>, RemoteError>;

    /// The name of the worker.
    fn worker(&self) -> String;
}

/// Why there is no session: a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// Another worker may be able to.
    #[error("{0}")]
    Lost(String),
    /// No worker can.
    #[error("{0}")]
    Refused(String),
}

/// Runs remote blocks in workers, and all else here.
#[derive(Clone, Debug)]
pub struct Remote(Arc<dyn RemoteWorkers>);

impl Remote {
    /// The engine's name.
    pub const NAME: &str = "remote";

    pub fn new(workers: Arc<dyn RemoteWorkers>) -> Remote {
        Remote(workers)
    }
}

impl Engine for Remote {
    fn name(&self) -> &'static str {
        Remote::NAME
    }

    fn doc(&self) -> &'static str {
        "Runs model blocks that name a pool in its workers, and all else here"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        decline_iterations(program, self.name())?;
        let declined = |reason: String| Declined { engine: Remote::NAME, reason };
        let plan = Plan::new(program).ok_or_else(|| declined("no model block names a pool".to_owned()))?;
        let blocks = program.remote.iter().flat_map(|remote| &remote.blocks);
        if let Some(block) = blocks.into_iter().find(|block| !self.0.knows(&block.pool)) {
            return Err(declined(format!("the pool “{}” is unknown here", block.pool)));
        }
        let plan = Arc::new(plan);
        let mut machine = Machine::of(program, Arc::clone(&plan.code));
        let shared = SharedState::default();
        machine.exchanges = Some(Box::new(Hook::new(plan, program, &self.0, shared.clone())));
        Ok(Box::new(RemoteRun { machine, shared, pace: Pace::default(), fetching: Duration::ZERO }))
    }
}

struct RemoteRun {
    machine: Machine,
    shared: SharedState,
    pace: Pace,
    /// The time that the last call spent on updating workers and fetching their values.
    fetching: Duration,
}

impl Execute for RemoteRun {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        let end = context.step.saturating_add(count);
        samples.go_on();
        {
            let mut shared = self.shared.lock();
            (shared.is_here, shared.is_lost) = (false, false);
            shared.watched = samples.watches().iter().map(|watch| watch.output.as_u32()).collect();
        }
        while context.step < end && samples.end().is_none() && !samples.is_cancelled() {
            let steps = self.pace.steps.min(end - context.step);
            let (begin, first) = (Instant::now(), context.step);
            let ran = self.machine.run(context, steps, samples, &mut Machine::steps);
            if let Err(error) = ran {
                // The run may continue here or with another worker, which is tried again if one was lost.
                if self.shared.lock().is_lost {
                    return Err(error);
                }
                // Fails as on any other engine.
                let mut machine = Machine::new(&self.machine.program);
                machine.cancel = samples.cancel();
                machine.run(context, 1, &mut Samples::default(), &mut Machine::steps)?;
                return Err(error);
            }
            let (kept, fetching) = {
                let mut shared = self.shared.lock();
                (shared.kept, std::mem::take(&mut shared.fetching))
            };
            self.fetching = fetching;
            self.pace.note(context.step - first, (begin.elapsed(), fetching), kept);
        }
        Ok(())
    }

    fn call_overhead(&self) -> Duration {
        self.fetching
    }

    fn engine(&self) -> &'static str {
        Remote::NAME
    }

    fn remote_costs(&self) -> Vec<RemoteCost> {
        let mut costs = self.shared.lock().costs.clone();
        costs.iter_mut().for_each(|cost| cost.steps = self.pace.done);
        costs
    }
}

/// How many steps run until all states are fetched, so that a lost worker costs little.
#[derive(Debug)]
struct Pace {
    steps: u64,
    /// The steps that are done.
    done: u64,
}

/// The time from one fetch of all states to the next, about.
const BETWEEN_FETCHES: Duration = Duration::from_millis(200);
/// The time is longer if fetching takes long: this many times the duration of a fetch.
const TIMES_FETCHING: u32 = 50;
/// The upper limit, which is also the time that a lost worker costs.
const MAX_BETWEEN_FETCHES: Duration = Duration::from_secs(5);
/// The most bytes of requests that are kept, about.
const MAX_KEPT: usize = 16 << 20;

impl Default for Pace {
    fn default() -> Pace {
        Pace { steps: 4, done: 0 }
    }
}

impl Pace {
    /// Notes how long steps took in total and for fetching values from workers, and the bytes that are kept.
    fn note(&mut self, steps: u64, (took, fetching): (Duration, Duration), kept: usize) {
        self.done += steps;
        if steps < self.steps {
            return;
        }
        let wanted = (fetching * TIMES_FETCHING).clamp(BETWEEN_FETCHES, MAX_BETWEEN_FETCHES);
        let is_short = took < wanted / 2 && kept < MAX_KEPT / 2;
        let is_long = took > wanted || kept > MAX_KEPT;
        self.steps = if is_long {
            (self.steps / 2).max(1)
        } else if is_short {
            self.steps * 2
        } else {
            self.steps
        };
    }
}

/// No workers: remote blocks run here.
#[derive(Clone, Copy, Debug)]
pub struct NoWorkers;

impl RemoteWorkers for NoWorkers {
    fn knows(&self, _: &str) -> bool {
        false
    }

    fn open(&self, _: &Arc<Program>, _: usize) -> Result<Box<dyn RemoteSession>, RemoteError> {
        Err(RemoteError::Refused("there are no workers".to_owned()))
    }

    fn patience(&self) -> Duration {
        Duration::ZERO
    }
}

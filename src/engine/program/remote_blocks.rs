//! Model blocks that run in workers: which they are, which units belong to them, and what they have cost.

use std::sync::Arc;
use std::time::Duration;

use crate::block::Registry;
use crate::engine::{UnitId, UnitMap};
use crate::model::{BlockId, Simulation};

/// A model block whose units run in a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteBlock {
    /// The name of the pool.
    pub pool: Arc<str>,
    /// The model blocks that lead to it, and its id.
    pub path: Vec<BlockId>,
    pub block: BlockId,
    /// Number of units that run in the worker.
    pub units: usize,
    /// One of its units, which errors name.
    pub(in crate::engine) unit: UnitId,
}

/// The remote blocks of a program, and the simulation that their workers compile.
#[derive(Clone, Debug)]
pub struct RemoteBlocks {
    pub blocks: Vec<RemoteBlock>,
    pub simulation: Arc<Simulation>,
    pub registry: Arc<Registry>,
    /// For each unit the number of its block, or `HERE`.
    pub locations: Arc<UnitMap<u32>>,
}

/// The location of units that run here.
pub const HERE: u32 = u32::MAX;

/// The costs of a remote block.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteCost {
    pub block: RemoteBlock,
    /// The worker that computes it, or the last one that did.
    pub worker: String,
    /// Steps, and exchanges in them for which the run has waited.
    pub steps: u64,
    pub exchanges: u64,
    /// Seconds from requests to answers, and those of them that the worker computed.
    pub waited: f64,
    pub computed: f64,
    /// Sent and received.
    pub bytes: u64,
    /// How many workers were lost.
    pub restarts: u64,
}

impl RemoteCost {
    pub fn new(block: RemoteBlock) -> RemoteCost {
        let worker = String::new();
        RemoteCost { block, worker, steps: 0, exchanges: 0, waited: 0.0, computed: 0.0, bytes: 0, restarts: 0 }
    }

    pub fn note(&mut self, whole: Duration, computed: Duration, bytes: usize) {
        self.exchanges += 1;
        self.waited += whole.as_secs_f64();
        self.computed += computed.as_secs_f64().min(whole.as_secs_f64());
        self.bytes += bytes as u64;
    }

    /// Exchanges a step.
    pub fn exchanges_per_step(&self) -> f64 {
        self.exchanges as f64 / self.steps.max(1) as f64
    }

    /// Seconds a step that it takes to reach the worker, and that the worker computes.
    pub fn seconds_per_step(&self) -> (f64, f64) {
        let steps = self.steps.max(1) as f64;
        ((self.waited - self.computed).max(0.0) / steps, self.computed / steps)
    }
}

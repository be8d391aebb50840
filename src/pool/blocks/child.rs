//! Remote blocks in processes of this computer, on pipes: for tests, and to measure the minimum cost of an exchange.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::super::message::PoolMessage as _;
use super::bundle::BlockBundle;
use super::session::{BlockLink, BlockSession};
use crate::engine::{Program, RemoteError, RemoteSession, RemoteWorkers};
use crate::format::Formats;
use crate::worker::{Frame, MAX_FRAME, ProcessError, ProcessLimits, WorkerProcess};

/// The program whose child process computes a block, and the limits of the child.
#[derive(Clone, Debug)]
pub struct BlockProcessOptions {
    pub program: PathBuf,
    /// The arguments that make it such a child.
    pub args: Vec<String>,
    /// The size of the address space of a child, in bytes.
    pub memory: u64,
}

impl BlockProcessOptions {
    /// Starts a child.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(in super::super) fn start(&self) -> Result<WorkerProcess, ProcessError> {
        /// The longest time for a frame to be read or written once it has begun.
        const CALL: Duration = Duration::from_secs(30);
        let limits = ProcessLimits { call: CALL, memory: self.memory };
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        WorkerProcess::start_as(&self.program, &args, limits)
    }
}

/// Workers that are children of this process, one for each remote block.
#[derive(Debug)]
pub struct ChildWorkers {
    options: BlockProcessOptions,
    formats: Arc<Formats>,
    patience: Duration,
    /// The numbers of the processes that were started.
    started: Mutex<Vec<u32>>,
}

impl ChildWorkers {
    pub fn new(options: BlockProcessOptions, formats: Arc<Formats>, patience: Duration) -> ChildWorkers {
        ChildWorkers { options, formats, patience, started: Mutex::default() }
    }

    /// Returns the numbers of the processes that were started so far.
    pub fn started(&self) -> Vec<u32> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl RemoteWorkers for ChildWorkers {
    fn knows(&self, _: &str) -> bool {
        true
    }

    fn open(&self, program: &Arc<Program>, block: usize) -> Result<Box<dyn RemoteSession>, RemoteError> {
        let bundle = BlockBundle::of(program, block, &self.formats)?;
        let process = self.options.start().map_err(|error| lost(&error))?;
        self.started.lock().unwrap_or_else(PoisonError::into_inner).push(process.id());
        Ok(Box::new(BlockSession::begin(ChildLink(process), Some(&bundle.to_bytes()))?))
    }

    fn patience(&self) -> Duration {
        self.patience
    }
}

#[derive(Debug)]
pub(in super::super) struct ChildLink(pub WorkerProcess);

fn lost(error: &ProcessError) -> RemoteError {
    RemoteError::Lost(format!("the process of the worker is lost: {error}"))
}

impl BlockLink for ChildLink {
    fn send(&mut self, kind: u8, content: &[u8]) -> Result<(), RemoteError> {
        let frame = Frame { kind, content: content.to_vec() };
        self.0.send_frame(&frame, None).map_err(|error| lost(&error))
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<Frame>, RemoteError> {
        if !self.0.has_frame(wait).map_err(|error| lost(&error))? {
            return Ok(None);
        }
        let frame = self.0.receive_frame(MAX_FRAME, None).map_err(|error| lost(&error))?;
        Ok(Some(frame.clone()))
    }

    fn name(&self) -> String {
        format!("process {}", self.0.id())
    }
}

//! Why something with a pool fails.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use super::super::chunk_runner::ChunkRunnerError;
use super::super::message::PoolMessageError;
use super::super::options::PoolOptionsError;
use super::super::prepared::{Build, PrepareError};

/// Why something with a pool fails: a sentence without a full stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    #[error(transparent)]
    Options(#[from] PoolOptionsError),
    #[error("the file cannot be read: {1}: {0}")]
    File(PathBuf, io::Error),
    #[error("no server of the pool can be reached at {0}: {1}")]
    Unreachable(String, Box<dyn Error + Send + Sync>),
    #[error("the pool at {0} refuses these credentials: {1}")]
    Credentials(String, Box<dyn Error + Send + Sync>),
    /// The operation that was tried, and the error of the NATS client.
    #[error("the pool cannot {0}: {1}")]
    Queue(&'static str, Box<dyn Error + Send + Sync>),
    #[error("the pool did not answer within {1} s when it was to {0}")]
    Late(&'static str, u64),
    #[error("the model and its tables have {0} bytes; a pool takes at most {1}")]
    TooLong(usize, usize),
    #[error("a pool cannot run this: {0}")]
    Prepare(#[from] PrepareError),
    #[error(transparent)]
    ChunkRunner(#[from] ChunkRunnerError),
    #[error(transparent)]
    Message(#[from] PoolMessageError),
    #[error("the results cannot be stored: {0}")]
    Store(#[from] io::Error),
    #[error(
        "run {run} came twice with different bits, now from worker {worker}: one of the computers that computed it is \
         broken, or runs another program under the same version"
    )]
    Differs { run: u64, worker: String },
    #[error(
        "run {run} of worker {worker} has other signals or steps than the sweep has: the worker is broken, or the values \
         that are varied change the number of elements of a signal"
    )]
    Shape { run: u64, worker: String },
    #[error(
        "the pool says that the sweep {sweep} has {found} runs, but its model has {expected}: cancel it and submit it again"
    )]
    Runs { sweep: String, found: u64, expected: u64 },
    #[error("the pool has no sweep {0}; simulate sweep --list --pool … lists those that it has")]
    NoSweep(String),
    #[error("{0} is a fit: the command that began it collects its results")]
    Fit(String),
    #[error("the sweep {sweep} is of {theirs}, this program of {ours}")]
    OtherBuild { sweep: String, theirs: Build, ours: Build },
    #[error(
        "no worker of the pool can run the sweep: {worker}: {reason}. The pool keeps the sweep: start a worker that can, and \
         the same command again"
    )]
    Unable { worker: String, reason: String },
    #[error("the connection to {0} is lost")]
    Lost(String),
    #[error("the sweep {0} was cancelled")]
    Cancelled(String),
}

impl PoolError {
    pub(super) fn queue(what: &'static str, error: impl Into<Box<dyn Error + Send + Sync>>) -> PoolError {
        PoolError::Queue(what, error.into())
    }
}

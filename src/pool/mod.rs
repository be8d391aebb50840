//! Sweeps and fits on the workers of a pool: other processes, on this computer or others, that compute runs.
//!
//! | module | what lives there |
//! |---|---|
//! | [`message`] | the messages between workers and submitters, and their bytes |
//! | `blocks` | model blocks in workers: the model on its way, the process that computes, the session |
//! | `bundle` | a sweep as it is sent: the file, the values, the tables that blocks read |
//! | `prepared` | a sweep of a bundle, ready to compute any of its runs |
//! | `fit` | fits with many starts: each start is a run |
//! | `work` | the work of a worker, a sweep or a fit |
//! | `child` | the process that computes runs for a worker, on pipes |
//! | `chunk_runner` | computes chunks in such a process, even if they crash it |
//! | `journal` | the finished runs of a sweep on the disk of its submitter |
//! | `options` | the addresses of a pool, credentials, times |
//! | `nats` | the pool itself: connection, worker and submitter, over NATS (feature `pool`) |
//!
//! The queue transports results; it is never the only copy. A result is a function of the model and the number of the
//! run. The journal of the submitter is authoritative: runs that are missing there are requested again, and results
//! that arrive twice must have equal bits. Only `nats` knows how messages are transported; this layer knows no window
//! and no command line.

#[cfg(feature = "pool")]
mod blocks;
mod bundle;
mod child;
mod chunk_runner;
mod fit;
mod journal;
pub mod message;
#[cfg(feature = "pool")]
mod nats;
mod options;
mod prepared;
mod work;

#[cfg(feature = "pool")]
pub use blocks::{
    BlockBundle, BlockHead, BlockOpen, BlockOpened, BlockProcessOptions, ChildWorkers, FrameJoiner, parts_of,
    serve_block,
};
pub use bundle::{BundleHead, MAX_BUNDLE, SentTable, SweepBundle, TableRecorder, hash_of};
pub use child::serve_runs;
pub use chunk_runner::{ChunkFlow, ChunkModel, ChunkRunner, ChunkRunnerError, ChunkRunnerOptions, TRIES};
pub use fit::{FitBundle, FitHead, PreparedFit, SentExperiment, StartResult};
pub use journal::{IdentityDifference, JournalError, SweepIdentity, SweepJournal};
pub use options::{Anonymous, PoolOptions, PoolOptionsError, PoolTimes, host_name};
pub use prepared::{Build, PoolParts, PrepareError, PreparedSweep};
pub use work::PreparedWork;

#[cfg(feature = "pool")]
pub use nats::{
    Collected, LinkNews, PoolError, PoolEvent, PoolListing, PoolSweep, PoolWorkers, Stored, SweepStore, WorkerNews,
    WorkerOptions, cancel, collect, detach, entry, list, watch, work,
};

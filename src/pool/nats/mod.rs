//! The pool over NATS with JetStream: connection, worker and submitter.
//!
//! | module | what lives there |
//! |---|---|
//! | `link` | the connection: streams, subjects, objects, and patience |
//! | `worker` | takes chunks, has them computed, stores the results |
//! | `slot` | one chunk at a time of a worker |
//! | `submitter` | hands out a sweep, collects its results, asks again for what is missing |
//! | `listing` | lists and cancels sweeps |
//! | `error` | why any of this fails |
//!
//! The only module with a runtime for asynchronous code, of one thread, which lives as long as each call from outside.
//!
//! A chunk is acknowledged after its results are stored in the stream of results, and a result after the submitter has
//! it on its disk. Two streams (chunks of runs, results), a list of sweeps and a store of models are kept by the server;
//! each may vanish at any time and costs repeated work, never a result.

mod block_client;
mod block_message;
mod block_worker;
mod error;
mod link;
mod listing;
mod slot;
mod submitter;
mod worker;

use std::io;

use tokio::runtime::{Builder, Runtime};

pub use block_client::PoolWorkers;
pub use block_message::{BlockOpen, BlockOpened};
pub use error::PoolError;
pub use link::LinkNews;
pub use listing::{PoolListing, cancel, entry, list};
pub use submitter::{PoolEvent, PoolSweep, Stored, SweepStore, collect, detach};
pub use worker::{WorkerNews, WorkerOptions, work};

/// Returns a runtime of one thread.
fn runtime() -> Result<Runtime, PoolError> {
    Builder::new_current_thread().enable_all().build().map_err(|error: io::Error| PoolError::Store(error))
}

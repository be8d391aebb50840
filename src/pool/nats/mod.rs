//! The pool over NATS with JetStream: connection, worker and submitter.
//!
//! | module | what lives there |
//! |---|---|
//! | `link` | the connection, and retries |
//! | `streams`, `queues`, `stores` | the parts of a pool; chunks and results; the list of sweeps and the models |
//! | `worker` | takes chunks, has them computed, stores the results |
//! | `slot` | one chunk at a time of a worker |
//! | `submitter` | hands out a sweep, and collects its results |
//! | `collector` | the loop of the submitter: stores results, reads messages of workers, requests missing runs again |
//! | `listing` | lists, watches and cancels sweeps |
//! | `block_client`, `block_worker`, `block_message` | remote blocks: the run, the worker, how they find each other |
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
mod collector;
mod error;
mod link;
mod listing;
mod queues;
mod slot;
mod stores;
mod streams;
mod submitter;
mod worker;

use std::future::Future;
use std::io;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::time::sleep;

use crate::block::Cancel;
use crate::threads;

pub use block_client::PoolWorkers;
pub use error::PoolError;
pub use link::LinkNews;
pub use listing::{PoolListing, cancel, entry, list, watch};
pub use submitter::{Collected, PoolEvent, PoolSweep, Stored, SweepStore, collect, detach};
pub use worker::{WorkerNews, WorkerOptions, work};

/// Runs asynchronous code on a single-threaded runtime. Pending name lookups of the platform are not awaited.
fn block_on<T>(work: impl Future<Output = Result<T, PoolError>>) -> Result<T, PoolError> {
    let runtime = Builder::new_current_thread().enable_all().thread_stack_size(threads::STACK).build();
    let runtime = runtime.map_err(|error: io::Error| PoolError::Store(error))?;
    let done = runtime.block_on(work);
    runtime.shutdown_background();
    done
}

/// Waits until something is to end.
async fn stopped(stop: &Cancel) {
    while !stop.is_cancelled() {
        sleep(Duration::from_millis(50)).await;
    }
}

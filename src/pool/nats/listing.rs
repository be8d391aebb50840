//! Lists the sweeps and workers of a pool, and cancels sweeps.

use std::collections::BTreeMap;

use futures_util::StreamExt as _;
use tokio::time::{Instant, timeout_at};

use super::super::bundle::{MAX_BUNDLE, SweepBundle, hash_of};
use super::super::message::{PoolMessage as _, SweepEntry, WorkerGreeting};
use super::super::options::{PoolOptions, PoolTimes};
use super::super::prepared::Build;
use super::error::PoolError;
use super::link::{CANCELS, GREETINGS, Link};
use super::runtime;
use super::submitter::PoolSweep;
use super::worker::GREETING;

/// What a pool has.
#[derive(Clone, Debug, Default)]
pub struct PoolListing {
    /// The sweeps, each with the number of its chunks that are queued or being computed.
    pub sweeps: Vec<(SweepEntry, usize)>,
    pub workers: Vec<WorkerGreeting>,
}

async fn connect(options: &PoolOptions) -> Result<Link, PoolError> {
    let link = Link::connect(options, PoolTimes::of_environment(), |_| {}).await?;
    link.prepare().await?;
    Ok(link)
}

fn build_of(entry: &SweepEntry) -> Build {
    Build { version: entry.version.clone(), library: entry.library.clone() }
}

/// Lists the sweeps of a pool, and the workers that introduce themselves within some seconds.
///
/// # Errors
/// If the pool cannot be asked.
pub fn list(options: &PoolOptions) -> Result<PoolListing, PoolError> {
    runtime()?.block_on(async {
        let link = connect(options).await?;
        let greetings = link.client.subscribe(GREETINGS).await;
        let mut greetings = greetings.map_err(|error| PoolError::queue("listen", error))?;
        let end = Instant::now() + GREETING + GREETING / 4;
        let mut sweeps = Vec::new();
        for entry in link.entries().await? {
            let queued = link.queued(&build_of(&entry).build_key(), &entry.sweep).await.unwrap_or_default();
            sweeps.push((entry, queued));
        }
        let mut workers = BTreeMap::new();
        while let Ok(Some(message)) = timeout_at(end, greetings.next()).await {
            let Ok(greeting) = WorkerGreeting::of_bytes(&message.payload) else { continue };
            if greeting.is_leaving {
                workers.remove(&greeting.worker);
            } else {
                workers.insert(greeting.worker.clone(), greeting);
            }
        }
        Ok(PoolListing { sweeps, workers: workers.into_values().collect() })
    })
}

/// Ends a sweep: its chunks and results are removed from the pool, and workers stop computing its runs.
///
/// # Errors
/// If the pool does not have it or cannot be asked.
pub fn cancel(options: &PoolOptions, sweep: &str) -> Result<(), PoolError> {
    runtime()?.block_on(async {
        let link = connect(options).await?;
        let entry = link.entry(sweep).await?.ok_or_else(|| PoolError::NoSweep(sweep.to_owned()))?;
        let build_key = build_of(&entry).build_key();
        link.remove(&build_key, &entry).await?;
        let told = link.client.publish(CANCELS, entry.sweep.clone().into()).await;
        told.map_err(|error| PoolError::queue("tell the workers", error))?;
        link.client.flush().await.map_err(|error| PoolError::queue("tell the workers", error))?;
        // A worker may have split a chunk meanwhile.
        link.purge_chunks(&build_key, &entry.sweep).await;
        Ok(())
    })
}

/// Returns a sweep of the pool, to go on with it.
///
/// # Errors
/// If the pool does not have it or cannot be asked.
pub fn entry(options: &PoolOptions, sweep: &str) -> Result<(PoolSweep, SweepBundle), PoolError> {
    runtime()?.block_on(async {
        let link = connect(options).await?;
        let entry = link.entry(sweep).await?.ok_or_else(|| PoolError::NoSweep(sweep.to_owned()))?;
        let bytes = link.object(&entry.model, MAX_BUNDLE + 1).await?;
        if hash_of(&bytes) != entry.model {
            return Err(PoolError::queue("give a model", "what it has under the model's hash is something else"));
        }
        let bundle = SweepBundle::of_bytes(&bytes)?;
        Ok((PoolSweep { entry, bundle: bytes }, bundle))
    })
}

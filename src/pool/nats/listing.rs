//! Lists the sweeps and workers of a pool, and cancels sweeps.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::Subscriber;
use futures_util::StreamExt as _;
use tokio::time::{Instant, sleep, timeout_at};

use super::super::bundle::{MAX_BUNDLE, SweepBundle};
use super::super::message::{PoolMessage as _, SweepEntry, WorkerGreeting};
use super::super::options::{PoolOptions, PoolTimes};
use super::super::prepared::Build;
use super::super::work::WorkBundle;
use super::error::PoolError;
use super::link::{CANCELS, GREETINGS, Link};
use super::worker::GREETING;
use super::{block_on, stopped};
use crate::block::Cancel;

/// The contents of a pool.
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
    block_on(async {
        let link = connect(options).await?;
        let mut greetings = listen(&link).await?;
        let end = Instant::now() + GREETING + GREETING / 4;
        let sweeps = sweeps(&link).await?;
        let mut workers = BTreeMap::new();
        hear(&mut greetings, end, &mut workers).await;
        let workers = workers.into_values().map(|(_, greeting)| greeting).collect();
        Ok(PoolListing { sweeps, workers })
    })
}

/// Lists the sweeps and workers of a pool every few seconds until it is stopped, or why the pool cannot be asked; then it
/// connects again.
///
/// # Errors
/// If this computer cannot do that.
pub fn watch(
    options: &PoolOptions,
    stop: &Cancel,
    mut tell: impl FnMut(Result<PoolListing, PoolError>),
) -> Result<(), PoolError> {
    let watched = async {
        loop {
            if let Err(error) = follow(options, &mut tell).await {
                tell(Err(error));
            }
            sleep(AGAIN).await;
        }
    };
    block_on(async {
        tokio::select! {
            () = watched => {}
            () = stopped(stop) => {}
        }
        Ok(())
    })
}

/// After how long a pool that did not answer is asked again.
const AGAIN: Duration = Duration::from_secs(4);

/// Lists sweeps and workers until that fails.
async fn follow(options: &PoolOptions, tell: &mut impl FnMut(Result<PoolListing, PoolError>)) -> Result<(), PoolError> {
    let link = Link::connect(options, PoolTimes::of_environment(), |_| {}).await?;
    link.prepare_within(Duration::from_secs(3)).await?;
    let mut greetings = listen(&link).await?;
    let mut known = BTreeMap::new();
    let mut end = Instant::now() + GREETING + GREETING / 4;
    loop {
        hear(&mut greetings, end, &mut known).await;
        known.retain(|_, (heard, _): &mut (Instant, _)| heard.elapsed() < GREETING * 4);
        link.check()?;
        let workers = known.values().map(|(_, greeting)| greeting.clone()).collect();
        tell(Ok(PoolListing { sweeps: sweeps(&link).await?, workers }));
        end = Instant::now() + GREETING / 2;
    }
}

async fn listen(link: &Link) -> Result<Subscriber, PoolError> {
    link.client.subscribe(GREETINGS).await.map_err(|error| PoolError::queue("listen", error))
}

async fn sweeps(link: &Link) -> Result<Vec<(SweepEntry, usize)>, PoolError> {
    let mut sweeps = Vec::new();
    for entry in link.entries().await? {
        let queued = link.queued(&build_of(&entry).build_key(), &entry.sweep).await.unwrap_or_default();
        sweeps.push((entry, queued));
    }
    Ok(sweeps)
}

/// Hears workers until a time. Each is kept with the time when it was heard last.
async fn hear(greetings: &mut Subscriber, end: Instant, workers: &mut BTreeMap<String, (Instant, WorkerGreeting)>) {
    loop {
        match timeout_at(end, greetings.next()).await {
            Ok(Some(message)) => {
                let Ok(greeting) = WorkerGreeting::of_bytes(&message.payload) else { continue };
                if greeting.is_leaving {
                    workers.remove(&greeting.worker);
                } else {
                    workers.insert(greeting.worker.clone(), (Instant::now(), greeting));
                }
            }
            // The connection is closed.
            Ok(None) => return tokio::time::sleep_until(end).await,
            Err(_) => return,
        }
    }
}

/// Ends a sweep: its chunks and results are removed from the pool, and workers stop computing its runs.
///
/// # Errors
/// If the pool does not have it or cannot be asked.
pub fn cancel(options: &PoolOptions, sweep: &str) -> Result<(), PoolError> {
    block_on(async {
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

/// Returns the pool's entry for a sweep, and its bundle with the bytes, to continue it: [`super::PoolSweep::known`]
/// makes a sweep of them.
///
/// # Errors
/// If the pool does not have it or cannot be asked.
pub fn entry(options: &PoolOptions, sweep: &str) -> Result<(SweepEntry, SweepBundle, Vec<u8>), PoolError> {
    block_on(async {
        let link = connect(options).await?;
        let entry = link.entry(sweep).await?.ok_or_else(|| PoolError::NoSweep(sweep.to_owned()))?;
        let bytes = link.object(&entry.model, MAX_BUNDLE).await?;
        let bundle = match WorkBundle::of_bytes(&bytes)? {
            WorkBundle::Sweep(bundle) => bundle,
            WorkBundle::Fit(_) => return Err(PoolError::Fit(sweep.to_owned())),
        };
        Ok((entry, bundle, bytes))
    })
}

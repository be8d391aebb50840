//! The worker: takes chunks from the pool until it is told to end.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use tokio::time::{interval, sleep};

use super::super::blocks::BlockProcessOptions;
use super::super::chunk_runner::{ChunkRunner, ChunkRunnerOptions};
use super::super::message::{PoolMessage as _, WorkerGreeting, is_id};
use super::super::options::{PoolOptions, PoolTimes, host_name};
use super::super::prepared::Build;
use super::block_on;
use super::block_worker::serve_blocks;
use super::error::PoolError;
use super::link::{CANCELS, GREETINGS, Link, LinkNews};
use super::slot::{Shared, locked};

/// How often a worker introduces itself.
pub(super) const GREETING: Duration = Duration::from_secs(2);
/// How long a worker that is to end may continue the runs that it is computing.
const GRACE: Duration = Duration::from_secs(5);

/// The number of waits without result after which a worker checks whether it waits for the right consumer.
const LOOK: u32 = 2;

#[derive(Clone, Debug)]
pub struct WorkerOptions {
    pub pool: PoolOptions,
    pub build: Build,
    /// How many chunks are computed at a time.
    pub threads: NonZeroUsize,
    pub runner: ChunkRunnerOptions,
    /// The process of a model block.
    pub block: BlockProcessOptions,
}

/// An event of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerNews {
    /// It serves the pool, under this name.
    Joined(String),
    Link(LinkNews),
    /// The pool has a sweep of another build, which this worker does not take.
    OtherBuild {
        sweep: String,
        build: Build,
    },
    Problem(String),
    /// It ends, after this number of runs.
    Left(u64),
}

/// Serves a pool until the process is told to end (SIGTERM, Ctrl-C). Chunks that are being computed are finished or
/// handed back. A pool that cannot be reached is tried again and again.
///
/// # Errors
/// If the options or the credentials are refused.
pub fn work(
    options: WorkerOptions,
    news: impl Fn(WorkerNews) + Clone + Send + Sync + 'static,
) -> Result<(), PoolError> {
    block_on(async {
        let ended = tokio::spawn(end_signal());
        let times = PoolTimes::of_environment();
        let mut pause = Duration::from_millis(500);
        let mut was_told = false;
        let link = loop {
            let tell = {
                let news = news.clone();
                move |link| news(WorkerNews::Link(link))
            };
            match Link::connect(&options.pool, times, tell).await {
                Ok(link) => break link,
                Err(error @ PoolError::Unreachable(..)) => {
                    if !was_told {
                        news(WorkerNews::Problem(format!("{error}; trying again")));
                        was_told = true;
                    }
                    sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_secs(10));
                    if ended.is_finished() {
                        return Ok(());
                    }
                }
                Err(error) => return Err(error),
            }
        };
        while let Err(error) = link.prepare().await {
            news(WorkerNews::Problem(format!("{error}; trying again")));
            if ended.is_finished() {
                return Ok(());
            }
        }
        let shared = Arc::new(Shared {
            link,
            build_key: options.build.build_key(),
            name: format!("{}/{}", host_name(), std::process::id()),
            is_ending: AtomicBool::new(false),
            runs: AtomicU64::new(0),
            runner: options.runner.clone(),
            news: Box::new(news),
            current: Mutex::default(),
            cancelled: Mutex::default(),
            models: Mutex::default(),
            unable: Mutex::default(),
            passed_on: AtomicU64::new(0),
        });
        (shared.news)(WorkerNews::Joined(shared.name.clone()));
        let background = [
            tokio::spawn(greet(Arc::clone(&shared), options.clone())),
            tokio::spawn(hear_cancels(Arc::clone(&shared))),
            tokio::spawn(serve_blocks(Arc::clone(&shared), options.block.clone())),
            tokio::spawn(tell_other_builds(Arc::clone(&shared), options.build.clone())),
        ];
        let slots = (0..options.threads.get()).map(|slot| serve(Arc::clone(&shared), slot));
        let slots = tokio::spawn(join_all(slots.collect::<Vec<_>>()));
        let ending = tokio::spawn({
            let shared = Arc::clone(&shared);
            async move {
                let _ = ended.await;
                shared.is_ending.store(true, Ordering::Relaxed);
                sleep(GRACE).await;
                locked(&shared.current).values().for_each(|(_, cancel)| cancel.cancel());
            }
        });
        // A panic in a slot ends the others too: the worker is started again by whoever started it.
        let _ = slots.await;
        ending.abort();
        background.iter().for_each(|task| task.abort());
        let farewell = WorkerGreeting { is_leaving: true, ..greeting(&shared, &options) };
        let _ = shared.link.client.publish(GREETINGS, farewell.to_bytes().into()).await;
        let _ = shared.link.client.flush().await;
        (shared.news)(WorkerNews::Left(shared.runs.load(Ordering::Relaxed)));
        Ok(())
    })
}

/// Waits until the process is told to end.
#[cfg(unix)]
async fn end_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
}

#[cfg(not(unix))]
async fn end_signal() {
    let _ = tokio::signal::ctrl_c().await;
}

/// Takes one chunk after the other.
async fn serve(shared: Arc<Shared>, slot: usize) {
    let mut runner = ChunkRunner::new(shared.runner.clone());
    let mut consumer: Option<PullConsumer> = None;
    let (mut was_told, mut empty) = (false, 0);
    while !shared.is_ending() {
        let found = match consumer.take() {
            Some(found) => Ok(found),
            None => shared.link.chunks(&shared.build_key).await,
        };
        let next = match found {
            Ok(found) => match Link::next(&found, 1, GREETING).await {
                Ok(mut batch) => {
                    let next = batch.next().await;
                    // One that no longer exists is made again.
                    if !matches!(next, Some(Err(_))) {
                        consumer = Some(found);
                    }
                    next
                }
                Err(error) => Some(Err(error.into())),
            },
            Err(error) => Some(Err(error.into())),
        };
        match next {
            Some(Ok(message)) if shared.is_ending() => {
                // If this is lost, the chunk comes to another worker later.
                let _ = message.ack_with(AckKind::Nak(None)).await;
            }
            Some(Ok(message)) => {
                (was_told, empty) = (false, 0);
                runner = shared.take(slot, message, runner).await;
            }
            Some(Err(error)) => {
                if !was_told {
                    (shared.news)(WorkerNews::Problem(format!("no chunks: {error}; trying again")));
                    was_told = true;
                }
                sleep(Duration::from_millis(500)).await;
            }
            None => {
                empty += 1;
                if empty % LOOK == 0
                    && let Some(found) = &consumer
                    && !Link::exists(found).await
                {
                    consumer = None;
                }
            }
        }
    }
}

fn greeting(shared: &Shared, options: &WorkerOptions) -> WorkerGreeting {
    let current = locked(&shared.current);
    let busy = u32::try_from(current.len()).unwrap_or(u32::MAX);
    let sweeps: BTreeSet<String> = current.values().map(|(sweep, _)| sweep.clone()).collect();
    drop(current);
    WorkerGreeting {
        worker: shared.name.clone(),
        version: options.build.version.clone(),
        library: options.build.library.clone(),
        threads: u32::try_from(options.threads.get()).unwrap_or(u32::MAX),
        sweeps: sweeps.into_iter().collect(),
        runs: shared.runs.load(Ordering::Relaxed),
        is_leaving: shared.is_ending(),
        busy,
    }
}

async fn greet(shared: Arc<Shared>, options: WorkerOptions) {
    let mut ticks = interval(GREETING);
    loop {
        ticks.tick().await;
        let bytes = greeting(&shared, &options).to_bytes();
        // The next one follows soon.
        let _ = shared.link.client.publish(GREETINGS, bytes.into()).await;
    }
}

/// Stops computing runs of sweeps that are cancelled.
async fn hear_cancels(shared: Arc<Shared>) {
    loop {
        let Ok(mut cancels) = shared.link.client.subscribe(CANCELS).await else {
            sleep(GREETING).await;
            continue;
        };
        while let Some(message) = cancels.next().await {
            let Ok(sweep) = std::str::from_utf8(&message.payload) else { continue };
            if !is_id(sweep) {
                continue;
            }
            locked(&shared.cancelled).insert(sweep.to_owned());
            let current = locked(&shared.current);
            current.values().filter(|(id, _)| id == sweep).for_each(|(_, cancel)| cancel.cancel());
        }
    }
}

/// Reports the sweeps of other builds, once each.
async fn tell_other_builds(shared: Arc<Shared>, build: Build) {
    let mut told = BTreeMap::new();
    let mut ticks = interval(Duration::from_secs(10));
    loop {
        ticks.tick().await;
        for entry in shared.link.entries().await.unwrap_or_default() {
            let theirs = Build { version: entry.version, library: entry.library };
            if theirs != build && told.insert(entry.sweep.clone(), ()).is_none() {
                (shared.news)(WorkerNews::OtherBuild { sweep: entry.sweep, build: theirs });
            }
        }
    }
}

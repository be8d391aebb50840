//! The submitter: hands out a sweep, and collects its results until all runs are there.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use super::super::bundle::{MAX_BUNDLE, hash_of};
use super::super::message::{MAX_RANGES, RunRange, SweepChunk, SweepEntry, WorkerGreeting};
use super::super::options::{PoolOptions, PoolTimes, host_name};
use super::super::prepared::Build;
use super::super::work::PreparedWork;
use super::collector::{Collector, Heard};
use super::error::PoolError;
use super::link::{Link, LinkNews};
use super::queues::result_subject;
use super::streams::RESULTS;
use super::{block_on, stopped};
use crate::block::Cancel;
use crate::engine::{Curve, CurveShape};

/// The number of first chunks of a sweep; workers split them into chunks that take a few seconds.
const FIRST_CHUNKS: u64 = 64;

/// Where results go, and the truth about which runs are done.
pub trait SweepStore {
    fn is_done(&self, run: u64) -> bool;

    /// Returns the number of runs that are done.
    fn done(&self) -> u64;

    /// Stores a curve, or compares it with the stored one of the same run, bit for bit.
    ///
    /// # Errors
    /// If it cannot be stored.
    fn store(&mut self, curve: Curve) -> io::Result<Stored>;

    /// Makes sure that stored results outlive this process.
    ///
    /// # Errors
    /// If they cannot be written.
    fn sync(&mut self) -> io::Result<()>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    New,
    /// It was there, with the same bits.
    Same,
    Differs,
}

/// A sweep for a pool.
#[derive(Clone, Debug)]
pub struct PoolSweep {
    pub entry: SweepEntry,
    /// The bytes of the bundle.
    pub bundle: Vec<u8>,
    /// The required shape of its results.
    pub shape: CurveShape,
}

/// An event of the submitter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PoolEvent {
    /// The sweep is in the pool; it was there already if `is_known`.
    Submitted {
        is_known: bool,
    },
    /// The workers of this build, when one has introduced itself again.
    Workers(Vec<WorkerGreeting>),
    /// The number of completed runs, and of workers.
    Progress {
        done: u64,
        workers: usize,
    },
    /// A worker of another build, which is not used.
    Refused {
        worker: String,
        build: Build,
    },
    /// A worker of this build cannot run the sweep.
    Unable {
        worker: String,
        reason: String,
    },
    /// No worker of this build has been heard of.
    NoWorkers,
    /// The number of runs that were missing, and were requested again.
    AskedAgain(u64),
    Link(LinkNews),
}

impl PoolSweep {
    /// Makes a sweep of a bundle that is prepared: the name of its file, and its bytes. `out` is the absolute path of its result file on this computer: the
    /// same sweep with the same file has the same id, so that it is continued. Without a file (an empty text) each
    /// sweep has an id of its own.
    ///
    /// # Errors
    /// If the bundle is too long to travel.
    pub fn new(
        (name, bytes): (&str, Vec<u8>),
        prepared: &dyn PreparedWork,
        build: Build,
        out: &str,
    ) -> Result<PoolSweep, PoolError> {
        if bytes.len() > MAX_BUNDLE {
            return Err(PoolError::TooLong(bytes.len(), MAX_BUNDLE));
        }
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (model, host) = (hash_of(&bytes), host_name());
        let nonce = format!("{} {}", time.as_nanos(), std::process::id());
        let results = if out.is_empty() { &nonce } else { out };
        let id = hash_of(format!("{model}\n{host}\n{results}").as_bytes());
        let entry = SweepEntry {
            sweep: id.get(..16).unwrap_or_default().to_owned(),
            model,
            version: build.version,
            library: build.library,
            file: name.to_owned(),
            host,
            out: out.to_owned(),
            runs: prepared.count(),
            done: 0,
            begun: time.as_secs(),
        };
        Ok(PoolSweep { entry, bundle: bytes, shape: prepared.shape().clone() })
    }

    /// Makes a sweep from the pool's entry for it and the bytes of the bundle.
    ///
    /// # Errors
    /// If the entry does not match the bundle.
    pub fn known(entry: SweepEntry, bundle: Vec<u8>, prepared: &dyn PreparedWork) -> Result<PoolSweep, PoolError> {
        if entry.runs == prepared.count() {
            Ok(PoolSweep { entry, bundle, shape: prepared.shape().clone() })
        } else {
            Err(PoolError::Runs { sweep: entry.sweep, found: entry.runs, expected: prepared.count() })
        }
    }

    pub(super) fn build(&self) -> Build {
        Build { version: self.entry.version.clone(), library: self.entry.library.clone() }
    }
}

/// Hands out a sweep and returns; another process collects its results.
///
/// # Errors
/// If the pool does not take it.
pub fn detach(options: &PoolOptions, sweep: &PoolSweep) -> Result<(), PoolError> {
    block_on(async {
        let link = Link::connect(options, PoolTimes::of_environment(), |_| {}).await?;
        link.prepare().await?;
        let all = [RunRange { first: 0, count: sweep.entry.runs }];
        submit(&link, sweep, &all).await.map(drop)
    })
}

/// How a sweep has ended here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collected {
    /// All runs are done, and the pool no longer has the sweep.
    All,
    /// It was stopped here; the pool continues it.
    Stopped,
}

/// Hands out a sweep unless the pool has it, and collects its results until all runs are done, or until it is to stop,
/// which it hears within a tenth of a second. Then results that were not stored come again.
///
/// # Errors
/// If the pool refuses this program, results cannot be stored or differ, no worker can run the sweep, or it is cancelled.
pub fn collect(
    options: &PoolOptions,
    sweep: &PoolSweep,
    store: &mut dyn SweepStore,
    stop: &Cancel,
    tell: &mut dyn FnMut(PoolEvent),
) -> Result<Collected, PoolError> {
    block_on(async {
        tokio::select! {
            collected = collect_all(options, sweep, store, tell) => collected.map(|()| Collected::All),
            () = stopped(stop) => Ok(Collected::Stopped),
        }
    })
}

async fn collect_all(
    options: &PoolOptions,
    sweep: &PoolSweep,
    store: &mut dyn SweepStore,
    tell: &mut dyn FnMut(PoolEvent),
) -> Result<(), PoolError> {
    let (send, mut news) = tokio::sync::mpsc::unbounded_channel();
    // The receiver is gone only at the end.
    let link = Link::connect(options, PoolTimes::of_environment(), move |link| drop(send.send(link))).await?;
    link.prepare().await?;
    let heard = Heard::new(&link).await?;
    let is_known = submit(&link, sweep, &missing(sweep.entry.runs, store)).await?;
    tell(PoolEvent::Submitted { is_known });
    let mut collector = Collector::new(&link, sweep, heard);
    if is_known {
        // Runs that the last submitter took and did not store are soon noticed as missing.
        collector.heard = Instant::now().checked_sub(link.times.quiet / 2).unwrap_or(collector.heard);
    }
    while store.done() < sweep.entry.runs {
        collector.round(store, tell).await?;
        while let Ok(link) = news.try_recv() {
            tell(PoolEvent::Link(link));
        }
    }
    store.sync()?;
    link.remove(&sweep.build().build_key(), &sweep.entry).await
}

/// Puts a sweep into the pool. Returns whether it was there.
async fn submit(link: &Link, sweep: &PoolSweep, ranges: &[RunRange]) -> Result<bool, PoolError> {
    if let Some(known) = link.entry(&sweep.entry.sweep).await? {
        let theirs = Build { version: known.version, library: known.library };
        let ours = sweep.build();
        if theirs != ours {
            return Err(PoolError::OtherBuild { sweep: known.sweep, theirs, ours });
        }
        return Ok(true);
    }
    // An earlier sweep with this id may have left results that came after its end.
    link.purge_chunks(&sweep.build().build_key(), &sweep.entry.sweep).await;
    link.purge(RESULTS, &result_subject(&sweep.entry.sweep)).await;
    link.put_object(&sweep.entry.model, &sweep.bundle).await?;
    // If this process dies here, the next one notices the runs that were not requested.
    link.put_entry(&sweep.entry).await?;
    ask(link, sweep, ranges, 0).await?;
    Ok(false)
}

/// Queues chunks of at most `size` runs; 0 stands for a size that makes few chunks.
pub(super) async fn ask(link: &Link, sweep: &PoolSweep, ranges: &[RunRange], size: u64) -> Result<(), PoolError> {
    let count: u64 = ranges.iter().map(|range| range.count).sum();
    let ask = nonce();
    let size = size.max(count.div_ceil(FIRST_CHUNKS)).max(1);
    let build_key = sweep.build().build_key();
    for ranges in ranges.chunks(MAX_RANGES) {
        let (id, model) = (sweep.entry.sweep.clone(), sweep.entry.model.clone());
        let whole = SweepChunk { sweep: id, model, ask, ranges: ranges.to_vec() };
        for piece in whole.pieces(0, size) {
            link.put_chunk(&build_key, &piece).await?;
        }
    }
    Ok(())
}

/// Returns a number that no other request for runs of the last minutes has: the queue drops what has the id of another
/// message as a duplicate.
fn nonce() -> u32 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let hash = hash_of(format!("{} {}", time.as_nanos(), std::process::id()).as_bytes());
    hash.get(..8).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or_default()
}

/// Returns the runs that are not done.
pub(super) fn missing(runs: u64, store: &dyn SweepStore) -> Vec<RunRange> {
    let mut ranges: Vec<RunRange> = Vec::new();
    for run in (0..runs).filter(|run| !store.is_done(*run)) {
        match ranges.last_mut() {
            Some(last) if last.first + last.count == run => last.count += 1,
            _ => ranges.push(RunRange { first: run, count: 1 }),
        }
    }
    ranges
}

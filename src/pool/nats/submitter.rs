//! The submitter: hands out a sweep, stores its results, asks again for what is missing, until all runs are there.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_nats::Subscriber;
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::time::{Instant, sleep};

use super::super::bundle::hash_of;
use super::super::message::{
    MAX_RANGES, PoolMessage as _, RunRange, SweepChunk, SweepEntry, SweepPart, WorkerGreeting,
};
use super::super::options::{PoolOptions, PoolTimes};
use super::super::prepared::Build;
use super::error::PoolError;
use super::link::{CANCELS, GREETINGS, Link, LinkNews};
use super::runtime;
use super::worker::GREETING;
use crate::engine::Curve;

/// The first chunks of a sweep; workers split them into such that take a few seconds.
const FIRST_CHUNKS: u64 = 64;
/// The longest object with results, in bytes.
const MAX_RESULTS: usize = 1 << 30;
/// How often the pool is told how far the sweep is.
const ENTRY: Duration = Duration::from_secs(10);
/// How often a submitter that gets nothing looks whether it waits at the right place.
const LOOK: Duration = Duration::from_secs(3);
/// How long the pool may take for a batch of results; they are on the disk of the submitter soon after.
const BATCH: Duration = Duration::from_millis(500);

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

    /// Makes sure that what was stored outlives this process.
    ///
    /// # Errors
    /// If it cannot be written.
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
}

/// What the submitter reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PoolEvent {
    /// The sweep is in the pool; it was there already if `is_known`.
    Submitted {
        is_known: bool,
    },
    /// So many runs are done, by so many workers.
    Progress {
        done: u64,
        workers: usize,
    },
    /// A worker of another build, which is not used.
    Refused {
        worker: String,
        build: Build,
    },
    /// No worker of this build has been heard of.
    NoWorkers,
    /// So many runs were missing, and were asked for again.
    AskedAgain(u64),
    Link(LinkNews),
}

impl PoolSweep {
    fn build(&self) -> Build {
        Build { version: self.entry.version.clone(), library: self.entry.library.clone() }
    }
}

/// Hands out a sweep and returns; another process collects its results.
///
/// # Errors
/// If the pool does not take it.
pub fn detach(options: &PoolOptions, sweep: &PoolSweep) -> Result<(), PoolError> {
    runtime()?.block_on(async {
        let link = Link::connect(options, PoolTimes::of_environment(), |_| {}).await?;
        link.prepare().await?;
        let all = [RunRange { first: 0, count: sweep.entry.runs }];
        submit(&link, sweep, &all).await.map(drop)
    })
}

/// Hands out a sweep unless the pool has it, and collects its results until all runs are done.
///
/// # Errors
/// If the pool refuses this program, results cannot be stored or differ, or the sweep is cancelled.
pub fn collect(
    options: &PoolOptions,
    sweep: &PoolSweep,
    store: &mut dyn SweepStore,
    tell: &mut dyn FnMut(PoolEvent),
) -> Result<(), PoolError> {
    runtime()?.block_on(async {
        let (send, mut news) = tokio::sync::mpsc::unbounded_channel();
        // Nobody listens only at the end.
        let link = Link::connect(options, PoolTimes::of_environment(), move |link| drop(send.send(link))).await?;
        link.prepare().await?;
        let greetings = link.client.subscribe(GREETINGS).await.map_err(|error| PoolError::queue("listen", error))?;
        let cancels = link.client.subscribe(CANCELS).await.map_err(|error| PoolError::queue("listen", error))?;
        let is_known = submit(&link, sweep, &missing(sweep.entry.runs, store)).await?;
        tell(PoolEvent::Submitted { is_known });
        let mut collector = Collector::new(&link, sweep, greetings, cancels);
        if is_known {
            // What the last submitter has taken and not stored is missed soon.
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
    })
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
    link.put_object(&sweep.entry.model, &sweep.bundle).await?;
    // What is not asked for because this process dies now is missed by the next one.
    link.put_entry(&sweep.entry).await?;
    ask(link, sweep, ranges, 0).await?;
    Ok(false)
}

/// Queues chunks of at most `size` runs; 0 stands for a size that makes few chunks.
async fn ask(link: &Link, sweep: &PoolSweep, ranges: &[RunRange], size: u64) -> Result<(), PoolError> {
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
fn missing(runs: u64, store: &dyn SweepStore) -> Vec<RunRange> {
    let mut ranges: Vec<RunRange> = Vec::new();
    for run in (0..runs).filter(|run| !store.is_done(*run)) {
        match ranges.last_mut() {
            Some(last) if last.first + last.count == run => last.count += 1,
            _ => ranges.push(RunRange { first: run, count: 1 }),
        }
    }
    ranges
}

struct Collector<'a> {
    link: &'a Link,
    sweep: &'a PoolSweep,
    build_key: String,
    consumer: Option<PullConsumer>,
    greetings: Subscriber,
    cancels: Subscriber,
    /// The workers of this build by name: when they were heard last, and whether they are computing something.
    workers: BTreeMap<String, (Instant, bool)>,
    refused: BTreeMap<String, Build>,
    /// When a worker of this sweep was heard last.
    heard: Instant,
    /// When the consumer was looked at last.
    looked: Instant,
    /// How often runs have been asked for again without any result since.
    asked: u32,
    told_no_workers: Option<Instant>,
    entry_written: Instant,
    /// Time and number of the runs so far.
    micros: u64,
    runs: u64,
}

impl<'a> Collector<'a> {
    fn new(link: &'a Link, sweep: &'a PoolSweep, greetings: Subscriber, cancels: Subscriber) -> Collector<'a> {
        Collector {
            link,
            sweep,
            build_key: sweep.build().build_key(),
            consumer: None,
            greetings,
            cancels,
            workers: BTreeMap::new(),
            refused: BTreeMap::new(),
            heard: Instant::now(),
            looked: Instant::now(),
            asked: 0,
            told_no_workers: None,
            entry_written: Instant::now(),
            micros: 0,
            runs: 0,
        }
    }

    /// Takes what has come, and looks after what has not.
    async fn round(&mut self, store: &mut dyn SweepStore, tell: &mut dyn FnMut(PoolEvent)) -> Result<(), PoolError> {
        self.take_results(store).await?;
        self.hear(tell)?;
        tell(PoolEvent::Progress { done: store.done(), workers: self.workers.len() });
        if store.done() < self.sweep.entry.runs && self.heard.elapsed() > self.link.times.quiet {
            self.look_after(store, tell).await?;
        }
        if self.entry_written.elapsed() > ENTRY {
            self.entry_written = Instant::now();
            let entry = SweepEntry { done: store.done(), ..self.sweep.entry.clone() };
            // It is only shown; the next one follows.
            let _ = tokio::time::timeout(GREETING, self.link.put_entry(&entry)).await;
        }
        Ok(())
    }

    async fn take_results(&mut self, store: &mut dyn SweepStore) -> Result<(), PoolError> {
        let consumer = match self.consumer.take() {
            Some(consumer) => consumer,
            None => match self.link.parts(&self.sweep.entry.sweep).await {
                Ok(consumer) => consumer,
                // The pool is away; the results are safe with the workers.
                Err(_) => return Ok(()),
            },
        };
        let Ok(mut batch) = Link::next(&consumer, 64, BATCH).await else {
            sleep(BATCH).await;
            return Ok(());
        };
        let (mut taken, mut is_sound) = (Vec::new(), true);
        while let Some(message) = batch.next().await {
            let Ok(message) = message else {
                is_sound = false;
                break;
            };
            let is_kept = self.keep(&message, store).await?;
            taken.push((message, is_kept));
            if store.done() == self.sweep.entry.runs {
                break;
            }
        }
        if !is_sound {
            sleep(BATCH).await;
        } else if !taken.is_empty() || self.looked.elapsed() < LOOK {
            self.consumer = Some(consumer);
        } else {
            self.looked = Instant::now();
            self.consumer = if Link::exists(&consumer).await { Some(consumer) } else { None };
        }
        if taken.is_empty() {
            return Ok(());
        }
        store.sync()?;
        for (message, object) in taken {
            // One that is lost makes the result come again, with the same bits.
            let _ = message.ack().await;
            if let Some(object) = object {
                self.link.delete_object(&object).await;
            }
        }
        Ok(())
    }

    /// Stores the curves of a message, and returns the object that they came in, if any.
    async fn keep(&mut self, message: &Message, store: &mut dyn SweepStore) -> Result<Option<String>, PoolError> {
        // What is damaged, or of another protocol, is as good as missing.
        let Ok(part) = SweepPart::of_bytes(&message.payload) else { return Ok(None) };
        (self.heard, self.asked) = (Instant::now(), 0);
        let body = match &part.head.object {
            None => part.curves,
            Some(object) => match self.link.object(object, MAX_RESULTS).await {
                Ok(body) => body,
                Err(_) => return Ok(None),
            },
        };
        for bytes in SweepPart::curves(&body).unwrap_or_default() {
            let Some(curve) = Curve::from_bytes(bytes).filter(|curve| curve.run < self.sweep.entry.runs) else {
                continue;
            };
            let run = curve.run;
            if store.store(curve)? == Stored::Differs {
                return Err(PoolError::Differs { run, worker: part.head.worker });
            }
            self.runs += 1;
        }
        self.micros = self.micros.saturating_add(part.head.micros);
        Ok(part.head.object)
    }

    /// Hears which workers there are, and what they do.
    fn hear(&mut self, tell: &mut dyn FnMut(PoolEvent)) -> Result<(), PoolError> {
        while let Some(Some(message)) = self.greetings.next().now_or_never() {
            let Ok(greeting) = WorkerGreeting::of_bytes(&message.payload) else { continue };
            let build = Build { version: greeting.version, library: greeting.library };
            if build != self.sweep.build() {
                if self.refused.insert(greeting.worker.clone(), build.clone()).as_ref() != Some(&build) {
                    tell(PoolEvent::Refused { worker: greeting.worker, build });
                }
                continue;
            }
            if greeting.is_leaving {
                self.workers.remove(&greeting.worker);
                continue;
            }
            if greeting.sweeps.contains(&self.sweep.entry.sweep) {
                self.heard = Instant::now();
            }
            self.workers.insert(greeting.worker, (Instant::now(), !greeting.sweeps.is_empty()));
        }
        self.workers.retain(|_, (heard, _)| heard.elapsed() < GREETING * 4);
        while let Some(Some(message)) = self.cancels.next().now_or_never() {
            if message.payload.as_ref() == self.sweep.entry.sweep.as_bytes() {
                return Err(PoolError::Cancelled(self.sweep.entry.sweep.clone()));
            }
        }
        Ok(())
    }

    /// Finds out why nothing comes, and asks again for what is missing if nobody is about to compute it.
    async fn look_after(
        &mut self,
        store: &mut dyn SweepStore,
        tell: &mut dyn FnMut(PoolEvent),
    ) -> Result<(), PoolError> {
        let id = &self.sweep.entry.sweep;
        // A pool that does not answer has nothing to give; this is looked at again in the next round.
        let (Ok(queued), Ok(waiting)) = (self.link.queued(&self.build_key, id).await, self.link.waiting(id).await)
        else {
            return self.link.prepare().await;
        };
        if waiting > 0 && self.asked == 0 {
            // They may be held for a submitter that died, until its time is over.
            self.heard = Instant::now();
            self.asked = 1;
            return Ok(());
        }
        if queued > 0 {
            if self.workers.is_empty() {
                if self.told_no_workers.is_none_or(|told| told.elapsed() > Duration::from_secs(60)) {
                    self.told_no_workers = Some(Instant::now());
                    tell(PoolEvent::NoWorkers);
                }
                return Ok(());
            }
            if self.workers.values().all(|(_, is_busy)| *is_busy) && self.asked < 8 {
                // They compute other sweeps.
                (self.heard, self.asked) = (Instant::now(), self.asked + 1);
                return Ok(());
            }
            // Idle workers and chunks that they do not get.
            self.link.purge_chunks(&self.build_key, id).await;
            if self.asked > 5 {
                self.link.forget_chunks_consumer(&self.build_key).await;
            }
        }
        let missing = missing(self.sweep.entry.runs, store);
        let count = missing.iter().map(|range| range.count).sum();
        self.link.put_object(&self.sweep.entry.model, &self.sweep.bundle).await?;
        // They are sized by what the runs so far took.
        let each = self.micros / self.runs.max(1);
        let size = (self.link.times.chunk.as_micros() as u64).checked_div(each).unwrap_or(0);
        ask(self.link, self.sweep, &missing, size).await?;
        (self.heard, self.asked) = (Instant::now(), self.asked + 1);
        tell(PoolEvent::AskedAgain(count));
        Ok(())
    }
}

//! The submitter's loop: stores results, receives reports of workers, and asks again for missing runs.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::Subscriber;
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::time::{Instant, sleep, timeout};

use super::super::message::{MAX_MESSAGE, PoolMessage as _, SweepEntry, SweepPart, WorkerGreeting, WorkerRefusal};
use super::super::prepared::Build;
use super::error::PoolError;
use super::link::{CANCELS, GREETINGS, Link, REFUSALS};
use super::submitter::{PoolEvent, PoolSweep, Stored, SweepStore, ask, missing};
use super::worker::GREETING;
use crate::engine::Curve;
use crate::worker::MAX_FRAME;

/// The longest object with results, in bytes: they go out when they are as long as a message, and the curve of a run is
/// at most a frame.
const MAX_RESULTS: usize = MAX_MESSAGE + MAX_FRAME;
/// How often the pool is told how far the sweep is.
const ENTRY: Duration = Duration::from_secs(10);
/// How often a submitter that gets nothing looks whether it waits for the right consumer.
const LOOK: Duration = Duration::from_secs(3);
/// A worker that has refused this many chunks, and computed none since, will refuse the others too.
const REFUSALS_MEANT: u32 = 3;
/// How long the pool may take for a batch of results; they are on the disk of the submitter soon after.
const BATCH: Duration = Duration::from_millis(500);

/// The subscriptions of a submitter.
pub(super) struct Heard {
    greetings: Subscriber,
    refusals: Subscriber,
    cancels: Subscriber,
}

impl Heard {
    pub async fn new(link: &Link) -> Result<Heard, PoolError> {
        let listen = async |subject: &'static str| {
            link.client.subscribe(subject).await.map_err(|error| PoolError::queue("listen", error))
        };
        Ok(Heard {
            greetings: listen(GREETINGS).await?,
            refusals: listen(REFUSALS).await?,
            cancels: listen(CANCELS).await?,
        })
    }
}

pub(super) struct Collector<'a> {
    link: &'a Link,
    sweep: &'a PoolSweep,
    build_key: String,
    consumer: Option<PullConsumer>,
    subjects: Heard,
    /// The workers of this build by name: when each last reported, and its greeting.
    workers: BTreeMap<String, (Instant, WorkerGreeting)>,
    refused: BTreeMap<String, Build>,
    /// The workers that cannot run the sweep: how many chunks they have refused since the last result, and why.
    unable: BTreeMap<String, (u32, String)>,
    /// When a worker of this sweep was heard last.
    pub heard: Instant,
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
    pub fn new(link: &'a Link, sweep: &'a PoolSweep, subjects: Heard) -> Collector<'a> {
        Collector {
            link,
            sweep,
            build_key: sweep.build().build_key(),
            consumer: None,
            subjects,
            workers: BTreeMap::new(),
            refused: BTreeMap::new(),
            unable: BTreeMap::new(),
            heard: Instant::now(),
            looked: Instant::now(),
            asked: 0,
            told_no_workers: None,
            entry_written: Instant::now(),
            micros: 0,
            runs: 0,
        }
    }

    /// Takes the results that have arrived, and looks after those that have not.
    pub async fn round(
        &mut self,
        store: &mut dyn SweepStore,
        tell: &mut dyn FnMut(PoolEvent),
    ) -> Result<(), PoolError> {
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
            let _ = timeout(GREETING, self.link.put_entry(&entry)).await;
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
            let kept = self.keep(&message, store).await;
            if let Err(PoolError::Shape { .. }) = kept {
                // It is of no use to the next command, either, which then asks for the run again.
                let _ = timeout(GREETING, message.double_ack()).await;
            }
            taken.push((message, kept?));
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
        // A damaged part, or one of another protocol, counts as missing.
        let Ok(part) = SweepPart::of_bytes(&message.payload) else { return Ok(None) };
        if part.head.sweep != self.sweep.entry.sweep {
            return Ok(None);
        }
        (self.heard, self.asked) = (Instant::now(), 0);
        self.unable.values_mut().for_each(|(chunks, _)| *chunks = 0);
        let body = match &part.head.object {
            None => part.curves,
            Some(object) => match self.link.object(object, MAX_RESULTS).await {
                Ok(body) => body,
                Err(_) => return Ok(None),
            },
        };
        // An object that is something else stays: it may be the model of another sweep.
        let Some(curves) = SweepPart::curves(&body) else { return Ok(None) };
        for bytes in curves {
            let Some(curve) = Curve::from_bytes(bytes).filter(|curve| curve.run < self.sweep.entry.runs) else {
                continue;
            };
            let run = curve.run;
            if !self.sweep.shape.has(&curve) {
                return Err(PoolError::Shape { run, worker: part.head.worker });
            }
            if store.store(curve)? == Stored::Differs {
                return Err(PoolError::Differs { run, worker: part.head.worker });
            }
            self.runs += 1;
        }
        self.micros = self.micros.saturating_add(part.head.micros);
        Ok(part.head.object)
    }

    /// Reads the greetings of workers.
    fn hear(&mut self, tell: &mut dyn FnMut(PoolEvent)) -> Result<(), PoolError> {
        let mut has_heard = false;
        while let Some(Some(message)) = self.subjects.greetings.next().now_or_never() {
            let Ok(greeting) = WorkerGreeting::of_bytes(&message.payload) else { continue };
            let build = Build { version: greeting.version.clone(), library: greeting.library.clone() };
            if build != self.sweep.build() {
                if self.refused.insert(greeting.worker.clone(), build.clone()).as_ref() != Some(&build) {
                    tell(PoolEvent::Refused { worker: greeting.worker, build });
                }
                continue;
            }
            has_heard = true;
            if greeting.is_leaving {
                self.workers.remove(&greeting.worker);
                continue;
            }
            if greeting.sweeps.contains(&self.sweep.entry.sweep) {
                self.heard = Instant::now();
            }
            self.workers.insert(greeting.worker.clone(), (Instant::now(), greeting));
        }
        let count = self.workers.len();
        self.workers.retain(|_, (heard, _)| heard.elapsed() < GREETING * 4);
        if has_heard || self.workers.len() < count {
            tell(PoolEvent::Workers(self.workers.values().map(|(_, greeting)| greeting.clone()).collect()));
        }
        while let Some(Some(message)) = self.subjects.cancels.next().now_or_never() {
            if message.payload.as_ref() == self.sweep.entry.sweep.as_bytes() {
                return Err(PoolError::Cancelled(self.sweep.entry.sweep.clone()));
            }
        }
        self.hear_refusals(tell)
    }

    /// Reads the refusals of workers that cannot run the sweep.
    ///
    /// # Errors
    /// If that is all of them.
    fn hear_refusals(&mut self, tell: &mut dyn FnMut(PoolEvent)) -> Result<(), PoolError> {
        while let Some(Some(message)) = self.subjects.refusals.next().now_or_never() {
            let refusal = WorkerRefusal::of_bytes(&message.payload);
            let Ok(WorkerRefusal { sweep, worker, reason }) = refusal else { continue };
            if sweep != self.sweep.entry.sweep {
                continue;
            }
            // It leaves the chunk to another worker, which needs time to load the model.
            self.heard = Instant::now();
            let known = self.unable.get(&worker);
            if known.is_none_or(|(_, known)| *known != reason) {
                tell(PoolEvent::Unable { worker: worker.clone(), reason: reason.clone() });
            }
            let chunks = known.map_or(0, |(chunks, _)| *chunks) + 1;
            self.unable.insert(worker, (chunks, reason));
        }
        let is_unable = |worker: &String| self.unable.get(worker).is_some_and(|(chunks, _)| *chunks >= REFUSALS_MEANT);
        match self.workers.keys().next().and_then(|worker| self.unable.get_key_value(worker)) {
            Some((worker, (_, reason))) if self.workers.keys().all(is_unable) => {
                Err(PoolError::Unable { worker: worker.clone(), reason: reason.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Finds out why no results arrive, and asks again for missing runs if no worker is about to compute them.
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
            let mut able = self.workers.iter().filter(|(worker, _)| !self.unable.contains_key(*worker));
            if able.all(|(_, (_, greeting))| !greeting.sweeps.is_empty()) && self.asked < 8 {
                // The workers compute other sweeps, or load the model; those that cannot run this one stay idle.
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
        self.link.renew_object(&self.sweep.entry.model, &self.sweep.bundle).await?;
        // Chunks are sized by the time that the runs so far took.
        let each = self.micros / self.runs.max(1);
        let size = (self.link.times.chunk.as_micros() as u64).checked_div(each).unwrap_or(0);
        ask(self.link, self.sweep, &missing, size).await?;
        (self.heard, self.asked) = (Instant::now(), self.asked + 1);
        tell(PoolEvent::AskedAgain(count));
        Ok(())
    }
}

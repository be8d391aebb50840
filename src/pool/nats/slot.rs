//! One chunk at a time of a worker: fetched, computed in a child, its results stored, acknowledged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::message::Acker;
use async_nats::jetstream::{AckKind, Message};
use tokio::sync::mpsc;
use tokio::time::{interval, sleep, timeout};

use super::super::bundle::{MAX_BUNDLE, hash_of};
use super::super::chunk_runner::{ChunkFlow, ChunkModel, ChunkRunner, ChunkRunnerError, ChunkRunnerOptions};
use super::super::message::{MAX_MESSAGE, PartHead, PoolMessage as _, SweepChunk, SweepPart, WorkerRefusal};
use super::super::work::WorkBundle;
use super::error::PoolError;
use super::link::{Link, REFUSALS};
use super::worker::WorkerNews;
use crate::block::Cancel;
use crate::engine::Curve;

/// A chunk that was delivered this often without an answer is split: one of its runs may end whole workers.
const SPLIT_AFTER: i64 = 3;
/// A single run that was delivered this often without an answer has failed.
const LOST_AFTER: i64 = 6;
/// The most pieces that a chunk is split into at a time.
const PIECES: u64 = 64;
/// Results are sent when they are at least this long.
const FULL: usize = MAX_MESSAGE * 3 / 4;
/// How long a worker waits until an acknowledgement has arrived.
const ACK: Duration = Duration::from_secs(2);
/// How long a worker does not try again to load a model that it could not load.
const UNABLE: Duration = Duration::from_secs(60);
/// How many models a worker keeps.
const KEPT_MODELS: usize = 4;

/// The state that the slots of a worker share.
pub(super) struct Shared {
    pub link: Link,
    pub build_key: String,
    pub name: String,
    /// Whether the worker is to end: no further chunk is begun.
    pub is_ending: AtomicBool,
    pub runs: AtomicU64,
    pub runner: ChunkRunnerOptions,
    pub news: Box<dyn Fn(WorkerNews) + Send + Sync>,
    /// The sweeps of the chunks that are being computed, by slot.
    pub current: Mutex<BTreeMap<usize, (String, Cancel)>>,
    pub cancelled: Mutex<BTreeSet<String>>,
    pub models: Mutex<Vec<(String, ChunkModel)>>,
    /// The models that no process here could load, by hash: when that was tried, and why it failed.
    pub unable: Mutex<BTreeMap<String, (Instant, String)>>,
    /// How many chunks were passed on to other workers.
    pub passed_on: AtomicU64,
}

/// A panic cannot leave these collections inconsistent.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The outcome of a chunk.
enum Outcome {
    /// Its results are stored, or no longer wanted.
    Finished,
    /// Another worker is to take it.
    HandedBack(Option<Duration>),
}

impl Shared {
    pub fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    fn is_cancelled(&self, sweep: &str) -> bool {
        locked(&self.cancelled).contains(sweep)
    }

    /// Whether the results of a sweep are wanted. A sweep that was cancelled may have been started again.
    async fn is_wanted(&self, sweep: &str) -> bool {
        if !self.is_cancelled(sweep) {
            return true;
        }
        let is_wanted = !matches!(self.link.entry(sweep).await, Ok(None));
        if is_wanted {
            locked(&self.cancelled).remove(sweep);
        }
        is_wanted
    }

    /// Takes care of a delivered chunk, and returns the runner that computed it.
    pub async fn take(self: &Arc<Shared>, slot: usize, message: Message, runner: ChunkRunner) -> ChunkRunner {
        let delivered = message.info().map_or(1, |info| info.delivered);
        let (message, acker) = message.split();
        let acker = Arc::new(acker);
        let progress = tokio::spawn(report_progress(Arc::clone(&acker), self.link.times.ack_wait / 3));
        let (runner, outcome) = match SweepChunk::of_bytes(&message.payload) {
            Err(error) => {
                (self.news)(WorkerNews::Problem(format!("a chunk was dropped: {error}")));
                (runner, Outcome::Finished)
            }
            Ok(chunk) if !self.is_wanted(&chunk.sweep).await => (runner, Outcome::Finished),
            Ok(chunk) => self.answer(slot, &chunk, delivered, runner).await,
        };
        progress.abort();
        // If the acknowledgement is lost, the chunk is computed once more and compared.
        let _ = match outcome {
            Outcome::Finished => timeout(ACK, acker.double_ack()).await.is_ok(),
            Outcome::HandedBack(delay) => timeout(ACK, acker.ack_with(AckKind::Nak(delay))).await.is_ok(),
        };
        runner
    }

    async fn answer(
        self: &Arc<Shared>,
        slot: usize,
        chunk: &SweepChunk,
        delivered: i64,
        runner: ChunkRunner,
    ) -> (ChunkRunner, Outcome) {
        if delivered > LOST_AFTER && chunk.count() == 1 {
            let failure = Some(format!("it was lost with its worker {LOST_AFTER} times"));
            let run = chunk.runs().next().unwrap_or_default();
            let curve = Curve { run, failure, ..Curve::default() };
            let mut curves = Vec::new();
            SweepPart::append(&mut curves, &curve.to_bytes());
            return (runner, self.stored(chunk, curves, Duration::ZERO).await);
        }
        if delivered > SPLIT_AFTER && chunk.count() > 1 {
            return (runner, self.split(chunk, 0, chunk.count().div_ceil(8)).await);
        }
        if let Some(reason) = self.unable_to(&chunk.model) {
            return (runner, self.pass_on(chunk, &reason).await);
        }
        let model = match self.model(chunk).await {
            Ok(model) => model,
            // The submitter notices that no results arrive, stores the model again and requests the runs again.
            Err(error) => {
                (self.news)(WorkerNews::Problem(format!("sweep {}: {error}", chunk.sweep)));
                return (runner, Outcome::Finished);
            }
        };
        let cancel = Cancel::new();
        locked(&self.current).insert(slot, (chunk.sweep.clone(), cancel.clone()));
        let answered = self.compute(chunk, model, cancel, runner).await;
        locked(&self.current).remove(&slot);
        answered
    }

    async fn compute(
        self: &Arc<Shared>,
        chunk: &SweepChunk,
        model: ChunkModel,
        cancel: Cancel,
        runner: ChunkRunner,
    ) -> (ChunkRunner, Outcome) {
        let (send, mut parts) = mpsc::channel(2);
        let computing = tokio::task::spawn_blocking({
            let (shared, chunk) = (Arc::clone(self), chunk.clone());
            move || shared.fill(&chunk, &model, &cancel, runner, &send)
        });
        let mut outcome = Outcome::Finished;
        while let Some((curves, time)) = parts.recv().await {
            if let handed_back @ Outcome::HandedBack(_) = self.stored(chunk, curves, time).await {
                outcome = handed_back;
            }
        }
        let (runner, done, each) = match computing.await {
            Ok(computed) => computed,
            // A panic of ours: the next worker may not have it.
            Err(error) => {
                (self.news)(WorkerNews::Problem(error.to_string()));
                return (ChunkRunner::new(self.runner.clone()), Outcome::HandedBack(Some(Duration::from_secs(5))));
            }
        };
        let done = match done {
            Ok(done) => done,
            // To pass it on, or to refuse the model, would harm the runs that there are.
            Err(error @ ChunkRunnerError::Runs) => {
                (self.news)(WorkerNews::Problem(format!("sweep {}: a chunk was dropped: {error}", chunk.sweep)));
                return (runner, Outcome::Finished);
            }
            Err(error) => {
                let reason = self.reason(&error);
                locked(&self.unable).insert(chunk.model.clone(), (Instant::now(), reason.clone()));
                return (runner, self.pass_on(chunk, &reason).await);
            }
        };
        let left = chunk.count() - done;
        if matches!(outcome, Outcome::HandedBack(_)) || left == 0 || self.is_cancelled(&chunk.sweep) {
            return (runner, outcome);
        }
        if done == 0 {
            return (runner, Outcome::HandedBack(None));
        }
        let size = self.link.times.chunk.as_secs_f64() / each.max(1e-9);
        (runner, self.split(chunk, done, (size as u64).max(left.div_ceil(PIECES))).await)
    }

    /// Computes runs and sends their results in parts, until the chunk has had its time. Returns how many runs are done
    /// and how long each took, in seconds.
    fn fill(
        &self,
        chunk: &SweepChunk,
        model: &ChunkModel,
        cancel: &Cancel,
        mut runner: ChunkRunner,
        send: &mpsc::Sender<(Vec<u8>, Duration)>,
    ) -> (ChunkRunner, Result<u64, ChunkRunnerError>, f64) {
        let time = self.link.times.chunk;
        let (begin, mut sent) = (Instant::now(), Instant::now());
        let (mut curves, mut spent, mut count) = (Vec::new(), Duration::ZERO, 0u64);
        let done = runner.compute(chunk, model, cancel, |curve, took| {
            SweepPart::append(&mut curves, curve);
            spent += took;
            count += 1;
            self.runs.fetch_add(1, Ordering::Relaxed);
            let mut flow = ChunkFlow::Continue;
            if curves.len() > FULL || sent.elapsed() > time {
                let part = (std::mem::take(&mut curves), std::mem::take(&mut spent));
                sent = Instant::now();
                if send.blocking_send(part).is_err() {
                    flow = ChunkFlow::Stop;
                }
            }
            let left = begin.elapsed().mul_f64((chunk.count() - count) as f64 / count as f64);
            let is_long = begin.elapsed() > time && left > time / 2;
            if is_long || self.is_ending() { ChunkFlow::Stop } else { flow }
        });
        if !curves.is_empty() {
            // The receiver is gone only if the worker is being stopped.
            let _ = send.blocking_send((curves, spent));
        }
        (runner, done, begin.elapsed().as_secs_f64() / count.max(1) as f64)
    }

    /// Says why a model cannot be computed here.
    fn reason(&self, error: &ChunkRunnerError) -> String {
        match error {
            ChunkRunnerError::Process(_) => {
                let limit = self.runner.memory >> 20;
                format!("{error}, while it loaded the model; it may use {limit} MB of memory (--memory)")
            }
            _ => error.to_string(),
        }
    }

    /// Returns why a model cannot be computed here, if that was found out some time ago.
    fn unable_to(&self, model: &str) -> Option<String> {
        let mut unable = locked(&self.unable);
        unable.retain(|_, (since, _)| since.elapsed() < UNABLE);
        unable.get(model).map(|(_, reason)| reason.clone())
    }

    /// Leaves a chunk to workers that can compute it, and reports the reason to the submitter. Handing it back would
    /// count as a loss of its worker, and fail runs that others can compute.
    async fn pass_on(&self, chunk: &SweepChunk, reason: &str) -> Outcome {
        (self.news)(WorkerNews::Problem(format!("sweep {}: {reason}", chunk.sweep)));
        let refusal = WorkerRefusal::new(&chunk.sweep, &self.name, reason);
        // The next chunk is refused with the same reason.
        let _ = self.link.client.publish(REFUSALS, refusal.to_bytes().into()).await;
        let times = self.passed_on.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = self.link.pass_on_chunk(&self.build_key, chunk, (&self.name, times)).await {
            // The submitter misses it and asks again.
            (self.news)(WorkerNews::Problem(format!("sweep {}: {error}", chunk.sweep)));
        }
        // The others are first to take the next one.
        sleep(ACK).await;
        Outcome::Finished
    }

    /// Stores results. Those that are too long for a message become objects.
    async fn stored(&self, chunk: &SweepChunk, curves: Vec<u8>, time: Duration) -> Outcome {
        let hash = hash_of(&curves);
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let mut head = PartHead { sweep: chunk.sweep.clone(), worker: self.name.clone(), micros, object: None };
        let mut part = SweepPart { head: head.clone(), curves };
        if part.curves.len() > MAX_MESSAGE {
            if let Err(error) = self.link.renew_object(&hash, &part.curves).await {
                (self.news)(WorkerNews::Problem(format!("sweep {}: {error}", chunk.sweep)));
                return Outcome::HandedBack(None);
            }
            head.object = Some(hash.clone());
            part = SweepPart { head, curves: Vec::new() };
        }
        // Results that differ have different ids: they must come to be compared.
        let id = format!("{}.{}.{}", chunk.sweep, chunk.ask, hash.get(..24).unwrap_or_default());
        let wanted = async {
            while !self.is_cancelled(&chunk.sweep) {
                sleep(Duration::from_millis(500)).await;
            }
        };
        let bytes = part.to_bytes();
        tokio::select! {
            put = self.link.put_part(&chunk.sweep, &id, &bytes) => match put {
                Ok(()) => Outcome::Finished,
                Err(error) => {
                    (self.news)(WorkerNews::Problem(format!("sweep {}: {error}", chunk.sweep)));
                    Outcome::HandedBack(None)
                }
            },
            () = wanted => Outcome::Finished,
        }
    }

    /// Queues the rest of a chunk in pieces, for any free worker.
    async fn split(&self, chunk: &SweepChunk, done: u64, size: u64) -> Outcome {
        for piece in chunk.pieces(done, size) {
            if let Err(error) = self.link.put_chunk(&self.build_key, &piece).await {
                (self.news)(WorkerNews::Problem(format!("sweep {}: {error}", chunk.sweep)));
                return Outcome::HandedBack(None);
            }
        }
        Outcome::Finished
    }

    /// Returns the model of a chunk, which is fetched once.
    async fn model(&self, chunk: &SweepChunk) -> Result<ChunkModel, PoolError> {
        let known = locked(&self.models).iter().find(|(hash, _)| *hash == chunk.model).map(|(_, model)| model.clone());
        if let Some(known) = known {
            return Ok(known);
        }
        let bytes = self.link.object(&chunk.model, MAX_BUNDLE).await?;
        let run_limit = WorkBundle::of_bytes(&bytes)?.run_limit();
        let model = ChunkModel { bundle: Arc::new(bytes), run_limit };
        let mut models = locked(&self.models);
        if models.len() == KEPT_MODELS {
            models.remove(0);
        }
        models.push((chunk.model.clone(), model.clone()));
        Ok(model)
    }
}

/// Tells the queue that a chunk is being computed.
async fn report_progress(acker: Arc<Acker>, period: Duration) {
    let mut ticks = interval(period);
    loop {
        ticks.tick().await;
        // A lost report is repeated; the queue waits for three of them.
        let _ = acker.ack_with(AckKind::Progress).await;
    }
}

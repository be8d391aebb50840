//! The connection to a pool: streams, subjects, objects, and patience.
//!
//! Every operation is tried again until it succeeds or its time is over; a stream that has vanished is made anew.

use std::error::Error;
use std::future::Future;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::ObjectStore;
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::jetstream::{self, ErrorCode, kv};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use futures_util::TryStreamExt as _;
use tokio::io::AsyncReadExt as _;
use tokio::time::{sleep, timeout};

use super::super::message::{PoolMessage, SweepChunk, SweepEntry};
use super::super::options::{PoolOptions, PoolTimes};
use super::error::PoolError;

const JOBS: &str = "SIMULATE_JOBS";
const RESULTS: &str = "SIMULATE_RESULTS";
const SWEEPS: &str = "simulate_sweeps";
const MODELS: &str = "simulate_models";

/// Where workers introduce themselves.
pub(super) const GREETINGS: &str = "simulate.greeting";
/// Where workers say that they cannot compute a sweep.
pub(super) const REFUSALS: &str = "simulate.refusal";
/// Where the ids of cancelled sweeps are announced.
pub(super) const CANCELS: &str = "simulate.cancel";

/// How many copies a cluster keeps of everything.
const REPLICAS: usize = 3;
/// The maximum size of the streams in bytes; one that is full refuses messages, it does not forget any.
const MAX_JOBS: i64 = 256 << 20;
const MAX_RESULTS: i64 = 1 << 30;
/// How often a chunk is delivered. A worker fails a single run before that, so the queue never gives up in silence.
const MAX_DELIVER: i64 = 20;
/// The most chunks that all workers hold at a time.
const MAX_HELD: i64 = 20_000;
/// How long one request may take before it is tried again.
const REQUEST: Duration = Duration::from_secs(5);
/// The same for an object of many megabytes.
const OBJECT: Duration = Duration::from_secs(120);

pub(super) fn result_subject(sweep: &str) -> String {
    format!("simulate.result.{sweep}")
}

fn job_subject(build_key: &str, sweep: &str) -> String {
    format!("simulate.job.{build_key}.{sweep}")
}

/// What a connection reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkNews {
    Connected,
    Disconnected,
    Problem(String),
}

pub(super) struct Link {
    pub client: Client,
    pub times: PoolTimes,
    /// The addresses, for messages.
    servers: String,
    context: jetstream::Context,
}

impl Link {
    /// Connects to a pool.
    ///
    /// # Errors
    /// If no server can be reached at this moment, or the credentials are refused.
    pub async fn connect(
        options: &PoolOptions,
        times: PoolTimes,
        tell: impl Fn(LinkNews) + Send + Sync + 'static,
    ) -> Result<Link, PoolError> {
        let addresses = options.addresses()?;
        let tell = std::sync::Arc::new(tell);
        let mut connect = ConnectOptions::new()
            .name("simulate")
            .connection_timeout(REQUEST)
            .request_timeout(Some(REQUEST))
            .ping_interval(Duration::from_secs(5))
            .reconnect_delay_callback(|attempts| Duration::from_millis((50 << attempts.min(6)).min(2000)))
            .event_callback(move |event| {
                match event {
                    Event::Connected => tell(LinkNews::Connected),
                    Event::Disconnected => tell(LinkNews::Disconnected),
                    Event::ServerError(error) => tell(LinkNews::Problem(error.to_string())),
                    _ => {}
                }
                std::future::ready(())
            });
        if let Some(path) = &options.creds {
            let opened = connect.credentials_file(path).await;
            connect = opened.map_err(|error| PoolError::File(path.clone(), error))?;
        }
        if let Some(path) = &options.nkey {
            let seed = std::fs::read_to_string(path).map_err(|error| PoolError::File(path.clone(), error))?;
            connect = connect.nkey(seed.trim().to_owned());
        }
        if let Some(path) = &options.tls_ca {
            connect = connect.add_root_certificates(path.clone());
        }
        if let Some((certificate, key)) = &options.tls_client {
            connect = connect.add_client_certificate(certificate.clone(), key.clone());
        }
        if addresses.iter().any(|address| address.starts_with("tls:")) {
            connect = connect.require_tls(true);
        }
        let client = connect.connect(addresses.as_slice()).await.map_err(|error| {
            let servers = addresses.join(", ");
            match error.kind() {
                ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                    PoolError::Credentials(servers, error.into())
                }
                _ => PoolError::Unreachable(servers, error.into()),
            }
        })?;
        let mut context = jetstream::new(client.clone());
        context.set_timeout(REQUEST);
        Ok(Link { client, times, servers: addresses.join(", "), context })
    }

    /// Tries an operation until it succeeds, for at most `patience`. Between the attempts missing streams are made.
    async fn insist<T, F: Future<Output = Result<T, PoolError>>>(
        &self,
        what: &'static str,
        patience: Duration,
        operation: impl FnMut() -> F,
    ) -> Result<T, PoolError> {
        self.insist_for(REQUEST * 2, what, patience, operation).await
    }

    /// The same with the longest time of an attempt.
    async fn insist_for<T, F: Future<Output = Result<T, PoolError>>>(
        &self,
        attempt: Duration,
        what: &'static str,
        patience: Duration,
        mut operation: impl FnMut() -> F,
    ) -> Result<T, PoolError> {
        let begin = tokio::time::Instant::now();
        let mut pause = Duration::from_millis(50);
        loop {
            let failed = match timeout(attempt, operation()).await {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(error)) => error,
                Err(_) => PoolError::Late(what, attempt.as_secs()),
            };
            if begin.elapsed() > patience {
                return Err(failed);
            }
            sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(2));
            // What is wrong with the streams is the error of the next attempt.
            let _ = timeout(REQUEST * 2, self.make_streams()).await;
        }
    }

    /// Makes what a pool consists of, where it is missing.
    ///
    /// # Errors
    /// If the server cannot do that within some time: it has no JetStream, or no leader.
    pub async fn prepare(&self) -> Result<(), PoolError> {
        self.prepare_within(Duration::from_secs(30)).await
    }

    /// The same with the time for which it is tried again.
    pub async fn prepare_within(&self, patience: Duration) -> Result<(), PoolError> {
        self.insist("keep sweeps", patience, || self.make_streams()).await
    }

    /// Returns an error if there is no connection at this moment.
    pub fn check(&self) -> Result<(), PoolError> {
        match self.client.connection_state() {
            State::Connected => Ok(()),
            _ => Err(PoolError::Lost(self.servers.clone())),
        }
    }

    async fn make_streams(&self) -> Result<(), PoolError> {
        for config in stream_configs() {
            if self.context.get_stream(&config.name).await.is_ok() {
                continue;
            }
            let made = |num_replicas| self.context.create_stream(stream::Config { num_replicas, ..config.clone() });
            match made(REPLICAS).await {
                Err(error) if is_alone(&error) => made(1).await,
                made => made,
            }
            .map_err(|error| PoolError::queue("make a stream", error))?;
        }
        Ok(())
    }

    /// Puts a message into a stream, and waits until the stream has it.
    async fn put(
        &self,
        what: &'static str,
        patience: Duration,
        subject: &str,
        id: &str,
        bytes: &[u8],
    ) -> Result<(), PoolError> {
        self.insist(what, patience, || async {
            let message = PublishMessage::build().payload(bytes.to_vec().into()).message_id(id);
            let sent = self.context.send_publish(subject.to_owned(), message).await;
            let stored = sent.map_err(|error| PoolError::queue(what, error))?.await;
            stored.map(drop).map_err(|error| PoolError::queue(what, error))
        })
        .await
    }

    /// Queues a chunk for the workers of a build.
    pub async fn put_chunk(&self, build_key: &str, chunk: &SweepChunk) -> Result<(), PoolError> {
        let first = chunk.ranges.first().map_or(0, |range| range.first);
        let id = format!("{}.{}.{first}.{}", chunk.sweep, chunk.ask, chunk.count());
        let subject = job_subject(build_key, &chunk.sweep);
        self.put("take a chunk of runs", Duration::from_secs(60), &subject, &id, &chunk.to_bytes()).await
    }

    /// Stores results, however long that takes: the chunk is not acknowledged before.
    pub async fn put_part(&self, sweep: &str, id: &str, bytes: &[u8]) -> Result<(), PoolError> {
        self.put("take results", Duration::MAX, &result_subject(sweep), id, bytes).await
    }

    /// Returns the consumer that gives chunks to the workers of a build.
    pub async fn chunks(&self, build_key: &str) -> Result<PullConsumer, PoolError> {
        let name = format!("workers-{build_key}");
        self.insist("give out chunks", Duration::from_secs(60), || async {
            let jobs =
                self.context.get_stream(JOBS).await.map_err(|error| PoolError::queue("give out chunks", error))?;
            let config = pull::Config {
                durable_name: Some(name.clone()),
                filter_subject: job_subject(build_key, "*"),
                ack_policy: AckPolicy::Explicit,
                ack_wait: self.times.ack_wait,
                max_deliver: MAX_DELIVER,
                max_ack_pending: MAX_HELD,
                ..pull::Config::default()
            };
            let consumer = jobs.get_or_create_consumer(&name, config).await;
            consumer.map_err(|error| PoolError::queue("give out chunks", error))
        })
        .await
    }

    /// Returns the consumer that gives the results of a sweep to its submitter.
    pub async fn parts(&self, sweep: &str) -> Result<PullConsumer, PoolError> {
        let name = format!("submitter-{sweep}");
        self.insist("give out results", Duration::from_secs(60), || async {
            let results = self.context.get_stream(RESULTS).await;
            let results = results.map_err(|error| PoolError::queue("give out results", error))?;
            let config = pull::Config {
                durable_name: Some(name.clone()),
                filter_subject: result_subject(sweep),
                ack_policy: AckPolicy::Explicit,
                ack_wait: self.times.ack_wait,
                max_ack_pending: 1000,
                ..pull::Config::default()
            };
            let consumer = results.get_or_create_consumer(&name, config).await;
            consumer.map_err(|error| PoolError::queue("give out results", error))
        })
        .await
    }

    /// Makes workers of a build get a new consumer, in case the old one no longer gives out anything.
    pub async fn forget_chunks_consumer(&self, build_key: &str) {
        // It may be gone already.
        let _ = self.context.delete_consumer_from_stream(format!("workers-{build_key}"), JOBS).await;
    }

    /// Returns how many chunks of a sweep are queued or held by workers.
    ///
    /// # Errors
    /// If the stream cannot say, for example because it does not exist.
    pub async fn queued(&self, build_key: &str, sweep: &str) -> Result<usize, PoolError> {
        self.messages(JOBS, &job_subject(build_key, sweep)).await
    }

    /// Returns how many results of a sweep have not been taken.
    ///
    /// # Errors
    /// If the stream cannot say, for example because it does not exist.
    pub async fn waiting(&self, sweep: &str) -> Result<usize, PoolError> {
        self.messages(RESULTS, &result_subject(sweep)).await
    }

    async fn messages(&self, stream: &str, subject: &str) -> Result<usize, PoolError> {
        let counted = async {
            let stream = self.context.get_stream(stream).await.map_err(boxed)?;
            let counts: Vec<(String, usize)> =
                stream.info_with_subjects(subject).await.map_err(boxed)?.try_collect().await.map_err(boxed)?;
            Ok(counts.iter().map(|(_, count)| count).sum())
        };
        let counted: Result<Result<usize, Box<dyn Error + Send + Sync>>, _> = timeout(REQUEST * 2, counted).await;
        match counted {
            Ok(counted) => counted.map_err(|error| PoolError::queue("count messages", error)),
            Err(_) => Err(PoolError::Late("count messages", (REQUEST * 2).as_secs())),
        }
    }

    /// Removes the chunks of a sweep from the queue.
    pub async fn purge_chunks(&self, build_key: &str, sweep: &str) {
        self.purge(JOBS, &job_subject(build_key, sweep)).await;
    }

    async fn purge(&self, stream: &str, subject: &str) {
        // What is left is computed once more and compared: no harm.
        if let Ok(stream) = self.context.get_stream(stream).await {
            let _ = stream.purge().filter(subject).await;
        }
    }

    /// Removes all that the pool has of a sweep.
    ///
    /// # Errors
    /// If the list of sweeps cannot be written.
    pub async fn remove(&self, build_key: &str, entry: &SweepEntry) -> Result<(), PoolError> {
        let sweep = &*entry.sweep;
        self.insist("remove a sweep", Duration::from_secs(20), || async {
            let sweeps = self.sweeps().await?;
            sweeps.purge(sweep).await.map_err(|error| PoolError::queue("remove a sweep", error))
        })
        .await?;
        self.purge(JOBS, &job_subject(build_key, sweep)).await;
        let _ = self.context.delete_consumer_from_stream(format!("submitter-{sweep}"), RESULTS).await;
        self.purge(RESULTS, &result_subject(sweep)).await;
        let others = self.entries().await.unwrap_or_default();
        if others.iter().all(|other| other.model != entry.model) {
            self.delete_object(&entry.model).await;
        }
        Ok(())
    }

    async fn sweeps(&self) -> Result<kv::Store, PoolError> {
        self.context.get_key_value(SWEEPS).await.map_err(|error| PoolError::queue("open the list of sweeps", error))
    }

    pub async fn put_entry(&self, entry: &SweepEntry) -> Result<(), PoolError> {
        self.insist("list a sweep", Duration::from_secs(60), || async {
            let put = self.sweeps().await?.put(&entry.sweep, entry.to_bytes().into()).await;
            put.map(drop).map_err(|error| PoolError::queue("list a sweep", error))
        })
        .await
    }

    /// Returns what the pool knows of a sweep, if it knows it.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub async fn entry(&self, sweep: &str) -> Result<Option<SweepEntry>, PoolError> {
        self.insist("look up a sweep", Duration::from_secs(20), || async {
            let found = self.sweeps().await?.get(sweep).await;
            let found = found.map_err(|error| PoolError::queue("look up a sweep", error))?;
            Ok(found.and_then(|bytes| SweepEntry::of_bytes(&bytes).ok()))
        })
        .await
    }

    /// Returns the sweeps of the pool, sorted by their begin.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub async fn entries(&self) -> Result<Vec<SweepEntry>, PoolError> {
        self.insist("list the sweeps", Duration::from_secs(20), || async {
            let sweeps = self.sweeps().await?;
            let keys = sweeps.keys().await.map_err(|error| PoolError::queue("list the sweeps", error))?;
            let keys: Vec<String> =
                keys.try_collect().await.map_err(|error| PoolError::queue("list the sweeps", error))?;
            let mut entries = Vec::new();
            for key in keys {
                let found = sweeps.get(key).await.map_err(|error| PoolError::queue("list the sweeps", error))?;
                // One of another version of the protocol says nothing to this program.
                entries.extend(found.and_then(|bytes| SweepEntry::of_bytes(&bytes).ok()));
            }
            entries.sort_by_key(|entry| (entry.begun, entry.sweep.clone()));
            Ok(entries)
        })
        .await
    }

    async fn models(&self) -> Result<ObjectStore, PoolError> {
        self.context.get_object_store(MODELS).await.map_err(|error| PoolError::queue("open the store of models", error))
    }

    /// Stores an object under its hash.
    ///
    /// # Errors
    /// If it cannot be stored within some time.
    pub async fn put_object(&self, hash: &str, bytes: &[u8]) -> Result<(), PoolError> {
        self.insist_for(OBJECT, "store a model", Duration::from_secs(60), || async {
            let models = self.models().await?;
            if models.info(hash).await.is_ok_and(|info| info.size == bytes.len()) {
                return Ok(());
            }
            let mut reader = bytes;
            let put = models.put(hash, &mut reader).await;
            put.map(drop).map_err(|error| PoolError::queue("store a model", error))
        })
        .await
    }

    /// Returns an object of at most `limit` bytes.
    ///
    /// # Errors
    /// If there is none within some time.
    pub async fn object(&self, hash: &str, limit: usize) -> Result<Vec<u8>, PoolError> {
        self.insist_for(OBJECT, "give a model", Duration::from_secs(5), || async {
            let failed = |error: Box<dyn Error + Send + Sync>| PoolError::queue("give a model", error);
            let object = self.models().await?.get(hash).await.map_err(|error| failed(error.into()))?;
            let mut bytes = Vec::new();
            let mut object = object.take(limit as u64);
            object.read_to_end(&mut bytes).await.map_err(|error| failed(error.into()))?;
            Ok(bytes)
        })
        .await
    }

    pub async fn delete_object(&self, hash: &str) {
        if let Ok(models) = self.models().await {
            // It may be gone already.
            let _ = models.delete(hash).await;
        }
    }

    /// Whether a consumer exists at this moment. One that has vanished with its stream gives nothing, and no error.
    pub async fn exists(consumer: &PullConsumer) -> bool {
        timeout(REQUEST, consumer.get_info()).await.is_ok_and(|info| info.is_ok())
    }

    /// Waits for the next message of a consumer, for at most a second or two.
    pub async fn next(consumer: &PullConsumer, count: usize, time: Duration) -> Result<pull::Batch, PoolError> {
        let batch = consumer.batch().max_messages(count).expires(time).messages();
        match timeout(REQUEST, batch).await {
            Ok(batch) => batch.map_err(|error| PoolError::queue("give messages", error)),
            Err(_) => Err(PoolError::Late("give messages", REQUEST.as_secs())),
        }
    }
}

fn boxed(error: impl Error + Send + Sync + 'static) -> Box<dyn Error + Send + Sync> {
    Box::new(error)
}

/// Whether a stream was refused because the server is not in a cluster.
fn is_alone(error: &CreateStreamError) -> bool {
    matches!(
        error.kind(),
        CreateStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED
    )
}

/// The streams of a pool: chunks, results, and those behind the list of sweeps and the store of models. The client could
/// make the latter two, but asks for an account in a form that servers before 2.10 do not have.
fn stream_configs() -> [stream::Config; 4] {
    let kept = stream::Config { storage: StorageType::File, discard: DiscardPolicy::New, ..stream::Config::default() };
    let queue = |name: &str, subject: &str, max_bytes| stream::Config {
        name: name.to_owned(),
        subjects: vec![subject.to_owned()],
        retention: RetentionPolicy::WorkQueue,
        max_bytes,
        duplicate_window: Duration::from_secs(120),
        ..kept.clone()
    };
    let sweeps = stream::Config {
        name: format!("KV_{SWEEPS}"),
        subjects: vec![format!("$KV.{SWEEPS}.>")],
        max_messages_per_subject: 1,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        ..kept.clone()
    };
    let models = stream::Config {
        name: format!("OBJ_{MODELS}"),
        subjects: vec![format!("$O.{MODELS}.C.>"), format!("$O.{MODELS}.M.>")],
        allow_rollup: true,
        allow_direct: true,
        ..kept.clone()
    };
    [queue(JOBS, "simulate.job.>", MAX_JOBS), queue(RESULTS, "simulate.result.>", MAX_RESULTS), sweeps, models]
}

//! The queues of a pool: chunks on their way to workers, and results on their way to submitters.

use std::error::Error;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::message::PublishMessage;
use futures_util::TryStreamExt as _;
use tokio::time::timeout;

use super::super::message::{PoolMessage as _, SweepChunk};
use super::error::PoolError;
use super::link::{Link, REQUEST};
use super::streams::{JOBS, RESULTS};

/// How often a chunk is delivered. A worker fails a single run before that, so the queue never gives up in silence.
const MAX_DELIVER: i64 = 20;
/// The most chunks that all workers hold at a time.
const MAX_HELD: i64 = 20_000;

pub(super) fn result_subject(sweep: &str) -> String {
    format!("simulate.result.{sweep}")
}

pub(super) fn job_subject(build_key: &str, sweep: &str) -> String {
    format!("simulate.job.{build_key}.{sweep}")
}

impl Link {
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

    /// Queues a chunk again that this worker cannot compute, for other workers, as if it had not been delivered.
    /// `times` counts how often the worker has done so, since the queue drops an equal message within two minutes as a
    /// duplicate.
    pub async fn pass_on_chunk(
        &self,
        build_key: &str,
        chunk: &SweepChunk,
        (worker, times): (&str, u64),
    ) -> Result<(), PoolError> {
        let id = format!("{}.{worker}.{times}", chunk.sweep);
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

    pub(super) async fn purge(&self, stream: &str, subject: &str) {
        // Leftover messages are harmless: their runs are computed once more and compared.
        if let Ok(stream) = self.context.get_stream(stream).await {
            let _ = stream.purge().filter(subject).await;
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

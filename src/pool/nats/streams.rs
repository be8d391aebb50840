//! The streams of a pool, which are made where they are missing.

use std::time::Duration;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind};
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, StorageType};

use super::error::PoolError;
use super::link::Link;

pub(super) const JOBS: &str = "SIMULATE_JOBS";
pub(super) const RESULTS: &str = "SIMULATE_RESULTS";
pub(super) const SWEEPS: &str = "simulate_sweeps";
pub(super) const MODELS: &str = "simulate_models";

/// How many copies a cluster keeps of everything.
const REPLICAS: usize = 3;
/// The maximum size of the streams in bytes; one that is full refuses messages, it does not forget any.
const MAX_JOBS: i64 = 256 << 20;
const MAX_RESULTS: i64 = 1 << 30;

impl Link {
    /// Makes the streams that are missing.
    pub(super) async fn make_streams(&self) -> Result<(), PoolError> {
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

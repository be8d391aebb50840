//! The list of sweeps of a pool, and its store of models and large results.

use std::error::Error;
use std::time::Duration;

use async_nats::jetstream::kv;
use async_nats::jetstream::object_store::ObjectStore;
use futures_util::TryStreamExt as _;
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use super::super::bundle::hash_of;
use super::super::message::{PoolMessage as _, SweepEntry};
use super::error::PoolError;
use super::link::{Link, REQUEST};
use super::queues::{job_subject, result_subject};
use super::streams::{JOBS, MODELS, RESULTS, SWEEPS};

/// The same for an object of many megabytes.
const OBJECT: Duration = Duration::from_secs(120);
/// For how long it is tried to store an object.
const STORE: Duration = Duration::from_secs(60);

impl Link {
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

    /// Returns the pool's entry for a sweep, if there is one.
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

    /// Stores an object under its hash, unless the pool seems to have it.
    ///
    /// # Errors
    /// If it cannot be stored within some time.
    pub async fn put_object(&self, hash: &str, bytes: &[u8]) -> Result<(), PoolError> {
        self.insist_for(OBJECT, "store a model", STORE, || async {
            let models = self.models().await?;
            if models.info(hash).await.is_ok_and(|info| info.size == bytes.len()) {
                return Ok(());
            }
            put(&models, hash, bytes).await
        })
        .await
    }

    /// Stores an object in place of whatever the pool has under its hash, which may be damaged.
    ///
    /// # Errors
    /// If it cannot be stored within some time.
    pub async fn renew_object(&self, hash: &str, bytes: &[u8]) -> Result<(), PoolError> {
        let renewed = || async { put(&self.models().await?, hash, bytes).await };
        self.insist_for(OBJECT, "store a model", STORE, renewed).await
    }

    /// Returns the object with a hash, of at most `limit` bytes.
    ///
    /// # Errors
    /// If the object is not found within some time, or has other contents.
    pub async fn object(&self, hash: &str, limit: usize) -> Result<Vec<u8>, PoolError> {
        self.insist_for(OBJECT, "give a model", Duration::from_secs(5), || async {
            let failed = |error: Box<dyn Error + Send + Sync>| PoolError::queue("give a model", error);
            let other = || failed("what it has under the model's hash is something else".into());
            let models = self.models().await?;
            let info = models.info(hash).await.map_err(|error| failed(error.into()))?;
            // The client follows links, and links to themselves without an end.
            if info.options.is_some_and(|options| options.link.is_some()) || info.size > limit {
                return Err(other());
            }
            let object = models.get(hash).await.map_err(|error| failed(error.into()))?;
            let (mut bytes, mut object) = (Vec::new(), object.take(limit as u64));
            // A part that is missing never comes.
            while timeout(REQUEST, object.read_buf(&mut bytes))
                .await
                .map_err(|error| failed(error.into()))?
                .map_err(|error| failed(error.into()))?
                > 0
            {}
            if hash_of(&bytes) == hash { Ok(bytes) } else { Err(other()) }
        })
        .await
    }

    pub async fn delete_object(&self, hash: &str) {
        if let Ok(models) = self.models().await {
            // It may be gone already.
            let _ = models.delete(hash).await;
        }
    }
}

async fn put(models: &ObjectStore, hash: &str, mut bytes: &[u8]) -> Result<(), PoolError> {
    let put = models.put(hash, &mut bytes).await;
    put.map(drop).map_err(|error| PoolError::queue("store a model", error))
}

//! Remote blocks in the workers of pools: the side of the run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::RequestErrorKind;
use crossbeam_channel::{Receiver, RecvTimeoutError, unbounded};
use futures_util::StreamExt as _;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::time::{interval, timeout};

use super::super::blocks::{
    BlockBundle, BlockLink, BlockOpen, BlockOpened, BlockSession, CLOSE, FrameJoiner, parts_of,
};
use super::super::bundle::hash_of;
use super::super::message::PoolMessage as _;
use super::super::options::{PoolOptions, PoolTimes};
use super::super::prepared::Build;
use super::block_message::{KEEP, open_subject};
use super::error::PoolError;
use super::link::{Link, LinkNews};
use crate::engine::{Program, RemoteError, RemoteSession, RemoteWorkers};
use crate::format::Formats;
use crate::threads;
use crate::worker::Frame;

/// How long one attempt to find a worker may take.
const ATTEMPT: Duration = Duration::from_secs(2);
/// How long the server may take to store a model.
const STORE: Duration = Duration::from_secs(60);
/// How often a worker is told that its session is still wanted.
const STILL: Duration = Duration::from_secs(3);

/// The pools of a user by name, in whose workers remote blocks run.
#[derive(Debug)]
pub struct PoolWorkers {
    pools: BTreeMap<String, PoolOptions>,
    formats: Arc<Formats>,
    patience: Duration,
    connections: Mutex<BTreeMap<String, Arc<Connection>>>,
}

/// A connection, and the thread that drives it.
struct Connection {
    handle: Handle,
    link: Link,
    /// The thread ends when this is dropped.
    _end: oneshot::Sender<()>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl PoolWorkers {
    /// Nothing is sent before a run has such a block. Workers are looked for as long as `patience`.
    pub fn new(pools: BTreeMap<String, PoolOptions>, formats: Arc<Formats>, patience: Duration) -> PoolWorkers {
        PoolWorkers { pools, formats, patience, connections: Mutex::default() }
    }

    fn connection(&self, pool: &str) -> Result<Arc<Connection>, RemoteError> {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = connections.get(pool) {
            return Ok(Arc::clone(known));
        }
        let unknown = || RemoteError::Refused(format!("the settings have no pool “{pool}”"));
        let options = self.pools.get(pool).ok_or_else(unknown)?;
        let made = Arc::new(Connection::open(options).map_err(|error| failed(&error))?);
        connections.insert(pool.to_owned(), Arc::clone(&made));
        Ok(made)
    }
}

fn failed(error: &PoolError) -> RemoteError {
    match error {
        PoolError::Options(_) | PoolError::File(..) | PoolError::Credentials(..) => {
            RemoteError::Refused(error.to_string())
        }
        _ => RemoteError::Lost(error.to_string()),
    }
}

impl Connection {
    fn open(options: &PoolOptions) -> Result<Connection, PoolError> {
        let runtime = Builder::new_current_thread().enable_all().thread_stack_size(threads::STACK).build()?;
        let link = runtime.block_on(async {
            let link = Link::connect(options, PoolTimes::of_environment(), |_: LinkNews| {}).await?;
            timeout(ATTEMPT, link.prepare()).await.map_err(|_| PoolError::Late("keep models", ATTEMPT.as_secs()))??;
            Ok::<Link, PoolError>(link)
        })?;
        let (end, ended) = oneshot::channel();
        let handle = runtime.handle().clone();
        threads::spawn("pool", move || {
            // An error is the end, too.
            let _ = runtime.block_on(ended);
        })?;
        Ok(Connection { handle, link, _end: end })
    }
}

impl RemoteWorkers for PoolWorkers {
    fn knows(&self, pool: &str) -> bool {
        self.pools.contains_key(pool)
    }

    fn open(&self, program: &Arc<Program>, block: usize) -> Result<Box<dyn RemoteSession>, RemoteError> {
        let remote = program.remote.as_ref().and_then(|remote| Some((remote, remote.blocks.get(block)?)));
        let Some((remote, of)) = remote else { return Err(RemoteError::Refused("there is no block".to_owned())) };
        let bundle = BlockBundle::of(program, block, &self.formats)?.to_bytes();
        let build = Build::of(&remote.registry);
        let connection = self.connection(&of.pool)?;
        let link = open(&connection, &bundle, &build)?;
        Ok(Box::new(BlockSession::begin(link, None)?))
    }

    fn patience(&self) -> Duration {
        self.patience
    }
}

/// Finds a worker.
fn open(connection: &Arc<Connection>, bundle: &[u8], build: &Build) -> Result<PoolLink, RemoteError> {
    let lost = |problem: String| RemoteError::Lost(problem);
    let client = &connection.link.client;
    let (model, inbox) = (hash_of(bundle), client.new_inbox());
    connection.handle.block_on(async {
        let stored = timeout(STORE, connection.link.put_object(&model, bundle)).await;
        stored.map_err(|_| lost("the pool did not store the model".to_owned()))?.map_err(|error| failed(&error))?;
        let messages = client.subscribe(inbox.clone()).await.map_err(|error| lost(error.to_string()))?;
        let call = BlockOpen { model, inbox }.to_bytes();
        let answer = timeout(ATTEMPT, client.request(open_subject(&build.build_key()), call.into())).await;
        let answer = answer.map_err(|_| lost(format!("no worker with {build} is free")))?;
        let answer = answer.map_err(|error| match error.kind() {
            RequestErrorKind::NoResponders => lost(format!("no worker with {build} answers")),
            _ => lost(format!("the pool does not answer: {error}")),
        })?;
        let opened = BlockOpened::of_bytes(&answer.payload).map_err(|error| lost(error.to_string()))?;
        let (sender, frames) = unbounded();
        let (subject, still) = (opened.subject.clone(), client.clone());
        tokio::spawn(async move {
            let (mut messages, mut joiner, mut ticks) = (messages, FrameJoiner::default(), interval(STILL));
            loop {
                tokio::select! {
                    message = messages.next() => {
                        let Some(message) = message else { break };
                        let frame = joiner.take(&message.payload);
                        if frame.is_some_and(|frame| sender.send(frame).is_err()) {
                            break;
                        }
                    }
                    _ = ticks.tick() => {
                        for part in parts_of(KEEP, &[]) {
                            // The next one follows soon.
                            let _ = still.publish(subject.clone(), part.into()).await;
                        }
                    }
                }
            }
        });
        Ok(PoolLink { connection: Arc::clone(connection), opened, frames })
    })
}

/// A way to a process of a worker.
#[derive(Debug)]
struct PoolLink {
    connection: Arc<Connection>,
    opened: BlockOpened,
    frames: Receiver<Frame>,
}

impl BlockLink for PoolLink {
    fn send(&mut self, kind: u8, content: &[u8]) -> Result<(), RemoteError> {
        let Connection { handle, link, .. } = &*self.connection;
        handle.block_on(async {
            for part in parts_of(kind, content) {
                let sent = link.client.publish(self.opened.subject.clone(), part.into()).await;
                sent.map_err(|error| RemoteError::Lost(error.to_string()))?;
            }
            Ok(())
        })
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<Frame>, RemoteError> {
        match self.frames.recv_timeout(wait) {
            Ok(frame) => Ok(Some(frame)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(RemoteError::Lost("the connection was closed".to_owned())),
        }
    }

    fn name(&self) -> String {
        self.opened.worker.clone()
    }
}

impl Drop for PoolLink {
    fn drop(&mut self) {
        // A worker that does not hear it notices the silence.
        let _ = self.send(CLOSE, &[]);
    }
}

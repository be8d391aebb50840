//! A session with the process that computes a remote block, whatever is between.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use super::{ANSWER, ASK, BEAT, BEAT_MS, LOAD, READY, REFUSED};
use crate::engine::{RemoteError, RemoteSession};
use crate::worker::Frame;

/// A process that was sent a request and is silent for this long is lost.
const SILENCE: Duration = Duration::from_millis(BEAT_MS * 10);
/// The longest time until a model is compiled.
const LOAD_TIME: Duration = Duration::from_secs(300);

/// A way to a process that computes a remote block.
pub trait BlockLink: Debug + Send {
    /// # Errors
    /// If the process is lost.
    fn send(&mut self, kind: u8, content: &[u8]) -> Result<(), RemoteError>;

    /// Waits up to `wait` for the next frame; `None` if it has not arrived yet.
    ///
    /// # Errors
    /// If the process is lost.
    fn receive(&mut self, wait: Duration) -> Result<Option<Frame>, RemoteError>;

    /// The name of the worker.
    fn name(&self) -> String;
}

/// A session; its block is being prepared or prepared.
#[derive(Debug)]
pub struct BlockSession<L> {
    link: L,
    begun: Instant,
    /// How many requests have no answer yet, and when something was heard last.
    asked: u64,
    heard: Instant,
}

impl<L: BlockLink> BlockSession<L> {
    /// Begins a session; `bundle` is sent unless the worker has got it in another way.
    ///
    /// # Errors
    /// If the process is lost.
    pub fn begin(mut link: L, bundle: Option<&[u8]>) -> Result<BlockSession<L>, RemoteError> {
        if let Some(bundle) = bundle {
            link.send(LOAD, bundle)?;
        }
        let begun = Instant::now();
        Ok(BlockSession { link, begun, asked: 0, heard: begun })
    }
}

impl<L: BlockLink> RemoteSession for BlockSession<L> {
    fn ready(&mut self, wait: Duration) -> Result<Option<u64>, RemoteError> {
        let frame = self.link.receive(wait)?;
        let now = Instant::now();
        match frame {
            Some(Frame { kind: READY, content }) => {
                let fingerprint = content.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
                fingerprint.map(Some).ok_or_else(wrong)
            }
            Some(Frame { kind: REFUSED, content }) => Err(refused(&content)),
            Some(Frame { kind: BEAT, .. }) => {
                self.heard = now;
                Ok(None)
            }
            Some(_) => Err(wrong()),
            None if now - self.heard > SILENCE || now - self.begun > LOAD_TIME => Err(silent()),
            None => Ok(None),
        }
    }

    fn send(&mut self, request: &[u8]) -> Result<(), RemoteError> {
        self.link.send(ASK, request)?;
        if self.asked == 0 {
            self.heard = Instant::now();
        }
        self.asked += 1;
        Ok(())
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<Vec<u8>>, RemoteError> {
        let begin = Instant::now();
        loop {
            match self.link.receive(wait.saturating_sub(begin.elapsed()))? {
                Some(frame) => {
                    self.heard = Instant::now();
                    match frame {
                        Frame { kind: ANSWER, content } => {
                            self.asked = self.asked.saturating_sub(1);
                            return Ok(Some(content));
                        }
                        Frame { kind: REFUSED, content } => return Err(refused(&content)),
                        Frame { kind: BEAT, .. } => {}
                        _ => return Err(wrong()),
                    }
                }
                None if self.asked > 0 && self.heard.elapsed() > SILENCE => return Err(silent()),
                None => return Ok(None),
            }
        }
    }

    fn worker(&self) -> String {
        self.link.name()
    }
}

fn refused(content: &[u8]) -> RemoteError {
    let text: String = String::from_utf8_lossy(content).chars().filter(|c| !c.is_control()).take(1000).collect();
    RemoteError::Refused(text)
}

fn wrong() -> RemoteError {
    RemoteError::Lost("the worker answers as it should not".to_owned())
}

fn silent() -> RemoteError {
    RemoteError::Lost(format!("the worker was silent for {} s", SILENCE.as_secs()))
}

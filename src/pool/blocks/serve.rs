//! The process that computes a remote block for another process, a child on pipes.
//!
//! It has no connection to the pool, no files and no plug-ins. While it computes, it sends heartbeats, so that a
//! process that hangs is recognized by its silence.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, bounded};

use super::super::message::PoolMessage as _;
use super::super::prepared::PoolParts;
use super::bundle::BlockBundle;
use super::{ANSWER, ASK, BEAT, BEAT_MS, LOAD, READY, REFUSED};
use crate::engine::RemoteService;
use crate::threads;
use crate::worker::{Answer, Frame, FrameError, MAX_FRAME, VERSION};

/// Answers requests until the other side ends.
///
/// # Errors
/// If the pipes fail or deliver an invalid frame.
pub fn serve_block(input: &mut dyn Read, output: &mut (dyn Write + Send), parts: &PoolParts) -> Result<(), FrameError> {
    Answer::Hello(VERSION).to_frame().write(output)?;
    let output = Mutex::new(output);
    let write = |frame: Frame| frame.write(&mut **output.lock().unwrap_or_else(PoisonError::into_inner));
    let is_busy = AtomicBool::new(false);
    let (end, ended) = bounded::<()>(0);
    std::thread::scope(|scope| {
        // Without a thread the other side may take this one for lost while it computes.
        let _ = threads::spawn_in(scope, "beat", || {
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(Duration::from_millis(BEAT_MS)) {
                // Who no longer listens is noticed where the answer is written.
                if is_busy.load(Ordering::Relaxed) && write(Frame { kind: BEAT, content: Vec::new() }).is_err() {
                    break;
                }
            }
        });
        let served = answer_all(input, &write, &is_busy, parts);
        drop(end);
        served
    })
}

fn answer_all(
    input: &mut dyn Read,
    write: &dyn Fn(Frame) -> Result<(), FrameError>,
    is_busy: &AtomicBool,
    parts: &PoolParts,
) -> Result<(), FrameError> {
    let mut frame = Frame::default();
    let mut service: Option<RemoteService> = None;
    while frame.read(input, MAX_FRAME)? {
        is_busy.store(true, Ordering::Relaxed);
        let answer = match (frame.kind, &mut service) {
            (LOAD, _) => {
                let bundle = BlockBundle::of_bytes(&frame.content).map_err(|error| error.to_string());
                let prepared = bundle.and_then(|bundle| bundle.prepare(parts));
                prepared.map(|prepared| {
                    let fingerprint = service.insert(prepared).fingerprint();
                    Frame { kind: READY, content: fingerprint.to_le_bytes().to_vec() }
                })
            }
            (ASK, Some(service)) => {
                let answer = service.answer(&frame.content);
                answer.map(|content| Frame { kind: ANSWER, content }).map_err(|error| error.to_string())
            }
            (ASK, None) => Err("there is no block".to_owned()),
            _ => return Ok(()),
        };
        is_busy.store(false, Ordering::Relaxed);
        write(answer.unwrap_or_else(|problem| Frame { kind: REFUSED, content: problem.into_bytes() }))?;
    }
    Ok(())
}

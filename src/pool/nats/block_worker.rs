//! A worker of a pool that computes remote blocks: each session has a process, and messages go through it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use async_nats::Message;
use futures_util::StreamExt as _;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::sleep;

use super::super::blocks::{
    BlockOpen, BlockOpened, BlockProcessOptions, CLOSE, FrameJoiner, LOAD, READY, REFUSED, parts_of,
};
use super::super::bundle::MAX_BUNDLE;
use super::super::message::PoolMessage as _;
use super::block_message::{GROUP, KEEP, open_subject};
use super::slot::Shared;
use super::worker::WorkerNews;
use crate::worker::{Frame, MAX_FRAME};

/// A session that is silent for this long is over.
const SILENCE: Duration = Duration::from_secs(15);
/// How long a session waits at a time for one of its two sides.
const GLANCE: Duration = Duration::from_millis(50);
/// The most sessions at a time: a process waits most of the time, as does its run.
const MAX_SESSIONS: usize = 64;

/// Takes sessions until the worker ends.
pub(super) async fn serve_blocks(shared: Arc<Shared>, options: BlockProcessOptions) {
    let sessions = Arc::new(AtomicUsize::new(0));
    loop {
        let subject = open_subject(&shared.build_key);
        let Ok(mut calls) = shared.link.client.queue_subscribe(subject, GROUP.to_owned()).await else {
            sleep(Duration::from_secs(2)).await;
            continue;
        };
        while let Some(call) = calls.next().await {
            if shared.is_ending() || sessions.load(Ordering::Relaxed) >= MAX_SESSIONS {
                continue;
            }
            let Ok(open) = BlockOpen::of_bytes(&call.payload) else { continue };
            let (shared, options, sessions) = (Arc::clone(&shared), options.clone(), Arc::clone(&sessions));
            sessions.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(async move {
                if let Err(problem) = serve(&shared, options, call, open).await {
                    (shared.news)(WorkerNews::Problem(format!("a model block: {problem}")));
                }
                sessions.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }
}

/// Serves a session.
async fn serve(
    shared: &Arc<Shared>,
    options: BlockProcessOptions,
    call: Message,
    open: BlockOpen,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let Some(reply) = call.reply else { return Ok(()) };
    let client = &shared.link.client;
    let subject = client.new_inbox();
    let mut messages = client.subscribe(subject.clone()).await?;
    let opened = BlockOpened { worker: shared.name.clone(), subject };
    client.publish(reply, opened.to_bytes().into()).await?;
    let (to_run, mut from_process) = unbounded_channel::<(u8, Vec<u8>)>();
    let (to_process, from_run) = channel::<Frame>();
    let (link, model) = (Arc::clone(shared), open.model.clone());
    let fetched = async move { link.link.object(&model, MAX_BUNDLE).await };
    let inbox = open.inbox;
    let fetched = fetched.await.ok();
    let thread = tokio::task::spawn_blocking(move || match fetched {
        Some(bundle) => pump(&options, bundle, &from_run, &to_run),
        None => drop(to_run.send((REFUSED, b"the pool does not have the model".to_vec()))),
    });
    let mut joiner = FrameJoiner::default();
    loop {
        tokio::select! {
            message = messages.next() => match message {
                Some(message) => {
                    let frame = joiner.take(&message.payload);
                    if frame.is_some_and(|frame| to_process.send(frame).is_err()) {
                        break;
                    }
                }
                None => break,
            },
            frame = from_process.recv() => match frame {
                Some((kind, content)) => {
                    for part in parts_of(kind, &content) {
                        client.publish(inbox.clone(), part.into()).await?;
                    }
                }
                None => break,
            },
        }
    }
    drop(to_process);
    thread.await?;
    Ok(())
}

/// Hands frames from the run to a process and back, until one of the two ends.
fn pump(
    options: &BlockProcessOptions,
    bundle: Vec<u8>,
    from_run: &Receiver<Frame>,
    to_run: &UnboundedSender<(u8, Vec<u8>)>,
) {
    let Ok(mut process) = options.start() else {
        drop(to_run.send((REFUSED, b"the worker cannot start a process".to_vec())));
        return;
    };
    if process.send_frame(&Frame { kind: LOAD, content: bundle }, None).is_err() {
        return;
    }
    let (mut asked, mut heard) = (1u64, Instant::now());
    while heard.elapsed() < SILENCE {
        // The side that is expected to speak next is waited for; the other one is looked at.
        let (for_run, for_process) = if asked > 0 { (Duration::ZERO, GLANCE) } else { (GLANCE, Duration::ZERO) };
        match from_run.recv_timeout(for_run) {
            Ok(Frame { kind: CLOSE, .. }) | Err(RecvTimeoutError::Disconnected) => return,
            Ok(Frame { kind: KEEP, .. }) => heard = Instant::now(),
            Ok(frame) => {
                (heard, asked) = (Instant::now(), asked + 1);
                if process.send_frame(&frame, None).is_err() {
                    return;
                }
                continue;
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        match process.has_frame(for_process) {
            Ok(true) => {}
            Ok(false) => continue,
            Err(_) => return,
        }
        let Ok(frame) = process.receive_frame(MAX_FRAME, None) else { return };
        let is_answer = matches!(frame.kind, READY | REFUSED | super::super::blocks::ANSWER);
        asked -= u64::from(is_answer && asked > 0);
        if to_run.send((frame.kind, frame.content.clone())).is_err() {
            return;
        }
    }
}

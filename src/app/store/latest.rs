//! A background worker that delivers only its latest result.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::threads;

/// Takes requests and returns the result of the last; earlier ones are cancelled.
pub struct LatestWorker<A, B> {
    channels: Option<Channels<A, B>>,
    work: Arc<Work<A, B>>,
    wake: Arc<dyn Fn() + Send + Sync>,
    asked: u64,
    answered: u64,
}

/// Requests and results, each with the request's number.
type Channels<A, B> = (Sender<(u64, A)>, Receiver<(u64, B)>);

/// The work; it calls its second argument to learn whether to continue.
type Work<A, B> = dyn Fn(A, &dyn Fn() -> bool) -> B + Send + Sync;

impl<A: Send + 'static, B: Send + 'static> LatestWorker<A, B> {
    /// `wake` is called when a result is ready. The thread starts with the first request.
    pub fn new(
        wake: Arc<dyn Fn() + Send + Sync>,
        work: impl Fn(A, &dyn Fn() -> bool) -> B + Send + Sync + 'static,
    ) -> LatestWorker<A, B> {
        LatestWorker { channels: None, work: Arc::new(work), wake, asked: 0, answered: 0 }
    }

    pub fn ask(&mut self, request: A) {
        self.asked += 1;
        let (work, wake) = (Arc::clone(&self.work), Arc::clone(&self.wake));
        let (requests, _) = self.channels.get_or_insert_with(|| {
            let (requests, inbox) = unbounded::<(u64, A)>();
            let (outbox, done) = bounded(4);
            // The thread ends when the sender is dropped.
            let _ = threads::spawn("latest", move || {
                while let Ok(request) = inbox.recv() {
                    let (number, newest) = inbox.try_iter().last().unwrap_or(request);
                    let result = work(newest, &|| inbox.is_empty());
                    if outbox.send((number, result)).is_err() {
                        break;
                    }
                    wake();
                }
            });
            (requests, done)
        });
        // Without the thread there is no result.
        let _ = requests.send((self.asked, request));
    }

    /// Returns the result of the last request, once.
    pub fn poll(&mut self) -> Option<B> {
        let (_, done) = self.channels.as_ref()?;
        let newest = self.asked;
        let (number, result) = done.try_iter().filter(|(number, _)| *number == newest).last()?;
        self.answered = number;
        Some(result)
    }

    pub fn is_busy(&self) -> bool {
        self.asked != self.answered
    }
}

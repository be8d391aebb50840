//! A thread that does one kind of work, the newest wish first.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

/// Asks for work and takes what came of it. Only the newest wish counts; older ones are given up.
pub struct Desk<A, B> {
    channels: Option<Channels<A, B>>,
    work: Arc<Work<A, B>>,
    wake: Arc<dyn Fn() + Send + Sync>,
    asked: u64,
    answered: u64,
}

/// Wishes and what came of them, each with its number.
type Channels<A, B> = (Sender<(u64, A)>, Receiver<(u64, B)>);

/// The work; it asks from time to time whether to go on.
type Work<A, B> = dyn Fn(A, &dyn Fn() -> bool) -> B + Send + Sync;

impl<A: Send + 'static, B: Send + 'static> Desk<A, B> {
    /// `wake` is called when something is done. The thread starts with the first wish.
    pub fn new(
        wake: Arc<dyn Fn() + Send + Sync>,
        work: impl Fn(A, &dyn Fn() -> bool) -> B + Send + Sync + 'static,
    ) -> Desk<A, B> {
        Desk { channels: None, work: Arc::new(work), wake, asked: 0, answered: 0 }
    }

    pub fn ask(&mut self, wish: A) {
        self.asked += 1;
        let (work, wake) = (Arc::clone(&self.work), Arc::clone(&self.wake));
        let (wishes, _) = self.channels.get_or_insert_with(|| {
            let (wishes, inbox) = unbounded::<(u64, A)>();
            let (outbox, done) = bounded(4);
            // The thread ends with the sender of its wishes.
            std::thread::spawn(move || {
                while let Ok(wish) = inbox.recv() {
                    let (number, newest) = inbox.try_iter().last().unwrap_or(wish);
                    let result = work(newest, &|| inbox.is_empty());
                    if outbox.send((number, result)).is_err() {
                        break;
                    }
                    wake();
                }
            });
            (wishes, done)
        });
        // Without its thread there is no answer; everything else goes on.
        let _ = wishes.send((self.asked, wish));
    }

    /// What came of the newest wish, once.
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

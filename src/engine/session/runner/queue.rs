//! A queue between two threads that is bounded by the size of what waits in it: a fast run and a slow window would else
//! fill the memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

/// The end that sends.
pub(super) struct QueueSender<T> {
    messages: Sender<(usize, T)>,
    /// Has a message after messages were received.
    freed: Receiver<()>,
    /// The size of all waiting messages.
    size: Arc<AtomicUsize>,
    capacity: usize,
}

/// The end that receives.
pub(super) struct QueueReceiver<T> {
    messages: Receiver<(usize, T)>,
    freed: Sender<()>,
    size: Arc<AtomicUsize>,
}

/// Why a message was not sent.
pub(super) enum NotSent<T> {
    /// There is no room; the message is returned.
    Full(T),
    Disconnected,
}

/// Returns the ends of a queue for messages whose sizes are at most `capacity` together.
pub(super) fn queue<T>(capacity: usize) -> (QueueSender<T>, QueueReceiver<T>) {
    let (messages, received) = unbounded();
    let (freed, is_freed) = bounded(1);
    let size = Arc::new(AtomicUsize::new(0));
    let sender = QueueSender { messages, freed: is_freed, size: Arc::clone(&size), capacity };
    (sender, QueueReceiver { messages: received, freed, size })
}

impl<T> QueueSender<T> {
    /// Sends a message of this size if there is room for it; one of any size fits an empty queue.
    pub fn try_send(&self, size: usize, message: T) -> Result<(), NotSent<T>> {
        let waiting = self.size.load(Ordering::SeqCst);
        if waiting > 0 && waiting + size > self.capacity {
            return Err(NotSent::Full(message));
        }
        // Before it can be received, so that the size is never too small.
        self.size.fetch_add(size, Ordering::SeqCst);
        self.messages.send((size, message)).map_err(|_| NotSent::Disconnected)
    }

    /// A channel that is ready when messages were received since its last message.
    pub fn freed(&self) -> &Receiver<()> {
        &self.freed
    }
}

impl<T> QueueReceiver<T> {
    /// Returns the messages that have arrived.
    pub fn try_iter(&self) -> impl Iterator<Item = T> + '_ {
        self.messages.try_iter().map(|message| self.free(message))
    }

    /// Waits for a message; `None` if the sender is gone or the deadline has passed.
    pub fn recv_deadline(&self, deadline: Instant) -> Option<T> {
        self.messages.recv_deadline(deadline).ok().map(|message| self.free(message))
    }

    fn free(&self, (size, message): (usize, T)) -> T {
        self.size.fetch_sub(size, Ordering::SeqCst);
        // If a message is waiting there already, the sender looks at the size after receiving it.
        let _ = self.freed.try_send(());
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_wait_until_there_is_room_for_their_size() {
        let (sender, receiver) = queue(3);
        // Larger than the capacity, into the empty queue.
        assert!(sender.try_send(5, 'a').is_ok());
        assert!(matches!(sender.try_send(1, 'b'), Err(NotSent::Full('b'))));
        assert_eq!(receiver.try_iter().collect::<Vec<_>>(), ['a']);
        assert!(sender.freed().try_recv().is_ok() && sender.freed().try_recv().is_err());
        // Exactly as many as fit.
        for message in ['b', 'c', 'd'] {
            assert!(sender.try_send(1, message).is_ok(), "{message}");
        }
        assert!(matches!(sender.try_send(1, 'e'), Err(NotSent::Full('e'))));
        assert_eq!(receiver.recv_deadline(Instant::now()), Some('b'));
        assert!(matches!(sender.try_send(2, 'e'), Err(NotSent::Full('e'))));
        assert!(sender.try_send(1, 'e').is_ok());
        assert_eq!(receiver.try_iter().collect::<Vec<_>>(), ['c', 'd', 'e']);
        assert_eq!(receiver.recv_deadline(Instant::now()), None);
        drop(receiver);
        assert!(matches!(sender.try_send(1, 'f'), Err(NotSent::Disconnected)));
    }
}

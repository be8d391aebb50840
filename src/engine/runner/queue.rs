//! The queue of events from the engine thread to its owner, bounded by the samples in it: a fast run and a slow window
//! would else fill the memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::{Event, TaggedEvent};

/// The samples that may wait: 8 MB.
const CAPACITY: usize = 1 << 20;
/// An event counts as this many samples besides its own, so that the number of events is bounded too.
const EVENT: usize = CAPACITY / 256;

/// The end of the engine thread.
pub(super) struct EventSender {
    events: Sender<TaggedEvent>,
    /// Has a message after events were received.
    freed: Receiver<()>,
    /// The size of all waiting events.
    size: Arc<AtomicUsize>,
}

/// The end of the owner.
pub(super) struct EventReceiver {
    events: Receiver<TaggedEvent>,
    freed: Sender<()>,
    size: Arc<AtomicUsize>,
}

/// Why an event was not sent.
pub(super) enum NotSent {
    /// There is no room; the event is returned.
    Full(TaggedEvent),
    Disconnected,
}

pub(super) fn event_queue() -> (EventSender, EventReceiver) {
    let (sender, receiver) = unbounded();
    let (freed, is_freed) = bounded(1);
    let size = Arc::new(AtomicUsize::new(0));
    let ends = (Arc::clone(&size), size);
    (
        EventSender { events: sender, freed: is_freed, size: ends.0 },
        EventReceiver { events: receiver, freed, size: ends.1 },
    )
}

fn size_of_event(event: &Event) -> usize {
    EVENT
        + match event {
            Event::Samples { values, .. } | Event::Backfilled { values, .. } => values.len(),
            _ => 0,
        }
}

impl EventSender {
    /// Sends an event if there is room for it; an event of any size fits an empty queue.
    pub fn try_send(&self, message: TaggedEvent) -> Result<(), NotSent> {
        let added = size_of_event(&message.1);
        let waiting = self.size.load(Ordering::SeqCst);
        if waiting > 0 && waiting + added > CAPACITY {
            return Err(NotSent::Full(message));
        }
        // Before it can be received, so that the size is never too small.
        self.size.fetch_add(added, Ordering::SeqCst);
        self.events.send(message).map_err(|_| NotSent::Disconnected)
    }

    /// A channel that is ready when events were received since the last message.
    pub fn freed(&self) -> &Receiver<()> {
        &self.freed
    }
}

impl EventReceiver {
    /// Returns the events that have arrived.
    pub fn try_iter(&self) -> impl Iterator<Item = TaggedEvent> + '_ {
        self.events.try_iter().inspect(|message| self.free(message))
    }

    /// Waits for an event; none if the thread has ended or the deadline has passed.
    pub fn recv_deadline(&self, deadline: Instant) -> Option<TaggedEvent> {
        self.events.recv_deadline(deadline).inspect(|message| self.free(message)).ok()
    }

    fn free(&self, (_, event): &TaggedEvent) {
        self.size.fetch_sub(size_of_event(event), Ordering::SeqCst);
        // If a message is waiting there already, the thread looks at the size after receiving it.
        let _ = self.freed.try_send(());
    }
}

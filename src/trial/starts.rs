//! Searches from several starts at the same time.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_channel::bounded;

use crate::engine::Cancel;
use crate::threads;

/// The number of reports that may wait for the caller.
const WAITING: usize = 64;

/// Does the work of each start on several threads, each with a state of its own. `look` sees the reports of all of them on
/// the calling thread. Returns the result of each start; `None` if it was cancelled before the start was begun.
pub(crate) fn from_starts<S, N: Send, T: Send>(
    (count, workers): (usize, NonZeroUsize),
    cancel: &Cancel,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize, &mut dyn FnMut(N)) -> T + Sync,
    look: &mut dyn FnMut(N),
) -> Vec<Option<T>> {
    enum Report<N, T> {
        Progress(N),
        Done(usize, T),
    }
    let mut found: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let next = AtomicUsize::new(0);
    let (reports, received) = bounded(WAITING);
    std::thread::scope(|scope| {
        for number in 0..workers.get().min(count) {
            let (reports, next, state, work) = (reports.clone(), &next, &state, &work);
            let search = move || {
                let mut state = state();
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || cancel.is_cancelled() {
                        return;
                    }
                    let done = work(&mut state, index, &mut |progress| {
                        let _ = reports.send(Report::Progress(progress));
                    });
                    let _ = reports.send(Report::Done(index, done));
                }
            };
            // Without a further thread, those that began do the work.
            if threads::spawn_in(scope, &format!("search {}", number + 1), search).is_err() && number == 0 {
                return;
            }
        }
        drop(reports);
        for report in received {
            match report {
                Report::Progress(progress) => look(progress),
                Report::Done(index, done) => {
                    if let Some(slot) = found.get_mut(index) {
                        *slot = Some(done);
                    }
                }
            }
        }
    });
    found
}

//! Searches from several starts at the same time.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_channel::bounded;

use crate::engine::Cancel;
use crate::threads;

/// Searches on their way to the caller that wait for it at most.
const NEWS: usize = 64;

/// Does the work of each start on so many threads, each with a state of its own. `look` sees the news of all on the
/// calling thread. Returns what each start comes to; `None` for a start that was not begun before it was cancelled.
pub(crate) fn from_starts<S, N: Send, T: Send>(
    (count, workers): (usize, NonZeroUsize),
    cancel: &Cancel,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize, &mut dyn FnMut(N)) -> T + Sync,
    look: &mut dyn FnMut(N),
) -> Vec<Option<T>> {
    enum News<N, T> {
        Progress(N),
        Done(usize, T),
    }
    let mut found: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let next = AtomicUsize::new(0);
    let (news, heard) = bounded(NEWS);
    std::thread::scope(|scope| {
        for number in 0..workers.get().min(count) {
            let (news, next, state, work) = (news.clone(), &next, &state, &work);
            let search = move || {
                let mut state = state();
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || cancel.is_cancelled() {
                        return;
                    }
                    let done = work(&mut state, index, &mut |progress| {
                        let _ = news.send(News::Progress(progress));
                    });
                    let _ = news.send(News::Done(index, done));
                }
            };
            // Without a further thread, those that began do the work.
            if threads::spawn_in(scope, &format!("search {}", number + 1), search).is_err() && number == 0 {
                return;
            }
        }
        drop(news);
        for news in heard {
            match news {
                News::Progress(progress) => look(progress),
                News::Done(index, done) => {
                    if let Some(slot) = found.get_mut(index) {
                        *slot = Some(done);
                    }
                }
            }
        }
    });
    found
}

//! Watches a pool on a background thread: its sweeps and workers, or why it does not answer.

use crossbeam_channel::{Receiver, unbounded};

use super::pools::{PoolSeen, PoolSetting, told};
use crate::block::Cancel;
use crate::pool::{PoolListing, watch};
use crate::threads;

/// A pool that is being watched; dropping it stops watching.
pub struct PoolWatch {
    pub pool: PoolSetting,
    pub seen: PoolSeen,
    news: Receiver<PoolSeen>,
    stop: Cancel,
}

impl PoolWatch {
    /// Begins to watch; `wake` is called when there is something new.
    pub fn begin(pool: PoolSetting, wake: impl Fn() + Send + 'static) -> PoolWatch {
        let (sender, news) = unbounded();
        let stop = Cancel::new();
        let (options, stopped) = (pool.options(), stop.clone());
        // Without a thread nothing is seen.
        let _ = threads::spawn("pool watch", move || {
            let tell = |seen| {
                // The window may be gone.
                let _ = sender.send(seen);
                wake();
            };
            let watched = watch(&options, &stopped, |listing| {
                tell(match listing {
                    Ok(PoolListing { sweeps, workers }) => PoolSeen::Listed { sweeps, workers },
                    Err(error) => PoolSeen::Failed(told(error)),
                });
            });
            if let Err(error) = watched {
                tell(PoolSeen::Failed(told(error)));
            }
        });
        PoolWatch { pool, seen: PoolSeen::Connecting, news, stop }
    }

    /// Takes the news of the thread.
    pub fn poll(&mut self) {
        if let Some(seen) = self.news.try_iter().last() {
            self.seen = seen;
        }
    }
}

impl Drop for PoolWatch {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

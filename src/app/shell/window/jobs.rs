//! The results of background jobs.

use std::time::Duration;

use crate::app::shell::app::App;
use crate::app::store::jobs::Ended;

impl App {
    /// Calls the `finish` function of each job that has ended.
    pub(crate) fn poll_jobs(&mut self) {
        let ended = self.jobs.poll();
        self.take_ended(ended);
    }

    /// Waits until a job has ended, at most `timeout`.
    pub fn wait_for_jobs(&mut self, timeout: Duration) {
        let ended = self.jobs.wait(timeout);
        self.take_ended(ended);
    }

    /// Returns whether jobs are in progress.
    pub fn has_jobs(&self) -> bool {
        !self.jobs.is_idle()
    }

    fn take_ended(&mut self, ended: Vec<Ended<App>>) {
        for ended in ended {
            match ended {
                Ended::Done(finish) => finish(self),
                // The panic is in the log.
                Ended::Lost(title) => self.complain(format!("{title} failed: internal error")),
            }
        }
    }
}

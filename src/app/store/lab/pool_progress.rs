//! The progress of a sweep that a pool computes, as the window knows it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::pool::message::WorkerGreeting;

/// The progress of a sweep on a pool.
#[derive(Clone, Debug)]
pub struct PoolProgress {
    /// The name of the pool in the settings.
    pub pool: String,
    /// The id of the sweep; empty before the pool has it.
    pub sweep: String,
    /// The name of the simulation file.
    pub file: String,
    /// The workers that may take part.
    pub workers: Vec<WorkerGreeting>,
    /// The last event that the user should know.
    pub note: Option<String>,
    /// The workers that do not take part, and why.
    pub refusals: BTreeMap<String, String>,
    /// When results were counted for the first time, and how many there were.
    begin: Option<(Instant, usize)>,
}

impl PoolProgress {
    pub fn new(pool: &str) -> PoolProgress {
        PoolProgress {
            pool: pool.to_owned(),
            sweep: String::new(),
            file: String::new(),
            workers: Vec::new(),
            note: None,
            refusals: BTreeMap::new(),
            begin: None,
        }
    }

    /// Counts the results so far.
    pub fn count(&mut self, done: usize) {
        if done > 0 && self.begin.is_none() {
            self.begin = Some((Instant::now(), done));
        }
    }

    /// Estimates the remaining time from the progress since the first results.
    pub fn left(&self, done: usize, count: u64) -> Option<Duration> {
        let (since, before) = self.begin?;
        let (took, new) = (since.elapsed(), done.checked_sub(before).filter(|new| *new > 0)?);
        if took < Duration::from_secs(1) {
            return None;
        }
        let left = count.saturating_sub(done as u64) as f64;
        Duration::try_from_secs_f64(took.as_secs_f64() / new as f64 * left).ok()
    }
}

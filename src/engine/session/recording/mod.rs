//! The recorded signals of a run: columns of samples that can be drawn at any zoom in time proportional to the width of
//! the plot.
//!
//! | module | contents |
//! |---|---|
//! | `column` | [`Column`]: one element of a signal |
//! | `chunk` | [`Chunk`]: complete blocks of samples, in memory or in a [`SpillFile`] |
//! | `extent` | [`Extent`], [`Extremes`], and the pyramid of extremes over samples |
//!
//! Columns share their complete chunks, so a copy of a recording costs little, whatever its length.

mod chunk;
mod column;
mod extent;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use chunk::{Chunk, SpillFile, SpilledChunk};
pub use column::{Bucket, Column};
pub use extent::{Extent, Extremes};

use crate::model::SignalKey;

/// The recorded signals of one run.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The step length in seconds.
    pub delta: f64,
    signals: BTreeMap<SignalKey, Vec<Column>>,
    held: BTreeSet<SignalKey>,
    spill_file: Option<Arc<dyn SpillFile>>,
}

impl Recording {
    pub fn new(delta: f64) -> Recording {
        Recording { delta, ..Recording::default() }
    }

    /// Returns a recording whose complete chunks are offered to a spill file.
    pub fn with_spill_file(delta: f64, spill_file: Arc<dyn SpillFile>) -> Recording {
        Recording { delta, spill_file: Some(spill_file), ..Recording::default() }
    }

    /// Offers further chunks to a spill file.
    pub fn use_spill_file(&mut self, spill_file: Arc<dyn SpillFile>) {
        self.spill_file = Some(spill_file);
    }

    /// Appends the samples of consecutive steps from `first` on, `width` elements a step.
    ///
    /// Samples that were omitted since the last call become NaN.
    pub fn append(&mut self, signal: &SignalKey, first: u64, width: usize, samples: &[f64]) {
        if width == 0 {
            return;
        }
        if !self.signals.contains_key(signal) {
            self.signals.insert(signal.clone(), vec![Column::new(first); width]);
        }
        let Some(columns) = self.signals.get_mut(signal) else { return };
        for (element, column) in columns.iter_mut().enumerate().take(width) {
            let known = column.chunks().len();
            let left_out = first.saturating_sub(column.steps().end);
            column.extend((0..left_out).map(|_| f64::NAN));
            match width {
                1 => column.extend(samples.iter().copied()),
                _ => column.extend(samples.iter().skip(element).step_by(width).copied()),
            }
            if let Some(spill_file) = &self.spill_file {
                column.chunks().iter().skip(known).for_each(|chunk| spill_file.offer(chunk));
            }
        }
    }

    /// Sets whether a signal holds each value until the next.
    pub fn set_held(&mut self, signal: &SignalKey, is_held: bool) {
        match is_held {
            true => drop(self.held.insert(signal.clone())),
            false => drop(self.held.remove(signal)),
        }
    }

    /// Whether a signal holds each value until the next: it is drawn as stairs.
    pub fn is_held(&self, signal: &SignalKey) -> bool {
        self.held.contains(signal)
    }

    /// Lets the samples of each signal be those of the signals that `now` returns for it.
    pub fn relocate(&mut self, now: impl Fn(&SignalKey) -> Vec<SignalKey>) {
        let signals = std::mem::take(&mut self.signals);
        for (signal, columns) in &signals {
            for new in now(signal) {
                self.signals.entry(new).or_insert_with(|| columns.clone());
            }
        }
        self.held = self.held.iter().flat_map(&now).collect();
    }

    /// Removes all samples from a step on.
    pub fn truncate(&mut self, step: u64) {
        self.signals.values_mut().flatten().for_each(|column| column.truncate(step));
    }

    pub fn signals(&self) -> impl Iterator<Item = (&SignalKey, &[Column])> {
        self.signals.iter().map(|(key, columns)| (key, columns.as_slice()))
    }

    /// Returns the columns of a signal, one for each element.
    pub fn columns(&self, signal: &SignalKey) -> &[Column] {
        self.signals.get(signal).map_or(&[], Vec::as_slice)
    }

    pub fn is_empty(&self) -> bool {
        self.signals.is_empty()
    }

    /// The bytes of memory that the recording uses.
    pub fn size(&self) -> usize {
        self.signals.values().flatten().map(Column::size).sum()
    }
}

//! What a run has produced: columns of samples that can be drawn at any zoom in time proportional to the plot's width.
//!
//! | module | what lives there |
//! |---|---|
//! | `column` | [`Column`]: one element of a signal |
//! | `chunk` | [`Chunk`]: samples that are complete, in memory or on a [`SpillFile`] |
//! | `extent` | [`Extent`], [`Extremes`], and the pyramid of extremes over samples |
//!
//! Columns share their complete chunks: a copy of a recording costs little, whatever its length.

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
    /// Seconds a step.
    pub delta: f64,
    signals: BTreeMap<SignalKey, Vec<Column>>,
    held: BTreeSet<SignalKey>,
    shelf: Option<Arc<dyn SpillFile>>,
}

impl Recording {
    pub fn new(delta: f64) -> Recording {
        Recording { delta, ..Recording::default() }
    }

    /// A recording whose complete chunks are offered to a shelf.
    pub fn with_shelf(delta: f64, shelf: Arc<dyn SpillFile>) -> Recording {
        Recording { delta, shelf: Some(shelf), ..Recording::default() }
    }

    /// Offers further chunks to a shelf.
    pub fn use_shelf(&mut self, shelf: Arc<dyn SpillFile>) {
        self.shelf = Some(shelf);
    }

    /// Appends the samples of consecutive steps from `first` on, `width` elements a step.
    ///
    /// Where samples were left out since the last call, they count as not-a-number.
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
            if let Some(shelf) = &self.shelf {
                column.chunks().iter().skip(known).for_each(|chunk| shelf.offer(chunk));
            }
        }
    }

    /// From here on a signal is one that holds each value until the next, or is not.
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

    /// Forgets all samples from a step on.
    pub fn truncate(&mut self, step: u64) {
        self.signals.values_mut().flatten().for_each(|column| column.truncate(step));
    }

    pub fn signals(&self) -> impl Iterator<Item = (&SignalKey, &[Column])> {
        self.signals.iter().map(|(key, columns)| (key, columns.as_slice()))
    }

    /// The elements of a signal.
    pub fn columns(&self, signal: &SignalKey) -> &[Column] {
        self.signals.get(signal).map_or(&[], Vec::as_slice)
    }

    pub fn is_empty(&self) -> bool {
        self.signals.is_empty()
    }

    /// Bytes of memory.
    pub fn size(&self) -> usize {
        self.signals.values().flatten().map(Column::size).sum()
    }
}

//! What a run has produced: columns of samples that can be drawn at any zoom in time proportional to the plot's width.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::model::SignalKey;

/// The recorded signals of one run.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Seconds a step.
    pub delta: f64,
    signals: BTreeMap<SignalKey, Vec<Column>>,
}

/// One lane of a signal, a sample a step, with the smallest and largest value of each group of samples beside it.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// The step of the first sample.
    first: u64,
    values: Vec<f64>,
    /// Level `i` has one range for each `GROUP^(i+1)` samples that are complete.
    levels: Vec<Vec<Extent>>,
}

/// The smallest and largest of some samples; not-a-numbers do not count. Empty where `low > high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    pub low: f64,
    pub high: f64,
}

/// Samples in a group of the lowest level, groups in one of the next.
const GROUP: usize = 16;

impl Recording {
    pub fn new(delta: f64) -> Recording {
        Recording { delta, signals: BTreeMap::new() }
    }

    /// Appends the samples of consecutive steps from `first` on, `width` lanes a step.
    ///
    /// Where samples were left out since the last call, they count as not-a-number.
    pub fn append(&mut self, signal: &SignalKey, first: u64, width: usize, samples: &[f64]) {
        if width == 0 {
            return;
        }
        if !self.signals.contains_key(signal) {
            self.signals.insert(signal.clone(), vec![Column { first, ..Column::default() }; width]);
        }
        let Some(columns) = self.signals.get_mut(signal) else { return };
        for (lane, column) in columns.iter_mut().enumerate().take(width) {
            while column.first + (column.values.len() as u64) < first {
                column.push(f64::NAN);
            }
            column.values.reserve(samples.len() / width);
            samples.iter().skip(lane).step_by(width).for_each(|&value| column.push(value));
        }
    }

    /// Forgets all samples from a step on.
    pub fn truncate(&mut self, step: u64) {
        self.signals.values_mut().flatten().for_each(|column| column.truncate(step));
    }

    pub fn signals(&self) -> impl Iterator<Item = (&SignalKey, &[Column])> {
        self.signals.iter().map(|(key, columns)| (key, columns.as_slice()))
    }

    /// The lanes of a signal.
    pub fn columns(&self, signal: &SignalKey) -> &[Column] {
        self.signals.get(signal).map_or(&[], Vec::as_slice)
    }

    pub fn is_empty(&self) -> bool {
        self.signals.is_empty()
    }

    /// Bytes held by samples.
    pub fn size(&self) -> usize {
        let columns = self.signals.values().flatten();
        columns.map(|column| column.values.len() * (8 + 16 / GROUP)).sum()
    }
}

impl Extent {
    pub const EMPTY: Extent = Extent { low: f64::INFINITY, high: f64::NEG_INFINITY };

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    pub fn with(self, value: f64) -> Extent {
        // Both minima give the other operand for not-a-number.
        Extent { low: self.low.min(value), high: self.high.max(value) }
    }

    pub fn join(self, other: Extent) -> Extent {
        Extent { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

impl Column {
    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The steps that have a sample.
    pub fn steps(&self) -> Range<u64> {
        self.first..self.first + self.values.len() as u64
    }

    pub fn at_step(&self, step: u64) -> Option<f64> {
        let index = usize::try_from(step.checked_sub(self.first)?).ok()?;
        self.values.get(index).copied()
    }

    pub fn last(&self) -> Option<f64> {
        self.values.last().copied()
    }

    /// The samples, one a step.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    fn truncate(&mut self, step: u64) {
        let count = usize::try_from(step.saturating_sub(self.first)).unwrap_or(usize::MAX);
        self.values.truncate(count);
        let mut count = self.values.len();
        for level in &mut self.levels {
            count /= GROUP;
            level.truncate(count);
        }
    }

    pub fn push(&mut self, value: f64) {
        self.values.push(value);
        let mut count = self.values.len();
        let mut level = 0;
        while count.is_multiple_of(GROUP) {
            count /= GROUP;
            let extent = match level {
                0 => extent_of(&self.values[self.values.len() - GROUP..]),
                _ => {
                    let below = &self.levels[level - 1];
                    below[below.len() - GROUP..].iter().fold(Extent::EMPTY, |all, &part| all.join(part))
                }
            };
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(extent);
            level += 1;
        }
    }

    /// The extent of the samples of a range of steps; as far as there are samples.
    pub fn extent(&self, steps: Range<u64>) -> Extent {
        let index = |step: u64| step.clamp(self.first, self.steps().end).saturating_sub(self.first) as usize;
        self.extent_of_indices(index(steps.start), index(steps.end))
    }

    fn extent_of_indices(&self, mut start: usize, mut end: usize) -> Extent {
        let mut extent = Extent::EMPTY;
        let mut level = 0;
        // Ragged ends are taken on each level, the rest one level up.
        loop {
            let part = |from: usize, to: usize| match level {
                0 => self.values.get(from..to).map_or(Extent::EMPTY, extent_of),
                level => self.levels[level - 1]
                    .get(from..to)
                    .map_or(Extent::EMPTY, |parts| parts.iter().fold(Extent::EMPTY, |all, &part| all.join(part))),
            };
            let (inner_start, inner_end) = (start.div_ceil(GROUP), end / GROUP);
            if inner_start >= inner_end || level >= self.levels.len() {
                return extent.join(part(start, end));
            }
            extent = extent.join(part(start, inner_start * GROUP)).join(part(inner_end * GROUP, end));
            (start, end) = (inner_start, inner_end);
            level += 1;
        }
    }

    /// At most `buckets` extents, or one more, that together cover a range of steps, each with its first step; or none where the
    /// range has no more samples than that, which can then be drawn one by one.
    pub fn buckets(&self, steps: Range<u64>, buckets: usize) -> Option<Vec<(u64, Extent)>> {
        let start = steps.start.max(self.first);
        let end = steps.end.min(self.steps().end);
        let count = end.saturating_sub(start);
        if count <= buckets as u64 {
            return None;
        }
        // Borders at multiples of the bucket's length: they stay where they are while the view moves.
        let length = count.div_ceil(buckets.max(1) as u64).next_power_of_two();
        let first = start / length;
        let last = (end - 1) / length;
        let bucket = |number: u64| {
            let from = (number * length).max(start);
            (from, self.extent(from..((number + 1) * length).min(end)))
        };
        Some((first..=last).map(bucket).collect())
    }
}

fn extent_of(values: &[f64]) -> Extent {
    values.iter().fold(Extent::EMPTY, |all, &value| all.with(value))
}

//! One element of a signal, a sample a step.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::chunk::Chunk;
use super::extent::{Extent, Extremes, GROUP, Pyramid};

/// One element of a signal, a sample a step.
#[derive(Debug)]
pub struct Column {
    generation: u64,
    /// The step of the first sample.
    first: u64,
    chunks: Vec<Arc<Chunk>>,
    /// The pyramid over the extremes of complete chunks.
    over: Pyramid,
    extremes: Vec<Extremes>,
    /// The samples behind the last complete chunk, with the first and the last sample of each complete group.
    tail: Vec<f64>,
    ends: Vec<[f64; 2]>,
    pyramid: Pyramid,
}

/// A summary of a curve over consecutive steps. The line through `first`, the extremes in their order, and `last`
/// covers the same range as the line through all samples, and joins its neighbours in the same way.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    /// The steps of the first and of the last sample.
    pub steps: (u64, u64),
    /// The first sample, which may be infinite or NaN.
    pub first: f64,
    pub last: f64,
    pub extremes: Extremes,
}

impl Bucket {
    /// A single sample.
    pub fn of(step: u64, value: f64) -> Bucket {
        Bucket { steps: (step, step), first: value, last: value, extremes: Extremes::of(&[value]) }
    }

    /// Calls `take` with up to four points, as time in steps and value: the first, the extremes and the last, without
    /// repetitions. Only the first and the last may be not finite.
    pub fn corners(&self, mut take: impl FnMut(f64, f64)) {
        let (from, length) = (self.steps.0 as f64, (self.steps.1 - self.steps.0) as f64);
        let Extremes { early, late } = self.extremes;
        take(from, self.first);
        let mut before = self.first;
        if !early.is_nan() && early != before {
            take(from + length / 3.0, early);
            before = early;
        }
        if !late.is_nan() && late != before && late != self.last {
            take(from + length / 1.5, late);
            before = late;
        }
        let is_same = self.last == before || (self.last.is_nan() && before.is_nan());
        if !is_same {
            take(from + length, self.last);
        }
    }
}

/// Returns a number that no other column has had.
fn next_generation() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

impl Default for Column {
    fn default() -> Column {
        Column {
            generation: next_generation(),
            first: 0,
            chunks: Vec::new(),
            over: Pyramid::default(),
            extremes: Vec::new(),
            tail: Vec::new(),
            ends: Vec::new(),
            pyramid: Pyramid::default(),
        }
    }
}

/// The copy may change independently, so it has a generation of its own.
impl Clone for Column {
    fn clone(&self) -> Column {
        Column {
            generation: next_generation(),
            first: self.first,
            chunks: self.chunks.clone(),
            over: self.over.clone(),
            extremes: self.extremes.clone(),
            tail: self.tail.clone(),
            ends: self.ends.clone(),
            pyramid: self.pyramid.clone(),
        }
    }
}

impl Column {
    /// Returns an empty column whose first sample will be that of step `first`.
    pub fn new(first: u64) -> Column {
        Column { first, ..Column::default() }
    }

    /// Returns a number that no other column has; it changes when samples are removed. A column of the same generation
    /// and length has the same samples.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    pub fn len(&self) -> usize {
        self.chunks.len() * Chunk::LEN + self.tail.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the steps that have a sample.
    pub fn steps(&self) -> Range<u64> {
        self.first..self.first + self.len() as u64
    }

    pub fn at_step(&self, step: u64) -> Option<f64> {
        let index = usize::try_from(step.checked_sub(self.first)?).ok()?;
        match self.chunks.get(index / Chunk::LEN) {
            Some(chunk) => chunk.at(index % Chunk::LEN),
            None => self.tail.get(index - self.chunks.len() * Chunk::LEN).copied(),
        }
    }

    pub fn last(&self) -> Option<f64> {
        self.at_step(self.steps().end.checked_sub(1)?)
    }

    /// Returns all samples, one for each step.
    pub fn values(&self) -> Vec<f64> {
        self.range(self.steps())
    }

    /// Returns the samples of a range of steps, as far as they exist.
    pub fn range(&self, steps: Range<u64>) -> Vec<f64> {
        let mut values = Vec::with_capacity(self.indices(&steps).len());
        self.each(steps, |part| values.extend_from_slice(part));
        values
    }

    /// Calls `take` with the samples of a range of steps, in consecutive slices.
    pub fn each(&self, steps: Range<u64>, mut take: impl FnMut(&[f64])) {
        let indices = self.indices(&steps);
        for (number, part) in self.parts(indices) {
            match self.chunks.get(number) {
                Some(chunk) => chunk.values().get(part).into_iter().for_each(&mut take),
                None => self.tail.get(part).into_iter().for_each(&mut take),
            }
        }
    }

    /// Returns the complete chunks, from the first sample on.
    pub fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    pub fn push(&mut self, value: f64) {
        self.extend(std::iter::once(value));
    }

    pub fn extend(&mut self, values: impl IntoIterator<Item = f64>) {
        let mut values = values.into_iter();
        loop {
            let (before, room) = (self.tail.len(), GROUP - self.tail.len() % GROUP);
            self.tail.extend(values.by_ref().take(room));
            if self.tail.len() < before + room {
                return;
            }
            self.end_group();
        }
    }

    /// Updates the summaries after a group of samples is complete, and perhaps a chunk.
    fn end_group(&mut self) {
        let tail = &self.tail;
        self.pyramid.grow(tail.len(), |range| tail.get(range).map_or(Extremes::EMPTY, Extremes::of));
        let first = tail.len().checked_sub(GROUP).and_then(|first| tail.get(first));
        self.ends.extend(first.zip(tail.last()).map(|(first, last)| [*first, *last]));
        if self.tail.len() == Chunk::LEN {
            let (tail, pyramid) = (std::mem::take(&mut self.tail), std::mem::take(&mut self.pyramid));
            let chunk = Chunk::new(tail, pyramid, std::mem::take(&mut self.ends));
            self.extremes.push(chunk.extremes(0..Chunk::LEN));
            self.chunks.push(Arc::new(chunk));
            let extremes = &self.extremes;
            self.over.grow(extremes.len(), |range| extremes.get(range).map_or(Extremes::EMPTY, Extremes::of_all));
        }
    }

    pub(super) fn truncate(&mut self, step: u64) {
        let count = usize::try_from(step.saturating_sub(self.first)).unwrap_or(usize::MAX);
        if count >= self.len() {
            return;
        }
        self.generation = next_generation();
        let whole = count / Chunk::LEN;
        if let Some(cut) = self.chunks.get(whole) {
            self.tail = cut.values().to_vec();
            self.pyramid = cut.pyramid().clone();
            self.ends = cut.ends().to_vec();
            self.chunks.truncate(whole);
            self.extremes.truncate(whole);
            self.over.truncate(whole);
        }
        let left = count - whole * Chunk::LEN;
        self.tail.truncate(left);
        self.ends.truncate(left / GROUP);
        self.pyramid.truncate(left);
    }

    /// Returns the extent of the samples of a range of steps, as far as they exist.
    pub fn extent(&self, steps: Range<u64>) -> Extent {
        self.extremes(steps).extent()
    }

    /// Returns the extremes of the samples of a range of steps, as far as they exist.
    pub fn extremes(&self, steps: Range<u64>) -> Extremes {
        let indices = self.indices(&steps);
        let whole = indices.start.div_ceil(Chunk::LEN)..(indices.end / Chunk::LEN).min(self.chunks.len());
        let of_part = |(number, part): (usize, Range<usize>)| match self.chunks.get(number) {
            Some(chunk) => chunk.extremes(part),
            None => self.pyramid.extremes(part, |range| self.tail.get(range).map_or(Extremes::EMPTY, Extremes::of)),
        };
        if whole.is_empty() {
            return self.parts(indices).map(of_part).fold(Extremes::EMPTY, Extremes::then);
        }
        let of = |range: Range<usize>| self.extremes.get(range).map_or(Extremes::EMPTY, Extremes::of_all);
        let before = self.parts(indices.start..whole.start * Chunk::LEN).map(of_part);
        let behind = self.parts(whole.end * Chunk::LEN..indices.end).map(of_part);
        let inner = before.fold(Extremes::EMPTY, Extremes::then).then(self.over.extremes(whole, of));
        behind.fold(inner, Extremes::then)
    }

    /// Divides a range of steps into at most `buckets + 1` buckets; `None` if the range has at most `buckets` samples,
    /// which can be drawn one by one.
    pub fn buckets(&self, steps: Range<u64>, buckets: usize) -> Option<Vec<Bucket>> {
        let start = steps.start.max(self.first);
        let end = steps.end.min(self.steps().end);
        let count = end.saturating_sub(start);
        if count <= buckets as u64 {
            return None;
        }
        // Buckets begin at multiples of their length, so that they stay the same while the view scrolls.
        let length = count.div_ceil(buckets.max(1) as u64).next_power_of_two();
        let first = start / length;
        let last = (end - 1) / length;
        let bucket = |number: u64| {
            let (from, to) = ((number * length).max(start), ((number + 1) * length).min(end));
            let at = |step: u64| self.at_step(step).unwrap_or(f64::NAN);
            Bucket { steps: (from, to - 1), first: at(from), last: at(to - 1), extremes: self.extremes(from..to) }
        };
        Some((first..=last).map(bucket).collect())
    }

    /// The bytes of memory that the column uses.
    pub(super) fn size(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(|chunk| chunk.size()).sum();
        chunks + self.tail.len() * size_of::<f64>() + size_of_val(&*self.ends) + self.pyramid.size() + self.over.size()
    }

    fn indices(&self, steps: &Range<u64>) -> Range<usize> {
        let index = |step: u64| step.clamp(self.first, self.steps().end).saturating_sub(self.first) as usize;
        let start = index(steps.start);
        start..index(steps.end).max(start)
    }

    /// Returns the chunks that a range of samples touches, with its part of each; the tail has the number after the
    /// last chunk.
    fn parts(&self, indices: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
        let chunks = match indices.is_empty() {
            true => 0..0,
            false => indices.start / Chunk::LEN..indices.end.div_ceil(Chunk::LEN),
        };
        chunks.map(move |number| {
            let base = number * Chunk::LEN;
            (number, indices.start.max(base) - base..indices.end.min(base + Chunk::LEN) - base)
        })
    }
}

//! One lane of a signal, a sample a step.

use std::ops::Range;
use std::sync::Arc;

use super::chunk::Chunk;
use super::extent::{Extent, GROUP, Pyramid};

/// One lane of a signal, a sample a step.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// The step of the first sample.
    first: u64,
    chunks: Vec<Arc<Chunk>>,
    /// Over the extents of whole chunks.
    over: Pyramid,
    extents: Vec<Extent>,
    /// What is no whole chunk yet.
    tail: Vec<f64>,
    pyramid: Pyramid,
}

impl Column {
    /// A column whose first sample will be that of a step.
    pub fn new(first: u64) -> Column {
        Column { first, ..Column::default() }
    }

    pub fn len(&self) -> usize {
        self.chunks.len() * Chunk::LEN + self.tail.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The steps that have a sample.
    pub fn steps(&self) -> Range<u64> {
        self.first..self.first + self.len() as u64
    }

    pub fn at_step(&self, step: u64) -> Option<f64> {
        let index = usize::try_from(step.checked_sub(self.first)?).ok()?;
        match self.chunks.get(index / Chunk::LEN) {
            Some(chunk) => chunk.values().get(index % Chunk::LEN).copied(),
            None => self.tail.get(index - self.chunks.len() * Chunk::LEN).copied(),
        }
    }

    pub fn last(&self) -> Option<f64> {
        self.at_step(self.steps().end.checked_sub(1)?)
    }

    /// The samples, one a step.
    pub fn values(&self) -> Vec<f64> {
        self.range(self.steps())
    }

    /// The samples of a range of steps; as far as there are samples.
    pub fn range(&self, steps: Range<u64>) -> Vec<f64> {
        let mut values = Vec::with_capacity(self.indices(&steps).len());
        self.each(steps, |part| values.extend_from_slice(part));
        values
    }

    /// The samples of a range of steps, part after part.
    pub fn each(&self, steps: Range<u64>, mut take: impl FnMut(&[f64])) {
        let indices = self.indices(&steps);
        for (number, part) in self.parts(indices) {
            match self.chunks.get(number) {
                Some(chunk) => chunk.values().get(part).into_iter().for_each(&mut take),
                None => self.tail.get(part).into_iter().for_each(&mut take),
            }
        }
    }

    /// What is complete, from the first sample on.
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

    /// A group of samples is complete, and maybe a chunk.
    fn end_group(&mut self) {
        let tail = &self.tail;
        self.pyramid.grow(tail.len(), |range| tail.get(range).map_or(Extent::EMPTY, Extent::of));
        if self.tail.len() == Chunk::LEN {
            let chunk = Chunk::new(std::mem::take(&mut self.tail), std::mem::take(&mut self.pyramid));
            self.extents.push(chunk.extent(0..Chunk::LEN));
            self.chunks.push(Arc::new(chunk));
            let extents = &self.extents;
            self.over.grow(extents.len(), |range| extents.get(range).map_or(Extent::EMPTY, Extent::of_all));
        }
    }

    pub(super) fn truncate(&mut self, step: u64) {
        let count = usize::try_from(step.saturating_sub(self.first)).unwrap_or(usize::MAX);
        if count >= self.len() {
            return;
        }
        let whole = count / Chunk::LEN;
        if let Some(cut) = self.chunks.get(whole) {
            self.tail = cut.values().to_vec();
            self.pyramid = cut.pyramid().clone();
            self.chunks.truncate(whole);
            self.extents.truncate(whole);
            self.over.truncate(whole);
        }
        let left = count - whole * Chunk::LEN;
        self.tail.truncate(left);
        self.pyramid.truncate(left);
    }

    /// The extent of the samples of a range of steps; as far as there are samples.
    pub fn extent(&self, steps: Range<u64>) -> Extent {
        let indices = self.indices(&steps);
        let whole = indices.start.div_ceil(Chunk::LEN)..(indices.end / Chunk::LEN).min(self.chunks.len());
        let ragged = self.parts(indices).filter(|(number, _)| !whole.contains(number)).map(|(number, part)| match self
            .chunks
            .get(number)
        {
            Some(chunk) => chunk.extent(part),
            None => self.pyramid.extent(part, |range| self.tail.get(range).map_or(Extent::EMPTY, Extent::of)),
        });
        let ragged = ragged.fold(Extent::EMPTY, Extent::join);
        if whole.is_empty() {
            return ragged;
        }
        let of = |range: Range<usize>| self.extents.get(range).map_or(Extent::EMPTY, Extent::of_all);
        ragged.join(self.over.extent(whole, of))
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

    /// Bytes of memory.
    pub(super) fn size(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(|chunk| chunk.size()).sum();
        chunks + self.tail.len() * size_of::<f64>() + self.pyramid.size() + self.over.size()
    }

    fn indices(&self, steps: &Range<u64>) -> Range<usize> {
        let index = |step: u64| step.clamp(self.first, self.steps().end).saturating_sub(self.first) as usize;
        let start = index(steps.start);
        start..index(steps.end).max(start)
    }

    /// The chunks that a range lies in, with its part of each; the tail's number is the one behind the last chunk's.
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

//! The smallest and largest of samples, for any range of them in a time that hardly grows with it.

use std::ops::Range;

/// The smallest and largest of some samples; what is infinite or not-a-number does not count, since no axis could show
/// it beside the rest. Empty where `low > high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    pub low: f64,
    pub high: f64,
}

/// Samples in a group of the lowest level, groups in one of the next.
pub const GROUP: usize = 32;

/// Extents over extents: level `i` has one for each complete group of `GROUP^(i+1)` samples, or of whatever it is built
/// over.
#[derive(Clone, Debug, Default)]
pub struct Pyramid {
    levels: Vec<Vec<Extent>>,
}

impl Extent {
    pub const EMPTY: Extent = Extent { low: f64::INFINITY, high: f64::NEG_INFINITY };

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    pub fn with(self, value: f64) -> Extent {
        match value.is_finite() {
            true => Extent { low: self.low.min(value), high: self.high.max(value) },
            false => self,
        }
    }

    pub fn join(self, other: Extent) -> Extent {
        Extent { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    pub fn of(values: &[f64]) -> Extent {
        // Two by two and without branches, which processors do at a time.
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let (pairs, rest) = values.as_chunks::<2>();
        for pair in pairs {
            for ((low, high), &value) in low.iter_mut().zip(&mut high).zip(pair) {
                let is_finite = value.abs() < f64::INFINITY;
                let (for_low, for_high) = if is_finite { (value, value) } else { (f64::INFINITY, f64::NEG_INFINITY) };
                *low = if for_low < *low { for_low } else { *low };
                *high = if for_high > *high { for_high } else { *high };
            }
        }
        let all = Extent { low: low[0].min(low[1]), high: high[0].max(high[1]) };
        rest.iter().fold(all, |all, &value| all.with(value))
    }

    pub fn of_all(extents: &[Extent]) -> Extent {
        extents.iter().fold(Extent::EMPTY, |all, &part| all.join(part))
    }
}

impl Pyramid {
    /// There are now `count` samples below; `of` gives the extent of some of them.
    pub fn grow(&mut self, mut count: usize, of: impl Fn(Range<usize>) -> Extent) {
        let mut level = 0;
        while count > 0 && count.is_multiple_of(GROUP) {
            let extent = match level {
                0 => of(count - GROUP..count),
                _ => {
                    let below = &self.levels[level - 1];
                    Extent::of_all(&below[below.len() - GROUP..])
                }
            };
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(extent);
            count /= GROUP;
            level += 1;
        }
    }

    /// There are only `count` samples left below.
    pub fn truncate(&mut self, mut count: usize) {
        for level in &mut self.levels {
            count /= GROUP;
            level.truncate(count);
        }
    }

    /// The extent of a range of samples; `of` gives that of a few of them.
    pub fn extent(&self, samples: Range<usize>, of: impl Fn(Range<usize>) -> Extent) -> Extent {
        let (mut start, mut end) = (samples.start, samples.end);
        let mut extent = Extent::EMPTY;
        let mut level = 0;
        // Ragged ends are taken on each level, the rest one level up.
        loop {
            let part = |from: usize, to: usize| match level {
                _ if from >= to => Extent::EMPTY,
                0 => of(from..to),
                level => self.levels[level - 1].get(from..to).map_or(Extent::EMPTY, Extent::of_all),
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

    /// Bytes.
    pub fn size(&self) -> usize {
        self.levels.iter().map(|level| level.len() * size_of::<Extent>()).sum()
    }
}

//! The smallest and largest sample of any range, and which of them came first, in a time that hardly grows with the
//! length of the range.

use std::ops::Range;

/// The smallest and largest of some samples. Infinite values and NaN do not count, since no axis could show them beside
/// the rest. Empty if `low > high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    pub low: f64,
    pub high: f64,
}

/// The smallest and the largest of some consecutive samples, in the order in which they first occur; NaN if no sample
/// is finite. One of the two is the smallest, so their order costs no memory.
#[derive(Clone, Copy, Debug)]
pub struct Extremes {
    pub early: f64,
    pub late: f64,
}

/// The number of samples in a group of the lowest level, and of groups in a group of the next.
///
/// Each group has its extremes and, outside of the pyramid, its first and last sample: 32 bytes for 512.
pub const GROUP: usize = 64;

/// A hierarchy of extremes: level `i` has one entry for each complete group of `GROUP^(i+1)` samples, or of whatever
/// the pyramid is built over.
#[derive(Clone, Debug, Default)]
pub struct Pyramid {
    levels: Vec<Vec<Extremes>>,
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
        // In pairs and without branches, so that the compiler uses SIMD instructions.
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
}

impl Extremes {
    pub const EMPTY: Extremes = Extremes { early: f64::NAN, late: f64::NAN };

    pub fn is_empty(self) -> bool {
        self.early.is_nan()
    }

    pub fn extent(self) -> Extent {
        match self.is_empty() {
            true => Extent::EMPTY,
            false => Extent { low: self.early.min(self.late), high: self.early.max(self.late) },
        }
    }

    /// Returns the extremes of these samples followed by others.
    pub fn then(self, other: Extremes) -> Extremes {
        let (one, two) = (self.extent(), other.extent());
        if two.is_empty() || (one.low <= two.low && one.high >= two.high) {
            return self;
        }
        match (one.low <= two.low, one.high >= two.high) {
            (true, false) => Extremes { early: one.low, late: two.high },
            (false, true) => Extremes { early: one.high, late: two.low },
            _ => other,
        }
    }

    pub fn of(values: &[f64]) -> Extremes {
        let extent = Extent::of(values);
        if extent.is_empty() {
            return Extremes::EMPTY;
        }
        let Extent { low, high } = extent;
        match values.iter().find(|&&value| value == low || value == high) {
            Some(&first) if first == high && low < high => Extremes { early: high, late: low },
            _ => Extremes { early: low, late: high },
        }
    }

    pub fn of_all(parts: &[Extremes]) -> Extremes {
        parts.iter().fold(Extremes::EMPTY, |all, &part| all.then(part))
    }
}

impl Pyramid {
    /// Extends the pyramid when `count` samples exist; `of` returns the extremes of a range of them.
    pub fn grow(&mut self, mut count: usize, of: impl Fn(Range<usize>) -> Extremes) {
        let mut level = 0;
        while count > 0 && count.is_multiple_of(GROUP) {
            let extremes = match level {
                0 => of(count - GROUP..count),
                _ => {
                    let below = &self.levels[level - 1];
                    Extremes::of_all(&below[below.len() - GROUP..])
                }
            };
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(extremes);
            count /= GROUP;
            level += 1;
        }
    }

    /// Shortens the pyramid to `count` samples.
    pub fn truncate(&mut self, mut count: usize) {
        for level in &mut self.levels {
            count /= GROUP;
            level.truncate(count);
        }
    }

    /// Returns the extremes of a range of samples; `of` returns those of a short range.
    pub fn extremes(&self, samples: Range<usize>, of: impl Fn(Range<usize>) -> Extremes) -> Extremes {
        let (mut start, mut end) = (samples.start, samples.end);
        let (mut before, mut behind) = (Extremes::EMPTY, Extremes::EMPTY);
        let mut level = 0;
        // Incomplete groups at the ends are read on each level, the rest one level up.
        loop {
            let part = |from: usize, to: usize| match level {
                _ if from >= to => Extremes::EMPTY,
                0 => of(from..to),
                level => self.levels[level - 1].get(from..to).map_or(Extremes::EMPTY, Extremes::of_all),
            };
            let (inner_start, inner_end) = (start.div_ceil(GROUP), end / GROUP);
            if inner_start >= inner_end || level >= self.levels.len() {
                return before.then(part(start, end)).then(behind);
            }
            before = before.then(part(start, inner_start * GROUP));
            behind = part(inner_end * GROUP, end).then(behind);
            (start, end) = (inner_start, inner_end);
            level += 1;
        }
    }

    /// The bytes of memory that the pyramid uses.
    pub fn size(&self) -> usize {
        self.levels.iter().map(|level| level.len() * size_of::<Extremes>()).sum()
    }
}

//! How often which values come.

/// Counts of values in bins of equal width.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// The lower edge of the first bin.
    pub low: f64,
    /// The width of a bin.
    pub width: f64,
    pub counts: Vec<u64>,
}

impl Histogram {
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// Bins from the lowest to the highest finite sample; the highest counts in the last bin. How many bins there are is the
/// rule of Rice, `⌈2·∛n⌉`, between 8 and 256. Samples that are all equal have one bin about them. None without samples.
pub fn histogram(samples: &[f64]) -> Option<Histogram> {
    let finite = || samples.iter().copied().filter(|value| value.is_finite());
    let count = finite().count();
    let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (v.min(low), v.max(high)));
    if count == 0 {
        return None;
    }
    if low == high {
        let width = if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
        return Some(Histogram { low: low - width / 2.0, width, counts: vec![count as u64] });
    }
    let bins = ((2.0 * libm::cbrt(count as f64)).ceil() as usize).clamp(8, 256);
    let width = (high - low) / bins as f64;
    let mut counts = vec![0; bins];
    for value in finite() {
        let bin = (((value - low) / width) as usize).min(bins - 1);
        if let Some(count) = counts.get_mut(bin) {
            *count += 1;
        }
    }
    Some(Histogram { low, width, counts })
}

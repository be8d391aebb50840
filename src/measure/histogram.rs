//! Histograms of values.

/// The number of values in bins of equal width.
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

/// Computes a histogram from the minimum to the maximum of the finite samples; the maximum counts in the last bin. The
/// number of bins follows Rice's rule, `⌈2·∛n⌉`, limited to 8 … 256. Equal samples have one bin, centred on the value.
/// `None` without samples.
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

//! Statistics of a set of samples.

/// The statistics of a set of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// The number of finite samples; others are ignored.
    pub count: u64,
    pub low: f64,
    pub high: f64,
    pub mean: f64,
    /// The root mean square.
    pub rms: f64,
    /// The standard deviation of these samples, `√(Σ(x − mean)² / n)`.
    pub std_dev: f64,
}

impl Statistics {
    /// Returns the peak-to-peak value.
    pub fn peak_to_peak(&self) -> f64 {
        self.high - self.low
    }

    /// Combines the statistics of two sets: T. F. Chan, G. H. Golub, R. J. LeVeque, “Updating formulae and a pairwise
    /// algorithm for computing sample variances”, 1979.
    pub fn joined(&self, other: &Statistics) -> Statistics {
        let count = self.count + other.count;
        let share = other.count as f64 / count as f64;
        let off = other.mean - self.mean;
        let mean = self.mean + off * share;
        let within = self.std_dev * self.std_dev * (1.0 - share) + other.std_dev * other.std_dev * share;
        let variance = within + off * off * share * (1.0 - share);
        Statistics {
            count,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            mean,
            rms: (mean * mean + variance).sqrt(),
            std_dev: variance.sqrt(),
        }
    }
}

/// Computes the statistics in one numerically stable pass: B. P. Welford, “Note on a method for calculating corrected
/// sums of squares and products”, Technometrics 4 (1962). The mean square is `mean² + std_dev²`. `None` without
/// samples.
pub fn statistics(samples: impl IntoIterator<Item = f64>) -> Option<Statistics> {
    let (mut count, mut mean, mut squares) = (0_u64, 0.0, 0.0);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in samples {
        if !value.is_finite() {
            continue;
        }
        count += 1;
        let off = value - mean;
        mean += off / count as f64;
        squares += off * (value - mean);
        (low, high) = (value.min(low), value.max(high));
    }
    if count == 0 {
        return None;
    }
    let variance = squares / count as f64;
    Some(Statistics { count, low, high, mean, rms: (mean * mean + variance).sqrt(), std_dev: variance.sqrt() })
}

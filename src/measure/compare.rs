//! Compares two curves sample by sample.

/// The tolerance for equal samples: `|a − b| ≤ absolute + relative · |b|`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    pub absolute: f64,
    pub relative: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The number of samples that both curves have.
    pub count: u64,
    /// The maximum difference, and the index of its sample.
    pub greatest: f64,
    pub greatest_at: u64,
    /// The index of the first sample that exceeds the tolerance, and the number of such samples.
    pub first_beyond: Option<u64>,
    pub beyond: u64,
}

impl Comparison {
    /// Returns the comparison of these samples followed by others.
    pub fn followed_by(&self, other: &Comparison) -> Comparison {
        let is_greater = other.greatest > self.greatest;
        Comparison {
            count: self.count + other.count,
            greatest: if is_greater { other.greatest } else { self.greatest },
            greatest_at: if is_greater { self.count + other.greatest_at } else { self.greatest_at },
            first_beyond: self.first_beyond.or_else(|| other.first_beyond.map(|index| self.count + index)),
            beyond: self.beyond + other.beyond,
        }
    }
}

impl Tolerance {
    /// Returns the half-width of the tolerance band at a value.
    pub fn about(self, value: f64) -> f64 {
        self.absolute + self.relative * value.abs()
    }
}

/// Compares a curve with a reference up to the end of the shorter one. Two not-a-number samples are equal; if only one
/// is not-a-number, the difference is infinite.
pub fn compare(
    curve: impl IntoIterator<Item = f64>,
    reference: impl IntoIterator<Item = f64>,
    tolerance: Tolerance,
) -> Comparison {
    let mut result = Comparison { count: 0, greatest: 0.0, greatest_at: 0, first_beyond: None, beyond: 0 };
    for (value, reference) in curve.into_iter().zip(reference) {
        let difference = match (value.is_nan(), reference.is_nan()) {
            (true, true) => 0.0,
            (false, false) if value == reference => 0.0,
            (false, false) => (value - reference).abs(),
            _ => f64::INFINITY,
        };
        if difference > result.greatest {
            (result.greatest, result.greatest_at) = (difference, result.count);
        }
        if difference > tolerance.about(reference) {
            result.beyond += 1;
            result.first_beyond = result.first_beyond.or(Some(result.count));
        }
        result.count += 1;
    }
    result
}

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
    pub max_difference: f64,
    pub max_difference_at: u64,
    /// The index of the first sample that exceeds the tolerance, and the number of such samples.
    pub first_exceeded: Option<u64>,
    pub exceeded: u64,
}

impl Comparison {
    /// Returns the comparison of these samples followed by others.
    pub fn followed_by(&self, other: &Comparison) -> Comparison {
        let is_greater = other.max_difference > self.max_difference;
        Comparison {
            count: self.count + other.count,
            max_difference: if is_greater { other.max_difference } else { self.max_difference },
            max_difference_at: if is_greater { self.count + other.max_difference_at } else { self.max_difference_at },
            first_exceeded: self.first_exceeded.or_else(|| other.first_exceeded.map(|index| self.count + index)),
            exceeded: self.exceeded + other.exceeded,
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
    let mut result =
        Comparison { count: 0, max_difference: 0.0, max_difference_at: 0, first_exceeded: None, exceeded: 0 };
    for (value, reference) in curve.into_iter().zip(reference) {
        let difference = match (value.is_nan(), reference.is_nan()) {
            (true, true) => 0.0,
            (false, false) if value == reference => 0.0,
            (false, false) => (value - reference).abs(),
            _ => f64::INFINITY,
        };
        if difference > result.max_difference {
            (result.max_difference, result.max_difference_at) = (difference, result.count);
        }
        if difference > tolerance.about(reference) {
            result.exceeded += 1;
            result.first_exceeded = result.first_exceeded.or(Some(result.count));
        }
        result.count += 1;
    }
    result
}

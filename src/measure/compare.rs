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

/// Compares a curve with a reference up to the end of the shorter one.
///
/// Finite samples are equal within the tolerance. An infinity equals the same infinity only, and not-a-number equals
/// not-a-number only; every other pair with one of them exceeds any tolerance, and its difference is infinite. The
/// payload of not-a-number counts, its sign does not: a signal that was never set has a payload of its own.
pub fn compare(
    curve: impl IntoIterator<Item = f64>,
    reference: impl IntoIterator<Item = f64>,
    tolerance: Tolerance,
) -> Comparison {
    let mut result =
        Comparison { count: 0, max_difference: 0.0, max_difference_at: 0, first_exceeded: None, exceeded: 0 };
    for (value, reference) in curve.into_iter().zip(reference) {
        let (difference, is_exceeded) = match value.is_finite() && reference.is_finite() {
            true => {
                let difference = (value - reference).abs();
                (difference, difference > tolerance.about(reference))
            }
            false if is_same_bits(value, reference) => (0.0, false),
            false => (f64::INFINITY, true),
        };
        if difference > result.max_difference {
            (result.max_difference, result.max_difference_at) = (difference, result.count);
        }
        if is_exceeded {
            result.exceeded += 1;
            result.first_exceeded = result.first_exceeded.or(Some(result.count));
        }
        result.count += 1;
    }
    result
}

/// Whether two numbers have the same bits; the sign of not-a-number does not count.
fn is_same_bits(one: f64, other: f64) -> bool {
    let bits = |value: f64| if value.is_nan() { value.abs().to_bits() } else { value.to_bits() };
    bits(one) == bits(other)
}

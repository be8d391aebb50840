//! Two curves sample by sample.

/// How much two samples may differ and count as equal: `|a − b| ≤ absolute + relative · |b|`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    pub absolute: f64,
    pub relative: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Samples that both curves have.
    pub count: u64,
    /// The greatest difference, and the sample at which it is.
    pub greatest: f64,
    pub greatest_at: u64,
    /// The first sample beyond the tolerance, and how many there are.
    pub first_beyond: Option<u64>,
    pub beyond: u64,
}

impl Comparison {
    /// That of these samples and of further ones behind them.
    pub fn followed_by(&self, other: &Comparison) -> Comparison {
        let is_greater = other.greatest > self.greatest;
        Comparison {
            count: self.count + other.count,
            greatest: if is_greater { other.greatest } else { self.greatest },
            greatest_at: if is_greater { self.count + other.greatest_at } else { self.greatest_at },
            first_beyond: self.first_beyond.or_else(|| other.first_beyond.map(|place| self.count + place)),
            beyond: self.beyond + other.beyond,
        }
    }
}

impl Tolerance {
    /// What may lie between the curve and the edge of its band.
    pub fn about(self, value: f64) -> f64 {
        self.absolute + self.relative * value.abs()
    }
}

/// Compares a curve with a reference, sample by sample as far as both go. Where both are not-a-number they are equal;
/// where one is, they differ infinitely.
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

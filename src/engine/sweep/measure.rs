//! Measures of a run: its last value, the extremes and the mean.

/// A number that a run has for each signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepMeasure {
    Last,
    Minimum,
    Maximum,
    Mean,
}

impl SweepMeasure {
    pub const ALL: [SweepMeasure; 4] =
        [SweepMeasure::Last, SweepMeasure::Minimum, SweepMeasure::Maximum, SweepMeasure::Mean];

    pub fn name(self) -> &'static str {
        match self {
            SweepMeasure::Last => "last",
            SweepMeasure::Minimum => "minimum",
            SweepMeasure::Maximum => "maximum",
            SweepMeasure::Mean => "mean",
        }
    }

    /// Returns the number for the kept values of a signal; NaN without values, and where one of them is NaN.
    pub fn of(self, values: impl Iterator<Item = f64>) -> f64 {
        let fold = |pick: fn(f64, f64) -> f64, values: &mut dyn Iterator<Item = f64>| {
            values.reduce(|one, other| if one.is_nan() || other.is_nan() { f64::NAN } else { pick(one, other) })
        };
        let mut values = values;
        match self {
            SweepMeasure::Last => values.last(),
            SweepMeasure::Minimum => fold(f64::min, &mut values),
            SweepMeasure::Maximum => fold(f64::max, &mut values),
            SweepMeasure::Mean => {
                let (count, sum) = values.fold((0u64, 0.0), |(count, sum), value| (count + 1, sum + value));
                (count > 0).then(|| sum / count as f64)
            }
        }
        .unwrap_or(f64::NAN)
    }
}

//! A run that is over, and its bytes.

use std::num::NonZeroU64;

/// The shape that all curves of a sweep have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurveShape {
    /// The number of elements of each watched signal.
    pub widths: Vec<usize>,
    /// The number of steps of each run.
    pub steps: u64,
    /// The distance of the noted steps, to which the last step is added; without it only the last step is noted.
    pub every: Option<NonZeroU64>,
}

impl CurveShape {
    /// Whether a run of the sweep can have this curve. A run may end before its last step.
    pub fn has(&self, curve: &Curve) -> bool {
        let Curve { steps, values, failure, .. } = curve;
        if failure.is_some() && steps.is_empty() {
            return values.iter().all(Vec::is_empty);
        }
        let is_noted = |step: &u64| self.every.is_some_and(|every| step.is_multiple_of(every.get()));
        let are_noted = steps.iter().rev().skip(1).all(is_noted);
        let are_steps =
            steps.is_sorted_by(|one, next| one < next) && steps.last().is_none_or(|last| *last < self.steps);
        let is_whole = |(values, width): (&Vec<f64>, &usize)| steps.len().checked_mul(*width) == Some(values.len());
        let are_whole = values.len() == self.widths.len() && values.iter().zip(&self.widths).all(is_whole);
        are_noted && are_steps && are_whole && steps.is_empty() == (self.steps == 0)
    }
}

/// A run that is over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    pub run: u64,
    /// The noted steps.
    pub steps: Vec<u64>,
    /// For each watched signal its elements, noted step after noted step.
    pub values: Vec<Vec<f64>>,
    /// Why the run ended before its last step, if it did.
    pub failure: Option<String>,
}

impl Curve {
    /// Serializes the curve as 8-byte numbers, the lowest byte first: run, number of steps and signals, the steps, for
    /// each signal the number of values and the values; then the text of the failure.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut put = |number: u64| bytes.extend_from_slice(&number.to_le_bytes());
        put(self.run);
        put(self.steps.len() as u64);
        put(self.values.len() as u64);
        self.steps.iter().for_each(|step| put(*step));
        for values in &self.values {
            put(values.len() as u64);
            values.iter().for_each(|value| put(value.to_bits()));
        }
        match &self.failure {
            None => bytes.push(0),
            Some(text) => {
                bytes.push(1);
                bytes.extend_from_slice(text.as_bytes());
            }
        }
        bytes
    }

    /// Reads the bytes that [`Curve::to_bytes`] wrote; `None` if these are not the bytes of a curve. It takes no more
    /// memory than a few times their length.
    pub fn from_bytes(bytes: &[u8]) -> Option<Curve> {
        let mut rest = bytes;
        let mut take = || {
            let (number, behind) = rest.split_first_chunk::<8>()?;
            rest = behind;
            Some(u64::from_le_bytes(*number))
        };
        let (run, steps, signals) = (take()?, take()?, take()?);
        let steps = (0..steps).map(|_| take()).collect::<Option<Vec<u64>>>()?;
        let mut values = Vec::new();
        for _ in 0..signals {
            let count = take()?;
            values.push((0..count).map(|_| take().map(f64::from_bits)).collect::<Option<Vec<f64>>>()?);
        }
        let failure = match rest.split_first()? {
            (0, _) => None,
            (_, text) => Some(String::from_utf8_lossy(text).into_owned()),
        };
        Some(Curve { run, steps, values, failure })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_has_the_curves_of_its_sweep() {
        let shape = |every| CurveShape { widths: vec![1, 2], steps: 10, every: NonZeroU64::new(every) };
        let curve = |steps: &[u64], counts: &[usize]| Curve {
            steps: steps.to_vec(),
            values: counts.iter().map(|count| vec![0.0; *count]).collect(),
            ..Curve::default()
        };
        let whole = |steps: &[u64]| curve(steps, &[steps.len(), 2 * steps.len()]);
        let failed = |curve| Curve { failure: Some("why".to_owned()), ..curve };
        assert!(shape(0).has(&whole(&[9])));
        // One that ended itself.
        assert!(shape(0).has(&whole(&[3])));
        assert!(shape(4).has(&whole(&[0, 4, 8, 9])));
        assert!(shape(4).has(&failed(whole(&[0, 4, 5]))));
        assert!(shape(4).has(&failed(curve(&[], &[]))) && shape(4).has(&failed(curve(&[], &[0, 0]))));
        for other in [
            whole(&[]),
            whole(&[10]),
            whole(&[u64::MAX]),
            whole(&[0, 3, 9]),
            whole(&[4, 0, 9]),
            whole(&[4, 4, 9]),
            curve(&[9], &[1]),
            curve(&[9], &[1, 1]),
            curve(&[9], &[1, 2, 1]),
            curve(&[9], &[0, 0]),
            failed(curve(&[], &[1, 0])),
        ] {
            assert!(!shape(4).has(&other), "{other:?}");
        }
        assert!(!shape(0).has(&whole(&[8, 9])));
        assert!(CurveShape { steps: 0, ..shape(0) }.has(&curve(&[], &[0, 0])));
    }
}

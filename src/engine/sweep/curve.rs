//! A run that is over, and its bytes.

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

    /// Reads what [`Curve::to_bytes`] has written; none if these are not the bytes of a curve. It takes no more memory
    /// than a few times their length.
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

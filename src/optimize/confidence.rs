//! The confidence in the parameters of a minimum: standard errors, correlations, and combinations that the data leave open.

use super::singular::{Singular, decompose};

/// The singular value, relative to the largest one, below which the data do not determine a combination of coordinates.
const NEGLIGIBLE: f64 = 1e-9;
/// The part of a coordinate in such a combination below which it is determined nevertheless.
const SMALL_PART: f64 = 1e-3;

/// The confidence in the coordinates of a minimum.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Confidence {
    /// Standard errors of the coordinates; `None` where the data do not determine one.
    pub errors: Vec<Option<f64>>,
    /// Correlations, a row for each coordinate; `None` as for the errors.
    pub correlations: Vec<Vec<Option<f64>>>,
    /// Coordinates on which the residuals do not depend at all.
    pub without_effect: Vec<usize>,
    /// Sets of coordinates that the data determine only together.
    pub inseparable: Vec<Vec<usize>>,
    /// The ratio of the largest and the smallest singular value of the Jacobian with columns of length 1.
    pub condition: f64,
}

/// Returns the confidence by a Jacobian, row after row, and the variance of the residuals. `None` if the Jacobian has
/// numbers that are not finite.
pub fn confidence(jacobian: &[f64], count: usize, variance: f64) -> Option<Confidence> {
    let column = |index: usize| jacobian.iter().skip(index).step_by(count.max(1)).copied().collect::<Vec<f64>>();
    let columns: Vec<Vec<f64>> = (0..count).map(column).collect();
    let largest = |column: &[f64]| column.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    // Squares of large numbers are not finite.
    let length = |column: &[f64]| match largest(column) {
        0.0 => 0.0,
        most => most * column.iter().map(|value| (value / most).powi(2)).sum::<f64>().sqrt(),
    };
    let lengths: Vec<f64> = columns.iter().map(|column| length(column)).collect();
    if lengths.iter().any(|length| !length.is_finite()) {
        return None;
    }
    let acting: Vec<usize> = (0..count).filter(|&index| lengths[index] > 0.0).collect();
    let equal = acting.iter().map(|&index| columns[index].iter().map(|value| value / lengths[index]).collect());
    let Singular { values, vectors } = decompose(equal.collect())?;
    let most = values.first().copied().unwrap_or(0.0);
    let is_open = |value: &f64| *value <= NEGLIGIBLE * most;
    let open: Vec<&Vec<f64>> =
        values.iter().zip(&vectors).filter(|(value, _)| is_open(value)).map(|(_, vector)| vector).collect();
    let is_undetermined = |place: usize| open.iter().any(|vector| vector[place].abs() > SMALL_PART);
    // Of columns of length 1.
    let covariance = |a: usize, b: usize| -> f64 {
        let determined = values.iter().zip(&vectors).filter(|(value, _)| !is_open(value));
        determined.map(|(value, vector)| vector[a] * vector[b] / (value * value)).sum()
    };
    let mut found = Confidence {
        errors: vec![None; count],
        correlations: vec![vec![None; count]; count],
        without_effect: (0..count).filter(|&index| lengths[index] == 0.0).collect(),
        inseparable: open
            .iter()
            .map(|vector| {
                (0..acting.len()).filter(|&place| vector[place].abs() > 0.1).map(|place| acting[place]).collect()
            })
            .collect(),
        condition: values.last().map_or(1.0, |least| most / least),
    };
    let determined: Vec<usize> = (0..acting.len()).filter(|&place| !is_undetermined(place)).collect();
    for &a in &determined {
        found.errors[acting[a]] = Some((variance * covariance(a, a)).sqrt() / lengths[acting[a]]);
        for &b in &determined {
            let together = covariance(a, b) / (covariance(a, a) * covariance(b, b)).sqrt();
            found.correlations[acting[a]][acting[b]] = Some(together.clamp(-1.0, 1.0));
        }
    }
    Some(found)
}

//! Derivatives by central finite differences.

use super::Cancelled;

/// The step of a coordinate relative to its size: the cube root of the precision of numbers.
const STEP: f64 = 6e-6;

/// Returns the Jacobian of a function, row after row: central differences, and differences to one side where a bound is
/// closer than the step. It calls the function twice for each coordinate.
///
/// # Errors
/// If the function is cancelled.
pub fn differences(
    mut function: impl FnMut(&[f64]) -> Result<Vec<f64>, Cancelled>,
    at: &[f64],
    bounds: &[(f64, f64)],
) -> Result<Vec<f64>, Cancelled> {
    let mut columns = Vec::with_capacity(at.len());
    for (index, &value) in at.iter().enumerate() {
        let (low, high) = bounds.get(index).copied().unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        let step = STEP * value.abs().max(0.1);
        let ends = [(value - step).max(low), (value + step).min(high)];
        let mut side = |end: f64| {
            let moved: Vec<f64> = at.iter().enumerate().map(|(of, at)| if of == index { end } else { *at }).collect();
            function(&moved)
        };
        let (before, after) = (side(ends[0])?, side(ends[1])?);
        let width = ends[1] - ends[0];
        let slope = |(before, after): (&f64, &f64)| if width > 0.0 { (after - before) / width } else { 0.0 };
        columns.push(before.iter().zip(&after).map(slope).collect::<Vec<f64>>());
    }
    let rows = columns.first().map_or(0, Vec::len);
    Ok((0..rows)
        .flat_map(|row| columns.iter().map(move |column| column.get(row).copied().unwrap_or(f64::NAN)))
        .collect())
}

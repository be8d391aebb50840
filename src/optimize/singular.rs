//! The singular value decomposition, by one-sided Jacobi rotations.

/// The singular values of a matrix in descending order, and the right singular vectors.
pub(super) struct Singular {
    pub values: Vec<f64>,
    /// For each value its vector.
    pub vectors: Vec<Vec<f64>>,
}

const SWEEPS: usize = 60;

/// Decomposes a matrix that is given by its columns. `None` if the rotations do not end, as for numbers that are not
/// finite.
pub(super) fn decompose(mut columns: Vec<Vec<f64>>) -> Option<Singular> {
    let count = columns.len();
    let unit = |index: usize| (0..count).map(|of| f64::from(u8::from(of == index))).collect::<Vec<f64>>();
    let mut vectors: Vec<Vec<f64>> = (0..count).map(unit).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for _ in 0..SWEEPS {
        let mut is_rotated = false;
        for second in 1..count {
            for first in 0..second {
                let (a, b) = (columns.get(first)?, columns.get(second)?);
                let (aa, bb, ab) = (dot(a, a), dot(b, b), dot(a, b));
                if !(aa + bb).is_finite() {
                    return None;
                }
                if ab.abs() <= f64::EPSILON * (aa * bb).sqrt() {
                    continue;
                }
                is_rotated = true;
                let ratio = (bb - aa) / (2.0 * ab);
                let tangent = ratio.signum() / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
                let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
                rotate(&mut columns, first, second, (cosine, cosine * tangent));
                rotate(&mut vectors, first, second, (cosine, cosine * tangent));
            }
        }
        if !is_rotated {
            let mut found: Vec<(f64, Vec<f64>)> =
                columns.iter().zip(vectors).map(|(column, vector)| (dot(column, column).sqrt(), vector)).collect();
            found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
            let (values, vectors) = found.into_iter().unzip();
            return Some(Singular { values, vectors });
        }
    }
    None
}

fn rotate(columns: &mut [Vec<f64>], first: usize, second: usize, (cosine, sine): (f64, f64)) {
    let (left, right) = columns.split_at_mut(second);
    let (Some(a), Some(b)) = (left.get_mut(first), right.first_mut()) else { return };
    for (a, b) in a.iter_mut().zip(b) {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    }
}

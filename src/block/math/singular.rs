//! Singular values of real matrices by one-sided Jacobi rotations, which are accurate for small ones too (Golub, Van
//! Loan: Matrix Computations, section 8.6.3; J. Demmel, K. Veselić: Jacobi's method is more accurate than QR, SIAM
//! Journal on Matrix Analysis 13, 1992).

use super::Matrix;

/// After this many sweeps over all pairs of columns the algorithm fails; ten are common.
const MAX_SWEEPS: usize = 60;

/// Returns the singular values, the largest first, as many as the smaller of rows and columns. None if the matrix has a
/// value that is not finite, or the iteration does not converge.
pub fn singular_values(matrix: &Matrix) -> Option<Vec<f64>> {
    let (scaled, exponent) = matrix.normalized()?;
    // Each row of the transposed matrix is a column, one after the other in memory.
    let columns = if scaled.rows < scaled.columns { scaled } else { scaled.transposed() };
    let mut columns: Vec<Vec<f64>> = (0..columns.rows).map(|column| columns.row(column).to_vec()).collect();
    let mut sweeps = 0;
    while sweep(&mut columns) {
        sweeps += 1;
        if sweeps > MAX_SWEEPS {
            return None;
        }
    }
    let mut found: Vec<f64> = columns.iter().map(|column| libm::ldexp(dot(column, column).sqrt(), exponent)).collect();
    found.sort_by(|a, b| b.total_cmp(a));
    Some(found)
}

/// Rotates each pair of columns until they are orthogonal. Returns whether there was any rotation.
fn sweep(columns: &mut [Vec<f64>]) -> bool {
    let mut rotates = false;
    for second in 1..columns.len() {
        let (before, from) = columns.split_at_mut(second);
        for left in before {
            let right = &mut from[0];
            let (a, b, product) = (dot(left, left), dot(right, right), dot(left, right));
            // The rounding of the products is of this size.
            if product.abs() <= f64::EPSILON * left.len() as f64 * (a.sqrt() * b.sqrt()) {
                continue;
            }
            rotates = true;
            let cotangent = (b - a) / (2.0 * product);
            let tangent = 1.0 / (cotangent.abs() + libm::hypot(1.0, cotangent));
            let tangent = if cotangent < 0.0 { -tangent } else { tangent };
            let cosine = 1.0 / libm::hypot(1.0, tangent);
            let sine = cosine * tangent;
            for (left, right) in left.iter_mut().zip(right.iter_mut()) {
                (*left, *right) = (cosine * *left - sine * *right, sine * *left + cosine * *right);
            }
        }
    }
    rotates
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

//! The zeros of a linear system.

use super::eigen::eigenvalues;
use super::matrix::Matrix;
use crate::block::math::Complex;

/// Returns the zeros of the system with one input and one output: the states are reduced until the input reaches the
/// output directly; then the zeros are the eigenvalues of the inverse system (A. Emami-Naeini, P. Van Dooren:
/// Computation of zeros of linear multivariable systems, Automatica 18, 1982). None if the input does not reach the
/// output at all, or the eigenvalue iteration does not converge.
pub fn zeros(a: &Matrix, b: &Matrix, c: &Matrix, d: &Matrix) -> Option<Vec<Complex>> {
    let size = a.norm().max(b.norm()).max(c.norm()).max(d.norm());
    let tolerance = 1e-12 * size.max(f64::MIN_POSITIVE);
    let (mut a, mut b, mut c, mut d) = (a.clone(), b.clone(), c.clone(), d.clone());
    loop {
        // The outputs that the input reaches directly come first.
        let direct = d.orthogonal(tolerance);
        let turned = direct.basis.transposed();
        (c, d) = (turned.times(&c), turned.times(&d));
        let (reached, rest) = (direct.rank, c.rows - direct.rank);
        if rest == 0 {
            break;
        }
        let silent: Vec<usize> = (reached..c.rows).collect();
        let states: Vec<usize> = (0..a.rows).collect();
        let seen = c.part(&silent, &states);
        let split = seen.transposed().orthogonal(tolerance);
        if split.rank == 0 {
            let direct: Vec<usize> = (0..reached).collect();
            (c, d) = (c.part(&direct, &states), d.part(&direct, &[0]));
            break;
        }
        // The first states are those that these outputs see: they must stay 0, and so must their rates.
        let basis = split.basis;
        let turned = basis.transposed();
        let (turned_a, turned_b, turned_c) = (turned.times(&a).times(&basis), turned.times(&b), c.times(&basis));
        let held: Vec<usize> = (0..split.rank).collect();
        let free: Vec<usize> = (split.rank..a.rows).collect();
        let stack = |above: Matrix, below: Matrix| {
            let (rows, columns) = (above.rows + below.rows, above.columns);
            let values = above.values.into_iter().chain(below.values).collect();
            Matrix { rows, columns, values }
        };
        let direct: Vec<usize> = (0..reached).collect();
        c = stack(turned_a.part(&held, &free), turned_c.part(&direct, &free));
        d = stack(turned_b.part(&held, &[0]), d.part(&direct, &[0]));
        a = turned_a.part(&free, &free);
        b = turned_b.part(&free, &[0]);
    }
    if c.rows == 0 {
        return None;
    }
    let gain = d.at(0, 0);
    eigenvalues(&Matrix::from(a.rows, a.rows, |row, column| a.at(row, column) - b.at(row, 0) * c.at(0, column) / gain))
}

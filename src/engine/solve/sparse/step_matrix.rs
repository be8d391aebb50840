//! The matrix of an implicit step.

use super::{Jacobian, SparseFactors};
use crate::block::math::Factors;

/// All elements are kept up to this number of states, and also if more than `DENSE_PART` of the elements can differ
/// from 0.
const FEW_STATES: usize = 64;
const DENSE_PART: f64 = 0.2;

/// The factors of `diagonal·I − scale·J`, dense or sparse.
#[derive(Debug, Default)]
pub struct StepMatrix {
    is_sparse: bool,
    dense: Factors,
    sparse: SparseFactors<f64>,
    /// All elements of the Jacobian, row by row.
    all: Vec<f64>,
}

/// Whether a matrix with `size` rows and `count` elements that can differ from 0 is kept as a sparse one.
pub fn is_sparse(size: usize, count: usize) -> bool {
    size > FEW_STATES && (count as f64) / (size as f64 * size as f64) < DENSE_PART
}

impl StepMatrix {
    /// Returns false if the matrix is singular or contains a value that is not finite.
    pub fn factor(&mut self, jacobian: &Jacobian, diagonal: f64, scale: f64) -> bool {
        let size = jacobian.size();
        self.is_sparse = is_sparse(size, jacobian.count());
        if self.is_sparse {
            return self.sparse.factor(jacobian, diagonal, scale);
        }
        self.all.clear();
        self.all.resize(size * size, 0.0);
        for column in 0..size {
            jacobian.column(column).for_each(|(row, value)| self.all[row as usize * size + column] = value);
        }
        let all = &self.all;
        self.dense.factor(size, |row, column| {
            let own = if row == column { diagonal } else { 0.0 };
            own - scale * all[row * size + column]
        })
    }

    /// Replaces the right-hand side `b` by the solution.
    pub fn solve(&mut self, b: &mut [f64]) {
        if self.is_sparse { self.sparse.solve(b) } else { self.dense.solve(b) }
    }
}

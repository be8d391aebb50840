//! LU factorization of dense square matrices.

/// The LU factors of a matrix, with partial pivoting (Golub, Van Loan: Matrix Computations, algorithm 3.4.1).
#[derive(Debug, Default)]
pub struct Factors {
    size: usize,
    /// Both triangles in one matrix, in row-major order.
    rows: Vec<f64>,
    /// For each row the row that it was swapped with, in the order of the swaps.
    swaps: Vec<usize>,
}

impl Factors {
    /// Factors the matrix whose element in row `i`, column `j` is `element(i, j)`. Returns false if it is singular or
    /// contains a value that is not finite.
    pub fn factor(&mut self, size: usize, element: impl Fn(usize, usize) -> f64) -> bool {
        self.size = size;
        self.rows.clear();
        self.rows.extend((0..size * size).map(|at| element(at / size, at % size)));
        self.swaps.clear();
        for column in 0..size {
            let mut pivot = column;
            for row in column + 1..size {
                if self.at(row, column).abs() > self.at(pivot, column).abs() {
                    pivot = row;
                }
            }
            let largest = self.at(pivot, column);
            if !largest.is_finite() || largest == 0.0 {
                return false;
            }
            self.swaps.push(pivot);
            let (above, below) = self.rows.split_at_mut((column + 1) * size);
            let upper = &mut above[column * size..];
            if pivot > column {
                let other = &mut below[(pivot - column - 1) * size..][..size];
                upper.swap_with_slice(other);
            }
            for row in below.chunks_exact_mut(size) {
                let factor = row[column] / largest;
                row[column] = factor;
                // Zeros stay zeros.
                if factor != 0.0 {
                    let rest = row[column + 1..].iter_mut().zip(&upper[column + 1..]);
                    rest.for_each(|(to, from)| *to -= factor * from);
                }
            }
        }
        self.rows.iter().all(|element| element.is_finite())
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.rows[row * self.size + column]
    }

    /// Replaces the right-hand side `b` by the solution.
    pub fn solve(&self, b: &mut [f64]) {
        let size = self.size;
        for (row, &other) in self.swaps.iter().enumerate() {
            b.swap(row, other);
        }
        for row in 0..size {
            let known = self.rows[row * size..][..row].iter().zip(&b[..row]);
            let sum = known.fold(b[row], |sum, (factor, value)| sum - factor * value);
            b[row] = sum;
        }
        for row in (0..size).rev() {
            let known = self.rows[row * size + row + 1..(row + 1) * size].iter().zip(&b[row + 1..size]);
            let sum = known.fold(b[row], |sum, (factor, value)| sum - factor * value);
            b[row] = sum / self.at(row, row);
        }
    }
}

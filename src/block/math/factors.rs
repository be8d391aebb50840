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

    /// Replaces `count` right-hand sides, the columns of a matrix in row-major order, by the solutions. Each has the bits
    /// of [`Factors::solve`], but the columns are worked on together.
    pub fn solve_columns(&self, b: &mut [f64], count: usize) {
        let size = self.size;
        if count == 0 {
            return;
        }
        for (row, &other) in self.swaps.iter().enumerate().filter(|(row, other)| row != *other) {
            // The other row is below.
            let (above, below) = b.split_at_mut(other * count);
            above[row * count..][..count].swap_with_slice(&mut below[..count]);
        }
        for row in 0..size {
            let (known, rest) = b.split_at_mut(row * count);
            subtract(&mut rest[..count], &self.rows[row * size..][..row], known);
        }
        for row in (0..size).rev() {
            let (own, known) = b[row * count..].split_at_mut(count);
            subtract(own, &self.rows[row * size + row + 1..(row + 1) * size], known);
            let pivot = self.at(row, row);
            own.iter_mut().for_each(|value| *value /= pivot);
        }
    }
}

/// Subtracts rows, each times a factor, from a row.
fn subtract(row: &mut [f64], factors: &[f64], known: &[f64]) {
    for (factor, known) in factors.iter().zip(known.chunks_exact(row.len())) {
        row.iter_mut().zip(known).for_each(|(value, known)| *value -= factor * known);
    }
}

#[cfg(test)]
mod tests {
    use super::Factors;

    /// A matrix whose pivots are not on the diagonal, and right-hand sides with known solutions.
    #[test]
    fn columns_have_the_bits_of_single_solutions() {
        const SIZE: usize = 7;
        let element = |row: usize, column: usize| 1.0 / (1 + (row + 3 * column) % SIZE) as f64;
        let mut factors = Factors::default();
        assert!(factors.factor(SIZE, element));
        let solution = |row: usize, column: usize| (row + 1) as f64 - column as f64 / 3.0;
        for count in [0, 1, 2, 5] {
            let side = |row: usize, of: usize| (0..SIZE).map(|other| element(row, other) * solution(other, of)).sum();
            let sides: Vec<f64> = (0..SIZE * count).map(|at| side(at / count, at % count)).collect();
            let mut together = sides.clone();
            factors.solve_columns(&mut together, count);
            for column in 0..count {
                let mut alone: Vec<f64> = sides.iter().skip(column).step_by(count).copied().collect();
                factors.solve(&mut alone);
                for (row, value) in alone.iter().enumerate() {
                    assert_eq!(value.to_bits(), together[row * count + column].to_bits());
                    assert!((value - solution(row, column)).abs() < 1e-9, "{value}");
                }
            }
        }
    }
}

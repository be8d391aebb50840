//! Dense rectangular matrices.

use super::{Binary, Factors, Unary};

/// A matrix in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub values: Vec<f64>,
}

impl Matrix {
    pub fn zero(rows: usize, columns: usize) -> Matrix {
        Matrix { rows, columns, values: vec![0.0; rows * columns] }
    }

    pub fn identity(size: usize) -> Matrix {
        Matrix::from(size, size, |row, column| f64::from(u8::from(row == column)))
    }

    /// Returns the matrix whose element at `(row, column)` is `element(row, column)`.
    pub fn from(rows: usize, columns: usize, element: impl Fn(usize, usize) -> f64) -> Matrix {
        let values = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        Matrix { rows, columns, values: values.map(|(row, column)| element(row, column)).collect() }
    }

    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    pub fn set(&mut self, row: usize, column: usize, value: f64) {
        self.values[row * self.columns + column] = value;
    }

    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    pub fn times(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.columns, other.rows, "matrices that fit");
        let mut product = Matrix::zero(self.rows, other.columns);
        for row in 0..self.rows {
            for (inner, &factor) in self.row(row).iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
                let to = &mut product.values[row * other.columns..(row + 1) * other.columns];
                to.iter_mut().zip(other.row(inner)).for_each(|(to, from)| *to += factor * from);
            }
        }
        product
    }

    pub fn plus(&self, other: &Matrix) -> Matrix {
        Matrix::from(self.rows, self.columns, |row, column| self.at(row, column) + other.at(row, column))
    }

    pub fn scaled(&self, factor: f64) -> Matrix {
        Matrix { values: self.values.iter().map(|value| value * factor).collect(), ..*self }
    }

    pub fn transposed(&self) -> Matrix {
        Matrix::from(self.columns, self.rows, |row, column| self.at(column, row))
    }

    /// Returns the submatrix of these rows and columns.
    pub fn part(&self, rows: &[usize], columns: &[usize]) -> Matrix {
        Matrix::from(rows.len(), columns.len(), |row, column| self.at(rows[row], columns[column]))
    }

    /// Returns the matrix scaled by a power of two so that its largest element is from 1/2 to 1, and the exponent of the
    /// factor that undoes it. Products then neither overflow nor vanish, and nothing is rounded. None if an element is not
    /// finite.
    pub fn normalized(&self) -> Option<(Matrix, i32)> {
        let largest = self.values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        if self.values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let exponent = libm::frexp(largest).1;
        let values = self.values.iter().map(|value| libm::ldexp(*value, -exponent)).collect();
        Some((Matrix { values, ..*self }, exponent))
    }

    /// Returns the infinity norm: the largest sum of absolute values in a row.
    pub fn norm(&self) -> f64 {
        (0..self.rows).map(|row| self.row(row).iter().map(|value| value.abs()).sum()).fold(0.0, f64::max)
    }

    /// Returns the solution X of `self·X = right`; none if this matrix is singular.
    pub fn solve(&self, right: &Matrix) -> Option<Matrix> {
        let mut factors = Factors::default();
        if !factors.factor(self.rows, |row, column| self.at(row, column)) {
            return None;
        }
        let mut solution = Matrix::zero(self.rows, right.columns);
        for column in 0..right.columns {
            let mut side: Vec<f64> = (0..self.rows).map(|row| right.at(row, column)).collect();
            factors.solve(&mut side);
            side.into_iter().enumerate().for_each(|(row, value)| solution.set(row, column, value));
        }
        Some(solution)
    }

    /// Returns the matrix exponential by scaling, a Padé approximant and squaring (Golub, Van Loan: Matrix
    /// Computations, algorithm 9.3.1). All elements are NaN if the norm is not finite.
    pub fn exponential(&self) -> Matrix {
        const ORDER: u32 = 8;
        let size = self.rows;
        let norm = self.norm();
        if !norm.is_finite() {
            return self.scaled(f64::NAN);
        }
        let mut squarings = 0;
        let mut scale = 1.0;
        while norm * scale > 0.5 && squarings < 1000 {
            scale *= 0.5;
            squarings += 1;
        }
        let small = self.scaled(scale);
        let (mut power, mut factor) = (Matrix::identity(size), 1.0);
        let (mut above, mut below) = (Matrix::identity(size), Matrix::identity(size));
        for term in 1..=ORDER {
            factor *= f64::from(ORDER - term + 1) / f64::from(term * (2 * ORDER - term + 1));
            power = small.times(&power);
            let part = power.scaled(factor);
            above = above.plus(&part);
            below = below.plus(&part.scaled(if term % 2 == 0 { 1.0 } else { -1.0 }));
        }
        let Some(mut result) = below.solve(&above) else { return self.scaled(f64::NAN) };
        for _ in 0..squarings {
            result = result.times(&result);
        }
        result
    }

    /// Returns the QR factorization with column pivoting: the orthogonal matrix, the triangle with its columns in pivot
    /// order, that order, and the rank. Uses Householder reflections (Golub, Van Loan, algorithm 5.4.1).
    pub fn orthogonal(&self, tolerance: f64) -> Orthogonal {
        let mut triangle = self.clone();
        let mut basis = Matrix::identity(self.rows);
        let mut order: Vec<usize> = (0..self.columns).collect();
        let (mut rank, mut reflections) = (0, Vec::new());
        for step in 0..self.rows.min(self.columns) {
            let length = |column: usize, of: &Matrix| {
                (step..of.rows).map(|row| of.at(row, column) * of.at(row, column)).sum::<f64>()
            };
            let best = (step..self.columns).max_by(|&a, &b| length(a, &triangle).total_cmp(&length(b, &triangle)));
            let Some(best) = best.filter(|&best| length(best, &triangle).sqrt() > tolerance) else { break };
            rank += 1;
            for row in 0..triangle.rows {
                let (a, b) = (triangle.at(row, step), triangle.at(row, best));
                triangle.set(row, step, b);
                triangle.set(row, best, a);
            }
            order.swap(step, best);
            let Some(reflection) = Reflection::of(step, (step..triangle.rows).map(|row| triangle.at(row, step))) else {
                continue;
            };
            reflection.reflect_rows(&mut triangle, step);
            reflection.reflect_columns(&mut basis);
            reflections.push(reflection);
        }
        Orthogonal { basis, triangle, order, rank, reflections }
    }

    /// Returns the least-squares solution of minimum norm for this right-hand side.
    pub fn least_squares(&self, right: &[f64]) -> Vec<f64> {
        let tolerance = 1e-12 * self.values.iter().map(|value| value * value).sum::<f64>().sqrt();
        let first = self.orthogonal(tolerance);
        let rank = first.rank;
        // The independent rows, with the columns in their original order; then the minimum-norm solution of these.
        let mut rows = Matrix::zero(rank, self.columns);
        for row in 0..rank {
            for (column, &original) in first.order.iter().enumerate() {
                rows.set(row, original, if column < row { 0.0 } else { first.triangle.at(row, column) });
            }
        }
        let side: Vec<f64> =
            (0..rank).map(|column| (0..self.rows).map(|row| first.basis.at(row, column) * right[row]).sum()).collect();
        let gram = rows.times(&rows.transposed());
        let side = Matrix { rows: rank, columns: 1, values: side };
        match gram.solve(&side) {
            Some(weights) => rows.transposed().times(&weights).values,
            None => vec![0.0; self.columns],
        }
    }
}

/// The result of [`Matrix::orthogonal`].
pub struct Orthogonal {
    pub basis: Matrix,
    pub triangle: Matrix,
    /// For each column of the triangle the column of the matrix.
    pub order: Vec<usize>,
    pub rank: usize,
    /// The basis is their product.
    pub reflections: Vec<Reflection>,
}

/// A Householder reflection, which maps a column to a multiple of the unit vector `first`.
pub struct Reflection {
    /// The first row or column that it changes.
    first: usize,
    mirror: Vec<f64>,
    /// The square of the length of `mirror`.
    square: f64,
}

impl Reflection {
    /// Returns the reflection for the elements of a column from row `first` on; none if all of them are 0.
    pub fn of(first: usize, column: impl Iterator<Item = f64>) -> Option<Reflection> {
        let mut mirror: Vec<f64> = column.collect();
        let length = mirror.iter().map(|value| value * value).sum::<f64>().sqrt();
        *mirror.first_mut()? += if mirror[0] < 0.0 { -length } else { length };
        let square: f64 = mirror.iter().map(|value| value * value).sum();
        (square != 0.0).then_some(Reflection { first, mirror, square })
    }

    /// Multiplies a matrix by the reflection from the left; the elements left of `column` stay.
    pub fn reflect_rows(&self, of: &mut Matrix, column: usize) {
        let mut dots = vec![-0.0; of.columns - column];
        for (row, value) in (self.first..).zip(&self.mirror) {
            dots.iter_mut().zip(&of.row(row)[column..]).for_each(|(dot, old)| *dot += value * old);
        }
        dots.iter_mut().for_each(|dot| *dot = 2.0 * *dot / self.square);
        for (row, value) in (self.first..).zip(&self.mirror) {
            let row = &mut of.values[row * of.columns + column..][..dots.len()];
            row.iter_mut().zip(&dots).for_each(|(old, dot)| *old -= dot * value);
        }
    }

    /// Multiplies a matrix by the reflection from the right.
    pub fn reflect_columns(&self, of: &mut Matrix) {
        for row in of.values.chunks_exact_mut(of.columns.max(1)) {
            let row = &mut row[self.first..][..self.mirror.len()];
            let dot: f64 = self.mirror.iter().zip(&*row).map(|(value, old)| value * old).sum();
            let dot = 2.0 * dot / self.square;
            row.iter_mut().zip(&self.mirror).for_each(|(old, value)| *old -= dot * value);
        }
    }
}

/// Returns 10 to the power of a number.
pub fn power_of_ten(exponent: f64) -> f64 {
    Unary::Exp.value(exponent * std::f64::consts::LN_10)
}

/// Returns a number above 0 to any power.
pub fn power(base: f64, exponent: f64) -> f64 {
    Binary::Pow.value(base, exponent)
}

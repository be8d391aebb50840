//! LU factorization of sparse square matrices.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Sub};

use num_complex::Complex;

use super::Jacobian;

/// A number that matrices have as elements.
pub trait Element:
    Copy + Debug + Default + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn of(real: f64) -> Self;

    /// A measure of its size, which is not finite where it is not.
    fn size(self) -> f64;
}

impl Element for f64 {
    fn of(real: f64) -> f64 {
        real
    }

    fn size(self) -> f64 {
        self.abs()
    }
}

impl Element for Complex<f64> {
    fn of(real: f64) -> Complex<f64> {
        Complex { re: real, im: 0.0 }
    }

    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
}

/// An element of the diagonal is the pivot if it is at least this fraction of the largest element of its column: other
/// pivots make the factors less sparse.
const LARGE_ENOUGH: f64 = 0.1;

const NONE: u32 = u32::MAX;

/// The factors of a matrix, column by column (Gilbert, Peierls: SIAM J. Sci. Stat. Comput. 9, 1988), with threshold
/// pivoting. They depend on the matrix alone, not on what was factored before.
#[derive(Debug)]
pub struct SparseFactors<T> {
    lower: Triangle<T>,
    upper: Triangle<T>,
    /// The diagonal of the upper triangle.
    pivots: Vec<T>,
    /// For each step of the elimination its row and its column.
    row_of: Vec<u32>,
    column_of: Vec<u32>,
    /// For each row the step in which it is the pivot.
    step_of: Vec<u32>,
    /// A column while it is eliminated, by rows, and the rows that it has.
    column: Vec<T>,
    is_reached: Vec<u32>,
    below: Vec<u32>,
    /// The steps that a column depends on, the last first.
    above: Vec<u32>,
    /// The search for them: a step, and which of its elements is next.
    ahead: Vec<(u32, u32)>,
}

/// The elements of a triangle without its diagonal, column by column: the lower with rows of the matrix, the upper with
/// steps.
#[derive(Debug)]
struct Triangle<T> {
    starts: Vec<u32>,
    elements: Vec<(u32, T)>,
}

impl<T: Element> Triangle<T> {
    fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.elements.clear();
    }

    fn end_column(&mut self) {
        self.starts.push(self.elements.len() as u32);
    }

    fn column(&self, step: usize) -> &[(u32, T)] {
        &self.elements[self.starts[step] as usize..self.starts[step + 1] as usize]
    }
}

impl<T: Element> Default for SparseFactors<T> {
    fn default() -> SparseFactors<T> {
        let triangle = || Triangle { starts: vec![0], elements: Vec::new() };
        SparseFactors {
            lower: triangle(),
            upper: triangle(),
            pivots: Vec::new(),
            row_of: Vec::new(),
            column_of: Vec::new(),
            step_of: Vec::new(),
            column: Vec::new(),
            is_reached: Vec::new(),
            below: Vec::new(),
            above: Vec::new(),
            ahead: Vec::new(),
        }
    }
}

impl<T: Element> SparseFactors<T> {
    /// Factors `diagonal·I − scale·J`. Returns false if that is singular or has a value that is not finite.
    pub fn factor(&mut self, jacobian: &Jacobian, diagonal: T, scale: f64) -> bool {
        let size = jacobian.size();
        self.lower.clear();
        self.upper.clear();
        self.pivots.clear();
        self.row_of.clear();
        self.column_of.clear();
        self.column_of.extend_from_slice(&jacobian.order);
        for (list, empty) in [(&mut self.step_of, NONE), (&mut self.is_reached, NONE)] {
            list.clear();
            list.resize(size, empty);
        }
        self.column.clear();
        self.column.resize(size, T::default());
        (0..size).all(|step| self.eliminate(jacobian, step, diagonal, scale))
    }

    /// Finds the next column of both triangles.
    fn eliminate(&mut self, jacobian: &Jacobian, step: usize, diagonal: T, scale: f64) -> bool {
        let own = self.column_of[step];
        self.reach(jacobian.column(own as usize).map(|(row, _)| row), step as u32);
        for (row, value) in jacobian.column(own as usize) {
            let value = T::of(-(scale * value));
            self.column[row as usize] = if row == own { diagonal + value } else { value };
        }
        for &earlier in self.above.iter().rev() {
            let row = self.row_of[earlier as usize] as usize;
            let value = std::mem::take(&mut self.column[row]);
            if !value.size().is_finite() {
                return false;
            }
            self.upper.elements.push((earlier, value));
            for &(row, factor) in self.lower.column(earlier as usize) {
                let to = &mut self.column[row as usize];
                *to = *to - factor * value;
            }
        }
        self.upper.end_column();
        let (mut largest, mut pivot, mut is_finite) = (0.0, NONE, true);
        for &row in &self.below {
            let size = self.column[row as usize].size();
            is_finite &= size.is_finite();
            if size > largest {
                (largest, pivot) = (size, row);
            }
        }
        if !is_finite || pivot == NONE {
            return false;
        }
        let is_on_diagonal = self.step_of[own as usize] == NONE && self.is_reached[own as usize] == step as u32;
        if is_on_diagonal && self.column[own as usize].size() >= LARGE_ENOUGH * largest {
            pivot = own;
        }
        let value = self.column[pivot as usize];
        for &row in &self.below {
            let element = std::mem::take(&mut self.column[row as usize]);
            if row != pivot {
                self.lower.elements.push((row, element / value));
            }
        }
        self.lower.end_column();
        self.pivots.push(value);
        self.row_of.push(pivot);
        self.step_of[pivot as usize] = step as u32;
        true
    }

    /// Finds the elements of a column: those above the diagonal by their steps, each behind the steps that it depends on,
    /// and the rows below.
    fn reach(&mut self, rows: impl Iterator<Item = u32>, step: u32) {
        self.above.clear();
        self.below.clear();
        for row in rows {
            if std::mem::replace(&mut self.is_reached[row as usize], step) == step {
                continue;
            }
            match self.step_of[row as usize] {
                NONE => self.below.push(row),
                first => self.ahead.push((first, self.lower.starts[first as usize])),
            }
            while let Some((earlier, at)) = self.ahead.last_mut() {
                if *at == self.lower.starts[*earlier as usize + 1] {
                    self.above.push(*earlier);
                    self.ahead.pop();
                    continue;
                }
                let (row, _) = self.lower.elements[*at as usize];
                *at += 1;
                if std::mem::replace(&mut self.is_reached[row as usize], step) == step {
                    continue;
                }
                match self.step_of[row as usize] {
                    NONE => self.below.push(row),
                    next => self.ahead.push((next, self.lower.starts[next as usize])),
                }
            }
        }
    }

    /// Replaces the right-hand side `b` by the solution.
    pub fn solve(&mut self, b: &mut [T]) {
        for (step, &row) in self.row_of.iter().enumerate() {
            let value = b[row as usize];
            self.column[step] = value;
            for &(row, factor) in self.lower.column(step) {
                b[row as usize] = b[row as usize] - factor * value;
            }
        }
        for step in (0..self.row_of.len()).rev() {
            let value = self.column[step] / self.pivots[step];
            for &(earlier, factor) in self.upper.column(step) {
                let to = &mut self.column[earlier as usize];
                *to = *to - factor * value;
            }
            b[self.column_of[step] as usize] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix given by its elements, as `diagonal·I − scale·J` with a diagonal of 0 and a scale of −1.
    fn jacobian(elements: &[Vec<f64>]) -> Jacobian {
        let size = elements.len();
        let rows = |column: usize| (0..size as u32).filter(|row| elements[*row as usize][column] != 0.0).collect();
        let mut jacobian = Jacobian::new(&(0..size).map(rows).collect::<Vec<_>>());
        (0..size).for_each(|column| jacobian.set_column(column, |row| elements[row][column]));
        jacobian
    }

    /// Returns numbers between −1 and 1 (a linear congruence of Knuth's).
    fn random(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    /// Returns a matrix with about `count` elements in a row, and without a diagonal in each third row.
    fn sparse(size: usize, count: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut next = random(seed);
        let mut elements = vec![vec![0.0; size]; size];
        for (row, of_row) in elements.iter_mut().enumerate() {
            for _ in 0..count {
                let column = ((next() + 1.0) / 2.0 * size as f64) as usize % size;
                of_row[column] = next();
            }
            // A permutation, so that it is not singular.
            of_row[(row * 7 + 3) % size] = 3.0 + next();
            if row % 3 != 0 {
                of_row[row] += 0.5;
            }
        }
        elements
    }

    #[test]
    fn the_solution_satisfies_the_equations() {
        let mut factors = SparseFactors::default();
        // The same memory serves matrices of other sizes.
        for (size, count, seed) in [(1, 1, 1), (5, 2, 2), (40, 3, 3), (200, 2, 4), (30, 20, 5), (100, 1, 6)] {
            let elements = sparse(size, count, seed);
            assert!(factors.factor(&jacobian(&elements), 0.0, -1.0), "{size}");
            let mut next = random(seed + 100);
            let want: Vec<f64> = (0..size).map(|_| next()).collect();
            let product = |row: &Vec<f64>| row.iter().zip(&want).map(|(a, x)| a * x).sum::<f64>();
            let mut b: Vec<f64> = elements.iter().map(product).collect();
            factors.solve(&mut b);
            let off = b.iter().zip(&want).map(|(got, want)| (got - want).abs()).fold(0.0, f64::max);
            assert!(off < 1e-10, "{size}, {count}: {off:e}");
        }
    }

    #[test]
    fn complex_equations_are_solved() {
        let elements = sparse(50, 3, 9);
        let diagonal = Complex { re: 0.25, im: -1.5 };
        let mut factors = SparseFactors::default();
        assert!(factors.factor(&jacobian(&elements), diagonal, 2.0));
        let mut next = random(10);
        let want: Vec<Complex<f64>> = (0..50).map(|_| Complex { re: next(), im: next() }).collect();
        let product = |(row, elements): (usize, &Vec<f64>)| {
            let sum = elements.iter().zip(&want).fold(Complex::<f64>::default(), |sum, (a, x)| sum + x * (-2.0 * a));
            sum + diagonal * want[row]
        };
        let mut b: Vec<Complex<f64>> = elements.iter().enumerate().map(product).collect();
        factors.solve(&mut b);
        let off = b.iter().zip(&want).map(|(got, want)| (got - want).size()).fold(0.0, f64::max);
        assert!(off < 1e-10, "{off:e}");
    }

    #[test]
    fn what_is_singular_or_not_finite_is_refused() {
        let mut factors = SparseFactors::<f64>::default();
        assert!(!factors.factor(&jacobian(&[vec![1.0, 2.0], vec![2.0, 4.0]]), 0.0, -1.0));
        assert!(!factors.factor(&jacobian(&[vec![0.0, 0.0], vec![0.0, 1.0]]), 0.0, -1.0));
        assert!(!factors.factor(&jacobian(&[vec![1.0, f64::NAN], vec![0.0, 1.0]]), 0.0, -1.0));
        assert!(!factors.factor(&jacobian(&[vec![1.0, 0.0], vec![f64::INFINITY, 1.0]]), 0.0, -1.0));
        assert!(factors.factor(&jacobian(&[vec![0.0, 2.0], vec![4.0, 0.0]]), 0.0, -1.0));
        let mut b = [2.0, 8.0];
        factors.solve(&mut b);
        assert_eq!(b, [2.0, 1.0]);
    }
}

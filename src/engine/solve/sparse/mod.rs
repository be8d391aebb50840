//! Sparse matrices of the implicit methods: their order of elimination and their factors.

mod factors;
mod order;
mod step_matrix;

pub use factors::SparseFactors;
pub use step_matrix::{StepMatrix, is_sparse};

/// The derivatives of the rates by the states, in columns: only those elements that can differ from 0, and the diagonal.
#[derive(Debug, Default)]
pub struct Jacobian {
    /// For each column, and the end, where its elements begin.
    starts: Vec<u32>,
    /// The row of each element, ascending within a column.
    rows: Vec<u32>,
    /// For each column whether its element on the diagonal can differ from 0.
    has_diagonal: Vec<bool>,
    /// The order in which columns are eliminated, so that factors stay sparse.
    order: Vec<u32>,
    values: Vec<f64>,
}

impl Jacobian {
    /// Makes one of zeros, where the elements of each column stand in ascending `rows`.
    pub fn new(rows: &[Vec<u32>]) -> Jacobian {
        // Without a limit there is always one.
        Jacobian::within(rows, usize::MAX).unwrap_or_default()
    }

    /// Returns `None` if the factors have more than about `most` elements.
    pub fn within(rows: &[Vec<u32>], most: usize) -> Option<Jacobian> {
        let (mut starts, mut all, mut has_diagonal) = (vec![0], Vec::new(), Vec::new());
        for (column, rows) in rows.iter().enumerate() {
            let column = column as u32;
            has_diagonal.push(rows.binary_search(&column).is_ok());
            all.extend(rows.iter().take_while(|row| **row < column));
            all.push(column);
            all.extend(rows.iter().skip_while(|row| **row <= column));
            starts.push(all.len() as u32);
        }
        let order = order::minimum_degree(&starts, &all, most)?;
        Some(Jacobian { values: vec![0.0; all.len()], starts, rows: all, has_diagonal, order })
    }

    /// The number of its rows, and of its columns.
    pub fn size(&self) -> usize {
        self.order.len()
    }

    /// The number of elements that can differ from 0, with the diagonal.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Returns the elements of a column with their rows.
    pub fn column(&self, column: usize) -> impl Iterator<Item = (u32, f64)> {
        let range = self.starts[column] as usize..self.starts[column + 1] as usize;
        self.rows[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// Sets the elements of a column by their rows.
    pub fn set_column(&mut self, column: usize, value: impl Fn(usize) -> f64) {
        let range = self.starts[column] as usize..self.starts[column + 1] as usize;
        for (&row, to) in self.rows[range.clone()].iter().zip(&mut self.values[range]) {
            let row = row as usize;
            *to = if row != column || self.has_diagonal[column] { value(row) } else { 0.0 };
        }
    }
}

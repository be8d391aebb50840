//! Operations on matrices, stored as vectors row after row.

use crate::block::{Builder, Expr};

/// Returns `width / rows`; records an error if it is not an integer.
pub(super) fn columns(b: &Builder, param: &'static str, width: usize, rows: usize) -> Option<usize> {
    if rows > 0 && width.is_multiple_of(rows) {
        return Some(width / rows);
    }
    b.refuse(param, format!("{width} elements do not make {rows} rows"));
    None
}

/// Whether matrices of these rows and columns can be multiplied; records an error if not.
pub(super) fn meet(b: &Builder, param: &'static str, left: [usize; 2], right: [usize; 2]) -> bool {
    let ([rows, columns], [right_rows, right_columns]) = (left, right);
    if columns != right_rows {
        let problem = format!(
            "{rows}×{columns} times {right_rows}×{right_columns} is not defined: {columns} columns do not match {right_rows} rows"
        );
        b.refuse(param, problem);
    }
    columns == right_rows
}

pub(super) fn transpose<'b>(b: &'b Builder<'b>, matrix: Expr<'b>, rows: usize, columns: usize) -> Expr<'b> {
    if rows == 1 || columns == 1 {
        return matrix;
    }
    let elements: Vec<Expr> =
        (0..columns).flat_map(|column| (0..rows).map(move |row| matrix.element(row * columns + column))).collect();
    b.join(&elements)
}

/// Returns the product of a matrix of `rows` by `inner` and one of `inner` by `columns`; terms are added in order.
pub(super) fn multiply<'b>(
    b: &'b Builder<'b>,
    left: Expr<'b>,
    right: Expr<'b>,
    [rows, inner, columns]: [usize; 3],
) -> Expr<'b> {
    // Each element takes the product and the sum of a row and a column.
    if !b.fits(rows, columns) || !b.fits_instructions(2 * rows * columns) {
        return left;
    }
    let right = transpose(b, right, inner, columns);
    let elements: Vec<Expr> = (0..rows)
        .flat_map(|row| {
            let row = left.slice(row * inner, inner);
            (0..columns).map(move |column| row.dot(right.slice(column * inner, inner)))
        })
        .collect();
    b.join(&elements)
}

/// Brings a square matrix with further columns to upper triangular form by elimination with partial pivoting (Golub,
/// Van Loan: Matrix Computations, section 3.4). Returns the sign of the row permutation.
pub(super) fn eliminate<'b>(b: &'b Builder<'b>, rows: &mut [Expr<'b>]) -> Expr<'b> {
    let mut sign = b.constant(1.0);
    for pivot in 0..rows.len() {
        for below in pivot + 1..rows.len() {
            let (upper, lower) = (rows[pivot], rows[below]);
            let is_larger = lower.element(pivot).abs().gt(upper.element(pivot).abs());
            rows[pivot] = b.select(is_larger, lower, upper);
            rows[below] = b.select(is_larger, upper, lower);
            sign = b.select(is_larger, -sign, sign);
        }
        for below in pivot + 1..rows.len() {
            let factor = rows[below].element(pivot) / rows[pivot].element(pivot);
            // An element that is zero stays, whatever the pivot.
            let factor = b.select(rows[below].element(pivot).equals(0.0), 0.0, factor);
            rows[below] = rows[below] - factor * rows[pivot];
        }
    }
    sign
}

/// Returns the solution of `matrix · x = right`; it is infinite or not-a-number if the matrix is singular.
pub(super) fn solve<'b>(b: &'b Builder<'b>, matrix: Expr<'b>, right: Expr<'b>, size: usize) -> Expr<'b> {
    let columns = right.width() / size;
    let row = |row: usize| b.join(&[matrix.slice(row * size, size), right.slice(row * columns, columns)]);
    let mut rows: Vec<Expr> = (0..size).map(row).collect();
    eliminate(b, &mut rows);
    let mut solved: Vec<Expr> = Vec::new();
    for row in (0..size).rev() {
        let known = solved.iter().rev().zip(row + 1..size);
        let rest =
            known.fold(rows[row].slice(size, columns), |rest, (x, column)| rest - rows[row].element(column) * *x);
        solved.push(rest / rows[row].element(row));
    }
    solved.reverse();
    b.join(&solved)
}

//! Stabilizing solutions of algebraic Riccati equations.

use crate::block::math::{ComplexMath, Matrix, eigenvalues};

/// The most iterations; both methods converge quadratically, and take about ten.
const MAX_ITERATIONS: usize = 100;
/// The relative change below which an iteration has converged.
const CONVERGED: f64 = 1e-13;
/// The most corrections of a solution by Newton's method.
const MAX_CORRECTIONS: usize = 4;
/// How close to the limit of stability the poles of the closed loop may be, relative to the largest.
const STABLE: f64 = 1e-10;
/// The residual of a solution, relative to the terms of the equation.
const SOLVED: f64 = 1e-6;

/// Returns the symmetric solution X of `Aᵀ·X + X·A − X·G·X + Q = 0` for which `A − G·X` is stable; `None` without such a
/// solution.
///
/// The first solution is by the sign function of the Hamiltonian matrix (J. Roberts: Linear model reduction and solution of the
/// algebraic Riccati equation by use of the sign function, International Journal of Control 32, 1980), which Newton's method
/// corrects (D. Kleinman: On an iterative technique for Riccati equation computations, IEEE Transactions on Automatic Control
/// 13, 1968).
pub fn continuous_riccati(a: &Matrix, g: &Matrix, q: &Matrix) -> Option<Matrix> {
    let negated = |of: &Matrix| of.scaled(-1.0);
    let hamiltonian = blocks([[a, &negated(g)], [&negated(q), &negated(&a.transposed())]]);
    let closed = |x: &Matrix| Some(a.plus(&negated(&g.times(x))));
    let residual = |x: &Matrix| {
        let product = a.transposed().times(x);
        Some(product.plus(&product.transposed()).plus(&negated(&x.times(g).times(x))).plus(q))
    };
    let x = corrected(stable_subspace(&hamiltonian)?, &closed, &residual, lyapunov)?;
    let poles = eigenvalues(&closed(&x)?)?;
    let largest = poles.iter().map(|pole| pole.abs()).fold(0.0, f64::max);
    let size = q.norm() + x.norm() * (a.norm() + g.norm() * x.norm());
    let is_solution = residual(&x)?.norm() <= SOLVED * size;
    (is_solution && poles.iter().all(|pole| pole.re < -STABLE * largest)).then_some(x)
}

/// Returns the symmetric solution X of `X = Aᵀ·X·(I + G·X)⁻¹·A + Q` for which `(I + G·X)⁻¹·A` is stable; `None` without
/// such a solution.
///
/// The bilinear transform maps the unit circle to the imaginary axis and keeps the subspaces, so that the sign function finds
/// the first solution here too; Newton's method corrects it (G. Hewer: An iterative technique for the computation of the steady
/// state gains for the discrete optimal regulator, IEEE Transactions on Automatic Control 16, 1971).
pub fn discrete_riccati(a: &Matrix, g: &Matrix, q: &Matrix) -> Option<Matrix> {
    let n = a.rows;
    let (unit, zero) = (Matrix::identity(n), Matrix::zero(n, n));
    let next = blocks([[a, &zero], [&q.scaled(-1.0), &unit]]);
    let now = blocks([[&unit, g], [&zero, &a.transposed()]]);
    let moved = next.plus(&now).solve(&next.plus(&now.scaled(-1.0)))?;
    let closed = |x: &Matrix| unit.plus(&g.times(x)).solve(a);
    let residual = |x: &Matrix| Some(a.transposed().times(x).times(&closed(x)?).plus(q).plus(&x.scaled(-1.0)));
    let x = corrected(stable_subspace(&moved)?, &closed, &residual, stein)?;
    let size = q.norm() + x.norm() * (1.0 + a.norm() * closed(&x)?.norm());
    let is_solution = residual(&x)?.norm() <= SOLVED * size;
    (is_solution && eigenvalues(&closed(&x)?)?.iter().all(|pole| pole.abs() < 1.0 - STABLE)).then_some(x)
}

/// Corrects a solution by Newton's method, as long as the residual falls. `solve` solves the linear equation for a correction,
/// from the matrix of the closed loop and the residual.
fn corrected(
    first: Matrix,
    closed: &dyn Fn(&Matrix) -> Option<Matrix>,
    residual: &dyn Fn(&Matrix) -> Option<Matrix>,
    solve: fn(&Matrix, &Matrix) -> Option<Matrix>,
) -> Option<Matrix> {
    let (mut x, mut rest) = (first.clone(), residual(&first)?);
    for _ in 0..MAX_CORRECTIONS {
        let Some(correction) = solve(&closed(&x)?, &rest) else { break };
        let next = symmetric(&x.plus(&correction));
        let Some(next_rest) = residual(&next) else { break };
        if next_rest.norm().is_nan() || next_rest.norm() >= rest.norm() {
            break;
        }
        (x, rest) = (next, next_rest);
    }
    Some(x)
}

/// Returns X, where the columns of (I; X) span the subspace of the eigenvalues with negative real parts.
fn stable_subspace(matrix: &Matrix) -> Option<Matrix> {
    let n = matrix.rows / 2;
    let sign = sign(matrix)?;
    // Where the sign is −1: (S12; S22 + I)·X = −(S11 + I; S21).
    let unit = |row: usize, column: usize| f64::from(u8::from(row == column));
    let left = Matrix::from(2 * n, n, |row, column| {
        sign.at(row, n + column) + if row < n { 0.0 } else { unit(row - n, column) }
    });
    let mut x = Matrix::zero(n, n);
    for column in 0..n {
        let right = |row: usize| -sign.at(row, column) - if row < n { unit(row, column) } else { 0.0 };
        let side: Vec<f64> = (0..2 * n).map(right).collect();
        left.least_squares(&side).into_iter().enumerate().for_each(|(row, value)| x.set(row, column, value));
    }
    Some(symmetric(&x))
}

/// Returns the solution X of `X = Aᵀ·X·A + Q` for a stable A, by doubling (R. Smith: Matrix equation XA + BX = C, SIAM Journal on
/// Applied Mathematics 16, 1968).
fn stein(a: &Matrix, q: &Matrix) -> Option<Matrix> {
    let (mut a, mut x) = (a.clone(), q.clone());
    for _ in 0..MAX_ITERATIONS {
        let change = a.transposed().times(&x).times(&a);
        x = x.plus(&change);
        if !x.norm().is_finite() {
            return None;
        }
        if change.norm() <= CONVERGED * x.norm() {
            return Some(symmetric(&x));
        }
        a = a.times(&a);
    }
    None
}

/// Returns the solution X of `Aᵀ·X + X·A + Q = 0` for a stable A.
fn lyapunov(a: &Matrix, q: &Matrix) -> Option<Matrix> {
    let (mut a, mut q) = (a.clone(), q.clone());
    for _ in 0..MAX_ITERATIONS {
        let inverse = a.solve(&Matrix::identity(a.rows))?;
        let scale = scale(&a, &inverse)?;
        let next = a.scaled(0.5 / scale).plus(&inverse.scaled(0.5 * scale));
        let moved = inverse.transposed().times(&q).times(&inverse);
        q = symmetric(&q.scaled(0.5 / scale).plus(&moved.scaled(0.5 * scale)));
        let change = next.plus(&a.scaled(-1.0)).norm();
        a = next;
        if change <= CONVERGED.sqrt() * a.norm() {
            // One more step without scaling has the square of the error.
            let inverse = a.solve(&Matrix::identity(a.rows))?;
            let moved = inverse.transposed().times(&q).times(&inverse);
            return Some(symmetric(&q.plus(&moved).scaled(0.25)));
        }
    }
    None
}

/// Returns the sign of a matrix without eigenvalues on the imaginary axis, by Newton's method with scaling by norms (N. Higham:
/// Functions of Matrices, 2008, chapter 5).
fn sign(matrix: &Matrix) -> Option<Matrix> {
    let mut x = matrix.clone();
    let (mut before, mut is_near) = (f64::INFINITY, false);
    for _ in 0..MAX_ITERATIONS {
        let inverse = x.solve(&Matrix::identity(x.rows))?;
        let scale = if is_near { 1.0 } else { scale(&x, &inverse)? };
        let next = x.scaled(0.5 / scale).plus(&inverse.scaled(0.5 * scale));
        let change = next.plus(&x.scaled(-1.0)).norm() / next.norm();
        x = next;
        if !change.is_finite() {
            return None;
        }
        // Near the limit rounding errors stop the progress.
        if change <= CONVERGED || (is_near && change <= 1e-8 && change >= 0.5 * before) {
            return Some(x);
        }
        is_near |= change < 1e-2;
        before = change;
    }
    None
}

/// Returns the divisor that brings a matrix and its inverse to about the same size.
fn scale(matrix: &Matrix, inverse: &Matrix) -> Option<f64> {
    let norms = |of: &Matrix| of.norm() * of.transposed().norm();
    let scale = (norms(matrix) / norms(inverse)).sqrt().sqrt();
    (scale.is_finite() && scale > 0.0).then_some(scale)
}

fn symmetric(of: &Matrix) -> Matrix {
    Matrix::from(of.rows, of.columns, |row, column| 0.5 * (of.at(row, column) + of.at(column, row)))
}

/// Returns a matrix of four blocks of one size.
fn blocks(of: [[&Matrix; 2]; 2]) -> Matrix {
    let n = of[0][0].rows;
    Matrix::from(2 * n, 2 * n, |row, column| of[row / n][column / n].at(row % n, column % n))
}

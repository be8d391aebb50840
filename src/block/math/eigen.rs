//! Eigenvalues of real matrices: division into blocks by permutation, balancing, reduction to Hessenberg form, then the QR algorithm with double shifts (J.
//! H. Wilkinson, C. Reinsch: Handbook for Automatic Computation II, Linear Algebra, II/11 to II/14; Golub, Van Loan:
//! Matrix Computations, section 7.5).

use super::matrix::Reflection;
use super::{Complex, Matrix};

/// After this many iterations for one eigenvalue the algorithm fails.
const MAX_ITERATIONS: usize = 100;

/// Returns the eigenvalues, sorted by real part, then imaginary part; those of a conjugate pair are adjacent. None if
/// the matrix has a value that is not finite, or the iteration does not converge.
pub fn eigenvalues(matrix: &Matrix) -> Option<Vec<Complex>> {
    if matrix.values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut found = Vec::with_capacity(matrix.rows);
    for block in blocks(matrix) {
        match block[..] {
            [only] => found.push(Complex::from(matrix.at(only, only))),
            _ => {
                let (balanced, _) = balanced(&matrix.part(&block, &block));
                found.extend(shifted(hessenberg(&balanced, None))?);
            }
        }
    }
    found.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im)));
    Some(found)
}

/// Returns the diagonal blocks of a block triangular form that a permutation of rows and columns gives, each as ascending
/// indices. Their eigenvalues are those of the matrix, so that a state that depends on others without acting on them
/// causes no rounding in their eigenvalues, nor they in its own. The blocks are the strongly connected components of the
/// graph of nonzero elements (R. Tarjan: Depth-first search and linear graph algorithms, SIAM J. Comput. 1, 1972).
fn blocks(matrix: &Matrix) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let size = matrix.rows;
    // The number in the order of discovery, and the least one that is known to be reachable.
    let (mut number, mut least) = (vec![UNSEEN; size], vec![UNSEEN; size]);
    let (mut open, mut is_open) = (Vec::new(), vec![false; size]);
    let (mut count, mut found) = (0, Vec::new());
    for root in 0..size {
        // Each index on the path with the next column to look at.
        let mut path = if number[root] == UNSEEN { vec![(root, 0)] } else { Vec::new() };
        while let Some((at, column)) = path.last_mut() {
            let at = *at;
            if number[at] == UNSEEN {
                (number[at], least[at]) = (count, count);
                count += 1;
                open.push(at);
                is_open[at] = true;
            }
            let leads_on = |&to: &usize| matrix.at(at, to) != 0.0 && (number[to] == UNSEEN || is_open[to]);
            if let Some(to) = (*column..size).find(leads_on) {
                *column = to + 1;
                match number[to] {
                    UNSEEN => path.push((to, 0)),
                    reached => least[at] = least[at].min(reached),
                }
                continue;
            }
            path.pop();
            if let Some((before, _)) = path.last() {
                least[*before] = least[*before].min(least[at]);
            }
            if least[at] == number[at] {
                let first = open.iter().rposition(|&index| index == at).unwrap_or(0);
                let mut block = open.split_off(first);
                block.iter().for_each(|&index| is_open[index] = false);
                block.sort_unstable();
                found.push(block);
            }
        }
    }
    found
}

/// Scales rows and columns of a finite matrix by powers of two until their norms are of similar size. This changes no
/// eigenvalue and causes no rounding. Returns the factor of each index too: its column was multiplied by it, and its row
/// divided.
pub fn balanced(matrix: &Matrix) -> (Matrix, Vec<f64>) {
    let (mut a, size) = (matrix.clone(), matrix.rows);
    let mut factors = vec![1.0; size];
    let mut is_done = false;
    while !is_done {
        is_done = true;
        for (index, total) in factors.iter_mut().enumerate() {
            let others = || (0..size).filter(move |&other| other != index);
            let mut column: f64 = others().map(|row| a.at(row, index).abs()).sum();
            let row: f64 = others().map(|column| a.at(index, column).abs()).sum();
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let (sum, mut factor) = (column + row, 1.0);
            while column < row / 2.0 {
                factor *= 2.0;
                column *= 4.0;
            }
            while column >= row * 2.0 {
                factor /= 2.0;
                column /= 4.0;
            }
            if (column + row) / factor < 0.95 * sum {
                is_done = false;
                for other in 0..size {
                    a.set(index, other, a.at(index, other) / factor);
                }
                for other in 0..size {
                    a.set(other, index, a.at(other, index) * factor);
                }
                *total *= factor;
            }
        }
    }
    (a, factors)
}

/// Returns the similar matrix in Hessenberg form, by Householder reflections; `basis` is multiplied from the right by
/// the reflections.
pub fn hessenberg(a: &Matrix, mut basis: Option<&mut Matrix>) -> Matrix {
    let size = a.rows;
    let mut h = a.clone();
    for step in 0..size.saturating_sub(2) {
        if (step + 2..size).all(|row| h.at(row, step) == 0.0) {
            continue;
        }
        let column: Vec<f64> = (step + 1..size).map(|row| h.at(row, step)).collect();
        let Some(reflection) = Reflection::of(step + 1, column.into_iter()) else { continue };
        // Further left there are zeros only.
        reflection.reflect_rows(&mut h, step);
        reflection.reflect_columns(&mut h);
        if let Some(basis) = &mut basis {
            reflection.reflect_columns(basis);
        }
        (step + 2..size).for_each(|row| h.set(row, step, 0.0));
    }
    h
}

fn shifted(mut h: Matrix) -> Option<Vec<Complex>> {
    let size = h.rows;
    let mut found = Vec::with_capacity(size);
    let norm = h.norm().max(f64::MIN_POSITIVE);
    let mut end = size;
    let mut iterations = 0;
    while end > 0 {
        let mut start = end - 1;
        while start > 0 {
            let near = h.at(start - 1, start - 1).abs() + h.at(start, start).abs();
            let near = if near == 0.0 { norm } else { near };
            if h.at(start, start - 1).abs() <= f64::EPSILON * near {
                h.set(start, start - 1, 0.0);
                break;
            }
            start -= 1;
        }
        match end - start {
            1 => {
                found.push(Complex::new(h.at(start, start), 0.0));
                (end, iterations) = (start, 0);
            }
            2 => {
                found.extend(pair(&h, start));
                (end, iterations) = (start, 0);
            }
            _ => {
                iterations += 1;
                if iterations > MAX_ITERATIONS {
                    return None;
                }
                sweep(&mut h, start, end, iterations);
            }
        }
    }
    Some(found)
}

/// Returns the eigenvalues of the 2×2 block that starts at row and column `at`.
fn pair(h: &Matrix, at: usize) -> [Complex; 2] {
    let (a, b, c, d) = (h.at(at, at), h.at(at, at + 1), h.at(at + 1, at), h.at(at + 1, at + 1));
    let half = 0.5 * (a - d);
    let square = half * half + b * c;
    let root = square.abs().sqrt();
    if square < 0.0 {
        let middle = d + half;
        return [Complex::new(middle, -root), Complex::new(middle, root)];
    }
    // The larger one first, so that no digits cancel.
    let far = half + if half < 0.0 { -root } else { root };
    let first = d + far;
    let second = if far == 0.0 { first } else { d - b * c / far };
    [Complex::new(first, 0.0), Complex::new(second, 0.0)]
}

/// One QR step with a double shift (Francis).
fn sweep(h: &mut Matrix, start: usize, end: usize, iterations: usize) {
    let last = end - 1;
    let (mut sum, mut product) = (
        h.at(last - 1, last - 1) + h.at(last, last),
        h.at(last - 1, last - 1) * h.at(last, last) - h.at(last - 1, last) * h.at(last, last - 1),
    );
    if iterations.is_multiple_of(10) {
        // An exceptional shift, in case the iteration cycles.
        let size = h.at(last, last - 1).abs() + h.at(last - 1, last - 2).abs();
        (sum, product) = (1.5 * size, size * size);
    }
    let mut x = h.at(start, start) * h.at(start, start) + h.at(start, start + 1) * h.at(start + 1, start)
        - sum * h.at(start, start)
        + product;
    let mut y = h.at(start + 1, start) * (h.at(start, start) + h.at(start + 1, start + 1) - sum);
    let mut z = h.at(start + 1, start) * h.at(start + 2, start + 1);
    for step in start..last {
        let count = (end - step).min(3);
        let mut mirror = [x, y, if count == 3 { z } else { 0.0 }];
        let largest = mirror.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        if largest > 0.0 {
            mirror.iter_mut().for_each(|value| *value /= largest);
            let length = mirror.iter().map(|value| value * value).sum::<f64>().sqrt();
            mirror[0] += if mirror[0] < 0.0 { -length } else { length };
            let square: f64 = mirror.iter().map(|value| value * value).sum();
            let mirror = &mirror[..count];
            // The eigenvalues of the block from `start` to `end` depend on nothing outside of it.
            let columns = step.saturating_sub(1).max(start)..end;
            match mirror {
                &[v0, v1, v2] => {
                    let mut rows = h.values.chunks_exact_mut(h.columns).skip(step);
                    let mut next = || rows.next().map_or(&mut [][..], |row| &mut row[columns.clone()]);
                    let (a, b, c) = (next(), next(), next());
                    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                        let dot = 2.0 * (v0 * *a + v1 * *b + v2 * *c) / square;
                        (*a, *b, *c) = (*a - dot * v0, *b - dot * v1, *c - dot * v2);
                    }
                }
                _ => {
                    for column in columns {
                        let dot = mirror.iter().enumerate().map(|(at, value)| value * h.at(step + at, column));
                        let dot = 2.0 * dot.sum::<f64>() / square;
                        for (at, value) in mirror.iter().enumerate() {
                            h.set(step + at, column, h.at(step + at, column) - dot * value);
                        }
                    }
                }
            }
            for row in start..end.min(step + 4) {
                let row = &mut h.values[row * h.columns + step..][..count];
                let dot = mirror.iter().zip(&*row).map(|(value, old)| value * old).sum::<f64>();
                let dot = 2.0 * dot / square;
                row.iter_mut().zip(mirror).for_each(|(old, value)| *old -= dot * value);
            }
        }
        if step > start {
            (step + 1..(step + 3).min(end)).for_each(|row| h.set(row, step - 1, 0.0));
        }
        x = h.at(step + 1, step);
        y = if step + 2 < end { h.at(step + 2, step) } else { 0.0 };
        z = if step + 3 < end { h.at(step + 3, step) } else { 0.0 };
    }
}

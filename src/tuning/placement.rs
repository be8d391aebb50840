//! Pole placement by Sylvester's equation: with `A·X − X·Λ = B·G` the feedback `K = G·X⁻¹` gives `A − B·K` the poles of Λ (S.
//! Bhattacharyya, E. de Souza: Pole assignment via Sylvester's equation, Systems & Control Letters 1, 1982). With one input the
//! gain does not depend on G; with several that G is taken of a few whose X is best conditioned.

use crate::block::math::{Complex, ComplexMath, Matrix, eigenvalues, random, singular_values};

/// The choices of G that are tried if there are several inputs.
const TRIES: u64 = 40;
/// How close poles may be to those of the open loop, relative to the norms, before a first feedback moves these away.
const APART: f64 = 1e-4;

/// Returns the gain for these poles, which are closed under conjugation; `None` if the numbers do not allow it.
pub fn gain(a: &Matrix, b: &Matrix, poles: &[Complex]) -> Option<Matrix> {
    let (n, m) = (a.rows, b.columns);
    let size = a.norm().max(poles.iter().map(|pole| pole.abs()).fold(0.0, f64::max)).max(f64::MIN_POSITIVE);
    let open = eigenvalues(a)?;
    let is_apart = open.iter().all(|own| poles.iter().all(|pole| (*own - *pole).abs() > APART * size));
    // Sylvester's equation has a solution if no pole stays where it is.
    let first = match is_apart {
        true => Matrix::zero(m, n),
        false => directions(m, n, TRIES).scaled(size / b.norm()),
    };
    let a = a.plus(&b.times(&first).scaled(-1.0));
    let tries = if m == 1 { 1 } else { TRIES };
    let mut best: Option<(f64, Matrix)> = None;
    for number in 0..tries {
        let Some(vectors) = eigenvectors(&a, b, poles, &directions(m, n, number)) else { continue };
        let Some((condition, gain)) = judged(&vectors) else { continue };
        if best.as_ref().is_none_or(|(least, _)| condition < *least) {
            best = Some((condition, gain));
        }
    }
    Some(best?.1.plus(&first))
}

/// Returns the greatest distance between two lists of poles, each pole with the nearest that is left.
pub fn distance(got: &[Complex], wanted: &[Complex]) -> f64 {
    let mut left = got.to_vec();
    let mut greatest: f64 = 0.0;
    for pole in wanted {
        let nearest =
            (0..left.len()).min_by(|one, other| (left[*one] - *pole).abs().total_cmp(&(left[*other] - *pole).abs()));
        let Some(nearest) = nearest else { return f64::INFINITY };
        greatest = greatest.max((left.swap_remove(nearest) - *pole).abs());
    }
    greatest
}

/// X, and the G with `A·X − X·Λ = B·G`.
struct Vectors {
    x: Matrix,
    g: Matrix,
}

/// Returns the condition of X and the gain.
fn judged(of: &Vectors) -> Option<(f64, Matrix)> {
    let values = singular_values(&of.x)?;
    let condition = values.first()? / values.last()?;
    let gain = of.x.transposed().solve(&of.g.transposed())?.transposed();
    (condition.is_finite() && gain.norm().is_finite()).then_some((condition, gain))
}

/// Solves Sylvester's equation column by column. A pole that is there several times has the vector before it on the right side,
/// so that Λ is of Jordan's form; without that the columns would not be independent.
fn eigenvectors(a: &Matrix, b: &Matrix, poles: &[Complex], g: &Matrix) -> Option<Vectors> {
    let (n, m) = (a.rows, b.columns);
    let (mut x, mut directions) = (Matrix::zero(n, n), Matrix::zero(m, n));
    // Pairs are solved for the pole above the axis.
    let chosen: Vec<Complex> = poles.iter().copied().filter(|pole| pole.im >= 0.0).collect();
    let mut column = 0;
    for (number, pole) in chosen.iter().enumerate() {
        let before: Vec<&Complex> =
            chosen.get(..number)?.iter().filter(|other| (**other - *pole).abs() == 0.0).collect();
        let is_pair = pole.im != 0.0;
        let width = if is_pair { 2 } else { 1 };
        // With several inputs as many vectors of one pole are independent; with one, they form a chain.
        let is_chained = !before.is_empty() && (m == 1 || before.len() >= m);
        let source =
            |row: usize, part: usize| (0..m).map(|input| b.at(row, input) * g.at(input, column + part)).sum::<f64>();
        let chain = |row: usize, part: usize| if is_chained { x.at(row, column - width + part) } else { 0.0 };
        let side = Matrix::from(width * n, 1, |at, _| source(at % n, at / n) + chain(at % n, at / n));
        // (A − λ·I)·(v + i·w), its real part above the imaginary one.
        let left = Matrix::from(width * n, width * n, |at, from| {
            let (row, column) = (at % n, from % n);
            let unit = f64::from(u8::from(row == column));
            match (at < n, from < n) {
                (true, true) | (false, false) => a.at(row, column) - pole.re * unit,
                (true, false) => pole.im * unit,
                (false, true) => -pole.im * unit,
            }
        });
        let found = left.solve(&side)?;
        // A chain may shrink or grow by the size of its vectors, a multiple of both sides.
        let length = found.values.iter().map(|value| value * value).sum::<f64>().sqrt();
        let scale = if is_chained || length == 0.0 { 1.0 } else { 1.0 / length };
        for part in 0..width {
            (0..n).for_each(|row| x.set(row, column + part, scale * found.at(part * n + row, 0)));
            (0..m).for_each(|input| directions.set(input, column + part, scale * g.at(input, column + part)));
        }
        column += width;
    }
    Some(Vectors { x, g: directions })
}

/// Returns numbers from −1 to 1 that are always the same.
fn directions(rows: usize, columns: usize, number: u64) -> Matrix {
    if rows == 1 && number == 0 {
        return Matrix::from(1, columns, |_, _| 1.0);
    }
    Matrix::from(rows, columns, |row, column| 2.0 * random(number as f64, 0.0, 0.0, row * columns + column) - 1.0)
}

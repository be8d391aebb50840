//! The zeros of a linear system.

use crate::block::math::{Complex, Matrix, eigenvalues};

/// The matrices of `x' = A·x + B·u`, `y = C·x + D·u`.
#[derive(Clone)]
struct System {
    a: Matrix,
    b: Matrix,
    c: Matrix,
    d: Matrix,
}

/// Returns the transmission zeros of a system: its states are reduced until the inputs reach the outputs directly, and
/// then those of the dual system; what remains has as many inputs as outputs, and the zeros are the eigenvalues of its
/// inverse (A. Emami-Naeini, P. Van Dooren: Computation of zeros of linear multivariable systems, Automatica 18, 1982).
/// `None` if the inputs do not reach the outputs at all, or the eigenvalue iteration does not converge.
pub fn zeros(a: &Matrix, b: &Matrix, c: &Matrix, d: &Matrix) -> Option<Vec<Complex>> {
    if b.columns == 0 || c.rows == 0 {
        return None;
    }
    let size = a.norm().max(b.norm()).max(c.norm()).max(d.norm());
    let tolerance = 1e-12 * size.max(f64::MIN_POSITIVE);
    let mut system = System { a: a.clone(), b: b.clone(), c: c.clone(), d: d.clone() }.reduced(tolerance);
    if system.d.rows < system.d.columns {
        system = system.dual().reduced(tolerance).dual();
    }
    if system.d.rows == 0 {
        return None;
    }
    let System { a, b, c, d } = system;
    if let [gain] = d.values[..] {
        let element = |row, column| a.at(row, column) - b.at(row, 0) * c.at(0, column) / gain;
        return eigenvalues(&Matrix::from(a.rows, a.rows, element));
    }
    let back = b.times(&d.solve(&c)?);
    eigenvalues(&Matrix::from(a.rows, a.rows, |row, column| a.at(row, column) - back.at(row, column)))
}

impl System {
    /// Returns the system whose inputs are this one's outputs.
    fn dual(&self) -> System {
        let [a, b, c, d] = [&self.a, &self.c, &self.b, &self.d].map(Matrix::transposed);
        System { a, b, c, d }
    }

    /// Removes the states that outputs without direct feedthrough see, and their rates, until every output that is left
    /// has direct feedthrough from an input of its own. The zeros stay.
    fn reduced(self, tolerance: f64) -> System {
        let System { mut a, mut b, mut c, mut d } = self;
        let inputs: Vec<usize> = (0..b.columns).collect();
        loop {
            // The outputs that the inputs reach directly come first.
            let direct = d.orthogonal(tolerance);
            let turned = direct.basis.transposed();
            (c, d) = (turned.times(&c), turned.times(&d));
            let (reached, rest) = (direct.rank, c.rows - direct.rank);
            if rest == 0 {
                return System { a, b, c, d };
            }
            let silent: Vec<usize> = (reached..c.rows).collect();
            let direct: Vec<usize> = (0..reached).collect();
            let states: Vec<usize> = (0..a.rows).collect();
            let seen = c.part(&silent, &states);
            let split = seen.transposed().orthogonal(tolerance);
            if split.rank == 0 {
                let (c, d) = (c.part(&direct, &states), d.part(&direct, &inputs));
                return System { a, b, c, d };
            }
            // The first states are those that these outputs see: they must stay 0, and so must their rates.
            for reflection in &split.reflections {
                reflection.reflect_rows(&mut a, 0);
                reflection.reflect_columns(&mut a);
                reflection.reflect_rows(&mut b, 0);
                reflection.reflect_columns(&mut c);
            }
            let held: Vec<usize> = (0..split.rank).collect();
            let free: Vec<usize> = (split.rank..a.rows).collect();
            c = stack(a.part(&held, &free), c.part(&direct, &free));
            d = stack(b.part(&held, &inputs), d.part(&direct, &inputs));
            a = a.part(&free, &free);
            b = b.part(&free, &inputs);
        }
    }
}

fn stack(above: Matrix, below: Matrix) -> Matrix {
    let (rows, columns) = (above.rows + below.rows, above.columns);
    let values = above.values.into_iter().chain(below.values).collect();
    Matrix { rows, columns, values }
}

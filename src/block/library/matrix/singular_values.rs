use std::sync::Arc;

use crate::block::library::matrix_math::columns;
use crate::block::library::matrix_shape::ROWS;
use crate::block::math::{Matrix, singular_values};
use crate::block::{BlockDef, CallError, Example, Face, HostFn, HostFunction, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Singular Values",
    doc: "Computes the singular values of a matrix, the largest first",
    formula: "σᵢ = √λᵢ(A'·A), by one-sided Jacobi rotations (Golub, Van Loan: Matrix Computations, section 8.6.3); \
              not-a-number where an element of A is not finite",
    aliases: &["svd", "matsing", "singular value decomposition", "condition number", "spectral norm", "rank"],
    look: Look::rect(Face::Text("σ(A)")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ROWS],
    build: |b| {
        let (u, rows) = (b.input(0), b.settings().integer("Rows") as usize);
        let Some(columns) = columns(b, "Rows", u.width(), rows) else { return b.output(0, u) };
        let count = rows.min(columns);
        if count > MAX_COUNT || u.width() > MAX_COUNT * MAX_LENGTH {
            b.refuse(
                "Rows",
                format!("a matrix of {rows}×{columns} is too large; the limit is {MAX_COUNT}×{MAX_LENGTH}"),
            );
            return b.output(0, u);
        }
        b.output(0, b.native(HostFn(Arc::new(SingularValues { rows, columns })), &[u], count));
    },
    examples: &[
        Example {
            doc: "A 2×2 matrix: √45 and √5",
            options: &[("Rows", &["2"])],
            delta: 1.0,
            widths: &[4],
            inputs: &[&[3.0, 0.0, 4.0, 5.0]],
            outputs: &[&[6.708203932499369, 2.23606797749979]],
        },
        Example {
            doc: "A single row has its length",
            options: &[],
            delta: 1.0,
            widths: &[2],
            inputs: &[&[3.0, -4.0]],
            outputs: &[&[5.0]],
        },
    ],
};

/// The maximum of the smaller and of the larger number of rows and columns: about a tenth of a second a step.
const MAX_COUNT: usize = 100;
const MAX_LENGTH: usize = 1000;

#[derive(Debug)]
struct SingularValues {
    rows: usize,
    columns: usize,
}

impl HostFunction for SingularValues {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        let matrix = Matrix { rows: self.rows, columns: self.columns, values: args.to_vec() };
        match singular_values(&matrix) {
            Some(found) => out.copy_from_slice(&found),
            None => out.fill(f64::NAN),
        }
        Ok(())
    }
}

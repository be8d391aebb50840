use std::sync::Arc;

use crate::block::library::matrix_shape::square_up_to;
use crate::block::math::{Matrix, eigenvalues};
use crate::block::{BlockDef, CallError, Example, Face, HostFn, HostFunction, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Eigenvalues",
    doc: "Computes the eigenvalues of a square matrix",
    formula: "det(A − λI) = 0, sorted by the real part, then the imaginary part; by the QR algorithm with double shifts \
              (Golub, Van Loan: Matrix Computations, section 7.5); not-a-number where an element of A is not finite",
    aliases: &[
        "eig",
        "mateig",
        "eigenvalue",
        "characteristic values",
        "poles",
        "spectrum of a matrix",
        "spectral radius",
    ],
    look: Look::rect(Face::Text("λ(A)")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Real", "Imaginary"]),
    params: &[],
    build: |b| {
        let u = b.input(0);
        let Some(size) = square_up_to(b, u, MAX_SIZE) else { return (0..2).for_each(|output| b.output(output, u)) };
        let both = b.native(HostFn(Arc::new(Eigenvalues { size })), &[u], 2 * size);
        b.output(0, both.slice(0, size));
        b.output(1, both.slice(size, size));
    },
    examples: &[
        Example {
            doc: "A symmetric matrix has real eigenvalues",
            options: &[],
            delta: 1.0,
            widths: &[4],
            inputs: &[&[2.0, 1.0, 1.0, 2.0]],
            outputs: &[&[1.0, 3.0], &[0.0, 0.0]],
        },
        Example {
            doc: "A rotation by 90° has the eigenvalues ±i",
            options: &[],
            delta: 1.0,
            widths: &[4],
            inputs: &[&[0.0, -1.0, 1.0, 0.0]],
            outputs: &[&[0.0, 0.0], &[-1.0, 1.0]],
        },
    ],
};

/// The maximum number of rows: about a tenth of a second a step.
const MAX_SIZE: usize = 100;

/// Computes all real parts, then all imaginary parts.
#[derive(Debug)]
struct Eigenvalues {
    size: usize,
}

impl HostFunction for Eigenvalues {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        let matrix = Matrix { rows: self.size, columns: self.size, values: args.to_vec() };
        let found = matrix.normalized().and_then(|(scaled, exponent)| Some((eigenvalues(&scaled)?, exponent)));
        out.fill(f64::NAN);
        let (real, imaginary) = out.split_at_mut(self.size);
        if let Some((found, exponent)) = found {
            for ((value, real), imaginary) in found.into_iter().zip(real).zip(imaginary) {
                (*real, *imaginary) = (libm::ldexp(value.re, exponent), libm::ldexp(value.im, exponent));
            }
        }
        Ok(())
    }
}

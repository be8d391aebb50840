//! The arithmetic of instructions, in software alone, so that every machine computes the same bits.
//!
//! Each operation is one row of a table, in `unary` or `binary`.
//!
//! Elementary functions are our own: double arithmetic in a fixed order, without fused multiply-add, with an error of
//! at most one unit in the last place (`trig`, `exp`, `log`, `power`, `arc` state the error found at a hundred thousand
//! or more points). Each has one form for scalars and vectors (`lanes`). `tests/block/math` compares them with values of
//! high precision.
//!
//! [`Matrix`] has what linear algebra needs, for blocks and for the analysis of programs. [`discretize_polynomials`] and
//! [`discretize_matrices`] make continuous systems discrete.
//!
//! Whether a result is not-a-number is the same on every machine. Its sign and payload depend on the machine but affect
//! no other result. Samples and checkpoints hold `f64::NAN` for all of them.

#[macro_use]
mod row;

mod arc;
mod arithmetic;
mod binary;
mod complex;
mod discretize;
mod eigen;
mod exp;
mod factors;
mod lanes;
mod log;
mod matrix;
mod pair;
mod power;
mod probit;
mod random;
mod real;
mod remainder;
mod singular;
mod trig;
mod unary;

pub use arithmetic::{Arithmetic, Relation, Scalar};
pub use binary::{Binary, BinaryFunction, BinaryVisitor};
pub use complex::{Complex, ComplexMath};
pub use discretize::{Discretization, DiscretizeError, StateMatrices, discretize_matrices, discretize_polynomials};
pub use eigen::{balanced, eigenvalues, hessenberg};
pub use factors::Factors;
pub use lanes::{Args, CHUNK};
pub use matrix::{Matrix, power, power_of_ten};
pub use random::{random, stream};
pub use real::Real;
pub(crate) use real::real_operators;
pub use row::{Cost, Notation, OperationRow, Precedence, UnitRule};
pub use singular::singular_values;
pub use unary::{Unary, UnaryFunction, UnaryVisitor};

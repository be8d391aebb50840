//! The solvers' mathematics, the same for every engine.
//!
//! Explicit methods of fixed step are [`tableau`]s, which the engines write into the step. All others are driven:
//! [`driver`] asks the engine for rates through [`System`], and does the rest itself, with the steps of [`method`] and
//! [`implicit`], the Jacobian and the crossings of [`evaluate`], and what it remembers in [`memory`].
//! Algebraic loops are closed by [`loops`].

mod driver;
mod evaluate;
mod implicit;
mod loops;
mod matrix;
mod memory;
mod method;
mod moved;
mod sparsity;
pub(super) mod tableau;
mod tangent;

pub use driver::Tolerances;
pub(super) use driver::{Integrator, System};
pub(super) use evaluate::{Leaves, Visit};
pub use loops::AlgebraicLoop;
pub(super) use loops::LoopSolver;
pub(super) use matrix::Factors;
pub(super) use moved::MemoryMigration;
pub use tableau::Tableau;
pub(super) use tangent::{Seeds, StepChanges, StepSource, Tangents};

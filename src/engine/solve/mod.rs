//! The mathematics of the solvers, the same for every engine.
//!
//! Explicit fixed-step methods are [`tableau`]s, which the engines compile into the step. All others are driven:
//! [`driver`] asks the engine for rates through [`System`] and does the rest itself, with the steps of [`method`], [`radau`]
//! and [`implicit`] and the matrices of [`sparse`], the Jacobian and the crossing functions of [`evaluate`], and its
//! state between steps in [`memory`]. Algebraic loops are solved by [`loops`]. [`interpret`] runs the tape of one unit,
//! and [`initial`] computes the values before the first step with it.

mod driver;
mod evaluate;
mod implicit;
pub(super) mod initial;
pub(super) mod interpret;
mod loops;
mod memory;
mod method;
mod moved;
mod pattern;
mod radau;
mod slides;
mod sparse;
mod sparsity;
pub(super) mod tableau;
mod tangent;

pub(super) use driver::{Integrator, System, VariedSystem};
pub(super) use evaluate::{Leaves, Visit, is_solvable};
pub use implicit::{CLOSE, CLOSE_ENOUGH, FEW_ITERATIONS, MAX_ITERATIONS, OF_LARGEST_STATE};
pub(super) use loops::LoopSolver;
pub use method::RODAS;
pub(super) use moved::MemoryMigration;
pub use pattern::StepPattern;
pub use slides::HeldSwitch;
pub use tableau::Tableau;
pub(super) use tangent::{Seeds, StepChanges, StepSource, Tangents};

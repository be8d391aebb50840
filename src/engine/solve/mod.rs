//! The solvers' mathematics, the same for every engine.

pub(super) mod tableau;

pub use tableau::Tableau;

//! Designs of experiments: points in the unit cube, and what the results at these points say about the coordinates. This
//! room knows neither models nor simulations.
//!
//! | module | contents |
//! |---|---|
//! | `design` | the designs, and the points of each |
//! | `size` | the number of points and the seed; the random numbers of each purpose |
//! | `permutation` | permutations by seed, element by element |
//! | `latin_hypercube` | Latin hypercubes |
//! | `sobol` | Sobol's sequence |
//! | `halton` | Halton's sequence |
//! | `morris` | Morris's trajectories and elementary effects |
//! | `variance` | Saltelli's scheme: the shares of the variance, first-order and total |
//! | `bootstrap` | confidence intervals by resampling |
//!
//! Each point is a function of its number and the seed alone: no point needs those before it, so that any worker computes
//! the run of any point. The crate `sobol_burley` gives Sobol's sequence in this form; those that iterate do not.

mod bootstrap;
mod design;
mod halton;
mod latin_hypercube;
mod morris;
mod permutation;
mod size;
mod sobol;
mod variance;

pub use design::{SampleDesign, SampleError};
pub use morris::{Effect, Screening, screening};
pub use size::DesignSize;
pub use variance::{SobolIndex, VarianceShares, variance_shares};

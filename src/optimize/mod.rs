//! Minimizes sums of squares, with what the minimum says about the parameters, and functions that are known by their
//! values alone. This room knows neither models nor simulations; a [`LeastSquares`] problem is two functions, a
//! [`BlackBox`] is one.
//!
//! | module | contents |
//! |---|---|
//! | `black_box` | functions that are known by their values alone: CMA-ES and BOBYQA |
//! | `least_squares` | the problem, its options, and the trust-region method |
//! | `loss` | losses that outliers do not dominate |
//! | `scale` | parameters as the optimizer sees them: in units of their own, or as logarithms |
//! | `differences` | derivatives by finite differences |
//! | `confidence` | standard errors, correlations, and directions that the data do not determine |
//! | `student` | quantiles of Student's t-distribution |
//! | `singular` | the singular value decomposition |
//! | `starts` | further starting points |
//!
//! The method is the trust-region-reflective one of the crate `basin`, which keeps bounds. Of the libraries that were tried
//! it is the one with bounds, losses and few dependencies; with exact derivatives it solves each of NIST's 27 problems of
//! nonlinear regression from both starting points (`tests/optimize`). `argmin` has no method for least squares with
//! bounds, `levenberg-marquardt` has no bounds and needs `nalgebra`.

mod black_box;
mod confidence;
mod differences;
mod least_squares;
mod loss;
mod scale;
mod singular;
mod starts;
mod student;

pub use black_box::{BlackBox, BlackBoxOptions, Method, minimize_black_box};
pub use confidence::{Confidence, confidence};
pub use differences::differences;
pub use least_squares::{Cancelled, End, Iterate, LeastSquares, MinimizeOptions, Minimum, minimize};
pub use loss::Loss;
pub use scale::ParamScale;
pub use starts::spread;
pub use student::student_quantile;

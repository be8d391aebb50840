//! Least squares: NIST's certified problems, losses, confidence and starts.

mod certified;
pub mod nist;
mod parts;

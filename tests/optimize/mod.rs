//! Least squares: NIST's certified problems, losses, confidence and starts.

mod certified;
mod nist;
mod parts;

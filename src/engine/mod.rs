//! What makes a document move.
//!
//! [`compile`] turns a simulation into a [`Program`]: model blocks dissolved, widths known, every value at its place.
//! An [`Engine`] moves a [`Context`], which holds all values of a run, step by step. [`Runner`] does that on a thread
//! of its own and sends samples back; a [`Recording`] keeps them.
//!
//! This layer never knows a file or a window.

pub mod recording;

pub use recording::{Column, Extent, Recording};

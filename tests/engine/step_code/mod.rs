//! The instructions of a step, and their interpreter.

mod operations;
mod repeats;

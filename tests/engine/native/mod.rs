//! Machine code: each kind of structure that it has a form of its own for gives the bits of the reference engine.

mod gates;
mod loops;
mod regular_rows;
mod sample_hits;
mod tier_up;

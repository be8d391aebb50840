//! Code as machine code, by Cranelift.
//!
//! [`fission`] finds what can be made for many steps at once, and [`pace`] whether that pays; [`fusion`] groups the step's
//! instructions into straight pieces and loops and finds what must stand in memory; [`body`] does that for conditional
//! parts, which become branches; [`emit`] writes them; [`order`] says in which order a loop's body stands, [`lane`] has
//! the arithmetic; [`call`] is the only place that calls what was made. The last step of a call is interpreted, and so
//! gives the context its values: the machine code keeps only what the next step, a watched signal, or a conditional
//! part that need not run again, needs.

mod body;
mod call;
mod emit;
mod engine;
mod fission;
mod fusion;
mod lane;
mod lanes;
mod order;
mod pace;

pub(super) use call::Native;
pub(super) use engine::Compiled;
pub use engine::HandOver;

//! Compiles a [tape](super::flat::Tape) to machine code with Cranelift.
//!
//! [`guards`] puts what changes only at sample hits into branches and joins those with the same guard; [`fission`] splits the step into a part that is
//! precomputed for a batch of steps and the rest, and [`pace`] estimates whether that pays; [`part`], [`segments`] and
//! [`regular`] replace gathered operands; [`double_buffer`] lets states change places with their next values; [`fusion`] groups the instructions of a step into straight-line groups and
//! loops and finds the results that must be in memory, and [`truths`] those that are carried as truths; [`sink`] moves
//! instructions to their readers; [`body`] does that for branches; [`emit`] generates the code; [`straight`] generates
//! straight-line groups; [`order`] orders both of them inside; [`lane`] and [`lanes`] generate arithmetic for one SIMD
//! lane or several; [`call`] is the only place that calls the machine code. The last step of a call is interpreted to
//! fill the context: machine code stores only the values that the next step, a probe, or a branch that is not executed
//! again needs.

mod body;
mod call;
mod cell_lists;
mod double_buffer;
mod emit;
mod engine;
mod fission;
mod fusion;
mod guards;
mod lane;
mod lanes;
mod order;
mod pace;
mod pairs;
mod part;
mod regular;
mod segments;
mod sink;
mod straight;
mod truths;

pub(super) use call::Native;
pub(super) use engine::Compiled;
pub use engine::TierUp;

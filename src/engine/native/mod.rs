//! Compiles [step code](super::step_code::StepCode) to machine code with Cranelift.
//!
//! [`passes`] transform the step and plan its code, [`codegen`] generates it, [`call`] is the only place that calls it,
//! and [`engine`] decides when to compile and runs either the code or the interpreter. The last step of a call is
//! interpreted to fill the context: machine code stores only the values that the next step, a probe, or a branch that
//! is not executed again needs.

mod call;
mod codegen;
mod engine;
mod passes;

pub(super) use call::MachineCode;
pub(super) use engine::Compiled;
pub use engine::TierUp;

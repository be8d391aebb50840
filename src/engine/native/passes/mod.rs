//! The passes between the step code of a step and its machine code, in this order:
//!
//! | pass | from | to |
//! |---|---|---|
//! | [`fission`] | step code | splits off what can be precomputed for a batch of steps, where [`pace`] estimates a gain |
//! | [`body`] | a branch | schedules its body and its alternative like a step |
//! | [`double_buffer`] | step code with its groups | lets states and their next values change places |
//!
//! [`LoopFission::new`](fission::LoopFission::new) runs them behind the pass that machine code shares with exported C
//! ([`guards`](crate::engine::step_code::guards)), and schedules each part as both do
//! ([`schedule`](crate::engine::step_code::schedule)).

pub(super) mod body;
pub(super) mod double_buffer;
pub(super) mod fission;
pub(super) mod pace;

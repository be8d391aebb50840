//! The passes between the step code of a step and its machine code, in this order:
//!
//! | pass | from | to |
//! |---|---|---|
//! | [`guards`] | step code | puts what changes only at sample hits into branches, and joins branches with equal guards |
//! | [`fission`] | step code | splits off what can be precomputed for a batch of steps, where [`pace`] estimates a gain |
//! | [`body`] | a branch | schedules its body and its alternative like a step |
//! | [`gathers`] | a list of instructions | replaces gathered operands by rules ([`regular`]) or by [`segments`] |
//! | [`fusion`] | step code | groups instructions into loops and straight lines, and finds the results to be stored |
//! | [`sink`] | groups | moves instructions into the later loop that alone reads them |
//! | [`order`] | a group | orders its instructions so that few registers are in use |
//! | [`truths`] | groups | finds the scalars that are always 0 or 1, which are carried as masks |
//! | [`double_buffer`] | step code with its groups | lets states and their next values change places |
//!
//! [`LoopFission::new`](fission::LoopFission::new) runs them.

pub(super) mod body;
pub(super) mod cell_lists;
pub(super) mod double_buffer;
pub(super) mod fission;
pub(super) mod fusion;
pub(super) mod gathers;
pub(super) mod guards;
pub(super) mod order;
pub(super) mod pace;
pub(super) mod regular;
pub(super) mod segments;
pub(super) mod sink;
pub(super) mod truths;

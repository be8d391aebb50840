//! The engine, room by room as in `src/engine`.
//!
//! | room | what is tested |
//! |---|---|
//! | `program` | the memory of a context and of a step, checkpoints |
//! | `compile` | rates, buses, tags, limits; the state of a run for an edited diagram |
//! | `reference` | what a step means: rules, conditional and iterated subsystems, assertions, failures |
//! | `step_code` | operations and repeated blocks as instructions |
//! | `native` | machine code: loops, gates, rows, sample hits, when it takes over |
//! | `threaded` | heavy parts on several threads |
//! | `solve` | solvers, crossings, delays, algebraic loops |
//! | `analysis` | linear systems, margins, root loci, equilibria |
//! | `trace` | what ran in a step and why; where a value that is not finite comes from |
//! | `sensitivity` | derivatives of signals by parameters along a run |
//! | `session` | the engine thread: runs, inspection, going back; recordings |
//! | `sweep` | the values of runs, and runs that execute together |
//! | `remote` | model blocks in workers |

pub mod analysis;
mod compile;
mod native;
mod program;
mod reference;
#[cfg(feature = "pool")]
pub mod remote;
mod sensitivity;
mod session;
mod solve;
mod step_code;
mod sweep;
mod threaded;
mod trace;

//! What makes a document move.
//!
//! [`compile`] turns a simulation into a [`Program`]: model blocks dissolved, widths known, every value at its place.
//! An [`Engine`] moves a [`Context`], which holds all values of a run, step by step. [`Runner`] does that on a thread
//! of its own and sends samples back; a [`Recording`] keeps them.
//!
//! What is known of a step beyond its values is made again beside the run: [`StepTrace`] says what ran when and why,
//! [`Chain`] where a bad value came from, [`Profile`] what blocks cost, [`Linear`] and [`Trim`] what kind of system it is
//! about there and where it rests. [`Context::migrate`] moves its state to an edited simulation.
//!
//! A model block whose model has an entry with a role ([`crate::model::Role`]) is no mere grouping: its units are a
//! [`ConditionalSubsystem`], which runs when, and as often as, its gate says.
//!
//! This layer never knows a file or a window.

mod analysis;
mod assertion;
mod cancel;
mod checkpoint;
mod compile;
mod context;
mod difference;
mod engines;
mod fault;
mod flat;
mod flattened;
mod interpret;
mod migration;
mod native;
mod parts;
mod program;
mod rates;
mod recording;
mod rings;
mod runner;
mod samples;
mod schedule;
mod simple;
mod solve;
mod solver;
mod sweep;
mod tear;
mod template;
mod threaded;
mod trace;
mod tree;
mod widths;
mod writers;

pub use analysis::{
    AnalysisError, Channel, Complex, FreeParam, FrequencyPoint, Linear, LinearState, LinearizeRequest, Margins, Matrix,
    SignalElement, Target, TimeResponse, Trim, TrimResult,
};
pub use assertion::AssertionEvent;
pub use cancel::Cancel;
pub use checkpoint::CheckpointError;
pub use compile::{compile, diagnose, examine};
pub use context::{Context, UNSET, is_unset, state_name, state_of_name};
pub use engines::{Declined, Engine, Engines, Execute, RunError};
pub use fault::NonFinite;
pub use migration::{Migration, MigrationError, ResetBlock, ResetReason};
pub use native::HandOver;
pub use program::{ConditionalSubsystem, Output, ParamError, Program, StateSlot, SubsystemExit, Unit};
pub use recording::{Bucket, Chunk, Column, Extent, Extremes, Recording, SpillFile, SpilledChunk};
pub use runner::{Breakpoint, Condition, Event, Made, ParamChange, RunId, Runner, Speed, Start, View};
pub use samples::{Samples, Watch};
pub use solve::{Tableau, Tolerances};
pub use solver::Solver;
pub use sweep::{Curve, Sweep, SweepFlow, SweepRun};
pub use threaded::Threaded;
pub use trace::{
    BlockCost, BlockExecution, Cause, Chain, ChainLink, FaultSite, Idle, IdleReason, LinkInput, Profile, StepTrace,
};
pub use writers::{Outlet, WriteError, Writers};

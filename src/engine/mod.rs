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
//! [`Region`], which runs when, and as often as, its gate says.
//!
//! This layer never knows a file or a window.

mod analysis;
mod cancel;
mod migration;
mod checkpoint;
mod compile;
mod context;
mod difference;
mod engines;
mod fault;
mod flat;
mod interpret;
mod native;
mod notice;
mod parts;
mod plan;
mod program;
mod rates;
mod trace;
mod recording;
mod rings;
mod runner;
mod samples;
mod schedule;
mod simple;
mod skeleton;
mod solve;
mod solver;
mod sweep;
mod tear;
mod threaded;
mod tree;
mod widths;
mod writers;

pub use analysis::{
    AnalysisError, Channel, Complex, FreeParam, FrequencyPoint, SignalElement, Linear, LinearState, Margins, Matrix, Target,
    TimeResponse, Trim, TrimResult, LinearizeRequest,
};
pub use cancel::Cancel;
pub use migration::{ResetReason, ResetBlock, Migration, MigrationError};
pub use checkpoint::CheckpointError;
pub use compile::{compile, diagnose, examine};
pub use context::{Context, UNSET, is_unset, state_name, state_of_name};
pub use engines::{Declined, Engine, Engines, Execute, RunError};
pub use fault::NonFinite;
pub use native::HandOver;
pub use notice::Notice;
pub use program::{Output, ParamError, Program, Region, RegionExit, StateSlot, Unit};
pub use trace::{BlockCost, Cause, Chain, BlockExecution, Idle, IdleReason, ChainLink, LinkInput, FaultSite, Profile, StepTrace};
pub use recording::{Bucket, Chunk, Column, Extent, Extremes, Recording, Shelf, Shelved};
pub use runner::{Breakpoint, Condition, Event, Made, ParamChange, RunId, Runner, Speed, Start, View};
pub use samples::{Samples, Watch};
pub use solve::{Tableau, Tolerances};
pub use solver::Solver;
pub use sweep::{Curve, Go, Ready, Sweep};
pub use threaded::Threaded;
pub use writers::{Outlet, WriteError, Writers};

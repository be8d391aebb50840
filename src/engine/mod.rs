//! Compiles and runs simulations.
//!
//! ```text
//! Simulation     the document
//!     │          compile::template: each model is parsed once
//!     ▼
//! Templates      typed settings, connections by index
//!     │          compile::flatten: all instances of all models, conditional and iterated ones with hidden units
//!     ▼
//! Flattened      units without types
//!     │          compile::widths, compile::rates: a width for each signal; a kernel (block tape) and a rate for each unit
//!     │          compile::layout, compile::loops, compile::tear: offsets; algebraic loops are refused or torn
//!     ▼
//! Program        units with kernels, connections, offsets; symbols: which unit is which block
//!     │  └─────► simple: the reference engine runs it as it is, by a queue
//!     │          schedule: which units run in a step, and in which order
//!     ▼
//! Schedule
//!     │          flat::lower: the kernels of all units in one list of instructions, equal units side by side
//!     ▼
//! Tape           the one list of instructions of a step, which all fast engines execute
//!     │  ├─────► flat: interprets it
//!     │  └─────► threaded: executes parts of it on several threads
//!     │          native: translates it
//!     ▼
//! machine code
//! ```
//!
//! [`compile`] makes the [`Program`]. An [`Engine`] advances a [`Context`], which holds all values of a run, step by
//! step. [`Runner`] does that on its own thread and sends samples back; a [`Recording`] keeps them.
//!
//! Details of a step are computed on request, by repeating the step outside the run: [`StepTrace`] lists which blocks
//! ran, when and why; [`Chain`] follows a non-finite value back to its origin; [`Profile`] measures the cost of each
//! block; [`Linear`] linearizes about the step and [`Trim`] finds an equilibrium. [`Context::migrate`] moves the state
//! of a run to an edited simulation.
//!
//! A model block whose model has an entry with a role ([`crate::model::Role`]) is more than a grouping: its units form
//! a [`ConditionalSubsystem`], whose enable unit decides whether and how often it runs in a step.
//!
//! This layer knows neither files nor windows.

mod analysis;
mod assertion;
mod checkpoint;
mod compile;
mod context;
mod difference;
mod engines;
mod execute;
mod fault;
mod flat;
mod graph;
mod interpret;
mod lookup;
mod migration;
mod native;
mod param_override;
mod parts;
mod program;
mod record;
mod recording;
mod remote;
mod repeats;
mod runner;
mod samples;
mod schedule;
mod selection;
mod simple;
mod solve;
mod solver;
mod sweep;
mod symbols;
mod threaded;
mod trace;
mod unit_rates;
mod writers;

pub use crate::block::Cancel;
pub use analysis::{
    AnalysisError, Channel, FreeParam, FrequencyPoint, Linear, LinearDelay, LinearState, LinearizeRequest, Margins,
    Matrix, RootLocus, SignalElement, Target, TimeResponse, Trim, TrimResult,
};
pub use assertion::AssertionEvent;
pub use checkpoint::CheckpointError;
pub use compile::{compile, diagnose, examine};
pub use context::{Context, UNSET, is_unset, state_name, state_of_name};
pub use engines::Engines;
pub use execute::{Declined, Engine, Execute};
pub use fault::{NonFinite, RunError, RunErrorKind};
pub(crate) use flat::{Bindings, Branch, Driven, Instruction, NOBODY, Opcode, Operand, Repeat, Ring, Tape};
pub use lookup::ParamError;
pub use migration::{Migration, MigrationError, ResetBlock, ResetReason};
pub use native::TierUp;
pub use param_override::{Override, OverrideError};
pub use program::{AlgebraicLoop, ConditionalSubsystem, Output, Program, StateSlot, SubsystemExit, Unit};
pub use recording::{Bucket, Chunk, Column, Extent, Extremes, Recording, SpillFile, SpilledChunk};
pub use remote::{
    NoMessage, NoWorkers, REMOTE_VERSION, Remote, RemoteBlock, RemoteBlocks, RemoteCost, RemoteError, RemoteService,
    RemoteSession, RemoteWorkers,
};
pub use runner::{Breakpoint, Condition, Event, ParamChange, RunId, Runner, SharedProgram, Speed, Start, StepValues};
pub use samples::{Samples, Watch};
pub use selection::SelectedSignal;
pub(crate) use solve::{CLOSE, CLOSE_ENOUGH, FEW_ITERATIONS, MAX_ITERATIONS, OF_LARGEST_STATE, RODAS, StepPattern};
pub use solve::{HeldSwitch, Tableau};
pub use solver::{Solver, Tolerances};
pub use sweep::{Curve, CurveShape, MAX_RUNS, Points, Runs, Sweep, SweepFlow, SweepRun, Values, Vary, VaryError};
pub use threaded::Threaded;
pub use trace::{
    BlockCost, BlockExecution, Cause, Chain, ChainLink, FaultSite, Idle, IdleReason, LinkInput, Profile, StepTrace,
};
pub use unit_rates::UnitRates;
pub use writers::{Outlet, WriteError, Writers};

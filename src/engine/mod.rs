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
//!     │  └─────► reference: the engine `simple` runs it as it is, by a queue
//!     │          program::schedule: which units run in a step, and in which order
//!     ▼
//! Schedule
//!     │          step_code::lower: the kernels of all units in one list of instructions, equal units side by side
//!     │          step_code::differentiate: the derivative of the rates, for implicit solvers
//!     ▼
//! StepCode       the one list of instructions of a step, which all fast engines execute
//!     │  ├─────► step_code::interpreter: the engine `flat` interprets it
//!     │  └─────► threaded: executes parts of it on several threads
//!     │          native::passes, native::codegen: the engine `compiled` translates it
//!     ▼
//! machine code
//! ```
//!
//! The rooms, each of which names only rooms above it (`tests/rooms`):
//!
//! | module | contents |
//! |---|---|
//! | `program` | what compilation makes, the values of a run, what leaves it, and what an engine is |
//! | `solve` | the solvers of differential equations and of algebraic loops, and the interpreter of kernels |
//! | `compile` | from the document to the program; the state of a run in an edited program |
//! | `step_code` | the step as one list of instructions, its derivative, its interpreter |
//! | `reference` | the engine that defines the results of all others |
//! | `native` | machine code |
//! | `threaded` | several threads |
//! | `trace`, `analysis` | what a step did; linearization, equilibria, frequency responses |
//! | `remote` | blocks on other machines (feature `pool`) |
//! | `sensitivity` | the derivatives of signals by parameters along a run |
//! | `engines` | the engines by name |
//! | `setup` | the values of a run, its program, its first context |
//! | `session` | runs on a thread of their own, recordings |
//! | `sweep` | many runs |
//!
//! `compile` makes the [`Program`]. An [`Engine`] advances a [`Context`], which holds all values of a run, step by
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
mod compile;
#[deny(missing_docs)]
mod engines;
mod native;
mod program;
mod reference;
#[cfg(feature = "pool")]
mod remote;
mod sensitivity;
mod session;
mod setup;
mod solve;
mod step_code;
mod sweep;
mod threaded;
mod trace;

pub use engines::Engines;
pub use program::Program;
pub use program::context::Context;
pub use program::execute::{Declined, Engine, Execute};
pub use program::fault::RunError;
pub use program::samples::Samples;

// For the program itself, its tests and the Python binding.
#[doc(hidden)]
pub use self::{
    analysis::{
        AnalysisError, Channel, Delayed, FrequencyPoint, Linear, LinearDelay, LinearState, LinearizeRequest, Margins,
        Matrix, Response, RootLocus, SignalElement, Target, TimeResponse, Trim, TrimResult, feedback_loops,
    },
    compile::migration::{Migration, MigrationError, ResetBlock, ResetReason},
    compile::{compile, diagnose, examine},
    native::TierUp,
    program::assertion::AssertionEvent,
    program::checkpoint::CheckpointError,
    program::code::CodeUnknown,
    program::context::{UNSET, is_unset, state_name, state_of_name},
    program::fault::{NonFinite, RunErrorKind},
    program::ids::{KernelId, KernelMap, OutputId, OutputMap, SubsystemId, SubsystemMap, UnitId, UnitMap},
    program::lookup::ParamError,
    program::remote_blocks::{RemoteBlock, RemoteBlocks, RemoteCost},
    program::samples::Watch,
    program::selection::SelectedSignal,
    program::solver::{Solver, Tolerances},
    program::unit_rates::UnitRates,
    program::writers::{Outlet, WriteError, Writers},
    program::{AlgebraicLoop, ConditionalSubsystem, Output, StateSlot, SubsystemExit, Unit, UnitInput},
    sensitivity::{Sensitivity, SensitivityError, SensitivityParam, SensitivityRecord},
    session::recording::{Bucket, Chunk, Column, Extent, Extremes, Recording, SpillFile, SpilledChunk},
    session::runner::{
        Breakpoint, Condition, Event, ParamChange, RunId, Runner, SharedProgram, Speed, Start, StepValues,
    },
    setup::{Override, OverrideError, RunSetup, SelectedParam},
    solve::{HeldSwitch, Tableau},
    sweep::{
        Curve, CurveShape, DesignError, MAX_RUNS, Points, Runs, Sweep, SweepFlow, SweepMeasure, SweepRun, Values, Vary,
        VaryError,
    },
    threaded::Threaded,
    trace::{
        BlockCost, BlockExecution, Cause, Chain, ChainLink, FaultSite, Idle, IdleReason, LinkInput, Profile, StepTrace,
    },
};
#[doc(hidden)]
pub use crate::block::Cancel;
pub(crate) use program::assertion::ReportRef;
pub(crate) use program::ids::{EntityRef, PrimaryMap};
#[cfg(feature = "pool")]
#[doc(hidden)]
pub use remote::{
    NoMessage, NoWorkers, REMOTE_VERSION, Remote, RemoteError, RemoteService, RemoteSession, RemoteWorkers,
};
pub(crate) use solve::{CLOSE, CLOSE_ENOUGH, FEW_ITERATIONS, MAX_ITERATIONS, OF_LARGEST_STATE, RODAS, StepPattern};
pub(crate) use step_code::{
    Bindings, Branch, CellRange, Driven, FusedKind, Instruction, Opcode, Operand, Repeat, Ring, StepCode, for_c,
};

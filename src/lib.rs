//! Simulate: draw dynamic systems as block diagrams, run them, watch the curves.
//!
//! [`Simulation`] opens a file, changes and checks it, and begins a [`Run`]:
//!
//! ```
//! use simulate::Simulation;
//!
//! let mut simulation = Simulation::open("assets/examples/fibonacci.simx")?;
//! simulation.set_steps(10)?;
//! let mut run = simulation.run()?;
//! run.finish()?;
//! assert_eq!(run.last("next")?, [89.0]);
//! # Ok::<(), simulate::Error>(())
//! ```
//!
//! A program with blocks, formats, engines or solvers of its own adds them to [`Components`], which [`Opener`] and
//! [`start()`] take. They are a [`BlockDef`](block::BlockDef), a [`Loader`](format::Loader), an
//! [`Engine`](engine::Engine) or a [`Method`](block::Method), and [`conformance`] tests them. What this page does not show
//! may change with any version.
//!
//! # The source code
//!
//! The map. Each layer names only layers above it in this list, and not all of them; the test `tests/rooms` holds the
//! exact table.
//!
//! | module | contents |
//! |---|---|
//! | `threads` | starts every thread, with a stack of a stated size |
//! | [`block`] | block definitions: ports, parameters, the tape builder, the library |
//! | [`model`] | the document: simulation, models, blocks, connections, checks, edits, history |
//! | [`mod@format`] | files: loaders behind one trait; only `format::simx` and `format::fmu` read with quick-xml |
//! | `import` | models of other programs: readers, the table of blocks, the report |
//! | `sampling` | designs of experiments in the unit cube, and the effects and shares of variance that their results show |
//! | [`engine`] | compiles and runs a document: program, context, solvers, engines, runner, recording |
//! | `export` | programs for use outside: C code, FMUs |
//! | `diff` | the changes from one state of a document to another |
//! | `merge` | what both sides made of a document, in one |
//! | `worker` | separate processes for code that is not ours: FMUs |
//! | `plugin` | plug-ins: blocks in WebAssembly, which a user switches on |
//! | `results` | recorded signals as files: .csv, .parquet, .npz and .mat |
//! | `exported` | an export in a folder: written, compiled and compared with the simulation |
//! | `measure` | measurements on a curve: step response, spectrum, trigger; sees none of the others |
//! | `optimize` | sums of squares made minimal, and what the minimum says of the parameters |
//! | `trial` | runs with values of chosen parameters |
//! | `calibration` | parameters fitted to measured curves |
//! | `requirement` | requirements on runs, and the search for parameters that meet or violate them |
//! | `pool` | sweeps and fits on the workers of a pool: other processes, here or on other computers |
//! | `tuning` | controllers for a linear plant: PID, state feedback, observers |
//! | [`conformance`] | tests for blocks, formats, engines and solvers, including those of other crates |
//! | [`Components`] | the blocks, formats and engines that a program is made of |
//! | `api` | what users of the crate need: [`Simulation`], [`Run`], [`Error`] |
//! | `rpc` | calls from outside, for scripts and assistants: JSON-RPC and the Model Context Protocol |
//! | `app` | the window; the only place that names egui |
//! | `cli` | the command line |
//! | [`start()`] | starts the window or a command; the only place that sees both |
//!
//! *A `BlockDef` defines a kind of block; a `Block` is an instance in a model; a `Context` holds its values in a run.*
//!
//! `format` and `engine` do not see each other, nor do `app` and `cli`. `block`, `model` and `engine` read no file.
//!
//! `threads` starts every thread of the program. `block` asks for none, and `model` only for one that frees undone
//! states; in `engine` they belong to `session`, `threaded`, `sweep`, `remote` and the code generator (`native`).
//! `block` and `model` read no clock; in `engine` only `session`, `threaded`, `remote` and the profile of `trace` do.
//!
//! Unsafe code is in the module that calls machine code (`engine::native::call`), in the lanes of the mathematics
//! (`block::math::lanes`), which call functions compiled for wider registers where the processor has them, and in the
//! modules that call the code of FMUs in a separate process (`worker::fmu`: `library`, `two`, `three`, `streams`). The
//! compiler refuses it in all others.
//!
//! # From a file to machine code
//!
//! These forms of a model follow each other; each is made of the one before, and is not kept where the last column says so.
//!
//! | form | type | made by | kept |
//! |---|---|---|---|
//! | text | bytes of a file | a [`Loader`](format::Loader) | |
//! | document | [`Simulation`](model::Simulation) | a loader, or edits | while it is open |
//! | what a run sees | the same type | `model::resolve`: variants chosen, comments and named signals replaced | no |
//! | checked blocks | `CheckedBlocks`: settings and ports | `model::check`, once for each block | no |
//! | templates | `Templates`: each model once | `engine::compile::template` | no |
//! | units | `Flattened`: each block of each instance | `engine::compile::flatten` | no |
//! | kernels | `Kernel`: a tape for each kind of unit and its widths | the block's `build`, in `engine::compile::widths` | yes |
//! | program | [`Program`](engine::Program) | `engine::compile::layout` | while it runs |
//! | step code | `StepCode`: the instructions of a whole step | `engine::step_code` | while it runs |
//! | machine code | `MachineCode` | `engine::native`, by Cranelift | while it runs |
//!
//! The reference engine runs the program, all other engines the step code; generated C is made of both.
//!
//! `import simulate` is a crate of its own, `bindings/python`.
//!
//! `CONTRIBUTING.md` says how to add a block, an operation, a command, a panel, a format, an engine or an example.

#![deny(unsafe_code, clippy::undocumented_unsafe_blocks)]

#[deny(missing_docs)]
mod api;
pub mod block;
#[doc(hidden)]
pub mod calibration;
#[doc(hidden)]
pub mod cli;
#[deny(missing_docs)]
mod components;
#[deny(missing_docs)]
pub mod conformance;
#[doc(hidden)]
pub mod diff;
pub mod engine;
#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod exported;
pub mod format;
#[doc(hidden)]
pub mod import;
mod listed;
#[doc(hidden)]
pub mod measure;
#[doc(hidden)]
pub mod merge;
pub mod model;
#[doc(hidden)]
pub mod optimize;
#[doc(hidden)]
pub mod plugin;
#[doc(hidden)]
pub mod pool;
#[doc(hidden)]
pub mod requirement;
#[doc(hidden)]
pub mod results;
#[doc(hidden)]
pub mod rpc;
#[doc(hidden)]
pub mod sampling;
#[deny(missing_docs)]
mod start;
#[doc(hidden)]
pub mod threads;
#[doc(hidden)]
pub mod trial;
#[doc(hidden)]
pub mod tuning;
#[doc(hidden)]
pub mod worker;

#[cfg(feature = "app")]
#[doc(hidden)]
pub mod app;

pub use api::{Error, ErrorKind, Opener, Run, RunOptions, Simulation};
pub use block::Registry;
pub use components::{ComponentError, Components};
pub use format::Formats;
pub use start::{start, start_batch};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../assets/manual/extending.md")]
struct Extending;

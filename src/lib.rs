//! Simulate: draw dynamic systems as block diagrams, run them, watch the curves.
//!
//! The map. Each layer sees those above it in this list and never those below:
//!
//! | module | what lives there |
//! |---|---|
//! | [`block`] | what a block is: definitions, ports, parameters, the tape builder, the library |
//! | [`model`] | the document: simulation, models, blocks, connections, checks, edits, history |
//! | [`mod@format`] | files: loaders behind one trait; only `format::simx` names quick-xml |
//! | [`engine`] | what makes a document move: program, context, solvers, engines, runner, recording |
//! | [`results`] | recorded signals as files: .csv and .parquet |
//! | [`measure`] | what can be measured on a curve: step response, spectrum, trigger; sees none of the others |
//! | `app` | the window; the only place that names egui |
//! | `cli` | the batch commands |
//! | [`conformance`] | what every block, format and engine keeps, as a suite to run on one of your own |
//!
//! *A `BlockDef` is what it is; a `Block` is where it stands; a `Context` is what it is worth now.*
//!
//! `format` and `engine` do not see each other. `block`, `model` and `engine` read no file, no clock, and start no
//! thread but in `engine::runner`, `engine::threaded`, `engine::sweep` and where machine code is made; the first two, and
//! `engine::record`'s profile, read a clock.

pub mod block;
pub mod cli;
pub mod conformance;
pub mod engine;
pub mod format;
pub mod measure;
pub mod model;
pub mod results;

#[cfg(feature = "app")]
pub mod app;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! Plug-ins: blocks in WebAssembly, from files that a user has switched on.
//!
//! | module | contents |
//! |---|---|
//! | `description` | the description of a plug-in and its blocks: JSON, with its limits |
//! | `definition` | descriptions as rows of the registry |
//! | `tape` | the tape of a plug-in's block: its states, its parameters, the calls of its functions |
//! | `host_function` | the calls: a pool of instances, and the check that they keep no values |
//! | `guest` | the interface of a runtime for foreign code |
//! | `wasm` | the runtime; the only place that names wasmi |
//! | `user` | the plug-in folder, and the list of plug-ins that the user has switched on |
//!
//! A file never switches its plug-ins on: a user does, for one content of a file, by its hash. Until then the program
//! reads the description, which is data, and runs nothing of the file. Plug-in code has no access to files, clocks or
//! networks; its memory and its instructions are limited. `assets/plugin/README.md` describes how to write one.
//!
//! This layer knows no engine and no window. The commands and the window add the blocks to their registry.

mod definition;
mod description;
mod guest;
mod host_function;
mod tape;
mod user;
mod wasm;

pub use definition::{Plugin, inspect, load};
pub use description::{About, DescriptionError};
pub use guest::{CALL_LIMIT, GuestError, MEMORY_LIMIT};
pub use user::{FoundPlugin, PluginState, UserError, UserPlugins};
pub use wasm::{LoadError, MAX_FILE};

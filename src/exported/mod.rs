//! An export in a folder: its files are written, compiled, and compared with the simulation.
//!
//! | module | contents |
//! |---|---|
//! | `folder` | writes the files, and replaces only those of an earlier export |
//! | `verify` | compiles the code, runs it, and compares its bits with those of an engine |

mod folder;
mod verify;

pub use folder::{FolderError, write, write_file};
pub use verify::{OutputError, Verdict, VerifyError, default_steps, verify};

//! Exports on the disk: C code in a folder is written, compiled and compared with the simulation; an FMU is compiled
//! and packed.
//!
//! | module | contents |
//! |---|---|
//! | `fmu` | compiles, packs and writes an FMU |
//! | `folder` | writes the files, and knows which files of an earlier export were changed |
//! | `verify` | compiles the code, runs it, and compares its bits with those of an engine |

mod fmu;
mod folder;
mod verify;

pub use fmu::{FmuError, FmuRequest, PackError, WrittenFmu, write_fmu};
pub use folder::{CodeFolder, FolderError, OnChanged};
pub use verify::{OutputError, Verdict, VerifyError, default_steps, verify};

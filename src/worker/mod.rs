//! Foreign code, in processes of its own.
//!
//! A foreign library can crash, hang, leak, print or end its process. It therefore runs in a worker, a child of the
//! same program (`simulate worker`) that communicates over pipes: each call has a time limit, the process a memory
//! limit, and any failure becomes an error of the block, not of the program.
//!
//! | module | what lives there |
//! |---|---|
//! | `frame` | transport: frames of bounded length over any reader and writer |
//! | `message` | meaning: requests and answers, and their bytes |
//! | `serve` | the loop of a worker, over any transport |
//! | `process` | the process that starts, asks and ends a worker |
//! | `main` | the process of a worker |
//! | `fmu` | calls the functions of an FMU; only a worker does so |
//! | `fmu_folder` | the folder to which an FMU is unpacked |
//! | `history` | FMUs as pure functions, with tokens for points of their histories |
//! | `stepping`, `exchange` | the functions of a block in co-simulation and in model exchange |
//! | `compile` | compiles the sources of an FMU that has no code for this platform |
//! | `options` | the options of a block for an FMU |
//! | [`Fmus`] | gives blocks the FMUs that they name, and that the user has allowed |
//!
//! This layer knows no diagram, engine or window. `simulate worker` calls [`run`].

#[cfg(target_os = "linux")]
mod compile;
#[cfg(not(target_os = "linux"))]
#[path = "no_compile.rs"]
mod compile;
mod exchange;
mod files;
#[cfg(target_os = "linux")]
mod fmu;
mod fmu_folder;
mod frame;
mod history;
#[cfg(target_os = "linux")]
mod main;
mod message;
mod options;
#[cfg(target_os = "linux")]
mod process;
#[cfg(not(target_os = "linux"))]
#[path = "no_process.rs"]
mod process;
mod serve;
mod stepping;

pub use files::{AllowedFmus, Fmus, RefusedFmu, read_fmu};
pub use frame::{Frame, FrameError, MAX_FRAME};
pub use message::{Answer, Load, MessageError, Request, Slot, VERSION};
pub use options::fmu_options;
pub use process::{ProcessError, ProcessLimits, WorkerProcess};
pub use serve::{Service, ServiceError, serve};

#[cfg(target_os = "linux")]
pub use main::{run, run_as};

/// There are no workers here yet.
#[cfg(not(target_os = "linux"))]
pub fn run() -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}

/// There are no workers here yet.
#[cfg(not(target_os = "linux"))]
pub fn run_as(
    _: impl FnOnce(&mut dyn std::io::Read, &mut (dyn std::io::Write + Send)) -> Result<(), FrameError>,
) -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}

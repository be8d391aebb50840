//! The process of a worker: `simulate worker`.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Resource, Rlimit, Signal, getpid, kill_process, setrlimit};

use super::fmu::{FmuService, take_pipes};
use super::frame::FrameError;
use super::serve::serve;

use crate::threads;

/// The variable of the environment with the limit of the address space in bytes.
pub(super) const MEMORY: &str = "SIMULATE_WORKER_MEMORY";
/// The variable of the environment with the folder that a worker removes when the process that asked for it dies.
pub(super) const SCRATCH: &str = "SIMULATE_WORKER_SCRATCH";

/// Answers requests on the standard streams until they end.
pub fn run() -> ExitCode {
    run_as(|input, output| serve(input, output, &mut FmuService::default()))
}

/// The same with other requests and answers: `serve` is handed the pipes.
pub fn run_as(serve: impl FnOnce(&mut dyn Read, &mut (dyn Write + Send)) -> Result<(), FrameError>) -> ExitCode {
    match work(serve) {
        Ok(()) => ExitCode::SUCCESS,
        // There is no reader for a message: the other side reports that the worker ended.
        Err(_) => ExitCode::FAILURE,
    }
}

fn work(serve: impl FnOnce(&mut dyn Read, &mut (dyn Write + Send)) -> Result<(), FrameError>) -> io::Result<()> {
    if let Some(bytes) = env::var(MEMORY).ok().and_then(|text| text.parse().ok()) {
        setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) })?;
    }
    // A crash of a library is expected and leaves no file.
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    let (mut input, mut output) = take_pipes()?;
    end_with_the_other_side(input.try_clone()?, env::var_os(SCRATCH).as_deref())?;
    serve(&mut input, &mut output).map_err(io::Error::other)
}

/// Ends this process as soon as the other side can no longer send requests, whatever a library does at that moment. The
/// signal that Linux sends at the death of a parent would come when the *thread* that started the worker ends.
fn end_with_the_other_side(input: fs::File, scratch: Option<&OsStr>) -> io::Result<()> {
    let scratch = scratch.map(PathBuf::from);
    let watch = move || {
        loop {
            let mut ends = [PollFd::from_borrowed_fd(input.as_fd(), PollFlags::empty())];
            match poll(&mut ends, None) {
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) if !ends[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) => {}
                _ => break,
            }
        }
        if let Some(scratch) = scratch {
            // It is gone already if the other side has removed it.
            let _ = fs::remove_dir_all(scratch);
        }
        // Functions that a library has registered for the end of the process might never return.
        let _ = kill_process(getpid(), Signal::KILL);
    };
    threads::spawn_waiting("end", watch).map(drop)
}

//! A worker as a child process: started, asked, and ended, whatever it does.

use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tempfile::TempDir;

use super::frame::{Frame, FrameError, HEAD};
use super::main::{MEMORY, SCRATCH};
use super::message::{Answer, MAX_TEXT, MessageError, Request, VERSION};
use crate::block::Cancel;

/// The limits of a worker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessLimits {
    /// The longest time from a request to its answer.
    pub call: Duration,
    /// The size of the address space, in bytes.
    pub memory: u64,
}

/// Why a worker gave no result: a sentence without a full stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    #[error("its process cannot be started: {0}")]
    Start(io::Error),
    #[error("its process does not answer as it should: {0}")]
    Frame(FrameError),
    #[error("its process does not answer as it should: {0}")]
    Message(#[from] MessageError),
    #[error("its process speaks version {0} of the protocol, this program {VERSION}")]
    Version(u32),
    #[error("its process answers with {got} numbers; {expected} are expected")]
    Count { got: usize, expected: usize },
    #[error("its process did not answer within {} s, its time limit, and was ended", .0.as_secs_f64())]
    Late(Duration),
    #[error("its process {0}")]
    Ended(Ending),
    #[error("the run was cancelled, and its process ended")]
    Cancelled,
    #[error("{0}")]
    Failed(String),
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ending {
    #[error("exited by itself, with the code {0}")]
    Exit(i32),
    #[error("was ended by the signal {} ({})", .0, signal_text(*.0))]
    Signal(i32),
    #[error("closed its connection and was ended")]
    Closed,
}

fn signal_text(signal: i32) -> &'static str {
    match signal {
        4 => "illegal instruction",
        6 => "abort",
        7 => "bus error",
        8 => "arithmetic error",
        9 => "kill, by another program or for want of memory",
        11 => "segmentation fault",
        15 => "end",
        _ => "see man 7 signal",
    }
}

impl ProcessError {
    /// Whether the worker can be asked again.
    pub fn is_answer(&self) -> bool {
        matches!(self, ProcessError::Failed(_))
    }

    /// Whether the worker took too long.
    pub fn is_late(&self) -> bool {
        matches!(self, ProcessError::Late(_))
    }

    /// Whether the run was cancelled, and the worker did nothing wrong.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, ProcessError::Cancelled)
    }
}

/// A running worker. It ends, with all processes that it has started, when this is dropped.
#[derive(Debug)]
pub struct WorkerProcess {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    limits: ProcessLimits,
    /// Where the worker finds itself: a folder of its own.
    scratch: TempDir,
    frame: Frame,
    is_broken: bool,
    ending: Option<Ending>,
}

impl WorkerProcess {
    /// Starts `program worker`.
    ///
    /// # Errors
    /// If it cannot be started or does not say hello.
    pub fn start(program: &Path, limits: ProcessLimits) -> Result<WorkerProcess, ProcessError> {
        WorkerProcess::start_as(program, &["worker"], limits)
    }

    /// Starts a program with arguments that make it a worker.
    ///
    /// # Errors
    /// If it cannot be started or does not say hello.
    pub fn start_as(program: &Path, args: &[&str], limits: ProcessLimits) -> Result<WorkerProcess, ProcessError> {
        let scratch = tempfile::Builder::new().prefix("simulate-worker-").tempdir().map_err(ProcessError::Start)?;
        let mut command = Command::new(program);
        command.args(args).env(MEMORY, limits.memory.to_string()).env(SCRATCH, scratch.path());
        command.current_dir(scratch.path()).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(ProcessError::Start)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(ProcessError::Start(io::ErrorKind::BrokenPipe.into()));
        };
        let mut worker = WorkerProcess {
            child,
            input,
            output,
            limits,
            scratch,
            frame: Frame::default(),
            is_broken: true,
            ending: None,
        };
        // A worker that does not read must not stop us when the pipe is full.
        fcntl_setfl(&worker.input, OFlags::NONBLOCK).map_err(|error| ProcessError::Start(error.into()))?;
        let deadline = Deadline::after(limits.call);
        match worker.receive(&deadline, MAX_TEXT)? {
            Answer::Hello(VERSION) => worker.is_broken = false,
            Answer::Hello(version) => return Err(ProcessError::Version(version)),
            Answer::Values(_) | Answer::Failed(_) => {
                return Err(ProcessError::Message(MessageError::Kind(worker.frame.kind)));
            }
        }
        Ok(worker)
    }

    /// Returns the number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sets the longest time of calls from now on.
    pub fn set_time_limit(&mut self, limit: Duration) {
        self.limits.call = limit;
    }

    /// Sends a request and returns the `expected` values of its answer.
    ///
    /// # Errors
    /// If the worker fails, answers too late, wrongly, or not at all, or the run is cancelled. Unless it has answered, it
    /// is ended.
    pub fn ask(
        &mut self,
        request: &Request,
        expected: usize,
        cancel: Option<&Cancel>,
    ) -> Result<Vec<f64>, ProcessError> {
        if self.is_broken {
            return Err(ProcessError::Ended(self.end()));
        }
        self.is_broken = true;
        let deadline = Deadline { cancel, ..Deadline::after(self.limits.call) };
        self.send(&deadline, request)?;
        let values = match self.receive(&deadline, MAX_TEXT.max(expected.saturating_mul(8)))? {
            Answer::Values(values) if values.len() == expected => values,
            Answer::Values(values) => return Err(ProcessError::Count { got: values.len(), expected }),
            Answer::Hello(_) => return Err(ProcessError::Message(MessageError::Kind(self.frame.kind))),
            Answer::Failed(text) => {
                self.is_broken = false;
                return Err(ProcessError::Failed(text));
            }
        };
        self.is_broken = false;
        Ok(values)
    }

    /// Sends a frame whose meaning is not that of [`Request`].
    ///
    /// # Errors
    /// If the worker does not take it in time, or the run is cancelled. It is ended then.
    pub fn send_frame(&mut self, frame: &Frame, cancel: Option<&Cancel>) -> Result<(), ProcessError> {
        if self.is_broken {
            return Err(ProcessError::Ended(self.end()));
        }
        self.is_broken = true;
        let deadline = Deadline { cancel, ..Deadline::after(self.limits.call) };
        self.send_bytes(&deadline, &frame.to_bytes().map_err(ProcessError::Frame)?)?;
        self.is_broken = false;
        Ok(())
    }

    /// Waits for a frame whose meaning is not that of [`Answer`].
    ///
    /// # Errors
    /// If the worker does not send one of at most `limit` bytes in time, or the run is cancelled. It is ended then.
    pub fn receive_frame(&mut self, limit: usize, cancel: Option<&Cancel>) -> Result<&Frame, ProcessError> {
        if self.is_broken {
            return Err(ProcessError::Ended(self.end()));
        }
        self.is_broken = true;
        let deadline = Deadline { cancel, ..Deadline::after(self.limits.call) };
        self.receive_into(&deadline, limit)?;
        self.is_broken = false;
        Ok(&self.frame)
    }

    /// Whether a frame has begun to arrive, or the worker has ended, within a time.
    ///
    /// # Errors
    /// If the worker has failed before.
    pub fn has_frame(&mut self, wait: Duration) -> Result<bool, ProcessError> {
        if self.is_broken {
            return Err(ProcessError::Ended(self.end()));
        }
        let mut files = [PollFd::from_borrowed_fd(self.output.as_fd(), PollFlags::IN)];
        match poll(&mut files, Some(&timespec(wait))) {
            Ok(count) => Ok(count > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(ProcessError::Frame(io::Error::from(error).into())),
        }
    }

    fn send(&mut self, deadline: &Deadline, request: &Request) -> Result<(), ProcessError> {
        let bytes = request.to_frame().to_bytes().map_err(ProcessError::Frame)?;
        self.send_bytes(deadline, &bytes)
    }

    fn send_bytes(&mut self, deadline: &Deadline, bytes: &[u8]) -> Result<(), ProcessError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            match self.input.write(rest) {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait_until(deadline, PipeSide::Input)?;
                }
                Err(_) => return Err(ProcessError::Ended(self.end())),
            }
        }
        Ok(())
    }

    fn receive(&mut self, deadline: &Deadline, limit: usize) -> Result<Answer, ProcessError> {
        self.receive_into(deadline, limit)?;
        Ok(Answer::of_frame(&self.frame)?)
    }

    fn receive_into(&mut self, deadline: &Deadline, limit: usize) -> Result<(), ProcessError> {
        let mut head = [0; HEAD];
        self.fill(deadline, &mut head)?;
        let (length, kind) = match Frame::announced(head, limit) {
            Ok(announced) => announced,
            Err(error) => {
                self.end();
                return Err(ProcessError::Frame(error));
            }
        };
        let mut content = std::mem::take(&mut self.frame.content);
        content.resize(length, 0);
        self.fill(deadline, &mut content)?;
        self.frame = Frame { kind, content };
        Ok(())
    }

    fn fill(&mut self, deadline: &Deadline, bytes: &mut [u8]) -> Result<(), ProcessError> {
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            self.wait_until(deadline, PipeSide::Output)?;
            match self.output.read(rest) {
                Ok(0) => return Err(ProcessError::Ended(self.end())),
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ProcessError::Frame(error.into())),
            }
        }
        Ok(())
    }

    /// Waits until a pipe is ready, and ends the worker if that takes too long.
    fn wait_until(&mut self, deadline: &Deadline, side: PipeSide) -> Result<(), ProcessError> {
        let (file, flags): (BorrowedFd, PollFlags) = match side {
            PipeSide::Input => (self.input.as_fd(), PollFlags::OUT),
            PipeSide::Output => (self.output.as_fd(), PollFlags::IN),
        };
        loop {
            let mut files = [PollFd::from_borrowed_fd(file, flags)];
            let left = deadline.left();
            let slice = if deadline.cancel.is_some() { left.min(LISTEN) } else { left };
            match poll(&mut files, Some(&timespec(slice))) {
                Ok(0) if deadline.cancel.is_some_and(Cancel::is_cancelled) => {
                    self.end();
                    return Err(ProcessError::Cancelled);
                }
                Ok(0) if left.is_zero() => {
                    self.end();
                    return Err(ProcessError::Late(self.limits.call));
                }
                Err(rustix::io::Errno::INTR) | Ok(0) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(ProcessError::Frame(io::Error::from(error).into())),
            }
        }
    }

    /// Ends the worker and all that it has started, and returns how it ended.
    fn end(&mut self) -> Ending {
        self.is_broken = true;
        if let Some(ending) = self.ending {
            return ending;
        }
        // It may have closed its end and be about to exit: its code says more than our signal.
        let has_exited = self.exits_within(Duration::from_millis(50));
        // The number of the process is not used again before it is waited for.
        if let Some(group) = self.pid() {
            // The group may have no other processes.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let ending = match self.child.wait() {
            Ok(status) if has_exited => match (status.signal(), status.code()) {
                (Some(signal), _) => Ending::Signal(signal),
                (None, code) => Ending::Exit(code.unwrap_or_default()),
            },
            _ => Ending::Closed,
        };
        self.ending = Some(ending);
        ending
    }

    fn pid(&self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.child.id()).ok()?)
    }

    /// Whether the process exits within a time. It is not waited for.
    fn exits_within(&self, time: Duration) -> bool {
        let deadline = Deadline::after(time);
        let Some(pid) = self.pid() else { return false };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        loop {
            match waitid(WaitId::Pid(pid), options) {
                Ok(Some(_)) => return true,
                Ok(None) if !deadline.left().is_zero() => thread::sleep(Duration::from_millis(1)),
                _ => return false,
            }
        }
    }
}

#[derive(Clone, Copy)]
enum PipeSide {
    Input,
    Output,
}

/// How often a cancelled run is noticed.
const LISTEN: Duration = Duration::from_millis(20);

/// The end of the time for a call.
struct Deadline<'a> {
    start: Instant,
    time: Duration,
    /// The request to end the call earlier, if it can be cancelled.
    cancel: Option<&'a Cancel>,
}

impl<'a> Deadline<'a> {
    fn after(time: Duration) -> Deadline<'a> {
        Deadline { start: Instant::now(), time, cancel: None }
    }

    fn left(&self) -> Duration {
        self.time.saturating_sub(self.start.elapsed())
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs().min(1 << 30) as i64, tv_nsec: i64::from(time.subsec_nanos()) }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        /// How long a worker may take to end by itself.
        const END: Duration = Duration::from_millis(200);
        if !self.is_broken && self.send(&Deadline::after(END), &Request::Close).is_ok() {
            self.exits_within(END);
        }
        self.end();
        // The folder is removed with this; a file that the worker's code has protected is left.
        let _ = fs::remove_dir_all(self.scratch.path());
    }
}

//! A substitute for workers on systems where they are not supported yet: none can be started.

use std::convert::Infallible;
use std::path::Path;
use std::time::Duration;

use super::frame::Frame;
use super::message::Request;
use crate::block::Cancel;

/// The limits of a worker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessLimits {
    /// The longest time from a request to its answer.
    pub call: Duration,
    /// The size of the address space, in bytes.
    pub memory: u64,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    #[error("code of FMUs runs on Linux only for now")]
    Unsupported,
}

impl ProcessError {
    pub fn is_answer(&self) -> bool {
        false
    }

    pub fn is_late(&self) -> bool {
        false
    }

    pub fn is_cancelled(&self) -> bool {
        false
    }
}

#[derive(Debug)]
pub struct WorkerProcess(Infallible);

impl WorkerProcess {
    /// # Errors
    /// Always.
    pub fn start(_: &Path, _: ProcessLimits) -> Result<WorkerProcess, ProcessError> {
        Err(ProcessError::Unsupported)
    }

    /// # Errors
    /// Always.
    pub fn start_as(_: &Path, _: &[&str], _: ProcessLimits) -> Result<WorkerProcess, ProcessError> {
        Err(ProcessError::Unsupported)
    }

    pub fn id(&self) -> u32 {
        match self.0 {}
    }

    /// # Errors
    /// Never: there is no worker.
    pub fn has_frame(&mut self, _: Duration) -> Result<bool, ProcessError> {
        match self.0 {}
    }

    pub fn set_time_limit(&mut self, _: Duration) {
        match self.0 {}
    }

    /// # Errors
    /// Never: there is no worker.
    pub fn send_frame(&mut self, _: &Frame, _: Option<&Cancel>) -> Result<(), ProcessError> {
        match self.0 {}
    }

    /// # Errors
    /// Never: there is no worker.
    pub fn receive_frame(&mut self, _: usize, _: Option<&Cancel>) -> Result<&Frame, ProcessError> {
        match self.0 {}
    }

    /// # Errors
    /// Never: there is no worker.
    pub fn ask(&mut self, _: &Request, _: usize, _: Option<&Cancel>) -> Result<Vec<f64>, ProcessError> {
        match self.0 {}
    }
}

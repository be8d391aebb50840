//! A call: what it is called, what it needs, what it may change, and the function that answers it.

use std::sync::Arc;

use serde_json::Value;

use super::argument::{ArgumentDef, CallArguments, schema_of};
use super::call_result::CallResult;
use super::error::RpcError;
use super::session::Session;
use crate::block::Cancel;

/// A request that clients can make.
#[derive(Debug)]
pub struct RpcCall {
    /// The name in both protocols, such as `run`.
    pub name: &'static str,
    pub title: &'static str,
    /// Its description, for clients that choose among the calls.
    pub doc: &'static str,
    pub arguments: &'static [ArgumentDef],
    pub effect: Effect,
    pub answer: fn(&mut Session, &CallArguments, &CallControl) -> Result<CallResult, RpcError>,
}

/// The kind of change that a call may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It changes neither a document nor a file.
    Reads,
    /// It changes an open document, which undo restores.
    Edits,
    /// It writes a file.
    Saves,
}

/// A function that is given the finished amount, the whole, and the unit of both.
type Progress = dyn Fn(f64, f64, &str) + Send + Sync;

/// How a client follows a call while it runs.
pub struct CallControl {
    /// Set when the client gives the call up.
    pub cancel: Cancel,
    progress: Arc<Progress>,
}

impl RpcCall {
    /// Checks the arguments and answers.
    ///
    /// # Errors
    /// If an argument is wrong, or the call is refused.
    pub fn run(&self, session: &mut Session, given: Value, control: &CallControl) -> Result<CallResult, RpcError> {
        (self.answer)(session, &CallArguments::check(self.arguments, given)?, control)
    }

    /// Returns the JSON schema of the arguments.
    pub fn schema(&self) -> Value {
        schema_of(self.arguments)
    }
}

impl CallControl {
    /// Reports the progress of a call to a function: the finished amount, the whole, and the unit of both.
    pub fn new(cancel: Cancel, progress: impl Fn(f64, f64, &str) + Send + Sync + 'static) -> CallControl {
        CallControl { cancel, progress: Arc::new(progress) }
    }

    /// Follows nothing.
    pub fn none() -> CallControl {
        CallControl::new(Cancel::new(), |_, _, _| {})
    }

    pub fn report(&self, done: f64, whole: f64, what: &str) {
        (self.progress)(done, whole, what);
    }

    /// # Errors
    /// If the client has given the call up.
    pub fn check(&self) -> Result<(), RpcError> {
        if self.cancel.is_cancelled() { Err(RpcError::cancelled()) } else { Ok(()) }
    }
}

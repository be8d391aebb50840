//! The calls, one file for each topic.
//!
//! | module | calls |
//! |---|---|
//! | `common` | the arguments that several calls have |
//! | `overview` | `files`, `overview` |
//! | `read` | `read` |
//! | `library` | `blocks`, `explain` |
//! | `check` | `check`, `diff` |
//! | `change` | `create`, `edit`, `write`, `undo`, `redo`, `save` |
//! | `run` | `run`, `signals`, `compare` |
//! | `sweep` | `sweep` |
//! | `linearize` | `linearize` |
//! | `picture` | `picture`, `plot` |

mod change;
mod check;
mod common;
mod library;
mod linearize;
mod overview;
mod picture;
mod read;
mod run;
mod sweep;

use serde_json::Value;

use super::call::{CallControl, RpcCall};
use super::call_result::CallResult;
use super::error::RpcError;
use super::session::Session;
use crate::model::near::did_you_mean;

/// All calls, in the order in which clients list them.
pub const ALL: &[&RpcCall] = &[
    &overview::FILES,
    &overview::OVERVIEW,
    &read::READ,
    &library::BLOCKS,
    &check::CHECK,
    &library::EXPLAIN,
    &check::DIFF,
    &change::CREATE,
    &change::EDIT,
    &change::WRITE,
    &change::UNDO,
    &change::REDO,
    &change::SAVE,
    &run::RUN,
    &run::SIGNALS,
    &run::COMPARE,
    &sweep::SWEEP,
    &linearize::LINEARIZE,
    &picture::PICTURE,
    &picture::PLOT,
];

impl Session {
    /// Answers the call of this name.
    ///
    /// # Errors
    /// If there is none, an argument is wrong, or the call is refused.
    pub fn call(&mut self, name: &str, arguments: Value, control: &CallControl) -> Result<CallResult, RpcError> {
        match ALL.iter().find(|call| call.name == name) {
            Some(call) => call.run(self, arguments, control),
            None => {
                let near = did_you_mean(name, ALL.iter().map(|call| call.name));
                Err(RpcError::arguments(format!("there is no call “{name}”{near}")))
            }
        }
    }
}

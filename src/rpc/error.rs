//! The error of a call, and diagnostics as data.

use serde_json::{Value, json};

use crate::model::{Diagnostic, EditError};

/// Why a call has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct RpcError {
    pub kind: RpcErrorKind,
    pub message: String,
    /// The diagnostics behind a refusal, as in the result of `check`.
    pub diagnostics: Vec<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RpcErrorKind {
    /// The arguments are not those of the call.
    Arguments,
    /// The call was understood and refused.
    Refused,
    /// The client has given it up.
    Cancelled,
}

impl RpcError {
    pub fn arguments(message: String) -> RpcError {
        RpcError { kind: RpcErrorKind::Arguments, message, diagnostics: Vec::new() }
    }

    pub fn refused(message: impl Into<String>) -> RpcError {
        RpcError { kind: RpcErrorKind::Refused, message: message.into(), diagnostics: Vec::new() }
    }

    pub fn cancelled() -> RpcError {
        let message = "the call was cancelled".to_owned();
        RpcError { kind: RpcErrorKind::Cancelled, message, diagnostics: Vec::new() }
    }

    /// Adds the diagnostics behind a refusal.
    #[must_use]
    pub fn because_of(self, diagnostics: Vec<Value>) -> RpcError {
        RpcError { diagnostics, ..self }
    }

    /// Returns the message and the diagnostics, for a client that reads data.
    pub fn data(&self) -> Value {
        match self.diagnostics.as_slice() {
            [] => json!({"error": self.message}),
            some => json!({"error": self.message, "diagnostics": some}),
        }
    }
}

impl From<crate::Error> for RpcError {
    fn from(error: crate::Error) -> RpcError {
        /// More do not help to mend the first ones.
        const MOST: usize = 20;
        let found = error.diagnostics();
        let errors =
            found.iter().filter(|found| found.is_error()).chain(found.iter().filter(|found| !found.is_error()));
        let data = errors.take(MOST).map(diagnostic_value).collect();
        RpcError::refused(error.to_string()).because_of(data)
    }
}

impl From<EditError> for RpcError {
    fn from(error: EditError) -> RpcError {
        RpcError::refused(error.to_string())
    }
}

/// Returns a diagnostic as data: code, severity, message, help and place.
pub fn diagnostic_value(found: &Diagnostic) -> Value {
    let mut value = json!({
        "severity": if found.is_error() { "error" } else { "warning" },
        "code": found.code,
        "message": found.message,
    });
    if !found.help.is_empty() {
        value["help"] = found.help.as_str().into();
    }
    if let Some(model) = &found.location.model {
        value["model"] = (&**model).into();
    }
    if let Some(block) = found.location.block {
        value["block"] = block.to_string().into();
    }
    if let Some(port) = &found.location.port {
        let (crate::model::PortRef::Input(name) | crate::model::PortRef::Output(name)) = port;
        value["port"] = (&**name).into();
    }
    if let Some(subject) = &found.location.subject {
        value["about"] = (&**subject).into();
    }
    if let Some(text) = found.location.text {
        value["line"] = text.line.into();
    }
    value
}

//! Messages of JSON-RPC 2.0 (<https://www.jsonrpc.org/specification>), one on each line.

use serde_json::{Map, Value, json};

use super::error::{RpcError, RpcErrorKind};

/// A message from a client.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientMessage {
    /// A request, which gets one response with the same id.
    Request { id: Value, method: String, params: Value },
    /// A message without a response.
    Notification { method: String, params: Value },
    /// The response to a request of ours; we send none.
    Response,
}

/// A line that is no message, and the id that it may have.
#[derive(Clone, Debug, PartialEq)]
pub struct BadMessage {
    pub id: Value,
    pub code: i64,
    pub problem: String,
}

pub const PARSE_ERROR: i64 = -32700;
pub const INVALID_REQUEST: i64 = -32600;
pub const METHOD_NOT_FOUND: i64 = -32601;
pub const INVALID_PARAMS: i64 = -32602;
/// A call that was understood and refused.
pub const REFUSED: i64 = -32000;
/// A call that the client has given up, as in the Language Server Protocol.
pub const CANCELLED: i64 = -32800;

/// Reads a line.
///
/// # Errors
/// If it is not JSON, or no message.
pub fn parse(line: &str) -> Result<ClientMessage, BadMessage> {
    let bad = |id: Value, code: i64, problem: String| BadMessage { id, code, problem };
    let value: Value = serde_json::from_str(line)
        .map_err(|error| bad(Value::Null, PARSE_ERROR, format!("this line is no JSON: {error}")))?;
    let Value::Object(mut message) = value else {
        let problem = if value.is_array() {
            "batches are not supported: send one message a line"
        } else {
            "a message is an object"
        };
        return Err(bad(Value::Null, INVALID_REQUEST, problem.to_owned()));
    };
    let id = message.remove("id");
    let known_id = id.clone().unwrap_or(Value::Null);
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(bad(known_id, INVALID_REQUEST, "a message needs \"jsonrpc\": \"2.0\"".to_owned()));
    }
    if id.as_ref().is_some_and(|id| !(id.is_string() || id.is_number())) {
        return Err(bad(Value::Null, INVALID_REQUEST, "an id is a text or a number".to_owned()));
    }
    let params = message.remove("params").unwrap_or_else(|| Value::Object(Map::new()));
    match (message.remove("method"), id) {
        (Some(Value::String(method)), Some(id)) => Ok(ClientMessage::Request { id, method, params }),
        (Some(Value::String(method)), None) => Ok(ClientMessage::Notification { method, params }),
        (None, Some(_)) if message.contains_key("result") || message.contains_key("error") => {
            Ok(ClientMessage::Response)
        }
        _ => Err(bad(known_id, INVALID_REQUEST, "a request needs a method".to_owned())),
    }
}

pub fn result(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub fn error(id: &Value, code: i64, message: &str, data: Option<Value>) -> Value {
    let mut error = json!({"code": code, "message": message});
    if let Some(data) = data {
        error["data"] = data;
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

pub fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

impl BadMessage {
    pub fn response(&self) -> Value {
        error(&self.id, self.code, &self.problem, None)
    }
}

impl RpcError {
    /// Returns the response to a request that has failed.
    pub fn response(&self, id: &Value) -> Value {
        let code = match self.kind {
            RpcErrorKind::Arguments => INVALID_PARAMS,
            RpcErrorKind::Refused => REFUSED,
            RpcErrorKind::Cancelled => CANCELLED,
        };
        let data = (!self.diagnostics.is_empty()).then(|| json!({"diagnostics": self.diagnostics}));
        error(id, code, &self.message, data)
    }
}

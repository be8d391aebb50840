//! Reads messages from a stream, one a line, and answers them.
//!
//! Calls are answered one after the other, by a thread of their own; meanwhile the stream is read on, so that a client can
//! give a call up, and a ping is answered at once.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read as _, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use crossbeam_channel::{Receiver, bounded};
use serde_json::{Value, json};

use super::call::CallControl;
use super::call_result::CallResult;
use super::calls::ALL;
use super::error::RpcError;
use super::json_rpc::{
    BadMessage, ClientMessage, INVALID_REQUEST, METHOD_NOT_FOUND, error, notification, parse, result,
};
use super::mcp;
use super::session::Session;
use crate::block::Cancel;
use crate::model::near::did_you_mean;
use crate::threads;

/// What is spoken on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// JSON-RPC 2.0: the methods are the calls, `calls` lists them, `cancel` gives one up.
    JsonRpc,
    /// The Model Context Protocol.
    Mcp,
}

/// The maximum length of a line in bytes.
const MAX_LINE: u64 = 16 << 20;
/// The maximum number of requests that wait.
const MAX_WAITING: usize = 100;
/// The shortest time between two reports of progress.
const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

/// A request that waits for its answer.
struct Waiting {
    id: Value,
    method: String,
    params: Value,
    cancel: Cancel,
}

/// The other direction of the stream, shared by the threads.
type Output = Arc<Mutex<Box<dyn Write + Send>>>;
/// How the calls that wait or run are given up, by the text of their id.
type Cancels = Arc<Mutex<BTreeMap<String, Cancel>>>;

/// Answers all messages of a stream until it ends.
///
/// # Errors
/// If the stream cannot be read, or no thread can be started. A reader that goes away ends the work without an error.
pub fn serve(
    mut input: impl BufRead,
    output: impl Write + Send + 'static,
    protocol: Protocol,
    session: Session,
) -> io::Result<()> {
    let output: Output = Arc::new(Mutex::new(Box::new(output)));
    let cancels: Cancels = Arc::default();
    let (send, waiting) = bounded::<Waiting>(MAX_WAITING);
    let answering = {
        let (output, cancels) = (Arc::clone(&output), Arc::clone(&cancels));
        threads::spawn("calls", move || answer_all(session, protocol, &waiting, &output, &cancels))?
    };
    let mut read = Ok(());
    loop {
        let line = match next_line(&mut input) {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) => {
                read = Err(error);
                break;
            }
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let message = std::str::from_utf8(&line).map_err(|_| BadMessage {
            id: Value::Null,
            code: super::json_rpc::PARSE_ERROR,
            problem: "this line is not UTF-8".to_owned(),
        });
        let is_open = match message.and_then(parse) {
            Err(bad) => put(&output, &bad.response()),
            Ok(ClientMessage::Response) => true,
            Ok(ClientMessage::Notification { method, params }) => {
                if let Some(id) = given_up(protocol, &method, &params) {
                    cancelled(&cancels, &id);
                }
                true
            }
            Ok(ClientMessage::Request { id, method, .. }) if method == "ping" => put(&output, &result(&id, json!({}))),
            Ok(ClientMessage::Request { id, method, params }) => {
                let cancel = Cancel::new();
                let key = id.to_string();
                let known = cancels.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), cancel.clone());
                if let Some(known) = known {
                    cancels.lock().unwrap_or_else(PoisonError::into_inner).insert(key, known);
                    put(&output, &error(&id, INVALID_REQUEST, "a request with this id is not answered yet", None))
                } else {
                    send.send(Waiting { id, method, params, cancel }).is_ok()
                }
            }
        };
        if !is_open {
            break;
        }
    }
    drop(send);
    if read.is_err() {
        // No client is left to give a call up.
        cancels.lock().unwrap_or_else(PoisonError::into_inner).values().for_each(Cancel::cancel);
    }
    let _ = answering.join();
    read
}

/// Returns the next line, or `None` at the end of the stream.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
    if line.len() as u64 == MAX_LINE && line.last() != Some(&b'\n') {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a line has more than {MAX_LINE} bytes")));
    }
    Ok((!line.is_empty()).then_some(line))
}

/// Returns the id of the call that a notification gives up.
fn given_up(protocol: Protocol, method: &str, params: &Value) -> Option<String> {
    match (protocol, method) {
        (Protocol::Mcp, "notifications/cancelled") => Some(params.get("requestId")?.to_string()),
        (Protocol::JsonRpc, "cancel") => Some(params.get("id")?.to_string()),
        _ => None,
    }
}

fn cancelled(cancels: &Cancels, id: &str) {
    if let Some(cancel) = cancels.lock().unwrap_or_else(PoisonError::into_inner).get(id) {
        cancel.cancel();
    }
}

/// Writes a message; returns whether the client still reads.
fn put(output: &Output, message: &Value) -> bool {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    writeln!(output, "{message}").and_then(|()| output.flush()).is_ok()
}

fn answer_all(
    mut session: Session,
    protocol: Protocol,
    waiting: &Receiver<Waiting>,
    output: &Output,
    cancels: &Cancels,
) {
    for Waiting { id, method, params, cancel } in waiting {
        let control = control_of(&cancel, progress_token(protocol, &id, &params), protocol, output);
        let response = match (protocol, method.as_str()) {
            _ if cancel.is_cancelled() => Some(RpcError::cancelled().response(&id)),
            (Protocol::JsonRpc, "calls") => Some(result(&id, mcp::tools())),
            (Protocol::JsonRpc, name) if ALL.iter().any(|call| call.name == name) => {
                Some(match session.call(name, params, &control) {
                    Ok(answer) => result(&id, plain(answer)),
                    Err(error) => error.response(&id),
                })
            }
            (Protocol::Mcp, "initialize") => {
                let client = params.pointer("/clientInfo/name").and_then(Value::as_str);
                client.into_iter().for_each(|client| session.introduce(client));
                Some(result(&id, mcp::initialized(&params)))
            }
            (Protocol::Mcp, "tools/list") => Some(result(&id, mcp::tools())),
            (Protocol::Mcp, "tools/call") => {
                let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
                let arguments = params.get("arguments").cloned().unwrap_or(Value::Null);
                let answered = session.call(name, arguments, &control);
                match mcp::tool_result(answered) {
                    Ok(value) => Some(result(&id, value)),
                    // The protocol wants no response to a request that the client has given up.
                    Err(_) => None,
                }
            }
            (protocol, name) => Some(unknown(&id, protocol, name)),
        };
        cancels.lock().unwrap_or_else(PoisonError::into_inner).remove(&id.to_string());
        if response.is_some_and(|response| !put(output, &response)) {
            break;
        }
    }
}

fn unknown(id: &Value, protocol: Protocol, method: &str) -> Value {
    let text = match protocol {
        Protocol::Mcp => format!("there is no method “{method}”"),
        Protocol::JsonRpc => {
            let near = did_you_mean(method, ALL.iter().map(|call| call.name).chain(["calls", "ping"]));
            format!("there is no method “{method}”{near}")
        }
    };
    error(id, METHOD_NOT_FOUND, &text, None)
}

/// Returns the result of a call as data, a picture as base64.
fn plain(answer: CallResult) -> Value {
    let mut data = answer.data;
    if let Some(picture) = answer.picture {
        data["png"] = base64::engine::general_purpose::STANDARD.encode(picture).into();
    }
    data
}

/// Returns what identifies a call in reports of its progress, if the client wants any.
fn progress_token(protocol: Protocol, id: &Value, params: &Value) -> Option<Value> {
    match protocol {
        Protocol::Mcp => params.pointer("/_meta/progressToken").cloned(),
        Protocol::JsonRpc => Some(id.clone()),
    }
}

fn control_of(cancel: &Cancel, token: Option<Value>, protocol: Protocol, output: &Output) -> CallControl {
    let output = Arc::clone(output);
    // A call that is over at once reports nothing.
    let last = Mutex::new(Instant::now());
    CallControl::new(cancel.clone(), move |done, whole, what| {
        let Some(token) = &token else { return };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() < BETWEEN_REPORTS {
            return;
        }
        *last = Instant::now();
        let message = format!("{done} of {whole} {what}");
        put(
            &output,
            &match protocol {
                Protocol::Mcp => notification(
                    "notifications/progress",
                    json!({"progressToken": token, "progress": done, "total": whole, "message": message}),
                ),
                Protocol::JsonRpc => {
                    notification("progress", json!({"id": token, "done": done, "whole": whole, "what": what}))
                }
            },
        );
    })
}

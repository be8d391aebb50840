//! The Model Context Protocol (<https://modelcontextprotocol.io>) over the calls: each call is a tool.

use base64::Engine as _;
use serde_json::{Value, json};

use super::call::{Effect, RpcCall};
use super::call_result::CallResult;
use super::calls::ALL;
use super::error::{RpcError, RpcErrorKind};

/// The versions of the protocol that are spoken, the newest first.
pub const PROTOCOL_VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The introduction to the tools that clients give to their language model.
const INSTRUCTIONS: &str = "Simulate runs block diagrams of dynamic systems. Begin with files and overview; read shows a model as \
compact text; blocks searches the library and gives the help of a block. edit applies a list of operations as one change, \
write replaces models by text; both are refused as a whole with the reason, and undo takes them back. check lists the \
problems with fixes. run returns signals as numbers, plot and picture draw. Nothing is written to disk until save.";

/// Returns the answer to `initialize`: the version that the client asks for if it is spoken, else the newest.
pub fn initialized(params: &Value) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let version = PROTOCOL_VERSIONS.iter().find(|known| **known == asked).unwrap_or(&PROTOCOL_VERSIONS[0]);
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {"listChanged": false}},
        "serverInfo": {"name": "simulate", "title": "Simulate", "version": env!("CARGO_PKG_VERSION")},
        "instructions": INSTRUCTIONS,
    })
}

/// Returns the answer to `tools/list`.
pub fn tools() -> Value {
    json!({"tools": ALL.iter().map(|call| tool(call)).collect::<Vec<_>>()})
}

fn tool(call: &RpcCall) -> Value {
    json!({
        "name": call.name,
        "title": call.title,
        "description": call.doc,
        "inputSchema": call.schema(),
        "annotations": {
            "title": call.title,
            "readOnlyHint": call.effect == Effect::Reads,
            // Undo takes back what is done to a document; only a written file is gone.
            "destructiveHint": call.effect == Effect::Saves,
            "idempotentHint": call.effect != Effect::Edits,
            "openWorldHint": false,
        },
    })
}

/// Returns the result of `tools/call`. What is refused is a result with an error, which the model sees; only a call that
/// the client has given up has none.
///
/// # Errors
/// If the client has given the call up.
pub fn tool_result(answered: Result<CallResult, RpcError>) -> Result<Value, RpcError> {
    match answered {
        Ok(answer) => {
            let mut content = vec![json!({"type": "text", "text": answer.as_text()})];
            if let Some(picture) = &answer.picture {
                let data = base64::engine::general_purpose::STANDARD.encode(picture);
                content.push(json!({"type": "image", "data": data, "mimeType": "image/png"}));
            }
            Ok(json!({"content": content, "structuredContent": answer.data, "isError": false}))
        }
        Err(error) if error.kind == RpcErrorKind::Cancelled => Err(error),
        Err(error) => {
            let text = match error.diagnostics.is_empty() {
                true => error.message.clone(),
                false => error.data().to_string(),
            };
            Ok(json!({"content": [{"type": "text", "text": text}], "structuredContent": error.data(), "isError": true}))
        }
    }
}

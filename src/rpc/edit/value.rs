//! The values of parameters, from JSON: the texts that a file has for them.

use serde_json::Value;

use crate::block::number_text;
use crate::rpc::error::RpcError;

/// Returns the texts of a value, one for each element of a list; `None` for null.
///
/// # Errors
/// If the value is an object, or a list of lists.
pub fn texts_of(name: &str, value: &Value) -> Result<Option<Vec<String>>, RpcError> {
    match value {
        Value::Null => Ok(None),
        Value::Array(items) => items.iter().map(|item| text_of(name, item)).collect::<Result<_, _>>().map(Some),
        single => Ok(Some(vec![text_of(name, single)?])),
    }
}

/// Returns the text of a single value.
///
/// # Errors
/// If it is none.
pub fn text_of(name: &str, value: &Value) -> Result<String, RpcError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Bool(flag) => Ok(flag.to_string()),
        Value::Number(number) => Ok(match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(whole), ..) => whole.to_string(),
            (_, Some(whole), _) => whole.to_string(),
            (.., Some(value)) => number_text(value),
            (None, None, None) => number.to_string(),
        }),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            Err(RpcError::arguments(format!("“{name}” must be a number, a text, true, false, or a list of these")))
        }
    }
}

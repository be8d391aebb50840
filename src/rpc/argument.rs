//! The arguments of calls. One table says what they mean, gives the JSON schema and checks what a client sends, so that
//! an argument with a wrong name or value is an error and never ignored.

use serde_json::{Map, Value, json};

use super::edit::operations_schema;
use super::error::RpcError;
use crate::model::near::did_you_mean;

/// An argument of a call.
#[derive(Debug)]
pub struct ArgumentDef {
    pub name: &'static str,
    pub kind: ArgumentKind,
    pub need: Need,
    /// What it means; the default, if it may be left out.
    pub doc: &'static str,
}

/// Whether an argument may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Required,
    Optional,
}

/// The values of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    Text,
    /// A whole number from `least` to `most`.
    Integer {
        least: u64,
        most: u64,
    },
    Number,
    Flag,
    Texts,
    Numbers,
    /// The operations of an edit.
    Operations,
}

impl ArgumentDef {
    pub const fn required(name: &'static str, kind: ArgumentKind, doc: &'static str) -> ArgumentDef {
        ArgumentDef { name, kind, need: Need::Required, doc }
    }

    pub const fn optional(name: &'static str, kind: ArgumentKind, doc: &'static str) -> ArgumentDef {
        ArgumentDef { name, kind, need: Need::Optional, doc }
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            ArgumentKind::Text => json!({"type": "string"}),
            ArgumentKind::Integer { least, most } => json!({"type": "integer", "minimum": least, "maximum": most}),
            ArgumentKind::Number => json!({"type": "number"}),
            ArgumentKind::Flag => json!({"type": "boolean"}),
            ArgumentKind::Texts => json!({"type": "array", "items": {"type": "string"}}),
            ArgumentKind::Numbers => json!({"type": "array", "items": {"type": "number"}}),
            ArgumentKind::Operations => json!({"type": "array", "minItems": 1, "items": operations_schema()}),
        };
        schema["description"] = self.doc.into();
        schema
    }

    /// Returns the expected value in words, if the value is another.
    fn problem_with(&self, value: &Value) -> Option<String> {
        let is_list = |is_item: fn(&Value) -> bool| value.as_array().is_some_and(|items| items.iter().all(is_item));
        let (is_met, expected) = match self.kind {
            ArgumentKind::Text => (value.is_string(), "a text".to_owned()),
            ArgumentKind::Integer { least, most } => {
                let is_within = value.as_u64().is_some_and(|value| (least..=most).contains(&value));
                (is_within, format!("a whole number from {least} to {most}"))
            }
            ArgumentKind::Number => (value.is_number(), "a number".to_owned()),
            ArgumentKind::Flag => (value.is_boolean(), "true or false".to_owned()),
            ArgumentKind::Texts => (is_list(Value::is_string), "a list of texts".to_owned()),
            ArgumentKind::Numbers => (is_list(Value::is_number), "a list of numbers".to_owned()),
            ArgumentKind::Operations => (is_list(Value::is_object), "a list of operations".to_owned()),
        };
        (!is_met).then_some(expected)
    }
}

/// Returns the JSON schema of all arguments of a call.
pub fn schema_of(arguments: &[ArgumentDef]) -> Value {
    let properties: Map<String, Value> =
        arguments.iter().map(|argument| (argument.name.to_owned(), argument.schema())).collect();
    let required: Vec<&str> =
        arguments.iter().filter(|argument| argument.need == Need::Required).map(|argument| argument.name).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// The checked arguments of a call.
#[derive(Debug)]
pub struct CallArguments(Map<String, Value>);

impl CallArguments {
    /// Checks what a client has sent. A value of null counts as left out.
    ///
    /// # Errors
    /// If an argument is unknown, missing, or has a value of another kind.
    pub fn check(arguments: &[ArgumentDef], given: Value) -> Result<CallArguments, RpcError> {
        let mut given = match given {
            Value::Object(given) => given,
            Value::Null => Map::new(),
            _ => return Err(RpcError::arguments("the arguments must be an object".to_owned())),
        };
        given.retain(|_, value| !value.is_null());
        for (name, value) in &given {
            let Some(argument) = arguments.iter().find(|argument| argument.name == name) else {
                let known: Vec<&str> = arguments.iter().map(|argument| argument.name).collect();
                let near = did_you_mean(name, known.iter().copied());
                let text = format!("there is no argument “{name}”{near} The arguments are: {}", known.join(", "));
                return Err(RpcError::arguments(text.replace("” The", "”. The")));
            };
            if let Some(expected) = argument.problem_with(value) {
                return Err(RpcError::arguments(format!("“{name}” must be {expected}")));
            }
        }
        let missing = |argument: &&ArgumentDef| argument.need == Need::Required && !given.contains_key(argument.name);
        if let Some(missing) = arguments.iter().find(missing) {
            return Err(RpcError::arguments(format!("“{}” is missing: {}", missing.name, missing.doc)));
        }
        Ok(CallArguments(given))
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// Returns a required text.
    ///
    /// # Errors
    /// If it is missing, which the check has refused before.
    pub fn required_text(&self, name: &str) -> Result<&str, RpcError> {
        self.text(name).ok_or_else(|| RpcError::arguments(format!("“{name}” is missing")))
    }

    pub fn integer(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }

    pub fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.as_f64()
    }

    pub fn flag(&self, name: &str) -> Option<bool> {
        self.0.get(name)?.as_bool()
    }

    pub fn texts(&self, name: &str) -> Option<Vec<String>> {
        let items = self.0.get(name)?.as_array()?;
        Some(items.iter().filter_map(|item| Some(item.as_str()?.to_owned())).collect())
    }

    pub fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        Some(self.0.get(name)?.as_array()?.iter().filter_map(Value::as_f64).collect())
    }

    pub fn list(&self, name: &str) -> &[Value] {
        self.0.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }
}

//! The operations of an edit as a client writes them: objects whose member `op` is the name of the operation.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::model::near::did_you_mean;
use crate::rpc::error::RpcError;

/// One operation. `model` names the model whose diagram it changes, by default the root model; a block is named by its
/// title or `#id`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    Add {
        model: Option<String>,
        #[serde(rename = "type")]
        kind: String,
        label: Option<String>,
        id: Option<i64>,
        #[serde(default)]
        parameters: Map<String, Value>,
        #[serde(default)]
        attributes: Map<String, Value>,
        at: Option<[f64; 2]>,
    },
    Remove {
        model: Option<String>,
        blocks: OneOrMore,
    },
    Set {
        model: Option<String>,
        block: String,
        #[serde(default)]
        parameters: Map<String, Value>,
        #[serde(default)]
        attributes: Map<String, Value>,
    },
    Replace {
        model: Option<String>,
        block: String,
        #[serde(rename = "type")]
        kind: String,
    },
    Rename {
        model: Option<String>,
        block: String,
        to: String,
    },
    Move {
        model: Option<String>,
        block: String,
        at: [f64; 2],
    },
    Connect {
        model: Option<String>,
        from: String,
        to: OneOrMore,
    },
    Disconnect {
        model: Option<String>,
        to: OneOrMore,
    },
    Variable {
        model: Option<String>,
        name: String,
        /// Null removes it.
        value: Value,
        #[serde(default)]
        attributes: Map<String, Value>,
    },
    Settings {
        values: Map<String, Value>,
    },
    AddModel {
        name: String,
    },
    RemoveModel {
        name: String,
    },
    RenameModel {
        from: String,
        to: String,
    },
    Group {
        model: Option<String>,
        blocks: OneOrMore,
        name: String,
    },
    Expand {
        model: Option<String>,
        block: String,
    },
    Fix {
        code: String,
        model: Option<String>,
        block: Option<String>,
        /// The text of the fix, as `check` lists it; by default the first one.
        fix: Option<String>,
    },
}

/// One name or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    One(String),
    Several(Vec<String>),
}

impl OneOrMore {
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        match self {
            OneOrMore::One(name) => std::slice::from_ref(name),
            OneOrMore::Several(names) => names.as_slice(),
        }
        .iter()
        .map(String::as_str)
    }
}

/// The operations with their members; a member in brackets may be left out.
const FORMS: [(&str, &str); 16] = [
    ("add", "type, [label, parameters, attributes, at, id, model]"),
    ("remove", "blocks, [model]"),
    ("set", "block, [parameters, attributes, model]"),
    ("replace", "block, type, [model]"),
    ("rename", "block, to, [model]"),
    ("move", "block, at, [model]"),
    ("connect", "from, to, [model]"),
    ("disconnect", "to, [model]"),
    ("variable", "name, value, [attributes, model]"),
    ("settings", "values"),
    ("add_model", "name"),
    ("remove_model", "name"),
    ("rename_model", "from, to"),
    ("group", "blocks, name, [model]"),
    ("expand", "block, [model]"),
    ("fix", "code, [model, block, fix]"),
];

/// Reads an operation.
///
/// # Errors
/// If it is unknown, or has a wrong or missing member; the message says which ones it has.
pub fn parse(value: &Value) -> Result<Operation, RpcError> {
    let name = value.get("op").and_then(Value::as_str).unwrap_or_default();
    let Some((_, members)) = FORMS.iter().find(|(known, _)| *known == name) else {
        let near = did_you_mean(name, FORMS.iter().map(|(known, _)| *known));
        let known: Vec<&str> = FORMS.iter().map(|(known, _)| *known).collect();
        let text = format!("there is no operation “{name}”{near} (the operations are {})", known.join(", "));
        return Err(RpcError::arguments(text));
    };
    serde_json::from_value(value.clone()).map_err(|error| {
        RpcError::arguments(format!(
            "{name}: {error}; its members are {members}, and those in brackets may be left out"
        ))
    })
}

/// Returns the JSON schema of an operation. One object describes all of them: clients handle alternatives badly.
pub fn operations_schema() -> Value {
    let names: Vec<&str> = FORMS.iter().map(|(name, _)| *name).collect();
    let forms: Vec<String> = FORMS.iter().map(|(name, members)| format!("{name}: {members}")).collect();
    let text = |doc: &str| json!({"type": "string", "description": doc});
    let names_or_list =
        |doc: &str| json!({"type": ["string", "array"], "items": {"type": "string"}, "description": doc});
    json!({
        "type": "object",
        "required": ["op"],
        "additionalProperties": false,
        "description": format!("The members of each operation, those in brackets optional. {}", forms.join(". ")),
        "properties": {
            "op": {"type": "string", "enum": names},
            "model": text("The model whose diagram is changed [default: the root model]"),
            "type": text("A block of the library such as Gain or Math/Gain, input, output, or model NAME for an instance of a model"),
            "label": text("The title of a new block; the name of a new input or output"),
            "id": {"type": "integer", "description": "The id of a new block [default: a free one]"},
            "parameters": {"type": "object", "description": "Values by the name of the parameter: a number, a text (an expression), true or false, or a list for several values; null restores the default. For an instance of a model its variables"},
            "attributes": {"type": "object", "description": "Raw attributes such as role, unit, seed; null removes one"},
            "at": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2, "description": "The position x, y in pixels; without it a new block gets a free place"},
            "block": text("A block by its title or #id"),
            "blocks": names_or_list("One or several blocks"),
            "from": {"type": "string", "description": "connect: the output, such as Motor.speed; the port may be left out if the block has one. rename_model: the old name"},
            "to": names_or_list("connect: one or several inputs, such as Sum.Input 2 or Sum.2. disconnect: inputs. rename: the new title. rename_model: the new name"),
            "name": text("variable, add_model, remove_model: the name. group: the name of the new model"),
            "value": {"description": "variable: a number or an expression; null removes it"},
            "values": {"type": "object", "description": "settings: steps, delta, solver, root, title, loops and other attributes of the simulation; null removes one"},
            "code": text("fix: the code of a diagnostic, as check lists it"),
            "fix": text("fix: the text of the fix, as check lists it [default: the first one]")
        }
    })
}

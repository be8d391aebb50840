//! Changes of a document: each call is one change, refused as a whole, and one undo away.

use serde_json::{Value, json};

use super::FILE;
use crate::engine::diagnose;
use crate::model::{Diagnostic, Document, check as check_document};
use crate::rpc::answer::{CallResult, MAX_TEXT, first_items};
use crate::rpc::argument::{ArgumentDef, ArgumentKind, CallArguments};
use crate::rpc::call::{CallControl, Effect, RpcCall, RpcError, diagnostic_value};
use crate::rpc::edit::{EditDraft, parse};
use crate::rpc::host::{HistoryStep, Overwriting};
use crate::rpc::session::Session;

pub const CREATE: RpcCall = RpcCall {
    name: "create",
    title: "New simulation",
    doc: "Makes an empty simulation, which save writes to the file",
    arguments: &[
        ArgumentDef::required("file", ArgumentKind::Text, "The file that it will have, such as motor.simx"),
        ArgumentDef::optional("root", ArgumentKind::Text, "The name of the root model [default: Main]"),
    ],
    effect: Effect::Edits,
    answer: create,
};

pub const EDIT: RpcCall = RpcCall {
    name: "edit",
    title: "Edit a simulation",
    doc: "Changes a simulation by a list of operations: all are applied as one change that undo takes back, or none. Refused if a name is unknown, a value is not possible, or the result would have an error that it did not have before. Blocks keep their places; new ones get a free place",
    arguments: &[
        FILE,
        ArgumentDef::required("operations", ArgumentKind::Operations, "The operations, in this order"),
        ArgumentDef::optional(
            "allow_errors",
            ArgumentKind::Flag,
            "Applies the change even if the simulation has new errors and does not run [default: false]",
        ),
    ],
    effect: Effect::Edits,
    answer: edit,
};

pub const UNDO: RpcCall = RpcCall {
    name: "undo",
    title: "Undo",
    doc: "Takes back the last change of a simulation, whoever made it",
    arguments: &[FILE],
    effect: Effect::Edits,
    answer: |session, args, _| step(session, args, HistoryStep::Undo),
};

pub const REDO: RpcCall = RpcCall {
    name: "redo",
    title: "Redo",
    doc: "Makes the last change again that was undone",
    arguments: &[FILE],
    effect: Effect::Edits,
    answer: |session, args, _| step(session, args, HistoryStep::Redo),
};

pub const SAVE: RpcCall = RpcCall {
    name: "save",
    title: "Save a simulation",
    doc: "Writes a simulation to its file, or to another one in the folder. A file that others have written is only replaced with “overwrite”",
    arguments: &[
        FILE,
        ArgumentDef::optional("to", ArgumentKind::Text, "Another file; its extension decides the format"),
        ArgumentDef::optional(
            "overwrite",
            ArgumentKind::Flag,
            "Replaces a file that this session has not written [default: false]",
        ),
    ],
    effect: Effect::Saves,
    answer: save,
};

/// Up to this number of blocks the answer of an edit lists problems of the whole simulation, which means to compile it;
/// above it those of names and values.
const MAX_COMPILED: usize = 2_000;

fn create(session: &mut Session, args: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    let (file, root) = (args.required_text("file")?, args.text("root").unwrap_or("Main"));
    session.host.create(file, root)?;
    Ok(CallResult::of(json!({"created": file, "root": root})))
}

fn edit(session: &mut Session, args: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    let file = args.text("file");
    let operations = args.list("operations");
    let parsed = operations.iter().enumerate().map(|(index, value)| parse(value).map_err(|error| at(index, error)));
    let parsed: Vec<_> = parsed.collect::<Result<_, _>>()?;
    let by = session.client().to_owned();
    let document = session.host.simulation(file)?.document();
    let registry = std::sync::Arc::clone(document.registry());
    let mut draft = EditDraft::new(document.simulation(), &registry);
    for (index, operation) in parsed.iter().enumerate() {
        draft.add(operation).map_err(|error| at(index, error))?;
    }
    draft.check_values()?;
    let before = problems(document);
    let after = Document::new(draft.simulation().clone(), std::sync::Arc::clone(&registry));
    let after = problems(&after);
    let is_new = |found: &&Diagnostic| {
        !before
            .iter()
            .any(|old| old.code == found.code && old.message == found.message && old.location == found.location)
    };
    let new: Vec<&Diagnostic> = after.iter().filter(is_new).collect();
    let (values, left) = first_items(new.iter().map(|found| diagnostic_value(found)), MAX_TEXT);
    if let Some(first) = new.iter().find(|found| found.is_error())
        && args.flag("allow_errors") != Some(true)
    {
        let help = if first.help.is_empty() { String::new() } else { format!(" ({})", first.help) };
        let text = format!("nothing was changed, since the simulation would have a new error: {}{help}", first.message);
        return Err(RpcError::refused(text).because_of(values));
    }
    let added: Vec<Value> = draft
        .added
        .iter()
        .map(|added| json!({"model": &*added.model, "block": added.id.to_string(), "title": added.title}))
        .collect();
    let change = draft.change(&by);
    let label = change.label.clone();
    session.host.apply(file, change)?;
    let errors = after.iter().filter(|found| found.is_error()).count();
    let mut data = json!({"change": label, "errors": errors, "warnings": after.len() - errors});
    if !added.is_empty() {
        let (added, left) = first_items(added, MAX_TEXT);
        data["added"] = added.into();
        if left > 0 {
            data["added_left_out"] = left.into();
        }
    }
    if !values.is_empty() {
        data["new_problems"] = values.into();
    }
    if left > 0 {
        data["left_out"] = format!("{left} more problems; call check").into();
    }
    Ok(CallResult::of(data))
}

/// Returns the problems that an edit looks at.
fn problems(document: &Document) -> Vec<Diagnostic> {
    let (simulation, registry) = (document.simulation(), document.registry());
    let blocks: usize = simulation.models.values().map(|model| model.blocks.len()).sum();
    match blocks <= MAX_COMPILED {
        true => diagnose(simulation, registry),
        false => check_document(simulation, registry),
    }
}

/// Says which operation was refused.
fn at(index: usize, error: RpcError) -> RpcError {
    RpcError { message: format!("operation {}: {}", index + 1, error.message), ..error }
}

fn step(session: &mut Session, args: &CallArguments, direction: HistoryStep) -> Result<CallResult, RpcError> {
    let done = session.host.step_back(args.text("file"), direction)?;
    let name = match direction {
        HistoryStep::Undo => "undone",
        HistoryStep::Redo => "redone",
    };
    match done {
        Some(label) => Ok(CallResult::of(json!({name: label}))),
        None => Err(RpcError::refused(format!("there is nothing to be {name}"))),
    }
}

fn save(session: &mut Session, args: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    let overwriting = match args.flag("overwrite") {
        Some(true) => Overwriting::Allowed,
        _ => Overwriting::Refused,
    };
    let file = session.host.save(args.text("file"), args.text("to"), overwriting)?;
    Ok(CallResult::of(json!({"saved": file})))
}

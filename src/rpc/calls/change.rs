//! Changes of a document: each call is one change, refused as a whole, and one undo away.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::common::FILE;
use crate::block::Registry;
use crate::diff::diff;
use crate::engine::diagnose;
use crate::format::simt;
use crate::model::{Diagnostic, Document, Location, Simulation, check as check_document};
use crate::rpc::argument::{ArgumentDef, ArgumentKind, CallArguments};
use crate::rpc::call::{CallControl, Effect, RpcCall};
use crate::rpc::call_result::{CallResult, MAX_TEXT, first_items};
use crate::rpc::edit::{EditDraft, parse};
use crate::rpc::error::{RpcError, diagnostic_value};
use crate::rpc::host::{HistoryStep, Overwriting};
use crate::rpc::session::{CheckedState, Session};

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
        ALLOW_ERRORS,
    ],
    effect: Effect::Edits,
    answer: edit,
};

pub const WRITE: RpcCall = RpcCall {
    name: "write",
    title: "Write models as text",
    doc: "Replaces models by compact text as read returns it: sections “model NAME” replace the models of that name or add them, all else stays; a text that begins with “simulation” replaces everything. Blocks that the document has keep their ids and places. Refused as a whole if the text cannot be read or the result would have a new error",
    arguments: &[
        FILE,
        ArgumentDef::required(
            "text",
            ArgumentKind::Text,
            "Sections “model NAME” with a line for each block and its wires, as read returns them",
        ),
        ALLOW_ERRORS,
    ],
    effect: Effect::Edits,
    answer: write,
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

const ALLOW_ERRORS: ArgumentDef = ArgumentDef::optional(
    "allow_errors",
    ArgumentKind::Flag,
    "Applies the change even if the simulation has new errors and does not run [default: false]",
);

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
    if operations.is_empty() {
        return Err(RpcError::arguments("“operations” is empty".to_owned()));
    }
    let parsed = operations.iter().enumerate().map(|(index, value)| parse(value).map_err(|error| at(index, error)));
    let parsed: Vec<_> = parsed.collect::<Result<_, _>>()?;
    let (by, checked) = (session.client().to_owned(), session.checked.take());
    let document = session.host.simulation(file)?.document();
    let registry = Arc::clone(document.registry());
    let mut draft = EditDraft::new(document.simulation(), &registry);
    for (index, operation) in parsed.iter().enumerate() {
        draft.add(operation).map_err(|error| at(index, error))?;
    }
    draft.check_values()?;
    let found = Found::between(document, draft.simulation(), checked.as_ref());
    found.refuse(args)?;
    let added: Vec<Value> = draft
        .added
        .iter()
        .map(|added| json!({"model": &*added.model, "block": added.id.to_string(), "title": added.title}))
        .collect();
    let change = draft.change(&by);
    let label = change.label.clone();
    session.host.apply(file, change)?;
    let mut data = found.data(&label);
    found.keep(session, file)?;
    if !added.is_empty() {
        let (added, left) = first_items(added, MAX_TEXT);
        data["added"] = added.into();
        if left > 0 {
            data["added_left_out"] = left.into();
        }
    }
    Ok(CallResult::of(data))
}

fn write(session: &mut Session, args: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    let (file, text) = (args.text("file"), args.required_text("text")?);
    let (by, checked) = (session.client().to_owned(), session.checked.take());
    let document = session.host.simulation(file)?.document();
    let loaded = simt::apply_part(text, document.simulation(), document.registry());
    let loaded = loaded.map_err(|error| {
        let found = error.to_diagnostic();
        let line = found.location.text.and_then(|at| text.lines().nth(at.line.saturating_sub(1)));
        let excerpt = line.map(|line| format!("\n  {}", line.trim_end())).unwrap_or_default();
        let place = found.location.text.map(|at| format!("line {at}: ")).unwrap_or_default();
        RpcError::refused(format!("nothing was changed: {place}{}{excerpt}", found.message))
            .because_of(vec![diagnostic_value(&found)])
    })?;
    let found = Found::between(document, &loaded.simulation, checked.as_ref());
    if loaded.diagnostics.iter().any(Diagnostic::is_error) {
        // A kind that is unknown is the cause of the wires that cannot be read.
        let causes = found.new.iter().filter(|found| ["unknown-block", "unknown-model"].contains(&found.code));
        let all: Vec<&Diagnostic> = causes.chain(&loaded.diagnostics).collect();
        let place = |found: &Diagnostic| found.location.text.map(|at| format!("line {at}: ")).unwrap_or_default();
        let text = all
            .first()
            .map(|first| {
                let help = if first.help.is_empty() { String::new() } else { format!(" ({})", first.help) };
                format!("{}{}{help}", place(first), first.message)
            })
            .unwrap_or_default();
        let (values, _) = first_items(all.into_iter().map(diagnostic_value), MAX_TEXT / 2);
        return Err(RpcError::refused(format!("nothing was changed: {text}")).because_of(values));
    }
    found.refuse(args)?;
    let changes = diff(document.simulation(), &loaded.simulation);
    if changes.is_empty() {
        return Ok(CallResult::of(json!({"change": null, "changes": []})));
    }
    let label = format!("Write models as text ({by})");
    session.host.replace(file, label.clone(), loaded.simulation)?;
    let mut data = found.data(&label);
    found.keep(session, file)?;
    let lines = changes.iter().map(|change| Value::from(format!("{} {change}", change.sign())));
    let (lines, left) = first_items(lines, MAX_TEXT / 4);
    data["changes"] = lines.into();
    if left > 0 {
        data["changes_left_out"] = left.into();
    }
    Ok(CallResult::of(data))
}

/// The problems of a simulation after a change, and those among them that it did not have before.
struct Found {
    errors: usize,
    after: Vec<Diagnostic>,
    new: Vec<Diagnostic>,
}

impl Found {
    /// Compares the problems of two states; those of the first may be known from the change before.
    fn between(document: &Document, after: &Simulation, known: Option<&CheckedState>) -> Found {
        let (simulation, registry) = (document.simulation(), document.registry());
        let computed;
        let before = match known.filter(|known| Arc::ptr_eq(&known.simulation, simulation)) {
            Some(known) => &known.problems,
            None => {
                computed = problems(simulation, registry);
                &computed
            }
        };
        // Variants are chosen as the document will choose them.
        let after = Document::new(after.clone(), Arc::clone(registry));
        let after = problems(after.simulation(), registry);
        let mut places: HashMap<(&str, &str), Vec<&Location>> = HashMap::new();
        for old in before {
            places.entry((old.code, &old.message)).or_default().push(&old.location);
        }
        let is_new = |found: &&Diagnostic| {
            let known = places.get(&(found.code, found.message.as_str()));
            !known.is_some_and(|known| known.contains(&&found.location))
        };
        let new = after.iter().filter(is_new).cloned().collect();
        Found { errors: after.iter().filter(|found| found.is_error()).count(), after, new }
    }

    /// Keeps the problems for the next change.
    fn keep(self, session: &mut Session, file: Option<&str>) -> Result<(), RpcError> {
        let simulation = Arc::clone(session.host.simulation(file)?.document().simulation());
        session.checked = Some(CheckedState { simulation, problems: self.after });
        Ok(())
    }

    fn values(&self) -> (Vec<Value>, usize) {
        first_items(self.new.iter().map(diagnostic_value), MAX_TEXT / 2)
    }

    /// Refuses a change with new errors, unless the client allows them.
    fn refuse(&self, args: &CallArguments) -> Result<(), RpcError> {
        let Some(first) = self.new.iter().find(|found| found.is_error()) else { return Ok(()) };
        if args.flag("allow_errors") == Some(true) {
            return Ok(());
        }
        let help = if first.help.is_empty() { String::new() } else { format!(" ({})", first.help) };
        let text = format!("nothing was changed, since the simulation would have a new error: {}{help}", first.message);
        Err(RpcError::refused(text).because_of(self.values().0))
    }

    fn data(&self, label: &str) -> Value {
        let mut data = json!({"change": label, "errors": self.errors, "warnings": self.after.len() - self.errors});
        let (values, left) = self.values();
        if !values.is_empty() {
            data["new_problems"] = values.into();
        }
        if left > 0 {
            data["left_out"] = format!("{left} more problems; call check").into();
        }
        data
    }
}

/// Returns the problems that an edit looks at.
fn problems(simulation: &Simulation, registry: &Registry) -> Vec<Diagnostic> {
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

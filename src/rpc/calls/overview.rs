//! The files that there are, and a simulation at a glance.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::json;

use super::common::FILE;
use crate::model::{BlockKind, Model, SignalKey, Simulation, marked_signals, model_ports};
use crate::rpc::argument::CallArguments;
use crate::rpc::call::{CallControl, Effect, RpcCall};
use crate::rpc::call_result::{CallResult, first_items};
use crate::rpc::error::RpcError;
use crate::rpc::session::Session;

pub const FILES: RpcCall = RpcCall {
    name: "files",
    title: "List files",
    doc: "Lists the simulations in the folder, and those that are open with whether they have unsaved changes",
    arguments: &[],
    effect: Effect::Reads,
    answer: files,
};

pub const OVERVIEW: RpcCall = RpcCall {
    name: "overview",
    title: "Overview of a simulation",
    doc: "Describes a simulation in a few lines: settings, variables, models with their ports and kinds of blocks, the signals that a run records, and the number of problems. Always below 8,000 characters; begin with it",
    arguments: &[FILE],
    effect: Effect::Reads,
    answer: overview,
};

/// The maximum number of characters of an overview.
const MAX_OVERVIEW: usize = 7_800;
/// The maximum number of items of a list in it.
const MAX_LISTED: usize = 30;
/// The maximum number of characters of a title or description in it.
const MAX_WORDS: usize = 300;

fn files(session: &mut Session, _: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    /// The maximum number of characters of the list.
    const LIMIT: usize = 10_000;
    let (files, has_more) = session.host.files();
    let (files, left) = first_items(files.into_iter().map(Into::into), LIMIT);
    let open = session.host.open();
    let open: Vec<_> =
        open.into_iter().map(|(file, unsaved)| json!({"file": file, "unsaved_changes": unsaved})).collect();
    let mut data = json!({"files": files, "open": open});
    if left > 0 || has_more {
        data["left_out"] = "there are more files than are listed".into();
    }
    Ok(CallResult::of(data))
}

fn overview(session: &mut Session, args: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    let opened = session.host.simulation(args.text("file"))?;
    let found = opened.check();
    let document = opened.document();
    let (simulation, registry) = (document.simulation(), document.registry());
    let mut text = head(simulation, opened.path().and_then(|path| path.file_name()?.to_str()));
    let errors = found.iter().filter(|found| found.is_error()).count();
    let _ = writeln!(
        text,
        "Problems: {errors} errors, {} warnings{}",
        found.len() - errors,
        match found.len() {
            0 => "",
            _ => " (call check)",
        }
    );
    if !document.is_saved() {
        let changes: Vec<&str> = document.undo_labels().take(5).collect();
        let _ = writeln!(text, "Unsaved changes, the last first: {}", changes.join("; "));
    }
    variables(&mut text, "Variables", simulation.variables.iter().map(|(name, variable)| (&**name, &*variable.value)));
    let marked: Vec<String> = marked_signals(simulation, registry)
        .iter()
        .take(MAX_LISTED + 1)
        .map(|key: &SignalKey| crate::model::place_of_signal(simulation, key))
        .collect();
    let _ = writeln!(text, "Recorded signals: {}", listed(marked.iter().map(String::as_str)));
    text.push_str("Models:\n");
    let mut models = simulation.models_in_order();
    models.sort_by_key(|model| model.name != simulation.root);
    for model in models {
        text.push_str(&about_model(simulation, model));
    }
    Ok(CallResult::text(&text, MAX_OVERVIEW, "call read with a model for the rest"))
}

fn head(simulation: &Simulation, file: Option<&str>) -> String {
    let words =
        |name: &str| simulation.attributes.get(name).map(|text| text.chars().take(MAX_WORDS).collect::<String>());
    let title = words("title").unwrap_or_else(|| simulation.root.to_string());
    let mut text = format!("{title} ({})\n", file.unwrap_or("not saved yet"));
    if let Some(about) = words("about") {
        let _ = writeln!(text, "{about}");
    }
    let loops = if simulation.solves_loops() { ", algebraic loops are solved" } else { "" };
    let steps = match simulation.steps {
        0 => "no end".to_owned(),
        steps => format!("{steps} steps"),
    };
    let _ = writeln!(text, "{steps} of {} s, solver {}{loops}", simulation.delta, simulation.solver());
    text
}

fn variables<'a>(text: &mut String, title: &str, all: impl Iterator<Item = (&'a str, &'a str)>) {
    let all: Vec<String> =
        all.map(|(name, value)| format!("{name} = {}", value.chars().take(60).collect::<String>())).collect();
    if !all.is_empty() {
        let _ = writeln!(text, "{title}: {}", listed(all.iter().map(String::as_str)));
    }
}

fn about_model(simulation: &Simulation, model: &Model) -> String {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for block in model.blocks.values() {
        let kind = match &block.kind {
            BlockKind::Entry { .. } | BlockKind::Exit { .. } => continue,
            BlockKind::Model { model } => model,
            BlockKind::Library { name, .. } => name,
        };
        *kinds.entry(kind).or_default() += 1;
    }
    let mut kinds: Vec<(&str, usize)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(kind, count)| if *count == 1 { (*kind).to_owned() } else { format!("{kind} ×{count}") })
        .collect();
    let ports = model_ports(model);
    let mut text = format!("  {}", model.name);
    if model.name == simulation.root {
        text.push_str(" (root)");
    } else {
        let uses = simulation.users_of(&model.name).count();
        let _ = write!(text, " ({uses} instance{})", if uses == 1 { "" } else { "s" });
    }
    let _ = write!(text, ": {} blocks, {} wires", model.blocks.len(), model.connections.len());
    for (title, names) in [
        ("inputs", ports.inputs.iter().map(|(name, _)| &**name).collect::<Vec<_>>()),
        ("outputs", ports.outputs.iter().map(|(name, _)| &**name).collect()),
    ] {
        if !names.is_empty() {
            let _ = write!(text, "; {title} {}", listed(names.into_iter()));
        }
    }
    text.push('\n');
    if !kinds.is_empty() {
        let _ = writeln!(text, "    {}", listed(kinds.iter().map(String::as_str)));
    }
    variables(&mut text, "    variables", model.variables.iter().map(|(name, variable)| (&**name, &*variable.value)));
    text
}

/// Lists names, with how many more there are.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = names.collect();
    let more = all.len().saturating_sub(MAX_LISTED);
    let names = all.get(..MAX_LISTED.min(all.len())).unwrap_or_default().join(", ");
    match (all.is_empty(), more) {
        (true, _) => "none".to_owned(),
        (_, 0) => names,
        (_, more) => format!("{names} and {more} more"),
    }
}

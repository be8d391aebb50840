//! Problems and differences.

use serde_json::{Value, json};

use super::common::FILE;
use crate::diff::diff;
use crate::model::{Diagnostic, fixes};
use crate::rpc::argument::{ArgumentDef, ArgumentKind, CallArguments};
use crate::rpc::call::{CallControl, Effect, RpcCall};
use crate::rpc::call_result::{CallResult, MAX_TEXT, first_items};
use crate::rpc::error::{RpcError, diagnostic_value};
use crate::rpc::session::Session;

pub const CHECK: RpcCall = RpcCall {
    name: "check",
    title: "Check for problems",
    doc: "Lists all errors and warnings of a simulation with their place, the remedy, and the fixes that edit can apply. With an error a simulation does not run",
    arguments: &[FILE],
    effect: Effect::Reads,
    answer: check,
};

pub const DIFF: RpcCall = RpcCall {
    name: "diff",
    title: "Compare with a file",
    doc: "Lists the differences of a simulation to its file as saved, or to another file, by their meaning; the layout is left out",
    arguments: &[
        FILE,
        ArgumentDef::optional(
            "with",
            ArgumentKind::Text,
            "The file to compare with [default: its own file as it was saved]",
        ),
    ],
    effect: Effect::Reads,
    answer: differences,
};

fn check(session: &mut Session, args: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    let simulation = session.host.simulation(args.text("file"))?;
    let found = simulation.check();
    let document = simulation.document();
    let errors = found.iter().filter(|found| found.is_error()).count();
    let value = |found: &Diagnostic| {
        let mut value = diagnostic_value(found);
        let offered = fixes(document.simulation(), document.registry(), found);
        if !offered.is_empty() {
            value["fixes"] = offered.into_iter().map(|(_, text)| Value::from(text)).collect();
        }
        value
    };
    // Computing the fixes of thousands of problems would take long, and their list would be cut.
    let mut sorted: Vec<&Diagnostic> = found.iter().collect();
    sorted.sort_by_key(|found| !found.is_error());
    let (problems, left) = first_items(sorted.iter().take(200).map(|found| value(found)), MAX_TEXT);
    let left = left + found.len().saturating_sub(200);
    let mut data =
        json!({"runs": errors == 0, "errors": errors, "warnings": found.len() - errors, "problems": problems});
    if left > 0 {
        data["left_out"] = format!("{left} more problems; mend some of these first").into();
    }
    Ok(CallResult::of(data))
}

fn differences(session: &mut Session, args: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    let file = args.text("file");
    let other = match args.text("with") {
        Some(other) => session.host.load(other)?,
        None => session.host.simulation(file)?.as_saved()?,
    };
    let simulation = session.host.simulation(file)?;
    let changes = diff(&other, simulation.document().simulation());
    let layout = changes.iter().filter(|change| change.is_layout).count();
    let lines = changes.iter().filter(|change| !change.is_layout);
    let lines = lines.map(|change| Value::from(format!("{} {change}", change.sign())));
    let (lines, left) = first_items(lines, MAX_TEXT);
    let mut data = json!({"changes": lines, "changes_of_layout": layout});
    if left > 0 {
        data["left_out"] = format!("{left} more changes").into();
    }
    Ok(CallResult::of(data))
}

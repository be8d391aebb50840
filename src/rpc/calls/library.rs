//! The library of blocks, and the codes of diagnostics.

use serde_json::{Value, json};

use super::common::LIMIT;
use crate::block::description::{described, description_text};
use crate::block::search::fit_block;
use crate::block::{BlockDef, Registry};
use crate::model::near::did_you_mean;
use crate::model::{CODES, CodeExample, explanation};
use crate::plugin::UserPlugins;
use crate::rpc::argument::{ArgumentDef, ArgumentKind, CallArguments};
use crate::rpc::call::{CallControl, Effect, RpcCall};
use crate::rpc::call_result::{CallResult, MAX_TEXT, first_items};
use crate::rpc::error::RpcError;
use crate::rpc::session::Session;

pub const BLOCKS: RpcCall = RpcCall {
    name: "blocks",
    title: "Search the library",
    doc: "Finds blocks of the library by words, also by their names in Simulink, Xcos and Modelica; for the name of a block its complete help: formula, ports, parameters with defaults and limits, examples",
    arguments: &[
        ArgumentDef::optional(
            "query",
            ArgumentKind::Text,
            "Words, or the name of a block [default: all groups with their blocks]",
        ),
        LIMIT,
    ],
    effect: Effect::Reads,
    answer: blocks,
};

pub const EXPLAIN: RpcCall = RpcCall {
    name: "explain",
    title: "Explain a diagnostic",
    doc: "Explains the code of a diagnostic: the cause, the remedy and an example",
    arguments: &[ArgumentDef::required("code", ArgumentKind::Text, "The code, such as unknown-block")],
    effect: Effect::Reads,
    answer: explain,
};

/// The maximum number of blocks that a search returns.
const MAX_FOUND: usize = 20;

fn blocks(session: &mut Session, args: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    let registry = UserPlugins::of_user().added_to(&session.components.registry, None);
    let limit = args.integer("limit").map_or(MAX_TEXT, |limit| limit as usize);
    let query = args.text("query").unwrap_or_default().trim();
    if query.is_empty() {
        return Ok(CallResult::text(&groups(&registry), limit, "search by words"));
    }
    let bare = query.rsplit_once('/').map_or(query, |(_, name)| name);
    let named: Vec<&'static BlockDef> = registry
        .iter()
        .filter(|def| def.name.eq_ignore_ascii_case(bare) || def.title().eq_ignore_ascii_case(bare))
        .filter(|def| query.split_once('/').is_none_or(|(group, _)| def.group == group))
        .collect();
    if !named.is_empty() {
        let texts = named.iter().map(|def| format!("{}/{}", def.group, description_text(&described(def)).trim_start()));
        return Ok(CallResult::text(&texts.collect::<Vec<_>>().join("\n"), limit, "raise the limit"));
    }
    let mut found: Vec<_> = registry.iter().filter_map(|def| Some((fit_block(query, def)?, def))).collect();
    found.sort_by_key(|(fit, _)| std::cmp::Reverse(*fit));
    if found.is_empty() {
        let names = registry.iter().flat_map(|def| [def.name, def.title()]);
        let near = did_you_mean(query, names);
        return Err(RpcError::refused(format!("no block fits “{query}”{near}")));
    }
    let left = found.len().saturating_sub(MAX_FOUND);
    let items = found.into_iter().take(MAX_FOUND).map(|(_, def)| summary(def));
    let (items, more) = first_items(items, limit);
    let mut data = json!({"blocks": items});
    if left + more > 0 {
        data["left_out"] = format!("{} more blocks; search for more words", left + more).into();
    }
    Ok(CallResult::of(data))
}

fn summary(def: &'static BlockDef) -> Value {
    let described = described(def);
    let params: Vec<Value> =
        described.params.iter().map(|param| format!("{} = {}", param.name, param.default.join(", ")).into()).collect();
    json!({
        "type": format!("{}/{}", def.group, def.name),
        "does": def.doc,
        "inputs": described.inputs,
        "outputs": described.outputs,
        "parameters": params,
    })
}

fn groups(registry: &Registry) -> String {
    let all: Vec<&BlockDef> = registry.iter().collect();
    let lines = all.chunk_by(|one, next| one.group == next.group).map(|group| {
        let names: Vec<&str> = group.iter().map(|def| def.name).collect();
        format!("{}: {}\n", group.first().map_or("", |def| def.group), names.join(", "))
    });
    lines.collect()
}

fn explain(_: &mut Session, args: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    let code = args.required_text("code")?;
    let def = explanation(code).ok_or_else(|| {
        let near = did_you_mean(code, CODES.iter().map(|def| def.code));
        RpcError::refused(format!("there is no code “{code}”{near}"))
    })?;
    let example = match def.example {
        CodeExample::Situation(text) => text.to_owned(),
        example => example.file().unwrap_or_default(),
    };
    Ok(CallResult::of(json!({"code": def.code, "cause": def.cause, "remedy": def.remedy, "example": example})))
}

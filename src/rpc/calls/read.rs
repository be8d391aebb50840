//! A model as compact text, and one block with all that concerns it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use super::common::{FILE, LIMIT};
use crate::block::Registry;
use crate::format::simt;
use crate::model::{Block, BlockKind, Model, ModelNames, Simulation, definition_of, line_of, param_texts};
use crate::rpc::argument::{ArgumentDef, ArgumentKind, CallArguments};
use crate::rpc::call::{CallControl, Effect, RpcCall};
use crate::rpc::call_result::{CallResult, MAX_TEXT};
use crate::rpc::error::RpcError;
use crate::rpc::session::Session;

pub const READ: RpcCall = RpcCall {
    name: "read",
    title: "Read as text",
    doc: "Returns a simulation as compact text, one line for each block with only the parameters that differ from defaults and wires as “speed -> PID.Input”: all of it, one model, a model with those inside it, or one block with all its parameters and wires. write takes the same text",
    arguments: &[
        FILE,
        ArgumentDef::optional("model", ArgumentKind::Text, "Only this model [default: all models]"),
        ArgumentDef::optional(
            "inner",
            ArgumentKind::Flag,
            "With “model”: also the models of its instances, at any depth [default: false]",
        ),
        ArgumentDef::optional(
            "block",
            ArgumentKind::Text,
            "One block of the model, by its title or #id, with all parameters",
        ),
        ArgumentDef::optional(
            "from_line",
            ArgumentKind::Integer { least: 1, most: u64::MAX },
            "Leaves out the lines before this one [default: 1]",
        ),
        LIMIT,
    ],
    effect: Effect::Reads,
    answer: read,
};

fn read(session: &mut Session, args: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    let opened = session.host.simulation(args.text("file"))?;
    let (simulation, registry) = (opened.document().simulation(), opened.document().registry());
    let unwritable = |error: crate::format::SaveError| RpcError::refused(error.to_string());
    let model = args.text("model").map(|name| model_of(simulation, name)).transpose()?;
    if let Some(block) = args.text("block") {
        let model = model.map_or_else(|| model_of(simulation, &simulation.root), Ok)?;
        return Ok(CallResult::text(&block_text(simulation, registry, model, block)?, MAX_TEXT, "raise the limit"));
    }
    let text = match model {
        None => simt::text(simulation, registry).map_err(unwritable)?,
        Some(model) => {
            let names = match args.flag("inner") {
                Some(true) => with_inner(simulation, &model.name),
                _ => vec![Arc::clone(&model.name)],
            };
            let mut text = String::new();
            for name in names {
                let section = simt::text_of_model(simulation, registry, &name).map_err(unwritable)?;
                text.push_str(section.unwrap_or_default().trim_start());
                text.push('\n');
            }
            text
        }
    };
    let from = args.integer("from_line").unwrap_or(1) as usize;
    let kept: String = text.split_inclusive('\n').skip(from.saturating_sub(1)).collect();
    let limit = args.integer("limit").map_or(MAX_TEXT, |limit| limit as usize);
    let next = from + lines_within(&kept, limit);
    Ok(CallResult::text(&kept, limit, &format!("call read again with from_line {next}, or read one model")))
}

fn lines_within(text: &str, limit: usize) -> usize {
    let mut used = 0;
    let fits = |line: &&str| {
        used += line.chars().count();
        used <= limit
    };
    text.split_inclusive('\n').take_while(fits).count()
}

fn model_of<'a>(simulation: &'a Simulation, name: &str) -> Result<&'a Arc<Model>, RpcError> {
    simulation.model(name).ok_or_else(|| {
        let near = crate::model::near::did_you_mean(name, simulation.models.keys().map(|known| &**known));
        RpcError::refused(format!("there is no model “{name}”{near}"))
    })
}

/// Returns a model and those of its instances, at any depth, each once.
fn with_inner(simulation: &Simulation, name: &Arc<str>) -> Vec<Arc<str>> {
    let (mut found, mut seen) = (vec![Arc::clone(name)], BTreeSet::from([Arc::clone(name)]));
    let mut next = 0;
    while let Some(model) = found.get(next).cloned() {
        next += 1;
        let Some(model) = simulation.model(&model) else { continue };
        let mut blocks: Vec<&Arc<Block>> = model.blocks.values().collect();
        blocks.sort_by_key(|block| block.seq);
        let inner = blocks.into_iter().flat_map(|block| block.models());
        found.extend(inner.filter(|inner| simulation.model(inner).is_some() && seen.insert(Arc::clone(inner))));
    }
    found
}

/// Describes a block: its kind, all parameters with their values, and where its wires lead.
fn block_text(simulation: &Simulation, registry: &Registry, model: &Model, name: &str) -> Result<String, RpcError> {
    let mut names = ModelNames::new(simulation, registry, model);
    let id = names.block(name).map_err(|error| RpcError::refused(error.to_string()))?;
    let missing = || RpcError::refused(format!("there is no block “{name}” in “{}”", model.name));
    let block = model.block(id).ok_or_else(missing)?;
    let kind = match &block.kind {
        BlockKind::Entry { .. } => "input".to_owned(),
        BlockKind::Exit { .. } => "output".to_owned(),
        BlockKind::Model { model } => format!("model {model}"),
        BlockKind::Library { group, name } => format!("{group}/{name}"),
    };
    let mut text = format!("{} {id} in “{}”: {kind}\n", block.title(), model.name);
    for (name, value) in block.attributes.iter().filter(|(name, _)| !name.starts_with("view:") && *name != "label") {
        let _ = writeln!(text, "  {{{name} = {value}}}");
    }
    match definition_of(registry, block) {
        Some(def) => {
            let _ = writeln!(text, "  {}: {}", def.doc, def.formula);
            for param in def.params {
                let is_own = block.option(param.name).is_some() || line_of(block, param).is_some();
                let default = if is_own { "" } else { " (default)" };
                let unit = if param.unit.is_empty() { String::new() } else { format!(" {}", param.unit) };
                let _ = writeln!(text, "  {} = {}{unit}{default}", param.name, param_texts(block, param).join("; "));
            }
        }
        None => {
            for option in block.options() {
                let _ = writeln!(text, "  {} = {}", option.name, option.texts().collect::<Vec<_>>().join("; "));
            }
        }
    }
    let ports = names.ports(block);
    let title = |id| model.block(id).map_or_else(String::new, |block| format!("{} {}", block.title(), block.id));
    for input in &ports.inputs {
        match model.source(block.id, input) {
            Some(wire) => drop(writeln!(text, "  {input} <- {}.{}", title(wire.from), wire.output)),
            None => drop(writeln!(text, "  {input} is not connected")),
        }
    }
    let mut wires: Vec<_> = model.connections.values().filter(|wire| wire.from == block.id).collect();
    wires.sort_by_key(|wire| wire.seq);
    for wire in wires {
        let _ = writeln!(text, "  {} -> {}.{}", wire.output, title(wire.to), wire.input);
    }
    Ok(text)
}

//! What widgets can be bound to, and what that is worth.

use std::sync::Arc;

use super::{Binding, ParamKey};
use crate::app::plots::name_of;
use crate::block::{ParamKind, Registry, parse_number};
use crate::model::{Block, BlockId, BlockKind, Change, Edit, Model, SignalKey, Simulation, block_ports, model_at};

/// Something to bind to, with its name.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub binding: Binding,
    pub name: String,
}

/// What widgets of a kind are bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Params,
    Signals,
}

/// Nobody reads more.
const MOST: usize = 20_000;

/// All parameters that are numbers, or all signals, under the root.
pub fn candidates(simulation: &Simulation, registry: &Registry, wanted: Wanted) -> Vec<Candidate> {
    let mut found = Vec::new();
    if let Some(root) = simulation.root_model() {
        collect(simulation, registry, root, wanted, &mut Vec::new(), &mut found);
    }
    found
}

fn collect(
    simulation: &Simulation,
    registry: &Registry,
    model: &Model,
    wanted: Wanted,
    path: &mut Vec<BlockId>,
    found: &mut Vec<Candidate>,
) {
    let mut blocks: Vec<_> = model.blocks.values().collect();
    blocks.sort_by_key(|block| block.seq);
    for block in blocks {
        if found.len() >= MOST {
            return;
        }
        if wanted == Wanted::Params {
            params_of(simulation, registry, block, path, found);
        } else {
            let ports = block_ports(simulation, registry, model, block);
            let is_exit = matches!(block.kind, BlockKind::Exit { .. });
            let outputs = if is_exit && path.is_empty() { ports.inputs } else { ports.outputs };
            for output in outputs {
                let signal = SignalKey::new(path, block.id, &output);
                found.push(Candidate { name: name_of(simulation, &signal), binding: Binding::Signal(signal) });
            }
        }
        if let BlockKind::Model { model } = &block.kind
            && let Some(inner) = simulation.model(model)
            && path.len() < 32
        {
            path.push(block.id);
            collect(simulation, registry, inner, wanted, path, found);
            path.pop();
        }
    }
}

fn params_of(
    simulation: &Simulation,
    registry: &Registry,
    block: &Block,
    path: &[BlockId],
    found: &mut Vec<Candidate>,
) {
    let BlockKind::Library { group, name } = &block.kind else { return };
    let Some(def) = registry.get(group, name) else { return };
    for param in def.params {
        let is_number =
            matches!(param.kind, ParamKind::Number { .. } | ParamKind::Integer { .. } | ParamKind::Flag { .. });
        if is_number {
            let key = ParamKey { path: path.to_vec(), block: block.id, name: param.name.to_owned() };
            found.push(Candidate { name: name_of_param(simulation, &key), binding: Binding::Param(key) });
        }
    }
}

impl Binding {
    /// As a user reads it.
    pub fn name(&self, simulation: &Simulation) -> String {
        match self {
            Binding::Param(param) => name_of_param(simulation, param),
            Binding::Signal(signal) => name_of(simulation, signal),
        }
    }
}

fn name_of_param(simulation: &Simulation, param: &ParamKey) -> String {
    let block = name_of(simulation, &SignalKey::new(&param.path, param.block, crate::model::BlockPorts::OUTPUT));
    format!("{block} · {}", param.name)
}

/// The number that a parameter has in the document; none where an expression stands there or the block is gone.
pub fn number_of(simulation: &Simulation, registry: &Registry, param: &ParamKey) -> Option<f64> {
    let block = model_at(simulation, &param.path)?.block(param.block)?;
    let BlockKind::Library { group, name } = &block.kind else { return None };
    let known = registry.get(group, name)?.params.iter().find(|known| known.name == param.name)?;
    let own = block.option_texts(&param.name).and_then(|texts| texts.first().map(|text| (*text).to_owned()));
    match own.or_else(|| known.default_texts().into_iter().next())?.as_str() {
        "true" => Some(1.0),
        "false" => Some(0.0),
        text => parse_number(text).ok(),
    }
}

/// The change that gives a parameter another number.
pub fn set_param(simulation: &Simulation, param: &ParamKey, value: f64) -> Option<Change> {
    let model = model_at(simulation, &param.path)?;
    let block = model.block(param.block)?;
    // What stands behind the first number stays.
    let mut texts: Vec<String> =
        block.option_texts(&param.name).unwrap_or_default().into_iter().map(str::to_owned).collect();
    let text = value.to_string();
    match texts.first_mut() {
        Some(first) if *first == text => return None,
        Some(first) => *first = text,
        None => texts.push(text),
    }
    let edit = Edit::SetOption {
        model: Arc::clone(&model.name),
        id: param.block,
        name: param.name.as_str().into(),
        values: Some(texts),
    };
    Some(Change::one(format!("Set {}", name_of_param(simulation, param)), edit))
}

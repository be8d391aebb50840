//! Values that a simulation has anyway: stated in its file, they say nothing more.

use std::sync::Arc;

use super::{Attributes, Block, BlockKind, DEFAULT_SOLVER, Model, OptionItem, Simulation, definition_of, param_texts};
use crate::block::Registry;

/// Whether a block means the same without an option that it has.
pub fn is_default(simulation: &Simulation, model: &Model, block: &Block, name: &str, registry: &Registry) -> bool {
    let Some(option) = block.option(name) else { return false };
    let is_only = block.options().filter(|option| &*option.name == name).count() == 1;
    let has_more = !option.attributes.is_empty()
        || option.items.iter().any(|item| match item {
            OptionItem::Value { attributes, .. } => !attributes.is_empty(),
            OptionItem::Extra(_) => true,
        });
    if !is_only || has_more {
        return false;
    }
    let texts: Vec<&str> = option.texts().collect();
    let without = || {
        let mut without = block.clone();
        without.set_option::<&str>(name, None);
        without
    };
    match &block.kind {
        BlockKind::Entry { name: entry } => {
            name == Block::INITIAL_VALUE && texts == ["0"] && is_always_given(simulation, model, entry)
        }
        BlockKind::Exit { .. } | BlockKind::Model { .. } => false,
        BlockKind::Library { .. } => {
            let Some(def) = definition_of(registry, block) else { return false };
            let Some(param) = def.param(name) else { return false };
            if param.default_texts() != texts {
                return false;
            }
            // A line of the parameters of code gives the value, or it decides which parameters there are.
            let without = without();
            let Some(after) = definition_of(registry, &without) else { return false };
            let same = after.param(name);
            same.is_some_and(|param| param_texts(&without, param) == texts)
                && after.params.iter().map(|param| param.name).eq(def.params.iter().map(|param| param.name))
        }
    }
}

/// Whether an entry has its value from an exit or, at each instance of the model, from a wire. A stated initial value says
/// also that an input may stay without a wire.
fn is_always_given(simulation: &Simulation, model: &Model, entry: &Arc<str>) -> bool {
    if model.exits().any(|(_, exit)| exit == entry) {
        return true;
    }
    let mut users = simulation.users_of(&model.name).peekable();
    users.peek().is_some() && users.all(|(user, id)| user.source(id, entry).is_some())
}

/// The attribute of the simulation that names the solver.
const SOLVER: &str = "solver";

/// Whether the attributes of a simulation state the solver that it would have anyway.
pub fn is_default_solver(attributes: &Attributes) -> bool {
    attributes.get(SOLVER) == Some(DEFAULT_SOLVER)
}

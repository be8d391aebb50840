//! Chooses the variants of model blocks by their conditions, and finds errors in them.

use std::borrow::Cow;
use std::sync::Arc;

use super::super::{Block, BlockId, BlockKind, Diagnostic, Scope, Simulation, Variant};
use crate::block::language::numbers;

/// The reason why no variant is chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    #[error("the condition {0}")]
    Condition(String),
    #[error("no condition holds")]
    None,
}

/// Returns the index of the first variant whose condition holds. Conditions see the variables of the simulation.
///
/// # Errors
/// Fails if a condition before it cannot be evaluated to one number, or if none holds.
pub fn chosen_variant(simulation: &Simulation, variants: &[Variant]) -> Result<usize, ChoiceError> {
    let scope = Scope::of_simulation(simulation);
    for (number, variant) in variants.iter().enumerate() {
        if holds(variant, &scope)? {
            return Ok(number);
        }
    }
    Err(ChoiceError::None)
}

fn holds(variant: &Variant, scope: &Scope) -> Result<bool, ChoiceError> {
    let text = &*variant.condition;
    if text.is_empty() {
        return Ok(true);
    }
    match numbers(text, scope) {
        Ok(values) => match values[..] {
            [value] if value.is_nan() => Err(ChoiceError::Condition(format!("“{text}” is not a number"))),
            [value] => Ok(value != 0.0),
            _ => Err(ChoiceError::Condition(format!("“{text}” is not one number but {}", values.len()))),
        },
        Err(error) => Err(ChoiceError::Condition(error.message_for(text))),
    }
}

/// Makes each model block with variants an instance of the chosen one. A block whose choice fails, or whose chosen model
/// does not exist, stays as it is.
pub fn choose_variants(simulation: &mut Simulation) {
    for (model, id, chosen) in changes(simulation) {
        if let Some(block) = simulation.model_mut(&model).and_then(|model| model.block_mut(id)) {
            block.kind = BlockKind::Model { model: chosen };
        }
    }
}

/// Returns the simulation with chosen variants.
pub fn with_chosen_variants(simulation: &Simulation) -> Cow<'_, Simulation> {
    if changes(simulation).is_empty() {
        return Cow::Borrowed(simulation);
    }
    let mut chosen = simulation.clone();
    choose_variants(&mut chosen);
    Cow::Owned(chosen)
}

/// Returns the model blocks that have variants, with the names of their models.
pub fn blocks_with_variants(simulation: &Simulation) -> impl Iterator<Item = (&Arc<str>, &Arc<Block>)> {
    let has_variants = |block: &&Arc<Block>| {
        matches!(block.kind, BlockKind::Model { .. }) && block.attributes.get(Variant::ATTRIBUTE).is_some()
    };
    simulation
        .models
        .values()
        .flat_map(move |model| model.blocks.values().filter(has_variants).map(|block| (&model.name, block)))
}

fn changes(simulation: &Simulation) -> Vec<(Arc<str>, BlockId, Arc<str>)> {
    let change = |(model, block): (&Arc<str>, &Arc<Block>)| {
        let variants = block.variants().ok()?;
        let chosen = &variants.get(chosen_variant(simulation, &variants).ok()?)?.model;
        let is_new = !block.kind.is_instance_of(chosen) && simulation.model(chosen).is_some();
        is_new.then(|| (Arc::clone(model), block.id, Arc::clone(chosen)))
    };
    blocks_with_variants(simulation).filter_map(change).collect()
}

/// Reports the errors in the variants of a block.
pub(in crate::model) fn check_variants(simulation: &Simulation, block: &Block, on_block: &mut dyn FnMut(Diagnostic)) {
    let variants = match block.variants() {
        Ok(variants) if variants.is_empty() => return,
        Ok(variants) => variants,
        Err(error) => {
            let help = "write for example variants=\"Linear if mode == 1; Nonlinear\"";
            let problem = Diagnostic::error("bad-attribute", format!("variants: {error}"));
            return on_block(problem.about(Variant::ATTRIBUTE).help(help));
        }
    };
    for variant in &variants {
        let name = &variant.model;
        // The check of the block itself reports its current model.
        if simulation.model(name).is_none() && !block.kind.is_instance_of(name) {
            let problem =
                Diagnostic::error("bad-variant", format!("there is no model “{name}”, a variant of this block"));
            on_block(problem.about(Variant::ATTRIBUTE).help("create the model, or remove the variant"));
        }
    }
    let help = "a condition is an expression in the variables of the simulation, such as mode == 1";
    let scope = Scope::of_simulation(simulation);
    for error in variants.iter().filter_map(|variant| holds(variant, &scope).err()) {
        let problem = Diagnostic::error("bad-variant", format!("variants: {error}"));
        on_block(problem.about(Variant::ATTRIBUTE).help(help));
    }
    if chosen_variant(simulation, &variants) == Err(ChoiceError::None) {
        let conditions: Vec<&str> = variants.iter().map(|variant| &*variant.condition).collect();
        let message = format!("no variant is chosen: none of the conditions holds: {}", conditions.join("; "));
        let problem = Diagnostic::error("no-variant", message).about(Variant::ATTRIBUTE);
        on_block(problem.help("change a variable, or add a last variant without a condition"));
    }
}

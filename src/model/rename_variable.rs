//! Renames a variable together with all its uses.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::expression_names::{options_with_names, variables_in, with_names_replaced};
use super::{Block, BlockKind, Change, Edit, Model, Simulation, Variables, Variant, name_problem};
use crate::block::Registry;

/// Why a variable cannot be renamed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenameError {
    #[error("the variable “{0}” does not exist")]
    Unknown(String),
    #[error("{0}")]
    Name(String),
    #[error("the variable “{0}” already exists")]
    Known(String),
    /// Where the variable is used, the new name means another variable.
    #[error("in {place} the name “{name}” has another meaning already")]
    Captured { name: String, place: String },
}

/// Returns the change that renames a variable of a model, or without one of the simulation, in its definition, in the
/// expressions of variables, blocks and variants that use it, and in the values that instances of the model set.
///
/// # Errors
/// If the name is not valid or taken, or would get another meaning where the variable is used.
pub fn rename_variable(
    simulation: &Simulation,
    registry: &Registry,
    model: Option<&Model>,
    (from, to): (&str, &str),
) -> Result<Change, RenameError> {
    let variables = model.map_or(&simulation.variables, |model| &model.variables);
    let old = variables.get(from).ok_or_else(|| RenameError::Unknown(from.to_owned()))?;
    if let Some(problem) = name_problem(to) {
        return Err(RenameError::Name(problem));
    }
    if variables.contains_key(to) {
        return Err(RenameError::Known(to.to_owned()));
    }
    let mut renaming = Renaming { simulation, registry, from, to, edits: Vec::new() };
    renaming.definition(model, variables, old)?;
    match model {
        Some(model) => {
            renaming.blocks(model)?;
            renaming.instances(model);
        }
        None => {
            for model in simulation.models_in_order() {
                renaming.variants(model);
                // A variable of the model hides that of the simulation.
                if !model.variables.contains_key(from) {
                    renaming.values(Some(model), &model.variables)?;
                    renaming.blocks(model)?;
                }
            }
        }
    }
    Ok(Change::new(format!("Rename the variable {from} to {to}"), renaming.edits))
}

struct Renaming<'a> {
    simulation: &'a Simulation,
    registry: &'a Registry,
    from: &'a str,
    to: &'a str,
    edits: Vec<Edit>,
}

impl Renaming<'_> {
    fn renamed(&self, text: &str) -> String {
        with_names_replaced(text, |word| (word == self.from).then(|| self.to.to_owned()))
    }

    /// Renames the variable itself, and its uses in the variables beside it.
    fn definition(
        &mut self,
        model: Option<&Model>,
        variables: &Variables,
        old: &super::Variable,
    ) -> Result<(), RenameError> {
        let of = model.map(|model| Arc::clone(&model.name));
        self.edits.push(Edit::SetVariable { model: of.clone(), name: self.from.into(), variable: None });
        self.edits.push(Edit::SetVariable { model: of, name: self.to.into(), variable: Some(old.clone()) });
        self.values(model, variables)
    }

    /// Renames it in the values of variables.
    fn values(&mut self, model: Option<&Model>, variables: &Variables) -> Result<(), RenameError> {
        for (name, variable) in variables.iter().filter(|(name, _)| &***name != self.from) {
            let names = variables_in(&variable.value);
            if !names.contains(self.from) {
                continue;
            }
            self.check(model, &names, &format!("the variable {name}"))?;
            let value = self.renamed(&variable.value).into();
            let variable = super::Variable { value, ..(**variable).clone() };
            let model = model.map(|model| Arc::clone(&model.name));
            self.edits.push(Edit::SetVariable { model, name: Arc::clone(name), variable: Some(variable) });
        }
        Ok(())
    }

    /// Renames it in the options of the blocks of a model.
    fn blocks(&mut self, model: &Model) -> Result<(), RenameError> {
        let mut blocks: Vec<&Arc<Block>> = model.blocks.values().collect();
        blocks.sort_by_key(|block| block.seq);
        for block in blocks {
            let options = options_with_names(block, self.registry);
            for option in options.into_iter().filter(|option| option.names.contains(self.from)) {
                self.check(Some(model), &option.names, &format!("{} {} of {}", block.title(), block.id, model.name))?;
                let texts = block.option_texts(&option.option).unwrap_or_default();
                // Names that a formula gives to its inputs are words of its text, too.
                let words: BTreeSet<&str> = texts.iter().flat_map(|text| words_of(text)).collect();
                if words.contains(self.to) {
                    let place = format!("{} {} of {}", block.title(), block.id, model.name);
                    return Err(RenameError::Captured { name: self.to.to_owned(), place });
                }
                let values = Some(texts.into_iter().map(|text| self.renamed(text)).collect());
                let (model, name) = (Arc::clone(&model.name), Arc::clone(&option.option));
                self.edits.push(Edit::SetOption { model, id: block.id, name, values });
            }
        }
        Ok(())
    }

    /// Renames the values that instances of the model set for it.
    fn instances(&mut self, of: &Model) {
        for model in self.simulation.models_in_order() {
            for block in model.blocks.values().filter(|block| block.models().contains(&of.name)) {
                let Some(texts) = block.option_texts(self.from) else { continue };
                let set = |name: &str, values| Edit::SetOption {
                    model: Arc::clone(&model.name),
                    id: block.id,
                    name: name.into(),
                    values,
                };
                self.edits.push(set(self.to, Some(texts.into_iter().map(str::to_owned).collect())));
                self.edits.push(set(self.from, None));
            }
        }
    }

    /// Renames it in the conditions of variants.
    fn variants(&mut self, model: &Model) {
        for block in model.blocks.values().filter(|block| matches!(block.kind, BlockKind::Model { .. })) {
            let Ok(variants) = block.variants() else { continue };
            let is_used = |variant: &Variant| variables_in(&variant.condition).contains(self.from);
            if !variants.iter().any(is_used) {
                continue;
            }
            let renamed = |variant: Variant| Variant { condition: self.renamed(&variant.condition).into(), ..variant };
            let variants: Vec<Variant> = variants.into_iter().map(renamed).collect();
            self.edits.push(Edit::SetBlockAttribute {
                model: Arc::clone(&model.name),
                id: block.id,
                name: Variant::ATTRIBUTE.into(),
                value: Some(Variant::list_text(&variants).into()),
            });
        }
    }

    /// Fails if the new name is among these names, or names a variable of the model.
    fn check(&self, model: Option<&Model>, names: &BTreeSet<String>, place: &str) -> Result<(), RenameError> {
        let is_hidden = model.is_some_and(|model| model.variables.contains_key(self.to));
        match names.contains(self.to) || is_hidden {
            true => Err(RenameError::Captured { name: self.to.to_owned(), place: place.to_owned() }),
            false => Ok(()),
        }
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

//! Sets an option of a block or a variable for one run, given as `PATH=VALUE`.

use std::sync::Arc;

use crate::block::{ParamKind, Registry, ValueError, parse_number};
use crate::engine::{Context, ParamError, Program};
use crate::model::{
    Block, BlockAddress, BlockKind, Change, Document, Edit, EditError, ParamAddress, SignalError, Simulation, Variable,
    definition_of, model_at,
};

/// An option or a variable with other values.
#[derive(Clone, Debug)]
pub struct Override {
    text: String,
    target: Target,
    values: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// A variable of the simulation.
    Variable(String),
    Option(BlockAddress, String),
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OverrideError {
    #[error("{0}: expected PATH=VALUE, as in Plant/Motor#3.Gain=2.5, or VARIABLE=VALUE")]
    Malformed(String),
    #[error("{0}: {1}")]
    Path(String, SignalError),
    #[error("{text}: the block has no option “{option}”; its options are: {known}")]
    UnknownOption { text: String, option: String, known: String },
    #[error("{0}: {1}")]
    Number(String, ValueError),
    #[error("{0}: {1}")]
    Edit(String, EditError),
    #[error("{0}: {1}; the model has several instances, so the option cannot be set for one of them")]
    Param(String, ParamError),
    #[error("{0} is varied twice; give all its values in one list")]
    Twice(String),
    #[error("{0}: a variable takes effect only on a new run; in a run that is resumed set options of blocks")]
    Variable(String),
    #[error("{0} is a variable; name the options of blocks that use it, as in Plant/Motor#3.Gain")]
    NoOption(String),
    #[error("{0}: expected the path of an option, as in Plant/Motor#3.Gain, or of an element, as in Motor#3.Gain[0]")]
    NotAnOption(String),
    #[error("{0}: {1}")]
    Fixed(String, ParamError),
}

/// Options named by the user whose values can change in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedParam {
    /// The text without an index.
    pub name: String,
    pub param: ParamAddress,
    /// The index of one element from 0; `None`: all of them.
    pub element: Option<usize>,
    /// The number of elements.
    pub width: usize,
}

impl SelectedParam {
    /// Parses `PATH`, or `PATH[INDEX]` for one element.
    ///
    /// # Errors
    /// If the option does not exist, or cannot change in a run.
    pub(super) fn parse(
        text: &str,
        (simulation, registry): (&Simulation, &Registry),
        program: &Program,
    ) -> Result<SelectedParam, OverrideError> {
        let text = text.trim();
        if simulation.variables.contains_key(text) {
            return Err(OverrideError::NoOption(text.to_owned()));
        }
        let indexed = text.strip_suffix(']').and_then(|text| text.rsplit_once('['));
        let indexed = indexed.and_then(|(path, element)| Some((path, Some(element.parse::<usize>().ok()?))));
        let (path, element) = indexed.unwrap_or((text, None));
        let not_an_option = || OverrideError::NotAnOption(text.to_owned());
        let (block, name) = option_of(path, text, (simulation, registry), not_an_option)?;
        let param = ParamAddress { block, name };
        let fixed = |error| OverrideError::Fixed(text.to_owned(), error);
        let width = program.param_width(&param).map_err(fixed)?;
        match element {
            Some(element) if element >= width => Err(not_an_option()),
            _ => Ok(SelectedParam { name: path.to_owned(), param, element, width }),
        }
    }
}

/// Finds the option of a block by its path.
fn option_of(
    path: &str,
    text: &str,
    (simulation, registry): (&Simulation, &Registry),
    malformed: impl Fn() -> OverrideError,
) -> Result<(BlockAddress, String), OverrideError> {
    let (target, option) =
        BlockAddress::parse_with_rest(path, simulation).map_err(|error| OverrideError::Path(text.to_owned(), error))?;
    let option = option.ok_or_else(malformed)?;
    let known = target.find(simulation).map(|block| options_of(block, simulation, registry)).unwrap_or_default();
    if !known.contains(&&*option) {
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(OverrideError::UnknownOption { text: text.to_owned(), option, known });
    }
    Ok((target, option))
}

/// Splits a list at its commas, but for those within brackets or quotes: `ones(3,3)` is one value.
fn elements(list: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut is_quoted) = (0_usize, false);
    list.split(move |character| {
        match character {
            '"' => is_quoted = !is_quoted,
            '(' | '[' | '{' if !is_quoted => depth += 1,
            ')' | ']' | '}' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0 && !is_quoted
    })
}

impl Override {
    /// Parses `PATH=VALUE` or `VARIABLE=VALUE`.
    ///
    /// # Errors
    /// If the option or variable does not exist, or the text is malformed.
    pub fn parse(text: &str, simulation: &Simulation, registry: &Registry) -> Result<Override, OverrideError> {
        let malformed = || OverrideError::Malformed(text.to_owned());
        let (path, values) = text.split_once('=').ok_or_else(malformed)?;
        if simulation.variables.contains_key(path.trim()) {
            let (target, values) = (Target::Variable(path.trim().to_owned()), vec![values.trim().to_owned()]);
            return Ok(Override { text: text.to_owned(), target, values });
        }
        let (target, option) = option_of(path, text, (simulation, registry), malformed)?;
        let values = elements(values).map(|value| value.trim().to_owned()).collect();
        Ok(Override { text: text.to_owned(), target: Target::Option(target, option), values })
    }

    /// Whether two overrides set the same parameter, however its path is written.
    pub fn is_of_same(&self, other: &Override) -> bool {
        self.target == other.target
    }

    /// Returns the text of an override of the same target with another value.
    pub(in crate::engine) fn text_with(&self, value: f64) -> String {
        format!("{}={value}", self.text.split('=').next().unwrap_or_default())
    }

    /// Sets a number, or its own values, in a context, if that is possible without recompiling; returns whether they were
    /// set. Initial states depend on parameters: a run that has not begun then needs [`Context::reset`].
    pub(super) fn share(
        &self,
        number: Option<f64>,
        (simulation, registry): (&Simulation, &Registry),
        program: &Program,
        context: &mut Context,
    ) -> bool {
        let Target::Option(target, option) = &self.target else { return false };
        let Ok(values) = number.map_or_else(|| self.numbers(), |number| Ok(vec![number])) else { return false };
        let Some(block) = target.find(simulation) else { return false };
        let def = definition_of(registry, block).and_then(|def| def.param(option));
        // A value beyond the limits is reported when the document is edited.
        let is_within = def.is_some_and(
            |param| matches!(param.kind, ParamKind::Number { min, max, .. } if values.iter().all(|value| (min..=max).contains(value))),
        );
        let param = ParamAddress { block: target.clone(), name: option.clone() };
        is_within && context.set_param(program, &param, &values).is_ok()
    }

    /// Changes the document if that affects only this instance; otherwise [`Override::tune`] changes the context.
    ///
    /// # Errors
    /// If the document refuses the edit.
    pub(super) fn edit(&self, document: &mut Document) -> Result<(), OverrideError> {
        let Some(edit) = self.edit_of(document.simulation()) else { return Ok(()) };
        let change = Change::one(format!("Set {}", self.text), edit);
        document.apply(&change).map_err(|error| OverrideError::Edit(self.text.clone(), error))
    }

    /// Returns the edit of the document; `None` if it would change other instances of the model.
    pub fn edit_of(&self, simulation: &Simulation) -> Option<Edit> {
        Some(match &self.target {
            Target::Variable(name) => {
                let known = simulation.variables.get(name.as_str());
                let variable = known.map(|known| Variable { value: self.values.concat().into(), ..(**known).clone() });
                Edit::SetVariable { model: None, name: name.as_str().into(), variable }
            }
            Target::Option(target, option) => {
                let model = model_at(simulation, &target.path).filter(|_| is_single(simulation, target))?;
                let (name, values) = (option.as_str().into(), Some(self.values.clone()));
                Edit::SetOption { model: Arc::clone(&model.name), id: target.block, name, values }
            }
        })
    }

    /// Sets the option in the context if the model has several instances.
    ///
    /// # Errors
    /// If the option cannot be set for a single instance.
    pub(super) fn tune(
        &self,
        simulation: &Simulation,
        program: &Program,
        context: &mut Context,
    ) -> Result<(), OverrideError> {
        match &self.target {
            Target::Option(target, option) if !is_single(simulation, target) => {
                self.set(target, option, program, context)
            }
            _ => Ok(()),
        }
    }

    /// Sets the option in a context. Options that require recompiling are skipped.
    ///
    /// # Errors
    /// If the target is a variable or the option cannot be set.
    pub(super) fn retune(&self, program: &Program, context: &mut Context) -> Result<(), OverrideError> {
        let Target::Option(target, option) = &self.target else {
            return Err(OverrideError::Variable(self.text.clone()));
        };
        match self.set(target, option, program, context) {
            Err(OverrideError::Param(_, ParamError::Fixed(_))) => Ok(()),
            set => set,
        }
    }

    fn set(
        &self,
        target: &BlockAddress,
        option: &str,
        program: &Program,
        context: &mut Context,
    ) -> Result<(), OverrideError> {
        let numbers = self.numbers().map_err(|problem| OverrideError::Number(self.text.clone(), problem))?;
        let param = ParamAddress { block: target.clone(), name: option.to_owned() };
        let set = context.set_param(program, &param, &numbers);
        set.map_err(|error| OverrideError::Param(self.text.clone(), error))
    }

    fn numbers(&self) -> Result<Vec<f64>, ValueError> {
        self.values.iter().map(|value| parse_number(value)).collect()
    }
}

/// Whether each model on the path has a single instance.
fn is_single(simulation: &Simulation, target: &BlockAddress) -> bool {
    (0..target.path.len()).all(|depth| {
        let inner = model_at(simulation, &target.path[..=depth]);
        inner.is_some_and(|model| simulation.instances_of(&model.name).count() == 1)
    })
}

fn options_of<'a>(block: &'a Block, simulation: &'a Simulation, registry: &'a Registry) -> Vec<&'a str> {
    match &block.kind {
        BlockKind::Entry { .. } => vec![Block::INITIAL_VALUE],
        BlockKind::Exit { .. } => Vec::new(),
        BlockKind::Model { model } => simulation
            .model(model)
            .map(|model| model.variables.keys().map(|name| &**name).collect())
            .unwrap_or_default(),
        BlockKind::Library { .. } => definition_of(registry, block)
            .map(|def| def.params.iter().map(|param| param.name).collect())
            .unwrap_or_default(),
    }
}

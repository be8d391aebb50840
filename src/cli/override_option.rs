//! `--set PATH=VALUE`: an option of one block, changed for this run.

use std::sync::Arc;

use crate::block::{Registry, parse_number};
use crate::engine::{Context, ParamError, Program};
use crate::model::{Block, BlockKind, BlockPath, Change, Document, Edit, EditError, SignalError, Simulation, model_at};

/// An option that is to have other values.
#[derive(Clone, Debug)]
pub struct Override {
    text: String,
    target: BlockPath,
    option: String,
    values: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum OverrideError {
    #[error("--set {0}: expected PATH=VALUE, as in --set Plant/Motor#3.Gain=2.5")]
    Malformed(String),
    #[error("--set {0}: {1}")]
    Path(String, SignalError),
    #[error("--set {text}: the block has no option “{option}”; its options are: {known}")]
    UnknownOption { text: String, option: String, known: String },
    #[error("--set {0}: {1}")]
    Number(String, String),
    #[error("--set {0}: {1}")]
    Edit(String, EditError),
    #[error("--set {0}: {1}, and the model is used more than once, so that one use cannot have its own")]
    Param(String, ParamError),
}

impl Override {
    /// # Errors
    /// Where the text is no path to an option of a block, with values.
    pub fn parse(text: &str, simulation: &Simulation, registry: &Registry) -> Result<Override, OverrideError> {
        let malformed = || OverrideError::Malformed(text.to_owned());
        let (path, values) = text.split_once('=').ok_or_else(malformed)?;
        let mut target =
            BlockPath::parse(path, simulation).map_err(|error| OverrideError::Path(text.to_owned(), error))?;
        let option = target.rest.take().ok_or_else(malformed)?;
        let block = model_at(simulation, &target.path).and_then(|model| model.block(target.block));
        let known = block.map(|block| options_of(block, registry)).unwrap_or_default();
        if !known.contains(&&*option) {
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(OverrideError::UnknownOption { text: text.to_owned(), option, known });
        }
        let values = values.split(',').map(|value| value.trim().to_owned()).collect();
        Ok(Override { text: text.to_owned(), target, option, values })
    }

    /// Whether the block's model is used once, so that changing the document changes this use alone.
    fn is_single(&self, simulation: &Simulation) -> bool {
        (0..self.target.path.len()).all(|depth| {
            let inner = model_at(simulation, &self.target.path[..=depth]);
            inner.is_some_and(|model| simulation.uses_of(&model.name).count() == 1)
        })
    }

    /// Changes the document where that is this use alone; else leaves it to [`Override::tune`].
    ///
    /// # Errors
    /// Where the document refuses.
    pub fn edit(&self, document: &mut Document) -> Result<(), OverrideError> {
        let simulation = Arc::clone(document.simulation());
        let Some(model) = model_at(&simulation, &self.target.path).filter(|_| self.is_single(&simulation)) else {
            return Ok(());
        };
        let edit = Edit::SetOption {
            model: Arc::clone(&model.name),
            id: self.target.block,
            name: self.option.as_str().into(),
            values: Some(self.values.clone()),
        };
        let change = Change::one(format!("Set {}", self.option), edit);
        document.apply(&change).map_err(|error| OverrideError::Edit(self.text.clone(), error))
    }

    /// Changes one use of a model that is used more than once.
    ///
    /// # Errors
    /// Where the option is none that a single use can have.
    pub fn tune(&self, simulation: &Simulation, program: &Program, context: &mut Context) -> Result<(), OverrideError> {
        if self.is_single(simulation) { Ok(()) } else { self.set(program, context) }
    }

    /// Changes a value that a context has of its own. What shapes the program came with the program.
    ///
    /// # Errors
    /// Where the option is none that a context can have.
    pub fn retune(&self, program: &Program, context: &mut Context) -> Result<(), OverrideError> {
        match self.set(program, context) {
            Err(OverrideError::Param(_, ParamError::Fixed(_))) => Ok(()),
            set => set,
        }
    }

    fn set(&self, program: &Program, context: &mut Context) -> Result<(), OverrideError> {
        let numbers: Result<Vec<f64>, String> = self.values.iter().map(|value| parse_number(value)).collect();
        let numbers = numbers.map_err(|problem| OverrideError::Number(self.text.clone(), problem))?;
        let BlockPath { path, block, .. } = &self.target;
        context
            .set_param(program, path, *block, &self.option, &numbers)
            .map_err(|error| OverrideError::Param(self.text.clone(), error))
    }
}

fn options_of<'a>(block: &Block, registry: &'a Registry) -> Vec<&'a str> {
    match &block.kind {
        BlockKind::Entry { .. } => vec![Block::INITIAL_VALUE],
        BlockKind::Exit { .. } | BlockKind::Model { .. } => Vec::new(),
        BlockKind::Library { group, name } => {
            registry.get(group, name).map(|def| def.params.iter().map(|param| param.name).collect()).unwrap_or_default()
        }
    }
}

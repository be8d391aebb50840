//! The change of a document that writes fitted values into it.

use std::sync::Arc;

use super::outcome::FittedParam;
use super::parameter::split_element;
use crate::block::{Registry, number_text, parse_number};
use crate::engine::{Override, OverrideError};
use crate::model::{BlockAddress, Change, Edit, Simulation, definition_of, param_texts};

/// Why values cannot be written into a document.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteBackError {
    #[error(transparent)]
    Override(#[from] OverrideError),
    #[error("{0} is the expression “{1}”; --replace-expressions replaces it by a number")]
    Expression(String, String),
    #[error("{0}: the model has several instances, which all would change")]
    Instances(String),
    #[error("{0} has no element of this index in the file")]
    Element(String),
}

/// The number of significant digits that are written.
const DIGITS: usize = 10;

/// Returns the change that writes the values of all parameters that no experiment has for itself.
///
/// # Errors
/// If one of them is an expression that is not to be replaced, or cannot be set by itself.
pub fn change_of(
    params: &[FittedParam],
    simulation: &Simulation,
    registry: &Registry,
    replaces_expressions: bool,
) -> Result<Change, WriteBackError> {
    let mut edits: Vec<Edit> = Vec::new();
    for param in params.iter().filter(|param| param.experiment.is_none()) {
        let rounded: f64 = format!("{:.*e}", DIGITS - 1, param.value).parse().unwrap_or(param.value);
        let text = number_text(rounded);
        let expression = |known: &str| match parse_number(known).is_ok() || replaces_expressions {
            true => Ok(()),
            false => Err(WriteBackError::Expression(param.path.clone(), known.to_owned())),
        };
        if let Some(variable) = simulation.variables.get(&*param.path) {
            expression(&variable.value)?;
            let set = Override::parse(&format!("{}={text}", param.path), simulation, registry)?;
            edits.extend(set.edit_of(simulation));
            continue;
        }
        let (path, element) = split_element(&param.path);
        let element = element.unwrap_or(0);
        let set = Override::parse(&format!("{path}={text}"), simulation, registry)?;
        let edit = set.edit_of(simulation).ok_or_else(|| WriteBackError::Instances(param.path.clone()))?;
        let Edit::SetOption { model, id, name, .. } = edit else { continue };
        // Another element of the same option may have been set already.
        let same = |edit: &&mut Edit| matches!(edit, Edit::SetOption { model: other, id: of, name: option, .. } if *other == model && *of == id && *option == name);
        let earlier = edits.iter_mut().find(same);
        let mut texts = match &earlier {
            Some(Edit::SetOption { values: Some(values), .. }) => values.clone(),
            _ => texts_of(path, &name, simulation, registry),
        };
        let known = texts.get_mut(element).ok_or_else(|| WriteBackError::Element(param.path.clone()))?;
        expression(known)?;
        *known = text;
        match earlier {
            Some(Edit::SetOption { values, .. }) => *values = Some(texts),
            _ => edits.push(Edit::SetOption { model, id, name: Arc::clone(&name), values: Some(texts) }),
        }
    }
    Ok(Change::new("Fit parameters", edits))
}

fn texts_of(path: &str, option: &str, simulation: &Simulation, registry: &Registry) -> Vec<String> {
    let address = BlockAddress::parse_with_rest(path, simulation).ok().map(|(address, _)| address);
    let block = address.as_ref().and_then(|address| address.find(simulation));
    let def = block.and_then(|block| definition_of(registry, block)).and_then(|def| def.param(option));
    match (block, def) {
        (Some(block), Some(def)) => param_texts(block, def),
        (Some(block), None) => block.option_texts(option).unwrap_or_default().into_iter().map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

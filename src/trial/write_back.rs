//! The change of a document that writes chosen values into it.

use std::sync::Arc;

use super::split_element;
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

/// Returns the change with this title that writes the values of parameters, rounded to a number of significant digits
/// or exactly.
///
/// # Errors
/// If one of them is an expression that is not to be replaced, or cannot be set by itself.
pub fn change_of(
    title: &str,
    params: &[(&str, f64)],
    digits: Option<usize>,
    (simulation, registry): (&Simulation, &Registry),
    replaces_expressions: bool,
) -> Result<Change, WriteBackError> {
    let mut edits: Vec<Edit> = Vec::new();
    for &(of, value) in params {
        let rounded = digits.and_then(|digits| format!("{value:.*e}", digits.saturating_sub(1)).parse().ok());
        let text = number_text(rounded.unwrap_or(value));
        let expression = |known: &str| match parse_number(known).is_ok() || replaces_expressions {
            true => Ok(()),
            false => Err(WriteBackError::Expression(of.to_owned(), known.to_owned())),
        };
        if let Some(variable) = simulation.variables.get(of) {
            expression(&variable.value)?;
            let set = Override::parse(&format!("{of}={text}"), simulation, registry)?;
            edits.extend(set.edit_of(simulation));
            continue;
        }
        let (path, element) = split_element(of);
        let element = element.unwrap_or(0);
        let set = Override::parse(&format!("{path}={text}"), simulation, registry)?;
        let edit = set.edit_of(simulation).ok_or_else(|| WriteBackError::Instances(of.to_owned()))?;
        let Edit::SetOption { model, id, name, .. } = edit else { continue };
        // Another element of the same option may have been set already.
        let same = |edit: &&mut Edit| matches!(edit, Edit::SetOption { model: other, id: of, name: option, .. } if *other == model && *of == id && *option == name);
        let earlier = edits.iter_mut().find(same);
        let mut texts = match &earlier {
            Some(Edit::SetOption { values: Some(values), .. }) => values.clone(),
            _ => texts_of(path, &name, simulation, registry),
        };
        let known = texts.get_mut(element).ok_or_else(|| WriteBackError::Element(of.to_owned()))?;
        expression(known)?;
        *known = text;
        match earlier {
            Some(Edit::SetOption { values, .. }) => *values = Some(texts),
            _ => edits.push(Edit::SetOption { model, id, name: Arc::clone(&name), values: Some(texts) }),
        }
    }
    Ok(Change::new(title, edits))
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

//! The signals and parameters that panels offer for a search, and the change that writes found values into the document.

use std::collections::HashSet;

use crate::app::doc::dashboard::{Binding, BindingKind, Candidate, number_of};
use crate::app::panels::param_list::ParamChoice;
use crate::app::shell::document::open_file::OpenFile;
use crate::app::ui::widgets::sentence;
use crate::block::{ParamKind, Registry, parse_number};
use crate::model::{BlockAddress, ParamAddress, SignalKey, Simulation, definition_of, param_texts};
use crate::trial::{WriteBackError, split_element};

/// The largest number of signals and of parameters to choose from.
pub(super) const MAX_CHOICES: usize = 20_000;

/// Returns all signals, the likely ones first, and the number of these: the `wanted` ones, and without any those that are
/// plotted or leave the root.
pub(super) fn signal_keys(file: &OpenFile, registry: &Registry, wanted: Vec<SignalKey>) -> (Vec<SignalKey>, usize) {
    let derived = &file.derived;
    let shown = derived.exits_and_plots();
    let likely = if wanted.is_empty() { shown.clone() } else { wanted };
    let all = derived.signals(registry).iter().map(|(key, _)| key.clone());
    let mut known = HashSet::new();
    let count = likely.len();
    let mut keys: Vec<SignalKey> =
        likely.into_iter().chain(shown).chain(all).filter(|key| known.insert(key.clone())).collect();
    keys.truncate(MAX_CHOICES);
    (keys, count)
}

/// Returns the numbers that a search can choose: variables of the simulation, and parameters of blocks and their elements, those of
/// the selected block first. Expressions are none of them, but the variables that they name are.
pub(super) fn free_params(file: &OpenFile, simulation: &Simulation, registry: &Registry) -> Vec<ParamChoice> {
    let selected = file.canvas.selection().single_block().map(|id| BlockAddress::new(file.canvas.path(), id));
    let variables = simulation.variables.iter().filter_map(|(name, variable)| {
        let value = parse_number(&variable.value).ok().filter(|value| value.is_finite())?;
        let limits = (f64::NEG_INFINITY, f64::INFINITY);
        let (name, path) = (name.to_string(), name.to_string());
        Some(ParamChoice { name, path, value, limits, is_selected: false })
    });
    let param = |candidate: &Candidate| {
        let Binding::Param(param) = &candidate.binding else { return None };
        let block = param.of.block.find(simulation)?;
        let def = definition_of(registry, block)?.param(&param.of.name)?;
        let ParamKind::Number { min, max, .. } = def.kind else { return None };
        let value = number_of(simulation, registry, param).filter(|value| value.is_finite())?;
        let path = param.of.text(simulation);
        let path = if param_texts(block, def).len() > 1 { format!("{path}[{}]", param.element) } else { path };
        let (name, is_selected) = (candidate.name.clone(), selected.as_ref() == Some(&param.of.block));
        Some(ParamChoice { name, path, value, limits: (min, max), is_selected })
    };
    let params = file.derived.bindings(BindingKind::Params, registry).iter().filter_map(param);
    let mut all: Vec<ParamChoice> = variables.chain(params).take(MAX_CHOICES).collect();
    all.sort_by_key(|param| !param.is_selected);
    all
}

/// Returns values with the paths of their parameters in the document, whose blocks may have other names by now.
pub(super) fn now_named(values: Vec<(String, f64)>, then: &Simulation, now: &Simulation) -> Vec<(String, f64)> {
    let renamed = |path: &str| {
        let (whole, element) = split_element(path);
        let (block, option) = BlockAddress::parse_with_rest(whole, then).ok()?;
        let index = element.map_or_else(String::new, |element| format!("[{element}]"));
        Some(ParamAddress { block, name: option? }.text(now) + &index)
    };
    let is_variable = |path: &str| then.variables.contains_key(path);
    let named = |(path, value): (String, f64)| match renamed(&path).filter(|_| !is_variable(&path)) {
        Some(path) => (path, value),
        None => (path, value),
    };
    values.into_iter().map(named).collect()
}

/// Returns whether the simulation has these values, as they would be written.
pub(super) fn has_values(choices: &[ParamChoice], values: &[(String, f64)]) -> bool {
    values.iter().all(|(path, value)| {
        let known = choices.iter().find(|param| param.path == *path);
        known.is_some_and(|known| (known.value - value).abs() <= 1e-9 * value.abs())
    })
}

/// Returns the message of an error; `verb` names the work of the panel.
pub(super) fn write_back_text(error: &WriteBackError, verb: &str) -> String {
    match error {
        WriteBackError::Instances(path) => format!(
            "{path}: the model has several instances, which all would change; set the parameter to a variable of the \
             simulation, and {verb} the variable"
        ),
        error => sentence(&error.to_string()),
    }
}

//! The options of a block for an FMU: its ports, and its parameters with their start values.

use crate::block::{ForeignDescription, ForeignParam, ForeignUse, formula_names, number_text, port_groups, ports_text};
use crate::format::fmu::{Description, FmuType, FmuVariable};

/// Returns the options that make a block one for this FMU, and their values, without that of the file.
pub fn fmu_options(about: &Description) -> Vec<(&'static str, String)> {
    let kind = if about.co_simulation.is_some() { "co-simulation" } else { "model-exchange" };
    let ForeignDescription { inputs, outputs, parameters, .. } = described(about);
    let values = |is_text: bool| {
        let wanted = parameters.iter().filter(|param| param.is_text == is_text && !param.start.is_empty());
        wanted.map(|param| format!("{} = {}", param.name, param.start)).collect::<Vec<_>>().join("; ")
    };
    // Dots in names denote a hierarchy only if the FMU says so.
    let is_grouped = |ports: &[(String, usize)]| port_groups(ports).len() < ports.len();
    let has_buses = about.is_structured && (is_grouped(&inputs) || is_grouped(&outputs));
    let mut options = vec![
        (ForeignUse::TYPE, kind.to_owned()),
        (ForeignUse::INPUTS, ports_text(&inputs)),
        (ForeignUse::OUTPUTS, ports_text(&outputs)),
        (ForeignUse::PARAMETERS, values(false)),
        (ForeignUse::TEXTS, values(true)),
    ];
    options.extend(has_buses.then(|| (ForeignUse::BUSES, "1".to_owned())));
    options
}

/// Returns the description of an FMU for blocks.
pub(super) fn described(about: &Description) -> ForeignDescription {
    let ports = |variables: &mut dyn Iterator<Item = &FmuVariable>| {
        // Names that a list cannot hold are left out.
        let plain = variables.filter(|variable| !variable.name.contains([';', '\n']) && variable.width() > 0);
        plain.map(|variable| (variable.name.clone(), variable.width())).collect()
    };
    let all: Vec<&FmuVariable> = about.parameters().collect();
    let names = formula_names(all.iter().map(|variable| variable.name.as_str()));
    ForeignDescription {
        name: about.name.clone(),
        inputs: ports(&mut about.inputs()),
        outputs: ports(&mut about.outputs()),
        parameters: names.into_iter().zip(all).filter_map(|(name, variable)| parameter(name, variable)).collect(),
    }
}

/// Describes a parameter; `None` if an option cannot hold it.
fn parameter(name: String, variable: &FmuVariable) -> Option<ForeignParam> {
    let is_text = variable.kind == FmuType::String;
    let (name, start) = match (is_text, variable.start.as_slice()) {
        (false, _) if variable.kind.is_number() && variable.width() > 0 => (name, start_text(variable)),
        (true, start) if variable.width() == 1 && !variable.name.contains(['=', ';', '\n']) => {
            let start = start.first().filter(|start| !start.contains([';', '\n'])).cloned();
            (variable.name.clone(), start.unwrap_or_default())
        }
        _ => return None,
    };
    let (title, unit, doc) = (variable.name.clone(), variable.unit.clone(), variable.description.clone());
    Some(ForeignParam { title, name, start, unit, doc, is_text })
}

fn start_text(variable: &FmuVariable) -> String {
    let numbers: Vec<String> = variable.start_numbers().into_iter().map(number_text).collect();
    match numbers.as_slice() {
        _ if numbers.len() != variable.width() => String::new(),
        [number] => number.clone(),
        numbers => format!("[{}]", numbers.join(" ")),
    }
}

//! The options of a block for an FMU: its ports, and its parameters with their start values.

use crate::block::{ForeignUse, formula_names, number_text, ports_text};
use crate::format::fmu::{Description, FmuVariable};

/// Returns the options that make a block one for this FMU, and their values, without that of the file.
pub fn fmu_options(about: &Description) -> Vec<(&'static str, String)> {
    let ports = |variables: &mut dyn Iterator<Item = &FmuVariable>| {
        // What a list of names cannot hold is left out.
        let plain = variables.filter(|variable| !variable.name.contains([';', '\n']) && variable.width() > 0);
        ports_text(&plain.map(|variable| (variable.name.clone(), variable.width())).collect::<Vec<_>>())
    };
    let kind = if about.co_simulation.is_some() { "co-simulation" } else { "model-exchange" };
    let all: Vec<&FmuVariable> = about.parameters().collect();
    let names = formula_names(all.iter().map(|variable| variable.name.as_str()));
    let line = |(name, variable): (&String, &&FmuVariable)| {
        let numbers: Vec<String> = variable.start_numbers().into_iter().map(number_text).collect();
        match numbers.as_slice() {
            _ if numbers.len() != variable.width() || !variable.kind.is_number() => None,
            [number] => Some(format!("{name} = {number}")),
            numbers => Some(format!("{name} = [{}]", numbers.join(" "))),
        }
    };
    let parameters: Vec<String> = names.iter().zip(&all).filter_map(line).collect();
    let text = |variable: &&FmuVariable| match variable.start.as_slice() {
        [start]
            if !variable.kind.is_number() && !start.contains([';', '\n']) && !variable.name.contains(['=', ';']) =>
        {
            Some(format!("{} = {start}", variable.name))
        }
        _ => None,
    };
    vec![
        (ForeignUse::TYPE, kind.to_owned()),
        (ForeignUse::INPUTS, ports(&mut about.inputs())),
        (ForeignUse::OUTPUTS, ports(&mut about.outputs())),
        (ForeignUse::PARAMETERS, parameters.join("; ")),
        (ForeignUse::TEXTS, all.iter().filter_map(text).collect::<Vec<_>>().join("; ")),
    ]
}

//! Where a parameter is in a program, and its value in the file.

use super::{FreeParam, TrialError};
use crate::block::{ParamKind, Registry, parse_number};
use crate::engine::{OverrideError, ParamError, Program, RunSetup};
use crate::model::{BlockAddress, ParamAddress, Simulation, definition_of};

/// Where a parameter is in a program.
#[derive(Clone, Debug)]
pub(crate) enum ParamPlace {
    /// An element of an option that can change in a run, with the values of the others.
    Context { param: ParamAddress, element: usize, values: Vec<f64> },
    /// A variable, or an option that can be set only before the program is compiled: what is set is the path with the text
    /// of the value.
    Text,
    /// An element of an option that can be set only before the program is compiled: the path of the option, and the texts of
    /// all of its elements.
    TextElement { option: String, element: usize, texts: Vec<String> },
}

/// Splits the index of an element from a path, as in `Filter.Coefficients[1]`.
pub fn split_element(path: &str) -> (&str, Option<usize>) {
    let indexed = path.strip_suffix(']').and_then(|text| text.rsplit_once('['));
    let indexed = indexed.and_then(|(whole, element)| Some((whole, element.parse().ok()?)));
    indexed.map_or((path, None), |(whole, element)| (whole, Some(element)))
}

/// A parameter with its value in the file.
#[derive(Clone, Debug)]
pub(crate) struct FoundParam {
    pub place: ParamPlace,
    pub start: f64,
    /// The limits of the block.
    pub limits: (f64, f64),
}

/// Finds a parameter in the program of an experiment.
///
/// # Errors
/// If it does not exist, or its value is not a number.
pub(crate) fn find(path: &str, setup: &RunSetup, program: &Program) -> Result<FoundParam, TrialError> {
    let (simulation, registry) = (setup.simulation(), setup.registry());
    if let Some(variable) = simulation.variables.get(path) {
        let start = parse_number(&variable.value);
        let start = start.map_err(|_| TrialError::Expression(path.to_owned(), variable.value.to_string()))?;
        return Ok(FoundParam { place: ParamPlace::Text, start, limits: (f64::NEG_INFINITY, f64::INFINITY) });
    }
    match setup.params(&[path], program) {
        Ok(found) => {
            let context = setup.context(program)?;
            let Some(found) = found.into_iter().next() else { return Err(TrialError::Vector(path.to_owned(), 0)) };
            let ranges = program.param_ranges(&found.param, found.width);
            let range = ranges.ok().and_then(|ranges| ranges.into_iter().next()).unwrap_or(0..0);
            let values = context.params.get(range).unwrap_or_default().to_vec();
            let element = match (found.element, found.width) {
                (Some(element), _) => element,
                (None, 1) => 0,
                (None, width) => return Err(TrialError::Vector(path.to_owned(), width)),
            };
            let start = values.get(element).copied().unwrap_or(f64::NAN);
            let limits = limits_of(&found.param.block, &found.param.name, simulation, registry);
            Ok(FoundParam { place: ParamPlace::Context { param: found.param, element, values }, start, limits })
        }
        // It is compiled again for each value.
        Err(OverrideError::Fixed(text, error @ (ParamError::Fixed(_) | ParamError::UnknownBlock))) => {
            let (whole, element) = split_element(path);
            setup.parse(&[format!("{whole}=0")])?;
            let (block, option) = BlockAddress::parse_with_rest(whole, simulation)
                .map_err(|error| OverrideError::Path(path.to_owned(), error))?;
            let option = option.unwrap_or_default();
            let found = block.find(simulation);
            let own = || Some(found?.option_texts(&option)?.into_iter().map(str::to_owned).collect());
            let default = || {
                let param = definition_of(registry, found?)?.param(&option)?;
                Some(param.default_texts().iter().map(ToString::to_string).collect())
            };
            let texts: Vec<String> = own().or_else(default).ok_or(OverrideError::Fixed(text, error))?;
            let value = match element {
                None => texts.join(","),
                Some(element) => texts.get(element).cloned().ok_or(TrialError::NoElement(path.to_owned()))?,
            };
            let start = parse_number(&value).map_err(|_| TrialError::Expression(path.to_owned(), value))?;
            let limits = limits_of(&block, &option, simulation, registry);
            let place = match element {
                None => ParamPlace::Text,
                Some(element) => ParamPlace::TextElement { option: whole.to_owned(), element, texts },
            };
            Ok(FoundParam { place, start, limits })
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the parameters with each path that ends with empty brackets replaced by those of all elements.
///
/// # Errors
/// If such a parameter does not exist, or the simulation is invalid.
pub(crate) fn all_elements(params: &[FreeParam], setup: &RunSetup) -> Result<Vec<FreeParam>, TrialError> {
    let mut program = None;
    let mut all = Vec::new();
    for param in params {
        let Some(path) = param.path.strip_suffix("[]") else {
            all.push(param.clone());
            continue;
        };
        let program = match &program {
            Some(program) => program,
            None => program.insert(setup.compile().map_err(TrialError::Compile)?),
        };
        match find(path, setup, program) {
            Ok(_) => all.push(FreeParam { path: path.to_owned(), ..param.clone() }),
            Err(TrialError::Vector(_, width)) => {
                all.extend((0..width).map(|index| FreeParam { path: format!("{path}[{index}]"), ..param.clone() }));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

fn limits_of(block: &BlockAddress, option: &str, simulation: &Simulation, registry: &Registry) -> (f64, f64) {
    let def = block.find(simulation).and_then(|block| definition_of(registry, block)).and_then(|def| def.param(option));
    match def.map(|param| &param.kind) {
        Some(ParamKind::Number { min, max, .. }) => (*min, *max),
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    }
}

//! The parameters to fit, given as `PATH`, `PATH=LOW:HIGH`, `PATH=LOW:HIGH:log` or `PATH=log`.

use crate::block::{ParamKind, Registry, parse_number};
use crate::engine::{OverrideError, ParamError, Program, RunSetup};
use crate::model::{BlockAddress, ParamAddress, Simulation, definition_of};
use crate::optimize::ParamScale;

use super::experiment::CalibrationError;

/// A parameter to fit.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationParam {
    /// A variable of the simulation, the path of an option, or that of an element of one with its index in brackets.
    pub path: String,
    pub low: f64,
    pub high: f64,
    /// Whether the optimizer sees its logarithm: for values whose order of magnitude is open.
    pub is_log: bool,
    /// The only experiment that has it; `None`: all have the same value.
    pub experiment: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamTextError {
    #[error("{0}: expected PATH, PATH=low:high, PATH=low:high:log or PATH=log")]
    Malformed(String),
    #[error("{0}: the lower bound must be below the upper one")]
    Order(String),
    #[error("{0}: the bounds of a logarithmic parameter must be at least 0")]
    Log(String),
}

impl CalibrationParam {
    /// Parses a parameter of all experiments.
    ///
    /// # Errors
    /// If the text is malformed, or the bounds are.
    pub fn parse(text: &str) -> Result<CalibrationParam, ParamTextError> {
        let malformed = || ParamTextError::Malformed(text.to_owned());
        let (path, range) = text.rsplit_once('=').map_or((text, ""), |(path, range)| (path, range.trim()));
        let number =
            |part: &str| parse_number(part.trim()).ok().filter(|number| !number.is_nan()).ok_or_else(malformed);
        let parts: Vec<&str> = range.split(':').collect();
        let (low, high, is_log) = match parts[..] {
            [""] => (f64::NEG_INFINITY, f64::INFINITY, false),
            ["log"] => (0.0, f64::INFINITY, true),
            [low, high] => (number(low)?, number(high)?, false),
            [low, high, log] if log.trim() == "log" => (number(low)?, number(high)?, true),
            _ => return Err(malformed()),
        };
        if path.trim().is_empty() {
            return Err(malformed());
        }
        if low >= high {
            return Err(ParamTextError::Order(text.to_owned()));
        }
        if is_log && low < 0.0 {
            return Err(ParamTextError::Log(text.to_owned()));
        }
        Ok(CalibrationParam { path: path.trim().to_owned(), low, high, is_log, experiment: None })
    }
}

/// Where a parameter is in a program.
#[derive(Clone, Debug)]
pub(super) enum ParamPlace {
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
pub(super) struct FoundParam {
    pub place: ParamPlace,
    pub start: f64,
    /// The limits of the block.
    pub limits: (f64, f64),
}

/// Finds a parameter in the program of an experiment.
///
/// # Errors
/// If it does not exist, or its value is not a number.
pub(super) fn find(path: &str, setup: &RunSetup, program: &Program) -> Result<FoundParam, CalibrationError> {
    let (simulation, registry) = (setup.simulation(), setup.registry());
    if let Some(variable) = simulation.variables.get(path) {
        let start = parse_number(&variable.value);
        let start = start.map_err(|_| CalibrationError::Expression(path.to_owned(), variable.value.to_string()))?;
        return Ok(FoundParam { place: ParamPlace::Text, start, limits: (f64::NEG_INFINITY, f64::INFINITY) });
    }
    match setup.params(&[path], program) {
        Ok(found) => {
            let context = setup.context(program)?;
            let Some(found) = found.into_iter().next() else { return Err(CalibrationError::NoParam) };
            let ranges = program.param_ranges(&found.param, found.width);
            let range = ranges.ok().and_then(|ranges| ranges.into_iter().next()).unwrap_or(0..0);
            let values = context.params.get(range).unwrap_or_default().to_vec();
            let element = match (found.element, found.width) {
                (Some(element), _) => element,
                (None, 1) => 0,
                (None, width) => return Err(CalibrationError::Vector(path.to_owned(), width)),
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
                Some(element) => texts.get(element).cloned().ok_or(CalibrationError::NoElement(path.to_owned()))?,
            };
            let start = parse_number(&value).map_err(|_| CalibrationError::Expression(path.to_owned(), value))?;
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

fn limits_of(block: &BlockAddress, option: &str, simulation: &Simulation, registry: &Registry) -> (f64, f64) {
    let def = block.find(simulation).and_then(|block| definition_of(registry, block)).and_then(|def| def.param(option));
    match def.map(|param| &param.kind) {
        Some(ParamKind::Number { min, max, .. }) => (*min, *max),
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    }
}

/// A parameter as the optimizer sees it.
#[derive(Clone, Debug)]
pub(super) struct FitParam {
    pub wanted: CalibrationParam,
    pub start: f64,
    pub scale: ParamScale,
    /// Bounds of the coordinate.
    pub bounds: (f64, f64),
}

impl FitParam {
    /// # Errors
    /// If the value in the file is not within the bounds.
    pub fn new(wanted: &CalibrationParam, found: &FoundParam) -> Result<FitParam, CalibrationError> {
        let (low, high) = (wanted.low.max(found.limits.0), wanted.high.min(found.limits.1));
        let low = if wanted.is_log { low.max(0.0) } else { low };
        let start = found.start;
        if !(start >= low && start <= high && start.is_finite()) || wanted.is_log && start <= 0.0 {
            return Err(CalibrationError::Start { path: wanted.path.clone(), start, low, high });
        }
        let scale = if wanted.is_log { ParamScale::Log } else { ParamScale::of(start, low, high) };
        let bounds = (scale.coordinate(low), scale.coordinate(high));
        Ok(FitParam { wanted: wanted.clone(), start, scale, bounds })
    }

    /// The range from which further starts are drawn.
    pub fn start_range(&self) -> (f64, f64) {
        let (low, high) = self.bounds;
        let at = self.scale.coordinate(self.start);
        let by = match self.scale {
            ParamScale::Log => std::f64::consts::LN_10,
            ParamScale::Unit(_) => 2.0 * at.abs().max(1.0),
        };
        let end = |bound: f64, otherwise: f64| if bound.is_finite() { bound } else { otherwise };
        let from = end(low, if high.is_finite() { high.min(at) - by } else { at - by });
        let to = end(high, if low.is_finite() { low.max(at) + by } else { at + by });
        (from, to)
    }
}

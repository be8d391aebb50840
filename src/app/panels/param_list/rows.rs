//! Parameters to choose from, and the choices and texts of the user.

use std::collections::BTreeMap;

use crate::app::doc::typed;
use crate::model::AddressMap;
use crate::trial::{FreeParam, split_element};

/// A parameter that can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamChoice {
    /// The displayed name, with the block's.
    pub name: String,
    /// As in `simulate fit --parameter`.
    pub path: String,
    /// Its value in the simulation.
    pub value: f64,
    /// The limits of the block.
    pub limits: (f64, f64),
    pub is_selected: bool,
}

/// How a parameter is varied, as typed; an empty text is the value of the simulation, or the bound that the panel has for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParamRow {
    pub is_chosen: bool,
    pub start: String,
    pub low: String,
    pub high: String,
    pub is_log: bool,
}

/// The parameters that were touched, by path, and the search for others.
#[derive(Clone, Debug, Default)]
pub struct ParamRows {
    rows: BTreeMap<String, ParamRow>,
    pub search: String,
}

/// A chosen parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenParam {
    pub free: FreeParam,
    /// Where it starts, if that is not the value of the simulation.
    pub start: Option<f64>,
}

/// Why a parameter cannot be varied as it is typed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamProblem {
    #[error("{0}: the {1} “{2}” is not a number")]
    Number(String, &'static str, String),
    #[error("{0}: the lower bound must be below the upper one")]
    Order(String),
    #[error("{0}: only values above 0 have a logarithm, but the start is {1}")]
    Log(String, f64),
    #[error("{0}: only values above 0 have a logarithm, but the lower bound is {1}")]
    LogBound(String, f64),
    #[error("{0}: the start {1} is not between {2} and {3}")]
    Start(String, f64, f64, f64),
}

impl ParamRows {
    /// The parameter's choices, for changes.
    pub fn row_mut(&mut self, path: &str) -> &mut ParamRow {
        self.rows.entry(path.to_owned()).or_default()
    }

    pub fn is_chosen(&self, path: &str) -> bool {
        self.rows.get(path).is_some_and(|row| row.is_chosen)
    }

    /// Lets the chosen parameters follow a change of the document.
    pub fn relocate(&mut self, map: &AddressMap) {
        let rows = std::mem::take(&mut self.rows).into_iter();
        self.rows = rows
            .map(|(path, row)| {
                let (whole, element) = split_element(&path);
                let index = element.map_or_else(String::new, |element| format!("[{element}]"));
                (map.param_text(whole).map_or_else(|| path.clone(), |whole| whole + &index), row)
            })
            .collect();
    }

    /// Returns the chosen parameters. Bounds that are not typed are those of `bounds`.
    ///
    /// # Errors
    /// If a text is invalid.
    pub fn chosen(
        &self,
        choices: &[ParamChoice],
        bounds: impl Fn(&ParamChoice) -> (f64, f64),
    ) -> Result<Vec<ChosenParam>, ParamProblem> {
        let rows = choices.iter().filter_map(|param| Some((param, self.rows.get(&param.path)?)));
        rows.filter(|(_, row)| row.is_chosen).map(|(param, row)| chosen(param, row, bounds(param))).collect()
    }
}

fn chosen(param: &ParamChoice, row: &ParamRow, bounds: (f64, f64)) -> Result<ChosenParam, ParamProblem> {
    let number = |text: &str, of: &'static str| match text.trim() {
        "" => Ok(None),
        text => {
            let found = typed::number(text);
            found.map(Some).ok_or_else(|| ParamProblem::Number(param.name.clone(), of, text.to_owned()))
        }
    };
    let start = number(&row.start, "start")?.filter(|start| *start != param.value);
    let low = number(&row.low, "lower bound")?.unwrap_or(bounds.0);
    let high = number(&row.high, "upper bound")?.unwrap_or(bounds.1);
    let low = if row.is_log { low.max(0.0) } else { low };
    if low >= high {
        return Err(ParamProblem::Order(param.name.clone()));
    }
    let from = start.unwrap_or(param.value);
    if row.is_log && from <= 0.0 {
        return Err(ParamProblem::Log(param.name.clone(), from));
    }
    // A finite bound of a logarithm is above 0; without one it is open.
    if row.is_log && low == 0.0 && bounds.0.is_finite() {
        return Err(ParamProblem::LogBound(param.name.clone(), low));
    }
    let (least, most) = (low.max(param.limits.0), high.min(param.limits.1));
    if !(from >= least && from <= most) {
        return Err(ParamProblem::Start(param.name.clone(), from, least, most));
    }
    let free = FreeParam { path: param.path.clone(), low, high, is_log: row.is_log };
    Ok(ChosenParam { free, start })
}

/// Returns finite bounds about the value of a parameter: a `part` of it below and above, within the limits of the block.
/// About 0 they are −1 and 1.
pub fn bounds_hint(param: &ParamChoice, (below, above): (f64, f64)) -> (f64, f64) {
    let value = param.value;
    let (low, high) = match value {
        value if value > 0.0 => (value * below, value * above),
        value if value < 0.0 => (value * above, value * below),
        _ => (-1.0, 1.0),
    };
    (rounded(low).max(param.limits.0), rounded(high).min(param.limits.1))
}

/// Returns a number with few digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

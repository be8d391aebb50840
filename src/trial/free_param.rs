//! A parameter to choose, given as `PATH`, `PATH=LOW:HIGH`, `PATH=LOW:HIGH:log` or `PATH=log`.

use serde::{Deserialize, Serialize};

use crate::block::parse_number;

/// A parameter whose value is to be chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FreeParam {
    /// A variable of the simulation, the path of an option, or that of an element of one with its index in brackets.
    pub path: String,
    pub low: f64,
    pub high: f64,
    /// Whether the optimizer sees its logarithm: for values whose order of magnitude is open.
    pub is_log: bool,
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

impl FreeParam {
    /// Parses a parameter.
    ///
    /// # Errors
    /// If the text is malformed, or the bounds are.
    pub fn parse(text: &str) -> Result<FreeParam, ParamTextError> {
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
        Ok(FreeParam { path: path.trim().to_owned(), low, high, is_log })
    }
}

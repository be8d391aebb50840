//! The block that a design is about.

use crate::model::{BlockAddress, SignalError, Simulation};

#[derive(Debug, thiserror::Error)]
pub(super) enum ChoiceError {
    #[error("--block: {0}")]
    Path(SignalError),
    #[error("the simulation has no {0} block")]
    None(&'static str),
    #[error("the simulation has several {0} blocks; choose one with --block: {1}")]
    Several(&'static str, String),
}

/// Returns the block of `--block`, else the only one of those that fit.
pub(super) fn chosen(
    simulation: &Simulation,
    block: Option<&str>,
    what: &'static str,
    all: impl FnOnce() -> Vec<BlockAddress>,
) -> Result<BlockAddress, ChoiceError> {
    if let Some(text) = block {
        return Ok(BlockAddress::parse_with_rest(text, simulation).map_err(ChoiceError::Path)?.0);
    }
    let mut found = all();
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => Err(ChoiceError::None(what)),
        (Some(last), false) => {
            let names: Vec<String> = found.iter().chain([&last]).map(|address| address.text(simulation)).collect();
            Err(ChoiceError::Several(what, names.join(", ")))
        }
    }
}

//! A parameter as the optimizer sees it.

use super::{FoundParam, FreeParam, TrialError};
use crate::optimize::ParamScale;

/// The start of a parameter, how it becomes a coordinate, and the bounds of that.
#[derive(Clone, Debug)]
pub(crate) struct ScaledParam {
    pub start: f64,
    pub scale: ParamScale,
    /// Bounds of the coordinate.
    pub bounds: (f64, f64),
}

impl ScaledParam {
    /// # Errors
    /// If the value in the file is not within the bounds.
    pub fn new(wanted: &FreeParam, found: &FoundParam) -> Result<ScaledParam, TrialError> {
        let (low, high) = (wanted.low.max(found.limits.0), wanted.high.min(found.limits.1));
        let low = if wanted.is_log { low.max(0.0) } else { low };
        let start = found.start;
        if !(start >= low && start <= high && start.is_finite()) || wanted.is_log && start <= 0.0 {
            return Err(TrialError::Start { path: wanted.path.clone(), start, low, high });
        }
        let scale = if wanted.is_log { ParamScale::Log } else { ParamScale::of(start, low, high) };
        let bounds = (scale.coordinate(low), scale.coordinate(high));
        Ok(ScaledParam { start, scale, bounds })
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

//! The minimum from a start, and how it travels: as the curve of a run with one step and one signal, whose elements are the
//! coordinates and what else is known of the search.

use crate::calibration::RunCounts;
use crate::engine::Curve;
use crate::optimize::{End, Minimum};

/// The minimum from a start.
#[derive(Clone, Debug, PartialEq)]
pub struct StartResult {
    pub minimum: Minimum,
    /// The number of runs that the search took.
    pub runs: RunCounts,
}

/// The numbers behind the coordinates: sum, iterations, end, and runs without and with derivatives.
const OTHERS: usize = 5;

const ENDS: [End; 4] = [End::Converged, End::Limit, End::Failed, End::Cancelled];

impl StartResult {
    /// Returns the number of elements of the curve's signal.
    pub(super) fn width(params: usize) -> usize {
        params + OTHERS
    }

    pub(super) fn curve(&self, run: u64) -> Curve {
        let Minimum { at, sum, iterations, end } = &self.minimum;
        let end = ENDS.iter().position(|known| known == end).unwrap_or_default();
        let others = [*sum, *iterations as f64, end as f64, self.runs.plain as f64, self.runs.with_derivatives as f64];
        Curve { run, steps: vec![0], values: vec![at.iter().copied().chain(others).collect()], failure: None }
    }

    /// Reads the result of a start with this number of parameters; `None` if it has none, since its process ended in each
    /// try.
    pub fn of_curve(curve: &Curve, params: usize) -> Option<StartResult> {
        let (at, others) = curve.values.first()?.split_at_checked(params)?;
        let [sum, iterations, end, plain, with_derivatives] = *others.first_chunk::<OTHERS>()?;
        let end = *ENDS.get(end as usize)?;
        Some(StartResult {
            minimum: Minimum { at: at.to_vec(), sum, iterations: iterations as u64, end },
            runs: RunCounts { plain: plain as u64, with_derivatives: with_derivatives as u64 },
        })
    }
}

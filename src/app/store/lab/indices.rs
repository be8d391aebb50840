//! The effects of the parameters of a sweep, or their shares of the variance.

use super::SweepCurve;
use crate::engine::{Runs, SweepMeasure};
use crate::sampling::{SampleDesign, Screening, VarianceShares, screening, variance_shares};

/// The numbers that a run has: one for each of [`SweepMeasure::ALL`]; NaN if it failed.
pub type RunMeasures = [f64; SweepMeasure::ALL.len()];

/// The effects or shares of the parameters for a measure.
#[derive(Clone, Debug, PartialEq)]
pub enum IndexSet {
    Effects(Screening),
    Shares(VarianceShares),
}

impl IndexSet {
    /// Returns the indices for each of [`SweepMeasure::ALL`]; nothing for designs that have none.
    pub(super) fn of(runs: &Runs, curves: &[SweepCurve]) -> Vec<IndexSet> {
        let count = runs.count().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
        let of_measure = |measure: usize| {
            let mut results = vec![f64::NAN; count];
            for curve in curves {
                let result = usize::try_from(curve.run).ok().and_then(|run| results.get_mut(run));
                if let (Some(result), Some(value)) = (result, curve.measures.get(measure)) {
                    *result = *value;
                }
            }
            match runs.design {
                SampleDesign::Morris => Some(IndexSet::Effects(screening(&runs.size(), &results))),
                SampleDesign::SobolIndices => Some(IndexSet::Shares(variance_shares(&runs.size(), &results))),
                _ => None,
            }
        };
        (0..SweepMeasure::ALL.len()).map_while(of_measure).collect()
    }

    /// The number of samples whose runs have all succeeded.
    pub fn used(&self) -> usize {
        match self {
            IndexSet::Effects(found) => found.used,
            IndexSet::Shares(found) => found.used,
        }
    }
}

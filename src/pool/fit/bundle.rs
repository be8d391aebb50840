//! A fit as it is sent: the file, the experiments with their measured values, the starts.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::bundle::{MAX_BUNDLE, SentTable};
use super::super::message::{PoolMessage, PoolMessageError, join, split};
use crate::calibration::{CalibrationParam, MeasuredCurve, MeasuredRow};
use crate::model::{BlockId, SignalKey};
use crate::optimize::MinimizeOptions;

/// All that a worker needs to search from any start of a fit. Equal fits have equal bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct FitBundle {
    pub head: FitHead,
    /// The content of the simulation file.
    pub file: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitHead {
    /// The name of the file; its extension says the format.
    pub name: String,
    pub skip_invalid_models: bool,
    pub delta: Option<f64>,
    pub engine: String,
    pub experiments: Vec<SentExperiment>,
    pub params: Vec<CalibrationParam>,
    pub minimize: MinimizeOptions,
    /// The coordinates of each start, as [`crate::calibration::Calibration::starts`] returns them.
    pub starts: Vec<Vec<f64>>,
    /// The longest time of the search from a start, in milliseconds.
    pub start_limit_ms: u64,
    /// The tables that blocks read, by the paths in the model.
    pub tables: BTreeMap<String, SentTable>,
}

/// An experiment as it travels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentExperiment {
    name: String,
    /// `PATH=VALUE`, as on the command line.
    pub(super) set: Vec<String>,
    curves: Vec<SentCurve>,
}

/// A measured curve as it travels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SentCurve {
    name: String,
    /// The ids of the model blocks on the way to the block, and its own.
    path: Vec<String>,
    output: String,
    element: usize,
    rows: Vec<MeasuredRow>,
}

impl PoolMessage for FitBundle {
    const KIND: u8 = 9;

    fn to_bytes(&self) -> Vec<u8> {
        join(Self::KIND, &self.head, &self.file)
    }

    fn of_bytes(bytes: &[u8]) -> Result<FitBundle, PoolMessageError> {
        let (head, file) = split(Self::KIND, bytes, MAX_BUNDLE)?;
        Ok(FitBundle { head, file: file.to_vec() })
    }
}

impl SentExperiment {
    /// Makes an experiment for the way: its name, the settings it has beside those of the file, and its curves.
    pub fn new(name: &str, set: &[String], curves: &[MeasuredCurve]) -> SentExperiment {
        SentExperiment { name: name.to_owned(), set: set.to_vec(), curves: curves.iter().map(SentCurve::of).collect() }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the measured curves; `None` if one names no block.
    pub(super) fn curves(&self) -> Option<Vec<MeasuredCurve>> {
        self.curves.iter().map(SentCurve::curve).collect()
    }
}

impl SentCurve {
    fn of(curve: &MeasuredCurve) -> SentCurve {
        let SignalKey { path, block, output } = &curve.signal;
        SentCurve {
            name: curve.name.clone(),
            path: path.iter().chain([block]).map(|id| id.0.to_string()).collect(),
            output: output.to_string(),
            element: curve.element,
            rows: curve.rows.clone(),
        }
    }

    fn curve(&self) -> Option<MeasuredCurve> {
        let ids: Vec<BlockId> = self.path.iter().map(|id| BlockId::parse(id)).collect::<Option<_>>()?;
        let (block, path) = ids.split_last()?;
        let signal = SignalKey { path: path.to_vec(), block: *block, output: Arc::from(&*self.output) };
        Some(MeasuredCurve { name: self.name.clone(), signal, element: self.element, rows: self.rows.clone() })
    }
}

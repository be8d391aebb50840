//! Where a result comes from: enough to compute it again and to know whether it is the same.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::format::{Loader as _, simx::Simx};
use crate::model::Simulation;

/// The origin of a result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Provenance {
    /// The name and version of the program.
    pub program: String,
    /// The name of the simulation's file; empty for one that was never saved.
    pub file: String,
    /// The SHA-256 of the simulation as it ran, written as a .simx file by this program: that of the file, if it was saved
    /// by this version and no values were set. Empty if it cannot be written.
    pub sha256: String,
    /// The root model.
    pub root: String,
    pub solver: String,
    /// The length of a step in seconds.
    pub delta: f64,
    /// The number of steps that were wanted.
    pub steps: u64,
    /// The engine that ran it.
    pub engine: String,
    /// The values that were set for this result, as `PATH=VALUE`, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// The model blocks that `--skip-invalid-models` has removed: `Main/Plant#3, an instance of “Motor”`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// The values that a sweep varied, as `PATH=VALUES`, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vary: Vec<String>,
    /// How a sweep chose the random values, unless they are independent: `lhs, 100 samples, seed 3`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub design: String,
}

impl Provenance {
    /// Returns the origin of a result of a simulation, by an engine of this name.
    pub fn of(simulation: &Simulation, file: Option<&Path>, engine: &str) -> Provenance {
        let bytes = Simx.write(simulation).unwrap_or_default();
        let file = file.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        Provenance {
            program: concat!("Simulate ", env!("CARGO_PKG_VERSION")).to_owned(),
            file: file.unwrap_or_default(),
            sha256: if bytes.is_empty() { String::new() } else { sha256(&bytes) },
            root: simulation.root.to_string(),
            solver: simulation.solver().to_owned(),
            delta: simulation.delta,
            steps: simulation.steps,
            engine: engine.to_owned(),
            set: Vec::new(),
            removed: Vec::new(),
            vary: Vec::new(),
            design: String::new(),
        }
    }

    /// Returns it as JSON on one line.
    pub fn json(&self) -> String {
        // Only maps with keys that are not strings cannot be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

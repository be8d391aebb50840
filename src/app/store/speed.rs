//! The speed of a run.

use serde::{Deserialize, Serialize};

use crate::engine::Speed;

/// The speed of a run.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq)]
pub enum SpeedChoice {
    #[default]
    #[serde(rename = "Fastest")]
    Fastest,
    /// Simulated seconds per second.
    #[serde(rename = "RealTime")]
    RealTime(f64),
}

impl SpeedChoice {
    /// The choices of the menu.
    pub fn all() -> Vec<SpeedChoice> {
        let factors = [0.1, 0.5, 1.0, 2.0, 10.0, 100.0].map(SpeedChoice::RealTime);
        std::iter::once(SpeedChoice::Fastest).chain(factors).collect()
    }

    pub fn label(self) -> String {
        match self {
            SpeedChoice::Fastest => "Fastest".to_owned(),
            SpeedChoice::RealTime(1.0) => "Real time".to_owned(),
            SpeedChoice::RealTime(factor) => format!("{factor}× real time"),
        }
    }
}

impl From<SpeedChoice> for Speed {
    fn from(choice: SpeedChoice) -> Speed {
        match choice {
            SpeedChoice::Fastest => Speed::Fastest,
            SpeedChoice::RealTime(factor) => Speed::RealTime(factor),
        }
    }
}

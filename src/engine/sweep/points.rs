//! Creates the program and context of a sweep run from its values.

use std::sync::Arc;

use super::super::{Override, OverrideError, Program, RunSetup};
use super::{Runs, SweepError, SweepRun};

/// The model of all runs and the parameters that vary.
pub struct Points {
    setup: RunSetup,
    program: Arc<Program>,
    varied: Vec<Override>,
}

impl Points {
    /// Parses the parameters of a sweep.
    ///
    /// # Errors
    /// If a parameter does not exist or cannot be set.
    pub fn new(runs: &Runs, setup: RunSetup, program: &Arc<Program>) -> Result<Points, OverrideError> {
        let varied = setup.parse(&runs.varied.iter().map(|vary| format!("{}=0", vary.path)).collect::<Vec<_>>())?;
        for (number, one) in varied.iter().enumerate() {
            if varied.iter().take(number).any(|other| other.is_of_same(one)) {
                let path = runs.varied.get(number).map(|vary| vary.path.clone()).unwrap_or_default();
                return Err(OverrideError::Twice(path));
            }
        }
        // Errors are reported before the first run.
        setup.context(program)?;
        Ok(Points { setup, program: Arc::clone(program), varied })
    }

    /// Creates the program and context for these values.
    ///
    /// # Errors
    /// If the model cannot run with these values.
    pub fn ready(&self, values: &[f64]) -> Result<SweepRun, SweepError> {
        let varied = self.varied.iter().zip(values);
        let numbers = varied.clone().map(|(set, value)| (set, Some(*value)));
        if let Some(context) = self.setup.shared(&self.program, numbers) {
            return Ok(SweepRun { program: Arc::clone(&self.program), context });
        }
        let mut setup = self.setup.clone();
        setup.set(&varied.map(|(set, value)| set.text_with(*value)).collect::<Vec<_>>())?;
        let program = Arc::new(setup.compile().map_err(SweepError::Compile)?);
        let context = setup.context(&program)?;
        Ok(SweepRun { program, context })
    }
}

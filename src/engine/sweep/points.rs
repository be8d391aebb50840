//! Creates the program and context of a sweep run from its values.

use std::sync::Arc;

use super::super::{Context, Override, OverrideError, Program, compile};
use super::{Runs, SweepError, SweepRun};
use crate::model::Document;

/// The model of all runs and the parameters that vary.
pub struct Points {
    document: Document,
    program: Arc<Program>,
    /// The overrides for all runs.
    sets: Vec<Override>,
    varied: Vec<Override>,
}

impl Points {
    /// Parses the parameters of a sweep.
    ///
    /// # Errors
    /// If a parameter does not exist or cannot be set.
    pub fn new(
        runs: &Runs,
        document: Document,
        sets: Vec<Override>,
        program: &Arc<Program>,
    ) -> Result<Points, OverrideError> {
        let parse = |path: &str| Override::parse(&format!("{path}=0"), document.simulation(), document.registry());
        let varied = runs.varied.iter().map(|vary| parse(&vary.path)).collect::<Result<Vec<_>, _>>()?;
        for (number, one) in varied.iter().enumerate() {
            if varied.iter().take(number).any(|other| other.is_of_same(one)) {
                let path = runs.varied.get(number).map(|vary| vary.path.clone()).unwrap_or_default();
                return Err(OverrideError::Twice(path));
            }
        }
        // Errors are reported before the first run.
        let mut context = Context::new(program);
        sets.iter().try_for_each(|set| set.tune(document.simulation(), program, &mut context))?;
        Ok(Points { document, program: Arc::clone(program), sets, varied })
    }

    /// Creates the program and context for these values.
    ///
    /// # Errors
    /// If the model cannot run with these values.
    pub fn ready(&self, values: &[f64]) -> Result<SweepRun, SweepError> {
        match self.shared(values) {
            Some(context) => Ok(SweepRun { program: Arc::clone(&self.program), context }),
            None => self.compiled(values),
        }
    }

    /// Creates a context of the shared program, if all values can be set in it.
    fn shared(&self, values: &[f64]) -> Option<Context> {
        let mut context = Context::new(&self.program);
        for set in &self.sets {
            set.tune(self.document.simulation(), &self.program, &mut context).ok()?;
        }
        let library = (&**self.document.simulation(), &**self.document.registry());
        let mut varied = self.varied.iter().zip(values);
        let is_shared = varied.all(|(target, value)| target.share(library, &self.program, &mut context, &[*value]));
        // Initial states depend on parameters.
        context.reset(&self.program);
        is_shared.then_some(context)
    }

    /// Compiles a separate program, for values that require it.
    fn compiled(&self, values: &[f64]) -> Result<SweepRun, SweepError> {
        let mut document =
            Document::new(self.document.simulation().as_ref().clone(), Arc::clone(self.document.registry()));
        let varied: Vec<Override> =
            self.varied.iter().zip(values).map(|(target, value)| target.with_value(*value)).collect();
        for target in &varied {
            target.edit(&mut document)?;
        }
        let program = compile(document.simulation(), document.registry()).map_err(SweepError::Compile)?;
        let program = Arc::new(program);
        let mut context = Context::new(&program);
        for target in self.sets.iter().chain(&varied) {
            target.tune(document.simulation(), &program, &mut context)?;
        }
        context.reset(&program);
        Ok(SweepRun { program, context })
    }
}

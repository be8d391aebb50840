//! A run's model and context, from its values.

use std::sync::Arc;

use super::vary::Runs;
use crate::cli::override_option::{Override, OverrideError};
use crate::engine::{Context, Program, Ready, compile};
use crate::model::Document;

/// The model that all runs begin with, and what each changes in it.
pub(crate) struct Points {
    document: Document,
    program: Arc<Program>,
    /// The same in all runs.
    sets: Vec<Override>,
    places: Vec<Override>,
}

impl Points {
    /// # Errors
    /// Where a path leads to nothing that can be set.
    pub(crate) fn new(
        runs: &Runs,
        document: Document,
        sets: Vec<Override>,
        program: &Arc<Program>,
    ) -> Result<Points, OverrideError> {
        let parse = |path: &str| Override::parse(&format!("{path}=0"), document.simulation(), document.registry());
        let places = runs.varied.iter().map(|vary| parse(&vary.path)).collect::<Result<Vec<_>, _>>()?;
        // What cannot be set is said before the first run.
        let mut context = Context::new(program);
        sets.iter().try_for_each(|set| set.tune(document.simulation(), program, &mut context))?;
        Ok(Points { document, program: Arc::clone(program), sets, places })
    }

    /// # Errors
    /// Where the model cannot run with these values, in words.
    pub(crate) fn ready(&self, values: &[f64]) -> Result<Ready, String> {
        match self.shared(values) {
            Some(context) => Ok(Ready { program: Arc::clone(&self.program), context }),
            None => self.compiled(values),
        }
    }

    /// A context of the one program, where all values are its parameters.
    fn shared(&self, values: &[f64]) -> Option<Context> {
        let mut context = Context::new(&self.program);
        for set in &self.sets {
            set.tune(self.document.simulation(), &self.program, &mut context).ok()?;
        }
        let library = (&**self.document.simulation(), &**self.document.registry());
        let mut places = self.places.iter().zip(values);
        let is_shared = places.all(|(place, value)| place.share(library, &self.program, &mut context, *value));
        // Initial states follow the parameters.
        context.reset(&self.program);
        is_shared.then_some(context)
    }

    /// A program of its own, where a value shapes it.
    fn compiled(&self, values: &[f64]) -> Result<Ready, String> {
        let mut document =
            Document::new(self.document.simulation().as_ref().clone(), Arc::clone(self.document.registry()));
        let places: Vec<Override> =
            self.places.iter().zip(values).map(|(place, value)| place.with_value(*value)).collect();
        for place in &places {
            place.edit(&mut document).map_err(|error| error.to_string())?;
        }
        let program = compile(document.simulation(), document.registry())
            .map_err(|found| found.first().map(|found| found.message.clone()).unwrap_or_default())?;
        let program = Arc::new(program);
        let mut context = Context::new(&program);
        for place in self.sets.iter().chain(&places) {
            place.tune(document.simulation(), &program, &mut context).map_err(|error| error.to_string())?;
        }
        context.reset(&program);
        Ok(Ready { program, context })
    }
}

//! The set-up of a run: a simulation with values of its own for this run, its program and its first context.
//!
//! A value that only this run has (`--set` of commands, `set=` in Python, the varied parameters of a sweep) is set in one
//! of two ways. An edit of a copy of the simulation, which is then compiled, can set each of them. Where an edit would
//! change other instances of the model too, the value is set in the context. Runs that share a program set all their
//! values in the context, where these can change between steps.

mod param_override;

use std::cell::OnceCell;
use std::sync::Arc;

use super::{Context, Program, SelectedSignal, compile};
use crate::block::Registry;
use crate::model::{Change, Diagnostic, Document, Edit, EditError, SignalError, Simulation};

pub use param_override::{Override, OverrideError, SelectedParam};

/// A simulation with the values of a run.
#[derive(Clone)]
pub struct RunSetup {
    simulation: Arc<Simulation>,
    registry: Arc<Registry>,
    sets: Vec<Override>,
}

impl RunSetup {
    /// The set-up of a run with the values of the document.
    pub fn of(document: &Document) -> RunSetup {
        let (simulation, registry) = (Arc::clone(document.simulation()), Arc::clone(document.registry()));
        RunSetup { simulation, registry, sets: Vec::new() }
    }

    /// Returns the simulation with the values of the run, as far as an edit can set them.
    pub fn simulation(&self) -> &Arc<Simulation> {
        &self.simulation
    }

    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Parses settings `PATH=VALUE`.
    ///
    /// # Errors
    /// As [`Override::parse`].
    pub fn parse(&self, texts: &[String]) -> Result<Vec<Override>, OverrideError> {
        texts.iter().map(|text| Override::parse(text, &self.simulation, &self.registry)).collect()
    }

    /// Sets the step length in seconds.
    ///
    /// # Errors
    /// If it is not a positive number.
    pub fn set_delta(&mut self, delta: f64) -> Result<(), EditError> {
        self.apply(&Change::one("Set delta", Edit::SetDelta(delta)))
    }

    /// Applies a change to the simulation.
    ///
    /// # Errors
    /// If the document refuses it; then nothing is changed.
    pub fn apply(&mut self, change: &Change) -> Result<(), EditError> {
        self.edit(|document| document.apply(change))
    }

    /// Sets further values, given as `PATH=VALUE`. Each path leads through the models that the values before it have
    /// chosen.
    ///
    /// # Errors
    /// As [`Override::parse`], or if the document refuses one of them; then none is set.
    pub fn set(&mut self, texts: &[String]) -> Result<(), OverrideError> {
        let mut sets = Vec::new();
        self.edit(|document| {
            texts.iter().try_for_each(|text| {
                let set = Override::parse(text, document.simulation(), document.registry())?;
                set.edit(document)?;
                sets.push(set);
                Ok(())
            })
        })?;
        self.sets.append(&mut sets);
        Ok(())
    }

    fn edit<E>(&mut self, edit: impl FnOnce(&mut Document) -> Result<(), E>) -> Result<(), E> {
        let mut document = Document::new(Simulation::clone(&self.simulation), Arc::clone(&self.registry));
        edit(&mut document)?;
        self.simulation = Arc::clone(document.simulation());
        Ok(())
    }

    /// Compiles the simulation.
    ///
    /// # Errors
    /// All diagnostics if one of them is an error.
    pub fn compile(&self) -> Result<Program, Vec<Diagnostic>> {
        compile(&self.simulation, &self.registry)
    }

    /// Creates the context of a new run of its program.
    ///
    /// # Errors
    /// If a value cannot be set for one of several instances of a model.
    pub fn context(&self, program: &Program) -> Result<Context, OverrideError> {
        let mut context = self.tuned(program)?;
        // Initial states depend on parameters.
        context.reset(program);
        Ok(context)
    }

    fn tuned(&self, program: &Program) -> Result<Context, OverrideError> {
        let mut context = Context::new(program);
        self.sets.iter().try_for_each(|set| set.tune(&self.simulation, program, &mut context))?;
        Ok(context)
    }

    /// Sets the values in the context of a run that is resumed. The program has those that cannot change between steps.
    ///
    /// # Errors
    /// If one of them is a variable, or not a number.
    pub fn retune(&self, program: &Program, context: &mut Context) -> Result<(), OverrideError> {
        self.sets.iter().try_for_each(|set| set.retune(program, context))
    }

    /// Selects signals by path or name, or all by `exits` or `all`. `known` keeps all signals of the program, for the next
    /// search.
    ///
    /// # Errors
    /// If a signal does not exist.
    pub fn signals(
        &self,
        names: &[&str],
        program: &Program,
        known: &OnceCell<Vec<SelectedSignal>>,
    ) -> Result<Vec<SelectedSignal>, SignalError> {
        let library = (&*self.simulation, &*self.registry);
        match names {
            ["exits"] => Ok(SelectedSignal::exits(program)),
            ["all"] => Ok(SelectedSignal::all(&self.simulation, program)),
            paths => paths.iter().map(|path| SelectedSignal::find(path, library, program, known)).collect(),
        }
    }

    /// Selects options that can change in a run, by their paths.
    ///
    /// # Errors
    /// If one does not exist or cannot change.
    pub fn params(&self, names: &[&str], program: &Program) -> Result<Vec<SelectedParam>, OverrideError> {
        let library = (&*self.simulation, &*self.registry);
        names.iter().map(|name| SelectedParam::parse(name, library, program)).collect()
    }

    /// Creates the context of a run that shares its program with others, with further values, each a number or those of
    /// the override; `None` if they need a program of their own.
    pub fn shared<'a>(
        &self,
        program: &Program,
        sets: impl IntoIterator<Item = (&'a Override, Option<f64>)>,
    ) -> Option<Context> {
        let mut context = self.tuned(program).ok()?;
        let library = (&*self.simulation, &*self.registry);
        let is_shared = sets.into_iter().all(|(set, number)| set.share(number, library, program, &mut context));
        context.reset(program);
        is_shared.then_some(context)
    }
}

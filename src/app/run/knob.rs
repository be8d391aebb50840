//! Lets a run follow the document: a parameter that is set anywhere, by a field, a table, a variable, undo, acts from the
//! next step on where the run can take it.
//!
//! What is compared are programs, not documents, so that whatever leads to another value is covered.

use std::sync::Arc;

use super::RunSession;
use crate::engine::{ParamChange, Program};
use crate::model::{BlockId, Simulation};

#[derive(Default)]
pub(super) struct Knobs {
    /// What the live run goes by.
    program: Option<Arc<Program>>,
    /// Its parameters as they are, and what was asked for.
    params: Vec<f64>,
    /// The document as of its last check.
    wanted: Option<(Arc<Program>, Arc<Simulation>)>,
}

impl Knobs {
    /// A run begins to go by a program, with changes that were made in it before.
    pub fn begin(&mut self, program: Arc<Program>, changes: &[ParamChange]) {
        self.params = program.params.clone();
        self.program = Some(program);
        changes.iter().for_each(|change| self.note(change));
    }

    /// A parameter has other values.
    pub fn note(&mut self, change: &ParamChange) {
        let Some(program) = &self.program else { return };
        let places = program.param_places(&change.path, change.block, &change.name, change.values.len());
        for place in places.into_iter().flatten() {
            if let Some(params) = self.params.get_mut(place) {
                params.copy_from_slice(&change.values);
            }
        }
    }

    /// Whether a run of the same simulation gives the same again: not where it reads files, which may have changed.
    pub fn can_run_again(&self) -> bool {
        self.program.as_ref().is_some_and(|program| program.kernels.iter().all(|kernel| !kernel.has_calls()))
    }
}

impl RunSession {
    /// The document is ready to run like this: a run that goes on takes its values over, unless an earlier step is
    /// looked at.
    pub fn follow(&mut self, program: &Arc<Program>, simulation: &Arc<Simulation>) {
        self.knobs.wanted = Some((Arc::clone(program), Arc::clone(simulation)));
        if self.chosen_step().is_none() {
            self.follow_now();
        }
    }

    /// Sets in the live run what is set otherwise in the document.
    pub(super) fn follow_now(&mut self) {
        if !self.is_active() {
            return;
        }
        let Some((wanted, simulation)) = self.knobs.wanted.clone() else { return };
        let Some(program) = &self.knobs.program else { return };
        let Some(changes) = program.changes_to(&self.knobs.params, &wanted) else { return };
        for change in changes {
            self.runner.set_param(&change.path, change.block, &change.name, &change.values);
            // What is asked for counts, so that it is asked for once.
            self.knobs.note(&change);
        }
        let is_same_length = self.simulation.as_ref().is_some_and(|ran| ran.steps == simulation.steps);
        if is_same_length {
            self.simulation = Some(simulation);
            self.is_stale = false;
        }
    }

    /// Whether a parameter of a use of a block acts in the run that goes on.
    pub fn can_turn(&self, path: &[BlockId], block: BlockId, name: &str, width: usize) -> bool {
        let program = self.knobs.program.as_ref().filter(|_| self.is_active());
        program.is_some_and(|program| program.param_places(path, block, name, width).is_ok())
    }
}

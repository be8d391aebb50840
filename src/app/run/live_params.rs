//! Lets a run follow the document: a parameter that is set anywhere, by a field, a table, a variable, undo, acts from the
//! next step on where the run can take it.
//!
//! What is compared are programs, not documents, so that whatever leads to another value is covered.

use std::sync::Arc;

use super::RunSession;
use crate::block::Registry;
use crate::engine::{Engines, ParamChange, ParamError, Program, state_name};
use crate::model::{BlockId, Simulation};

#[derive(Default)]
pub(super) struct LiveParams {
    /// What the live run goes by.
    program: Option<Arc<Program>>,
    /// Its parameters as they are, and what was asked for.
    params: Vec<f64>,
    /// The document as of its last check.
    wanted: Option<CheckedDocument>,
    /// The edit of the diagram that the run was asked to take over last.
    asked: Option<Arc<Simulation>>,
}

/// A document that could run.
#[derive(Clone)]
pub struct CheckedDocument {
    pub program: Arc<Program>,
    pub simulation: Arc<Simulation>,
    pub registry: Arc<Registry>,
}

impl LiveParams {
    /// A run begins to go by a program, with changes that were made in it before.
    pub fn begin(&mut self, program: Arc<Program>, changes: &[ParamChange]) {
        self.params = program.params.clone();
        self.program = Some(program);
        changes.iter().for_each(|change| self.note(change));
    }

    /// The run goes by another program from now on.
    pub fn edit(&mut self, program: Arc<Program>, params: Vec<f64>) {
        (self.program, self.params) = (Some(program), params);
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
    pub fn follow(&mut self, document: CheckedDocument) {
        self.live_params.wanted = Some(document);
        if self.chosen_step().is_none() {
            self.follow_now();
        }
    }

    /// What may be taken over has changed.
    pub fn follow_again(&mut self) {
        if self.chosen_step().is_none() {
            self.follow_now();
        }
    }

    /// Sets in the live run what is set otherwise in the document.
    pub(super) fn follow_now(&mut self) {
        if !self.is_active() {
            return;
        }
        let Some(CheckedDocument { program: wanted, simulation, registry }) = self.live_params.wanted.clone() else {
            return;
        };
        let Some(program) = &self.live_params.program else { return };
        match program.changes_to(&self.live_params.params, &wanted) {
            Some(changes) => {
                for change in changes {
                    self.runner.set_param(&change.path, change.block, &change.name, &change.values);
                    // What is asked for counts, so that it is asked for once.
                    self.live_params.note(&change);
                }
            }
            None if self.takes_edits => {
                let is_asked = self.live_params.asked.as_ref().is_some_and(|asked| Arc::ptr_eq(asked, &simulation));
                let engines = Engines::standard();
                let Some(engine) = engines.get(Engines::DEFAULT).filter(|_| !is_asked) else { return };
                self.live_params.asked = Some(Arc::clone(&simulation));
                self.runner.edit(Arc::clone(&simulation), registry, Arc::clone(engine));
            }
            None => return,
        }
        let is_same_length = self.simulation.as_ref().is_some_and(|ran| ran.steps == simulation.steps);
        if is_same_length {
            self.simulation = Some(simulation);
            self.is_stale = false;
        }
    }

    /// Whether runs halt at the first value that is infinite or not a number; the live one from its next step on.
    pub fn stop_at_non_finite(&mut self, stops: bool) {
        self.stops_at_non_finite = stops;
        if self.is_active() {
            self.runner.refuse_non_finite(stops);
        }
    }

    /// Sets a parameter in the run that goes on and nowhere else, as while a slider is held; the document gets its value
    /// when it is let go.
    pub fn turn(&mut self, path: &[BlockId], block: BlockId, name: &str, values: &[f64]) {
        if self.acts(path, block, name) == TakesEffect::NextStep {
            self.runner.set_param(path, block, name, values);
        }
    }

    /// Sets one number of a parameter like [`RunSession::turn`]; those beside it stay as the run has them.
    pub fn turn_element(&mut self, path: &[BlockId], block: BlockId, name: &str, element: usize, value: f64) {
        let Some(program) = self.live_params.program.as_ref().filter(|_| self.is_active()) else { return };
        let places =
            program.param_width(path, block, name).and_then(|width| program.param_places(path, block, name, width));
        let place = places.ok().and_then(|places| places.into_iter().next());
        let Some(mut values) = place.and_then(|place| self.live_params.params.get(place)).map(<[f64]>::to_vec) else {
            return;
        };
        if let Some(number) = values.get_mut(element) {
            *number = value;
            self.turn(path, block, name, &values);
        }
    }

    /// Whether a state can be set now: the run holds, and its last step is shown.
    pub fn can_set_states(&self) -> bool {
        self.state.waits() && self.shows_live() && self.chosen_step().is_none()
    }

    /// Gives a state of the run that holds other values from the next step on.
    pub fn set_state(&mut self, path: &[BlockId], block: BlockId, number: usize, values: &[f64]) {
        if self.can_set_states() {
            self.runner.set_param(path, block, &state_name(number), values);
        }
    }

    /// What becomes of a parameter that is set now.
    pub fn acts(&self, path: &[BlockId], block: BlockId, name: &str) -> TakesEffect {
        let Some(program) = self.live_params.program.as_ref().filter(|_| self.is_active()) else {
            return TakesEffect::NextRun;
        };
        if self.chosen_step().is_some() {
            return TakesEffect::InBranch;
        }
        // How many values there are does not matter here.
        match program.param_places(path, block, name, 1) {
            Ok(_) | Err(ParamError::Width { .. }) => TakesEffect::NextStep,
            Err(_) if self.takes_edits => TakesEffect::NextStep,
            Err(_) => TakesEffect::NextRun,
        }
    }
}

/// When a parameter that is set now acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakesEffect {
    NextStep,
    NextRun,
    /// An earlier step is looked at: in a branch that begins there.
    InBranch,
}

//! Applies changes of the document to the live run: a parameter set by a field, table, variable or undo takes effect in
//! the next step where possible.
//!
//! Programs are compared, not documents, so that every way of changing a value is covered.

use std::sync::Arc;

use super::RunSession;
use crate::block::Registry;
use crate::engine::{Engines, ParamChange, ParamError, Program, state_name};
use crate::model::{BlockAddress, ParamAddress, Simulation};

#[derive(Default)]
pub(super) struct LiveParams {
    /// The program of the live run.
    program: Option<Arc<Program>>,
    /// Its current parameters, including requested changes.
    params: Vec<f64>,
    /// The document as of its last check.
    wanted: Option<CheckedDocument>,
    /// The last edit of the diagram that was sent to the run.
    asked: Option<Arc<Simulation>>,
}

/// A checked document that can run.
#[derive(Clone)]
pub struct CheckedDocument {
    pub program: Arc<Program>,
    pub simulation: Arc<Simulation>,
    pub registry: Arc<Registry>,
}

impl LiveParams {
    /// Starts with the program of a run and its earlier changes.
    pub fn begin(&mut self, program: Arc<Program>, changes: &[ParamChange]) {
        self.params = program.params.clone();
        self.program = Some(program);
        changes.iter().for_each(|change| self.note(change));
    }

    /// Switches to the program of an edited diagram.
    pub fn edit(&mut self, program: Arc<Program>, params: Vec<f64>) {
        (self.program, self.params) = (Some(program), params);
    }

    /// Notes new values of a parameter.
    pub fn note(&mut self, change: &ParamChange) {
        let Some(program) = &self.program else { return };
        let ranges = program.param_ranges(&change.param, change.values.len());
        for range in ranges.into_iter().flatten() {
            if let Some(params) = self.params.get_mut(range) {
                params.copy_from_slice(&change.values);
            }
        }
    }

    /// Returns whether the compiled program can be used again: not if it reads files, which may have changed.
    pub fn can_run_again(&self) -> bool {
        self.program.as_ref().is_some_and(|program| program.kernels.values().all(|kernel| !kernel.has_calls()))
    }
}

impl RunSession {
    /// Sends the changes of a checked document to the live run, unless an earlier step is
    /// shown.
    pub fn follow(&mut self, document: CheckedDocument) {
        self.follow_steps(document.simulation.steps);
        self.live_params.wanted = Some(document);
        if self.chosen_step().is_none() {
            self.follow_now();
        }
    }

    /// Sends pending changes after a change of the settings.
    pub fn follow_again(&mut self) {
        if self.chosen_step().is_none() {
            self.follow_now();
        }
    }

    /// Sends the differences between the document and the live run.
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
                    self.runner.set_param(&change.param, &change.values);
                    // Requested changes count as made, so that each is sent once.
                    self.live_params.note(&change);
                }
            }
            None if self.takes_edits => {
                let is_asked = self.live_params.asked.as_ref().is_some_and(|asked| Arc::ptr_eq(asked, &simulation));
                let Some(engine) = self.engines.get(Engines::DEFAULT).filter(|_| !is_asked) else { return };
                self.live_params.asked = Some(Arc::clone(&simulation));
                self.runner.edit(Arc::clone(&simulation), registry, Arc::clone(engine));
            }
            None => return,
        }
        self.simulation = Some(simulation);
        self.is_stale = false;
    }

    /// The active run ends where the document says now.
    fn follow_steps(&mut self, steps: u64) {
        let steps = Some(steps).filter(|steps| *steps > 0);
        if !self.is_active() || steps == self.steps {
            return;
        }
        self.steps = steps;
        self.runner.set_steps(steps);
        if let Some(run) = self.live_run() {
            run.planned = steps;
        }
    }

    /// Sets whether runs pause at the first infinite or NaN value; the live run from its next step on.
    pub fn set_stops_at_non_finite(&mut self, stops: bool) {
        self.stops_at_non_finite = stops;
        if self.is_active() {
            self.runner.refuse_non_finite(stops);
        }
    }

    /// Sets a parameter in the live run only, as during a drag of a slider; the document gets the value
    /// on release.
    pub fn turn(&mut self, param: &ParamAddress, values: &[f64]) {
        if self.acts(param) == TakesEffect::NextStep {
            self.runner.set_param(&self.param_in_live(param), values);
        }
    }

    /// Sets one element of a parameter like [`RunSession::turn`]; the others keep their values in the run.
    pub fn turn_element(&mut self, param: &ParamAddress, element: usize, value: f64) {
        let Some(program) = self.live_params.program.as_ref().filter(|_| self.is_active()) else { return };
        let of = &self.param_in_live(param);
        let ranges = program.param_width(of).and_then(|width| program.param_ranges(of, width));
        let range = ranges.ok().and_then(|ranges| ranges.into_iter().next());
        let Some(mut values) = range.and_then(|range| self.live_params.params.get(range)).map(<[f64]>::to_vec) else {
            return;
        };
        if let Some(number) = values.get_mut(element) {
            *number = value;
            self.turn(param, &values);
        }
    }

    /// Returns whether states can be set: the run is paused and its last step is shown.
    pub fn can_set_states(&self) -> bool {
        self.state.is_paused() && self.shows_live() && self.chosen_step().is_none()
    }

    /// Sets a state of the paused run; takes effect in the next step.
    pub fn set_state(&mut self, block: BlockAddress, number: usize, values: &[f64]) {
        if self.can_set_states() {
            let block = self.block_in_live(block);
            self.runner.set_param(&ParamAddress { block, name: state_name(number) }, values);
        }
    }

    /// Returns when a new value of a parameter takes effect.
    pub fn acts(&self, param: &ParamAddress) -> TakesEffect {
        let Some(program) = self.live_params.program.as_ref().filter(|_| self.is_active()) else {
            return TakesEffect::NextRun;
        };
        if self.chosen_step().is_some() {
            return TakesEffect::InBranch;
        }
        // The number of values does not matter here.
        match program.param_ranges(&self.param_in_live(param), 1) {
            Ok(_) | Err(ParamError::Width { .. }) => TakesEffect::NextStep,
            Err(_) if self.takes_edits => TakesEffect::NextStep,
            Err(_) => TakesEffect::NextRun,
        }
    }
}

/// When a new value of a parameter takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakesEffect {
    NextStep,
    NextRun,
    /// An earlier step is shown: in a branch from there.
    InBranch,
}

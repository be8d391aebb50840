//! What commands and panels want of runs.

use std::sync::Arc;

use super::panels::runs::Wish;
use super::run::{Begin, RunState, Wanted};
use super::state::{App, watched_in};
use crate::engine::ParamChange;

impl App {
    /// Runs from the start, or goes on.
    pub(super) fn run_or_resume(&mut self) {
        match self.run.state {
            RunState::Running | RunState::Preparing => {}
            RunState::Paused => self.run.resume(),
            _ => self.start_run(Begin::Running, Vec::new()),
        }
    }

    /// The next steps: those that are recorded, or those that the engine makes.
    pub(super) fn step(&mut self) {
        let count = self.settings.step_by.max(1);
        if self.run.chosen_step().is_some() && self.run.move_by(count.min(1 << 50) as i64) {
            return;
        }
        match self.run.state {
            RunState::Running => self.run.pause(),
            RunState::Preparing => {}
            RunState::Paused => self.run.step(count),
            _ => self.start_run(Begin::Steps(count), Vec::new()),
        }
    }

    /// Begins a run of the document, with changes at their steps.
    pub(super) fn start_run(&mut self, begin: Begin, changes: Vec<ParamChange>) {
        let Some(file) = &self.file else { return };
        self.run.stops_at_non_finite = self.settings.stops_at_non_finite;
        self.run.takes_edits = self.settings.takes_edits;
        self.run.remember((self.settings.past_megabytes as usize) << 20);
        let memory = (self.settings.runs_megabytes as usize) << 20;
        self.run.runs_mut().limit = memory;
        // Extents and what is no whole chunk stay in memory.
        self.shelf.set_limit(memory / 4 * 3);
        self.run.start(Wanted {
            simulation: file.simulation(),
            path: file.path.as_deref(),
            registry: &self.registry,
            watch: watched_in(file, &self.plots, &self.registry),
            speed: self.settings.speed,
            begin,
            changes,
        });
        self.plots.restart();
    }

    /// Looks at a step where it is done, else runs to it.
    pub fn go_to_step(&mut self, step: u64) {
        let is_done = self.run.last_step().is_some_and(|last| step <= last);
        match self.run.state {
            _ if is_done => self.run.choose_step(Some(step)),
            RunState::Running | RunState::Paused => self.run.run_to(step.saturating_add(1)),
            RunState::Preparing => {}
            _ => self.start_run(Begin::To(step.saturating_add(1)), Vec::new()),
        }
    }

    /// Runs on from the step that is shown, beside the run that is shown.
    pub(super) fn branch(&mut self) {
        let Some(step) = self.run.shown_step() else { return };
        if self.run.branch(step) {
            self.say("Set values, then run on; what was before is drawn beside");
        } else {
            self.complain("This run is no longer kept by the engine; run it again to branch from it");
        }
    }

    pub(super) fn toggle_live_edits(&mut self) {
        self.settings.takes_edits = !self.settings.takes_edits;
        self.run.takes_edits = self.settings.takes_edits;
        self.save_settings();
        // What was drawn before acts now.
        self.run.follow_again();
        self.say(match self.settings.takes_edits {
            true => "A run takes edits of the diagram over while it goes on",
            false => "Edits of the diagram act from the next run on",
        });
    }

    /// Runs once more what a run was, with all that was changed in it.
    fn repeat(&mut self, number: u64) {
        let Some(run) = self.run.runs().get(number) else { return };
        let simulation = Arc::clone(&run.source.simulation);
        let (path, changes) = (run.source.path.clone(), run.changes.clone());
        let watch = self.run.watched.clone();
        self.run.start(Wanted {
            simulation: &simulation,
            path: path.as_deref(),
            registry: &self.registry,
            watch,
            speed: self.settings.speed,
            begin: Begin::Running,
            changes,
        });
        if let Some(file) = &self.file {
            self.run.compare(file.simulation());
        }
        self.plots.restart();
    }

    pub(super) fn act_on_run(&mut self, wish: Wish) {
        match wish {
            Wish::Show(number) => self.run.show(number),
            Wish::ToggleOverlay(number) => self.run.runs_mut().toggle_overlay(number),
            Wish::TogglePin(number) => {
                if let Some(run) = self.run.runs_mut().get_mut(number) {
                    run.is_pinned = !run.is_pinned;
                }
            }
            Wish::Rename(number, name) => self.run.runs_mut().rename(number, &name),
            Wish::Remove(number) => self.run.remove(number),
            Wish::Repeat(number) => self.repeat(number),
        }
    }
}

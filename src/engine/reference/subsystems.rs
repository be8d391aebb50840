//! Conditional and iterated subsystems: when each begins, how often it runs, and the values of its exits while it is
//! idle.

use std::sync::Arc;

use super::frame::Frame;
use super::membership::Reader;
use super::{Pass, Queue, RunPart};
use crate::block::StateKind;
use crate::engine::program::fault::Fault;
use crate::engine::solve::initial::idle_values;
use crate::engine::{EntityRef, SubsystemId};

impl Queue {
    /// Begins the first run of the step or of a subsystem.
    pub(super) fn enter(&mut self, pass: &mut Pass, subsystem: Option<SubsystemId>, runs: u64) {
        self.frames.push(Frame::new(self.spare.pop(), subsystem, runs, self.pushed.len()));
        self.begin_run(pass, subsystem);
    }

    /// Publishes the outputs that need no input, and queues the units whose inputs are all set.
    pub(super) fn begin_run(&mut self, pass: &mut Pass, subsystem: Option<SubsystemId>) {
        if let Some(subsystem) = subsystem {
            for &Reader { unit, input, .. } in &self.parts.inner[subsystem] {
                if std::mem::take(&mut self.is_set[input as usize]) {
                    self.missing[unit] += 1;
                }
            }
        }
        let parts = Arc::clone(&self.parts);
        self.recorder.iter_mut().for_each(|recorder| recorder.enter(subsystem));
        // Found before outputs are published: units that these complete are queued as their inputs are set.
        let mut complete = std::mem::take(&mut self.complete);
        complete.clear();
        if let Some(subsystem) = subsystem {
            let units = pass.program.subsystems[subsystem].units.iter().copied();
            complete.extend(units.filter(|unit| self.missing[*unit] == 0));
        }
        for &number in &parts.begins[subsystem.map_or(0, |subsystem| subsystem.index() + 1)] {
            if pass.stage == 0 || parts.enables[number].is_none() {
                self.evaluate(pass, number, RunPart::Publish, 0);
            }
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.queue.extend(if subsystem.is_none() { &parts.ready } else { &complete });
        }
        self.complete = complete;
    }

    /// Ends a run of the step or of a subsystem; another may follow.
    pub(super) fn end_run(&mut self, pass: &mut Pass) -> Result<(), Fault> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let (run, runs, first_push) = (frame.run + 1, frame.runs, frame.first_push);
        if let Some(number) = frame.subsystem {
            let subsystem = &pass.program.subsystems[number];
            let goes_on = match subsystem.condition {
                Some(output) => pass.values[pass.program.outputs[output].offset as usize] > 0.0,
                None => run < runs,
            };
            if goes_on {
                frame.run = run;
            }
            if subsystem.is_iterated {
                self.commit_run(pass, number, first_push);
            }
            if goes_on {
                if subsystem.condition.is_some() && run >= subsystem.limit {
                    return Err(subsystem.beyond_limit());
                }
                if self.is_cancelled() {
                    return Err(Fault::cancelled());
                }
                self.begin_run(pass, Some(number));
                return Ok(());
            }
        }
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        frame.subsystem.into_iter().for_each(|subsystem| self.set_exits(pass, subsystem));
        self.spare.push(frame);
        Ok(())
    }

    /// Updates the states after a run of a subsystem.
    pub(super) fn commit_run(&mut self, pass: &mut Pass, subsystem: SubsystemId, first_push: usize) {
        for &unit in &self.parts.all[subsystem] {
            for slot in pass.program.states_of(&pass.program.units[unit]) {
                if slot.kind == StateKind::Discrete {
                    let elements = slot.elements();
                    pass.context.discrete[elements.clone()].copy_from_slice(&self.next[elements]);
                }
            }
        }
        self.push(pass.context, first_push);
    }

    /// Begins the runs of a subsystem according to its enable condition, or skips it.
    pub(super) fn decide(&mut self, pass: &mut Pass, number: SubsystemId) -> Result<(), Fault> {
        let subsystem = &pass.program.subsystems[number];
        let runs = pass.program.runs_of(number);
        let [runs, anew] = [runs, runs + 1].map(|output| pass.values[pass.program.outputs[output].offset as usize]);
        if pass.stage > 0 && subsystem.is_iterated {
            self.set_exits(pass, number);
            return Ok(());
        }
        if pass.stage == 0 && subsystem.can_reset && anew != 0.0 {
            self.begin_anew(pass, number);
        }
        if runs > subsystem.limit as f64 {
            return Err(subsystem.beyond_limit());
        }
        // NaN becomes 0.
        let runs = runs as u64;
        if runs > 0 {
            self.enter(pass, Some(number), runs);
            return Ok(());
        }
        if pass.stage == 0 {
            for exit in subsystem.exits.iter().filter(|exit| exit.idle_resets) {
                let unit = &pass.program.units[pass.program.outputs[exit.output].unit];
                idle_values(pass.program, unit, &mut self.interpreter, pass.context, pass.values);
            }
        }
        self.set_exits(pass, number);
        Ok(())
    }

    /// Resets all states in a subsystem to their initial values, and the exits of nested subsystems to their idle
    /// values.
    pub(super) fn begin_anew(&mut self, pass: &mut Pass, subsystem: SubsystemId) {
        for &number in &self.parts.all[subsystem] {
            let unit = &pass.program.units[number];
            pass.context.begin_states(pass.program, unit, &mut self.interpreter);
            for slot in pass.program.states_of(unit) {
                let elements = slot.elements();
                match slot.kind {
                    StateKind::Discrete => {
                        self.next[elements.clone()].copy_from_slice(&pass.context.discrete[elements]);
                    }
                    StateKind::Continuous => {
                        self.stage_continuous[elements.clone()].copy_from_slice(&pass.context.continuous[elements]);
                    }
                    StateKind::History { .. } | StateKind::Record => {}
                }
            }
            if unit.subsystem != Some(subsystem) {
                idle_values(pass.program, unit, &mut self.interpreter, pass.context, pass.values);
            }
        }
    }

    pub(super) fn set_exits(&mut self, pass: &Pass, subsystem: SubsystemId) {
        for exit in &pass.program.subsystems[subsystem].exits {
            self.set_readers(pass.program, exit.output);
        }
    }
}

//! Conditional and iterated parts of a step: when each begins, how often it runs, and what its exits have when it does not.

use std::sync::Arc;

use super::super::context::idle_values;
use super::super::fault::Fault;
use super::frame::Frame;
use super::{Pass, Queue};
use crate::block::StateKind;

impl Queue {
    /// Begins the first run of the step or a region.
    pub(super) fn enter(&mut self, pass: &mut Pass, region: Option<u32>, runs: u64) {
        self.frames.push(Frame::new(self.spare.pop(), region, runs, self.pushed.len()));
        self.begin_run(pass, region);
    }

    /// Publishes what needs no input and queues what has all.
    pub(super) fn begin_run(&mut self, pass: &mut Pass, region: Option<u32>) {
        if let Some(region) = region {
            for &(unit, input) in &self.parts.inner[region as usize] {
                if std::mem::take(&mut self.is_set[input as usize]) {
                    self.missing[unit as usize] += 1;
                }
            }
        }
        let parts = Arc::clone(&self.parts);
        self.recorder.iter_mut().for_each(|recorder| recorder.enter(region));
        // Found before anything is published: what that completes is queued as it is set.
        let mut complete = std::mem::take(&mut self.complete);
        complete.clear();
        if let Some(region) = region {
            let units = pass.program.regions[region as usize].units.iter().copied();
            complete.extend(units.filter(|unit| self.missing[*unit as usize] == 0));
        }
        for &number in &parts.begins[region.map_or(0, |region| region as usize + 1)] {
            if pass.stage == 0 || parts.gates[number as usize].is_none() {
                self.publish(pass, number);
            }
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.queue.extend(if region.is_none() { &parts.ready } else { &complete });
        }
        self.complete = complete;
    }

    /// Ends a run of the step or a region; another may follow.
    pub(super) fn end_run(&mut self, pass: &mut Pass) -> Result<(), Fault> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let (run, runs, first_push) = (frame.run + 1, frame.runs, frame.first_push);
        if let Some(number) = frame.region {
            let region = &pass.program.regions[number as usize];
            let goes_on = match region.condition {
                Some(output) => pass.values[pass.program.outputs[output as usize].offset as usize] > 0.0,
                None => run < runs,
            };
            if goes_on {
                frame.run = run;
            }
            if region.is_iterated {
                self.commit_run(pass, number, first_push);
            }
            if goes_on {
                if region.condition.is_some() && run >= region.limit {
                    return Err(region.beyond_limit());
                }
                if self.is_cancelled() {
                    return Err(Fault::cancelled());
                }
                self.begin_run(pass, Some(number));
                return Ok(());
            }
        }
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        frame.region.into_iter().for_each(|region| self.set_exits(pass, region));
        self.spare.push(frame);
        Ok(())
    }

    /// Takes the new states over that a run of a region has made.
    pub(super) fn commit_run(&mut self, pass: &mut Pass, region: u32, first_push: usize) {
        for &unit in &self.parts.all[region as usize] {
            for slot in pass.program.states_of(&pass.program.units[unit as usize]) {
                if slot.kind == StateKind::Discrete {
                    let elements = slot.offset as usize..(slot.offset + slot.width) as usize;
                    pass.context.discrete[elements.clone()].copy_from_slice(&self.next[elements]);
                }
            }
        }
        self.push(pass.context, first_push);
    }

    /// Begins the runs of a region, as its gate says, or leaves it out.
    pub(super) fn decide(&mut self, pass: &mut Pass, number: u32) -> Result<(), Fault> {
        let region = &pass.program.regions[number as usize];
        let runs = pass.program.runs_of(number) as usize;
        let [runs, anew] = [runs, runs + 1].map(|output| pass.values[pass.program.outputs[output].offset as usize]);
        if pass.stage > 0 && region.is_iterated {
            self.set_exits(pass, number);
            return Ok(());
        }
        if pass.stage == 0 && region.can_reset && anew != 0.0 {
            self.begin_anew(pass, number);
        }
        if runs > region.limit as f64 {
            return Err(region.beyond_limit());
        }
        // Not-a-number counts as 0.
        let runs = runs as u64;
        if runs > 0 {
            self.enter(pass, Some(number), runs);
            return Ok(());
        }
        if pass.stage == 0 {
            for exit in region.exits.iter().filter(|exit| exit.idle_resets) {
                let unit = &pass.program.units[pass.program.outputs[exit.output as usize].unit as usize];
                idle_values(pass.program, unit, &mut self.interpreter, pass.context, pass.values);
            }
        }
        self.set_exits(pass, number);
        Ok(())
    }

    /// Gives all states in a region their initial values, and the parts in it the values from before they ran.
    pub(super) fn begin_anew(&mut self, pass: &mut Pass, region: u32) {
        for &number in &self.parts.all[region as usize] {
            let unit = &pass.program.units[number as usize];
            pass.context.begin_states(pass.program, unit, &mut self.interpreter);
            for slot in pass.program.states_of(unit) {
                let elements = slot.offset as usize..(slot.offset + slot.width) as usize;
                match slot.kind {
                    StateKind::Discrete => {
                        self.next[elements.clone()].copy_from_slice(&pass.context.discrete[elements]);
                    }
                    StateKind::Continuous => {
                        self.stage_continuous[elements.clone()].copy_from_slice(&pass.context.continuous[elements]);
                    }
                    StateKind::History { .. } => {}
                }
            }
            if unit.region != Some(region) {
                idle_values(pass.program, unit, &mut self.interpreter, pass.context, pass.values);
            }
        }
    }

    pub(super) fn set_exits(&mut self, pass: &Pass, region: u32) {
        for exit in &pass.program.regions[region as usize].exits {
            self.set_readers(pass.program, exit.output as usize);
        }
    }
}

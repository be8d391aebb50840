//! The assertion reports of blocks in a run: lines on standard error, objects in the result.

use serde::Serialize;

use super::output::complain;
use super::run::RunArgs;
use crate::block::{Reaction, number_text};
use crate::engine::{AssertionEvent, HeldSwitch, NonFinite, Samples};
use crate::model::Simulation;

/// Collects and prints the assertion reports of a run.
pub(super) struct AssertionReport<'a> {
    simulation: &'a Simulation,
    is_quiet: bool,
    pub notices: Vec<AssertionJson>,
    /// The number of warnings that were not printed.
    unprinted: u64,
    end: Option<Reaction>,
}

#[derive(Serialize)]
pub(super) struct AssertionJson {
    step: u64,
    /// The time in seconds.
    time: f64,
    block: String,
    message: String,
    action: &'static str,
}

/// The maximum numbers of reports on standard error and in the result.
const MAX_PRINTED: usize = 20;
const MAX_KEPT: usize = 1000;

impl<'a> AssertionReport<'a> {
    pub fn new(args: &RunArgs, simulation: &'a Simulation) -> AssertionReport<'a> {
        AssertionReport { simulation, is_quiet: args.quiet, notices: Vec::new(), unprinted: 0, end: None }
    }

    pub fn take(&mut self, samples: &Samples) {
        self.unprinted += samples.left_out();
        self.end = samples.end();
        samples.assertions().iter().for_each(|notice| self.add(notice));
    }

    fn add(&mut self, AssertionEvent { step, time, block, reaction, message }: &AssertionEvent) {
        let is_last = *reaction != Reaction::Warn;
        let block = block.text(self.simulation);
        if self.notices.len() >= MAX_PRINTED && !is_last {
            self.unprinted += 1;
        } else if !self.is_quiet {
            let action = match reaction {
                Reaction::Warn => "warning",
                Reaction::Pause | Reaction::Stop => "stopped",
                Reaction::Finish => "finished",
            };
            let time = number_text(*time);
            complain(&format!("{action}: step {step}, {time} s: {message}\n  block: {block}"));
        }
        if self.notices.len() >= MAX_KEPT && !is_last {
            return;
        }
        let action = name_of(*reaction);
        self.notices.push(AssertionJson { step: *step, time: *time, block, message: message.clone(), action });
    }

    /// Reports the first signal that became infinite or not-a-number, and its step.
    pub fn non_finite(&mut self, step: u64, delta: f64, NonFinite { block, problem }: &NonFinite) {
        let message = format!("{problem}; use --stop-at-non-finite to end the run there and to find the cause");
        let (time, reaction) = (step as f64 * delta, Reaction::Warn);
        self.add(&AssertionEvent { step, time, block: block.clone(), reaction, message });
    }

    /// Reports where the solver has held a switch in its switching point.
    pub fn held(&mut self, delta: f64, held: &[HeldSwitch]) {
        for switch in held {
            let HeldSwitch { since, block, .. } = switch;
            let (block, message) = (block.text(self.simulation), switch.meaning());
            if !self.is_quiet {
                complain(&format!("note: from {} s on: {message}\n  block: {block}", number_text(*since)));
            }
            let step = (since / delta) as u64;
            self.notices.push(AssertionJson { step, time: *since, block, message: message.to_owned(), action: "note" });
        }
    }

    /// Prints how the run ended after `steps` steps.
    pub fn finish(&self, steps: u64) {
        if self.is_quiet {
            return;
        }
        if self.unprinted > 0 {
            complain(&format!("{} further warnings are not shown", self.unprinted));
        }
        match self.end {
            Some(Reaction::Pause) => {
                complain(&format!("a block paused the run after {steps} steps; it cannot be resumed here"))
            }
            Some(Reaction::Stop) => complain(&format!("a block stopped the run after {steps} steps")),
            Some(Reaction::Finish) => complain(&format!("a block ended the run after {steps} steps")),
            Some(Reaction::Warn) | None => {}
        }
    }

    /// Whether no block has ended the run.
    pub fn is_running(&self) -> bool {
        self.end.is_none()
    }

    /// Whether a failed assertion ended the run.
    pub fn is_stopped(&self) -> bool {
        matches!(self.end, Some(Reaction::Pause | Reaction::Stop))
    }
}

fn name_of(reaction: Reaction) -> &'static str {
    match reaction {
        Reaction::Warn => "warn",
        Reaction::Pause => "pause",
        Reaction::Stop => "stop",
        Reaction::Finish => "finish",
    }
}

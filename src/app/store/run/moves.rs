//! Follows the blocks and signals that the document moves: recordings have the addresses of now, the engine those of the
//! program that it runs.

use std::sync::Arc;

use super::RunSession;
use super::same::is_same;
use crate::engine::Breakpoint;
use crate::model::{BlockAddress, ParamAddress, SignalKey, Simulation, Update};

/// The number of changes without results that are kept.
const MAX_KEPT: usize = 64;

impl RunSession {
    /// Lets all runs follow a change of the document.
    pub fn relocate(&mut self, update: &Update) {
        if !update.moves.is_empty() {
            self.give_up_backfill();
            self.runs.iter_mut().for_each(|run| run.relocate(update));
        }
        if update.keeps_results && !is_same(&update.before, &update.after) {
            self.kept.push(update.clone());
            let excess = self.kept.len().saturating_sub(MAX_KEPT);
            self.kept.drain(..excess);
        }
    }

    /// Whether a state of the document gives the results of an earlier one.
    pub(super) fn gives_same_results(&self, ran: &Arc<Simulation>, now: &Arc<Simulation>) -> bool {
        let mut state = ran;
        for update in &self.kept {
            if is_same(state, &update.before) {
                state = &update.after;
            }
        }
        is_same(ran, now) || is_same(state, now)
    }

    /// Watches the signals of the document under their addresses in the live run.
    pub(super) fn watch_moved(&self) {
        let live = self.live.and_then(|live| self.runs.get(live));
        let moved = |signal: &SignalKey| live.map_or_else(|| signal.clone(), |run| run.signal_in_program(signal));
        self.runner.watch(self.watched.iter().map(moved).collect());
    }

    /// Sets the breakpoints at their addresses in the live run.
    pub(super) fn break_at_moved(&self) {
        let live = self.live.and_then(|live| self.runs.get(live));
        let moved = |breakpoint: &Breakpoint| match (breakpoint.clone(), live) {
            (Breakpoint::Signal { signal, condition }, Some(run)) => {
                Breakpoint::Signal { signal: run.signal_in_program(&signal), condition }
            }
            (other, _) => other,
        };
        self.runner.break_at(self.breakpoints.iter().map(moved).collect());
    }

    /// Returns the address of a parameter in the live run.
    pub(super) fn param_in_live(&self, param: &ParamAddress) -> ParamAddress {
        let live = self.live.and_then(|live| self.runs.get(live));
        live.map_or_else(|| param.clone(), |run| run.param_in_program(param))
    }

    /// Returns the address of a block in the live run.
    pub(super) fn block_in_live(&self, block: BlockAddress) -> BlockAddress {
        let live = self.live.and_then(|live| self.runs.get(live));
        live.map_or(block.clone(), |run| run.block_in_program(&block))
    }
}

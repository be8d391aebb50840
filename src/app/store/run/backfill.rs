//! Backfill of signals that were not recorded during the run: the engine repeats its steps in the background.
//!
//! Live samples of such a signal are held back until all earlier ones have arrived.

use std::ops::Range;

use super::{RunRecord, RunSession, RunState};
use crate::engine::{Recording, RunId};
use crate::model::SignalKey;

pub(super) struct Backfill {
    run: RunId,
    /// The number of steps of the run at the request.
    steps: u64,
    /// The requested signals, and those still missing.
    asked: Vec<SignalKey>,
    missing: Vec<SignalKey>,
    early: Recording,
    late: Recording,
}

impl RunSession {
    /// Requests the missing samples of watched signals, if the current run is not advancing and the engine has it.
    pub fn fill(&mut self) {
        let is_moving = matches!(self.state, RunState::Running | RunState::Preparing) && self.shows_live();
        let Some(run) = self.runs.current().filter(|run| run.steps > 0 && !is_moving) else { return };
        let Some(id) = run.id else { return };
        let is_missing = |signal: &&SignalKey| run.recording.columns(signal).is_empty();
        let missing: Vec<SignalKey> = self.watched.iter().filter(is_missing).cloned().collect();
        let is_asked = self.backfill.as_ref().is_some_and(|backfill| {
            let is_known = |signal| backfill.asked.contains(signal);
            backfill.run == id
                && (backfill.steps == run.steps || !backfill.missing.is_empty())
                && missing.iter().all(is_known)
        });
        if missing.is_empty() || is_asked {
            return;
        }
        let (steps, delta) = (run.steps, run.recording.delta);
        let in_program = missing.iter().map(|signal| run.signal_in_program(signal)).collect();
        self.give_up_backfill();
        self.runner.fill(id, in_program);
        let (early, late) = (Recording::new(delta), Recording::new(delta));
        self.backfill = Some(Backfill { run: id, steps, asked: missing.clone(), missing, early, late });
    }

    /// Takes backfilled samples of a part of these steps.
    pub(super) fn fill_in(&mut self, run: RunId, signal: &SignalKey, steps: Range<u64>, width: usize, values: &[f64]) {
        let Some(backfill) = self.backfill.as_mut().filter(|backfill| backfill.run == run) else { return };
        if !backfill.missing.contains(signal) {
            return;
        }
        backfill.early.append(signal, steps.start, width, values);
        let is_whole = backfill.early.columns(signal).first().is_some_and(|column| column.steps().end >= steps.end);
        let Some(record) = self.runs.with_id(run).filter(|_| is_whole) else { return };
        for part in [&backfill.early, &backfill.late] {
            move_into(record, part, signal);
        }
        backfill.missing.retain(|known| known != signal);
    }

    /// Holds back live samples of a signal that is being backfilled; returns whether it did.
    pub(super) fn keep_for_later(&mut self, signal: &SignalKey, first: u64, width: usize, values: &[f64]) -> bool {
        let live = self.live_id();
        let Some(backfill) = self.backfill.as_mut().filter(|backfill| Some(backfill.run) == live) else { return false };
        let waits = backfill.missing.contains(signal);
        if waits {
            backfill.late.append(signal, first, width, values);
        }
        waits
    }

    /// Cancels the backfill: held-back samples are appended without those before them.
    pub(super) fn give_up_backfill(&mut self) {
        let Some(backfill) = self.backfill.take() else { return };
        let Some(record) = self.runs.with_id(backfill.run) else { return };
        for signal in &backfill.missing {
            move_into(record, &backfill.late, signal);
        }
    }
}

/// Appends a recording's samples of a signal to a run.
fn move_into(to: &mut RunRecord, from: &Recording, signal: &SignalKey) {
    let columns = from.columns(signal);
    let Some(first) = columns.first() else { return };
    let elements: Vec<Vec<f64>> = columns.iter().map(|column| column.values().to_vec()).collect();
    let rows = (0..first.len()).flat_map(|row| elements.iter().filter_map(move |element| element.get(row).copied()));
    let values: Vec<f64> = rows.collect();
    to.append(signal, first.steps().start, elements.len(), &values);
}

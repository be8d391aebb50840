//! Samples of signals that were not recorded while the run made them: its steps are made once more behind it.
//!
//! What the run itself sends of such a signal meanwhile waits until all before it is there.

use std::ops::Range;

use super::{RunRecord, RunSession, RunState};
use crate::engine::{Recording, RunId};
use crate::model::SignalKey;

pub(super) struct Backfill {
    run: RunId,
    /// Steps that the run had when it was asked for.
    steps: u64,
    /// What is asked for, and what of it is still to come.
    asked: Vec<SignalKey>,
    missing: Vec<SignalKey>,
    early: Recording,
    late: Recording,
}

impl RunSession {
    /// Asks for the samples of watched signals that the current run does not have, where it stands still and is kept.
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
        self.give_up_backfill();
        self.runner.fill(id, missing.clone());
        let (early, late) = (Recording::new(delta), Recording::new(delta));
        self.backfill = Some(Backfill { run: id, steps, asked: missing.clone(), missing, early, late });
    }

    /// Samples came that were asked for, of a part of these steps.
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

    /// Whether samples that the live run sends wait for those before them.
    pub(super) fn keep_for_later(&mut self, signal: &SignalKey, first: u64, width: usize, values: &[f64]) -> bool {
        let live = self.live_id();
        let Some(backfill) = self.backfill.as_mut().filter(|backfill| Some(backfill.run) == live) else { return false };
        let waits = backfill.missing.contains(signal);
        if waits {
            backfill.late.append(signal, first, width, values);
        }
        waits
    }

    /// Other samples are asked for: what waits goes where it belongs, without what was before it.
    fn give_up_backfill(&mut self) {
        let Some(backfill) = self.backfill.take() else { return };
        let Some(record) = self.runs.with_id(backfill.run) else { return };
        for signal in &backfill.missing {
            move_into(record, &backfill.late, signal);
        }
    }
}

/// Appends what a recording has of a signal to a run.
fn move_into(to: &mut RunRecord, from: &Recording, signal: &SignalKey) {
    let columns = from.columns(signal);
    let Some(first) = columns.first() else { return };
    let lanes: Vec<Vec<f64>> = columns.iter().map(|column| column.values().to_vec()).collect();
    let rows = (0..first.len()).flat_map(|row| lanes.iter().filter_map(move |lane| lane.get(row).copied()));
    let values: Vec<f64> = rows.collect();
    to.append(signal, first.steps().start, lanes.len(), &values);
}

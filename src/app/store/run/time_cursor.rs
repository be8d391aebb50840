//! The shown step of the current run, and its values.
//!
//! At most one request is pending at the engine; of later ones only the last is kept, so that drags do not queue up.

use std::time::{Duration, Instant};

use super::{RunSession, RunState};
use crate::app::doc::curve::{Between, CurveParts};
use crate::engine::{Bucket, Column, RunId, StepValues};
use crate::model::SignalKey;

/// The interval of requests for unrecorded values during a run.
const EVERY: Duration = Duration::from_millis(100);

#[derive(Default)]
pub(super) struct TimeCursor {
    /// The chosen step of the current run; `None`: the latest.
    cursor: Option<u64>,
    seen: Option<StepValues>,
    /// The pending request: run and step.
    asked: Option<(RunId, Option<u64>)>,
    wanted: Option<(RunId, Option<u64>)>,
    /// The last request that the engine declined.
    refused: Option<(RunId, Option<u64>)>,
    /// The time of the last request.
    since: Option<Instant>,
    play: Option<Play>,
}

impl TimeCursor {
    /// Shows the latest step of a new run.
    pub fn begin(&mut self) {
        (self.cursor, self.play, self.seen) = (None, None, None);
    }
}

/// The playback of recorded steps.
#[derive(Clone, Copy)]
struct Play {
    from: u64,
    since: Instant,
    /// Simulated seconds per second.
    rate: f64,
}

impl RunSession {
    /// The chosen step of the current run; `None`: the latest.
    pub fn chosen_step(&self) -> Option<u64> {
        self.time_cursor.cursor
    }

    /// Returns the shown step: the chosen one, or the latest.
    pub fn shown_step(&self) -> Option<u64> {
        self.time_cursor.cursor.or_else(|| self.last_step())
    }

    /// Returns the latest completed step of the current run.
    pub fn last_step(&self) -> Option<u64> {
        self.runs.current()?.steps.checked_sub(1)
    }

    /// Shows a step of the current run; `None`: the latest.
    pub fn choose_step(&mut self, step: Option<u64>) {
        self.time_cursor.play = None;
        self.set_cursor(step);
    }

    fn set_cursor(&mut self, step: Option<u64>) {
        let last = self.last_step();
        let cursor = step.and_then(|step| Some(step.min(last?)));
        if cursor == self.time_cursor.cursor {
            return;
        }
        let was_in_past = self.time_cursor.cursor.is_some();
        self.time_cursor.cursor = cursor;
        match cursor {
            Some(step) => self.want(Some(step)),
            // Values set while an earlier step was shown take effect now.
            None if was_in_past => self.follow_now(),
            None => {}
        }
    }

    /// Moves the shown step by `count`. Returns false at the end of the recorded steps.
    pub fn move_by(&mut self, count: i64) -> bool {
        let (Some(last), Some(now)) = (self.last_step(), self.shown_step()) else { return false };
        let to = now.saturating_add_signed(count).min(last);
        self.choose_step(Some(to));
        to != now
    }

    /// Shows the latest step.
    pub fn look_at_end(&mut self) {
        self.choose_step(None);
    }

    /// Shows another run in plots and diagram, at the same step if it has it.
    pub fn show(&mut self, number: u64) {
        self.runs.show(number);
        self.look_again();
    }

    /// Updates the view after a change of the current run.
    pub(super) fn look_again(&mut self) {
        let cursor = self.time_cursor.cursor.take();
        self.time_cursor.seen = None;
        self.choose_step(cursor);
    }

    /// Plays the recorded steps at `rate` simulated seconds per second; from the start if the end is shown.
    pub fn play(&mut self, rate: f64) {
        let Some(last) = self.last_step() else { return };
        let from = self.shown_step().filter(|step| *step < last).unwrap_or(0);
        self.set_cursor(Some(from));
        self.time_cursor.play = Some(Play { from, since: Instant::now(), rate });
    }

    pub fn stop_playing(&mut self) {
        self.time_cursor.play = None;
    }

    pub fn is_playing(&self) -> bool {
        self.time_cursor.play.is_some()
    }

    /// Advances the playback to the step that is due.
    pub fn play_on(&mut self) {
        let (Some(Play { from, since, rate }), Some(last)) = (self.time_cursor.play, self.last_step()) else { return };
        let passed = since.elapsed().as_secs_f64() * rate / self.recording().delta;
        let step = from.saturating_add(passed as u64);
        self.set_cursor(Some(step));
        if step >= last {
            self.time_cursor.play = None;
        }
    }

    /// Returns the elements of a signal of the current run in the shown step.
    pub fn value(&self, signal: &SignalKey) -> Option<Vec<f64>> {
        let columns = self.recording().columns(signal);
        let value = |column: &Column| self.time_cursor.cursor.map_or(column.last(), |step| column.at_step(step));
        let recorded = columns.iter().map(value).collect::<Option<Vec<f64>>>().filter(|values| !values.is_empty());
        recorded.or_else(|| {
            let view = self.seen()?;
            let signal = self.runs.current()?.signal_in_program(signal);
            Some(view.value(&signal)?.to_vec()).filter(|values| !values.is_empty())
        })
    }

    /// Returns a signal's first element up to the shown step, reduced to at most `parts` parts.
    pub fn curve(&self, signal: &SignalKey, parts: usize) -> Option<CurveParts> {
        let column = self.recording().columns(signal).first()?;
        let end = self.time_cursor.cursor.map_or(u64::MAX, |step| step.saturating_add(1));
        let steps = column.steps().start..column.steps().end.min(end);
        let samples = || steps.clone().zip(column.range(steps.clone())).map(|(step, value)| Bucket::of(step, value));
        let parts = column.buckets(steps.clone(), parts).unwrap_or_else(|| samples().collect());
        Some(CurveParts { parts, between: Between::of(self.recording(), signal) })
    }

    /// Returns whether the current run has samples of a signal.
    pub fn is_recorded(&self, signal: &SignalKey) -> bool {
        !self.recording().columns(signal).is_empty()
    }

    /// Returns the last view of the current run.
    pub fn seen(&self) -> Option<&StepValues> {
        let id = self.runs.current()?.id;
        self.time_cursor.seen.as_ref().filter(|view| Some(view.run) == id)
    }

    /// Requests the unrecorded values of the shown step, unless they are here.
    pub fn need_values(&mut self) {
        let is_running = self.state == RunState::Running && self.shows_live();
        match self.time_cursor.cursor {
            Some(step) => self.want(Some(step)),
            None if is_running => {
                if self.time_cursor.since.is_none_or(|since| since.elapsed() >= EVERY) {
                    self.want(None);
                }
            }
            None => {
                if let Some(step) = self.last_step() {
                    self.want(Some(step));
                }
            }
        }
    }

    fn want(&mut self, step: Option<u64>) {
        // A run read from a file has only its recording.
        let Some(id) = self.runs.current().and_then(|run| run.id) else { return };
        let is_here = self.time_cursor.seen.as_ref().is_some_and(|view| view.run == id && Some(view.step) == step);
        if is_here || self.time_cursor.refused == Some((id, step)) {
            return;
        }
        self.time_cursor.wanted = Some((id, step));
        self.ask();
    }

    fn ask(&mut self) {
        if self.time_cursor.asked.is_some() {
            return;
        }
        let Some((run, step)) = self.time_cursor.wanted.take() else { return };
        self.time_cursor.asked = Some((run, step));
        self.time_cursor.since = Some(Instant::now());
        self.runner.look(run, step);
    }

    pub(super) fn awaits_view(&self) -> bool {
        self.time_cursor.asked.is_some()
    }

    pub(super) fn saw(&mut self, view: StepValues) {
        self.time_cursor.asked = None;
        self.time_cursor.seen = Some(view);
        self.ask();
    }

    /// Notes that the engine declined the request.
    pub(super) fn view_declined(&mut self) {
        if let Some(asked) = self.time_cursor.asked.take() {
            self.time_cursor.refused = Some(asked);
        }
        self.ask();
    }
}

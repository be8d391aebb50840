//! Which step of the current run is looked at, and the values of it.
//!
//! At most one wish is on its way to the engine; while it is, only the last of those that come after it is kept, so
//! that a drag never queues up.

use std::time::{Duration, Instant};

use super::{RunSession, RunState};
use crate::app::chart::{Between, CurveParts};
use crate::engine::{Bucket, Column, RunId, StepValues};
use crate::model::SignalKey;

/// While a run goes on, values of signals that are not recorded are asked for so often.
const EVERY: Duration = Duration::from_millis(100);

#[derive(Default)]
pub(super) struct TimeCursor {
    /// The step of the current run that is looked at; none: as far as it is.
    cursor: Option<u64>,
    seen: Option<StepValues>,
    /// Under way to the engine: the run and the step.
    asked: Option<(RunId, Option<u64>)>,
    wanted: Option<(RunId, Option<u64>)>,
    /// What the engine does not have.
    refused: Option<(RunId, Option<u64>)>,
    /// When values were asked for last.
    since: Option<Instant>,
    play: Option<Play>,
}

impl TimeCursor {
    /// Another run begins and is looked at as far as it is.
    pub fn begin(&mut self) {
        (self.cursor, self.play, self.seen) = (None, None, None);
    }
}

/// Recorded steps go by.
#[derive(Clone, Copy)]
struct Play {
    from: u64,
    since: Instant,
    /// Simulated seconds a second.
    rate: f64,
}

impl RunSession {
    /// The step of the current run that is looked at; none: as far as it is.
    pub fn chosen_step(&self) -> Option<u64> {
        self.time_cursor.cursor
    }

    /// The step that is shown: the chosen one, or the last that is done.
    pub fn shown_step(&self) -> Option<u64> {
        self.time_cursor.cursor.or_else(|| self.last_step())
    }

    /// The last step of the current run that is done.
    pub fn last_step(&self) -> Option<u64> {
        self.runs.current()?.steps.checked_sub(1)
    }

    /// Looks at a step of the current run, or again at as far as it is.
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
            // What was set while an earlier step was looked at acts where the run stands.
            None if was_in_past => self.follow_now(),
            None => {}
        }
    }

    /// Looks at so many steps later, or earlier where below 0. False where there are no further ones.
    pub fn move_by(&mut self, count: i64) -> bool {
        let (Some(last), Some(now)) = (self.last_step(), self.shown_step()) else { return false };
        let to = now.saturating_add_signed(count).min(last);
        self.choose_step(Some(to));
        to != now
    }

    /// Looks at as far as the run is.
    pub fn look_at_end(&mut self) {
        self.choose_step(None);
    }

    /// Shows another run in plots and diagram, at the same step as far as it has that.
    pub fn show(&mut self, number: u64) {
        self.runs.show(number);
        self.look_again();
    }

    /// The current run is another.
    pub(super) fn look_again(&mut self) {
        let cursor = self.time_cursor.cursor.take();
        self.time_cursor.seen = None;
        self.choose_step(cursor);
    }

    /// Lets the recorded steps go by, so many simulated seconds a second; from the begin where the end is shown.
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

    /// Moves on to the step that is due while recorded steps go by.
    pub fn play_on(&mut self) {
        let (Some(Play { from, since, rate }), Some(last)) = (self.time_cursor.play, self.last_step()) else { return };
        let passed = since.elapsed().as_secs_f64() * rate / self.recording().delta;
        let step = from.saturating_add(passed as u64);
        self.set_cursor(Some(step));
        if step >= last {
            self.time_cursor.play = None;
        }
    }

    /// The value of a signal of the current run in the step that is shown; one number a lane.
    pub fn value(&self, signal: &SignalKey) -> Option<Vec<f64>> {
        let columns = self.recording().columns(signal);
        let value = |column: &Column| self.time_cursor.cursor.map_or(column.last(), |step| column.at_step(step));
        let recorded = columns.iter().map(value).collect::<Option<Vec<f64>>>().filter(|values| !values.is_empty());
        recorded.or_else(|| {
            let view = self.seen()?;
            Some(view.value(signal)?.to_vec()).filter(|values| !values.is_empty())
        })
    }

    /// What a signal's first element does in so many parts of the current run, or fewer, up to the step that is shown.
    pub fn curve(&self, signal: &SignalKey, parts: usize) -> Option<CurveParts> {
        let column = self.recording().columns(signal).first()?;
        let end = self.time_cursor.cursor.map_or(u64::MAX, |step| step.saturating_add(1));
        let steps = column.steps().start..column.steps().end.min(end);
        let samples = || steps.clone().zip(column.range(steps.clone())).map(|(step, value)| Bucket::of(step, value));
        let parts = column.buckets(steps.clone(), parts).unwrap_or_else(|| samples().collect());
        Some(CurveParts { parts, between: Between::of(self.recording(), signal) })
    }

    /// Whether the current run records a signal, or did.
    pub fn is_recorded(&self, signal: &SignalKey) -> bool {
        !self.recording().columns(signal).is_empty()
    }

    /// What was seen last of the current run.
    pub fn seen(&self) -> Option<&StepValues> {
        let id = self.runs.current()?.id;
        self.time_cursor.seen.as_ref().filter(|view| Some(view.run) == id)
    }

    /// Values are shown that are not recorded: they are asked for where they are not here yet.
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
        // What was read from a file is known by its recording alone.
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

    pub(super) fn saw(&mut self, view: View) {
        self.time_cursor.asked = None;
        self.time_cursor.seen = Some(view);
        self.ask();
    }

    /// The engine has not what it was asked for.
    pub(super) fn view_declined(&mut self) {
        if let Some(asked) = self.time_cursor.asked.take() {
            self.time_cursor.refused = Some(asked);
        }
        self.ask();
    }
}

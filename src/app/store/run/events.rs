//! Takes the events of the engine: the state of the run, samples, and messages for the user.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Progress, RunSession, RunState};
use crate::engine::{AssertionEvent, Breakpoint, Event, HeldSwitch, ParamChange, RunErrorKind};
use crate::model::{BlockAddress, Diagnostic};

/// The time per frame for taking in events; the rest waits for the next frame, and so does the engine.
const FRAME_SHARE: Duration = Duration::from_millis(5);

/// An event of a run for the window.
pub enum RunEvent {
    /// The model cannot run.
    Refused(Vec<Diagnostic>),
    /// A step failed; `block` is the path and the id of the block that caused it. The run is over,
    /// or paused before that step.
    Failed { message: String, block: Option<BlockAddress>, kind: RunErrorKind, is_over: bool },
    /// Reports of assertions, and the number of omitted ones.
    Reports { assertions: Vec<AssertionEvent>, left_out: u64 },
    /// The run is over, and the solver has held these switches in their switching points.
    Held(Vec<HeldSwitch>),
    /// A parameter changed from a step on.
    Changed(ParamChange),
    /// The edited diagram takes effect at a step; the report lists the migrated blocks.
    Edited { step: u64, report: String },
    /// A request was declined.
    Declined(String),
    /// A breakpoint was hit at this step.
    BreakpointHit { step: u64, breakpoint: Breakpoint },
}

impl RunSession {
    /// Takes in the engine's events; returns those for the user.
    pub fn poll(&mut self) -> Vec<RunEvent> {
        let since = Instant::now();
        let mut news = Vec::new();
        self.has_more = true;
        while since.elapsed() < FRAME_SHARE {
            let Some(event) = self.runner.poll().next() else {
                self.has_more = false;
                break;
            };
            news.extend(self.take(event));
        }
        if self.state == RunState::Running {
            self.measure();
        }
        news
    }

    /// Waits until the run has ended or paused and its view has arrived, or for `timeout` without events.
    pub fn wait(&mut self, timeout: Duration) -> Vec<RunEvent> {
        let mut news = Vec::new();
        while (matches!(self.state, RunState::Preparing | RunState::Running) || self.awaits_view())
            && let Some(event) = self.runner.wait(timeout)
        {
            news.extend(self.take(event));
        }
        news
    }

    fn take(&mut self, event: Event) -> Option<RunEvent> {
        let mut news = None;
        match event {
            Event::Values(view) => self.saw(*view),
            Event::Backfilled { run, signal, first, until, width, values } => {
                let now = self.runs.with_id(run).map(|run| run.signals_now(&signal)).unwrap_or_default();
                for signal in now {
                    self.fill_in(run, &signal, first..until, width, &values);
                }
                return None;
            }
            // Without a started run, an event belongs to a removed one.
            _ if self.state == RunState::Idle => return None,
            Event::Started { engine, program } => {
                self.engine = engine;
                self.remote_costs.clear();
                self.state = RunState::Running;
                let of_run = self.live.and_then(|live| self.runs.get(live)).map_or(&[][..], |run| &run.changes);
                self.live_params.begin(Arc::clone(&program.0), of_run);
                if let Some(run) = self.live_run() {
                    run.engine = engine.to_owned();
                    run.go_by(program.0);
                }
            }
            Event::Refused(diagnostics) => {
                self.retire();
                self.state = RunState::Idle;
                return Some(RunEvent::Refused(diagnostics));
            }
            Event::Samples { signal, first, width, values } => {
                let now = self.live_run().map(|run| run.signals_now(&signal)).unwrap_or_default();
                for signal in now {
                    if !self.keep_for_later(&signal, first, width, &values)
                        && let Some(run) = self.live_run()
                    {
                        run.append(&signal, first, width, &values);
                    }
                }
            }
            Event::Progress { step, time, executed, overruns } => {
                let steps_per_second = self.progress.steps_per_second;
                self.broke = None;
                self.progress = Progress { step, time, executed, steps_per_second, overruns };
            }
            Event::RemoteCosts(costs) => self.remote_costs = costs,
            Event::Assertions { assertions, left_out } => news = Some(RunEvent::Reports { assertions, left_out }),
            Event::WentBack { step, time } => {
                if let Some(run) = self.live_run() {
                    run.recording.truncate(step);
                }
                (self.progress.step, self.progress.time) = (step, time);
                if self.live_run().is_some_and(|run| run.branched.is_some()) {
                    self.follow_now();
                }
            }
            Event::ParamSet(change) => {
                self.live_params.note(&change);
                if let Some(run) = self.live_run() {
                    run.changes.retain(|known| known.step <= change.step && *known != change);
                    run.changes.push(change.clone());
                }
                news = Some(RunEvent::Changed(change));
            }
            Event::Edited { step, program, params, migration } => {
                self.live_params.edit(Arc::clone(&program.0), params);
                let report = migration.to_string();
                if let Some(run) = self.live_run() {
                    run.moves.clear();
                    run.go_by(program.0);
                    run.edits.push((step, report.clone()));
                }
                news = Some(RunEvent::Edited { step, report });
            }
            Event::Declined { message } => {
                self.view_declined();
                news = Some(RunEvent::Declined(message));
            }
            Event::BreakpointHit { step, breakpoint } => {
                self.broke = self.breakpoints.get(breakpoint).cloned();
                news = self.broke.clone().map(|breakpoint| RunEvent::BreakpointHit { step, breakpoint });
            }
            Event::Paused => self.state = RunState::Paused,
            Event::Resumed => self.state = RunState::Running,
            Event::Finished { steps, was_stopped, held, .. } => {
                self.progress.step = steps;
                self.state = if was_stopped { RunState::Stopped } else { RunState::Finished };
                news = (!held.is_empty()).then_some(RunEvent::Held(held));
            }
            Event::PausedByError { message, block, kind } => {
                self.state = RunState::PausedByError(message.clone());
                news = Some(RunEvent::Failed { message, block, kind, is_over: false });
            }
            Event::Failed { message, block } => {
                self.state = RunState::Failed(message.clone());
                news = Some(RunEvent::Failed { message, block, kind: RunErrorKind::Step, is_over: true });
            }
        }
        self.note_live();
        news
    }

    /// Copies state and progress into the live run's record.
    fn note_live(&mut self) {
        let (state, steps) = (self.state.clone(), self.progress.step);
        if let Some(run) = self.live_run() {
            (run.state, run.steps) = (state, steps);
        }
    }

    /// Measures the steps per second over half a second or more.
    fn measure(&mut self) {
        let now = Instant::now();
        match self.measured {
            Some((since, step)) => {
                let seconds = now.duration_since(since).as_secs_f64();
                if seconds > 0.5 {
                    self.progress.steps_per_second = self.progress.step.saturating_sub(step) as f64 / seconds;
                    self.measured = Some((now, self.progress.step));
                }
            }
            None => self.measured = Some((now, self.progress.step)),
        }
    }
}

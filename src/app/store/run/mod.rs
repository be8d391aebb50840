//! The runs of the open document: requests to the engine, progress, results.
//!
//! `events` takes in what the engine sends, `time_cursor` selects the shown step and plays recorded steps, `live_params` applies changes of the document to a
//! run, `moves` follows blocks and signals that the document moves, `backfill` gets samples of signals that were not recorded, `start_request` describes a run to start, `same`
//! compares documents by their results.

mod backfill;
mod events;
mod live_params;
mod moves;
mod same;
mod start_request;
mod time_cursor;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use eframe::egui;

pub use self::events::RunEvent;
pub use self::live_params::{CheckedDocument, TakesEffect};
pub use self::start_request::{StartMode, StartRequest};

use self::backfill::Backfill;
use self::live_params::LiveParams;
pub(in crate::app::store) use self::same::is_same;
use self::time_cursor::TimeCursor;
use super::runs::{RunRecord, RunSource, Runs};
use crate::app::store::speed::SpeedChoice;
use crate::engine::{Breakpoint, Engines, Recording, RemoteCost, RunId, Runner, SpillFile, Start};
use crate::model::{BlockId, SignalKey, Simulation, Update};

/// The state of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RunState {
    #[default]
    Idle,
    /// The engine compiles the model.
    Preparing,
    Running,
    Paused,
    /// Paused before a step that failed, with the reason; resuming tries the step again.
    PausedByError(String),
    Finished,
    Stopped,
    Failed(String),
}

impl RunState {
    /// Returns whether the run is paused.
    pub fn is_paused(&self) -> bool {
        matches!(self, RunState::Paused | RunState::PausedByError(_))
    }
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    pub step: u64,
    /// Simulated seconds.
    pub time: f64,
    /// Block executions.
    pub executed: u64,
    pub steps_per_second: f64,
    /// The number of times a paced run fell behind.
    pub overruns: u64,
}

/// The runs of the open document and their engine thread.
pub struct RunSession {
    runner: Runner,
    runs: Runs,
    /// The number of the engine's current or last run.
    live: Option<u64>,
    /// The state of the live run.
    pub state: RunState,
    pub progress: Progress,
    time_cursor: TimeCursor,
    live_params: LiveParams,
    breakpoints: Vec<Breakpoint>,
    /// The breakpoint at which the run is paused.
    pub broke: Option<Breakpoint>,
    backfill: Option<Backfill>,
    /// The number of steps of the run; `None`: until stopped.
    pub steps: Option<u64>,
    /// The simulation of the live run, including applied changes.
    simulation: Option<Arc<Simulation>>,
    /// The document has changed since in a way that changes results.
    pub is_stale: bool,
    pub watched: Vec<SignalKey>,
    /// The name of its engine.
    pub engine: &'static str,
    /// The costs of its remote blocks so far.
    pub remote_costs: Vec<RemoteCost>,
    /// The engines to which an edited run can change.
    engines: Engines,
    /// The start mode of the last run.
    pub begun: StartMode,
    /// The last chosen engine, its thread limit, and whether remote blocks run in workers.
    chosen: Option<(&'static str, Option<usize>, bool)>,
    measured: Option<(Instant, u64)>,
    /// More events are pending.
    pub has_more: bool,
    /// Runs pause at the first infinite or NaN value.
    stops_at_non_finite: bool,
    /// Stores samples beyond the memory limit.
    pub spill_file: Option<Arc<dyn SpillFile>>,
    /// Edits of the diagram are applied to the live run.
    pub takes_edits: bool,
    /// The last changes of the document that kept all results.
    kept: Vec<Update>,
}

impl RunSession {
    pub fn new(ctx: &egui::Context, engines: Engines) -> RunSession {
        let wake = ctx.clone();
        RunSession {
            runner: Runner::new(move || wake.request_repaint()),
            runs: Runs::default(),
            live: None,
            state: RunState::Idle,
            progress: Progress::default(),
            time_cursor: TimeCursor::default(),
            live_params: LiveParams::default(),
            breakpoints: Vec::new(),
            broke: None,
            backfill: None,
            steps: None,
            simulation: None,
            is_stale: false,
            watched: Vec::new(),
            engine: "",
            remote_costs: Vec::new(),
            engines,
            begun: StartMode::Running,
            chosen: None,
            measured: None,
            has_more: false,
            stops_at_non_finite: false,
            spill_file: None,
            takes_edits: false,
            kept: Vec::new(),
        }
    }

    pub fn is_active(&self) -> bool {
        matches!(self.state, RunState::Preparing | RunState::Running) || self.state.is_paused()
    }

    /// All runs of the document.
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    pub fn runs_mut(&mut self) -> &mut Runs {
        &mut self.runs
    }

    /// Returns the recording of the current run.
    pub fn recording(&self) -> &Recording {
        self.runs.recording()
    }

    /// Returns the number of the engine's run.
    pub fn live(&self) -> Option<u64> {
        self.live
    }

    fn live_run(&mut self) -> Option<&mut RunRecord> {
        self.runs.get_mut(self.live?)
    }

    fn live_id(&self) -> Option<RunId> {
        self.runs.get(self.live?)?.id
    }

    /// Returns whether the current run is the engine's run.
    pub fn shows_live(&self) -> bool {
        self.runs.current().is_some_and(|run| Some(run.number) == self.live)
    }

    /// Starts a run; earlier runs are kept within the memory limit. An unchanged simulation starts again without
    /// recompiling.
    pub fn start(&mut self, wanted: StartRequest) {
        let Some(engine) = &wanted.engine else { return };
        // A program compiled for another engine cannot be used.
        let chosen = (engine.name(), wanted.threads, wanted.is_remote);
        // Workers may have changed since.
        let is_same_engine = self.chosen == Some(chosen) && !wanted.is_remote;
        self.chosen = Some(chosen);
        // The layout of the diagram does not matter to the engine.
        let before = self.simulation.as_ref().filter(|ran| is_same(ran, wanted.simulation));
        let before = before.filter(|_| is_same_engine && self.live_params.can_run_again());
        let ready = self.live_id().zip(before.cloned());
        let simulation = ready.as_ref().map_or(wanted.simulation, |(_, simulation)| simulation);
        self.steps = Some(simulation.steps).filter(|steps| *steps > 0);
        let start = Start {
            simulation: Arc::clone(simulation),
            registry: Arc::clone(wanted.registry),
            engine: Arc::clone(engine),
            steps: self.steps,
            watch: wanted.watch.clone(),
            speed: wanted.speed.into(),
            is_paused: wanted.begin != StartMode::Running || !wanted.changes.is_empty(),
            refuses_non_finite: self.stops_at_non_finite,
        };
        self.begun = wanted.begin;
        self.retire();
        let id = match ready {
            Some((of, _)) => self.runner.start_again(start, of),
            None => self.runner.start(start),
        };
        self.runner.break_at(self.breakpoints.clone());
        let is_planned = !wanted.changes.is_empty();
        if is_planned {
            self.runner.plan(wanted.changes);
        }
        match wanted.begin {
            StartMode::Running if is_planned => self.runner.resume(),
            StartMode::Running => {}
            StartMode::Steps(count) => self.runner.step(count),
            StartMode::To(step) => self.runner.run_to(step),
        }
        let source = RunSource::new(Arc::clone(wanted.simulation), wanted.path.map(Path::to_owned));
        source.take_fingerprint();
        self.begin(RunRecord { id: Some(id), ..RunRecord::new(source, self.steps) }, wanted.simulation);
        self.watched = wanted.watch;
    }

    /// Starts a paused branch of the current run at a step. Returns false if that is impossible.
    pub fn branch(&mut self, step: u64) -> bool {
        let Some(from) = self.runs.current() else { return false };
        let (Some(of), number) = (from.id, from.number) else { return false };
        let simulation = Arc::clone(&from.source.simulation);
        let mut record = RunRecord::new(from.source.clone(), from.planned);
        record.branched = Some((number, step));
        record.steps = step;
        record.program = from.program.clone();
        record.moves = from.moves.clone();
        // Earlier samples are identical.
        record.recording = from.recording.clone();
        record.recording.truncate(step);
        record.edits = from.edits.iter().filter(|(at, _)| *at <= step).cloned().collect();
        record.changes = from.changes.iter().filter(|change| change.step <= step).cloned().collect();
        self.steps = from.planned;
        self.retire();
        record.id = Some(self.runner.branch(of, step));
        self.begin(record, &simulation);
        self.watch_moved();
        self.break_at_moved();
        self.progress.step = step;
        if !self.runs.is_overlay(number) {
            self.runs.toggle_overlay(number);
        }
        true
    }

    /// Makes a run the live one.
    fn begin(&mut self, mut record: RunRecord, simulation: &Arc<Simulation>) {
        if let Some(spill_file) = &self.spill_file {
            record.recording.use_spill_file(Arc::clone(spill_file));
        }
        self.live = Some(self.runs.begin(record));
        self.make_room();
        self.time_cursor.begin();
        self.broke = None;
        self.state = RunState::Preparing;
        self.progress = Progress::default();
        self.measured = None;
        self.simulation = Some(Arc::clone(simulation));
        self.is_stale = false;
    }

    /// Ends the live run before another starts, and removes it if it has no steps.
    fn retire(&mut self) {
        let is_active = self.is_active();
        let Some(run) = self.live.take().and_then(|live| self.runs.get_mut(live)) else { return };
        if is_active {
            run.state = RunState::Stopped;
        }
        let has_begun = run.steps > run.branched.map_or(0, |(_, step)| step);
        if !has_begun {
            let number = run.number;
            self.remove(number);
        }
    }

    /// Removes a run from the list, except the live one while it is active.
    pub fn remove(&mut self, number: u64) {
        if self.live == Some(number) && self.is_active() {
            return;
        }
        let Some(gone) = self.runs.remove(number) else { return };
        gone.id.into_iter().for_each(|id| self.runner.forget(id));
        self.look_again();
    }

    /// Sets the memory limit of all runs in bytes; the oldest are removed beyond it.
    pub fn set_limit(&mut self, bytes: usize) {
        self.runs.limit = bytes;
        self.make_room();
    }

    fn make_room(&mut self) {
        let held: Vec<u64> = self.live.into_iter().collect();
        for gone in self.runs.make_room(&held) {
            gone.id.into_iter().for_each(|id| self.runner.forget(id));
        }
    }

    /// Adds a run read from a file as an overlay.
    pub fn add(&mut self, run: RunRecord) {
        let current = self.runs.current().map(|run| run.number);
        let number = self.runs.begin(run);
        if let Some(current) = current {
            self.runs.show(current);
            self.runs.toggle_overlay(number);
        }
        self.look_again();
    }

    pub fn pause(&self) {
        if self.state == RunState::Running {
            self.runner.pause();
        }
    }

    pub fn resume(&mut self) {
        if self.state.is_paused() {
            self.look_at_end();
            self.runner.resume();
        }
    }

    /// Runs `count` steps and pauses.
    pub fn step(&mut self, count: u64) {
        if self.state.is_paused() {
            self.look_at_end();
            self.runner.step(count);
        }
    }

    /// Runs until `step` steps are done, and pauses.
    pub fn run_to(&mut self, step: u64) {
        if self.state.is_paused() || self.state == RunState::Running {
            self.look_at_end();
            self.runner.run_to(step);
        }
    }

    pub fn stop(&self) {
        self.runner.stop();
    }

    pub fn set_speed(&self, speed: SpeedChoice) {
        self.runner.set_speed(speed.into());
    }

    /// Sets the size of the rewind buffer in bytes.
    pub fn remember(&self, bytes: usize) {
        self.runner.remember(bytes);
    }

    /// Sets the recorded signals, from now on.
    pub fn watch(&mut self, signals: Vec<SignalKey>) {
        if self.watched != signals {
            self.watched = signals;
            if self.is_active() {
                self.watch_moved();
            }
        }
    }

    /// Sets the breakpoints.
    pub fn break_at(&mut self, breakpoints: Vec<Breakpoint>) {
        if self.breakpoints != breakpoints {
            self.breakpoints = breakpoints;
            if self.is_active() {
                self.break_at_moved();
            }
        }
    }

    /// Returns the line, from 1, of a block's code at whose breakpoint the run is paused, if that step is shown.
    pub fn stopped_line(&self, path: &[BlockId], block: BlockId) -> Option<usize> {
        let is_here = self.state == RunState::Paused && self.shows_live() && self.chosen_step().is_none();
        match &self.broke {
            Some(Breakpoint::Line { block: at, line, .. }) if is_here && at.path == path && at.block == block => {
                Some(*line)
            }
            _ => None,
        }
    }

    /// Updates `is_stale` for the current document.
    pub fn compare(&mut self, simulation: &Arc<Simulation>) {
        let shown = self.runs.current().map(|run| &run.source.simulation);
        let ran = if self.shows_live() { self.simulation.as_ref() } else { shown };
        self.is_stale = ran.is_some_and(|ran| !self.gives_same_results(ran, simulation));
    }

    /// Returns the estimated seconds until the run ends, if known.
    pub fn remaining(&self) -> Option<f64> {
        let left = self.steps?.saturating_sub(self.progress.step);
        let rate = self.progress.steps_per_second;
        (self.state == RunState::Running && rate > 0.0).then(|| left as f64 / rate)
    }

    /// Returns the simulated seconds that the current run has recorded or, while active, will take.
    pub fn end(&self) -> f64 {
        let Some(run) = self.runs.current() else { return 0.0 };
        match self.steps {
            Some(steps) if self.is_active() && self.shows_live() => steps as f64 * run.recording.delta,
            _ => run.end(),
        }
    }
}

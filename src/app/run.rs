//! A run as the window sees it: what was asked of the engine, how far it is, what it recorded.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui;

use super::runs::{RunRecord, Runs, Source};
use super::settings::SpeedChoice;
use crate::block::Registry;
use crate::engine::{Column, Engines, Event, Notice, ParamChange, Recording, Runner, Speed, Start};
use crate::model::{Block, BlockId, Connection, Diagnostic, Model, SignalKey, Simulation};

/// How a run stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RunState {
    #[default]
    Idle,
    /// The engine makes the model ready.
    Preparing,
    Running,
    Paused,
    Finished,
    Stopped,
    Failed(String),
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    pub step: u64,
    /// Simulated seconds.
    pub time: f64,
    /// Block runs.
    pub executed: u64,
    pub steps_per_second: f64,
    /// How often a run that is to keep to the clock could not.
    pub overruns: u64,
}

/// As long as a frame takes samples in; what is left waits for the next, and the engine with it.
const FRAME_SHARE: Duration = Duration::from_millis(5);

/// What a run tells the window, once each.
pub enum News {
    /// The model cannot run.
    Refused(Vec<Diagnostic>),
    /// A step could not be completed; the model blocks that lead to the block at fault, and the block.
    Failed { message: String, block: Option<(Vec<BlockId>, BlockId)> },
    /// What blocks had to tell, and how many more times they did.
    Told { notices: Vec<Notice>, left_out: u64 },
}

/// The runs of the open document and the engine that makes them.
pub struct RunSession {
    runner: Runner,
    runs: Runs,
    /// The number of the run that the engine is at; what it was at last.
    live: Option<u64>,
    /// Of the live run.
    pub state: RunState,
    pub progress: Progress,
    /// The step of the current run that is looked at; none: as far as it is.
    cursor: Option<u64>,
    /// Steps that the run was asked for; none: until stopped.
    pub steps: Option<u64>,
    /// What runs or ran.
    simulation: Option<Arc<Simulation>>,
    /// The document has changed since in a way that would change the result.
    pub is_stale: bool,
    pub watched: Vec<SignalKey>,
    /// The engine that runs it.
    pub engine: &'static str,
    measured: Option<(Instant, u64)>,
    /// Events wait for the next frame.
    pub has_more: bool,
    /// A run ends with an error at the first value that is infinite or not a number.
    pub stops_at_non_finite: bool,
}

/// Whether a run starts at once or holds after its first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    Running,
    OneStep,
}

impl RunSession {
    pub fn new(ctx: &egui::Context) -> RunSession {
        let wake = ctx.clone();
        RunSession {
            runner: Runner::new(move || wake.request_repaint()),
            runs: Runs::default(),
            live: None,
            state: RunState::Idle,
            progress: Progress::default(),
            cursor: None,
            steps: None,
            simulation: None,
            is_stale: false,
            watched: Vec::new(),
            engine: "",
            measured: None,
            has_more: false,
            stops_at_non_finite: false,
        }
    }

    pub fn is_active(&self) -> bool {
        matches!(self.state, RunState::Preparing | RunState::Running | RunState::Paused)
    }

    /// All runs of the document.
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    pub fn runs_mut(&mut self) -> &mut Runs {
        &mut self.runs
    }

    /// What the current run recorded.
    pub fn recording(&self) -> &Recording {
        self.runs.recording()
    }

    /// The step of the current run that is looked at; none: as far as it is.
    pub fn chosen_step(&self) -> Option<u64> {
        self.cursor
    }

    /// Looks at a step of the current run, or again at as far as it is.
    pub fn choose_step(&mut self, step: Option<u64>) {
        let steps = self.runs.current().map_or(0, |run| run.steps);
        self.cursor = step.and_then(|step| Some(step.min(steps.checked_sub(1)?)));
    }

    /// Shows another run in plots and diagram.
    pub fn show(&mut self, number: u64) {
        self.runs.show(number);
        self.choose_step(self.cursor);
    }

    fn live_run(&mut self) -> Option<&mut RunRecord> {
        self.runs.get_mut(self.live?)
    }

    /// Makes a state of the document run from its start; the runs before are kept, as far as there is room.
    pub fn start(
        &mut self,
        simulation: &Arc<Simulation>,
        path: Option<&Path>,
        registry: &Arc<Registry>,
        watch: Vec<SignalKey>,
        speed: SpeedChoice,
        begin: Begin,
    ) {
        let engines = Engines::standard();
        let Some(engine) = engines.get(Engines::DEFAULT) else { return };
        self.steps = Some(simulation.steps).filter(|steps| *steps > 0);
        self.retire();
        let id = self.runner.start(Start {
            simulation: Arc::clone(simulation),
            registry: Arc::clone(registry),
            engine: Arc::clone(engine),
            steps: self.steps,
            watch: watch.clone(),
            speed: speed.into(),
            is_paused: begin == Begin::OneStep,
            refuses_non_finite: self.stops_at_non_finite,
        });
        if begin == Begin::OneStep {
            self.runner.step(1);
        }
        let source = Source::new(Arc::clone(simulation), path.map(Path::to_owned));
        let record = RunRecord { id: Some(id), ..RunRecord::new(source, self.steps) };
        self.live = Some(self.runs.begin(record));
        self.runs.make_room(&[]);
        self.cursor = None;
        self.state = RunState::Preparing;
        self.progress = Progress::default();
        self.measured = None;
        self.simulation = Some(Arc::clone(simulation));
        self.is_stale = false;
        self.watched = watch;
    }

    /// The live run is to make room for another: it ends where it stands, and goes where it has recorded nothing.
    fn retire(&mut self) {
        let is_active = self.is_active();
        let Some(run) = self.live.take().and_then(|live| self.runs.get_mut(live)) else { return };
        if is_active {
            run.state = RunState::Stopped;
        }
        if run.steps == 0 && run.recording.is_empty() {
            let number = run.number;
            self.runs.remove(number);
        }
    }

    pub fn pause(&self) {
        if self.state == RunState::Running {
            self.runner.pause();
        }
    }

    pub fn resume(&self) {
        if self.state == RunState::Paused {
            self.runner.resume();
        }
    }

    pub fn step(&self) {
        if self.state == RunState::Paused {
            self.runner.step(1);
        }
    }

    pub fn stop(&self) {
        self.runner.stop();
    }

    /// Ends the run and forgets all that was recorded.
    pub fn clear(&mut self) {
        self.stop();
        // What is still on its way belongs to nothing that is shown.
        self.runner.poll().for_each(drop);
        self.state = RunState::Idle;
        self.runs.clear();
        (self.live, self.cursor) = (None, None);
        self.progress = Progress::default();
        self.watched.clear();
        self.simulation = None;
        self.is_stale = false;
    }

    pub fn set_speed(&self, speed: SpeedChoice) {
        self.runner.set_speed(speed.into());
    }

    /// Records further signals from now on.
    pub fn watch(&mut self, signals: Vec<SignalKey>) {
        if self.watched != signals {
            self.watched = signals;
            if self.is_active() {
                self.runner.watch(self.watched.clone());
            }
        }
    }

    /// The document is now like this.
    pub fn compare(&mut self, simulation: &Arc<Simulation>) {
        self.is_stale = self.simulation.as_ref().is_some_and(|ran| !is_same(ran, simulation));
    }

    /// Takes in what the engine has sent; returns what the user must be told.
    pub fn poll(&mut self) -> Vec<News> {
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

    /// Waits until the run is over or holds, or `timeout` without news.
    pub fn wait(&mut self, timeout: Duration) -> Vec<News> {
        let mut news = Vec::new();
        while matches!(self.state, RunState::Preparing | RunState::Running)
            && let Some(event) = self.runner.wait(timeout)
        {
            news.extend(self.take(event));
        }
        news
    }

    fn take(&mut self, event: Event) -> Option<News> {
        // Where nothing was started, an event is of a run that was given up.
        if self.state == RunState::Idle {
            return None;
        }
        match event {
            Event::Started { engine } => {
                self.engine = engine;
                self.state = RunState::Running;
                if let Some(run) = self.live_run() {
                    run.engine = engine.to_owned();
                }
            }
            Event::Refused(diagnostics) => {
                self.retire();
                self.state = RunState::Idle;
                return Some(News::Refused(diagnostics));
            }
            Event::Samples { signal, first, width, values } => {
                if let Some(run) = self.live_run() {
                    run.recording.append(&signal, first, width, &values);
                }
            }
            Event::Progress { step, time, executed, overruns } => {
                self.progress.step = step;
                self.progress.time = time;
                self.progress.executed = executed;
                self.progress.overruns = overruns;
            }
            Event::Told { notices, left_out } => return Some(News::Told { notices, left_out }),
            Event::WentBack { step, time } => {
                if let Some(run) = self.live_run() {
                    run.recording.truncate(step);
                }
                (self.progress.step, self.progress.time) = (step, time);
            }
            Event::ParamSet { step, path, block, name, values } => {
                if let Some(run) = self.live_run() {
                    run.changes.push(ParamChange { step, path, block, name, values });
                }
            }
            Event::Declined { .. } | Event::Seen(_) | Event::Broke { .. } => {}
            Event::Paused => self.state = RunState::Paused,
            Event::Resumed => self.state = RunState::Running,
            Event::Finished { steps, was_stopped, .. } => {
                self.progress.step = steps;
                self.state = if was_stopped { RunState::Stopped } else { RunState::Finished };
            }
            Event::Failed { message, block } => {
                self.state = RunState::Failed(message.clone());
                self.note_live();
                return Some(News::Failed { message, block });
            }
        }
        self.note_live();
        None
    }

    /// Keeps how the live run stands with it.
    fn note_live(&mut self) {
        let (state, steps) = (self.state.clone(), self.progress.step);
        if let Some(run) = self.live_run() {
            (run.state, run.steps) = (state, steps);
        }
    }

    /// Keeps the steps per second, measured over half a second or more.
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

    /// Simulated seconds that the current run has recorded or, while it is going on, that it will take.
    pub fn end(&self) -> f64 {
        let Some(run) = self.runs.current() else { return 0.0 };
        match self.steps {
            Some(steps) if self.is_active() && self.live == Some(run.number) => steps as f64 * run.recording.delta,
            _ => run.end(),
        }
    }

    /// The value of a signal of the current run in the chosen step, else the last recorded; one number a lane.
    pub fn value(&self, signal: &SignalKey) -> Option<Vec<f64>> {
        let columns = self.recording().columns(signal);
        let value = |column: &Column| self.cursor.map_or(column.last(), |step| column.at_step(step));
        columns.iter().map(value).collect::<Option<Vec<f64>>>().filter(|values| !values.is_empty())
    }
}

impl From<SpeedChoice> for Speed {
    fn from(choice: SpeedChoice) -> Speed {
        match choice {
            SpeedChoice::Fastest => Speed::Fastest,
            SpeedChoice::RealTime(factor) => Speed::RealTime(factor),
        }
    }
}

/// Whether two states of a document give the same result; where blocks stand does not matter.
fn is_same(a: &Arc<Simulation>, b: &Arc<Simulation>) -> bool {
    if Arc::ptr_eq(a, b) {
        return true;
    }
    let head = |s: &Simulation| (s.steps, s.delta.to_bits(), Arc::clone(&s.root), s.solver().to_owned());
    head(a) == head(b)
        && a.models.len() == b.models.len()
        && a.models.iter().zip(&b.models).all(|((name, one), (other_name, other))| {
            name == other_name && (Arc::ptr_eq(one, other) || is_same_model(one, other))
        })
}

fn is_same_model(a: &Model, b: &Model) -> bool {
    let is_same_block = |(one, other): (&Arc<Block>, &Arc<Block>)| {
        Arc::ptr_eq(one, other)
            || (one.id == other.id
                && one.kind == other.kind
                && one.options().eq(other.options())
                && one.attributes.get("role") == other.attributes.get("role"))
    };
    let wire = |wire: &Arc<Connection>| (wire.from, Arc::clone(&wire.output), wire.key());
    a.blocks.len() == b.blocks.len()
        && a.blocks.values().zip(b.blocks.values()).all(is_same_block)
        && a.connections.values().map(wire).eq(b.connections.values().map(wire))
}

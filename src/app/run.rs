//! A run as the window sees it: what was asked of the engine, how far it is, what it recorded.

use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui;

use super::settings::SpeedChoice;
use crate::block::Registry;
use crate::engine::{Engines, Event, Notice, Recording, Runner, Speed, Start};
use crate::model::{Block, BlockId, Connection, Diagnostic, Model, SignalKey, Simulation};

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

pub struct RunSession {
    runner: Runner,
    pub state: RunState,
    pub progress: Progress,
    pub recording: Recording,
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
            state: RunState::Idle,
            progress: Progress::default(),
            recording: Recording::default(),
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

    /// Makes a state of the document run from its start; the recording of the run before goes.
    pub fn start(
        &mut self,
        simulation: &Arc<Simulation>,
        registry: &Arc<Registry>,
        watch: Vec<SignalKey>,
        speed: SpeedChoice,
        begin: Begin,
    ) {
        let engines = Engines::standard();
        let Some(engine) = engines.get(Engines::DEFAULT) else { return };
        self.steps = Some(simulation.steps).filter(|steps| *steps > 0);
        self.recording = Recording::new(simulation.delta);
        self.runner.start(Start {
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
        self.state = RunState::Preparing;
        self.progress = Progress::default();
        self.measured = None;
        self.simulation = Some(Arc::clone(simulation));
        self.is_stale = false;
        self.watched = watch;
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

    /// Ends the run and forgets what it recorded.
    pub fn clear(&mut self) {
        self.stop();
        // What is still on its way belongs to nothing that is shown.
        self.runner.poll().for_each(drop);
        self.state = RunState::Idle;
        self.recording = Recording::default();
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
            }
            Event::Refused(diagnostics) => {
                self.state = RunState::Idle;
                return Some(News::Refused(diagnostics));
            }
            Event::Samples { signal, first, width, values } => {
                self.recording.append(&signal, first, width, &values);
            }
            Event::Progress { step, time, executed } => {
                self.progress.step = step;
                self.progress.time = time;
                self.progress.executed = executed;
            }
            Event::Told { notices, left_out } => return Some(News::Told { notices, left_out }),
            Event::WentBack { step, time } => {
                self.recording.truncate(step);
                (self.progress.step, self.progress.time) = (step, time);
            }
            Event::ParamSet { .. } | Event::Declined { .. } => {}
            Event::Paused => self.state = RunState::Paused,
            Event::Resumed => self.state = RunState::Running,
            Event::Finished { steps, was_stopped, .. } => {
                self.progress.step = steps;
                self.state = if was_stopped { RunState::Stopped } else { RunState::Finished };
            }
            Event::Failed { message, block } => {
                self.state = RunState::Failed(message.clone());
                return Some(News::Failed { message, block });
            }
        }
        None
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

    /// Simulated seconds that are recorded or, while the run is going on, that it will take.
    pub fn end(&self) -> f64 {
        let done = self.progress.step as f64 * self.recording.delta;
        match (self.steps, self.is_active()) {
            (Some(steps), true) => steps as f64 * self.recording.delta,
            _ => done,
        }
    }

    /// The last recorded value of a signal, one number a lane.
    pub fn value(&self, signal: &SignalKey) -> Option<Vec<f64>> {
        let columns = self.recording.columns(signal);
        columns.iter().map(|column| column.last()).collect::<Option<Vec<f64>>>().filter(|values| !values.is_empty())
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

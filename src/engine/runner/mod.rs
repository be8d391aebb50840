//! The engine thread: requests in, events out.
//!
//! One thread lives as long as its [`Runner`] and runs one simulation at a time. Requests and events carry the run's
//! number; those of another run are dropped. Both channels are bounded. Samples are never dropped: where nobody takes
//! them, the thread waits, and hears requests while it waits. A panic in a block ends the run and names what it can.
//!
//! Runs that are over are kept for a while: any of their steps can be looked at, with all values there were, and another
//! run can begin there.
//!
//! The thread's own side is `thread`, what it runs is `run`; `past` keeps the way back to earlier steps, `view` looks at
//! them, `breakpoint` finds the step to pause at, `pace` keeps a run to the clock.

mod breakpoint;
mod pace;
mod past;
mod run;
mod thread;
mod view;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded};

pub use self::breakpoint::{Breakpoint, Condition};
pub use self::view::StepValues;

use self::thread::Thread;
use super::{AssertionEvent, Cancel, Engine, Migration, Program};
use crate::block::Registry;
use crate::model::{BlockId, Diagnostic, SignalKey, Simulation};

/// The number of a run; each [`Runner::start`] gives the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunId(pub u64);

/// What to run and how.
#[derive(Clone)]
pub struct Start {
    pub simulation: Arc<Simulation>,
    pub registry: Arc<Registry>,
    pub engine: Arc<dyn Engine>,
    /// How many steps; none: until stopped.
    pub steps: Option<u64>,
    /// Signals whose samples are sent. What the program does not have is left out.
    pub watch: Vec<SignalKey>,
    pub speed: Speed,
    /// Whether the run waits before its first step.
    pub is_paused: bool,
    /// Whether it halts at the first value that is infinite or not-a-number.
    pub refuses_non_finite: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    Fastest,
    /// Simulated seconds a second.
    RealTime(f64),
}

/// A parameter's new values in one use of its block, from a step on.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamChange {
    pub step: u64,
    /// The model blocks that lead to the block.
    pub path: Vec<BlockId>,
    pub block: BlockId,
    pub name: String,
    pub values: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The program is ready; the name of the engine that runs it.
    Started {
        engine: &'static str,
        program: SharedProgram,
    },
    /// The simulation cannot run, and why.
    Refused(Vec<Diagnostic>),
    /// Values of a watched signal in consecutive steps from `first` on, `width` elements a step.
    Samples {
        signal: SignalKey,
        first: u64,
        width: usize,
        values: Vec<f64>,
    },
    /// `step` steps are done, `time` is that of the next; the last step ran `executed` blocks. A run that is to keep to
    /// the clock could not `overruns` times.
    Progress {
        step: u64,
        time: f64,
        executed: u64,
        overruns: u64,
    },
    /// What blocks told in steps that are done, step after step, and how many more they told than stand here. Comes
    /// behind the samples of these steps, and before what becomes of the run.
    Assertions {
        assertions: Vec<AssertionEvent>,
        left_out: u64,
    },
    /// A parameter has other values from `step` on, because that was asked for, or because the run comes once more to a
    /// step at which it was.
    ParamSet {
        step: u64,
        path: Vec<BlockId>,
        block: BlockId,
        name: String,
        values: Vec<f64>,
    },
    /// What was asked for cannot be, and nothing has changed.
    Declined {
        message: String,
    },
    /// The run has gone back: `step` steps are done, as they were when they were done first, and those behind them are
    /// still to come. Samples are sent again from there on.
    WentBack {
        step: u64,
        time: f64,
    },
    /// From `step` on the run goes on with the program of an edited simulation, whose parameters are `params` there.
    Edited {
        step: u64,
        program: SharedProgram,
        params: Vec<f64>,
        migration: Migration,
    },
    /// All values of a step of this run or of one that is kept.
    Seen(Box<StepValues>),
    /// Values that a signal had in consecutive steps of this run or of one that is kept, from `first` on, because they
    /// were asked for behind it: see [`Runner::fill`]. More follow as far as the step `until`.
    Filled {
        run: RunId,
        signal: SignalKey,
        first: u64,
        until: u64,
        width: usize,
        values: Vec<f64>,
    },
    /// A breakpoint, by its place in the list, holds from `step` on, which is done. The run pauses there.
    Broke {
        step: u64,
        breakpoint: usize,
    },
    Paused,
    /// The step that comes next cannot be completed as things are: the run waits before it. A parameter or an edit may
    /// help, or going back; resumed, it tries the step again.
    Halted {
        message: String,
        block: Option<(Vec<BlockId>, BlockId)>,
    },
    Resumed,
    /// The run is over after `steps` steps, by itself or because it was stopped.
    Finished {
        steps: u64,
        was_stopped: bool,
        exits: Vec<(Arc<str>, Option<Vec<f64>>)>,
    },
    /// The run is over because it failed: a block's code, or a file that cannot be written.
    Failed {
        message: String,
        block: Option<(Vec<BlockId>, BlockId)>,
    },
}

/// A program that a run goes by; equal to itself alone.
#[derive(Clone, Debug)]
pub struct SharedProgram(pub Arc<Program>);

impl PartialEq for SharedProgram {
    fn eq(&self, other: &SharedProgram) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Event {
    /// Whether the run is over with this event.
    pub fn is_last(&self) -> bool {
        matches!(self, Event::Refused(_) | Event::Finished { .. } | Event::Failed { .. })
    }
}

enum Request {
    /// Where a run is named, with what that was made ready with.
    Start(Box<Start>, Option<RunId>),
    /// From this run, which is kept or goes on, at this step.
    Branch(RunId, u64),
    /// At a step; none: the one that comes next.
    Look(Option<u64>),
    Fill(Vec<SignalKey>),
    Forget,
    Edit(Box<Edited>),
    RefuseNonFinite(bool),
    Plan(Vec<ParamChange>),
    Break(Vec<Breakpoint>),
    Pause,
    Resume,
    Step(u64),
    Stop,
    SetSpeed(Speed),
    Watch(Vec<SignalKey>),
    RunTo(u64),
    StepBack(u64),
    GoTo(u64),
    SetParam {
        path: Vec<BlockId>,
        block: BlockId,
        name: String,
        values: Vec<f64>,
    },
    Remember(usize),
}

/// A simulation with which a run is to go on.
struct Edited {
    simulation: Arc<Simulation>,
    registry: Arc<Registry>,
    engine: Arc<dyn Engine>,
}

type TaggedRequest = (RunId, Request);
type TaggedEvent = (RunId, Event);

/// The engine thread as its owner sees it. Dropping it ends the thread.
pub struct Runner {
    // Dropped before the thread is waited for, so that it hears that nobody is there any more.
    channels: Option<(Sender<TaggedRequest>, Receiver<TaggedEvent>)>,
    thread: Option<JoinHandle<()>>,
    current: RunId,
    /// Ends what runs within its step.
    cancel: Cancel,
}

const REQUESTS: usize = 64;
const EVENTS: usize = 256;

impl Runner {
    /// Starts the thread. `wake` is called after events were sent.
    pub fn new(wake: impl Fn() + Send + 'static) -> Runner {
        let (request_sender, requests) = bounded(REQUESTS);
        let (events, event_receiver) = bounded(EVENTS);
        let cancel = Cancel::new();
        let thread = Thread::new(requests, events, cancel.clone(), wake);
        let thread = std::thread::Builder::new().name("engine".to_owned()).spawn(move || thread.serve());
        // Without a thread every request goes nowhere, and the channels say so.
        Runner { channels: Some((request_sender, event_receiver)), thread: thread.ok(), current: RunId(0), cancel }
    }

    /// Ends what runs and starts anew.
    pub fn start(&mut self, start: Start) -> RunId {
        self.next(Request::Start(Box::new(start), None))
    }

    /// Ends what runs and starts anew, without making the simulation ready again where that is what `of` ran and the
    /// thread still keeps that run.
    pub fn start_again(&mut self, start: Start, of: RunId) -> RunId {
        self.next(Request::Start(Box::new(start), Some(of)))
    }

    /// Ends what runs and begins a run that is `of` up to where `step` steps are done, and waits there. It writes no
    /// files. Declined where nothing of `of` is kept.
    pub fn branch(&mut self, of: RunId, step: u64) -> RunId {
        self.next(Request::Branch(of, step))
    }

    fn next(&mut self, request: Request) -> RunId {
        self.current = RunId(self.current.0 + 1);
        self.cancel.cancel();
        self.request(request);
        self.current
    }

    /// Asks for all values of a step that `run` has done, or of the one that comes next if none is named. What runs goes
    /// on meanwhile. A later wish takes the place of one that is not fulfilled yet.
    pub fn look(&self, run: RunId, step: Option<u64>) {
        self.request_of(run, Request::Look(step));
    }

    /// Asks for the samples that these signals had in the steps that `run` has done: the steps are made once more. What
    /// was asked for before and has not come yet is given up.
    pub fn fill(&self, run: RunId, signals: Vec<SignalKey>) {
        self.request_of(run, Request::Fill(signals));
    }

    /// A run that is over need not be kept any longer.
    pub fn forget(&self, run: RunId) {
        self.request_of(run, Request::Forget);
    }

    /// Changes parameters when the run comes to these steps, in their order. What is done already is left out.
    pub fn plan(&self, changes: Vec<ParamChange>) {
        self.request(Request::Plan(changes));
    }

    /// The run goes on with an edited simulation from the next step on; what the edit left alone keeps its values. The
    /// steps before can still be looked at, and branched from, but not gone back to. Declined where the simulation
    /// cannot run, where it has another step length, and where blocks write files.
    pub fn edit(&self, simulation: Arc<Simulation>, registry: Arc<Registry>, engine: Arc<dyn Engine>) {
        self.request(Request::Edit(Box::new(Edited { simulation, registry, engine })));
    }

    /// Whether the run halts at the first value that is infinite or not-a-number, from the next step on.
    pub fn refuse_non_finite(&self, refuses: bool) {
        self.request(Request::RefuseNonFinite(refuses));
    }

    /// The run pauses behind a step from which on one of these holds.
    pub fn break_at(&self, breakpoints: Vec<Breakpoint>) {
        self.request(Request::Break(breakpoints));
    }

    pub fn pause(&self) {
        self.request(Request::Pause);
    }

    pub fn resume(&self) {
        self.request(Request::Resume);
    }

    /// Runs so many steps and pauses.
    pub fn step(&self, count: u64) {
        self.request(Request::Step(count));
    }

    /// Ends the run, within a step where that goes on: it is over behind its last whole step.
    pub fn stop(&self) {
        self.cancel.cancel();
        self.request(Request::Stop);
    }

    pub fn set_speed(&self, speed: Speed) {
        self.request(Request::SetSpeed(speed));
    }

    /// From the next step on these signals are sent and no others.
    pub fn watch(&self, signals: Vec<SignalKey>) {
        self.request(Request::Watch(signals));
    }

    /// Runs up to where so many steps are done and pauses; where as many are done already, pauses.
    pub fn run_to(&self, step: u64) {
        self.request(Request::RunTo(step));
    }

    /// Goes back by so many steps, at most to the begin, and pauses.
    pub fn step_back(&self, count: u64) {
        self.request(Request::StepBack(count));
    }

    /// Goes to where so many steps are done, forwards or back, and pauses.
    pub fn go_to(&self, step: u64) {
        self.request(Request::GoTo(step));
    }

    /// Gives a parameter of one block in one use of its model other values from the next step on. What was changed is
    /// changed again where the run comes to that step once more; a change behind which the run has gone back and made
    /// another is forgotten.
    pub fn set_param(&self, path: &[BlockId], block: BlockId, name: &str, values: &[f64]) {
        let (path, name, values) = (path.to_vec(), name.to_owned(), values.to_vec());
        self.request(Request::SetParam { path, block, name, values });
    }

    /// How many bytes a run may take to find its way back; [`Runner::MEMORY`] where nothing was said. 0: there is none.
    /// Runs that are over keep a quarter of it each as soon as another begins.
    pub fn remember(&self, bytes: usize) {
        self.request(Request::Remember(bytes));
    }

    /// Bytes.
    pub const MEMORY: usize = 64 << 20;

    /// The events of the current run that have arrived, and what was seen of others. Never waits.
    pub fn poll(&self) -> impl Iterator<Item = Event> + '_ {
        let events = self.channels.iter().flat_map(|(_, events)| events.try_iter());
        events.filter(|event| self.is_meant(event)).map(|(_, event)| event)
    }

    fn is_meant(&self, (run, event): &TaggedEvent) -> bool {
        *run == self.current || matches!(event, Event::Seen(_) | Event::Filled { .. })
    }

    /// The next event of the current run; none where the thread has ended or nothing came in time.
    pub fn wait(&self, timeout: Duration) -> Option<Event> {
        let (_, events) = self.channels.as_ref()?;
        let deadline = Instant::now() + timeout;
        loop {
            let event = events.recv_deadline(deadline).ok()?;
            if self.is_meant(&event) {
                return Some(event.1);
            }
        }
    }

    fn request(&self, request: Request) {
        self.request_of(self.current, request);
    }

    fn request_of(&self, run: RunId, request: Request) {
        let Some((requests, _)) = &self.channels else { return };
        // The thread hears requests whatever it does, so this waits for moments at most.
        let _ = requests.send((run, request));
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.channels = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread itself was a broken promise; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

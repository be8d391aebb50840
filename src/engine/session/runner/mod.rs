//! The engine thread: it receives requests and sends events.
//!
//! One thread lives as long as its [`Runner`] and runs one simulation at a time. Requests and events carry the number
//! of the run; those of another run are dropped. Both channels are bounded. Samples are never dropped: if they are not
//! received, the thread waits, and still handles requests. A panic in a block ends the run with an error that is as
//! specific as possible.
//!
//! Finished runs are kept for a while: any of their steps can be inspected, with all values, and another run can branch
//! off there.
//!
//! `thread` is the loop of the thread, `run` the run that it advances; `past` keeps earlier contexts and changes,
//! `view` computes the values of earlier steps, `breakpoint` finds the step to pause at, `pace` keeps a run in real
//! time, `queue` bounds the events that wait.

mod breakpoint;
mod pace;
mod past;
mod queue;
mod run;
mod thread;
mod view;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded};

pub use self::breakpoint::{Breakpoint, Condition};
pub use self::pace::Speed;
pub use self::view::StepValues;

use self::queue::{QueueReceiver, queue};
use self::thread::Thread;
use crate::block::Registry;
use crate::engine::{AssertionEvent, Cancel, Engine, HeldSwitch, Migration, Program, RemoteCost, RunErrorKind};
use crate::model::{BlockAddress, Diagnostic, ParamAddress, SignalKey, Simulation};
use crate::threads;

/// The number of a run; each [`Runner::start`] takes the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunId(pub u64);

/// The simulation to run and its options.
#[derive(Clone)]
pub struct Start {
    pub simulation: Arc<Simulation>,
    pub registry: Arc<Registry>,
    pub engine: Arc<dyn Engine>,
    /// The number of steps; `None`: until stopped.
    pub steps: Option<u64>,
    /// The signals whose samples are sent. Signals that the program does not have are ignored.
    pub watch: Vec<SignalKey>,
    pub speed: Speed,
    /// Whether the run is paused before its first step.
    pub is_paused: bool,
    /// Whether it pauses with an error at the first value that is infinite or NaN.
    pub refuses_non_finite: bool,
}

/// New values of a parameter in one instance of its block, from a step on.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamChange {
    pub step: u64,
    pub param: ParamAddress,
    pub values: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The program is ready, with the name of the engine that runs it.
    Started {
        engine: &'static str,
        program: SharedProgram,
    },
    /// The simulation cannot run, with the reasons.
    Refused(Vec<Diagnostic>),
    /// Values of a watched signal in consecutive steps from `first` on, `width` elements for each step.
    Samples {
        signal: SignalKey,
        first: u64,
        width: usize,
        values: Vec<f64>,
    },
    /// `step` steps are complete, `time` is the time of the next in seconds; the last step ran `executed` blocks. A run
    /// in real time was late `overruns` times.
    Progress {
        step: u64,
        time: f64,
        executed: u64,
        overruns: u64,
    },
    /// The costs of each remote block so far.
    RemoteCosts(Vec<RemoteCost>),
    /// The reports of assertions in completed steps, in the order of the steps, and the number of further ones that are
    /// omitted. Sent after the samples of these steps, and before a change of the run's state.
    Assertions {
        assertions: Vec<AssertionEvent>,
        left_out: u64,
    },
    /// A parameter has other values from `step` on, because of a request, or because the run reaches a step again at
    /// which the parameter was changed.
    ParamSet(ParamChange),
    /// A request cannot be fulfilled, and nothing has changed.
    Declined {
        message: String,
    },
    /// The run went back to where `step` steps are complete, with the same values as the first time. The samples of
    /// later steps are sent again.
    WentBack {
        step: u64,
        time: f64,
    },
    /// From `step` on the run uses the program of an edited simulation, whose parameter values are `params` there.
    Edited {
        step: u64,
        program: SharedProgram,
        params: Vec<f64>,
        migration: Migration,
    },
    /// All values of a step of this run or of a kept one.
    Values(Box<StepValues>),
    /// Values of a signal in consecutive steps of this run or of a kept one, from `first` on, that were requested
    /// afterwards: see [`Runner::fill`]. More follow up to the step `until`.
    Backfilled {
        run: RunId,
        signal: SignalKey,
        first: u64,
        until: u64,
        width: usize,
        values: Vec<f64>,
    },
    /// A breakpoint, by its index in the list, is hit in `step`, which is complete. The run pauses there.
    BreakpointHit {
        step: u64,
        breakpoint: usize,
    },
    Paused,
    /// The next step cannot be completed; the run pauses before it. Another parameter value, an edit, or going back may
    /// help; resumed, the run tries the step again.
    PausedByError {
        message: String,
        block: Option<BlockAddress>,
        kind: RunErrorKind,
    },
    Resumed,
    /// The run is finished after `steps` steps, by itself or because it was stopped.
    Finished {
        steps: u64,
        was_stopped: bool,
        exits: Vec<(Arc<str>, Option<Vec<f64>>)>,
        held: Vec<HeldSwitch>,
    },
    /// The run is finished because it failed: the code of a block, or a file that cannot be written.
    Failed {
        message: String,
        block: Option<BlockAddress>,
    },
}

/// The program of a run; it is equal only to itself.
#[derive(Clone, Debug)]
pub struct SharedProgram(pub Arc<Program>);

impl PartialEq for SharedProgram {
    fn eq(&self, other: &SharedProgram) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Event {
    /// The number of its samples, and as many besides that 256 events without samples fill the queue.
    fn size(&self) -> usize {
        let samples = match self {
            Event::Samples { values, .. } | Event::Backfilled { values, .. } => values.len(),
            _ => 0,
        };
        samples + QUEUED / 256
    }

    /// Whether the run is finished with this event.
    pub fn is_last(&self) -> bool {
        matches!(self, Event::Refused(_) | Event::Finished { .. } | Event::Failed { .. })
    }
}

enum Request {
    /// Starts a run; with the prepared program of another run if one is named.
    Start(Box<Start>, Option<RunId>),
    /// Branches off this run, which is active or kept, at this step.
    Branch(RunId, u64),
    /// Requests the values of a step; `None`: of the next one.
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
    SetSteps(Option<u64>),
    Watch(Vec<SignalKey>),
    RunTo(u64),
    StepBack(u64),
    GoTo(u64),
    SetParam(ParamAddress, Vec<f64>),
    Remember(usize),
}

/// An edited simulation with which a run is to continue.
struct Edited {
    simulation: Arc<Simulation>,
    registry: Arc<Registry>,
    engine: Arc<dyn Engine>,
}

type TaggedRequest = (RunId, Request);
type TaggedEvent = (RunId, Event);

/// The owner's handle of the engine thread. Dropping it ends the thread.
pub struct Runner {
    // Dropped before the thread is joined, so that the thread ends.
    channels: Option<(Sender<TaggedRequest>, QueueReceiver<TaggedEvent>)>,
    thread: Option<JoinHandle<()>>,
    current: RunId,
    /// Cancels the active run within its step.
    cancel: Cancel,
}

const REQUESTS: usize = 64;
/// The number of samples in events that may wait: 8 MB.
const QUEUED: usize = 1 << 20;

impl Runner {
    /// Starts the thread. `wake` is called after events are sent.
    pub fn new(wake: impl Fn() + Send + 'static) -> Runner {
        let (request_sender, requests) = bounded(REQUESTS);
        let (events, event_receiver) = queue(QUEUED);
        let cancel = Cancel::new();
        let thread = Thread::new(requests, events, cancel.clone(), wake);
        let thread = threads::spawn("engine", move || thread.serve());
        // Without a thread the channels are disconnected, and requests have no effect.
        Runner { channels: Some((request_sender, event_receiver)), thread: thread.ok(), current: RunId(0), cancel }
    }

    /// Ends the active run and starts another.
    pub fn start(&mut self, start: Start) -> RunId {
        self.next(Request::Start(Box::new(start), None))
    }

    /// Ends the active run and starts another, without preparing the simulation again if it is that of run `of` and the
    /// thread still keeps that run.
    pub fn start_again(&mut self, start: Start, of: RunId) -> RunId {
        self.next(Request::Start(Box::new(start), Some(of)))
    }

    /// Ends the active run and begins one that equals `of` up to where `step` steps are complete, and is paused there.
    /// It writes no files. Declined if nothing of `of` is kept.
    pub fn branch(&mut self, of: RunId, step: u64) -> RunId {
        self.next(Request::Branch(of, step))
    }

    fn next(&mut self, request: Request) -> RunId {
        self.current = RunId(self.current.0 + 1);
        self.cancel.cancel();
        self.request(request);
        self.current
    }

    /// Requests all values of a completed step of `run`, or of the next one if `step` is none. The active run continues
    /// meanwhile. A later request replaces one that is not fulfilled yet.
    pub fn look(&self, run: RunId, step: Option<u64>) {
        self.request_of(run, Request::Look(step));
    }

    /// Requests the samples of these signals in the completed steps of `run`, which are computed again. Replaces an
    /// earlier request that is not fulfilled yet.
    pub fn fill(&self, run: RunId, signals: Vec<SignalKey>) {
        self.request_of(run, Request::Fill(signals));
    }

    /// Discards a finished run.
    pub fn forget(&self, run: RunId) {
        self.request_of(run, Request::Forget);
    }

    /// Plans changes of parameters at these steps, in their order. Changes at completed steps are ignored.
    pub fn plan(&self, changes: Vec<ParamChange>) {
        self.request(Request::Plan(changes));
    }

    /// Continues the run with an edited simulation from the next step on; blocks that the edit does not touch keep
    /// their values. Earlier steps can still be inspected and branched off, but the run cannot go back to them.
    /// Declined if the simulation cannot run, has another step length, or has blocks that write files.
    pub fn edit(&self, simulation: Arc<Simulation>, registry: Arc<Registry>, engine: Arc<dyn Engine>) {
        self.request(Request::Edit(Box::new(Edited { simulation, registry, engine })));
    }

    /// Sets whether the run pauses with an error at the first value that is infinite or NaN, from the next step on.
    pub fn refuse_non_finite(&self, refuses: bool) {
        self.request(Request::RefuseNonFinite(refuses));
    }

    /// Sets the breakpoints: the run pauses after a step in which one of them is hit.
    pub fn break_at(&self, breakpoints: Vec<Breakpoint>) {
        self.request(Request::Break(breakpoints));
    }

    pub fn pause(&self) {
        self.request(Request::Pause);
    }

    pub fn resume(&self) {
        self.request(Request::Resume);
    }

    /// Runs `count` steps and pauses.
    pub fn step(&self, count: u64) {
        self.request(Request::Step(count));
    }

    /// Ends the run after its last complete step; a step in progress is cancelled.
    pub fn stop(&self) {
        self.cancel.cancel();
        self.request(Request::Stop);
    }

    pub fn set_speed(&self, speed: Speed) {
        self.request(Request::SetSpeed(speed));
    }

    /// Sets the number of steps after which the run ends; `None`: until stopped. A run that has as many already ends at
    /// once.
    pub fn set_steps(&self, steps: Option<u64>) {
        self.request(Request::SetSteps(steps));
    }

    /// From the next step on the samples of these signals are sent, and no others.
    pub fn watch(&self, signals: Vec<SignalKey>) {
        self.request(Request::Watch(signals));
    }

    /// Runs until `step` steps are complete and pauses; pauses at once if they are complete already.
    pub fn run_to(&self, step: u64) {
        self.request(Request::RunTo(step));
    }

    /// Goes back by `count` steps, at most to the beginning, and pauses.
    pub fn step_back(&self, count: u64) {
        self.request(Request::StepBack(count));
    }

    /// Goes to where `step` steps are complete, forwards or back, and pauses.
    pub fn go_to(&self, step: u64) {
        self.request(Request::GoTo(step));
    }

    /// Sets the values of a parameter of one instance of a block from the next step on. The change is repeated if the
    /// run reaches that step again; it is forgotten if the run has gone back to before it and another change is made
    /// there.
    pub fn set_param(&self, param: &ParamAddress, values: &[f64]) {
        self.request(Request::SetParam(param.clone(), values.to_vec()));
    }

    /// Sets the size of the rewind buffer of a run in bytes; the default is [`Runner::MEMORY`], and 0 disables it. A
    /// finished run keeps a quarter of it as soon as another run begins.
    pub fn remember(&self, bytes: usize) {
        self.request(Request::Remember(bytes));
    }

    /// The default size of the rewind buffer in bytes.
    pub const MEMORY: usize = 64 << 20;

    /// Returns the events of the current run that have arrived, and requested values of other runs. Never blocks.
    pub fn poll(&self) -> impl Iterator<Item = Event> + '_ {
        let events = self.channels.iter().flat_map(|(_, events)| events.try_iter());
        events.filter(|event| self.is_meant(event)).map(|(_, event)| event)
    }

    fn is_meant(&self, (run, event): &TaggedEvent) -> bool {
        *run == self.current || matches!(event, Event::Values(_) | Event::Backfilled { .. })
    }

    /// Waits for the next event of the current run; `None` if the thread has ended or the timeout has passed.
    pub fn wait(&self, timeout: Duration) -> Option<Event> {
        let (_, events) = self.channels.as_ref()?;
        let deadline = Instant::now() + timeout;
        loop {
            let event = events.recv_deadline(deadline)?;
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
        // The thread receives requests whatever it does, so this blocks for moments at most.
        let _ = requests.send((run, request));
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.channels = None;
        if let Some(thread) = self.thread.take() {
            // The thread itself does not panic; if it does, there is nowhere left to report it.
            let _ = thread.join();
        }
    }
}

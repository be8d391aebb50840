//! The engine thread: requests in, events out.
//!
//! One thread lives as long as its [`Runner`] and runs one simulation at a time. Requests and events carry the run's
//! number; those of another run are dropped. Both channels are bounded. Samples are never dropped: where nobody takes
//! them, the thread waits, and hears requests while it waits. A panic in a block ends the run and names what it can.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Select, Sender, bounded};

use super::{Context, Engine, Engines, Execute, Notice, Program, Samples, compile};
use crate::block::{Reaction, Registry};
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
    /// Whether it fails at the first value that is infinite or not-a-number.
    pub refuses_non_finite: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    Fastest,
    /// Simulated seconds a second.
    RealTime(f64),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The program is ready; the name of the engine that runs it.
    Started {
        engine: &'static str,
    },
    /// The simulation cannot run, and why.
    Refused(Vec<Diagnostic>),
    /// Values of a watched signal in consecutive steps from `first` on, `width` lanes a step.
    Samples {
        signal: SignalKey,
        first: u64,
        width: usize,
        values: Vec<f64>,
    },
    /// `step` steps are done, `time` is that of the next; the last step ran `executed` blocks.
    Progress {
        step: u64,
        time: f64,
        executed: u64,
    },
    /// What blocks told in steps that are done, step after step, and how many more they told than stand here. Comes
    /// behind the samples of these steps, and before what becomes of the run.
    Told {
        notices: Vec<Notice>,
        left_out: u64,
    },
    Paused,
    Resumed,
    /// The run is over after `steps` steps, by itself or because it was stopped.
    Finished {
        steps: u64,
        was_stopped: bool,
        exits: Vec<(Arc<str>, Option<Vec<f64>>)>,
    },
    /// The run is over because a step could not be completed.
    Failed {
        message: String,
        block: Option<(Vec<BlockId>, BlockId)>,
    },
}

impl Event {
    /// Whether the run is over with this event.
    pub fn is_last(&self) -> bool {
        matches!(self, Event::Refused(_) | Event::Finished { .. } | Event::Failed { .. })
    }
}

enum Request {
    Start(Box<Start>),
    Pause,
    Resume,
    Step(u64),
    Stop,
    SetSpeed(Speed),
    Watch(Vec<SignalKey>),
}

type Asked = (RunId, Request);
type Told = (RunId, Event);

/// The engine thread as its owner sees it. Dropping it ends the thread.
pub struct Runner {
    // Dropped before the thread is waited for, so that it hears that nobody is there any more.
    channels: Option<(Sender<Asked>, Receiver<Told>)>,
    thread: Option<JoinHandle<()>>,
    current: RunId,
}

const REQUESTS: usize = 64;
const EVENTS: usize = 256;
/// How long the thread runs before it listens and sends.
const CHUNK: Duration = Duration::from_millis(8);
/// Watched lanes in a chunk, at most.
const CHUNK_LANES: usize = 1 << 18;

impl Runner {
    /// Starts the thread. `wake` is called after events were sent.
    pub fn new(wake: impl Fn() + Send + 'static) -> Runner {
        let (request_sender, requests) = bounded(REQUESTS);
        let (events, event_receiver) = bounded(EVENTS);
        let thread = Thread { requests, events, wake: Box::new(wake), waiting: VecDeque::new() };
        let thread = std::thread::Builder::new().name("engine".to_owned()).spawn(move || thread.serve());
        // Without a thread every request goes nowhere, and the channels say so.
        Runner { channels: Some((request_sender, event_receiver)), thread: thread.ok(), current: RunId(0) }
    }

    /// Ends what runs and starts anew.
    pub fn start(&mut self, start: Start) -> RunId {
        self.current = RunId(self.current.0 + 1);
        self.request(Request::Start(Box::new(start)));
        self.current
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

    pub fn stop(&self) {
        self.request(Request::Stop);
    }

    pub fn set_speed(&self, speed: Speed) {
        self.request(Request::SetSpeed(speed));
    }

    /// From the next step on these signals are sent and no others.
    pub fn watch(&self, signals: Vec<SignalKey>) {
        self.request(Request::Watch(signals));
    }

    /// The events of the current run that have arrived. Never waits.
    pub fn poll(&self) -> impl Iterator<Item = Event> + '_ {
        let events = self.channels.iter().flat_map(|(_, events)| events.try_iter());
        events.filter(|(run, _)| *run == self.current).map(|(_, event)| event)
    }

    /// The next event of the current run; none where the thread has ended or nothing came in time.
    pub fn wait(&self, timeout: Duration) -> Option<Event> {
        let (_, events) = self.channels.as_ref()?;
        let deadline = Instant::now() + timeout;
        loop {
            let (run, event) = events.recv_deadline(deadline).ok()?;
            if run == self.current {
                return Some(event);
            }
        }
    }

    fn request(&self, request: Request) {
        let Some((requests, _)) = &self.channels else { return };
        // The thread hears requests whatever it does, so this waits for moments at most.
        let _ = requests.send((self.current, request));
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.channels = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread itself was a broken promise; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

struct Thread {
    requests: Receiver<Asked>,
    events: Sender<Told>,
    wake: Box<dyn Fn() + Send>,
    /// Requests that were heard while an event could not be sent.
    waiting: VecDeque<Asked>,
}

/// The owner has gone.
struct Gone;

struct Run {
    id: RunId,
    program: Arc<Program>,
    execute: Box<dyn Execute>,
    context: Context,
    samples: Samples,
    signals: Vec<SignalKey>,
    steps: Option<u64>,
    speed: Speed,
    state: State,
    /// When the pacing began, and at which step.
    paced_from: (Instant, u64),
    /// Steps that take about a chunk's time.
    chunk: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Running,
    Paused,
    /// Runs up to this step, then pauses.
    SteppingTo(u64),
}

impl Thread {
    fn serve(mut self) {
        // An error means that the owner has gone.
        let _ = self.serve_until_gone();
    }

    fn serve_until_gone(&mut self) -> Result<(), Gone> {
        let mut run: Option<Run> = None;
        loop {
            while let Some((id, request)) = self.next_request(run.as_ref())? {
                self.handle(id, request, &mut run)?;
            }
            if let Some(active) = &mut run
                && self.advance(active)?
            {
                run = None;
            }
        }
    }

    /// The next request; waits for it where there is nothing to run.
    fn next_request(&mut self, run: Option<&Run>) -> Result<Option<Asked>, Gone> {
        if let Some(request) = self.waiting.pop_front() {
            return Ok(Some(request));
        }
        let timeout = match run {
            None => None,
            Some(run) => run.idle_time(),
        };
        match timeout {
            None => self.requests.recv().map(Some).map_err(|_| Gone),
            Some(timeout) => match self.requests.recv_timeout(timeout) {
                Ok(request) => Ok(Some(request)),
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => Err(Gone),
            },
        }
    }

    fn handle(&mut self, id: RunId, request: Request, run: &mut Option<Run>) -> Result<(), Gone> {
        if let Request::Start(start) = request {
            *run = self.begin(id, *start)?;
            return Ok(());
        }
        let Some(active) = run.as_mut().filter(|run| run.id == id) else { return Ok(()) };
        match request {
            Request::Start(_) => {}
            Request::Pause => {
                active.state = State::Paused;
                self.send(id, Event::Paused)?;
            }
            Request::Resume => {
                active.state = State::Running;
                active.pace_from_here();
                self.send(id, Event::Resumed)?;
            }
            Request::Step(count) => {
                active.state = State::SteppingTo(active.context.step.saturating_add(count));
                active.pace_from_here();
            }
            Request::Stop => {
                let event = active.finished(true);
                *run = None;
                self.send(id, event)?;
            }
            Request::SetSpeed(speed) => {
                active.speed = speed;
                active.pace_from_here();
            }
            Request::Watch(signals) => active.watch(signals),
        }
        (self.wake)();
        Ok(())
    }

    fn begin(&mut self, id: RunId, start: Start) -> Result<Option<Run>, Gone> {
        let made = catch_unwind(AssertUnwindSafe(|| Run::new(id, start)));
        let (run, event) = match made {
            Ok(Ok(run)) => {
                let event = Event::Started { engine: run.execute.engine() };
                (Some(run), event)
            }
            Ok(Err(found)) => (None, Event::Refused(found)),
            Err(panic) => (None, Event::Failed { message: panic_text(&*panic), block: None }),
        };
        self.send(id, event)?;
        if let Some(run) = &run
            && run.state == State::Paused
        {
            self.send(id, Event::Paused)?;
        }
        (self.wake)();
        Ok(run)
    }

    /// Runs a chunk of steps and sends what came out; whether the run is over.
    fn advance(&mut self, run: &mut Run) -> Result<bool, Gone> {
        let count = run.steps_due();
        if count == 0 && !run.is_complete() {
            return Ok(false);
        }
        let before = Instant::now();
        let ran = catch_unwind(AssertUnwindSafe(|| run.execute.run(&mut run.context, count, &mut run.samples)));
        run.adapt_chunk(count, before.elapsed());
        self.send_samples(run)?;
        let Context { step, executed, .. } = run.context;
        self.send(run.id, Event::Progress { step, time: run.context.time(&run.program), executed })?;
        let end = run.samples.end().filter(|_| matches!(ran, Ok(Ok(()))));
        let last = match ran {
            Ok(Ok(())) if matches!(end, Some(Reaction::Stop | Reaction::Finish)) => Some(run.finished(false)),
            Ok(Ok(())) if run.is_complete() => Some(run.finished(false)),
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(Event::Failed { message: error.to_string(), block: error.block }),
            Err(panic) => {
                let message = format!("step {step}: {}", panic_text(&*panic));
                Some(Event::Failed { message, block: None })
            }
        };
        let is_over = last.is_some();
        if let Some(event) = last {
            self.send(run.id, event)?;
        } else if matches!(run.state, State::SteppingTo(target) if run.context.step >= target) || end.is_some() {
            run.state = State::Paused;
            self.send(run.id, Event::Paused)?;
        }
        (self.wake)();
        Ok(is_over)
    }

    fn send_samples(&mut self, run: &mut Run) -> Result<(), Gone> {
        let first = run.samples.first();
        let watches = run.samples.watches().iter().zip(&run.signals);
        let events: Vec<Event> = watches
            .filter(|(watch, _)| !watch.values.is_empty())
            .map(|(watch, signal)| {
                let width = run.program.outputs[watch.output].width as usize;
                Event::Samples { signal: signal.clone(), first, width, values: watch.values.clone() }
            })
            .collect();
        let told = Event::Told { notices: run.samples.notices().to_vec(), left_out: run.samples.left_out() };
        let told = Some(told).filter(|_| !run.samples.notices().is_empty());
        run.samples.clear();
        events.into_iter().chain(told).try_for_each(|event| self.send(run.id, event))
    }

    /// Sends, and hears requests while that has to wait.
    fn send(&mut self, id: RunId, event: Event) -> Result<(), Gone> {
        let mut message = (id, event);
        // Once enough was heard, what follows waits in the channel.
        while self.waiting.len() < REQUESTS {
            message = match self.events.try_send(message) {
                Ok(()) => return Ok(()),
                Err(error) if error.is_disconnected() => return Err(Gone),
                Err(error) => error.into_inner(),
            };
            (self.wake)();
            let mut select = Select::new();
            let sending = select.send(&self.events);
            let hearing = select.recv(&self.requests);
            let ready = select.ready();
            debug_assert!(ready == sending || ready == hearing);
            if ready == hearing {
                match self.requests.try_recv() {
                    Ok(request) => self.waiting.push_back(request),
                    Err(error) if error.is_disconnected() => return Err(Gone),
                    Err(_) => {}
                }
            }
        }
        self.events.send(message).map_err(|_| Gone)
    }
}

impl Run {
    fn new(id: RunId, start: Start) -> Result<Run, Vec<Diagnostic>> {
        let mut program = compile(&start.simulation, &start.registry)?;
        program.refuses_non_finite = start.refuses_non_finite;
        let program = Arc::new(program);
        let execute = start.engine.prepare(&program).map_err(|declined| {
            let help = format!("choose the engine “{}”", Engines::DEFAULT);
            vec![Diagnostic::error("declined", declined.to_string()).help(help)]
        })?;
        let context = Context::new(&program);
        let mut run = Run {
            id,
            program,
            execute,
            context,
            samples: Samples::default(),
            signals: Vec::new(),
            steps: start.steps,
            speed: start.speed,
            state: if start.is_paused { State::Paused } else { State::Running },
            paced_from: (Instant::now(), 0),
            chunk: 1,
        };
        run.watch(start.watch);
        Ok(run)
    }

    fn watch(&mut self, signals: Vec<SignalKey>) {
        let found = signals.into_iter().filter_map(|signal| Some((self.program.output_of(&signal)?, signal)));
        let (outputs, signals): (Vec<_>, Vec<_>) = found.unzip();
        self.samples = Samples::new(outputs);
        self.signals = signals;
    }

    fn finished(&self, was_stopped: bool) -> Event {
        let exits = self.context.exits(&self.program);
        Event::Finished { steps: self.context.step, was_stopped, exits }
    }

    fn is_complete(&self) -> bool {
        self.steps.is_some_and(|steps| self.context.step >= steps)
    }

    fn pace_from_here(&mut self) {
        self.paced_from = (Instant::now(), self.context.step);
    }

    /// How long nothing is to be done but listen; none: until something is heard.
    fn idle_time(&self) -> Option<Duration> {
        match (self.state, self.speed) {
            (State::Paused, _) if !self.is_complete() => None,
            (State::Running, Speed::RealTime(ratio)) if self.steps_due() == 0 && !self.is_complete() => {
                let next = (self.context.step + 1 - self.paced_from.1) as f64 * self.program.delta / ratio;
                let wait = next - self.paced_from.0.elapsed().as_secs_f64();
                Some(Duration::from_secs_f64(wait.clamp(0.0005, 0.25)))
            }
            _ => Some(Duration::ZERO),
        }
    }

    /// How many steps the next chunk has.
    fn steps_due(&self) -> u64 {
        let done = self.context.step;
        let lanes: usize = self.samples.watches().iter().map(|w| self.program.outputs[w.output].width as usize).sum();
        let most = (CHUNK_LANES / lanes.max(1)).max(1) as u64;
        let left = self.steps.map_or(u64::MAX, |steps| steps.saturating_sub(done)).min(self.chunk).min(most);
        match (self.state, self.speed) {
            (State::Paused, _) => 0,
            (State::SteppingTo(target), _) => left.min(target.saturating_sub(done)),
            (State::Running, Speed::Fastest) => left,
            (State::Running, Speed::RealTime(ratio)) => {
                let (since, first) = self.paced_from;
                let due = first as f64 + since.elapsed().as_secs_f64() * ratio / self.program.delta;
                // The conversion saturates; a ratio that is no number makes nothing due.
                left.min((due as u64).saturating_sub(done))
            }
        }
    }

    fn adapt_chunk(&mut self, count: u64, took: Duration) {
        if count < self.chunk && took < CHUNK {
            return;
        }
        let took = took.as_secs_f64().max(1e-7);
        let wanted = count as f64 * CHUNK.as_secs_f64() / took;
        // At most doubled, so that one quick chunk does not make the next one endless.
        self.chunk = (wanted as u64).clamp(1, self.chunk.saturating_mul(2)).min(1 << 24);
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the engine failed: {}", text.unwrap_or("for an unknown reason"))
}

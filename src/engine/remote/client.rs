//! The session of one remote block, as the engine sees it: the state known to the worker, the pending request, and the
//! log from which a lost worker is replaced.
//!
//! When a run begins or continues, the worker receives the values that it does not know yet; from then on all requests
//! are kept. If the worker is lost, another one receives the values from the beginning and the requests since, and is
//! then in the same state as the first.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::{Cancel, Program};
use super::exports::Exports;
use super::message::{BODY, ENTER, LAST, NoMessage, Reader, STATES, STEP, VALUES, read_fault, write_changes};
use super::plan::{Body, Plan};
use super::{RemoteCost, RemoteError, RemoteSession, RemoteWorkers};
use crate::engine::step_code::Machine;

/// How often a request is tried on another worker before it is given up.
const TRIES: u32 = 3;
/// How long a session is waited for before the run is looked at.
const GLANCE: Duration = Duration::from_millis(50);

/// Why a block cannot continue.
#[derive(Debug)]
pub(super) enum ClientError {
    Cancelled,
    /// No worker: why, a sentence without a full stop.
    NoWorker(String),
}

/// The surroundings of a session.
pub(super) struct SessionContext<'a> {
    pub plan: &'a Plan,
    pub program: &'a Arc<Program>,
    pub workers: &'a dyn RemoteWorkers,
}

/// An answer that is expected.
#[derive(Clone, Copy, Debug)]
enum Expected {
    Body(usize),
    Values,
    States,
}

#[derive(Debug)]
pub(super) struct Client {
    location: usize,
    session: Option<Box<dyn RemoteSession>>,
    /// A session whose worker prepares the block, or the reason why there is no session.
    opened: Option<Result<Box<dyn RemoteSession>, RemoteError>>,
    /// The values known to the worker: of the cells of the location, of its history and of the parameters.
    known: Vec<f64>,
    known_history: Vec<f64>,
    known_params: Vec<f64>,
    /// [`Client::known`] when the run began or continued.
    entered: Vec<f64>,
    exports: Exports,
    watched: Vec<u32>,
    /// Whether the states here are those of the worker.
    is_settled: bool,
    sequence: u64,
    step: Option<u64>,
    /// The items of the next request, and the contents of its answer.
    items: Vec<u8>,
    expected: Vec<Expected>,
    /// The requests since the run began or continued; the last one may be unanswered.
    log: Vec<Vec<u8>>,
    sent: Option<Instant>,
    pub cost: RemoteCost,
}

impl Client {
    pub fn new(plan: &Plan, program: &Program, location: usize, cost: RemoteCost) -> Client {
        let of = &plan.locations[location];
        let (cells, history) = (of.cells.len(), of.history.len());
        Client {
            location,
            session: None,
            opened: None,
            known: vec![0.0; cells],
            known_history: vec![0.0; history],
            known_params: vec![0.0; program.params.len()],
            entered: Vec::new(),
            exports: Exports::new(plan, location),
            watched: Vec::new(),
            is_settled: false,
            sequence: 0,
            step: None,
            items: Vec::new(),
            expected: Vec::new(),
            log: Vec::new(),
            sent: None,
            cost,
        }
    }

    /// The bytes of the requests that are kept.
    pub fn kept(&self) -> usize {
        self.log.iter().map(Vec::len).sum()
    }

    /// Opens a session if there is none, without waiting for it: all blocks are prepared at the same time.
    pub fn open(&mut self, context: &SessionContext) {
        if self.session.is_none() {
            self.opened = Some(context.workers.open(context.program, self.location));
        }
    }

    /// Begins or continues a run. Connects if there is no worker, and notes the values that the worker does not know.
    pub fn enter(&mut self, machine: &Machine, watched: &[u32], context: &SessionContext) -> Result<(), ClientError> {
        self.log.clear();
        self.items.clear();
        self.expected.clear();
        self.sent = None;
        self.step = None;
        if self.session.is_none() {
            self.is_settled = false;
            // Nothing is lost yet: the user learns soon that there is no worker.
            self.connect(machine.cancel.as_ref(), context, context.workers.patience() / 5)?;
        }
        let is_complete = !std::mem::replace(&mut self.is_settled, false);
        if watched != self.watched {
            self.watched = watched.to_vec();
            self.exports.watch(context.plan, context.program, watched);
        }
        self.note_step(machine.step);
        let mut items = std::mem::take(&mut self.items);
        self.write_enter(&mut items, machine, is_complete, context.plan);
        self.items = items;
        self.entered.clone_from(&self.known);
        Ok(())
    }

    fn write_enter(&mut self, items: &mut Vec<u8>, machine: &Machine, is_complete: bool, plan: &Plan) {
        let location = &plan.locations[self.location];
        let (cells, context) = (&machine.cells, &machine.context);
        items.push(ENTER);
        let value = |index: usize| context.params[index];
        write_changes(items, context.params.len(), is_complete, value, &mut self.known_params, |index| index);
        let value = |index: usize| cells[location.cells[index] as usize];
        write_changes(items, location.cells.len(), is_complete, value, &mut self.known, |index| index);
        let value = |index: usize| context.history[location.history[index] as usize];
        write_changes(items, location.history.len(), is_complete, value, &mut self.known_history, |index| index);
        self.write_watched(items);
    }

    fn write_watched(&self, items: &mut Vec<u8>) {
        items.extend((self.watched.len() as u32).to_le_bytes());
        self.watched.iter().for_each(|output| items.extend(output.to_le_bytes()));
    }

    fn note_step(&mut self, step: u64) {
        if self.step != Some(step) {
            self.step = Some(step);
            self.items.push(STEP);
            self.items.extend(step.to_le_bytes());
        }
    }

    /// Notes that all outputs of a step, which begins, will be asked for.
    pub fn add_last(&mut self, step: u64) {
        self.note_step(step);
        self.items.push(LAST);
    }

    /// Notes a body to be executed; returns whether its answer must be waited for.
    pub fn add_body(&mut self, number: usize, body: &Body, machine: &Machine, plan: &Plan) -> bool {
        self.note_step(machine.step);
        self.items.push(BODY);
        self.items.extend((number as u32).to_le_bytes());
        let (cells, of_location) = (&machine.cells, &plan.locations[self.location].cells);
        let value = |index: usize| cells[of_location[body.reads[index] as usize] as usize];
        let location = |index: usize| body.reads[index] as usize;
        write_changes(&mut self.items, body.reads.len(), false, value, &mut self.known, location);
        let is_awaited = self.exports.is_awaited(plan, number);
        if is_awaited {
            self.expected.push(Expected::Body(number));
        }
        is_awaited
    }

    pub fn add_values(&mut self) {
        self.items.push(VALUES);
        self.expected.push(Expected::Values);
    }

    pub fn add_states(&mut self) {
        self.items.push(STATES);
        self.expected.push(Expected::States);
    }

    /// Sends the noted items.
    pub fn send(&mut self) {
        self.sequence += 1;
        let mut request = Vec::with_capacity(8 + self.items.len());
        request.extend(self.sequence.to_le_bytes());
        request.append(&mut self.items);
        // Who cannot be reached is found out when the answer is waited for.
        let is_sent = self.session.as_mut().is_some_and(|session| session.send(&request).is_ok());
        if !is_sent {
            self.session = None;
        }
        self.cost.bytes += request.len() as u64;
        self.log.push(request);
        self.sent = Some(Instant::now());
    }

    /// Waits for the answer to the request, and takes it over.
    pub fn complete(&mut self, machine: &mut Machine, context: &SessionContext) -> Result<(), ClientError> {
        let cancel = machine.cancel.clone();
        let mut tries = 0;
        loop {
            let answer = self.answer(self.sequence, cancel.as_ref())?;
            match answer.map(|answer| self.take(&answer, machine, context.plan)) {
                Some(Ok(())) => return Ok(()),
                Some(Err(NoMessage)) => self.session = None,
                None => {}
            }
            tries += 1;
            if tries > TRIES {
                let problem = format!("the worker was lost in this step, and {TRIES} others after it");
                return Err(ClientError::NoWorker(problem));
            }
            self.replace(machine, cancel.as_ref(), context)?;
        }
    }

    /// Waits for the answer with a number; `None` if the worker is lost.
    fn answer(&mut self, sequence: u64, cancel: Option<&Cancel>) -> Result<Option<Vec<u8>>, ClientError> {
        while let Some(session) = &mut self.session {
            match session.receive(GLANCE) {
                // An answer to a request of a run that was cancelled may still come.
                Ok(Some(answer)) if answer.starts_with(&sequence.to_le_bytes()) => return Ok(Some(answer)),
                Ok(_) if cancel.is_some_and(Cancel::is_cancelled) => return Err(ClientError::Cancelled),
                Ok(_) => {}
                Err(_) => self.session = None,
            }
        }
        Ok(None)
    }

    /// Brings another worker to the state of the lost one, up to the last request, whose answer is still to come.
    fn replace(
        &mut self,
        machine: &Machine,
        cancel: Option<&Cancel>,
        context: &SessionContext,
    ) -> Result<(), ClientError> {
        self.session = None;
        self.cost.restarts += 1;
        self.connect(cancel, context, context.workers.patience())?;
        let mut begin = 0u64.to_le_bytes().to_vec();
        self.write_begin(&mut begin, machine, context.plan);
        let number = |request: &[u8]| request.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let log = std::mem::take(&mut self.log);
        let earlier = log.split_last().map_or(&[][..], |(_, earlier)| earlier);
        let mut is_there = true;
        for request in std::iter::once(&begin).chain(earlier) {
            self.post(request);
            is_there = is_there && self.answer(number(request), cancel)?.is_some();
        }
        if is_there {
            log.last().iter().for_each(|request| self.post(request));
        }
        self.log = log;
        Ok(())
    }

    fn post(&mut self, request: &[u8]) {
        if self.session.as_mut().is_some_and(|session| session.send(request).is_err()) {
            self.session = None;
        }
    }

    /// Writes all values that a worker had when the run began or continued.
    fn write_begin(&mut self, items: &mut Vec<u8>, machine: &Machine, plan: &Plan) {
        items.push(ENTER);
        let params = &machine.context.params;
        write_changes(items, params.len(), true, |index| params[index], &mut params.clone(), |index| index);
        let entered = &self.entered;
        write_changes(items, entered.len(), true, |index| entered[index], &mut entered.clone(), |index| index);
        // Nothing here changes the histories of remote units before their states are fetched.
        let (location, history) = (&plan.locations[self.location], &machine.context.history);
        let value = |index: usize| history[location.history[index] as usize];
        write_changes(items, location.history.len(), true, value, &mut self.known_history.clone(), |index| index);
        self.write_watched(items);
    }

    /// Opens a session with a worker; tries again until `patience` is over.
    fn connect(
        &mut self,
        cancel: Option<&Cancel>,
        context: &SessionContext,
        patience: Duration,
    ) -> Result<(), ClientError> {
        let begin = Instant::now();
        loop {
            let opened = self.opened.take().unwrap_or_else(|| context.workers.open(context.program, self.location));
            match opened.and_then(|session| prepared(session, cancel)) {
                Ok((session, fingerprint)) if fingerprint == context.plan.fingerprint => {
                    self.cost.worker = session.worker();
                    self.session = Some(session);
                    return Ok(());
                }
                Ok(_) => {
                    let problem = "the worker has compiled the model in another way; use the same program everywhere";
                    return Err(ClientError::NoWorker(problem.to_owned()));
                }
                Err(_) if cancel.is_some_and(Cancel::is_cancelled) => return Err(ClientError::Cancelled),
                Err(RemoteError::Lost(_)) if begin.elapsed() < patience => {
                    std::thread::sleep(GLANCE);
                }
                Err(error) => return Err(ClientError::NoWorker(error.to_string())),
            }
        }
    }

    /// Takes over an answer.
    fn take(&mut self, answer: &[u8], machine: &mut Machine, plan: &Plan) -> Result<(), NoMessage> {
        let mut reader = Reader(answer);
        let (_, nanoseconds, executed) = (reader.long()?, reader.long()?, reader.long()?);
        let fault = read_fault(&mut reader, machine.program.units.len())?;
        let location = &plan.locations[self.location];
        let Machine { cells, context, .. } = machine;
        let known = &mut self.known;
        let mut is_settled = false;
        for expected in std::mem::take(&mut self.expected) {
            let list = match expected {
                Expected::Body(number) => self.exports.of(number),
                Expected::Values => &location.values,
                Expected::States => &location.states,
            };
            reader.changes(list.len(), |index, value| {
                let at = list[index] as usize;
                known[at] = value;
                cells[location.cells[at] as usize] = value;
            })?;
            if matches!(expected, Expected::States) {
                is_settled = true;
                let (known, history) = (&mut self.known_history, &mut context.history);
                reader.changes(location.history.len(), |index, value| {
                    known[index] = value;
                    history[location.history[index] as usize] = value;
                })?;
            }
        }
        self.is_settled |= is_settled && fault.is_none();
        machine.executed = machine.executed.saturating_add(executed);
        if let Some(fault) = fault {
            machine.fault.get_or_insert(fault);
        }
        let (whole, computed) = (self.sent.take().map(|sent| sent.elapsed()), Duration::from_nanos(nanoseconds));
        self.cost.note(whole.unwrap_or_default(), computed, answer.len());
        Ok(())
    }
}

/// Waits until a worker has prepared its block; returns the session and the fingerprint.
fn prepared(
    mut session: Box<dyn RemoteSession>,
    cancel: Option<&Cancel>,
) -> Result<(Box<dyn RemoteSession>, u64), RemoteError> {
    loop {
        match session.ready(GLANCE)? {
            Some(fingerprint) => return Ok((session, fingerprint)),
            None if cancel.is_some_and(Cancel::is_cancelled) => {
                return Err(RemoteError::Lost("the run was cancelled".to_owned()));
            }
            None => {}
        }
    }
}

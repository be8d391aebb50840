//! The engine thread's own side: hears requests, runs a chunk of steps at a time, sends events.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use crossbeam_channel::{Receiver, RecvTimeoutError, Select, Sender};

use super::super::{Context, WriteError};
use super::run::{Run, State};
use super::{Asked, Event, ParamChange, REQUESTS, Request, RunId, Start, Told};
use crate::block::Reaction;

pub(super) struct Thread {
    requests: Receiver<Asked>,
    events: Sender<Told>,
    wake: Box<dyn Fn() + Send>,
    /// Requests that were heard while an event could not be sent.
    waiting: VecDeque<Asked>,
}

/// The owner has gone.
struct Gone;

impl Thread {
    pub fn new(requests: Receiver<Asked>, events: Sender<Told>, wake: impl Fn() + Send + 'static) -> Thread {
        Thread { requests, events, wake: Box::new(wake), waiting: VecDeque::new() }
    }

    pub fn serve(mut self) {
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
        let is_at_once = matches!(request, Request::Stop | Request::SetSpeed(_) | Request::Watch(_));
        if matches!(active.state, State::GoingBackTo(_)) && !is_at_once {
            active.deferred.push(request);
            return Ok(());
        }
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
            Request::RunTo(step) => {
                active.state = State::SteppingTo(step);
                active.pace_from_here();
            }
            Request::StepBack(count) => self.go_to(active, active.context.step.saturating_sub(count))?,
            Request::GoTo(step) => self.go_to(active, step)?,
            Request::SetParam { path, block, name, values } => {
                let change = ParamChange { step: active.context.step, path, block, name, values };
                let event = match active.set_param(change) {
                    Ok(event) => event,
                    Err(error) => Event::Declined { message: error.to_string() },
                };
                self.send(id, event)?;
            }
            Request::Remember(bytes) => active.past.set_limit(bytes),
        }
        (self.wake)();
        Ok(())
    }

    fn go_to(&mut self, run: &mut Run, step: u64) -> Result<(), Gone> {
        if run.go_to(step) {
            return Ok(());
        }
        let message = format!("there is no way back to step {step}: nothing of it is kept");
        self.send(run.id, Event::Declined { message })
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
        // Nobody hears of steps that are made again, nor of what is changed in them once more.
        let is_heard = !matches!(run.state, State::GoingBackTo(_));
        if !is_heard || run.state != State::Paused {
            let changed = run.change_again();
            changed.into_iter().filter(|_| is_heard).try_for_each(|event| self.send(run.id, event))?;
        }
        let count = run.steps_due();
        if count == 0 && !run.is_complete() && !run.has_arrived() {
            return Ok(false);
        }
        let before = Instant::now();
        let ran = catch_unwind(AssertUnwindSafe(|| run.execute.run(&mut run.context, count, &mut run.samples)));
        let took = before.elapsed();
        run.adapt_chunk(count, took);
        if !is_heard && matches!(ran, Ok(Ok(()))) {
            self.go_back_on(run)?;
            return Ok(false);
        }
        if matches!(ran, Ok(Ok(()))) {
            run.past.note(&run.context, took);
        }
        let written = run.writers.take(&run.samples);
        self.send_samples(run)?;
        let Context { step, executed, .. } = run.context;
        self.send(run.id, Event::Progress { step, time: run.context.time(&run.program), executed })?;
        let end = run.samples.end().filter(|_| matches!(ran, Ok(Ok(()))));
        let last = match ran {
            Ok(Ok(())) if let Err(WriteError { problem, block }) = written => {
                Some(Event::Failed { message: problem, block: Some(block) })
            }
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

    /// Ends the way back where it has arrived, and hears what was asked for on the way.
    fn go_back_on(&mut self, run: &mut Run) -> Result<(), Gone> {
        run.samples.clear();
        if !run.has_arrived() {
            return Ok(());
        }
        // What was changed at this step was so when it was left.
        run.change_again();
        run.state = State::Paused;
        self.send(run.id, Event::WentBack { step: run.context.step, time: run.context.time(&run.program) })?;
        self.send(run.id, Event::Paused)?;
        for request in run.deferred.drain(..).rev() {
            self.waiting.push_front((run.id, request));
        }
        (self.wake)();
        Ok(())
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

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the engine failed: {}", text.unwrap_or("for an unknown reason"))
}

//! The loop of the engine thread: it handles requests, runs a chunk of steps at a time, and sends events.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Select};

use super::queue::{NotSent, QueueSender};
use super::run::{LiveEditError, Prepared, Run, RunEnd, RunnerState};
use super::view::{Backfill, StepRequest};
use super::{Event, ParamChange, REQUESTS, Request, RunId, Runner, SharedProgram, Start, TaggedEvent, TaggedRequest};
use crate::block::Reaction;
use crate::engine::{Cancel, Context, WriteError};

/// The runs of the thread, and the work for requests.
struct HeldRuns {
    active: Option<Run>,
    /// The finished runs, the latest last.
    kept: VecDeque<Run>,
    look: Option<StepRequest>,
    fill: Option<Backfill>,
    /// The size of the rewind buffer of a run in bytes.
    memory: usize,
}

/// The number of finished runs that are kept, at most.
const KEPT: usize = 24;

impl HeldRuns {
    fn find(&self, id: RunId) -> Option<&Run> {
        self.active.iter().chain(&self.kept).find(|run| run.id == id)
    }

    /// Ends the active run and keeps it.
    fn retire(&mut self) {
        if let Some(mut run) = self.active.take() {
            run.retire();
            self.kept.push_back(run);
        }
    }

    /// Makes room for another run: the earlier ones keep less.
    fn make_room(&mut self) {
        self.retire();
        while self.kept.len() > KEPT {
            self.kept.pop_front();
        }
        for run in &mut self.kept {
            run.shrink(self.memory / 4);
        }
    }

    fn forget(&mut self, id: RunId) {
        self.kept.retain(|run| run.id != id);
    }
}

pub(super) struct Thread {
    requests: Receiver<TaggedRequest>,
    events: QueueSender<TaggedEvent>,
    /// Cancels the work in progress; the request that is the reason follows.
    cancel: Cancel,
    wake: Box<dyn Fn() + Send>,
    /// Requests that arrived while an event could not be sent.
    waiting: VecDeque<TaggedRequest>,
}

/// The owner has dropped its handle.
struct Disconnected;

impl Thread {
    pub fn new(
        requests: Receiver<TaggedRequest>,
        events: QueueSender<TaggedEvent>,
        cancel: Cancel,
        wake: impl Fn() + Send + 'static,
    ) -> Thread {
        Thread { requests, events, cancel, wake: Box::new(wake), waiting: VecDeque::new() }
    }

    pub fn serve(mut self) {
        // An error means that the owner has dropped its handle.
        let _ = self.serve_until_gone();
    }

    fn serve_until_gone(&mut self) -> Result<(), Disconnected> {
        let mut held = HeldRuns { active: None, kept: VecDeque::new(), look: None, fill: None, memory: Runner::MEMORY };
        loop {
            while let Some((id, request)) = self.next_request(&held)? {
                self.handle(id, request, &mut held)?;
            }
            self.look_on(&mut held)?;
            self.fill_on(&mut held)?;
            if let Some(active) = &mut held.active
                && self.advance(active)?
            {
                held.retire();
            }
        }
    }

    /// Returns the next request; waits for it if there is nothing to run.
    fn next_request(&mut self, held: &HeldRuns) -> Result<Option<TaggedRequest>, Disconnected> {
        if let Some(request) = self.waiting.pop_front() {
            return Ok(Some(request));
        }
        let timeout = match &held.active {
            _ if held.look.is_some() || held.fill.is_some() => Some(Duration::ZERO),
            None => None,
            Some(run) => run.idle_time(),
        };
        match timeout {
            None => self.requests.recv().map(Some).map_err(|_| Disconnected),
            Some(timeout) => match self.requests.recv_timeout(timeout) {
                Ok(request) => Ok(Some(request)),
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => Err(Disconnected),
            },
        }
    }

    fn handle(&mut self, id: RunId, request: Request, held: &mut HeldRuns) -> Result<(), Disconnected> {
        if let Request::Start(..) | Request::Branch(..) | Request::Stop = request {
            self.cancel.hear();
        }
        match request {
            Request::Start(start, of) => return self.begin(id, *start, of, held),
            Request::Branch(of, step) => return self.branch(id, of, step, held),
            Request::Look(step) => return self.look(id, step, held),
            Request::Fill(signals) => {
                held.fill = held.find(id).and_then(|run| run.fill(signals));
                return Ok(());
            }
            Request::Forget => held.forget(id),
            Request::Remember(bytes) => held.memory = bytes,
            _ => {}
        }
        let Some(active) = held.active.as_mut().filter(|run| run.id == id) else { return Ok(()) };
        let is_at_once = matches!(
            request,
            Request::Stop | Request::SetSpeed(_) | Request::SetSteps(_) | Request::Watch(_) | Request::Break(_)
        );
        if matches!(active.state, RunnerState::GoingBackTo(_)) && !is_at_once {
            active.deferred.push(request);
            return Ok(());
        }
        match request {
            Request::Start(..) | Request::Branch(..) | Request::Look(_) | Request::Fill(_) | Request::Forget => {}
            Request::Pause => {
                active.state = RunnerState::Paused;
                self.send(id, Event::Paused)?;
            }
            Request::Resume => {
                active.state = RunnerState::Running;
                active.pace_from_here();
                self.send(id, Event::Resumed)?;
            }
            Request::Step(count) => {
                active.state = RunnerState::SteppingTo(active.context.step.saturating_add(count));
                active.pace_from_here();
            }
            Request::Stop => {
                let event = active.finished(RunEnd::Stopped);
                held.retire();
                self.send(id, event)?;
            }
            Request::SetSpeed(speed) => active.set_speed(speed),
            Request::SetSteps(steps) => active.steps = steps,
            Request::Watch(signals) => active.watch(signals),
            Request::Break(breakpoints) => active.break_at(breakpoints),
            Request::Edit(edited) => {
                // Preparing blocks may panic; that does not end the active run.
                let result = catch_unwind(AssertUnwindSafe(|| active.edit(&edited)));
                let result = result.unwrap_or_else(|panic| Err(LiveEditError::Panicked(panic_text(&*panic))));
                let event = result.unwrap_or_else(|error| Event::Declined { message: error.to_string() });
                self.send(id, event)?;
            }
            Request::RefuseNonFinite(refuses) => active.refuse_non_finite(refuses),
            Request::Plan(changes) => active.past.plan(active.context.step, changes),
            Request::RunTo(step) => {
                active.state = RunnerState::SteppingTo(step);
                active.pace_from_here();
            }
            Request::StepBack(count) => self.go_to(active, active.context.step.saturating_sub(count))?,
            Request::GoTo(step) => self.go_to(active, step)?,
            Request::SetParam(param, values) => {
                let change = ParamChange { step: active.context.step, param, values };
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

    fn go_to(&mut self, run: &mut Run, step: u64) -> Result<(), Disconnected> {
        if run.go_to(step) {
            return Ok(());
        }
        let message = format!("there is no way back to step {step}: nothing of it is kept");
        self.send(run.id, Event::Declined { message })
    }

    fn begin(&mut self, id: RunId, start: Start, of: Option<RunId>, held: &mut HeldRuns) -> Result<(), Disconnected> {
        let known = of.and_then(|of| held.find(of)).map(|run| &run.made).filter(|made| made.is_for(&start)).cloned();
        held.make_room();
        let memory = held.memory;
        let made = catch_unwind(AssertUnwindSafe(|| {
            let Start { simulation, registry, engine, refuses_non_finite, .. } = &start;
            let make = || Prepared::new(simulation, registry, engine, *refuses_non_finite);
            let made = known.map_or_else(make, Ok)?;
            Run::new(id, start, made, memory)
        }));
        match made {
            Ok(Ok(run)) => self.begun(run, held),
            Ok(Err(found)) => self.send(id, Event::Refused(found)),
            Err(panic) => self.send(id, Event::Failed { message: panic_text(&*panic), block: None }),
        }?;
        (self.wake)();
        Ok(())
    }

    fn begun(&mut self, run: Run, held: &mut HeldRuns) -> Result<(), Disconnected> {
        let (id, is_paused) = (run.id, run.state == RunnerState::Paused);
        let event = Event::Started { engine: run.made.engine(), program: SharedProgram(Arc::clone(&run.program)) };
        held.active = Some(run);
        self.send(id, event)?;
        if is_paused { self.send(id, Event::Paused) } else { Ok(()) }
    }

    fn branch(&mut self, id: RunId, of: RunId, step: u64, held: &mut HeldRuns) -> Result<(), Disconnected> {
        let run = held.find(of).and_then(|run| run.branch(id, step, held.memory));
        held.make_room();
        match run {
            Some(run) => self.begun(run, held)?,
            None => {
                let message = format!("there is no way back to step {step}: nothing of it is kept");
                self.send(id, Event::Failed { message, block: None })?;
            }
        }
        (self.wake)();
        Ok(())
    }

    fn look(&mut self, id: RunId, step: Option<u64>, held: &mut HeldRuns) -> Result<(), Disconnected> {
        held.look = held.find(id).and_then(|run| run.look(step));
        if held.look.is_some() {
            return Ok(());
        }
        let message = "nothing of that step is kept any more; run again to look at it".to_owned();
        self.send(id, Event::Declined { message })?;
        (self.wake)();
        Ok(())
    }

    /// Advances the backfill.
    fn fill_on(&mut self, held: &mut HeldRuns) -> Result<(), Disconnected> {
        let Some(mut fill) = held.fill.take() else { return Ok(()) };
        let Some(run) = held.find(fill.run) else { return Ok(()) };
        fill.samples.set_cancel(&self.cancel);
        let made = catch_unwind(AssertUnwindSafe(|| run.fill_on(&mut fill)));
        let (is_done, events) = match made {
            Ok(Ok(made)) => made,
            // The run ended at this step the first time, too.
            Ok(Err(_)) | Err(_) => (true, Vec::new()),
        };
        let id = fill.run;
        if !is_done {
            held.fill = Some(fill);
        }
        events.into_iter().try_for_each(|event| self.send(id, event))?;
        (self.wake)();
        Ok(())
    }

    /// Advances the inspection of a step, and sends its values when they are ready.
    fn look_on(&mut self, held: &mut HeldRuns) -> Result<(), Disconnected> {
        let Some(mut look) = held.look.take() else { return Ok(()) };
        let Some(run) = held.find(look.run) else { return Ok(()) };
        let seen = catch_unwind(AssertUnwindSafe(|| run.look_on(&mut look, &self.cancel)));
        let event = match seen {
            Ok(Ok(None)) => {
                held.look = Some(look);
                return Ok(());
            }
            Ok(Ok(Some(view))) => Event::Values(Box::new(view)),
            Ok(Err(error)) => Event::Declined { message: error.to_string() },
            Err(panic) => Event::Declined { message: panic_text(&*panic) },
        };
        self.send(look.run, event)?;
        (self.wake)();
        Ok(())
    }

    /// Runs a chunk of steps and sends the results; returns whether the run is finished.
    fn advance(&mut self, run: &mut Run) -> Result<bool, Disconnected> {
        // Steps that are computed again send no events, nor do the changes in them.
        let is_heard = !matches!(run.state, RunnerState::GoingBackTo(_));
        if !is_heard || run.state != RunnerState::Paused {
            let changed = run.change_again();
            changed.into_iter().filter(|_| is_heard).try_for_each(|event| self.send(run.id, event))?;
        }
        let count = run.steps_due();
        if count == 0 && !run.is_complete() && !run.has_arrived() {
            return Ok(false);
        }
        let before = Instant::now();
        run.samples.set_cancel(&self.cancel);
        let ran = catch_unwind(AssertUnwindSafe(|| match is_heard {
            true => run.run(count),
            false => (run.again(count), None),
        }));
        let (ran, broke) = match ran {
            Ok((ran, broke)) => (Ok(ran), broke),
            Err(panic) => (Err(panic), None),
        };
        let took = before.elapsed();
        let is_whole = !run.samples.is_cancelled();
        if is_whole {
            run.adapt_chunk(count, took);
        }
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
        if run.state == RunnerState::Running {
            run.pace.keep(step);
        }
        let (time, overruns) = (run.context.time(&run.program), run.pace.overruns);
        self.send(run.id, Event::Progress { step, time, executed, overruns })?;
        let costs = run.made.remote_costs();
        if !costs.is_empty() {
            self.send(run.id, Event::RemoteCosts(costs))?;
        }
        if let Some(breakpoint) = broke {
            self.send(run.id, Event::BreakpointHit { step: step.saturating_sub(1), breakpoint })?;
        }
        let end = run.samples.end().filter(|_| matches!(ran, Ok(Ok(()))));
        let (next, is_over) = match (ran, written) {
            (Err(panic), _) => {
                let message = format!("step {step}: {}", panic_text(&*panic));
                (Some(Event::Failed { message, block: None }), true)
            }
            (_, Err(WriteError { problem, block })) => {
                (Some(Event::Failed { message: problem, block: Some(block) }), true)
            }
            (Ok(Err(error)), _) => {
                (Some(Event::PausedByError { message: error.to_string(), block: error.block, kind: error.kind }), false)
            }
            _ if matches!(end, Some(Reaction::Stop | Reaction::Finish)) || run.is_complete() => {
                (Some(run.finished(RunEnd::Complete)), true)
            }
            _ => {
                let is_held = run.has_arrived() || end.is_some() || broke.is_some();
                (is_held.then_some(Event::Paused), false)
            }
        };
        if let Some(event) = next {
            run.state = RunnerState::Paused;
            self.send(run.id, event)?;
        }
        (self.wake)();
        Ok(is_over)
    }

    /// Ends going back when the target step is reached, and handles the deferred requests.
    fn go_back_on(&mut self, run: &mut Run) -> Result<(), Disconnected> {
        run.samples.clear();
        if !run.has_arrived() {
            return Ok(());
        }
        // The changes at this step had been made before the run went back.
        run.change_again();
        run.state = RunnerState::Paused;
        self.send(run.id, Event::WentBack { step: run.context.step, time: run.context.time(&run.program) })?;
        self.send(run.id, Event::Paused)?;
        for request in run.deferred.drain(..).rev() {
            self.waiting.push_front((run.id, request));
        }
        (self.wake)();
        Ok(())
    }

    fn send_samples(&mut self, run: &mut Run) -> Result<(), Disconnected> {
        let first = run.samples.first();
        let widths: Vec<usize> =
            run.samples.watches().iter().map(|watch| run.program.outputs[watch.output].width as usize).collect();
        let watched = run.samples.take_values().zip(&run.signals).zip(widths);
        let events: Vec<Event> = watched
            .filter(|((values, _), _)| !values.is_empty())
            .map(|((values, signal), width)| Event::Samples { signal: signal.clone(), first, width, values })
            .collect();
        let told =
            Event::Assertions { assertions: run.samples.assertions().to_vec(), left_out: run.samples.left_out() };
        let told = Some(told).filter(|_| !run.samples.assertions().is_empty());
        run.samples.clear();
        events.into_iter().chain(told).try_for_each(|event| self.send(run.id, event))
    }

    /// Sends an event; while the queue is full, it receives requests.
    fn send(&mut self, id: RunId, event: Event) -> Result<(), Disconnected> {
        let size = event.size();
        let mut message = (id, event);
        loop {
            message = match self.events.try_send(size, message) {
                Ok(()) => return Ok(()),
                Err(NotSent::Disconnected) => return Err(Disconnected),
                Err(NotSent::Full(message)) => message,
            };
            (self.wake)();
            let mut select = Select::new();
            select.recv(self.events.freed());
            // When enough requests are waiting, further ones stay in the channel.
            let hearing = (self.waiting.len() < REQUESTS).then(|| select.recv(&self.requests));
            if hearing == Some(select.ready()) {
                match self.requests.try_recv() {
                    Ok(request) => self.waiting.push_back(request),
                    Err(error) if error.is_disconnected() => return Err(Disconnected),
                    Err(_) => {}
                }
            } else if self.events.freed().try_recv().is_err_and(|error| error.is_disconnected()) {
                return Err(Disconnected);
            }
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    format!("the engine failed: {}", crate::block::panic_text(panic))
}

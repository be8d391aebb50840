//! The worker's side of a remote block: executes the instructions of its units when it is asked to.

use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::{Receiver, TryRecvError, bounded};

use super::super::{Program, TierUp};
use super::code::BodyCode;
use super::exports::Exports;
use super::message::{BODY, ENTER, LAST, NoMessage, Reader, STATES, STEP, VALUES, write_changes, write_fault};
use super::plan::Plan;
use crate::engine::step_code::Machine;

use crate::threads;

/// A remote block of a program, ready to be asked.
#[derive(Debug)]
pub struct RemoteService {
    plan: Arc<Plan>,
    location: usize,
    machine: Machine,
    /// The values known to the other side: of the cells of the location, and of its history.
    known: Vec<f64>,
    known_history: Vec<f64>,
    exports: Exports,
    has_begun: bool,
    watched: Vec<u32>,
    /// Whether all outputs of the step will be asked for.
    is_last: bool,
    tier_up: TierUp,
    code: CodeState,
}

/// The machine code of the bodies, by number; `None` for those of other locations.
#[derive(Debug)]
enum CodeState {
    /// The number of elements of instructions that were interpreted so far.
    No(u64),
    Begun(Receiver<Vec<Option<BodyCode>>>),
    Made(Vec<Option<BodyCode>>),
    /// There is none.
    Over,
}

/// The last step that a run may have; up to it the time is that of the step.
const MAX_STEP: u64 = 1 << 53;

/// The number of elements that are interpreted before compilation begins.
const INTERPRETED: u64 = 20_000;

impl RemoteService {
    /// Prepares the remote block of this number; `None` if the program has no such block.
    pub fn new(program: &Arc<Program>, block: usize) -> Option<RemoteService> {
        RemoteService::with(program, block, TierUp::default())
    }

    /// The same, which changes over to machine code as `tier_up` says. The bits are the same.
    pub fn with(program: &Arc<Program>, block: usize, tier_up: TierUp) -> Option<RemoteService> {
        let plan = Plan::new(program)?;
        let location = plan.locations.get(block)?;
        let (known, known_history) = (vec![0.0; location.cells.len()], vec![0.0; location.history.len()]);
        let mut machine = Machine::of(program, Arc::clone(&plan.code));
        machine.context.history = vec![0.0; program.history_count];
        machine.context.params = program.params.clone();
        let exports = Exports::new(&plan, block);
        let plan = Arc::new(plan);
        Some(RemoteService {
            plan,
            location: block,
            machine,
            known,
            known_history,
            exports,
            has_begun: false,
            watched: Vec::new(),
            is_last: false,
            tier_up,
            code: CodeState::No(0),
        })
    }

    /// Equal to that of the other side if both have the same program.
    pub fn fingerprint(&self) -> u64 {
        self.plan.fingerprint
    }

    /// Answers a request.
    ///
    /// # Errors
    /// If the bytes are no request for this block.
    pub fn answer(&mut self, request: &[u8]) -> Result<Vec<u8>, NoMessage> {
        let begin = Instant::now();
        let mut reader = Reader(request);
        let sequence = reader.long()?;
        self.machine.executed = 0;
        self.machine.fault = None;
        let mut results = Vec::new();
        while !reader.is_empty() {
            match reader.byte()? {
                STEP => {
                    self.machine.step = Some(reader.long()?).filter(|step| *step <= MAX_STEP).ok_or(NoMessage)?;
                    self.is_last = false;
                }
                LAST => self.is_last = true,
                ENTER => self.enter(&mut reader)?,
                BODY if self.has_begun => self.body(&mut reader, &mut results)?,
                VALUES if self.has_begun => self.values(&mut results),
                STATES if self.has_begun => self.states(&mut results),
                _ => return Err(NoMessage),
            }
        }
        let mut answer = Vec::with_capacity(results.len() + 32);
        answer.extend(sequence.to_le_bytes());
        answer.extend((begin.elapsed().as_nanos() as u64).to_le_bytes());
        answer.extend(self.machine.executed.to_le_bytes());
        write_fault(&mut answer, self.machine.fault.as_ref());
        answer.extend(results);
        Ok(answer)
    }

    fn enter(&mut self, reader: &mut Reader) -> Result<(), NoMessage> {
        // A message that breaks off leaves changes behind: nothing runs before a whole one.
        self.has_begun = false;
        let plan = Arc::clone(&self.plan);
        let location = &plan.locations[self.location];
        let Machine { cells, context, .. } = &mut self.machine;
        let params = &mut context.params;
        reader.changes(params.len(), |index, value| params[index] = value)?;
        let known = &mut self.known;
        reader.changes(location.cells.len(), |index, value| {
            known[index] = value;
            cells[location.cells[index] as usize] = value;
        })?;
        let (known, history) = (&mut self.known_history, &mut context.history);
        reader.changes(location.history.len(), |index, value| {
            known[index] = value;
            history[location.history[index] as usize] = value;
        })?;
        let count = reader.short()? as usize;
        let mut watched = Vec::new();
        for _ in 0..count {
            watched.push(reader.short()?);
        }
        if self.watched != watched {
            self.exports.watch(&plan, &self.machine.program, &watched);
            self.watched = watched;
            // The compiled code leaves only the cells of the former exports in memory.
            self.code = CodeState::No(INTERPRETED);
        }
        self.has_begun = self.has_sound_rings();
        if self.has_begun { Ok(()) } else { Err(NoMessage) }
    }

    /// Whether the next value of each history goes into its ring.
    fn has_sound_rings(&self) -> bool {
        let program = &self.machine.program;
        program.states.iter().all(|slot| {
            let crate::block::StateKind::History { length } = slot.kind else { return true };
            let next = self.machine.context.history.get(slot.offset as usize + length * slot.width as usize);
            next.is_some_and(|next| next.fract() == 0.0 && (0.0..length as f64).contains(next))
        })
    }

    fn body(&mut self, reader: &mut Reader, results: &mut Vec<u8>) -> Result<(), NoMessage> {
        let plan = Arc::clone(&self.plan);
        let (number, location) = (reader.short()? as usize, &plan.locations[self.location]);
        let body = plan.bodies.get(number).filter(|body| body.location == self.location).ok_or(NoMessage)?;
        let (known, cells) = (&mut self.known, &mut self.machine.cells);
        reader.changes(body.reads.len(), |index, value| {
            let at = body.reads[index] as usize;
            known[at] = value;
            cells[location.cells[at] as usize] = value;
        })?;
        match &self.code {
            CodeState::Made(code) => match code.get(number) {
                Some(Some(code)) if !self.is_last => code.run(&mut self.machine),
                _ => self.machine.run_list(&body.decoded, &body.list),
            },
            _ => {
                self.machine.run_list(&body.decoded, &body.list);
                self.make_code(body.list.iter().map(|ins| 1 + u64::from(ins.elements)).sum());
            }
        }
        if self.exports.is_awaited(&plan, number) {
            let (exports, cells) = (self.exports.of(number), &self.machine.cells);
            let value = |index: usize| cells[location.cells[exports[index] as usize] as usize];
            write_changes(results, exports.len(), false, value, &mut self.known, |index| exports[index] as usize);
        }
        Ok(())
    }

    /// Begins to compile, or takes over the compiled code.
    fn make_code(&mut self, interpreted: u64) {
        match &mut self.code {
            CodeState::No(before) => {
                *before += interpreted;
                if *before < INTERPRETED && !self.tier_up.waits() {
                    return;
                }
                let (plan, location, exports) = (Arc::clone(&self.plan), self.location, self.exports.clone());
                let make = move || BodyCode::of_location(&plan, location, &exports);
                self.code = if self.tier_up.waits() {
                    CodeState::Made(make())
                } else {
                    let (sender, receiver) = bounded(1);
                    // If the receiver is gone, the code is dropped.
                    let make = move || drop(sender.send(make()));
                    let begun = threads::spawn("machine code", make);
                    begun.map_or(CodeState::Over, |_| CodeState::Begun(receiver))
                };
            }
            CodeState::Begun(receiver) => match receiver.try_recv() {
                Ok(code) => self.code = CodeState::Made(code),
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => self.code = CodeState::Over,
            },
            CodeState::Made(_) | CodeState::Over => {}
        }
    }

    fn values(&mut self, results: &mut Vec<u8>) {
        let location = &self.plan.locations[self.location];
        let (values, cells) = (&location.values, &self.machine.cells);
        let value = |index: usize| cells[location.cells[values[index] as usize] as usize];
        write_changes(results, values.len(), false, value, &mut self.known, |index| values[index] as usize);
    }

    fn states(&mut self, results: &mut Vec<u8>) {
        let location = &self.plan.locations[self.location];
        let (states, cells) = (&location.states, &self.machine.cells);
        let value = |index: usize| cells[location.cells[states[index] as usize] as usize];
        write_changes(results, states.len(), false, value, &mut self.known, |index| states[index] as usize);
        let history = &self.machine.context.history;
        let value = |index: usize| history[location.history[index] as usize];
        write_changes(results, location.history.len(), false, value, &mut self.known_history, |index| index);
    }
}

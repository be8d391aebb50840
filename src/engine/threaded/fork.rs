//! The main context: it runs steps, sends jobs to workers and receives their results.

use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::{Receiver, bounded};

use super::super::native::MachineCode;
use super::super::{Context, Program, RunError, Samples};
use super::ThreadUse;
use super::divide::{Division, Rule, Segment, divide};
use super::fragments::{Fragment, Job, fragments};
use super::worker::{Broken, Crew, Done, Reply, Task, Worker};
use crate::engine::program::fault::Fault;
use crate::engine::step_code::{CellRange, Decoded, Machine, StepCode};

use crate::threads;

pub(super) struct Forked {
    program: Arc<Program>,
    threads: usize,
    when: ThreadUse,
    pub(super) state: ForkState,
}

pub(super) enum ForkState {
    /// Nothing has run yet.
    New,
    /// The weights of fragments are being measured.
    Weighing(Box<Scales>),
    Divided(Box<Machine>, Box<Team>),
    /// No part is heavy enough for a thread of its own.
    Whole,
}

/// The number of steps in which weights are measured.
const WEIGHED: u64 = 3;
/// Nanoseconds: several times the cost of sending a job and receiving its results.
const HEAVY: f64 = 15_000.0;
/// A vector with this many elements may be heavy enough for a thread of its own.
const LONG: u32 = 1 << 12;
/// The number of steps that are interpreted before code generation, if nothing is measured.
const INTERPRETED: u64 = 64;

/// Measures each fragment while the main context runs steps.
pub(super) struct Scales {
    machine: Machine,
    fragments: [Vec<(Fragment, Decoded, f64)>; 2],
    left: u64,
}

/// The workers, and the jobs that they run.
pub(super) struct Team {
    pub phases: Arc<[Vec<Shared>; 2]>,
    /// Runs the share of the main context.
    own: Worker,
    crew: Crew,
    /// Buffers for results: for each worker, and last for the main context.
    spare: Vec<Vec<f64>>,
    run: u64,
    making: CodeState,
    steps: u64,
    /// The buffer in which the cells of the main context are shared with the workers; empty in between.
    shell: Option<Arc<Box<[f64]>>>,
    /// The results of a fork: the number of the share, its results, and its outcome.
    back: Vec<(usize, Vec<f64>, Result<Done, Broken>)>,
}

/// A segment whose jobs are shared with the workers.
pub(super) enum Shared {
    Own(Vec<crate::engine::step_code::Instruction>, Decoded),
    Forked(Vec<Arc<Job>>),
}

enum CodeState {
    No,
    /// Code generation is in progress. It sends jobs as machine code, each with the share that runs it (0 is the main
    /// context) and the number of the job.
    Begun(Receiver<Vec<(usize, usize, Box<MachineCode>)>>),
    Over,
}

/// The reason why a step was not completed.
enum Stopped {
    /// It fails, and fails in the same way when the main context repeats it alone.
    Failed,
    Broken(Broken),
}

impl Forked {
    pub fn new(program: &Arc<Program>, threads: usize, when: ThreadUse) -> Forked {
        Forked { program: Arc::clone(program), threads, when, state: ForkState::New }
    }

    /// Whether any part may be heavy enough for a thread of its own, as far as is known.
    pub fn can_divide(&self) -> bool {
        !matches!(self.state, ForkState::Whole)
    }

    fn rule(&self) -> Rule {
        match self.when {
            ThreadUse::Pays => Rule { threads: self.threads, heavy: HEAVY, gain: HEAVY, elements: LONG },
            ThreadUse::Possible => Rule { threads: self.threads, heavy: 0.5, gain: 0.0, elements: 8 },
        }
    }

    /// Runs steps and records the watched values.
    ///
    /// # Errors
    /// If a step cannot be completed; the context stays at the beginning of that step.
    pub fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        let end = context.step.saturating_add(count);
        samples.go_on();
        while context.step < end && samples.end().is_none() && !samples.is_cancelled() {
            let count = end - context.step;
            match &mut self.state {
                ForkState::New => self.begin(),
                ForkState::Weighing(scales) if scales.left == 0 => self.divide(),
                ForkState::Weighing(scales) => {
                    let steps = scales.left.min(count);
                    scales.left -= steps;
                    let Scales { machine, fragments, .. } = &mut **scales;
                    run(machine, context, steps, samples, |machine, phase| {
                        weigh(machine, &mut fragments[phase]);
                        Ok(())
                    })?;
                }
                ForkState::Divided(machine, team) => {
                    team.run += 1;
                    team.make(&machine.code, self.when);
                    run(machine, context, count, samples, |machine, phase| team.phase(machine, phase))?;
                }
                // This became known during this call.
                ForkState::Whole => {
                    let mut machine = Machine::new(&self.program);
                    run(&mut machine, context, count, samples, run_in_place)?;
                }
            }
        }
        Ok(())
    }

    fn begin(&mut self) {
        let code = Arc::new(StepCode::with_owners(&self.program));
        let timed = |fragment: Fragment| {
            let decoded = Decoded::new(&code, &fragment.list);
            (fragment, decoded, 0.0)
        };
        let fragments = fragments(&code).map(|fragments| fragments.into_iter().map(timed).collect());
        let machine = Machine::of(&self.program, Arc::clone(&code));
        let left = if self.when == ThreadUse::Pays { WEIGHED } else { 0 };
        self.state = ForkState::Weighing(Box::new(Scales { machine, fragments, left }));
    }

    fn divide(&mut self) {
        let rule = self.rule();
        let ForkState::Weighing(scales) = std::mem::replace(&mut self.state, ForkState::Whole) else { return };
        let Scales { machine, fragments, .. } = *scales;
        let steps = WEIGHED as f64;
        let weight = |weight: f64| if self.when == ThreadUse::Pays { weight / steps } else { 1.0 };
        let fragments = fragments
            .map(|fragments| fragments.into_iter().map(|(fragment, _, sum)| (fragment, weight(sum))).collect());
        let Some(division) = divide(&machine.code, fragments, rule) else { return };
        let helper = |code: Arc<StepCode>| Machine::helper(&self.program, code);
        let crew = Crew::new(self.threads - 1, &machine.code, helper);
        if crew.len() + 1 < self.threads {
            return;
        }
        let own = Worker::new(helper(Arc::clone(&machine.code)));
        let phases = Arc::new(shared(division));
        let spare = vec![Vec::new(); self.threads];
        let team =
            Team { phases, own, crew, spare, run: 0, making: CodeState::No, steps: 0, shell: None, back: Vec::new() };
        self.state = ForkState::Divided(Box::new(machine), Box::new(team));
    }
}

fn shared(division: Division) -> [Vec<Shared>; 2] {
    let segment = |segment: Segment| match segment {
        Segment::Own(list, decoded) => Shared::Own(list, decoded),
        Segment::Forked(jobs) => Shared::Forked(jobs.into_iter().map(Arc::new).collect()),
    };
    division.phases.map(|segments| segments.into_iter().map(segment).collect())
}

/// Runs a phase in the order of the step code's list, without workers.
fn run_in_place(machine: &mut Machine, phase: usize) -> Result<(), Stopped> {
    machine.run_phase(phase);
    Ok(())
}

fn weigh(machine: &mut Machine, fragments: &mut [(Fragment, Decoded, f64)]) {
    let mut last = Instant::now();
    for (fragment, decoded, sum) in fragments {
        machine.run_list(decoded, &fragment.list);
        let now = Instant::now();
        *sum += (now - last).as_nanos() as f64;
        last = now;
    }
}

/// Runs steps; `phase` runs each phase of a step.
fn run(
    machine: &mut Machine,
    context: &mut Context,
    count: u64,
    samples: &mut Samples,
    mut phase: impl FnMut(&mut Machine, usize) -> Result<(), Stopped>,
) -> Result<(), RunError> {
    if count == 0 {
        return Ok(());
    }
    let (first, program, code) = (context.step, Arc::clone(&machine.program), Arc::clone(&machine.code));
    let mut values = context.values.clone();
    // A program that cannot fail modifies its histories in place; they are copied because a worker may still break
    // down.
    let history = (!program.can_fail()).then(|| context.history.clone());
    let can_end = program.can_end();
    samples.go_on();
    machine.cancel = samples.cancel();
    machine.enter(context);
    let mut step = |machine: &mut Machine| -> Result<bool, Stopped> {
        // Whether a step is the last is decided at its begin; the context gets the values of the last one.
        let is_last = machine.step + 1 == first + count || machine.is_cancelled();
        machine.executed = code.executed;
        phase(machine, 0)?;
        if machine.executed > program.max_executions {
            return Err(Stopped::Failed);
        }
        machine.fault.is_none().then_some(()).ok_or(Stopped::Failed)?;
        samples.note(&program, machine.step, |output| code.outputs[output], &machine.cells);
        if can_end || is_last {
            code.values.store(&mut values, &machine.cells);
        }
        let ran = phase(machine, 1).and_then(|()| machine.fault.is_none().then_some(()).ok_or(Stopped::Failed));
        if ran.is_err() {
            samples.retract(&program);
        }
        ran?;
        machine.report_step(machine.step, samples);
        machine.step += 1;
        Ok(samples.end().is_some() || is_last)
    };
    for _ in 0..count {
        let stopped = match step(machine) {
            Ok(false) => continue,
            // A block has paused or ended the run, or it is cancelled.
            Ok(true) => break,
            Err(stopped) => stopped,
        };
        // The steps before the failed one are repeated, and that step runs in place, so that it fails as on any other
        // engine.
        machine.fault = None;
        if let Some(history) = history {
            context.history = history;
        }
        machine.run_again(context, machine.step)?;
        if samples.is_cancelled() {
            return Ok(());
        }
        let mut fault = Fault::new(None, "the step cannot be completed");
        if let Stopped::Broken(Broken { unit, text }) = stopped {
            fault = Fault::new(unit, format!("a worker thread broke down: {text}"));
        } else {
            machine.run(context, 1, &mut Samples::default(), &mut |_, _, _| Ok(()))?;
        }
        return Err(fault.error(&program, context));
    }
    context.values = values;
    machine.leave(context);
    Ok(())
}

impl Team {
    /// Starts code generation for the jobs, and distributes the code when it is ready.
    fn make(&mut self, code: &Arc<StepCode>, when: ThreadUse) {
        if matches!(self.making, CodeState::No) && (when == ThreadUse::Pays || self.steps >= INTERPRETED) {
            let (sender, receiver) = bounded(1);
            let (code, phases) = (Arc::clone(code), Arc::clone(&self.phases));
            // If the receiver is gone, the code is dropped.
            let make = move || drop(sender.send(natives(&code, &phases)));
            let is_begun = threads::spawn("machine code", make).is_ok();
            self.making = if is_begun { CodeState::Begun(receiver) } else { CodeState::Over };
        }
        let CodeState::Begun(receiver) = &self.making else { return };
        let made = match when {
            ThreadUse::Pays => receiver.try_recv().ok(),
            // Waits, so that tests know what runs.
            ThreadUse::Possible => receiver.recv().ok(),
        };
        let Some(made) = made else { return };
        self.making = CodeState::Over;
        for (share, job, native) in made {
            match share.checked_sub(1) {
                None => self.own.take_native(job, native),
                Some(worker) => self.crew.send_native(worker, job, native),
            }
        }
    }

    fn phase(&mut self, machine: &mut Machine, phase: usize) -> Result<(), Stopped> {
        self.steps += u64::from(phase == 0);
        let phases = Arc::clone(&self.phases);
        for segment in &phases[phase] {
            match segment {
                Shared::Own(list, decoded) => machine.run_list(decoded, list),
                Shared::Forked(jobs) => self.fork(machine, jobs)?,
            }
        }
        Ok(())
    }

    /// Sends all jobs but the first to workers, runs the first, and receives all results.
    fn fork(&mut self, machine: &mut Machine, jobs: &[Arc<Job>]) -> Result<(), Stopped> {
        let [first, others @ ..] = jobs else { return Ok(()) };
        let mut from = self.shell.take().unwrap_or_default();
        match Arc::get_mut(&mut from) {
            Some(shell) => std::mem::swap(shell, &mut machine.cells),
            None => from = Arc::new(std::mem::take(&mut machine.cells)),
        }
        let task = |job: &Arc<Job>, results| {
            let (job, from) = (Arc::clone(job), Arc::clone(&from));
            Task { job, step: machine.step, run: self.run, cancel: machine.cancel.clone(), from, results }
        };
        let mut sent = 0;
        for (worker, job) in others.iter().enumerate() {
            sent += usize::from(self.crew.send(worker, task(job, std::mem::take(&mut self.spare[worker]))));
        }
        let mut own = task(first, self.spare.last_mut().map(std::mem::take).unwrap_or_default());
        let outcome = self.own.run(&mut own);
        let mut all = std::mem::take(&mut self.back);
        all.push((0, own.results, outcome));
        drop(own.from);
        for _ in 0..sent {
            let Some(Reply { worker, results, outcome }) = self.crew.reply() else { break };
            all.push((worker + 1, results, outcome));
        }
        let is_complete = all.len() == jobs.len();
        // The workers have dropped their references; if not, a copy has the same values.
        match Arc::get_mut(&mut from) {
            Some(shell) => std::mem::swap(shell, &mut machine.cells),
            None => machine.cells.clone_from(&from),
        }
        self.shell = Some(from);
        let mut stopped = (!is_complete).then(|| Broken { unit: None, text: "it has gone".to_owned() });
        let mut has_failed = false;
        for (share, results, outcome) in all.drain(..) {
            match outcome {
                Ok(Done { executed, has_failed: failed }) => {
                    machine.executed += executed;
                    has_failed |= failed;
                    put(&jobs[share].writes, &results, &mut machine.cells);
                }
                Err(broken) => stopped = Some(broken),
            }
            let spare = if share == 0 { self.spare.last_mut() } else { self.spare.get_mut(share - 1) };
            if let Some(spare) = spare {
                *spare = results;
            }
        }
        self.back = all;
        match stopped {
            Some(broken) => Err(Stopped::Broken(broken)),
            None if has_failed => Err(Stopped::Failed),
            None => Ok(()),
        }
    }
}

fn put(pieces: &[CellRange], results: &[f64], cells: &mut [f64]) {
    let mut rest = results;
    for &CellRange { first, count } in pieces {
        let (values, behind) = rest.split_at(count as usize);
        cells[first as usize..(first + count) as usize].copy_from_slice(values);
        rest = behind;
    }
}

/// Compiles all jobs that can be machine code; each with its share and number.
fn natives(code: &Arc<StepCode>, phases: &[Vec<Shared>; 2]) -> Vec<(usize, usize, Box<MachineCode>)> {
    let forks = phases.iter().flatten().filter_map(|segment| match segment {
        Shared::Forked(jobs) => Some(jobs),
        Shared::Own(..) => None,
    });
    let shares = forks.flat_map(|jobs| jobs.iter().enumerate());
    let made = shares.filter_map(|(share, job)| {
        let native = MachineCode::of_list(code, &job.list, &job.writes).ok()?;
        Some((share, job.number, Box::new(native)))
    });
    made.collect()
}

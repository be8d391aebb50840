//! The engine `compiled`: it runs machine code.
//!
//! The code is compiled on a separate thread. Until it is ready the steps are interpreted; since both give the same
//! bits, the time of the handover does not matter.

use std::sync::Arc;

use crossbeam_channel::{Receiver, TryRecvError, bounded};

use super::super::execute::decline_iterations;
use super::super::fault::Fault;
use super::super::flat::{Flat, Machine, RateCode, Tape};
use super::super::{Context, Declined, Engine, Execute, Program, RunError, Samples};
use super::call::{Native, NativeError};

/// When steps change over from the interpreter to machine code. The bits are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HandOver {
    /// When the code is ready, which a separate thread compiles while the steps are interpreted; so runs begin at once,
    /// and a short run may end before.
    #[default]
    Background,
    /// The first call of several steps waits for the code, so that tests know what runs.
    Wait,
}

impl HandOver {
    /// The number of instructions that are interpreted before compilation begins.
    fn interpreted(self) -> u64 {
        match self {
            HandOver::Background => 20_000,
            HandOver::Wait => 1,
        }
    }
}

/// Runs whole steps as machine code, including the step loop.
pub(in super::super) struct Compiled(pub HandOver);

impl Engine for Compiled {
    fn name(&self) -> &'static str {
        "compiled"
    }

    fn doc(&self) -> &'static str {
        "Turns the whole model into machine code"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        decline_iterations(program, self.name())?;
        let machine = Machine::new(program);
        let branches = machine.tape.branches.iter().flat_map(|branch| branch.body.iter().chain(&branch.otherwise));
        let step_work = machine.tape.step.iter().chain(branches).map(|ins| 1 + u64::from(ins.elements) / 8).sum();
        let (watched, log) = (Vec::new(), Vec::new());
        Ok(Box::new(CompiledRun {
            hand_over: self.0,
            machine,
            maker: CodeCompilation::default(),
            watched,
            step_work,
            work: 0,
            log,
        }))
    }
}

struct CompiledRun {
    hand_over: HandOver,
    machine: Machine,
    maker: CodeCompilation,
    /// The outputs that the machine code logs.
    watched: Vec<usize>,
    /// The instructions of a step, each counted once more for every eight elements.
    step_work: u64,
    /// The requested instructions so far, counted in the same way.
    work: u64,
    log: Vec<f64>,
}

/// The machine code, or the channel from which it will come.
#[derive(Default)]
struct CodeCompilation {
    native: Option<Native>,
    making: Option<Receiver<Result<Native, NativeError>>>,
    /// Whether compilation failed.
    is_impossible: bool,
}

/// The number of values that are logged before the samples take them.
const LOG: usize = 1 << 13;
const MAX_STEPS: u64 = 1 << 16;
/// The instructions of a piece, counted as above: some milliseconds.
const PIECE: u64 = 1 << 21;

impl CompiledRun {
    /// Compiles machine code for what is watched now, if that pays and is possible.
    fn compile(&mut self, count: u64, samples: &Samples) {
        let watched: Vec<usize> = samples.watches().iter().map(|watch| watch.output).collect();
        if self.watched != watched {
            (self.maker.native, self.maker.making) = (None, None);
        }
        self.translate_rates();
        self.work = self.work.saturating_add(self.step_work.saturating_mul(count));
        if self.maker.has_begun() || count < 2 || self.work < self.hand_over.interpreted() {
            return;
        }
        let (program, tape) = (&self.machine.program, &self.machine.tape);
        let cells_of = |&output: &usize| (tape.outputs[output], program.outputs[output].width);
        let cells: Vec<(u32, u32)> = watched.iter().map(cells_of).collect();
        self.maker.begin(Arc::clone(tape), cells, self.hand_over);
        self.watched = watched;
    }

    /// Compiles the rates if a solver has evaluated them often. If that fails they are interpreted.
    fn translate_rates(&mut self) {
        let tape = Arc::clone(&self.machine.tape);
        let Some(driven) = &tape.driven else { return };
        let work = self.machine.evaluations.saturating_mul(driven.list.len() as u64);
        if self.machine.rate_code.is_none() && work >= self.hand_over.interpreted() {
            self.machine.evaluations = 0;
            match Native::of_rates(&tape, driven) {
                Ok(native) => self.machine.rate_code = Some(Box::new(native) as Box<dyn RateCode>),
                // The interpreter has them; the steps around the solver may still be machine code.
                Err(NativeError::Branches) => {}
                Err(_) => self.maker.is_impossible = true,
            }
        }
    }
}

impl CodeCompilation {
    fn has_begun(&self) -> bool {
        self.native.is_some() || self.making.is_some() || self.is_impossible
    }

    /// Begins compilation for the watched outputs, given by first cell and width.
    fn begin(&mut self, tape: Arc<Tape>, watched: Vec<(u32, u32)>, hand_over: HandOver) {
        let (sender, receiver) = bounded(1);
        // If the receiver is gone, the code is dropped.
        let make = move || drop(sender.send(Native::new(&tape, &watched)));
        self.is_impossible = std::thread::Builder::new().name("machine code".to_owned()).spawn(make).is_err();
        match hand_over {
            HandOver::Wait => self.take(receiver.recv().ok()),
            HandOver::Background => self.making = Some(receiver),
        }
    }

    /// Takes the code if it is ready.
    fn look(&mut self) {
        let Some(making) = &self.making else { return };
        let made = match making.try_recv() {
            Err(TryRecvError::Empty) => return,
            made => made.ok(),
        };
        self.making = None;
        self.take(made);
    }

    /// Takes the result of a compilation; none if it broke down.
    fn take(&mut self, made: Option<Result<Native, NativeError>>) {
        match made {
            Some(Ok(native)) => self.native = Some(native),
            // The list is interpreted instead, and the name says so.
            Some(Err(_)) | None => self.is_impossible = true,
        }
    }
}

/// Runs steps in pieces that fit into the log; ends early if a block ends the run.
fn run_native(
    native: &Native,
    (log, step_work): (&mut Vec<f64>, u64),
    machine: &mut Machine,
    mut count: u64,
    samples: &mut Samples,
) -> Result<(), Fault> {
    let most = (LOG / native.row.max(1)).max(1) as u64;
    let most = if native.row == 0 { MAX_STEPS } else { most };
    // Cancellation is checked between two pieces; slow instructions check it themselves.
    let most = most.min((PIECE / step_work.max(1)).max(1));
    while count > 0 {
        let steps = count.min(most);
        log.resize(steps as usize * native.row, 0.0);
        let first = machine.step;
        let ran = native.run(machine, steps, log);
        let done = (machine.step - first) as usize;
        samples.note_rows(&machine.program, first, done, &log[..done * native.row]);
        ran?;
        if done > 0 {
            machine.report_step(machine.step - 1, samples);
        }
        if samples.end().is_some() || samples.is_cancelled() {
            break;
        }
        count -= done as u64;
    }
    Ok(())
}

impl Execute for CompiledRun {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        // The machine code counts steps with a sign.
        let is_countable = context.step.checked_add(count).is_some_and(|end| i64::try_from(end).is_ok());
        if is_countable {
            self.compile(count, samples);
        }
        let CompiledRun { machine, maker, step_work, log, hand_over, .. } = self;
        machine.run(context, count, samples, &mut |machine, mut count, samples| {
            let piece = (hand_over.interpreted() / (*step_work).max(1)).max(1);
            while count > 0 {
                maker.look();
                if let Some(native) = maker.native.as_ref().filter(|_| is_countable) {
                    return run_native(native, (log, *step_work), machine, count, samples);
                }
                let steps = count.min(piece);
                machine.steps(steps, samples)?;
                if samples.end().is_some() || samples.is_cancelled() {
                    break;
                }
                count -= steps;
            }
            Ok(())
        })
    }

    fn engine(&self) -> &'static str {
        if self.maker.is_impossible { Flat.name() } else { Compiled(self.hand_over).name() }
    }

    fn runs_machine_code(&self) -> bool {
        self.maker.native.is_some()
    }
}

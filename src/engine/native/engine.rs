//! The engine that runs machine code.
//!
//! The code is made on a thread of its own. Until it is ready the steps are interpreted; since both give the same bits,
//! it does not matter when the one takes over from the other.

use std::sync::Arc;

use crossbeam_channel::{Receiver, bounded};

use super::super::engines::decline_turns;
use super::super::fault::Fault;
use super::super::flat::{Code, Flat, Machine, RateCode};
use super::super::{Context, Declined, Engine, Execute, Program, RunError, Samples};
use super::call::{Native, NativeError};

/// The whole step as machine code, the step loop inside.
pub(in super::super) struct Compiled;

impl Engine for Compiled {
    fn name(&self) -> &'static str {
        "compiled"
    }

    fn doc(&self) -> &'static str {
        "Turns the whole model into machine code"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        decline_turns(program, self.name())?;
        let machine = Machine::new(program);
        let step_work = machine.code.step.iter().map(|ins| 1 + u64::from(ins.lanes) / 8).sum();
        let (watched, log) = (Vec::new(), Vec::new());
        Ok(Box::new(Run { machine, maker: Maker::default(), watched, step_work, work: 0, log }))
    }
}

struct Run {
    machine: Machine,
    maker: Maker,
    /// The outputs that the machine code notes.
    watched: Vec<usize>,
    /// Instructions of a step, counted once more for every eight lanes.
    step_work: u64,
    /// Instructions that were asked for, counted so.
    work: u64,
    log: Vec<f64>,
}

/// Machine code, or where it will come from.
#[derive(Default)]
struct Maker {
    native: Option<Native>,
    making: Option<Receiver<Result<Native, NativeError>>>,
    /// Whether none can be made.
    is_impossible: bool,
}

/// So much is interpreted before machine code is made: a short run is over before it would be ready.
const INTERPRETED: u64 = if cfg!(debug_assertions) { 1 } else { 20_000 };
/// Lanes that are noted before the samples take them over.
const LOG: usize = 1 << 13;
const MOST_STEPS: u64 = 1 << 16;

impl Run {
    /// Makes machine code for what is watched now, where it pays and can be made.
    fn compile(&mut self, count: u64, samples: &Samples) {
        let watched: Vec<usize> = samples.watches().iter().map(|watch| watch.output).collect();
        if self.watched != watched {
            (self.maker.native, self.maker.making) = (None, None);
        }
        self.translate_rates();
        self.work = self.work.saturating_add(self.step_work.saturating_mul(count));
        if self.maker.has_begun() || count < 2 || self.work < INTERPRETED {
            return;
        }
        let (program, code) = (&self.machine.program, &self.machine.code);
        let place = |&output: &usize| (code.outputs[output], program.outputs[output].width);
        let places: Vec<(u32, u32)> = watched.iter().map(place).collect();
        self.maker.begin(Arc::clone(code), places);
        self.watched = watched;
    }

    /// Makes machine code of the rates, where a solver has asked for them often. What cannot be translated is interpreted.
    fn translate_rates(&mut self) {
        let code = Arc::clone(&self.machine.code);
        let Some(driven) = &code.driven else { return };
        let work = self.machine.evaluations.saturating_mul(driven.list.len() as u64);
        if self.machine.rate_code.is_none() && work >= INTERPRETED {
            self.machine.evaluations = 0;
            self.machine.rate_code =
                Native::of_rates(&code, driven).ok().map(|native| Box::new(native) as Box<dyn RateCode>);
        }
    }
}

impl Maker {
    fn has_begun(&self) -> bool {
        self.native.is_some() || self.making.is_some() || self.is_impossible
    }

    /// Begins to make code for the outputs that are watched, by first cell and width.
    fn begin(&mut self, code: Arc<Code>, watched: Vec<(u32, u32)>) {
        let (sender, receiver) = bounded(1);
        // Where nobody waits for it any more, what was made is dropped.
        let make = move || drop(sender.send(Native::new(&code, &watched)));
        self.is_impossible = std::thread::Builder::new().name("machine code".to_owned()).spawn(make).is_err();
        if cfg!(debug_assertions) {
            // So that tests know who runs.
            receiver.recv().into_iter().for_each(|made| self.take(made));
        } else {
            self.making = Some(receiver);
        }
    }

    /// Takes over what was made, where it is ready.
    fn look(&mut self) {
        if let Some(made) = self.making.as_ref().and_then(|making| making.try_recv().ok()) {
            self.making = None;
            self.take(made);
        }
    }

    fn take(&mut self, made: Result<Native, NativeError>) {
        match made {
            Ok(native) => self.native = Some(native),
            // The list is interpreted instead, and the name says so.
            Err(_) => self.is_impossible = true,
        }
    }
}

/// Runs steps in pieces that the log takes, none behind the run's end.
fn run_native(
    native: &Native,
    log: &mut Vec<f64>,
    machine: &mut Machine,
    mut count: u64,
    samples: &mut Samples,
) -> Result<(), Fault> {
    let most = (LOG / native.row.max(1)).max(1) as u64;
    let most = if native.row == 0 { MOST_STEPS } else { most };
    while count > 0 {
        let steps = count.min(most);
        log.resize(steps as usize * native.row, 0.0);
        let first = machine.step;
        let ran = native.run(machine, steps, log);
        let done = (machine.step - first) as usize;
        samples.note_rows(&machine.program, first, done, &log[..done * native.row]);
        ran?;
        if done > 0 {
            machine.tell_of(machine.step - 1, samples);
        }
        if samples.end().is_some() {
            break;
        }
        count -= done as u64;
    }
    Ok(())
}

impl Execute for Run {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        // The machine code counts steps with a sign.
        let is_countable = context.step.checked_add(count).is_some_and(|end| i64::try_from(end).is_ok());
        if is_countable {
            self.compile(count, samples);
        }
        let Run { machine, maker, step_work, log, .. } = self;
        machine.run(context, count, samples, |machine, mut count, samples| {
            let piece = (INTERPRETED / (*step_work).max(1)).max(1);
            while count > 0 {
                maker.look();
                if let Some(native) = maker.native.as_ref().filter(|_| is_countable) {
                    return run_native(native, log, machine, count, samples);
                }
                let steps = count.min(piece);
                machine.steps(steps, samples)?;
                if samples.end().is_some() {
                    break;
                }
                count -= steps;
            }
            Ok(())
        })
    }

    fn engine(&self) -> &'static str {
        if self.maker.is_impossible { Flat.name() } else { Compiled.name() }
    }
}

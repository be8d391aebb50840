//! The engine that runs machine code.

use std::sync::Arc;

use super::super::flat::{Flat, Machine};
use super::super::{Context, Declined, Engine, Execute, Program, RunError, Samples};
use super::call::Native;

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
        let machine = Machine::new(program);
        let log = Vec::new();
        Ok(Box::new(Run { machine, native: None, watched: Vec::new(), is_possible: true, work: 0, log }))
    }
}

struct Run {
    machine: Machine,
    native: Option<Native>,
    /// The outputs that the machine code notes.
    watched: Vec<usize>,
    /// Whether machine code can be made, as far as is known.
    is_possible: bool,
    /// Lanes that were interpreted.
    work: u64,
    log: Vec<f64>,
}

/// So many lanes are interpreted before machine code is made: a short run is over before it would be ready.
const INTERPRETED: u64 = if cfg!(debug_assertions) { 1 } else { 20_000 };
/// Lanes that are noted before the samples take them over.
const LOG: usize = 1 << 13;
const MOST_STEPS: u64 = 1 << 16;

impl Run {
    /// Makes machine code for what is watched now, where it pays and can be made.
    fn compile(&mut self, count: u64, samples: &Samples) {
        let watched: Vec<usize> = samples.watches().iter().map(|watch| watch.output).collect();
        if self.native.is_some() && self.watched != watched {
            self.native = None;
        }
        let lanes = self.machine.code.step.len() as u64;
        self.work = self.work.saturating_add(lanes.saturating_mul(count));
        if self.native.is_some() || !self.is_possible || count < 2 || self.work < INTERPRETED {
            return;
        }
        let (program, code) = (&self.machine.program, &self.machine.code);
        let place = |&output: &usize| (code.outputs[output], program.outputs[output].width);
        let places: Vec<(u32, u32)> = watched.iter().map(place).collect();
        match Native::new(code, &places) {
            Ok(native) => self.native = Some(native),
            // The list is interpreted instead, and the name says so.
            Err(_) => self.is_possible = false,
        }
        self.watched = watched;
    }

    fn run_native(&mut self, mut count: u64, samples: &mut Samples) {
        let Some(native) = &self.native else { return };
        let most = (LOG / native.row.max(1)).max(1) as u64;
        let most = if native.row == 0 { MOST_STEPS } else { most };
        while count > 0 {
            let steps = count.min(most);
            self.log.resize(steps as usize * native.row, 0.0);
            let first = self.machine.step;
            native.run(&mut self.machine, steps, &mut self.log);
            samples.note_rows(&self.machine.program, first, steps as usize, &self.log);
            count -= steps;
        }
    }
}

impl Execute for Run {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        let Some(before_last) = count.checked_sub(1) else { return Ok(()) };
        // The machine code counts steps with a sign.
        let is_countable = context.step.checked_add(count).is_some_and(|end| i64::try_from(end).is_ok());
        if is_countable {
            self.compile(count, samples);
        }
        self.machine.enter(context);
        match (&self.native, is_countable) {
            (Some(_), true) => self.run_native(before_last, samples),
            _ => (0..before_last).for_each(|_| self.machine.step(samples)),
        }
        self.machine.last_step(context, samples);
        self.machine.leave(context);
        Ok(())
    }

    fn engine(&self) -> &'static str {
        if self.is_possible { Compiled.name() } else { Flat.name() }
    }
}

//! One step of the grid with a variable-step solver: steps of the solver until its end is reached, and the events between
//! them.

use super::super::super::Solver;
use super::super::memory::{Memory, is_same};
use super::super::method::OF_LARGEST;
use super::Integrator;
use super::crossings::Crossings;
use super::holds::{HeldRates, Holds};
use super::system::System;
use crate::block::Binary;
use crate::engine::program::fault::Fault;
use crate::engine::program::solver::Tolerances;

/// One step of the grid.
pub(super) struct VariableStep<'a> {
    pub integrator: &'a mut Integrator,
    pub system: &'a mut dyn System,
    /// Seconds.
    pub begin: f64,
    pub end: f64,
    pub crossings: Crossings,
    pub holds: Holds,
}

/// The block of a crossing is to blame if every this many steps end at one.
const OFTEN: f64 = 30.0;
/// A jump of a state by less than this part of its tolerance does not release a held function.
const NO_JUMP: f64 = 0.1;
/// An error below this part of the largest state may be rounding.
pub(super) const NOISE: f64 = 2e-15;
/// No state is smaller than this.
const SMALLEST: f64 = 1e-30;

impl VariableStep<'_> {
    pub fn step(&mut self, row: &mut Vec<f64>, x: &mut [f64]) -> Result<(), Fault> {
        let (mut memory, is_there) = Memory::new(row, self.integrator.layout);
        self.load(&memory);
        self.integrator.evaluator.begin_step(self.system.leaves());
        if is_there {
            self.resume(&mut memory, x)?;
        } else {
            self.start(&mut memory, x)?;
        }
        self.crossings.begin_step(self.integrator.layout.crossings);
        let mut cursor = self.begin;
        let mut steps = 0.0;
        let (mut crossings, mut crossing) = (0.0, 0);
        while cursor < self.end {
            if self.system.is_cancelled() {
                return Err(Fault::cancelled());
            }
            if memory.end() <= cursor {
                steps += 1.0;
                let most = self.integrator.program.tolerances.max_steps;
                if steps > most {
                    return Err(self.too_many_steps(most, crossings, crossing));
                }
                self.extend(&mut memory)?;
                self.record(&memory);
            }
            let from = std::mem::replace(&mut cursor, memory.end().min(self.end));
            self.follow(&memory, from, cursor);
            self.state_at(&memory, cursor, x);
            if memory.event() != 0.0 && memory.end() <= cursor {
                if memory.event() > 0.0 {
                    (crossings, crossing) = (crossings + 1.0, memory.event() as usize - 1);
                }
                self.settle(&mut memory, cursor, x)?;
            }
        }
        self.give_held();
        memory.given_mut().copy_from_slice(x);
        if !memory.is_free() {
            let values = self.crossing_values(self.end, x);
            memory.held_values_mut().copy_from_slice(&values);
        }
        Ok(())
    }

    /// Returns the fault of more solver steps than the limit, at the block of the last crossing if most of them end at one.
    fn too_many_steps(&self, limit: f64, crossings: f64, crossing: usize) -> Fault {
        let problem = format!("makes more than {limit} steps within one of the grid, its max-steps");
        let fault = self.integrator.fault(None, &problem);
        match OFTEN * crossings > limit {
            true => Fault { unit: self.integrator.evaluator.unit_of_crossing(crossing), ..fault },
            false => fault,
        }
    }

    /// Restarts the solver if something has changed since the last step.
    fn resume(&mut self, memory: &mut Memory, x: &mut [f64]) -> Result<(), Fault> {
        let is_moved = !is_same(memory.given(), x);
        if !memory.is_free() {
            // A held function stays in place, whatever the step decided there, unless a source or a sample moved it.
            self.keep_modes(memory);
            let (given, before) = (memory.given().to_vec(), memory.held_values().to_vec());
            self.release_moved(memory, (&given, &before), self.begin, x)?;
        }
        if is_moved && !memory.is_free() && self.is_slight(memory, x) {
            return self.restart(memory, self.begin, x);
        }
        if is_moved {
            self.release_all(memory);
            // After a jump the states may change at another speed.
            return self.start(memory, x);
        }
        if !memory.modes().iter().copied().map(f64::to_bits).eq(self.modes().map(f64::to_bits)) {
            self.release_all(memory);
            return self.start(memory, x);
        }
        let params = &self.system.leaves().context.params;
        if !self.integrator.evaluator.is_stepwise && is_same(memory.params(), params) {
            return Ok(());
        }
        // A discrete input that changed need not change the speed: the step length is kept.
        memory.params_mut().copy_from_slice(params);
        self.restart(memory, self.begin, x)?;
        self.release_if_due(memory, self.begin, x)
    }

    /// Whether the states differ from those at the end of the last step by less than the tolerances.
    fn is_slight(&self, memory: &Memory, x: &[f64]) -> bool {
        let Tolerances { relative, .. } = self.integrator.program.tolerances;
        let absolute = self.absolute_tolerances(memory);
        let is_slight = |((x, given), absolute): ((&f64, &f64), f64)| {
            (x - given).abs() <= NO_JUMP * (absolute + relative * given.abs())
        };
        x.iter().zip(memory.given()).zip(absolute).all(is_slight)
    }

    /// Starts the solver with a first step length.
    pub fn start(&mut self, memory: &mut Memory, x: &[f64]) -> Result<(), Fault> {
        memory.params_mut().copy_from_slice(&self.system.leaves().context.params);
        self.restart(memory, self.begin, x)?;
        self.first_length(memory);
        Ok(())
    }

    pub fn modes(&self) -> impl Iterator<Item = f64> + '_ {
        let next = self.system.leaves().next;
        self.integrator.evaluator.modes.iter().map(|&mode| next[mode])
    }

    /// Sets the solver to a time and state.
    pub fn restart(&mut self, memory: &mut Memory, time: f64, x: &[f64]) -> Result<(), Fault> {
        memory.set_begin(time);
        memory.set_end(time);
        memory.set_event(0.0);
        memory.set_error(1e-4);
        memory.state_mut().copy_from_slice(x);
        memory.modes_mut().iter_mut().zip(self.modes()).for_each(|(to, from)| *to = from);
        self.load(memory);
        self.mark_jumps(time, x);
        self.rates(time, x, memory.rates_mut());
        memory.set_evaluations(memory.evaluations() + 1.0);
        memory.largest_mut().iter_mut().zip(x).for_each(|(largest, x)| *largest = largest.max(x.abs()));
        self.check_rates(memory)
    }

    /// # Errors
    /// If a rate at the end of the last step is not finite.
    pub fn check_rates(&self, memory: &Memory) -> Result<(), Fault> {
        match memory.rates().iter().position(|rate| !rate.is_finite()) {
            Some(state) => Err(self.integrator.fault(Some(state), "finds a rate that is no finite number")),
            None => Ok(()),
        }
    }

    /// Computes the rates of change with held crossing functions.
    pub fn rates(&mut self, time: f64, x: &[f64], rates: &mut [f64]) {
        let VariableStep { integrator, system, holds, .. } = self;
        HeldRates { system: &mut **system, evaluator: &mut integrator.evaluator, holds }.rates(time, x, rates);
    }

    /// Returns the permitted error of each state whatever its current value.
    pub fn absolute_tolerances(&self, memory: &Memory) -> impl Iterator<Item = f64> {
        let Tolerances { relative, absolute, .. } = self.integrator.program.tolerances;
        let largest = memory.largest();
        let noise = SMALLEST.max(NOISE * largest.iter().copied().fold(0.0, f64::max));
        largest.iter().map(move |largest| absolute.unwrap_or(relative * OF_LARGEST * largest + noise))
    }

    /// Chooses the length of the first step by Hairer, Nørsett, Wanner (1993), section II.4.
    pub fn first_length(&mut self, memory: &mut Memory) {
        let Tolerances { relative, max_step, .. } = self.integrator.program.tolerances;
        let absolute: Vec<f64> = self.absolute_tolerances(memory).collect();
        let (x, rates) = (memory.state(), memory.rates());
        let n = x.len();
        if n == 0 {
            // There is nothing to be wrong about.
            return memory.set_length(max_step);
        }
        // A state that is 0 and has not moved yet has no size; it must not make the first step short.
        let scale = |state: usize| absolute[state] + relative * x[state].abs();
        let is_sized = |state: &usize| scale(*state) > 2.0 * SMALLEST;
        let norm = |values: &dyn Fn(usize) -> f64| {
            let parts = (0..n).filter(is_sized).map(|state| values(state) / scale(state));
            (parts.fold(0.0, |sum, part| sum + part * part) / n as f64).sqrt()
        };
        let (size, speed) = (norm(&|state| x[state]), norm(&|state| rates[state]));
        let guess = if size < 1e-5 || speed < 1e-5 { 1e-6 } else { 0.01 * size / speed };
        // NaN if a state is infinite; the step fails then, but it needs a length.
        let guess = if guess.is_finite() { guess.min(max_step) } else { 1e-6_f64.min(max_step) };
        let ahead: Vec<f64> = x.iter().zip(rates).map(|(x, rate)| x + guess * rate).collect();
        let mut rates_ahead = vec![0.0; n];
        let time = memory.end() + guess;
        self.rates(time, &ahead, &mut rates_ahead);
        let rates = memory.rates();
        let bend = norm(&|state| rates_ahead[state] - rates[state]) / guess;
        let fastest = if speed >= bend { speed } else { bend };
        let order = self.order();
        let length = match fastest {
            fastest if fastest <= 1e-15 => (guess * 1e-3).max(1e-6),
            fastest => Binary::Pow.value(0.01 / fastest, 1.0 / order),
        };
        let length = if length.is_finite() { length } else { guess };
        memory.set_length((100.0 * guess).min(length).min(max_step));
        memory.set_evaluations(memory.evaluations() + 1.0);
    }

    pub fn order(&self) -> f64 {
        if self.integrator.program.solver == Solver::Dopri45 { 5.0 } else { 4.0 }
    }
}

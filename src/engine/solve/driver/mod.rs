//! Integrates the continuous states of a program over one step of the simulation (a step of the grid), with any solver
//! that is not compiled into the step itself.
//!
//! Variable-step solvers continue where their last step ended, which may lie beyond the grid point, as long as nothing
//! in the rates changes from step to step; otherwise they end a step at each grid point. Their memory is part of the
//! context. When a crossing is located, the step ends there, modes change, states jump, and the solver restarts.

mod crossings;

use std::sync::Arc;

use self::crossings::Crossings;

use super::super::fault::Fault;
use super::super::solver::Tolerances;
use super::super::{Program, Solver};
use super::evaluate::{Evaluator, Leaves, Point};
use super::implicit::{Newton, NewtonWork};
use super::memory::{Layout, Memory, is_same};
use super::method::{DENSE, GAMMA, Trial, dopri45, dopri45_between, norm, rodas34, rodas34_between, rodas34_slope};
use super::radau::{Attempt, Radau, RadauStep, caution, radau_between, radau_slope};
use super::sparse::{Jacobian, StepMatrix};
use crate::block::{Binary, StateKind, caught};

/// How an engine computes the rates.
pub trait System {
    /// Computes the rates at a time in seconds and for given continuous states.
    fn rates(&mut self, time: f64, x: &[f64], rates: &mut [f64]);

    /// Whether the run is cancelled; the rates may be meaningless then.
    fn is_cancelled(&self) -> bool;

    fn leaves(&self) -> Leaves<'_>;

    /// Sets the discrete states of the next step, in which modes have changed.
    fn set_next(&mut self, next: &[f64]);
}

/// More crossings than this within one step of the grid are an error.
const MAX_CROSSINGS: u32 = 10_000;
/// How often a step is repeated so that it ends at a crossing, and the smallest fraction of the step for which that is
/// worthwhile.
const MAX_SHORTENED: usize = 3;
const SHORTEST: f64 = 1e-6;
/// The shortest step, as a part of the time at which it begins.
const RESOLUTION: f64 = 16.0 * f64::EPSILON;
/// The fraction of a step of the grid to which a source may limit the solver's steps. What a source does faster than that
/// is left to the error control.
const SHORTEST_LIMIT: f64 = 0.02;
/// The fraction of a step at which the defect of the dense output is measured, about where it is largest; in the middle
/// it would be small for what is symmetric.
const DEFECT_AT: f64 = 0.4;
/// The factor by which a step is shorter that is tried after one without any result.
const MUCH_SHORTER: f64 = 0.1;

#[derive(Debug)]
pub struct Integrator {
    program: Arc<Program>,
    evaluator: Evaluator,
    matrix: StepMatrix,
    trial: Trial,
    radau: Radau,
    jacobian: Jacobian,
    slope: Vec<f64>,
    layout: Layout,
    /// Working memory of a step, reused.
    work: Work,
}

#[derive(Debug, Default)]
struct Work {
    /// The state at the begin of a step, and the rates there.
    x: Vec<f64>,
    first: Vec<f64>,
    /// A state between the ends of a step.
    between: Vec<f64>,
    /// The defect of the dense output.
    defect: Vec<f64>,
    newton: NewtonWork,
    crossings: Crossings,
}

impl Integrator {
    /// Returns none if there is nothing to integrate, or if the solver is compiled into the step.
    pub fn new(program: &Arc<Program>) -> Option<Integrator> {
        if program.continuous_count == 0 || program.solver.tableau().is_some() {
            return None;
        }
        let n = program.continuous_count;
        let evaluator = Evaluator::new(program);
        let modes = evaluator.modes.iter().map(|(_, width)| width).sum();
        Some(Integrator {
            program: Arc::clone(program),
            evaluator,
            matrix: StepMatrix::default(),
            trial: Trial::new(n),
            radau: Radau::default(),
            jacobian: Jacobian::default(),
            slope: vec![0.0; n],
            work: Work::default(),
            layout: Layout { states: n, modes, params: program.params.len() },
        })
    }

    /// Integrates `x` from the begin of the step to its end. `memory` is the solver's memory in the context.
    ///
    /// # Errors
    /// If the solver cannot continue; the fault names the block whose state it could not integrate.
    pub fn step(&mut self, system: &mut dyn System, memory: &mut Vec<f64>, x: &mut [f64]) -> Result<(), Fault> {
        let (step, delta) = (system.leaves().context.step, self.program.delta);
        let (begin, end) = (step as f64 * delta, (step as f64 + 1.0) * delta);
        let ran = match (self.program.solver, self.program.solver.theta()) {
            (_, Some(theta)) => self.implicit(system, begin, end, theta, x),
            (Solver::Rodas4, _) => self.rosenbrock(system, begin, end, x),
            (Solver::Added(method), _) => {
                let rates = &mut |time, x: &[f64], to: &mut [f64]| system.rates(time, x, to);
                let stepped = caught("with its own code", || method.step(rates, begin, end - begin, x));
                stepped.map_err(|error| self.fault(None, &error.to_string()))
            }
            _ => {
                let crossings = std::mem::take(&mut self.work.crossings);
                let mut variable = VariableStep { integrator: self, system: &mut *system, begin, end, crossings };
                let ran = variable.step(memory, x);
                self.work.crossings = variable.crossings;
                ran
            }
        };
        // An error that follows from meaningless rates is not reported.
        if system.is_cancelled() { Err(Fault::cancelled()) } else { ran }
    }

    fn implicit(
        &mut self,
        system: &mut dyn System,
        begin: f64,
        end: f64,
        theta: f64,
        x: &mut [f64],
    ) -> Result<(), Fault> {
        let (mut start, mut before) = (std::mem::take(&mut self.work.x), std::mem::take(&mut self.work.first));
        copy(&mut start, x);
        before.clear();
        before.resize(x.len(), 0.0);
        if theta < 1.0 {
            system.rates(begin, x, &mut before);
        }
        let (evaluator, slope) = (&mut self.evaluator, &mut self.slope);
        let system = std::cell::RefCell::new(system);
        let mut newton = Newton {
            rates: &mut |time, x, rates| system.borrow_mut().rates(time, x, rates),
            is_cancelled: &|| system.borrow().is_cancelled(),
            differentiate: &mut |time, x, jacobian| {
                evaluator.jacobian(system.borrow().leaves(), Point { time, x }, jacobian, slope);
            },
            jacobian: &mut self.jacobian,
            matrix: &mut self.matrix,
            work: &mut self.work.newton,
        };
        let solved = newton.solve(end, (end - begin, theta), &start, &before, x);
        (self.work.x, self.work.first) = (start, before);
        solved.map_err(|state| self.fault(Some(state), "does not converge; take a shorter step"))
    }

    fn rosenbrock(&mut self, system: &mut dyn System, begin: f64, end: f64, x: &mut [f64]) -> Result<(), Fault> {
        let mut first = std::mem::take(&mut self.work.first);
        first.clear();
        first.resize(x.len(), 0.0);
        system.rates(begin, x, &mut first);
        self.evaluator.jacobian(system.leaves(), Point { time: begin, x }, &mut self.jacobian, &mut self.slope);
        let is_made = self.try_rodas(system, begin, end - begin, x, &first);
        self.work.first = first;
        if !is_made {
            return Err(self.fault(None, "meets a singular matrix; take another step"));
        }
        x.copy_from_slice(&self.trial.x);
        Ok(())
    }

    /// Tries one step of the Rosenbrock method. Returns false if the matrix is singular.
    fn try_rodas(&mut self, system: &mut dyn System, time: f64, h: f64, x: &[f64], first: &[f64]) -> bool {
        let factored = self.matrix.factor(&self.jacobian, 1.0 / (h * GAMMA), 1.0);
        if factored {
            rodas34(&mut self.trial, time, h, x, first, &self.slope, &mut self.matrix, &mut |time, x, rates| {
                system.rates(time, x, rates);
            });
        }
        factored
    }

    /// Returns a fault at the block that has the crossing function of this number, counted from 1.
    fn endless_crossings(&self, crossing: f64) -> Fault {
        let unit = self.evaluator.unit_of_crossing(crossing as usize - 1);
        Fault { unit, ..self.fault(None, "locates crossing upon crossing without end") }
    }

    /// Returns a fault at the block of a state.
    fn fault(&self, state: Option<usize>, problem: &str) -> Fault {
        let holds = |unit: &super::super::Unit, state: usize| {
            let slots = self.program.states[unit.first_state as usize..].iter();
            let slots = slots.zip(&self.program.kernel(unit).states);
            let mut of_unit = slots.filter(|(slot, _)| slot.kind == StateKind::Continuous);
            of_unit.any(|(slot, _)| (slot.offset..slot.offset + slot.width).contains(&(state as u32)))
        };
        let unit = state.and_then(|state| self.program.units.iter().position(|unit| holds(unit, state)));
        Fault::new(unit, format!("the solver “{}” {problem}", self.program.solver.name()))
    }
}

/// One step of the grid with a variable-step solver.
struct VariableStep<'a> {
    integrator: &'a mut Integrator,
    system: &'a mut dyn System,
    /// Seconds.
    begin: f64,
    end: f64,
    crossings: Crossings,
}

impl VariableStep<'_> {
    fn step(&mut self, row: &mut Vec<f64>, x: &mut [f64]) -> Result<(), Fault> {
        let (mut memory, is_there) = Memory::new(row, self.integrator.layout);
        if is_there {
            self.resume(&mut memory, x)?;
        } else {
            self.start(&mut memory, x)?;
        }
        let mut cursor = self.begin;
        let (mut steps, mut located) = (0.0, 0);
        while cursor < self.end {
            if self.system.is_cancelled() {
                return Err(Fault::cancelled());
            }
            if memory.end() <= cursor {
                steps += 1.0;
                let most = self.integrator.program.tolerances.max_steps;
                if steps > most {
                    let problem = format!("makes more than {most} steps within one of the grid, its max-steps");
                    return Err(self.integrator.fault(None, &problem));
                }
                self.extend(&mut memory)?;
            }
            cursor = memory.end().min(self.end);
            self.state_at(&memory, cursor, x);
            if memory.crossing() != 0.0 && memory.end() <= cursor {
                located += 1;
                if located > MAX_CROSSINGS || f64::from(located) > self.integrator.program.tolerances.max_steps {
                    return Err(self.integrator.endless_crossings(memory.crossing()));
                }
                self.decide(&mut memory, cursor, x)?;
            }
        }
        memory.given_mut().copy_from_slice(x);
        Ok(())
    }

    /// Restarts the solver if something has changed since the last step.
    fn resume(&mut self, memory: &mut Memory, x: &[f64]) -> Result<(), Fault> {
        let has_same_modes = memory.modes().iter().copied().map(f64::to_bits).eq(self.modes().map(f64::to_bits));
        if !has_same_modes || !is_same(memory.given(), x) {
            // After a jump the states may change at another speed.
            return self.start(memory, x);
        }
        let params = &self.system.leaves().context.params;
        if !self.integrator.evaluator.is_stepwise && is_same(memory.params(), params) {
            return Ok(());
        }
        // A discrete input that changed need not change the speed: the step length is kept.
        memory.params_mut().copy_from_slice(params);
        self.restart(memory, self.begin, x)
    }

    /// Starts the solver with a first step length.
    fn start(&mut self, memory: &mut Memory, x: &[f64]) -> Result<(), Fault> {
        memory.params_mut().copy_from_slice(&self.system.leaves().context.params);
        self.restart(memory, self.begin, x)?;
        self.first_length(memory);
        Ok(())
    }

    fn modes(&self) -> impl Iterator<Item = f64> + '_ {
        let next = self.system.leaves().next;
        let modes = &self.integrator.evaluator.modes;
        modes.iter().flat_map(move |&(first, width)| next[first..first + width].iter().copied())
    }

    /// Sets the solver to a time and state.
    fn restart(&mut self, memory: &mut Memory, time: f64, x: &[f64]) -> Result<(), Fault> {
        memory.set_begin(time);
        memory.set_end(time);
        memory.set_crossing(0.0);
        memory.set_error(1e-4);
        memory.state_mut().copy_from_slice(x);
        memory.modes_mut().iter_mut().zip(self.modes()).for_each(|(to, from)| *to = from);
        self.system.rates(time, x, memory.rates_mut());
        memory.set_evaluations(memory.evaluations() + 1.0);
        match memory.rates().iter().position(|rate| !rate.is_finite()) {
            Some(state) => Err(self.integrator.fault(Some(state), "finds a rate that is no finite number")),
            None => Ok(()),
        }
    }

    /// Chooses the length of the first step by Hairer, Nørsett, Wanner (1993), section II.4.
    fn first_length(&mut self, memory: &mut Memory) {
        let (x, rates) = (memory.state(), memory.rates());
        let n = x.len();
        let Tolerances { relative, absolute, max_step, .. } = self.integrator.program.tolerances;
        let scale: Vec<f64> = x.iter().map(|x| absolute + relative * x.abs()).collect();
        let norm = |values: &dyn Fn(usize) -> f64| {
            let sum =
                (0..n).fold(0.0, |sum, state| sum + (values(state) / scale[state]) * (values(state) / scale[state]));
            (sum / n as f64).sqrt()
        };
        let (size, speed) = (norm(&|state| x[state]), norm(&|state| rates[state]));
        let guess = if size < 1e-5 || speed < 1e-5 { 1e-6 } else { 0.01 * size / speed };
        // NaN if a state is infinite; the step fails then, but it needs a length.
        let guess = if guess.is_finite() { guess.min(max_step) } else { 1e-6_f64.min(max_step) };
        let ahead: Vec<f64> = x.iter().zip(rates).map(|(x, rate)| x + guess * rate).collect();
        let mut rates_ahead = vec![0.0; n];
        self.system.rates(memory.end() + guess, &ahead, &mut rates_ahead);
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

    fn order(&self) -> f64 {
        if self.integrator.program.solver == Solver::Dopri45 { 5.0 } else { 4.0 }
    }

    /// Makes one step from the end of the last one.
    fn extend(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let time = memory.end();
        let max_step = self.integrator.program.tolerances.max_step;
        let Integrator { evaluator, program, .. } = &mut *self.integrator;
        let limit = evaluator.longest_step(self.system.leaves(), time).max(SHORTEST_LIMIT * program.delta);
        let wanted = memory.length().min(max_step).min(limit);
        // A step has an end, however long the steps have become; and a guess for states that are nearly 0 may be shorter
        // than the time can tell.
        let wanted = if wanted.is_finite() { wanted.max(2.0 * RESOLUTION * time) } else { self.end - time };
        let work = &mut self.integrator.work;
        let (mut x, mut first) = (std::mem::take(&mut work.x), std::mem::take(&mut work.first));
        copy(&mut x, memory.state());
        copy(&mut first, memory.rates());
        let made = self.extend_from(memory, (time, wanted), &x, &first);
        (self.integrator.work.x, self.integrator.work.first) = (x, first);
        made
    }

    /// The same from a time in seconds, with the wanted step length, the state `x` and the rates `first` there.
    fn extend_from(
        &mut self,
        memory: &mut Memory,
        (time, wanted): (f64, f64),
        x: &[f64],
        first: &[f64],
    ) -> Result<(), Fault> {
        let Tolerances { relative, absolute, max_step, .. } = self.integrator.program.tolerances;
        let is_explicit = !self.integrator.program.solver.is_implicit();
        let mut h = wanted;
        if !is_explicit {
            let Integrator { evaluator, jacobian, slope, .. } = &mut *self.integrator;
            evaluator.jacobian(self.system.leaves(), Point { time, x }, jacobian, slope);
        }
        let mut was_refused = false;
        let mut shortened = 0;
        loop {
            if self.system.is_cancelled() {
                return Err(Fault::cancelled());
            }
            let rest = self.end - time;
            let is_cut = self.integrator.evaluator.is_stepwise && shortened == 0 && h * 1.01 >= rest;
            if is_cut {
                h = rest;
            }
            let is_long_enough = h > RESOLUTION * time.max(f64::MIN_POSITIVE);
            if !is_long_enough {
                let worst = self.worst(x);
                let problem = format!("finds no step short enough at {time} s");
                return Err(self.integrator.fault(worst, &problem));
            }
            let (evaluations, made) = match self.attempt(memory, (time, h), x, first) {
                Attempt::Solved { iterations, evaluations } => (evaluations, Ok(iterations)),
                Attempt::TooLong { evaluations, shorter } => (evaluations, Err(shorter)),
            };
            memory.set_evaluations(memory.evaluations() + evaluations as f64);
            let mut error = if made.is_ok() { self.error(x, relative, absolute) } else { f64::NAN };
            // What is put out between the ends of the step is as accurate as they are.
            if error <= 1.0 && !is_explicit && time + h > self.next_output(time) {
                error = error.max(self.error_between(time, h, x));
                memory.set_evaluations(memory.evaluations() + 1.0);
            }
            if error <= 1.0 {
                let found = self.find_crossing(time, h, x);
                if let Some((at, _)) = found
                    && shortened < MAX_SHORTENED
                    && at - time > (SHORTEST * h).max(1e-12 * time)
                    && at - time < h
                {
                    // Repeated without the part behind the crossing.
                    h = at - time;
                    shortened += 1;
                    continue;
                }
                let factor = growth(self.order(), error, memory.error());
                let factor = if was_refused { factor.min(1.0) } else { factor };
                let next = h * factor * made.map_or(1.0, caution);
                let next = if shortened > 0 { next.max(wanted) } else { next };
                let next = if is_cut { next.max(wanted.min(rest.max(wanted))) } else { next };
                let end = if is_cut { self.end } else { time + h };
                self.accept(memory, time, h, end, found)?;
                memory.set_error(error.max(1e-4));
                memory.set_length(next.min(max_step));
                return Ok(());
            }
            memory.set_refused(memory.refused() + 1.0);
            was_refused = true;
            h *= match made {
                Err(shorter) => shorter,
                Ok(_) if error.is_finite() => (0.9 * Binary::Pow.value(error, -1.0 / self.order())).max(0.2),
                // What is not-a-number may still be one nearer by.
                Ok(_) => MUCH_SHORTER,
            };
        }
    }

    /// Tries a step of length `h` from a time in seconds.
    fn attempt(&mut self, memory: &Memory, (time, h): (f64, f64), x: &[f64], first: &[f64]) -> Attempt {
        let VariableStep { integrator, system, .. } = self;
        match integrator.program.solver {
            Solver::Dopri45 => {
                dopri45(&mut integrator.trial, time, h, x, first, &mut |time, x, rates| system.rates(time, x, rates));
                Attempt::Solved { iterations: 0, evaluations: 6 }
            }
            Solver::Radau35 => {
                let Tolerances { relative, absolute, .. } = integrator.program.tolerances;
                let goes_on = memory.begin() < memory.end();
                let Integrator { radau, trial, matrix, jacobian, .. } = &mut **integrator;
                let step = RadauStep {
                    time,
                    length: h,
                    x,
                    first,
                    jacobian,
                    before: goes_on.then(|| (memory.dense(), memory.span())),
                    tolerances: [relative, absolute],
                };
                radau.attempt(trial, matrix, &step, &mut |time, x, rates| system.rates(time, x, rates))
            }
            _ => match integrator.try_rodas(&mut **system, time, h, x, first) {
                true => Attempt::Solved { iterations: 0, evaluations: 5 },
                false => Attempt::TooLong { evaluations: 5, shorter: MUCH_SHORTER },
            },
        }
    }

    /// The time of the first grid point after `time`, in seconds.
    fn next_output(&self, time: f64) -> f64 {
        let delta = self.integrator.program.delta;
        ((time / delta).floor() + 1.0) * delta
    }

    /// The error of the dense output within the trial step of a method for stiff models, relative to the tolerances. A stiff
    /// state follows what drives it: at both ends of a step it is right however long the step is, and in between it may
    /// be anything.
    ///
    /// The defect of the interpolating polynomial, by which its derivative differs from the rates, is mapped to an error
    /// of the state by the matrix of the step: for slow states the defect times `h·γ`, for stiff ones the defect by their
    /// rate (Enright: Continuous numerical methods for ODEs with defect control, J. Comp. Appl. Math. 125, 2000).
    fn error_between(&mut self, time: f64, h: f64, x: &[f64]) -> f64 {
        let Tolerances { relative, absolute, .. } = self.integrator.program.tolerances;
        let mut between = std::mem::take(&mut self.integrator.work.between);
        self.between(DEFECT_AT * h, h, &mut between);
        let mut defect = std::mem::take(&mut self.integrator.work.defect);
        defect.resize(x.len(), 0.0);
        self.system.rates(time + DEFECT_AT * h, &between, &mut defect);
        let slope = self.dense_slope();
        let Integrator { trial, matrix, .. } = &mut *self.integrator;
        for (defect, dense) in defect.iter_mut().zip(trial.dense.chunks_exact(DENSE)) {
            *defect = slope(dense, DEFECT_AT) / h - *defect;
        }
        matrix.solve(&mut defect);
        let error = norm(&defect, (x, &between), [relative, absolute]);
        (self.integrator.work.between, self.integrator.work.defect) = (between, defect);
        error
    }

    /// The error of the trial step relative to the tolerances; above 1 the step is rejected. NaN if the state is not
    /// finite.
    fn error(&self, x: &[f64], relative: f64, absolute: f64) -> f64 {
        let trial = &self.integrator.trial;
        let is_finite = trial.x.iter().all(|x| x.is_finite());
        if is_finite { norm(&trial.error, (x, &trial.x), [relative, absolute]) } else { f64::NAN }
    }

    /// Returns the state with the largest error.
    fn worst(&self, x: &[f64]) -> Option<usize> {
        let trial = &self.integrator.trial;
        let Tolerances { relative, absolute, .. } = self.integrator.program.tolerances;
        let part = |state: usize| trial.error[state].abs() / (absolute + relative * x[state].abs());
        (0..x.len()).max_by(|&a, &b| part(a).total_cmp(&part(b)))
    }

    /// Accepts the trial step, up to `end` in seconds, or to the crossing if there is one, which is given by its time and
    /// number.
    fn accept(
        &mut self,
        memory: &mut Memory,
        time: f64,
        h: f64,
        end: f64,
        crossing: Option<(f64, usize)>,
    ) -> Result<(), Fault> {
        let trial = &self.integrator.trial;
        memory.set_begin(time);
        memory.set_span(h);
        memory.set_end(end);
        memory.state_mut().copy_from_slice(&trial.x);
        memory.dense_mut().copy_from_slice(&trial.dense);
        memory.set_steps(memory.steps() + 1.0);
        if let Some((at, number)) = crossing {
            if at < memory.end() {
                let mut state = std::mem::take(&mut self.integrator.work.between);
                self.between(at - time, h, &mut state);
                memory.state_mut().copy_from_slice(&state);
                self.integrator.work.between = state;
            }
            memory.set_end(at.min(memory.end()));
            memory.set_crossing(1.0 + number as f64);
            return Ok(());
        }
        if self.integrator.program.solver == Solver::Dopri45 {
            memory.rates_mut().copy_from_slice(&trial.rates);
            return Ok(());
        }
        let time = memory.end();
        self.system.rates(time, &self.integrator.trial.x, memory.rates_mut());
        memory.set_evaluations(memory.evaluations() + 1.0);
        match memory.rates().iter().position(|rate| !rate.is_finite()) {
            Some(state) => Err(self.integrator.fault(Some(state), "finds a rate that is no finite number")),
            None => Ok(()),
        }
    }

    /// Computes the states at a time within the last step.
    fn state_at(&self, memory: &Memory, time: f64, x: &mut [f64]) {
        if time >= memory.end() {
            return x.copy_from_slice(memory.state());
        }
        let (between, s) = (self.dense_output(), (time - memory.begin()) / memory.span());
        for (x, dense) in x.iter_mut().zip(memory.dense().chunks_exact(DENSE)) {
            *x = between(dense, s);
        }
    }

    /// Computes the states of the trial step of length `h`, `since` seconds after its begin.
    fn between(&self, since: f64, h: f64, state: &mut Vec<f64>) {
        let trial = &self.integrator.trial;
        state.clear();
        if since >= h {
            return state.extend(&trial.x);
        }
        let between = self.dense_output();
        state.extend(trial.dense.chunks_exact(DENSE).map(|dense| between(dense, since / h)));
    }

    fn dense_output(&self) -> fn(&[f64], f64) -> f64 {
        match self.integrator.program.solver {
            Solver::Dopri45 => dopri45_between,
            Solver::Radau35 => radau_between,
            _ => rodas34_between,
        }
    }

    /// The derivative of the dense output by the fraction of the step, of a method for stiff models.
    fn dense_slope(&self) -> fn(&[f64], f64) -> f64 {
        if self.integrator.program.solver == Solver::Radau35 { radau_slope } else { rodas34_slope }
    }
}

fn copy(to: &mut Vec<f64>, from: &[f64]) {
    to.clear();
    to.extend_from_slice(from);
}

/// The factor by which the next step is longer: Gustafsson's step size control by this and the last error (Hairer,
/// Wanner 1996, section IV.2).
fn growth(order: f64, error: f64, before: f64) -> f64 {
    let beta = 0.04;
    let by_error = Binary::Pow.value(error.max(1e-10), 1.0 / order - 0.75 * beta);
    (0.9 * Binary::Pow.value(before, beta) / by_error).clamp(0.2, 5.0)
}

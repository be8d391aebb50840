//! Integrates the continuous states of a program over one step of the simulation (a step of the grid), with any solver
//! that is not compiled into the step itself.
//!
//! Variable-step solvers continue where their last step ended, which may lie beyond the grid point, as long as nothing
//! in the rates changes from step to step; otherwise they end a step at each grid point. Their memory is part of the
//! context. When a crossing is located, the step ends there, modes change, states jump, and the solver restarts.

mod conditions;
mod crossings;
mod events;
mod holds;
mod pieces;
mod records;
mod system;
mod trajectory;
mod trial;
mod variable;
mod variation;

use std::sync::Arc;

use self::crossings::Crossings;
use self::holds::Holds;
use self::pieces::Piece;
use self::records::RecordWork;
pub use self::system::System;
use self::system::differentiate;
use self::variable::VariableStep;
pub use self::variation::VariedSystem;

use super::super::{Program, Solver};
use super::evaluate::{Evaluator, Point};
use super::implicit::{Newton, NewtonWork};
use super::memory::Layout;
use super::method::{GAMMA, Trial, rodas34};
use super::radau::Radau;
use super::sparse::{Jacobian, StepMatrix};
use crate::block::{Rates, StateKind, caught};
use crate::engine::program::fault::Fault;

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
    /// The way through the step, if it is recorded.
    followed: Option<Vec<Piece>>,
}

#[derive(Debug, Default)]
struct Work {
    /// The state at the beginning of a step, and the rates there.
    x: Vec<f64>,
    first: Vec<f64>,
    /// A state between the ends of a step.
    between: Vec<f64>,
    /// The defect of the dense output.
    defect: Vec<f64>,
    newton: NewtonWork,
    crossings: Crossings,
    holds: Holds,
    records: RecordWork,
    /// The permitted error of each state whatever its value.
    absolute: Vec<f64>,
    /// The derivatives of the rates with held crossing functions, if `is_held`.
    held_jacobian: Jacobian,
    is_held: bool,
}

impl Integrator {
    /// Returns `None` if there is nothing to integrate, or if the solver is compiled into the step.
    pub fn new(program: &Arc<Program>) -> Option<Integrator> {
        if !program.has_integrator() {
            return None;
        }
        let n = program.continuous_count;
        let evaluator = Evaluator::new(program);
        Some(Integrator {
            program: Arc::clone(program),
            layout: evaluator.layout,
            evaluator,
            matrix: StepMatrix::default(),
            trial: Trial::new(n),
            radau: Radau::default(),
            jacobian: Jacobian::default(),
            slope: vec![0.0; n],
            work: Work::default(),
            followed: None,
        })
    }

    /// Integrates `x` from the beginning of the step to its end. `memory` is the solver's memory in the context.
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
                let (crossings, holds) =
                    (std::mem::take(&mut self.work.crossings), std::mem::take(&mut self.work.holds));
                let mut variable =
                    VariableStep { integrator: self, system: &mut *system, begin, end, crossings, holds };
                let ran = variable.step(memory, x);
                (self.work.crossings, self.work.holds) = (variable.crossings, variable.holds);
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
                differentiate(&mut **system.borrow_mut(), evaluator, Point { time, x }, jacobian, slope);
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
        let point = Point { time: begin, x };
        differentiate(system, &mut self.evaluator, point, &mut self.jacobian, &mut self.slope);
        let Integrator { trial, matrix, jacobian, slope, .. } = &mut *self;
        let rates = &mut |time: f64, x: &[f64], rates: &mut [f64]| system.rates(time, x, rates);
        let is_made = try_rodas((trial, matrix), (jacobian, slope), (begin, end - begin), (x, &first), rates);
        self.work.first = first;
        if !is_made {
            return Err(self.fault(None, "meets a singular matrix; take another step"));
        }
        x.copy_from_slice(&self.trial.x);
        Ok(())
    }

    /// Returns a fault at the block of a state.
    fn fault(&self, state: Option<usize>, problem: &str) -> Fault {
        let holds = |unit: &super::super::Unit, state: usize| {
            let slots = self.program.states[unit.first_state as usize..].iter();
            let slots = slots.zip(&self.program.kernel(unit).states);
            let mut of_unit = slots.filter(|(slot, _)| slot.kind == StateKind::Continuous);
            of_unit.any(|(slot, _)| (slot.offset..slot.offset + slot.width).contains(&(state as u32)))
        };
        let unit =
            state.and_then(|state| self.program.units.keys().find(|&unit| holds(&self.program.units[unit], state)));
        Fault::new(unit, format!("the solver “{}” {problem}", self.program.solver.name()))
    }
}

/// Tries one step of the Rosenbrock method from a time in seconds, of a length, with the derivatives of the rates by the
/// states and by the time. Returns false if the matrix is singular.
fn try_rodas(
    (trial, matrix): (&mut Trial, &mut StepMatrix),
    (jacobian, slope): (&Jacobian, &[f64]),
    (time, h): (f64, f64),
    (x, first): (&[f64], &[f64]),
    rates: Rates,
) -> bool {
    let factored = matrix.factor(jacobian, 1.0 / (h * GAMMA), 1.0);
    if factored {
        rodas34(trial, time, h, x, first, slope, matrix, rates);
    }
    factored
}

fn copy(to: &mut Vec<f64>, from: &[f64]) {
    to.clear();
    to.extend_from_slice(from);
}

//! Finds an equilibrium: states, and on request parameters, by Newton's method with exact derivatives. Of all
//! equilibria it finds the nearest.

use std::sync::Arc;

use super::super::{Context, Program};
use super::AnalysisError;
use super::linear::{LinearState, MAX_LISTED, SignalElement, after, common_step, state_elements};
use super::slopes::{OperatingPoint, StepPart, Variable};
use crate::block::StateKind;
use crate::block::math::Matrix;
use crate::engine::reference::{Depth, Recorder, TracedQueue};
use crate::model::{BlockAddress, ParamAddress};

/// The unknowns and the conditions. The values of states that are not named are unknown, and these states must be in
/// equilibrium.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trim {
    /// Blocks whose states keep their values.
    pub fixed: Vec<BlockAddress>,
    /// Blocks whose states need not be in equilibrium, as a position at constant speed.
    pub moving: Vec<BlockAddress>,
    /// Parameters that may be changed.
    pub free: Vec<ParamAddress>,
    /// Required values of signals.
    pub targets: Vec<Target>,
}

/// A required value of an element of a signal.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    pub element: SignalElement,
    pub value: f64,
}

/// The equilibrium that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct TrimResult {
    /// The context at the same step, with the states and parameters of the equilibrium.
    pub context: Context,
    pub states: Vec<(LinearState, f64)>,
    /// The values of the free parameters, one vector for each.
    pub params: Vec<Vec<f64>>,
    /// States that cannot be balanced, since no unknown influences their rates.
    pub unbalanced: Vec<LinearState>,
    /// The largest remaining rate or difference.
    pub residual: f64,
    pub iterations: usize,
}

const MAX_ITERATIONS: usize = 100;
const MAX_HALVINGS: usize = 30;

impl Trim {
    /// Searches from the context on. Signals that depend on the time have their values at the step of the context.
    ///
    /// # Errors
    /// If a signal or parameter does not exist, a step fails, or no equilibrium is found.
    pub fn solve(&self, program: &Arc<Program>, context: &Context) -> Result<TrimResult, AnalysisError> {
        let search = Search::new(self, program, context)?;
        let begin = Context { step: common_step(program, context.step), ..context.clone() };
        let mut now = search.look(&begin)?;
        for iteration in 0..MAX_ITERATIONS {
            let mut rows: Vec<usize> = (0..now.residual.len()).collect();
            // A row without derivatives cannot be balanced.
            let is_dead = |row: &usize| now.jacobian.row(*row).iter().all(|slope| *slope == 0.0);
            rows.retain(|row| !is_dead(row));
            let right: Vec<f64> = rows.iter().map(|&row| -now.residual[row]).collect();
            let columns: Vec<usize> = (0..now.jacobian.columns).collect();
            let change = now.jacobian.part(&rows, &columns).least_squares(&right);
            let size = |residual: &[f64]| rows.iter().map(|&row| residual[row] * residual[row]).sum::<f64>().sqrt();
            let far = size(&now.residual);
            let is_there = |change: &[f64], point: &[f64]| {
                change.iter().zip(point).all(|(change, at)| change.abs() <= 1e-11 * (1e-3 + at.abs()))
            };
            let mut next = None;
            let mut part = 1.0;
            for _ in 0..MAX_HALVINGS {
                let point: Vec<f64> = now.point.iter().zip(&change).map(|(at, change)| at + part * change).collect();
                let tried = search.look(&search.at(&now.context, &point))?;
                if size(&tried.residual) < far || is_there(&change, &now.point) {
                    next = Some(tried);
                    break;
                }
                part *= 0.5;
            }
            let arrived = far == 0.0 || is_there(&change, &now.point);
            match next {
                Some(next) if size(&next.residual) <= far => now = next,
                _ => {}
            }
            let left = rows.iter().map(|&row| now.residual[row].abs()).fold(0.0, f64::max);
            // A target that nothing influences cannot be reached.
            let targets = now.residual.iter().enumerate().skip(search.held.len());
            let missed = targets.filter(|(row, _)| !rows.contains(row)).map(|(_, residual)| residual.abs());
            let left = missed.fold(left, f64::max);
            if arrived {
                let scale = now.point.iter().fold(1.0, |scale: f64, at| scale.max(at.abs()));
                if left <= 1e-6 * scale {
                    let is_unbalanced = |row: &usize| !rows.contains(row) && now.residual[*row].abs() > 1e-9;
                    let unbalanced: Vec<usize> = (0..now.residual.len()).filter(is_unbalanced).collect();
                    let mut found = search.found(now, &unbalanced, left, iteration);
                    found.context.step = context.step;
                    return Ok(found);
                }
            }
            if arrived || (part < 1e-8 && left > 0.0) {
                return Err(AnalysisError::NoEquilibrium(left, iteration));
            }
        }
        let left = now.residual.iter().fold(0.0, |left: f64, residual| left.max(residual.abs()));
        Err(AnalysisError::NoEquilibrium(left, MAX_ITERATIONS))
    }
}

struct Search<'a> {
    program: &'a Arc<Program>,
    /// The states that must be in equilibrium.
    held: Vec<(Variable, LinearState)>,
    unknowns: Vec<Variable>,
    /// For each free parameter the range of its elements among the unknowns.
    params: Vec<std::ops::Range<usize>>,
    /// Elements among the output values, and their required values.
    targets: Vec<(usize, f64)>,
    /// The elements of modes among the discrete states.
    modes: Vec<usize>,
}

struct Seen {
    context: Context,
    point: Vec<f64>,
    residual: Vec<f64>,
    jacobian: Matrix,
}

impl<'a> Search<'a> {
    fn new(trim: &Trim, program: &'a Arc<Program>, context: &Context) -> Result<Search<'a>, AnalysisError> {
        let states = state_elements(program, context, MAX_LISTED)?;
        let states = states.into_iter().map(|element| (element.variable, element.state));
        let states: Vec<(Variable, LinearState)> = states.collect();
        let sought = states.iter().filter(|(_, state)| !trim.fixed.contains(&state.block));
        let mut unknowns: Vec<Variable> = sought.map(|(variable, _)| *variable).collect();
        let held = states.into_iter().filter(|(_, state)| !trim.moving.contains(&state.block)).collect();
        let mut params = Vec::new();
        for free in &trim.free {
            let width = program.param_width(free)?;
            let first = unknowns.len();
            for range in program.param_ranges(free, width)?.into_iter().take(1) {
                unknowns.extend(range.map(Variable::Param));
            }
            params.push(first..unknowns.len());
        }
        if unknowns.len() > MAX_LISTED {
            return Err(AnalysisError::TooMany { states: unknowns.len(), most: MAX_LISTED });
        }
        let mut targets = Vec::new();
        for target in &trim.targets {
            let element = &target.element;
            let output =
                program.output_of(&element.signal).ok_or_else(|| AnalysisError::NoSignal(element.signal.clone()))?;
            let output = &program.outputs[output];
            if element.element >= output.width as usize {
                return Err(AnalysisError::NoSignal(element.signal.clone()));
            }
            targets.push((output.offset as usize + element.element, target.value));
        }
        let units =
            program.units.values().flat_map(|unit| program.states_of(unit).iter().zip(&program.kernel(unit).states));
        let modes = units.filter(|(_, state)| state.is_mode()).flat_map(|(slot, _)| slot.elements());
        Ok(Search { program, held, unknowns, params, targets, modes: modes.collect() })
    }

    /// Returns the context with the unknowns set to a point.
    fn at(&self, from: &Context, point: &[f64]) -> Context {
        let mut context = from.clone();
        for (variable, &value) in self.unknowns.iter().zip(point) {
            match *variable {
                Variable::Continuous(index) => context.continuous[index] = value,
                Variable::Discrete(index) => context.discrete[index] = value,
                Variable::History(index) => context.history[index] = value,
                Variable::Recorded { record, element } => {
                    let time = context.time(self.program);
                    context.records[record].hold(time, element, value);
                }
                Variable::Param(index) => context.params[index] = value,
                Variable::Signal(_) => {}
            }
        }
        context.solver.clear();
        context
    }

    fn look(&self, context: &Context) -> Result<Seen, AnalysisError> {
        let after = after(self.program, context)?;
        let mut context = context.clone();
        // Modes keep what blocks have decided at this point.
        self.modes.iter().for_each(|&mode| context.discrete[mode] = after.discrete[mode]);
        let point = OperatingPoint { program: self.program, begin: &context, after: &after, cut: &[] };
        let slopes = point.slopes(&self.unknowns, StepPart::Counted, None);
        let rates = rates(self.program, &context)?;
        let rows = self.held.len() + self.targets.len();
        let residual = (0..rows).map(|row| match self.held.get(row).map(|(variable, _)| *variable) {
            Some(Variable::Continuous(index)) => rates[index],
            Some(Variable::Discrete(index)) => after.discrete[index] - context.discrete[index],
            Some(Variable::History(index)) => {
                pushed(self.program, &context, index).map_or(0.0, |new| after.history[new] - context.history[index])
            }
            Some(variable @ Variable::Recorded { record, element }) => {
                slopes.signals[record][element] - variable.value(&context)
            }
            _ => {
                let (element, value) = self.targets[row - self.held.len()];
                after.values[element] - value
            }
        });
        let residual: Vec<f64> = residual.collect();
        let slope = |row: usize, column: usize| {
            let own = |variable: Variable| f64::from(u8::from(self.unknowns[column] == variable));
            match self.held.get(row).map(|(variable, _)| *variable) {
                Some(Variable::Continuous(index)) => slopes.rates[column][index],
                Some(variable @ Variable::Discrete(index)) => slopes.next[column][index] - own(variable),
                Some(variable @ Variable::Recorded { record, element }) => {
                    slopes.recorded[column][record][element] - own(variable)
                }
                Some(variable @ Variable::History(index)) => {
                    let new = pushed(self.program, &context, index);
                    new.map_or(0.0, |new| slopes.history[column][new] - own(variable))
                }
                _ => slopes.values[column][self.targets[row - self.held.len()].0],
            }
        };
        let jacobian = Matrix::from(rows, self.unknowns.len(), slope);
        let point = self.unknowns.iter().map(|variable| variable.value(&context)).collect();
        Ok(Seen { context, point, residual, jacobian })
    }

    fn found(self, seen: Seen, unbalanced: &[usize], residual: f64, iterations: usize) -> TrimResult {
        let params = self.params.iter().map(|elements| seen.point[elements.clone()].to_vec()).collect();
        let unbalanced = unbalanced.iter().filter_map(|&row| Some(self.held.get(row)?.1.clone()));
        let unbalanced = unbalanced.collect();
        let states = self.held.iter().map(|(variable, state)| (state.clone(), variable.value(&seen.context))).collect();
        TrimResult { context: seen.context, states, params, unbalanced, residual, iterations }
    }
}

/// Returns where the next value of the history that contains `index` is written, at the same element. In an equilibrium
/// all values of a history are equal to it.
fn pushed(program: &Program, context: &Context, index: usize) -> Option<usize> {
    program.states.iter().find_map(|slot| match slot.kind {
        StateKind::History { length } => {
            let (first, width) = (slot.offset as usize, slot.width as usize);
            let next = *context.history.get(first + length * width)? as usize;
            let is_within = (first..first + length * width).contains(&index);
            is_within.then(|| first + next * width + (index - first) % width)
        }
        _ => None,
    })
}

/// Returns the rates of the continuous states at a context.
fn rates(program: &Arc<Program>, context: &Context) -> Result<Vec<f64>, AnalysisError> {
    let mut traced = TracedQueue::new(program, Recorder::new(program, Depth::Ports));
    match traced.step(&mut context.clone()) {
        None => Ok(traced.into_recorder().passes.into_iter().next().map(|pass| pass.rates).unwrap_or_default()),
        Some(fault) => Err(AnalysisError::Step(fault.error(program, context).to_string())),
    }
}

//! Carries tangents of the states along the way that a solver has taken through a step of the grid.
//!
//! They follow the linear differential equation `s' = ∂f/∂x·s + ∂f/∂p`. The one-stage implicit methods are differentiated
//! themselves, so that the tangents are the derivatives of their solution. Along the steps of the other methods, the
//! equation is solved by the method of Dormand and Prince, or that of Radau IIA of order 5 (stiff models), with the states
//! of the dense output. Where a decision changes, its time moves with the parameters, and the tangents jump (the saltation
//! matrix; Leine, Nijmeijer: Dynamics and Bifurcations of Non-Smooth Mechanical Systems, chapter 7).

use super::super::super::Solver;
use super::super::evaluate::Point;
use super::super::tangent::StepChanges;
use super::Integrator;
use super::pieces::{DOPRI_NODES, Event, Flow, Piece, RADAU_NODES};
use super::system::{System, differentiate};
use crate::block::math::Factors;
use crate::engine::program::fault::Fault;

/// The interface of an engine that has tangents.
pub trait VariedSystem: System {
    /// The number of directions.
    fn directions(&self) -> usize;

    /// Computes the tangents of the rates at a time in seconds and for given states and their tangents: for each state
    /// those in all directions.
    fn vary(&mut self, time: f64, x: &[f64], tangents: &[f64], rates: &mut [f64]);

    /// Calls `f` with the tangents, in one direction, of all that is constant in the step, and what a solver reads.
    fn with_changes(&mut self, direction: usize, f: &mut dyn FnMut(super::super::evaluate::Leaves, &dyn StepChanges));
}

/// The coefficients of Radau IIA of order 5 (Hairer, Wanner: Solving ODE II, table IV.5.6).
fn radau() -> [[f64; 3]; 3] {
    let r = 6.0_f64.sqrt();
    [
        [(88.0 - 7.0 * r) / 360.0, (296.0 - 169.0 * r) / 1800.0, (-2.0 + 3.0 * r) / 225.0],
        [(296.0 + 169.0 * r) / 1800.0, (88.0 + 7.0 * r) / 360.0, (-2.0 - 3.0 * r) / 225.0],
        [(16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0],
    ]
}

/// The coefficients of Dormand and Prince: those of each stage, and the weights of the result.
const DOPRI: [&[f64]; 6] = [
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

impl Integrator {
    /// Begins to record the way of the next step.
    pub fn follow(&mut self) {
        self.followed = Some(Vec::new());
    }

    /// Replaces the tangents of the states at the start of the last step by those at its end. `begin` and `end` have the
    /// states.
    ///
    /// # Errors
    /// If something happened that has no tangents; the fault names it.
    pub fn vary(
        &mut self,
        system: &mut dyn VariedSystem,
        (begin, end): (&[f64], &[f64]),
        tangents: &mut [f64],
    ) -> Result<(), Fault> {
        let pieces = self.followed.take().unwrap_or_default();
        let (step, delta) = (system.leaves().context.step, self.program.delta);
        let times = (step as f64 * delta, (step as f64 + 1.0) * delta);
        if let Some(theta) = self.program.solver.theta() {
            return self.vary_implicit(system, times, theta, (begin, end), tangents);
        }
        let next = system.leaves().next.to_vec();
        let varied = self.vary_along(system, pieces, times, tangents);
        system.set_next(&next);
        varied
    }

    fn vary_along(
        &mut self,
        system: &mut dyn VariedSystem,
        pieces: Vec<Piece>,
        (begin, end): (f64, f64),
        tangents: &mut [f64],
    ) -> Result<(), Fault> {
        match self.program.solver {
            Solver::Rodas4 => {
                let n = self.trial.x.len();
                let between = super::super::method::rodas34_between;
                let at = |part: &f64| match *part < 1.0 {
                    true => {
                        let dense = self.trial.dense.chunks_exact(super::super::method::DENSE);
                        dense.take(n).map(|dense| between(dense, *part)).collect()
                    }
                    false => self.trial.x.clone(),
                };
                let x = RADAU_NODES.iter().map(at).collect();
                let (next, near) = (system.leaves().next.to_vec(), (end, self.trial.x.clone()));
                return self.flow(system, &Flow { from: begin, to: end, x, next, near }, tangents);
            }
            Solver::Dopri45 | Solver::Rodas34 | Solver::Radau35 => {}
            _ => return Err(self.no_tangents("the solver")),
        }
        let mut before: Option<Crossed> = None;
        let mut near = None;
        for piece in pieces {
            match piece {
                Piece::Unknown(what) => return Err(self.no_tangents(what)),
                Piece::Flow(flow) => {
                    self.flow(system, &flow, tangents)?;
                    near = Some(flow.near);
                }
                Piece::Event(event) => before = Some(self.cross(system, event, near.take(), tangents)),
                Piece::Decision { x, next } => {
                    if let Some(crossed) = &before {
                        self.jump(system, crossed, (&x, &next), tangents);
                    }
                }
                Piece::Settled { x, next } => {
                    if let Some(crossed) = before.take() {
                        system.set_next(&next);
                        let mut rates = vec![0.0; x.len()];
                        system.rates(crossed.time, &x, &mut rates);
                        crossed.move_back(&rates, tangents);
                    }
                }
            }
        }
        Ok(())
    }

    fn no_tangents(&self, what: &str) -> Fault {
        self.fault(None, &format!("has no sensitivities where {what} occurs"))
    }

    /// Carries the tangents along one piece without events.
    fn flow(&mut self, system: &mut dyn VariedSystem, flow: &Flow, tangents: &mut [f64]) -> Result<(), Fault> {
        system.set_next(&flow.next);
        let h = flow.to - flow.from;
        if self.program.solver == Solver::Dopri45 {
            explicit(system, flow, h, tangents);
            return Ok(());
        }
        let (n, directions) = (flow.x.first().map_or(0, Vec::len), system.directions());
        if n * directions == 0 {
            return Ok(());
        }
        let still = vec![0.0; tangents.len()];
        // The Jacobians and the parts that do not depend on the tangents of the states, at each node.
        let (mut jacobians, mut forced) = (Vec::new(), Vec::new());
        for (node, x) in RADAU_NODES.iter().zip(&flow.x) {
            let time = if *node < 1.0 { flow.from + node * h } else { flow.to };
            differentiate(system, &mut self.evaluator, Point { time, x }, &mut self.jacobian, &mut self.slope);
            let mut dense = vec![0.0; n * n];
            for column in 0..n {
                self.jacobian.column(column).for_each(|(row, value)| dense[row as usize * n + column] = value);
            }
            jacobians.push(dense);
            let mut rates = vec![0.0; tangents.len()];
            system.vary(time, x, &still, &mut rates);
            forced.push(rates);
        }
        let a = radau();
        let mut factors = Factors::default();
        let is_regular = factors.factor(3 * n, |row, column| {
            let (stage, other) = (row / n, column / n);
            let unit = f64::from(u8::from(row == column));
            unit - h * a[stage][other] * jacobians[stage][row % n * n + column % n]
        });
        if !is_regular {
            return Err(self.fault(None, "meets a singular matrix for the sensitivities; take another step"));
        }
        // For each stage and state the rates in all directions.
        let mut rates = vec![0.0; 3 * n * directions];
        let (slopes, forced) =
            (jacobians.iter().flat_map(|jacobian| jacobian.chunks_exact(n)), forced.iter().flatten());
        for (rates, slopes) in rates.chunks_exact_mut(directions).zip(slopes) {
            for (slope, own) in slopes.iter().zip(tangents.chunks_exact(directions)).filter(|(slope, _)| **slope != 0.0)
            {
                rates.iter_mut().zip(own).for_each(|(rate, own)| *rate += slope * own);
            }
        }
        rates.iter_mut().zip(forced).for_each(|(rate, forced)| *rate += forced);
        factors.solve_columns(&mut rates, directions);
        for (stage, weight) in a[2].iter().enumerate() {
            let own = &rates[stage * n * directions..][..n * directions];
            tangents.iter_mut().zip(own).for_each(|(tangent, rate)| *tangent += h * weight * rate);
        }
        Ok(())
    }

    /// Differentiates one step of the implicit Euler method or of the trapezoidal rule.
    fn vary_implicit(
        &mut self,
        system: &mut dyn VariedSystem,
        (begin, end): (f64, f64),
        theta: f64,
        (x_begin, x_end): (&[f64], &[f64]),
        tangents: &mut [f64],
    ) -> Result<(), Fault> {
        let (h, directions) = (end - begin, system.directions());
        let mut rates = vec![0.0; tangents.len()];
        let mut sums = tangents.to_vec();
        if theta < 1.0 {
            system.vary(begin, x_begin, tangents, &mut rates);
            sums.iter_mut().zip(&rates).for_each(|(sum, rate)| *sum += h * (1.0 - theta) * rate);
        }
        let still = vec![0.0; tangents.len()];
        system.vary(end, x_end, &still, &mut rates);
        sums.iter_mut().zip(&rates).for_each(|(sum, rate)| *sum += h * theta * rate);
        let point = Point { time: end, x: x_end };
        differentiate(system, &mut self.evaluator, point, &mut self.jacobian, &mut self.slope);
        if !self.matrix.factor(&self.jacobian, 1.0, h * theta) {
            return Err(self.fault(None, "meets a singular matrix for the sensitivities; take another step"));
        }
        let mut own = Vec::new();
        for direction in 0..directions {
            own.clear();
            own.extend(sums.iter().skip(direction).step_by(directions).copied());
            self.matrix.solve(&mut own);
            let all = tangents.iter_mut().skip(direction).step_by(directions);
            all.zip(&own).for_each(|(tangent, own)| *tangent = *own);
        }
        Ok(())
    }

    /// Moves the tangents to where the event moves with the parameters: `s + f·dt`.
    fn cross(
        &mut self,
        system: &mut dyn VariedSystem,
        event: Event,
        near: Option<(f64, Vec<f64>)>,
        tangents: &mut [f64],
    ) -> Crossed {
        let Event { time, crossing, x, next } = event;
        let directions = system.directions();
        system.set_next(&next);
        let (before, x) = near.unwrap_or((time, x));
        let point = Point { time: before, x: &x };
        let mut rates = vec![0.0; x.len()];
        system.rates(before, &x, &mut rates);
        let mut times = vec![0.0; directions];
        if let Some(crossing) = crossing {
            let mut slopes = Vec::new();
            self.evaluator.crossing_slopes(system.leaves(), point, &rates, &mut slopes);
            for (direction, moved) in times.iter_mut().enumerate() {
                let own: Vec<f64> = tangents.iter().skip(direction).step_by(directions).copied().collect();
                let evaluator = &mut self.evaluator;
                system.with_changes(direction, &mut |leaves, steps| {
                    let found = evaluator.event_tangents(leaves, point, (&own, 0.0), steps, false);
                    // A function that does not change with the parameter crosses at the same time.
                    if found.crossings[crossing] != 0.0 {
                        *moved = -found.crossings[crossing] / slopes[crossing];
                    }
                });
            }
        }
        for (state, rate) in rates.iter().enumerate() {
            let own = &mut tangents[state * directions..][..directions];
            own.iter_mut().zip(&times).for_each(|(tangent, time)| *tangent += rate * time);
        }
        Crossed { time, times }
    }

    /// Lets the tangents of states that jump follow their new values.
    fn jump(
        &mut self,
        system: &mut dyn VariedSystem,
        crossed: &Crossed,
        (x, next): (&[f64], &[f64]),
        tangents: &mut [f64],
    ) {
        let directions = system.directions();
        system.set_next(next);
        for direction in 0..directions {
            let own: Vec<f64> = tangents.iter().skip(direction).step_by(directions).copied().collect();
            let evaluator = &mut self.evaluator;
            let moved = crossed.times[direction];
            system.with_changes(direction, &mut |leaves, steps| {
                let point = Point { time: crossed.time, x };
                let found = evaluator.event_tangents(leaves, point, (&own, moved), steps, true);
                for (state, tangent) in found.jumps {
                    tangents[state * directions + direction] = tangent;
                }
            });
        }
    }
}

/// An event that tangents have reached.
struct Crossed {
    /// Seconds.
    time: f64,
    /// The derivatives of the time, in all directions.
    times: Vec<f64>,
}

impl Crossed {
    /// Moves the tangents back to the time of the event, along the rates behind it.
    fn move_back(&self, rates: &[f64], tangents: &mut [f64]) {
        let directions = self.times.len();
        for (state, rate) in rates.iter().enumerate() {
            let own = &mut tangents[state * directions..][..directions];
            own.iter_mut().zip(&self.times).for_each(|(tangent, time)| *tangent -= rate * time);
        }
    }
}

/// Carries the tangents along a flow by the method of Dormand and Prince.
fn explicit(system: &mut dyn VariedSystem, flow: &Flow, h: f64, tangents: &mut [f64]) {
    let mut rates: Vec<Vec<f64>> = Vec::new();
    let mut at = tangents.to_vec();
    for ((node, x), weights) in DOPRI_NODES.iter().zip(&flow.x).zip(DOPRI) {
        let time = if *node < 1.0 { flow.from + node * h } else { flow.to };
        let mut rate = vec![0.0; tangents.len()];
        system.vary(time, x, &at, &mut rate);
        rates.push(rate);
        for (number, (at, tangent)) in at.iter_mut().zip(&*tangents).enumerate() {
            let sum: f64 = weights.iter().zip(&rates).map(|(weight, rate)| weight * rate[number]).sum();
            *at = tangent + h * sum;
        }
    }
    tangents.copy_from_slice(&at);
}

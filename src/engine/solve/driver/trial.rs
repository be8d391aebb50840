//! Trial steps of a variable-step solver: their length, their error, and the states between their ends.

use super::super::super::Solver;
use super::super::evaluate::{Point, RESOLUTION, TimeAhead};
use super::super::memory::{EDGE, Memory};
use super::super::method::{Allowed, DENSE, dopri45, dopri45_between, norm, rodas34_between, rodas34_slope};
use super::super::radau::{Attempt, RadauStep, caution, radau_between, radau_slope};
use super::super::sparse::Jacobian;
use super::holds::HeldRates;
use super::system::differentiate;
use super::variable::{NOISE, VariableStep};
use super::{Integrator, copy, try_rodas};
use crate::block::Binary;
use crate::engine::program::fault::Fault;
use crate::engine::program::solver::Tolerances;

/// How often a step is repeated so that it ends at a crossing, and the smallest fraction of the step for which that is
/// worthwhile.
const MAX_SHORTENED: usize = 3;
const SHORTEST: f64 = 1e-6;
/// The fraction of a step at which the defect of the dense output is measured, about where it is largest; in the middle
/// it would be small for symmetric errors.
const DEFECT_AT: f64 = 0.4;
/// A finite difference is taken for a state of at least this part of the largest.
const PART: f64 = 1e-3;
/// A step of this number of shortest steps is accepted where all states are below [`NOTHING`].
const SHORTEST_OF_RESOLUTION: f64 = 64.0;
const NOTHING: f64 = 1e-12;
/// With what is held, the derivatives of the rates by more states than this are those of the near side.
const MAX_DIFFERENCES: usize = 300;
/// The factor by which a step is shorter that is tried after one without any result.
const MUCH_SHORTER: f64 = 0.1;

impl VariableStep<'_> {
    /// Makes one step from the end of the last one.
    pub(super) fn extend(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let time = memory.end();
        let max_step = self.integrator.program.tolerances.max_step;
        let point = Point { time, x: memory.state() };
        let ahead = self.integrator.evaluator.time_ahead(self.system.leaves(), point);
        let wanted = memory.length().min(max_step).min(ahead.longest_step);
        // A step has an end, however long the steps have become; and a guess for states that are nearly 0 may be shorter
        // than the time can tell.
        let wanted = if wanted.is_finite() { wanted.max(2.0 * RESOLUTION * time) } else { self.end - time };
        let stop = self.next_stop(ahead);
        let mut absolute = std::mem::take(&mut self.integrator.work.absolute);
        absolute.clear();
        absolute.extend(self.absolute_tolerances(memory));
        let work = &mut self.integrator.work;
        work.absolute = absolute;
        let (mut x, mut first) = (std::mem::take(&mut work.x), std::mem::take(&mut work.first));
        copy(&mut x, memory.state());
        copy(&mut first, memory.rates());
        let made = self.extend_from(memory, (time, wanted), stop, (&x, &first));
        (self.integrator.work.x, self.integrator.work.first) = (x, first);
        made
    }

    /// Returns the time in seconds beyond which no step may go, and whether it is that of an edge; the time is infinite
    /// if there is no limit. An event that is within rounding of a grid point counts as on it.
    fn next_stop(&self, ahead: TimeAhead) -> (f64, bool) {
        let delta = self.integrator.program.delta;
        let on_grid = (ahead.event / delta).round() * delta;
        let is_on_grid = (ahead.event - on_grid).abs() <= 2.0 * RESOLUTION * on_grid.abs();
        let event = if is_on_grid { on_grid } else { ahead.event };
        match self.integrator.evaluator.is_stepwise {
            true if event >= self.end => (self.end, ahead.is_edge && event == self.end),
            _ => (event, ahead.is_edge),
        }
    }

    /// The same from a time in seconds, with the wanted step length, the state and the rates there.
    fn extend_from(
        &mut self,
        memory: &mut Memory,
        (time, wanted): (f64, f64),
        (stop, is_edge): (f64, bool),
        (x, first): (&[f64], &[f64]),
    ) -> Result<(), Fault> {
        let max_step = self.integrator.program.tolerances.max_step;
        let is_explicit = !self.integrator.program.solver.is_implicit();
        let mut h = wanted;
        if !is_explicit {
            self.differentiate((time, x), first);
        }
        let mut was_refused = false;
        let mut shortened = 0;
        loop {
            if self.system.is_cancelled() {
                return Err(Fault::cancelled());
            }
            let rest = stop - time;
            let is_cut = shortened == 0 && h * 1.01 >= rest;
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
            let mut error = if made.is_ok() { self.error(x, h) } else { f64::NAN };
            // Output values within the step are as accurate as those at its ends.
            if error <= 1.0 && !is_explicit && time + h > self.next_output(time) {
                error = error.max(self.error_between(time, h, x));
                memory.set_evaluations(memory.evaluations() + 1.0);
            }
            // A state that leaves 0 has no size that its error could be compared with.
            let is_shortest = h <= SHORTEST_OF_RESOLUTION * RESOLUTION * time;
            if is_shortest && error.is_finite() && self.integrator.trial.x.iter().all(|x| x.abs() < NOTHING) {
                error = error.min(1.0);
            }
            if error <= 1.0 {
                let found = self.find_event(memory, time, h, x);
                if let Some((at, event)) = found
                    && self.crossings.is_left_from_a_side(event)
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
                let end = if is_cut { stop } else { time + h };
                let found = found.or((is_cut && is_edge).then_some((stop, EDGE)));
                self.accept(memory, (time, h, end), found)?;
                memory.set_error(error.max(1e-4));
                memory.set_length(next.min(max_step));
                return Ok(());
            }
            memory.set_refused(memory.refused() + 1.0);
            was_refused = true;
            h *= match made {
                Err(shorter) => shorter,
                Ok(_) if error.is_finite() => (0.9 * Binary::Pow.value(error, -1.0 / self.order())).max(0.2),
                // A result that is not a number may become one with a shorter step.
                Ok(_) => MUCH_SHORTER,
            };
        }
    }

    /// Computes the derivatives of the rates at a time in seconds. With what is held they are finite differences: the
    /// weights of both sides depend on all states.
    fn differentiate(&mut self, (time, x): (f64, &[f64]), first: &[f64]) {
        let Integrator { evaluator, jacobian, slope, work, .. } = &mut *self.integrator;
        work.is_held = !self.holds.is_empty() && x.len() <= MAX_DIFFERENCES;
        if !work.is_held {
            return differentiate(&mut *self.system, evaluator, Point { time, x }, jacobian, slope);
        }
        let n = x.len();
        let mut work = std::mem::take(&mut self.integrator.work);
        if work.held_jacobian.size() != n {
            work.held_jacobian = Jacobian::new(&vec![(0..n as u32).collect::<Vec<_>>(); n]);
        }
        let (mut moved, mut rates) = (x.to_vec(), vec![0.0; n]);
        let largest = x.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        for column in 0..n {
            let size = x[column].abs().max(PART * largest).max(f64::MIN_POSITIVE.sqrt());
            let step = size * f64::EPSILON.sqrt();
            moved[column] = x[column] + step;
            self.rates(time, &moved, &mut rates);
            moved[column] = x[column];
            work.held_jacobian.set_column(column, |row| (rates[row] - first[row]) / step);
        }
        let step = f64::EPSILON.sqrt() * time.max(self.integrator.program.delta);
        self.rates(time + step, x, &mut rates);
        let slope = &mut self.integrator.slope;
        slope.iter_mut().zip(&rates).zip(first).for_each(|((slope, rate), first)| *slope = (rate - first) / step);
        self.integrator.work = work;
    }

    /// Tries a step of length `h` from a time in seconds.
    fn attempt(&mut self, memory: &Memory, (time, h): (f64, f64), x: &[f64], first: &[f64]) -> Attempt {
        if x.is_empty() {
            // Signals are recorded, and nothing is integrated.
            return Attempt::Solved { iterations: 0, evaluations: 0 };
        }
        let VariableStep { integrator, system, holds, .. } = self;
        let Integrator { evaluator, radau, trial, matrix, jacobian, slope, work, program, .. } = &mut **integrator;
        let jacobian = if work.is_held { &work.held_jacobian } else { &*jacobian };
        let mut held = HeldRates { system: &mut **system, evaluator, holds };
        let rates = &mut |time: f64, x: &[f64], rates: &mut [f64]| held.rates(time, x, rates);
        match program.solver {
            Solver::Dopri45 => {
                dopri45(trial, time, h, x, first, rates);
                Attempt::Solved { iterations: 0, evaluations: 6 }
            }
            Solver::Radau35 => {
                let goes_on = memory.begin() < memory.end();
                let step = RadauStep {
                    time,
                    length: h,
                    x,
                    first,
                    jacobian,
                    before: goes_on.then(|| (memory.dense(), memory.span())),
                    tolerances: allowed(&program.tolerances, &work.absolute, h),
                };
                radau.attempt(trial, matrix, &step, rates)
            }
            _ => match try_rodas((trial, matrix), (jacobian, slope), (time, h), (x, first), rates) {
                true => Attempt::Solved { iterations: 0, evaluations: 5 },
                false => Attempt::TooLong { evaluations: 5, shorter: MUCH_SHORTER },
            },
        }
    }

    /// The permitted errors of this step.
    fn allowed(&self, h: f64) -> Allowed<'_> {
        let Integrator { program, work, .. } = &*self.integrator;
        allowed(&program.tolerances, &work.absolute, h)
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
        let mut between = std::mem::take(&mut self.integrator.work.between);
        self.between(DEFECT_AT * h, h, &mut between);
        let mut defect = std::mem::take(&mut self.integrator.work.defect);
        defect.resize(x.len(), 0.0);
        self.rates(time + DEFECT_AT * h, &between, &mut defect);
        let slope = self.dense_slope();
        let Integrator { trial, matrix, .. } = &mut *self.integrator;
        for (defect, dense) in defect.iter_mut().zip(trial.dense.chunks_exact(DENSE)) {
            *defect = slope(dense, DEFECT_AT) / h - *defect;
        }
        matrix.solve(&mut defect);
        let error = norm(&defect, (x, &between), self.allowed(h));
        (self.integrator.work.between, self.integrator.work.defect) = (between, defect);
        error
    }

    /// The error of the trial step relative to the tolerances; above 1 the step is rejected. NaN if the state is not
    /// finite.
    fn error(&self, x: &[f64], h: f64) -> f64 {
        let trial = &self.integrator.trial;
        let is_finite = trial.x.iter().all(|x| x.is_finite());
        if is_finite { norm(&trial.error, (x, &trial.x), self.allowed(h)) } else { f64::NAN }
    }

    /// Returns the state with the largest error.
    fn worst(&self, x: &[f64]) -> Option<usize> {
        let trial = &self.integrator.trial;
        let Allowed { relative, absolute, .. } = self.allowed(1.0);
        let part = |state: usize| trial.error[state].abs() / (absolute[state] + relative * x[state].abs());
        (0..x.len()).max_by(|&a, &b| part(a).total_cmp(&part(b)))
    }

    /// Accepts the trial step from a time in seconds, of a length, up to its end, or to the event if there is one, which
    /// is given by its time and kind.
    fn accept(
        &mut self,
        memory: &mut Memory,
        (time, h, end): (f64, f64, f64),
        event: Option<(f64, f64)>,
    ) -> Result<(), Fault> {
        let trial = &self.integrator.trial;
        memory.set_begin(time);
        memory.set_span(h);
        memory.set_end(self.on_grid(end));
        memory.state_mut().copy_from_slice(&trial.x);
        memory.dense_mut().copy_from_slice(&trial.dense);
        memory.set_steps(memory.steps() + 1.0);
        memory.largest_mut().iter_mut().zip(&trial.x).for_each(|(largest, x)| *largest = largest.max(x.abs()));
        if let Some((at, kind)) = event {
            if at < end {
                let mut state = std::mem::take(&mut self.integrator.work.between);
                self.between(at - time, h, &mut state);
                memory.state_mut().copy_from_slice(&state);
                self.integrator.work.between = state;
            }
            memory.set_end(self.on_grid(at.min(end)));
            memory.set_event(kind);
            return Ok(());
        }
        if self.integrator.program.solver == Solver::Dopri45 {
            memory.rates_mut().copy_from_slice(&trial.rates);
            return Ok(());
        }
        let time = memory.end();
        let x = std::mem::take(&mut self.integrator.trial.x);
        self.rates(time, &x, memory.rates_mut());
        self.integrator.trial.x = x;
        memory.set_evaluations(memory.evaluations() + 1.0);
        self.check_rates(memory)
    }

    /// Returns the end of a step in seconds, which is the next point of the grid if no further step could lead there.
    fn on_grid(&self, end: f64) -> f64 {
        let is_near = end < self.end && self.end - end <= 2.0 * RESOLUTION * self.end;
        if is_near { self.end } else { end }
    }

    /// Computes the states at a time within the last step.
    pub(super) fn state_at(&self, memory: &Memory, time: f64, x: &mut [f64]) {
        if time >= memory.end() {
            return x.copy_from_slice(memory.state());
        }
        let (between, s) = (self.dense_output(), (time - memory.begin()) / memory.span());
        for (x, dense) in x.iter_mut().zip(memory.dense().chunks_exact(DENSE)) {
            *x = between(dense, s);
        }
    }

    /// Computes the states of the trial step of length `h`, `since` seconds after its begin.
    pub(super) fn between(&self, since: f64, h: f64, state: &mut Vec<f64>) {
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

/// The factor by which the next step is longer: Gustafsson's step size control by this and the last error (Hairer,
/// Wanner 1996, section IV.2).
fn growth(order: f64, error: f64, before: f64) -> f64 {
    let beta = 0.04;
    let by_error = Binary::Pow.value(error.max(1e-10), 1.0 / order - 0.75 * beta);
    (0.9 * Binary::Pow.value(before, beta) / by_error).clamp(0.2, 5.0)
}

/// The permitted errors of a step of `h` seconds.
fn allowed<'a>(tolerances: &Tolerances, absolute: &'a [f64], h: f64) -> Allowed<'a> {
    let noise = if tolerances.absolute.is_none() { NOISE } else { 0.0 };
    let growth = (tolerances.max_step / h).clamp(1.0, 1e300).sqrt();
    Allowed { relative: tolerances.relative, absolute, noise, growth }
}

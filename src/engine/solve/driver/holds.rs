//! Holds a crossing function at zero where the states would cross it again and again.
//!
//! *Sliding*: on both sides of a crossing function g, decisions differ, and both drive the states towards the other side.
//! Then g stays 0, and the rates of change are those of both sides, weighted so that dg/dt = 0 (Filippov: Differential
//! Equations with Discontinuous Righthand Sides, 1988, chapter 2). With several such functions at once, the rates are those
//! with all decisions of the near side, plus for each function a part of what its decision changes.
//!
//! *Contact*: states that jump at g in ever shorter intervals, such as the speed of a ball, come to rest. Then g and dg/dt
//! stay 0: the states that jumped get the rate at which d²g/dt² is 0, as long as that pushes and does not pull.

use super::super::evaluate::{Evaluator, Point};
use super::super::memory::Memory;
use super::system::{System, rates_of};
use super::variable::VariableStep;
use crate::block::math::Factors;

/// How a crossing function is held, as the memory has it.
pub(super) struct Hold;

impl Hold {
    /// It is located.
    pub const FREE: f64 = 0.0;
    pub const SLIDING: f64 = 1.0;
    pub const CONTACT: f64 = 2.0;
    /// It is ignored until the next point of the grid.
    pub const IGNORED: f64 = 3.0;
    /// It is 0 together with the function of this number, counted from 0, which is held.
    pub fn with(number: usize) -> f64 {
        4.0 + number as f64
    }
}

/// The held crossing functions, as the rates need them.
#[derive(Debug, Default)]
pub(super) struct Holds {
    pub sliding: Vec<Sliding>,
    pub contacts: Vec<Contact>,
    /// The results of the last evaluation: for each sliding function the weight of the far side, for each contact the
    /// second derivative of its function by the time if nothing held it, positive towards the free side.
    pub weights: Vec<f64>,
    pub lifts: Vec<f64>,
    work: HoldWork,
}

/// A crossing function at which the states slide.
#[derive(Debug)]
pub(super) struct Sliding {
    pub crossing: usize,
    /// The discrete states that differ on both sides: their index, and their value on the near and the far side.
    pub modes: Vec<(usize, f64, f64)>,
}

/// A crossing function at which states have come to rest.
#[derive(Debug)]
pub(super) struct Contact {
    pub crossing: usize,
    /// The states that jumped, with their shares of the jump.
    pub jump: Vec<(usize, f64)>,
    /// The sign of the function on the free side.
    pub side: f64,
    /// The modes that it keeps.
    pub modes: Vec<(usize, f64, f64)>,
}

#[derive(Debug, Default)]
struct HoldWork {
    next: Vec<f64>,
    rates: Vec<Vec<f64>>,
    slopes: Vec<f64>,
    moved: Vec<f64>,
    moved_rates: Vec<f64>,
    factors: Factors,
}

impl Holds {
    pub fn is_empty(&self) -> bool {
        self.sliding.is_empty() && self.contacts.is_empty()
    }

    /// Whether the last evaluation has found that something is to be released.
    pub fn is_release_due(&self) -> bool {
        self.weights.iter().any(|weight| !(0.0..=1.0).contains(weight)) || self.lifts.iter().any(|lift| *lift > 0.0)
    }
}

/// The rates of change with held crossing functions.
pub(super) struct HeldRates<'a> {
    pub system: &'a mut dyn System,
    pub evaluator: &'a mut Evaluator,
    pub holds: &'a mut Holds,
}

impl HeldRates<'_> {
    pub fn rates(&mut self, time: f64, x: &[f64], rates: &mut [f64]) {
        if self.holds.is_empty() {
            return rates_of(self.system, self.evaluator, time, x, rates);
        }
        self.slide(time, x, rates);
        if !self.holds.contacts.is_empty() {
            self.rest(time, x, rates);
        }
    }

    /// Computes the rates with those functions at 0 at which the states slide.
    fn slide(&mut self, time: f64, x: &[f64], rates: &mut [f64]) {
        let HeldRates { system, evaluator, holds } = self;
        rates_of(*system, evaluator, time, x, rates);
        let Holds { sliding, weights, work, .. } = &mut **holds;
        let count = sliding.len();
        weights.clear();
        if count == 0 {
            return;
        }
        work.next.clear();
        work.next.extend_from_slice(system.leaves().next);
        work.rates.resize_with(count, Vec::new);
        for (of, far) in sliding.iter().zip(&mut work.rates) {
            far.resize(x.len(), 0.0);
            of.modes.iter().for_each(|&(mode, _, far)| work.next[mode] = far);
            system.set_next(&work.next);
            rates_of(*system, evaluator, time, x, far);
            of.modes.iter().for_each(|&(mode, near, _)| work.next[mode] = near);
        }
        system.set_next(&work.next);
        // With f the rates on the near side and fᵢ those behind function i: Σ wᵢ·(dgⱼ(fᵢ) − dgⱼ(f)) = −dgⱼ(f).
        let point = Point { time, x };
        let slopes_of = |evaluator: &mut Evaluator, system: &dyn System, rates: &[f64], slopes: &mut Vec<f64>| {
            evaluator.crossing_slopes(system.leaves(), point, rates, slopes);
            sliding.iter().map(|of| slopes[of.crossing]).collect::<Vec<f64>>()
        };
        let near = slopes_of(evaluator, &**system, rates, &mut work.slopes);
        let far: Vec<Vec<f64>> =
            work.rates.iter().map(|rates| slopes_of(evaluator, &**system, rates, &mut work.slopes)).collect();
        weights.extend(near.iter().map(|slope| -slope));
        if work.factors.factor(count, |row, column| far[column][row] - near[row]) {
            work.factors.solve(weights);
        } else {
            weights.fill(f64::NAN);
        }
        for (state, rate) in rates.iter_mut().enumerate() {
            let near = *rate;
            let changes = weights.iter().zip(&work.rates).map(|(weight, far)| weight * (far[state] - near));
            *rate = changes.fold(near, |rate, change| rate + change);
        }
    }

    /// Changes the rates so that states in contact stay there.
    fn rest(&mut self, time: f64, x: &[f64], rates: &mut [f64]) {
        let contacts = std::mem::take(&mut self.holds.contacts);
        self.holds.lifts.clear();
        for contact in &contacts {
            let [slope, bend, lever] = self.bends(contact, (time, x), rates);
            self.holds.lifts.push(bend * contact.side);
            let push = -bend / lever;
            // A speed that is left by rounding decays within a step of the grid.
            let push = push - slope / lever / self.evaluator.delta();
            if push.is_finite() {
                contact.jump.iter().for_each(|&(state, share)| rates[state] += push * share);
            }
        }
        self.holds.contacts = contacts;
    }

    /// Returns the first and the second derivative of a contact's function by the time, and the derivative of the first
    /// along the jump.
    pub fn bends(&mut self, contact: &Contact, (time, x): (f64, &[f64]), rates: &[f64]) -> [f64; 3] {
        let mut work = std::mem::take(&mut self.holds.work);
        let slope = self.slope(contact.crossing, (time, x), rates, &mut work);
        let size = x.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
        let speed = rates.iter().fold(0.0, |size: f64, rate| size.max(rate.abs()));
        let since = size * f64::EPSILON.sqrt() / speed.max(f64::MIN_POSITIVE);
        work.moved.clear();
        work.moved.extend(x.iter().zip(rates).map(|(x, rate)| x + since * rate));
        let bend = (self.slope_at_moved(contact.crossing, time + since, &mut work) - slope) / since;
        let aside = size * f64::EPSILON.sqrt();
        work.moved.clear();
        work.moved.extend_from_slice(x);
        contact.jump.iter().for_each(|&(state, share)| work.moved[state] += aside * share);
        let lever = (self.slope_at_moved(contact.crossing, time, &mut work) - slope) / aside;
        self.holds.work = work;
        [slope, bend, lever]
    }

    fn slope_at_moved(&mut self, crossing: usize, time: f64, work: &mut HoldWork) -> f64 {
        let moved = std::mem::take(&mut work.moved);
        let mut rates = std::mem::take(&mut work.moved_rates);
        rates.resize(moved.len(), 0.0);
        rates_of(self.system, self.evaluator, time, &moved, &mut rates);
        let slope = self.slope(crossing, (time, &moved), &rates, work);
        (work.moved, work.moved_rates) = (moved, rates);
        slope
    }

    /// Returns the derivative of a crossing function by the time.
    fn slope(&mut self, crossing: usize, (time, x): (f64, &[f64]), rates: &[f64], work: &mut HoldWork) -> f64 {
        self.evaluator.crossing_slopes(self.system.leaves(), Point { time, x }, rates, &mut work.slopes);
        work.slopes[crossing]
    }
}

impl VariableStep<'_> {
    /// Reads the held functions from the memory.
    pub(super) fn load(&mut self, memory: &Memory) {
        let holds = &mut self.holds;
        (holds.weights, holds.lifts) = (Vec::new(), Vec::new());
        (holds.sliding, holds.contacts) = (Vec::new(), Vec::new());
        if memory.is_free() {
            return;
        }
        let modes = &self.integrator.evaluator.modes;
        for (crossing, hold) in memory.holds().iter().enumerate() {
            let owned = (1 + crossing) as f64;
            let kept = || {
                let owned = (0..modes.len()).filter(|&mode| memory.owner()[mode] == owned);
                owned.map(|mode| (modes[mode], memory.near()[mode], memory.far()[mode])).collect()
            };
            if *hold == Hold::SLIDING {
                holds.sliding.push(Sliding { crossing, modes: kept() });
            } else if *hold == Hold::CONTACT {
                let states = (0..memory.contact().len()).filter(|&state| memory.contact()[state] == owned);
                let jump = states.map(|state| (state, memory.jumped()[state])).collect();
                holds.contacts.push(Contact { crossing, jump, side: memory.sides()[crossing], modes: kept() });
            }
        }
    }

    /// Sets the modes that a held function keeps, whatever was decided.
    pub(super) fn keep_modes(&mut self, memory: &mut Memory) {
        memory.holds_mut().iter_mut().filter(|hold| **hold == Hold::IGNORED).for_each(|hold| *hold = Hold::FREE);
        count_holds(memory);
        if self.holds.is_empty() {
            return;
        }
        let mut next = self.system.leaves().next.to_vec();
        let kept = self.holds.sliding.iter().map(|of| &of.modes).chain(self.holds.contacts.iter().map(|of| &of.modes));
        kept.flatten().for_each(|&(mode, near, _)| next[mode] = near);
        self.system.set_next(&next);
    }

    /// Releases everything that is held.
    pub(super) fn release_all(&mut self, memory: &mut Memory) {
        if !memory.is_free() {
            memory.holds_mut().fill(Hold::FREE);
            memory.owner_mut().fill(0.0);
            memory.contact_mut().fill(0.0);
            memory.set_held_count(0.0);
        }
        self.load(memory);
    }

    /// Releases a function, with the decisions of one side.
    pub(super) fn release(&mut self, memory: &mut Memory, crossing: usize) {
        let owned = (1 + crossing) as f64;
        let with = Hold::with(crossing);
        for (number, hold) in memory.holds_mut().iter_mut().enumerate() {
            if number == crossing || *hold == with {
                *hold = Hold::FREE;
            }
        }
        memory.owner_mut().iter_mut().filter(|owner| **owner == owned).for_each(|owner| *owner = 0.0);
        memory.contact_mut().iter_mut().filter(|owner| **owner == owned).for_each(|owner| *owner = 0.0);
        count_holds(memory);
    }
}

/// Counts the held functions in the memory.
pub(super) fn count_holds(memory: &mut Memory) {
    let count = memory.holds().iter().filter(|hold| **hold != Hold::FREE).count();
    memory.set_held_count(count as f64);
}

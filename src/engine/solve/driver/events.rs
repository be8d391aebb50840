//! The events at which a solver's step ends: decisions change, states jump, and crossing functions are held from there on.

use super::super::evaluate::{Point, RESOLUTION};
use super::super::memory::{EDGE, Memory, RELEASE, is_same};
use super::Integrator;
use super::crossings::side;
use super::holds::{Contact, HeldRates, Hold, count_holds};
use super::pieces::{Event, Piece};
use super::system::rates_of;
use super::variable::VariableStep;
use crate::block::StateKind;
use crate::engine::program::fault::Fault;

/// After this many iterations, decisions that keep changing each other are an error.
const MAX_DECISIONS: usize = 100;
/// The part of a step by which a state is moved back to see what would be decided on the near side.
const BACK: f64 = 1e-9;
/// Jumps by less than this part of the tolerances, in ever shorter intervals, lead to rest.
const SMALL_JUMP: f64 = 0.01;
/// Jumps in intervals shorter than this fraction of the time lead to rest, too.
const SHORT_INTERVAL: f64 = 1e-10;

/// The discrete states of the next step and the continuous states, before and after decisions.
struct Decided {
    next: [Vec<f64>; 2],
    x: [Vec<f64>; 2],
    /// The modes that changed, if only for a while.
    touched: Vec<usize>,
}

impl VariableStep<'_> {
    /// Handles the event at which the last step has ended.
    pub(super) fn settle(&mut self, memory: &mut Memory, time: f64, x: &mut [f64]) -> Result<(), Fault> {
        let event = memory.event();
        let length = memory.length();
        if event == RELEASE {
            self.note(|| Piece::Unknown("a switch that is held between its two states"));
            self.load(memory);
            self.restart(memory, time, x)?;
            self.release_due(memory);
            self.restart(memory, time, x)?;
            memory.set_length(length);
            return Ok(());
        }
        let next = self.next();
        let crossing = (event > 0.0).then(|| event as usize - 1);
        self.note(|| Piece::Event(Event { time, crossing, x: x.to_vec(), next }));
        let before = if memory.is_free() { Vec::new() } else { self.crossing_values(time, x) };
        let decided = self.decide(memory, time, x)?;
        self.release_moved(memory, (&decided.x[0], &before), time, x)?;
        let is_jump = !is_same(&decided.x[0], &decided.x[1]);
        if event != EDGE {
            let number = event as usize - 1;
            if is_jump {
                self.try_rest(memory, number, time, x, &decided);
            } else {
                self.try_slide(memory, number, time, x, &decided);
            }
            let delta = self.integrator.program.delta;
            if self.crossings.count(number, time, delta) && memory.holds()[number] == Hold::FREE {
                memory.holds_mut()[number] = Hold::IGNORED;
                count_holds(memory);
            }
        }
        let next = self.next();
        self.note(|| Piece::Settled { x: x.to_vec(), next });
        self.restart(memory, time, x)?;
        // A jump of a source changes the rates, and the error control sees by how much.
        if event == EDGE && !is_jump {
            memory.set_length(length);
        } else {
            self.first_length(memory);
        }
        Ok(())
    }

    /// Lets modes change and states jump until nothing changes any more.
    fn decide(&mut self, memory: &mut Memory, time: f64, x: &mut [f64]) -> Result<Decided, Fault> {
        let mut next = self.system.leaves().next.to_vec();
        let before = (next.clone(), x.to_vec());
        let mut touched = Vec::new();
        for iteration in 0.. {
            let (x_before, next_before) = (x.to_vec(), next.clone());
            self.note(|| Piece::Decision { x: x_before.clone(), next: next_before.clone() });
            let is_switched = self.switch(time, x, &mut next);
            if is_switched {
                self.note(|| Piece::Unknown("a conditional subsystem that starts or ends between two steps"));
            }
            self.integrator.evaluator.decide(self.system.leaves(), time, x, &mut next);
            self.keep(memory, &mut next);
            if !is_switched && is_same(&x_before, x) && is_same(&next_before, &next) {
                break;
            }
            touched.extend((0..next.len()).filter(|&mode| next[mode].to_bits() != next_before[mode].to_bits()));
            self.system.set_next(&next);
            if iteration > MAX_DECISIONS {
                let fault = self.integrator.fault(None, "meets decisions that turn each other to and fro");
                return Err(fault);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        Ok(Decided { next: [before.0, next], x: [before.1, x.to_vec()], touched })
    }

    /// Returns the crossing functions, those that are held among them.
    pub(super) fn crossing_values(&mut self, time: f64, x: &[f64]) -> Vec<f64> {
        let mut values = Vec::new();
        self.integrator.evaluator.crossings(self.system.leaves(), Point { time, x }, &mut values);
        values
    }

    /// Releases the functions that are held and have jumped, because a source or a sample did, and decides once more.
    /// `before` has the states before that, and the values of all functions for them.
    pub(super) fn release_moved(
        &mut self,
        memory: &mut Memory,
        (x_before, before): (&[f64], &[f64]),
        time: f64,
        x: &mut [f64],
    ) -> Result<(), Fault> {
        if memory.is_free() {
            return Ok(());
        }
        let values = self.crossing_values(time, x_before);
        let held = self.holds.sliding.iter().map(|of| of.crossing);
        let held = held.chain(self.holds.contacts.iter().map(|of| of.crossing));
        let moved: Vec<usize> =
            held.filter(|&crossing| values[crossing].to_bits() != before[crossing].to_bits()).collect();
        if moved.is_empty() {
            return Ok(());
        }
        moved.into_iter().for_each(|crossing| self.release(memory, crossing));
        self.load(memory);
        self.decide(memory, time, x)?;
        Ok(())
    }

    /// Replaces the decisions that something held keeps.
    fn keep(&self, memory: &Memory, next: &mut [f64]) {
        if memory.is_free() {
            return;
        }
        let sliding = self.holds.sliding.iter().map(|of| &of.modes);
        let kept = sliding.chain(self.holds.contacts.iter().map(|of| &of.modes));
        kept.flatten().for_each(|&(mode, near, _)| next[mode] = near);
    }

    /// Holds a crossing function at 0 if the rates on both sides of it point to the other.
    fn try_slide(&mut self, memory: &mut Memory, number: usize, time: f64, x: &[f64], decided: &Decided) {
        let [old, new] = &decided.next;
        let differs = |mode: &usize| old[*mode].to_bits() != new[*mode].to_bits();
        let changed: Vec<usize> = (0..old.len()).filter(differs).collect();
        if changed.is_empty() || memory.holds()[number] != Hold::FREE {
            return;
        }
        let (mut near, mut far) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        self.rates(time, x, &mut far);
        self.system.set_next(old);
        self.rates(time, x, &mut near);
        let mut slopes = Vec::new();
        let mut slope = |step: &mut Self, rates: &[f64]| {
            step.integrator.evaluator.crossing_slopes(step.system.leaves(), Point { time, x }, rates, &mut slopes);
            slopes[number]
        };
        let (slope_near, slope_far) = (slope(self, &near), slope(self, &far));
        let mut values = Vec::new();
        self.crossings_at(memory, time, x, &mut values);
        let point_inwards = slope_near * slope_far < 0.0 && (slope_near - slope_far).is_finite();
        // On the near side, the decisions are the old ones, whatever they were before: there is no hysteresis.
        let back = (BACK * memory.span()).max(4.0 * RESOLUTION * time);
        let mut x_back: Vec<f64> = x.iter().zip(&near).map(|(x, rate)| x - back * rate).collect();
        let mut values_back = Vec::new();
        self.crossings_at(memory, time - back, &x_back, &mut values_back);
        self.system.set_next(new);
        let (mut decided_back, x_before) = (new.clone(), x_back.clone());
        self.integrator.evaluator.decide(self.system.leaves(), time - back, &mut x_back, &mut decided_back);
        let is_reversible = is_same(&x_before, &x_back)
            && changed.iter().all(|&mode| decided_back[mode].to_bits() == old[mode].to_bits());
        if !(point_inwards && is_reversible) {
            return;
        }
        let modes = &self.integrator.evaluator.modes;
        for &mode in &changed {
            let Some(index) = modes.iter().position(|known| *known == mode) else { continue };
            memory.owner_mut()[index] = (1 + number) as f64;
            (memory.near_mut()[index], memory.far_mut()[index]) = (old[mode], new[mode]);
        }
        for (other, (value, value_back)) in values.iter().zip(&values_back).enumerate() {
            if side(*value) != side(*value_back) && memory.holds()[other] == Hold::FREE {
                memory.holds_mut()[other] = Hold::with(number);
            }
        }
        memory.holds_mut()[number] = Hold::SLIDING;
        if !self.is_of_own_state(number) {
            note_hold(memory, number, time.max(f64::MIN_POSITIVE));
        }
        count_holds(memory);
        let mut kept = new.clone();
        changed.iter().for_each(|&mode| kept[mode] = old[mode]);
        self.system.set_next(&kept);
        self.load(memory);
    }

    /// Whether a crossing function is that of a block with a state of its own, which follows a limit or an input by sliding
    /// along it.
    fn is_of_own_state(&self, number: usize) -> bool {
        let Integrator { evaluator, program, .. } = &*self.integrator;
        let states = evaluator.unit_of_crossing(number).map(|unit| program.states_of(&program.units[unit]));
        states.is_some_and(|states| states.iter().any(|slot| slot.kind == StateKind::Continuous))
    }

    /// Brings states to rest that have jumped at a crossing function in ever shorter intervals.
    fn try_rest(&mut self, memory: &mut Memory, number: usize, time: f64, x: &mut [f64], decided: &Decided) {
        let (last, before) = (memory.jump_times()[number], memory.jump_intervals()[number]);
        let interval = time - last;
        memory.jump_times_mut()[number] = time;
        memory.jump_intervals_mut()[number] = interval;
        if !(before > 0.0 && interval < before) {
            return;
        }
        let jump: Vec<(usize, f64)> = (0..x.len())
            .map(|state| (state, decided.x[1][state] - decided.x[0][state]))
            .filter(|(_, jump)| *jump != 0.0)
            .collect();
        let relative = self.integrator.program.tolerances.relative;
        let absolute: Vec<f64> = self.absolute_tolerances(memory).collect();
        let is_small = |&(state, jump): &(usize, f64)| {
            jump.abs() <= SMALL_JUMP * (absolute[state] + relative * decided.x[0][state].abs())
        };
        if !(jump.iter().all(is_small) || interval < SHORT_INTERVAL * time) {
            return;
        }
        let largest = jump.iter().fold(0.0, |largest: f64, (_, jump)| largest.max(jump.abs()));
        let jump: Vec<(usize, f64)> = jump.into_iter().map(|(state, jump)| (state, jump / largest)).collect();
        // Of the functions that are 0 here the one whose slope the jump changes most.
        let starts = self.crossings.start.clone();
        let mut now = Vec::new();
        self.crossings_at(memory, time, x, &mut now);
        let mut best: Option<(Contact, [f64; 3])> = None;
        let mut rates = vec![0.0; x.len()];
        rates_of(self.system, &mut self.integrator.evaluator, time, x, &mut rates);
        for crossing in 0..now.len() {
            let side = f64::from(side(starts[crossing]));
            if side == 0.0 || now[crossing] * side > 0.0 && crossing != number {
                continue;
            }
            let contact = Contact { crossing, jump: jump.clone(), side, modes: Vec::new() };
            let VariableStep { integrator, system, holds, .. } = &mut *self;
            let mut held = HeldRates { system: &mut **system, evaluator: &mut integrator.evaluator, holds };
            let bends = held.bends(&contact, (time, x), &rates);
            let is_better = best.as_ref().is_none_or(|(_, known)| bends[2].abs() > known[2].abs());
            if bends.iter().all(|bend| bend.is_finite()) && bends[2] != 0.0 && is_better {
                best = Some((contact, bends));
            }
        }
        let Some((contact, [slope, bend, lever])) = best else { return };
        if bend * contact.side >= 0.0 {
            return;
        }
        for &(state, share) in &contact.jump {
            x[state] -= slope / lever * share;
            memory.contact_mut()[state] = (1 + contact.crossing) as f64;
            memory.jumped_mut()[state] = share;
        }
        // Every function that was 0 at the jump, and every mode that changed there, stays.
        for crossing in 0..now.len() {
            if side(starts[crossing]) != side(now[crossing]) && memory.holds()[crossing] == Hold::FREE {
                memory.holds_mut()[crossing] = Hold::with(contact.crossing);
            }
        }
        memory.holds_mut()[number] = Hold::with(contact.crossing);
        memory.holds_mut()[contact.crossing] = Hold::CONTACT;
        note_hold(memory, contact.crossing, -time.max(f64::MIN_POSITIVE));
        memory.sides_mut()[contact.crossing] = contact.side;
        for (index, mode) in self.integrator.evaluator.modes.iter().copied().enumerate() {
            if decided.touched.contains(&mode) && memory.owner()[index] == 0.0 {
                memory.owner_mut()[index] = (1 + contact.crossing) as f64;
                let kept = decided.next[1][mode];
                (memory.near_mut()[index], memory.far_mut()[index]) = (kept, kept);
            }
        }
        count_holds(memory);
        self.load(memory);
    }

    /// Releases the functions that the last evaluation of the rates found due, and sets the decisions of the side to
    /// which each leaves. If rounding hides which one is due, the function nearest to its end is released.
    fn release_due(&mut self, memory: &mut Memory) {
        let mut next = self.system.leaves().next.to_vec();
        let sliding = self.holds.sliding.iter().zip(&self.holds.weights);
        let of_sliding = sliding.map(|(of, weight)| (of.crossing, (weight - 1.0).max(-weight)));
        let of_contacts = self.holds.contacts.iter().zip(&self.holds.lifts).map(|(of, lift)| (of.crossing, *lift));
        let excess: Vec<(usize, f64)> = of_sliding.chain(of_contacts).collect();
        // Not-a-number is due, too.
        let largest = excess.iter().map(|(_, excess)| *excess).fold(f64::NEG_INFINITY, f64::max).min(0.0);
        let due: Vec<usize> = excess
            .iter()
            .filter(|(_, excess)| excess.is_nan() || *excess >= largest)
            .map(|(crossing, _)| *crossing)
            .collect();
        for (of, weight) in self.holds.sliding.iter().zip(&self.holds.weights) {
            if due.contains(&of.crossing) {
                let is_far = *weight > 0.5;
                of.modes.iter().for_each(|&(mode, near, far)| next[mode] = if is_far { far } else { near });
            }
        }
        due.into_iter().for_each(|crossing| self.release(memory, crossing));
        self.system.set_next(&next);
    }

    /// Releases the functions that are due at the start of a step.
    pub(super) fn release_if_due(&mut self, memory: &mut Memory, time: f64, x: &[f64]) -> Result<(), Fault> {
        if self.holds.is_release_due() {
            self.release_due(memory);
            self.restart(memory, time, x)?;
        }
        Ok(())
    }
}

/// Notes since when a crossing function is held, the first time.
fn note_hold(memory: &mut Memory, number: usize, since: f64) {
    let known = &mut memory.held_since_mut()[number];
    if *known == 0.0 {
        *known = since;
    }
}

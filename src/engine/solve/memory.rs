//! The memory of a solver between steps: one vector of numbers, which is part of the context.

use super::method::DENSE;

/// The sizes that determine where each part lies in the vector.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub states: usize,
    pub modes: usize,
    pub params: usize,
    /// The number of crossing functions.
    pub crossings: usize,
}

const HEAD: usize = 10;

impl Layout {
    /// The number of values before the parts for modes.
    fn to_modes(self) -> usize {
        HEAD + (DENSE + 6) * self.states
    }

    fn to_crossings(self) -> usize {
        self.to_modes() + 4 * self.modes
    }

    fn to_params(self) -> usize {
        self.to_crossings() + 6 * self.crossings
    }
}

/// The event at which a source jumps, and the one at which a held crossing function is released.
pub const EDGE: f64 = -1.0;
pub const RELEASE: f64 = -2.0;

/// The vector, with names for its parts.
pub struct Memory<'a> {
    row: &'a mut [f64],
    layout: Layout,
}

macro_rules! heads {
    ($($(#[$doc:meta])* $name:ident $set:ident $at:literal),*) => { $(
        $(#[$doc])*
        pub fn $name(&self) -> f64 {
            self.row[$at]
        }

        pub fn $set(&mut self, value: f64) {
            self.row[$at] = value;
        }
    )* };
}

macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident $name_mut:ident $first:expr, $count:expr;)*) => { $(
        $(#[$doc])*
        pub fn $name(&self) -> &[f64] {
            let first: fn(Layout) -> usize = $first;
            let count: fn(Layout) -> usize = $count;
            &self.row[first(self.layout)..][..count(self.layout)]
        }

        pub fn $name_mut(&mut self) -> &mut [f64] {
            let first: fn(Layout) -> usize = $first;
            let count: fn(Layout) -> usize = $count;
            &mut self.row[first(self.layout)..][..count(self.layout)]
        }
    )* };
}

impl<'a> Memory<'a> {
    /// Returns the memory and whether it was there already: a vector of another length is replaced by zeros.
    pub fn new(row: &'a mut Vec<f64>, layout: Layout) -> (Memory<'a>, bool) {
        let length = layout.to_params() + layout.params;
        let is_there = row.len() == length;
        if !is_there {
            row.clear();
            row.resize(length, 0.0);
        }
        (Memory { row, layout }, is_there)
    }

    /// Whether no crossing function is held.
    pub fn is_free(&self) -> bool {
        self.held_count() == 0.0
    }

    /// Copies another memory, without what is held: `states` and `modes` have, for each state and mode here, its index there. Parameters are
    /// not copied.
    pub fn take(&mut self, other: &Memory, states: &[usize], modes: &[usize]) {
        self.row[..HEAD].copy_from_slice(&other.row[..HEAD]);
        for (here, &there) in states.iter().enumerate() {
            self.dense_mut()[here * DENSE..][..DENSE].copy_from_slice(&other.dense()[there * DENSE..][..DENSE]);
            self.given_mut()[here] = other.given()[there];
            self.state_mut()[here] = other.state()[there];
            self.rates_mut()[here] = other.rates()[there];
            self.largest_mut()[here] = other.largest()[there];
        }
        for (here, &there) in modes.iter().enumerate() {
            self.modes_mut()[here] = other.modes()[there];
        }
    }

    heads! {
        /// The time in seconds at which the last step begins.
        begin set_begin 0,
        /// The time in seconds at which it ends.
        end set_end 1,
        /// The planned length of the next step, in seconds.
        length set_length 2,
        /// The error of the last step, as the step size control needs it.
        error set_error 3,
        /// The number of evaluations of the rates since the beginning of the run.
        evaluations set_evaluations 4,
        /// The number of accepted steps since then.
        steps set_steps 5,
        /// The number of rejected steps since then.
        refused set_refused 6,
        /// The length in seconds of the step that the dense output describes; the step itself may end earlier, at a
        /// crossing.
        span set_span 7,
        /// Not 0 if the step ends at an event whose decisions are still to be made: the number of a crossing function,
        /// counted from 1, [`EDGE`] or [`RELEASE`].
        event set_event 8,
        /// The number of crossing functions that are held.
        held_count set_held_count 9
    }

    parts! {
        /// The coefficients of the dense output.
        dense dense_mut |_| HEAD, |of| DENSE * of.states;
        /// The states at the last grid point.
        given given_mut |of| HEAD + DENSE * of.states, |of| of.states;
        /// The states at the end of the last step.
        state state_mut |of| HEAD + (DENSE + 1) * of.states, |of| of.states;
        /// The rates there.
        rates rates_mut |of| HEAD + (DENSE + 2) * of.states, |of| of.states;
        /// The largest absolute value of each state so far.
        largest largest_mut |of| HEAD + (DENSE + 3) * of.states, |of| of.states;
        /// For each state that a contact keeps in place the number of the crossing function, counted from 1, else 0; and
        /// how it jumped.
        contact contact_mut |of| HEAD + (DENSE + 4) * of.states, |of| of.states;
        jumped jumped_mut |of| HEAD + (DENSE + 5) * of.states, |of| of.states;
        /// The modes since then.
        modes modes_mut |of| of.to_modes(), |of| of.modes;
        /// For each mode that changes where a crossing function is held the number of that function, counted from 1, else
        /// 0; and its value on both sides.
        owner owner_mut |of| of.to_modes() + of.modes, |of| of.modes;
        near near_mut |of| of.to_modes() + 2 * of.modes, |of| of.modes;
        far far_mut |of| of.to_modes() + 3 * of.modes, |of| of.modes;
        /// For each crossing function how it is held, as in `Hold`.
        holds holds_mut |of| of.to_crossings(), |of| of.crossings;
        /// The side from which it was reached: 1 or −1.
        sides sides_mut |of| of.to_crossings() + of.crossings, |of| of.crossings;
        /// The time in seconds at which states jumped there last, and the time since the jump before.
        jump_times jump_times_mut |of| of.to_crossings() + 2 * of.crossings, |of| of.crossings;
        jump_intervals jump_intervals_mut |of| of.to_crossings() + 3 * of.crossings, |of| of.crossings;
        /// The value of each crossing function at the last grid point, if any is held.
        held_values held_values_mut |of| of.to_crossings() + 4 * of.crossings, |of| of.crossings;
        /// The time in seconds since which it was held for the first time, negative if states came to rest there; 0 if it
        /// never was.
        held_since held_since_mut |of| of.to_crossings() + 5 * of.crossings, |of| of.crossings;
        /// The parameters of the last step.
        params params_mut |of| of.to_params(), |of| of.params;
    }
}

/// Whether both have the same bits.
pub fn is_same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

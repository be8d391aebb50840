//! What a solver remembers from step to step, in one row of numbers: it lies in the context.

use super::method::DENSE;

/// Where everything lies in the row.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub states: usize,
    pub modes: usize,
    pub params: usize,
}

const HEAD: usize = 9;

/// The row, with names.
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
    /// The row, and whether it was there: a row of another length is none.
    pub fn new(row: &'a mut Vec<f64>, layout: Layout) -> (Memory<'a>, bool) {
        let length = HEAD + (DENSE + 3) * layout.states + layout.modes + layout.params;
        let is_there = row.len() == length;
        if !is_there {
            row.clear();
            row.resize(length, 0.0);
        }
        (Memory { row, layout }, is_there)
    }

    /// Takes over what another row has: each state and mode from the place there that stands in the list. Parameters are
    /// left alone.
    pub fn take(&mut self, other: &Memory, states: &[usize], modes: &[usize]) {
        self.row[..HEAD].copy_from_slice(&other.row[..HEAD]);
        for (here, &there) in states.iter().enumerate() {
            self.dense_mut()[here * DENSE..][..DENSE].copy_from_slice(&other.dense()[there * DENSE..][..DENSE]);
            self.given_mut()[here] = other.given()[there];
            self.state_mut()[here] = other.state()[there];
            self.rates_mut()[here] = other.rates()[there];
        }
        for (here, &there) in modes.iter().enumerate() {
            self.modes_mut()[here] = other.modes()[there];
        }
    }

    heads! {
        /// Seconds: where the step that was made last begins.
        begin set_begin 0,
        /// Seconds: where it ends.
        end set_end 1,
        /// Seconds: how long the next step should be.
        length set_length 2,
        /// The error of the step made last, as the control of the steps' length wants it.
        error set_error 3,
        /// How often rates were asked for since the begin of the run.
        evaluations set_evaluations 4,
        /// Steps made since then.
        steps set_steps 5,
        /// Steps tried and not taken.
        refused set_refused 6,
        /// Seconds: how long the step was that the dense output is of; it may have been cut short.
        span set_span 7,
        /// Not 0 where the step ends at a crossing at which nothing was decided yet.
        crossing set_crossing 8
    }

    parts! {
        /// What is between begin and end.
        dense dense_mut |_| HEAD, |of| DENSE * of.states;
        /// The states as the last step on the grid left them.
        given given_mut |of| HEAD + DENSE * of.states, |of| of.states;
        /// The states at the end of the step that was made last.
        state state_mut |of| HEAD + (DENSE + 1) * of.states, |of| of.states;
        /// The rates there.
        rates rates_mut |of| HEAD + (DENSE + 2) * of.states, |of| of.states;
        /// The modes that hold since.
        modes modes_mut |of| HEAD + (DENSE + 3) * of.states, |of| of.modes;
        /// The parameters it was made with.
        params params_mut |of| HEAD + (DENSE + 3) * of.states + of.modes, |of| of.params;
    }
}

/// Whether both have the same bits.
pub fn is_same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

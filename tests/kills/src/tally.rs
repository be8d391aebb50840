//! Counts kills, and chooses their moments at random.

use std::fmt;
use std::time::Duration;

use crate::kill::{Found, Moment};

/// How many kills fell where.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    before: u64,
    writing: u64,
    after: u64,
    /// The program had ended before.
    missed: u64,
}

impl Tally {
    pub fn add(&mut self, found: Found) {
        match found {
            Found::Before => self.before += 1,
            Found::Writing => self.writing += 1,
            Found::After => self.after += 1,
            Found::Ended => self.missed += 1,
        }
    }

    pub fn add_all(&mut self, other: Tally) {
        self.before += other.before;
        self.writing += other.writing;
        self.after += other.after;
        self.missed += other.missed;
    }

    pub fn kills(&self) -> u64 {
        self.before + self.writing + self.after
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { before, writing, after, missed } = self;
        write!(f, "{:4} kills: {before} before the writing, {writing} in it, {after} after it", self.kills())?;
        write!(f, " ({missed} came too late)")
    }
}

/// Numbers that are random enough for moments: xorshift64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }

    pub fn within(&mut self, longest: Duration) -> Duration {
        Duration::from_nanos(self.below(longest.as_nanos() as u64))
    }

    /// A moment of a command that takes `total`, of which `writing` since the creation of its file.
    pub fn moment(&mut self, total: Duration, writing: Duration) -> Moment {
        match self.below(4) {
            0 => Moment::AfterStart(self.within(total)),
            _ => Moment::AfterCreation(self.within(writing)),
        }
    }
}

//! The calls of a plug-in's functions, which are pure functions of their arguments.
//!
//! An instance could keep values from one call to the next in its memory, and results would then depend on what was
//! computed before: on the engine, on threads, on where a run was continued. Clearing the memory before each call would
//! take many times as long as the call; instead calls are repeated in a new instance now and then and compared. The
//! second call of an instance is, so that a counter is found at once.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::definition::PluginBlock;
use super::guest::{Function, Guest, GuestError, Shape};
use crate::block::{CallError, HostFunction};

/// From this number of calls on, one call in `CHECKED` is repeated in a new instance; before, those whose number is a
/// power of two.
const CHECKED: u64 = 4096;

/// The instances of a block of one shape: one for each thread that calls it.
pub struct Pool {
    block: &'static PluginBlock,
    shape: Shape,
    idle: Mutex<Vec<Used>>,
}

struct Used {
    guest: Box<dyn Guest>,
    calls: u64,
}

impl Pool {
    pub fn new(block: &'static PluginBlock, shape: Shape) -> Pool {
        Pool { block, shape, idle: Mutex::default() }
    }

    fn instance(&self) -> Result<Box<dyn Guest>, GuestError> {
        self.block.plugin.code.instance(self.block.index, &self.shape)
    }

    fn call(&self, function: Function, args: &[f64], out: &mut [f64]) -> Result<(), GuestError> {
        // A panic cannot leave the list inconsistent.
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut used = match idle {
            Some(used) => used,
            None => Used { guest: self.instance()?, calls: 0 },
        };
        // An instance that failed does not come back: its memory may be in any state.
        used.guest.call(function, args, out)?;
        used.calls += 1;
        if used.calls > 1 && (used.calls.is_power_of_two() || used.calls % CHECKED == 0) {
            let mut expected = vec![0.0; out.len()];
            self.instance()?.call(function, args, &mut expected)?;
            if out.iter().zip(&expected).any(|(one, other)| one.to_bits() != other.to_bits()) {
                return Err(GuestError::Remembers);
            }
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(used);
        Ok(())
    }
}

/// A function of a plug-in's block. Its arguments are the clock where the block reads it, the inputs where the function
/// may read them, the parameters and the states.
pub struct PluginCall {
    pool: Arc<Pool>,
    function: Function,
    /// The numbers of the clock, where they are not among the arguments.
    clock: Option<[f64; 3]>,
    inputs: CallInputs,
}

/// Whether a function gets the values of the block's inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallInputs {
    Passed,
    Withheld,
}

/// Two calls are the same where this is.
impl fmt::Debug for PluginCall {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let PluginCall { pool, function, clock, inputs } = self;
        let block = (&pool.block.plugin.hash, pool.block.index, &pool.shape);
        f.debug_tuple("PluginCall").field(&(block, function, clock, inputs)).finish()
    }
}

impl PluginCall {
    pub fn new(pool: Arc<Pool>, function: Function, clock: Option<[f64; 3]>, inputs: CallInputs) -> PluginCall {
        PluginCall { pool, function, clock, inputs }
    }
}

/// The number of arguments that are kept on the stack.
const MAX_INLINE_ARGS: usize = 64;

impl HostFunction for PluginCall {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        let missing = match self.inputs {
            CallInputs::Passed => 0,
            CallInputs::Withheld => self.pool.shape.inputs.iter().sum(),
        };
        let clock = self.clock.as_ref().map_or(&[][..], |clock| clock);
        // The clock is first in both.
        let split = if self.clock.is_some() { 0 } else { 3.min(args.len()) };
        let (first, rest) = args.split_at(split);
        let made = if clock.is_empty() && missing == 0 {
            self.pool.call(self.function, args, out)
        } else {
            let count = clock.len() + args.len() + missing;
            let (mut few, mut many) = ([f64::NAN; MAX_INLINE_ARGS], Vec::new());
            let all = match few.get_mut(..count) {
                Some(few) => few,
                None => {
                    many.resize(count, f64::NAN);
                    &mut many[..]
                }
            };
            let (head, tail) = all.split_at_mut(clock.len() + first.len());
            head.iter_mut().zip(clock.iter().chain(first)).for_each(|(to, from)| *to = *from);
            // Inputs that a function may not read stay not-a-number.
            tail.iter_mut().skip(missing).zip(rest).for_each(|(to, from)| *to = *from);
            self.pool.call(self.function, all, out)
        };
        made.map_err(|error| CallError::new(error.to_string()))
    }
}

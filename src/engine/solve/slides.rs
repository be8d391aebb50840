//! Where the solver has held a switching function at zero in a run, to be shown with the results.

use super::super::{Context, Program};
use super::evaluate::{Evaluator, layout, visits};
use super::memory::Memory;
use crate::model::BlockAddress;

/// A block whose switching function the solver holds at zero from a time on, at least for a while. A limited state that
/// stays at its limit does not count.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldSwitch {
    /// Seconds.
    pub since: f64,
    /// The model blocks that lead to the block, and the block.
    pub block: BlockAddress,
    /// Whether states have come to rest there after ever shorter jumps; otherwise both sides lead back to it.
    pub is_at_rest: bool,
}

impl HeldSwitch {
    /// The consequence for the run, as a sentence without a full stop.
    pub fn meaning(&self) -> &'static str {
        match self.is_at_rest {
            true => "after ever shorter jumps the solver keeps the states at rest here",
            false => "both sides of the switch lead back to it, so the solver holds it there (sliding)",
        }
    }
}

impl Context {
    /// Returns the blocks whose switching functions the solver has held at zero so far, in the order of the times.
    pub fn held_switches(&self, program: &Program) -> Vec<HeldSwitch> {
        if self.solver.is_empty() || !program.has_integrator() {
            return Vec::new();
        }
        let visits = visits(program);
        let mut row = self.solver.clone();
        let (memory, is_there) = Memory::new(&mut row, layout(program, &visits));
        if !is_there {
            return Vec::new();
        }
        let mut held: Vec<HeldSwitch> = Vec::new();
        for (crossing, &since) in memory.held_since().iter().enumerate().filter(|(_, since)| **since != 0.0) {
            let Some(unit) = Evaluator::unit_of(program, &visits, crossing) else { continue };
            let of = HeldSwitch { since: since.abs(), block: program.block_of(unit), is_at_rest: since < 0.0 };
            match held.iter_mut().find(|known| known.block == of.block) {
                Some(known) if known.since <= of.since => {}
                Some(known) => *known = of,
                None => held.push(of),
            }
        }
        held.sort_by(|a, b| a.since.total_cmp(&b.since));
        held
    }
}

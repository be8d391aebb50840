//! The cells that each body exports: those that are read elsewhere, and those that are watched.

use super::super::{OutputId, Program};
use super::plan::Plan;

/// For each body of a location the cells that it exports, by index. Both sides compute it, from the plan and the
/// watched outputs.
#[derive(Clone, Debug)]
pub(super) struct Exports {
    location: usize,
    lists: Vec<Vec<u32>>,
}

impl Exports {
    pub fn new(plan: &Plan, location: usize) -> Exports {
        let mut exports = Exports { location, lists: vec![Vec::new(); plan.bodies.len()] };
        exports.fill(plan, &[]);
        exports
    }

    /// Sets the watched outputs; numbers beyond those of the program are left out.
    pub fn watch(&mut self, plan: &Plan, program: &Program, outputs: &[u32]) {
        let cells = &plan.locations[self.location].cells;
        let mut watched = vec![false; if outputs.is_empty() { 0 } else { cells.len() }];
        for output in outputs.iter().map(|output| OutputId::from_bits(*output)) {
            let Some(slot) = program.outputs.get(output) else { continue };
            let first = plan.code.outputs[output];
            let from = cells.partition_point(|&cell| cell < first);
            let until = cells.partition_point(|&cell| cell < first + slot.width);
            watched[from..until].fill(true);
        }
        self.fill(plan, &watched);
    }

    /// The last exchange of a major step exports all watched values, including those that the step left unchanged; a
    /// body in a branch exports its own.
    fn fill(&mut self, plan: &Plan, watched: &[bool]) {
        let last = plan.major.clone().rev().find(|&body| plan.bodies[body].location == self.location);
        for (number, (body, list)) in plan.bodies.iter().zip(&mut self.lists).enumerate() {
            if body.location != self.location {
                continue;
            }
            list.clone_from(&body.exports);
            if watched.is_empty() || last.is_some() && plan.rest.contains(&number) {
                continue;
            }
            if last == Some(number) {
                list.extend((0..).zip(watched).filter(|(_, is_watched)| **is_watched).map(|(index, _)| index));
            } else {
                list.extend(body.writes.iter().filter(|&&index| watched[index as usize]));
            }
            list.sort_unstable();
            list.dedup();
        }
    }

    pub fn of(&self, body: usize) -> &[u32] {
        &self.lists[body]
    }

    /// Whether the answer to a body must have arrived before the step continues.
    pub fn is_awaited(&self, plan: &Plan, body: usize) -> bool {
        plan.bodies[body].can_fail || !self.lists[body].is_empty()
    }
}

//! Updates the states at the end of a step.

use super::Queue;
use crate::engine::Context;

impl Queue {
    /// Updates all states.
    pub(super) fn commit(&mut self, context: &mut Context) {
        context.discrete.copy_from_slice(&self.next);
        for limit in &self.limits {
            let states = &mut context.continuous[limit.offset..limit.offset + limit.width];
            let (low, high) = self.limit_lanes[limit.first..].split_at(limit.width);
            for ((x, &low), &high) in states.iter_mut().zip(low).zip(high) {
                // NaN stays.
                if *x < low {
                    *x = low;
                } else if *x > high {
                    *x = high;
                }
            }
        }
        self.push(context, 0);
    }

    /// Pushes the pending values to their histories, from number `from` on.
    pub(super) fn push(&mut self, context: &mut Context, from: usize) {
        let first = self.pushed.get(from).map_or(self.push_lanes.len(), |push| push.first);
        for push in self.pushed.drain(from..) {
            let ring = &mut context.history[push.offset..];
            let next = ring[push.length * push.width] as usize;
            ring[next * push.width..][..push.width]
                .copy_from_slice(&self.push_lanes[push.first..push.first + push.width]);
            ring[push.length * push.width] = ((next + 1) % push.length) as f64;
        }
        self.push_lanes.truncate(first);
    }
}

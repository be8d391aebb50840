//! Records the way of a solver through one step of the grid, for tangents that follow it.

use super::super::evaluate::RESOLUTION;
use super::super::memory::Memory;
use super::pieces::{Flow, Piece, fractions};
use super::variable::VariableStep;

/// The fraction of a flow by which the point shortly before its end lies before it.
const NEAR: f64 = 1e-9;

impl VariableStep<'_> {
    /// Records the states between two times of the last step, if anyone follows.
    pub(super) fn follow(&mut self, memory: &Memory, from: f64, to: f64) {
        if self.integrator.followed.is_none() || to <= from {
            return;
        }
        let mut x = Vec::new();
        for part in fractions(self.integrator.program.solver) {
            let mut at = vec![0.0; memory.state().len()];
            let time = if *part < 1.0 { from + part * (to - from) } else { to };
            self.state_at(memory, time, &mut at);
            x.push(at);
        }
        let next = self.next();
        let near = (to - (NEAR * (to - from)).max(4.0 * RESOLUTION * to)).max(from);
        let mut x_near = vec![0.0; memory.state().len()];
        self.state_at(memory, near, &mut x_near);
        if !self.holds.is_empty() {
            self.note(|| Piece::Unknown("a switch that is held between its two states"));
        }
        self.note(|| Piece::Flow(Flow { from, to, x, next, near: (near, x_near) }));
    }

    /// Records a piece, if anyone follows.
    pub(super) fn note(&mut self, piece: impl FnOnce() -> Piece) {
        if let Some(followed) = &mut self.integrator.followed {
            followed.push(piece());
        }
    }

    /// The discrete states of the next step.
    pub(super) fn next(&self) -> Vec<f64> {
        self.system.leaves().next.to_vec()
    }
}

//! The way of a solver through one step of the grid, recorded for tangents that follow it.

use super::super::super::Solver;
use super::super::evaluate::RESOLUTION;
use super::super::memory::Memory;
use super::variable::VariableStep;

/// A part of the way.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// The solver moves the states.
    Flow(Flow),
    /// A step ends at an event.
    Event(Event),
    /// Decisions are made, and states may jump; several follow an event.
    Decision { x: Vec<f64>, next: Vec<f64> },
    /// The states and the decisions from which the solver starts again.
    Settled { x: Vec<f64>, next: Vec<f64> },
    /// What has no tangents happens.
    Unknown(&'static str),
}

/// The states between two times.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// Seconds.
    pub from: f64,
    pub to: f64,
    /// The states at the fractions of [`fractions`] of it.
    pub x: Vec<Vec<f64>>,
    /// The discrete states of the next step, modes among them.
    pub next: Vec<f64>,
    /// A time shortly before the end, in seconds, and the states there: an event is located just behind the crossing,
    /// where limits may already act.
    pub near: (f64, Vec<f64>),
}

/// An event, with the states and decisions before it.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// Seconds.
    pub time: f64,
    /// The number of the crossing function; `None` for an event of another kind.
    pub crossing: Option<usize>,
    pub x: Vec<f64>,
    pub next: Vec<f64>,
}

/// The fraction of a flow by which the point shortly before its end lies before it.
const NEAR: f64 = 1e-9;

/// The nodes of the Radau IIA method of order 5.
pub(super) const RADAU_NODES: [f64; 3] = [0.155_051_025_721_682_2, 0.644_948_974_278_317_8, 1.0];
/// The nodes of the method of Dormand and Prince.
pub(super) const DOPRI_NODES: [f64; 6] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0];

/// The fractions of a flow at which its states are recorded.
pub(super) fn fractions(solver: Solver) -> &'static [f64] {
    if solver == Solver::Dopri45 { &DOPRI_NODES } else { &RADAU_NODES }
}

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

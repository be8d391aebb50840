//! The way of a solver through one step of the grid: what happens between its begin and its end, in order.

use super::super::super::Solver;

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
    /// Something happens that has no tangents.
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

/// The nodes of the Radau IIA method of order 5.
pub(super) const RADAU_NODES: [f64; 3] = [0.155_051_025_721_682_2, 0.644_948_974_278_317_8, 1.0];
/// The nodes of the method of Dormand and Prince.
pub(super) const DOPRI_NODES: [f64; 6] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0];

/// The fractions of a flow at which its states are recorded.
pub(super) fn fractions(solver: Solver) -> &'static [f64] {
    if solver == Solver::Dopri45 { &DOPRI_NODES } else { &RADAU_NODES }
}

//! How continuous states are carried from one step to the next.

/// A solver of fixed step length. `k` are the rates of change at the stages' times, `h` is the length of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// `x + h·k1`; order 1.
    Euler,
    /// `x + h·(k1 + k2)/2`, the second stage at the end of the step; order 2.
    Heun,
    /// The classical Runge–Kutta method, `x + h·(k1 + 2·k2 + 2·k3 + k4)/6`; order 4.
    Rk4,
}

impl Solver {
    pub const ALL: [Solver; 3] = [Solver::Euler, Solver::Heun, Solver::Rk4];

    /// As the file's `solver` attribute has it.
    pub fn name(self) -> &'static str {
        match self {
            Solver::Euler => "euler",
            Solver::Heun => "heun",
            Solver::Rk4 => "rk4",
        }
    }

    pub fn doc(self) -> &'static str {
        match self {
            Solver::Euler => "Euler, order 1, one evaluation a step",
            Solver::Heun => "Heun, order 2, two evaluations a step",
            Solver::Rk4 => "Runge–Kutta, order 4, four evaluations a step",
        }
    }

    pub fn by_name(name: &str) -> Option<Solver> {
        Solver::ALL.into_iter().find(|solver| solver.name() == name)
    }

    /// The stages' times as parts of the step; the first is the step that counts.
    pub fn stages(self) -> &'static [f64] {
        match self {
            Solver::Euler => &[0.0],
            Solver::Heun => &[0.0, 1.0],
            Solver::Rk4 => &[0.0, 0.5, 0.5, 1.0],
        }
    }

    /// The state that stage `stage` (from 1) assumes, from the state at the begin and the rate of the stage before.
    pub fn stage_state(self, stage: usize, x: f64, k: f64, h: f64) -> f64 {
        match self.stages().get(stage) {
            Some(&part) => x + part * h * k,
            None => x,
        }
    }

    /// The state at the end of the step.
    pub fn advance(self, x: f64, k: &[f64], h: f64) -> f64 {
        match (self, k) {
            (Solver::Euler, [k1]) => x + h * k1,
            (Solver::Heun, [k1, k2]) => x + h * (k1 + k2) / 2.0,
            (Solver::Rk4, [k1, k2, k3, k4]) => x + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0,
            _ => panic!("{self:?} has {} stages, not {}", self.stages().len(), k.len()),
        }
    }
}

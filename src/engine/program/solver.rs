//! How continuous states are carried from one step to the next, by name.

use std::fmt;

use crate::block::{Method, Registry};

/// A solver. The step of a simulation is its grid: discrete blocks act there, and values are noted there. Solvers of fixed
/// step length integrate from one point of the grid to the next in one step.
///
/// Solvers of variable step choose their own steps by the simulation's attributes `rtol` (1e-5) and `atol` (`auto`), so
/// that a step's error stays below `atol + rtol·|x|` in the mean over the states, and are never longer than `max-step`
/// seconds (a fiftieth of the run), nor longer than a source of time allows. Between their steps they interpolate. Where a
/// rate depends on something that acts on the grid, a step ends at each of its points; else steps go beyond. Steps also end
/// at the edges of sources, and at crossings: where a block changes its mind (a relay that switches, a limit that is met, a
/// ball that hits the ground) modes change, states jump, and the solver starts again. Where both sides of a crossing drive
/// the states back to it, they slide along it. Unit delays and sampled blocks act on the grid.
#[derive(Clone, Copy)]
pub enum Solver {
    Euler,
    Heun,
    Rk4,
    Dopri5,
    Dopri8,
    BackwardEuler,
    Trapezoidal,
    Rodas4,
    Dopri45,
    Rodas34,
    Radau35,
    /// One from outside, of fixed step.
    Added(&'static dyn Method),
}

/// The accuracy of a variable-step solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// The permitted error of a step, relative to the state.
    pub relative: f64,
    /// The permitted error of a step whatever the state; `None`: for each state [`Tolerances::relative`] of its largest
    /// absolute value so far.
    pub absolute: Option<f64>,
    /// The longest step in seconds.
    pub max_step: f64,
    /// The maximum number of solver steps within one step of the grid.
    pub max_steps: f64,
}

/// By their names.
impl PartialEq for Solver {
    fn eq(&self, other: &Solver) -> bool {
        self.name() == other.name()
    }
}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Solver {
    /// The program's own.
    pub const ALL: [Solver; 11] = [
        Solver::Euler,
        Solver::Heun,
        Solver::Rk4,
        Solver::Dopri5,
        Solver::Dopri8,
        Solver::BackwardEuler,
        Solver::Trapezoidal,
        Solver::Rodas4,
        Solver::Dopri45,
        Solver::Rodas34,
        Solver::Radau35,
    ];

    /// As the file's `solver` attribute has it.
    pub fn name(self) -> &'static str {
        match self {
            Solver::Euler => "euler",
            Solver::Heun => "heun",
            Solver::Rk4 => "rk4",
            Solver::Dopri5 => "dopri5",
            Solver::Dopri8 => "dopri8",
            Solver::BackwardEuler => "backward-euler",
            Solver::Trapezoidal => "trapezoidal",
            Solver::Rodas4 => "rodas4",
            Solver::Dopri45 => "dopri45",
            Solver::Rodas34 => "rodas34",
            Solver::Radau35 => "radau35",
            Solver::Added(method) => method.name(),
        }
    }

    /// Its name in the interface, followed by a comma and a description.
    pub fn doc(self) -> &'static str {
        match self {
            Solver::Euler => "Euler, order 1, one evaluation a step",
            Solver::Heun => "Heun, order 2, two evaluations a step",
            Solver::Rk4 => "Runge–Kutta, order 4, four evaluations a step",
            Solver::Dopri5 => "Dormand–Prince 5, order 5, six evaluations a step",
            Solver::Dopri8 => "Dormand–Prince 8, order 8, twelve evaluations a step",
            Solver::BackwardEuler => "Implicit Euler, order 1, for stiff models, fixed step",
            Solver::Trapezoidal => "Trapezoidal rule, order 2, for moderately stiff models, fixed step",
            Solver::Rodas4 => "Rosenbrock (RODAS), order 4, for stiff models, fixed step",
            Solver::Dopri45 => "Dormand–Prince 5(4), variable step by tolerance, locates crossings",
            Solver::Rodas34 => {
                "Rosenbrock (RODAS) 4(3), variable step by tolerance, for stiff models, locates crossings"
            }
            Solver::Radau35 => {
                "Radau IIA 5(3), variable step by tolerance, for stiff models and high accuracy, locates crossings"
            }
            Solver::Added(method) => method.doc(),
        }
    }

    /// The program's own, and those that a registry has besides.
    pub fn all(registry: &Registry) -> impl Iterator<Item = Solver> {
        Solver::ALL.into_iter().chain(registry.methods().iter().map(|method| Solver::Added(*method)))
    }

    pub fn by_name(name: &str, registry: &Registry) -> Option<Solver> {
        Solver::all(registry).find(|solver| solver.name() == name)
    }

    /// θ, where each step solves `x = start + h·((1 − θ)·rates at the start + θ·rates at the end)`: 1 for the implicit
    /// Euler method, 0.5 for the trapezoidal rule.
    pub fn theta(self) -> Option<f64> {
        match self {
            Solver::BackwardEuler => Some(1.0),
            Solver::Trapezoidal => Some(0.5),
            _ => None,
        }
    }

    /// Whether each of its steps solves a system of equations, with a matrix of the derivatives of all rates by all
    /// states.
    pub fn is_implicit(self) -> bool {
        matches!(self, Solver::BackwardEuler | Solver::Trapezoidal | Solver::Rodas4 | Solver::Rodas34 | Solver::Radau35)
    }

    /// Whether it chooses its steps by `rtol`, `atol` and `max-step` of the simulation, and locates crossings.
    pub fn is_variable(self) -> bool {
        matches!(self, Solver::Dopri45 | Solver::Rodas34 | Solver::Radau35)
    }
}

impl Tolerances {
    /// The minimum number of steps of the solver in a run, unless `max-step` says otherwise; Simulink's number.
    pub const STEPS_OF_RUN: f64 = 50.0;

    /// The defaults for a run of `steps` steps of `delta` seconds. A run without an end, of 0 steps, counts as a
    /// thousand steps.
    pub fn of_run(steps: u64, delta: f64) -> Tolerances {
        let steps = if steps == 0 { 1000 } else { steps };
        Tolerances { max_step: steps as f64 * delta / Tolerances::STEPS_OF_RUN, ..Tolerances::default() }
    }
}

impl Default for Tolerances {
    /// The defaults that are usual in the field.
    fn default() -> Tolerances {
        Tolerances { relative: 1e-5, absolute: None, max_step: f64::INFINITY, max_steps: 1e5 }
    }
}

//! The solver of a simulation and its tolerances, from the attributes of the document.

use crate::block::{Registry, parse_number};
use crate::engine::program::solver::{Solver, Tolerances};
use crate::model::{Diagnostic, Simulation};

/// # Errors
/// Where the solver is unknown, or a tolerance is not a valid number.
pub(super) fn solver_of(simulation: &Simulation, registry: &Registry) -> Result<(Solver, Tolerances), Vec<Diagnostic>> {
    let name = simulation.solver();
    let Some(solver) = Solver::by_name(name, registry) else {
        let known: Vec<&str> = Solver::all(registry).map(Solver::name).collect();
        let problem = Diagnostic::error("unknown-solver", format!("there is no solver “{name}”"));
        return Err(vec![problem.help(format!("the solvers are: {}", known.join(", "))).about("solver")]);
    };
    Ok((solver, tolerances(simulation)?))
}

const ATOL: &str = "atol";
/// The absolute tolerance that follows the size of each state, which is the default.
const AUTO: &str = "auto";

/// The attributes `rtol`, `atol`, `max-step` and `max-steps`.
fn tolerances(simulation: &Simulation) -> Result<Tolerances, Vec<Diagnostic>> {
    let mut tolerances = Tolerances::of_run(simulation.steps, simulation.delta);
    let mut found = Vec::new();
    let Tolerances { relative, absolute, max_step, max_steps } = &mut tolerances;
    let mut given = 0.0;
    for (name, value, help) in [
        ("rtol", relative, "the error of a step as a part of the state, such as 1e-3; 1 at most"),
        (ATOL, &mut given, "the error of a step whatever the state, such as 1e-6; above 0, or auto"),
        ("max-step", max_step, "the solver's longest step in seconds, above 0"),
        ("max-steps", max_steps, "how many steps the solver may make within one of the simulation, above 0"),
    ] {
        let Some(text) = simulation.attributes.get(name) else { continue };
        if name == ATOL && text.trim() == AUTO {
            continue;
        }
        match parse_number(text) {
            Ok(number) if number > 0.0 && (name != "rtol" || number <= 1.0) => *value = number,
            _ => {
                let message = format!("{name} is “{text}”, which it cannot be");
                found.push(Diagnostic::error("bad-number", message).help(help).about(name));
            }
        }
    }
    *absolute = Some(given).filter(|given| *given > 0.0);
    if found.is_empty() { Ok(tolerances) } else { Err(found) }
}

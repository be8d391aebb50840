//! Solvers compared with references of sixteen digits, with their own methods in longer numbers, and with the work of
//! other programs: `tests/reference/{solvers,work_precision}.py`.

use std::collections::BTreeMap;

use serde::Deserialize;
use simulate::engine::Solver;

use super::folder;
use crate::sketch::odes::{self, Net, counts};

#[derive(Deserialize)]
struct Solvers {
    solutions: Vec<Solution>,
    stepped: Vec<Stepped>,
}

/// The states at the end of a problem.
#[derive(Deserialize)]
struct Solution {
    problem: String,
    end: f64,
    /// Below this size of a state its error is absolute.
    scale: f64,
    values: Vec<f64>,
}

/// The states after so many steps of a method of fixed step.
#[derive(Deserialize)]
struct Stepped {
    problem: String,
    solver: String,
    delta: f64,
    steps: u64,
    /// The exits, each of a state or a vector of states.
    names: Vec<String>,
    values: Vec<f64>,
}

fn solvers() -> Solvers {
    let text = std::fs::read_to_string(folder().join("solvers.json")).expect("the table");
    serde_json::from_str(&text).expect("the table")
}

fn draw(problem: &str, net: &mut Net) {
    match problem {
        "smooth" => odes::smooth(net),
        "van der Pol 5" => odes::van_der_pol(net, 5.0),
        "van der Pol 1000" => odes::van_der_pol(net, 1000.0),
        "Lorenz" => odes::lorenz(net),
        "Arenstorf" => odes::arenstorf(net),
        "Pleiades" => odes::pleiades(net),
        "Robertson" => odes::robertson(net),
        "HIRES" => odes::hires(net),
        "Oregonator" => odes::oregonator(net),
        "Pollution" => odes::pollution(net),
        "Ring modulator" | "Ring modulator at first" => odes::ring_modulator(net),
        "Medical Akzo Nobel" => odes::medical_akzo(net),
        "heat rod" => odes::heat_rod(net, 20),
        _ => panic!("there is no problem {problem}"),
    }
}

/// Every method of fixed step gives the states that its published coefficients give in longer numbers: of the order of
/// the rounding of some dozens of steps, 1e-13, and of the accuracy 1e-13 with which implicit methods solve their
/// equations.
#[test]
fn steps_are_those_of_the_published_methods() {
    let mut wrong = Vec::new();
    let rows = solvers().stepped;
    for row in &rows {
        for engine in ["simple", "flat", "compiled"] {
            let mut net = Net::new(row.delta).attribute("solver", &row.solver);
            draw(&row.problem, &mut net);
            let mut run = net.run(engine);
            run.steps(row.steps + 1);
            let size = row.values.iter().fold(0.0f64, |size, value| size.max(value.abs()));
            let states: Vec<(&String, f64)> =
                row.names.iter().flat_map(|name| run.exit(name).into_iter().map(move |state| (name, state))).collect();
            assert_eq!(states.len(), row.values.len());
            for ((name, got), want) in states.into_iter().zip(&row.values) {
                if (got - want).abs() > 1e-12 * size {
                    let off = (got - want).abs() / size;
                    wrong.push(format!(
                        "{}, {}, {engine}: {name} is {got}, not {want}: {off:e}",
                        row.problem, row.solver
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for solver in Solver::ALL.iter().filter(|solver| !solver.is_variable()) {
        assert!(rows.iter().any(|row| row.solver == solver.name()), "{solver:?} is compared with nothing");
    }
}

/// What a variable-step solver has needed, and the error of its end.
struct Work {
    evaluations: f64,
    /// One in each accepted step of an implicit method.
    jacobians: f64,
    steps: f64,
    error: f64,
}

/// Solves a problem in one step of the grid, so that the solver alone chooses its steps.
fn work(solution: &Solution, solver: Solver, tolerance: f64) -> Work {
    let absolute = tolerance * solution.scale;
    let mut net =
        Net::new(solution.end).attribute("solver", solver.name()).attribute("max-step", &solution.end.to_string());
    net = net.attribute("rtol", &tolerance.to_string()).attribute("atol", &absolute.to_string());
    draw(&solution.problem, &mut net);
    let mut run = net.run("compiled");
    let is_solved = run.try_steps(1).is_ok();
    let (steps, _, evaluations) = counts(&run.context);
    // The exits would have these states in the next step, which would solve the problem once more.
    let states = &run.context.continuous;
    assert_eq!(states.len(), solution.values.len());
    let off = |(got, want): (&f64, &f64)| (got - want).abs() / (want.abs() + solution.scale);
    let error = states.iter().zip(&solution.values).map(off).fold(0.0, f64::max);
    let error = if is_solved { error } else { f64::INFINITY };
    Work { evaluations, jacobians: if solver.is_implicit() { steps } else { 0.0 }, steps, error }
}

type Key = (String, String, String);

const FILE: &str = "work_precision.csv";

/// Returns the rows of the table: problem, solver and tolerance, and the fields behind them.
fn stored() -> BTreeMap<Key, Vec<String>> {
    let mut reader = csv::Reader::from_path(folder().join(FILE)).expect("the table");
    let rows = reader.records().map(|row| row.expect("a row"));
    let fields = rows.map(|row| row.iter().map(str::to_owned).collect::<Vec<_>>());
    fields.map(|row| ((row[0].clone(), row[1].clone(), row[2].clone()), row[3..].to_vec())).collect()
}

/// Whether a row evaluates the rates too often for every test: it is made again only after it was deleted from the
/// table.
fn is_long(row: &[String], solution: &Solution) -> bool {
    row[0].parse::<f64>().expect("a number") * solution.values.len() as f64 > 6e5
}

/// Each variable-step solver needs no more evaluations and makes no greater error than the table says, but for a tenth
/// of the evaluations and half of the error, which are those that another order of sums may cost.
#[test]
fn work_and_precision_are_as_in_the_table() {
    let stored = stored();
    let (mut lines, mut worse) = (Vec::new(), Vec::new());
    for solution in solvers().solutions {
        let is_stiff = stored.keys().any(|(problem, solver, _)| *problem == solution.problem && solver == "CVODE BDF");
        for solver in Solver::ALL.iter().filter(|solver| solver.is_variable()) {
            if is_stiff && !solver.is_implicit() {
                continue;
            }
            for tolerance in ["1e-03", "1e-05", "1e-07", "1e-09"] {
                let key = (solution.problem.clone(), format!("simulate {}", solver.name()), tolerance.to_owned());
                // More steps than `max-steps` allows, and minutes.
                if solution.problem == "Ring modulator" && tolerance != "1e-03" {
                    continue;
                }
                if let Some(row) = stored.get(&key).filter(|row| is_long(row, &solution)) {
                    lines.push(format!("{},{},{},{}", key.0, key.1, key.2, row.join(",")));
                    continue;
                }
                let found = work(&solution, *solver, tolerance.parse().expect("a number"));
                let Work { evaluations, jacobians, steps, error } = found;
                lines.push(format!("{},{},{},{evaluations},{jacobians},{steps},{error:.2e}", key.0, key.1, key.2));
                let Some(row) = stored.get(&key) else {
                    worse.push(format!("{key:?} is not in the table"));
                    continue;
                };
                let number = |index: usize| row[index].parse::<f64>().expect("a number");
                if evaluations > 1.1 * number(0) || error > 1.5 * number(3) {
                    worse.push(format!("{key:?}: {evaluations} evaluations, error {error:.2e}, stored {row:?}"));
                }
            }
        }
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = folder().join(FILE);
        let text = std::fs::read_to_string(&path).expect("the table");
        let others = text.lines().filter(|line| !line.contains(",simulate ")).map(str::to_owned);
        let all: Vec<String> = others.chain(lines).collect();
        return std::fs::write(path, all.join("\n") + "\n").expect("the table can be written");
    }
    assert!(worse.is_empty(), "{}", worse.join("\n"));
}

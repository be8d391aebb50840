//! Code that integrates by an implicit method of fixed step has the bits of the engine.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Solver, compile};
use simulate::export::c::{Code, Options, Precision, Refusal, export};
use simulate::model::Simulation;

use super::bench::{BUILDS, Case, Trial, check, printed};
use super::functions::operations;
use crate::cli::{folder, simulate};
use crate::sketch::odes::{Net, heat_rod, hires, lorenz, oregonator, robertson, smooth, van_der_pol};

const SOLVERS: [&str; 3] = ["backward-euler", "trapezoidal", "rodas4"];

fn net(solver: &str, delta: f64, draw: &dyn Fn(&mut Net)) -> Simulation {
    let mut net = Net::new(delta).attribute("solver", solver);
    draw(&mut net);
    net.simulation
}

/// Returns the code of a simulation, and what it must print for so many steps.
fn case(name: &str, simulation: Simulation, steps: u64) -> Case {
    Trial::new(name, simulation, steps).case().expect("it can be exported")
}

fn exported(simulation: &Simulation, precision: Precision) -> Result<Code, Refusal> {
    let program = Arc::new(compile(simulation, &Registry::standard()).expect("it compiles"));
    let options =
        Options { name: "test", is_single_file: true, inlines_parameters: false, precision, params: &program.params };
    export(&program, simulation, &options)
}

/// More states than a sparse matrix needs, but each rate depends on all of them: all elements are kept.
fn mean_field(net: &mut Net) {
    let states: Vec<String> = (0..70).map(|at| net.state(&format!("y{at}"), f64::from(at) / 7.0 - 3.0)).collect();
    let terms: Vec<(f64, &str)> = states.iter().map(|state| (0.01, &**state)).collect();
    let mean = net.sum(&terms);
    let field = net.product(&[&mean, &mean]);
    for (state, at) in states.iter().zip(1..) {
        let rate = net.sum(&[(1.0, &field), (-f64::from(at), state)]);
        net.rate(state, &rate);
    }
}

#[test]
fn stiff_models_have_the_bits_of_the_engine_with_each_implicit_solver() {
    type Draw = fn(&mut Net);
    let models: [(&str, Draw, f64, u64); 8] = [
        ("van_der_pol", |net| van_der_pol(net, 1000.0), 0.5, 1000),
        ("robertson", robertson, 0.0002, 400),
        ("hires", hires, 0.3, 300),
        ("oregonator", oregonator, 0.002, 400),
        // Its rates depend on the time, so that the derivatives by it count.
        ("smooth", smooth, 0.05, 200),
        ("lorenz", lorenz, 0.01, 300),
        // The states are in another order than those of the matrix where blocks are computed in rows.
        ("heat_rod", |net| heat_rod(net, 20), 0.01, 40),
        ("mean_field", mean_field, 0.05, 10),
    ];
    let mut cases = Vec::new();
    for (name, draw, delta, steps) in models {
        for solver in SOLVERS {
            let case = case(&format!("{name}_{}", solver.replace('-', "_")), net(solver, delta, &draw), steps);
            assert_eq!(case.expected.lines().count() as u64, steps + 1, "{name}, {solver}: it runs to its end");
            cases.push(case);
        }
    }
    let is_in_order = |case: &Case| !case.code.files.iter().any(|file| file.text.contains("_solve(self, "));
    assert!(cases.iter().any(is_in_order) && !cases.iter().all(is_in_order), "both orders of states are tried");
    check(&cases, &BUILDS);
    let fixed = Solver::ALL.iter().filter(|solver| solver.is_implicit() && !solver.is_variable()).count();
    assert_eq!(fixed, SOLVERS.len(), "every implicit solver of fixed step is here");
}

/// The rates are each operation of two states that move; the derivatives of a Rosenbrock method act on every bit.
#[test]
fn the_derivative_of_each_operation_is_that_of_the_engine() {
    let draw = |formula: &str, net: &mut Net| {
        let [u, v, z] = [("u", 0.7), ("v", 1.3), ("z", 0.0)].map(|(name, initial)| net.state(name, initial));
        let options = [("Inputs", &["u v z"][..]), ("Formula", &[formula])];
        let rates = net.add("User/Formula", &options, &[("u", &u), ("v", &v), ("z", &z)]);
        let of = |port: &str| rates.replace("Output", port);
        [(&u, "du"), (&v, "dv"), (&z, "dz")].into_iter().for_each(|(state, port)| net.rate(state, &of(port)));
    };
    let operations = operations();
    let mut cases = Vec::new();
    for (number, operation) in operations.iter().enumerate() {
        let formula = format!("du = v - 1.1; dv = 0.4 - u; dz = {operation} - z");
        let solver = if number % 4 == 0 { SOLVERS[1] } else { SOLVERS[2] };
        let name = format!("operation_{number}");
        cases.push(case(&name, net(solver, 0.1, &|net| draw(&formula, net)), 60));
    }
    let run = cases.iter().filter(|case| case.expected.lines().count() == 61).count();
    assert!(run > 40, "{run} of {} run to their end", operations.len());
    check(&cases, &BUILDS[1..3]);
}

/// x' = x², which is infinite at 1 s: the run ends where the engine cannot go on, and the code says so.
#[test]
fn a_step_without_a_solution_is_not_valid() {
    let explode = |net: &mut Net| {
        let x = net.state("x", 1.0);
        let square = net.product(&[&x, &x]);
        net.rate(&x, &square);
    };
    // x = start + 0.1·x² at the end of a step has no real solution from start = 2.5 on.
    let cases = ["backward_euler", "trapezoidal"].map(|name| {
        let case = case(name, net(&name.replace('_', "-"), 0.1, &explode), 20);
        let lines = case.expected.lines().count();
        assert!((2..20).contains(&lines), "{name}: {lines} lines");
        case
    });
    check(&cases, &BUILDS[..2]);
}

/// A branch that does not run in a step, a rate that is another state, a state of a vector.
#[test]
fn conditional_parts_and_vectors_have_the_bits_of_the_engine() {
    let text = include_str!("implicit.simx");
    let simulation = read(text);
    let cases = SOLVERS.map(|solver| {
        let mut simulation = simulation.clone();
        simulation.attributes.set("solver", solver);
        case(&solver.replace('-', "_"), simulation, 100)
    });
    assert_eq!(cases[0].expected.lines().count(), 101);
    check(&cases, &BUILDS);
}

fn read(text: &str) -> Simulation {
    use simulate::format::simx::Simx;
    use simulate::format::{LoadOptions, Loader as _};
    Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it can be read").simulation
}

/// The slope of a curve from a file is a finite difference, in the code as in the engine.
#[test]
fn a_curve_that_a_rate_depends_on_has_its_slope() {
    let text = |solver: &str, way: &str, outside: &str| {
        format!(
            "<simulation steps=\"60\" delta=\"0.05\" root=\"Main\" solver=\"{solver}\"><model name=\"Main\">\
             <block id=\"1\" group=\"Var\" name=\"From File\"><option name=\"File\"><value>rows.csv</value></option>\
             <option name=\"Interpolation\"><value>{way}</value></option>\
             <option name=\"Outside\"><value>{outside}</value></option></block>\
             <block id=\"2\" group=\"Math\" name=\"Sum\"><option name=\"Signs\"><value>+-</value></option></block>\
             <block id=\"3\" group=\"Math\" name=\"Integrate\"/><exit id=\"4\" name=\"x\"/>\
             <connection from=\"1\" output=\"Output\" to=\"2\" input=\"Input 1\"/>\
             <connection from=\"3\" output=\"Output\" to=\"2\" input=\"Input 2\"/>\
             <connection from=\"2\" output=\"Output\" to=\"3\" input=\"Input\"/>\
             <connection from=\"3\" output=\"Output\" to=\"4\" input=\"Input\"/></model></simulation>"
        )
    };
    let rows = "time,speed,torque\n0,1,-3\n0.1,2.5,0.3\n0.33,-1,7\n0.33,4,1e-3\n1,0.7,2\n1.9,-2.2,0.1\n";
    for (solver, way, outside) in
        [("rodas4", "linear", "repeat"), ("rodas4", "nearest", "hold"), ("trapezoidal", "linear", "extrapolate")]
    {
        let folder = folder(&[("curve.simx", &text(solver, way, outside)), ("rows.csv", rows)]);
        let outcome =
            simulate(folder.path(), &["export", "curve.simx", "--to", "c", "--out", "code", "--verify", "-q"]);
        assert_eq!((outcome.code, &*outcome.err), (0, ""), "{solver}, {way}, {outside}");
        assert!(outcome.out.contains("has the bits of the simulation: 60 steps"), "{}", outcome.out);
    }
}

#[test]
fn what_the_code_cannot_solve_is_refused_with_what_to_choose() {
    let refused =
        |simulation: &Simulation, precision| exported(simulation, precision).expect_err("refused").to_string();
    let rod = net("rodas4", 0.01, &|net| heat_rod(net, 65));
    assert_eq!(
        refused(&rod, Precision::Double),
        "the solver “rodas4” solves a sparse system of 65 states, and code has dense ones only, up to 64 states or where a \
         fifth of all derivatives may differ from 0; choose euler, heun, rk4, dopri5 or dopri8 for the simulation"
    );
    let rod = net("rodas4", 0.01, &|net| heat_rod(net, 64));
    assert!(exported(&rod, Precision::Double).is_ok());
    assert_eq!(
        refused(&rod, Precision::Single),
        "the solver “rodas4” needs double precision; leave out --float, or choose rk4 for the simulation"
    );
    assert_eq!(
        refused(&net("radau35", 0.01, &robertson), Precision::Double),
        "the solver “radau35” has no fixed step; choose euler, heun, rk4, dopri5 or dopri8 for the simulation, or \
         backward-euler, trapezoidal or rodas4 for a stiff model"
    );
}

/// x = 1 + x² at the end of the first step has no real solution.
#[test]
fn the_test_bench_says_why_it_ends() {
    let explode = net("backward-euler", 1.0, &|net| {
        let x = net.state("x", 1.0);
        let square = net.product(&[&x, &x]);
        net.rate(&x, &square);
    });
    let case = case("explode", explode, 5);
    let Some(texts) = printed(&[case], BUILDS[0]) else { return };
    assert_eq!(texts[0], "step,time,x\n", "not even the first step is valid");
}

//! Equations and waves that users write, on every engine.

use simulate::block::Registry;
use simulate::engine::diagnose;
use simulate::model::Simulation;

use crate::sketch::{Run, Sketch};

const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];

/// Returns a simulation of a block whose input is a clock, with its first output at `y`.
fn fed(block: &str, options: &[(&str, &[&str])], output: &str) -> Simulation {
    let sketch = Sketch::new(0.5).block(0, "Var/Clock", &[]).block(1, block, options).block(2, "exit y", &[]);
    sketch.wire("0.Output", "1.u").wire(&format!("1.{output}"), "2.Input").simulation
}

/// x'' = −x from x = 1: cos t, by a solver of order 5, and the outputs are functions of the states.
#[test]
fn equations_are_solved() {
    let options: [(&str, &[&str]); 3] = [
        ("Equations", &["_w = 2*pi/T\nx' = v\nv' = -_w^2*x + 0*u\ny = 3*x"]),
        ("Initial Values", &["x = 1"]),
        ("Inputs", &["u"]),
    ];
    let mut simulation = fed("User/ODE", &options, "y");
    simulation.delta = 0.01;
    simulation.attributes.set("solver", "dopri5");
    simulation.set_variable("T", simulate::model::Variable::new("4"));
    for engine in ENGINES {
        for (step, y) in Run::new(&simulation, engine).trace("y", 200).into_iter().enumerate() {
            let want = 3.0 * (std::f64::consts::TAU / 4.0 * step as f64 * 0.01).cos();
            assert!((y - want).abs() < 1e-9, "{engine}, step {step}: {y}, not {want}");
        }
    }
}

#[test]
fn mistakes_in_equations_are_reported() {
    for (options, problem) in [
        ([("Equations", &["x' = z"] as &[&str]), ("Initial Values", &[""])], "unknown variable \"z\""),
        (
            [("Equations", &["x' = u; x = 3"]), ("Initial Values", &[""])],
            "“x” has a line with its rate of change already",
        ),
        ([("Equations", &["x' = u"]), ("Initial Values", &["z = 3"])], "there is no line z' = … in the equations"),
        ([("Equations", &["u' = 1; y = 2"]), ("Initial Values", &[""])], "“u” cannot be an input"),
    ] {
        let sketch = Sketch::new(1.0).block(0, "Var/Clock", &[]).block(1, "User/ODE", &options);
        let found = diagnose(&sketch.wire("0.Output", "1.u").simulation, &Registry::standard());
        assert!(found.iter().any(|found| found.message.contains(problem)), "{found:?}");
    }
    let found = diagnose(&fed("User/Formula", &[("Formula", &["y' = u"])], "y'"), &Registry::standard());
    assert!(found.iter().any(|found| found.message.contains("is a rate of change")), "{found:?}");
    let found = diagnose(&fed("User/Formula", &[("Formula", &[""])], "y"), &Registry::standard());
    assert!(found.iter().any(|found| found.message.contains("a formula is missing")), "{found:?}");
}

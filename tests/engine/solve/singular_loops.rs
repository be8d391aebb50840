//! Algebraic loops that every value closes, and those that one value closes. All expected values are closed forms.

use crate::sketch::{Run, Sketch};

const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];

/// A loop that every value closes is singular, whatever value it starts with: x = x, also where its factor 1 is a sum with
/// rounding, and where the values are limited.
#[test]
fn a_loop_that_every_value_closes_is_singular() {
    for (formula, start) in [
        ("z = y", "0"),
        ("z = 0.1*y + 0.2*y + 0.7*y", "0"),
        ("z = min(max(y, -1), 1)", "0"),
        ("z = y + (y > 5)*(y - 5)", "0"),
    ] {
        let mut sketch = Sketch::new(1.0)
            .block(0, "Var/Static", &[("Value", &[start])])
            .block(1, "User/Formula", &[("Inputs", &["y"]), ("Formula", &[formula])])
            .block(2, "Math/Gain", &[])
            .wires("Main", &[("2.Output", "1.y"), ("1.z", "2.Input")]);
        sketch.simulation.attributes.set("loops", "solve");
        for engine in ENGINES {
            let error = Run::new(&sketch.simulation, engine).try_steps(3).expect_err("it is singular");
            let says = "the equations of the loop of Gain #2 of “Main”, Formula #1 of “Main” are singular";
            assert!(error.problem.starts_with(says), "{formula} on {engine}: {error}");
        }
    }
}

/// p = 3p − q and q = 4p − q hold for every q = 2p.
#[test]
fn a_loop_of_two_values_is_singular_along_a_line() {
    let mut sketch = Sketch::new(1.0)
        .block(1, "User/Formula", &[("Inputs", &["p q"]), ("Formula", &["z = 3*p - q"])])
        .block(2, "User/Formula", &[("Inputs", &["p q"]), ("Formula", &["z = 4*p - q"])])
        .wires("Main", &[("1.z", "1.p"), ("1.z", "2.p"), ("2.z", "1.q"), ("2.z", "2.q")]);
    sketch.simulation.attributes.set("loops", "solve");
    for engine in ENGINES {
        let error = Run::new(&sketch.simulation, engine).try_steps(3).expect_err("it is singular");
        assert!(error.problem.contains("are singular: more than one value solves them"), "{engine}: {error}");
    }
}

/// A gain of 1 back to its own input; it is 0.5 in the first steps, where 0 is the solution.
#[test]
fn a_loop_becomes_singular_with_its_gain() {
    let mut sketch = Sketch::new(1.0)
        .block(0, "Var/Ramp", &[("Positive Slope", &["0.25"]), ("High Value", &["9"]), ("Starting Value", &["0.5"])])
        .block(1, "Math/Multiply", &[])
        .wires("Main", &[("0.Output", "1.Multiplicand 1"), ("1.Product", "1.Multiplicand 2")]);
    sketch.simulation.attributes.set("loops", "solve");
    for engine in ENGINES {
        let error = Run::new(&sketch.simulation, engine).try_steps(9).expect_err("it becomes singular");
        assert_eq!(error.step, 2, "{engine}: {error}");
    }
}

/// Solutions that stand alone are solved, also where the slope is 1 there: x = x² from 0 on, x = x + (x − 1)², and
/// x = 1 − 3x. A loop of a nearly singular matrix has one solution: x = (1 − 10⁻⁶)·x + 10⁻⁶ is 1.
#[test]
fn solutions_that_stand_alone_are_found() {
    for (formula, want, accuracy) in [
        ("z = y*y", 0.0, 0.0),
        ("z = y + (y - 1)*(y - 1)", 1.0, 1e-6),
        ("z = y + y*y", 0.0, 0.0),
        ("z = y + y*y*y", 0.0, 0.0),
        ("z = 1 - 3*y", 0.25, 1e-15),
        ("z = y - 1e-6*y + 1e-6", 1.0, 1e-9),
    ] {
        let mut sketch = Sketch::new(1.0)
            .block(1, "User/Formula", &[("Inputs", &["y"]), ("Formula", &[formula])])
            .block(2, "Math/Gain", &[])
            .block(3, "exit z", &[])
            .wires("Main", &[("2.Output", "1.y"), ("1.z", "2.Input"), ("1.z", "3.Input")]);
        sketch.simulation.attributes.set("loops", "solve");
        for engine in ENGINES {
            let mut run = Run::new(&sketch.simulation, engine);
            for step in 0..3 {
                let got = run.steps(1).exit("z")[0];
                assert!((got - want).abs() <= accuracy, "{formula} on {engine}, step {step}: {got}, not {want}");
            }
        }
    }
}

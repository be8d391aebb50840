//! Kinks and jumps of formulas, tables and blocks with memory lie between the points of the grid: solvers of variable step
//! locate them, so that integrals are their closed forms, and do not where that is switched off.

use std::f64::consts::PI;

use super::{Run, Sketch};

const SOLVERS: [&str; 3] = ["dopri45", "rodas34", "radau35"];
const ENGINES: [&str; 2] = ["simple", "compiled"];

/// Returns the values of the exit z at the points of a grid, with each solver and engine.
fn traces(sketch: &Sketch, steps: usize) -> Vec<(String, Vec<f64>)> {
    let mut found = Vec::new();
    for solver in SOLVERS {
        let mut sketch = Sketch { simulation: sketch.simulation.clone() }.solver(solver);
        sketch.simulation.attributes.set("rtol", "1e-10");
        sketch.simulation.attributes.set("atol", "1e-12");
        for engine in ENGINES {
            let mut run = Run::new(&sketch.simulation, engine);
            found.push((format!("{solver} on {engine}"), run.trace("z", steps)));
        }
    }
    found
}

fn check(what: &str, sketch: &Sketch, steps: usize, tolerance: f64, want: impl Fn(f64) -> f64) {
    let delta = sketch.simulation.delta;
    for (how, trace) in traces(sketch, steps) {
        for (step, got) in trace.into_iter().enumerate() {
            let time = step as f64 * delta;
            let want = want(time);
            assert!((got - want).abs() < tolerance, "{what}, {how}, at {time} s: {got}, not {want}");
        }
    }
}

/// An expression of `U`, the time, and its integral from 0.
struct Case(&'static str, fn(f64) -> f64);

/// The integral of a function with period `period`, of which that over the first period is given.
fn periodic(t: f64, period: f64, within: impl Fn(f64) -> f64) -> f64 {
    let turns = (t / period).floor();
    turns * within(period) + within(t - turns * period)
}

/// The integral of the number of whole `width` in the time.
fn stairs(t: f64, width: f64) -> f64 {
    let n = (t / width).floor();
    n * (t - width * (n + 1.0) / 2.0)
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case("y = abs(sin(U))", |t| periodic(t, PI, |t| 1.0 - t.cos())),
    Case("y = floor(1.3*U)", |t| stairs(t, 1.0 / 1.3)),
    Case("y = ceil(1.3*U)", |t| stairs(t, 1.0 / 1.3) + t),
    Case("y = round(1.3*U)", |t| stairs(t + 0.5 / 1.3, 1.0 / 1.3)),
    Case("y = fix(1.3*(2 - U))", |t| stairs(2.0, 1.0 / 1.3) - stairs((2.0 - t).abs(), 1.0 / 1.3)),
    Case("y = min(U, 1.23)", |t| if t < 1.23 { t * t / 2.0 } else { 1.23 * t - 1.23 * 1.23 / 2.0 }),
    Case("y = max([0.77 U 0.2])", |t| if t < 0.77 { 0.77 * t } else { (t * t + 0.77 * 0.77) / 2.0 }),
    Case("y = mod(U, 0.7)", |t| periodic(t, 0.7, |t| t * t / 2.0)),
    Case("y = mod(-U, 0.7)", |t| periodic(t, 0.7, |t| 0.7 * t - t * t / 2.0)),
    Case("y = rem(-U, 0.7)", |t| -periodic(t, 0.7, |t| t * t / 2.0)),
    Case("y = sign(sin(U))", |t| periodic(t, 2.0 * PI, |t| PI - (t - PI).abs())),
    Case("y = U > 1.21 ? 2 : -1", |t| if t < 1.21 { -t } else { -1.21 + 2.0 * (t - 1.21) }),
    Case("y = if(U > 0.3 && !(U >= 1.1), 5, 1)", |t| t + 4.0 * (t.min(1.1) - 0.3).max(0.0)),
    Case("y = (mod(U, 1.3) < 0.4)*3", |t| periodic(t, 1.3, |t| 3.0 * t.min(0.4))),
    Case("_v = [1 4 2 8]; y = _v(1 + 1.3*U)", |t| {
        let width = 1.0 / 1.3;
        [1.0, 4.0, 2.0, 8.0].iter().enumerate().map(|(cell, value)| {
            let begin = cell as f64 * width;
            let end = if cell == 3 { f64::INFINITY } else { begin + width };
            value * (t.min(end) - begin).max(0.0)
        }).sum()
    }),
];

/// The expression in the block Formula, whose input is the time.
fn formula(text: &str) -> Sketch {
    Sketch::new(0.5)
        .block(0, "Var/Clock", &[])
        .block(1, "User/Formula", &[("Formula", &[&text.replace('U', "u")]), ("Inputs", &["u"])])
        .block(2, "Math/Integrate", &[])
        .block(3, "exit z", &[])
        .wires("Main", &[("0.Output", "1.u"), ("1.y", "2.Input"), ("2.Output", "3.Input")])
}

fn waveform(text: &str) -> Sketch {
    Sketch::new(0.5)
        .block(1, "Var/Waveform", &[("Formula", &[&text.replace('U', "t")])])
        .block(2, "Math/Integrate", &[])
        .block(3, "exit z", &[])
        .wires("Main", &[("1.y", "2.Input"), ("2.Output", "3.Input")])
}

fn equation(text: &str) -> Sketch {
    let equations = text.replace('U', "t").replace("y = ", "z' = ");
    Sketch::new(0.5)
        .block(1, "User/ODE", &[("Equations", &[&equations]), ("Inputs", &[""])])
        .block(3, "exit z", &[])
        .wire("1.z", "3.Input")
}

#[test]
fn kinks_and_jumps_of_formulas_are_located() {
    for Case(text, integral) in CASES {
        check(&format!("formula {text}"), &formula(text), 11, 1e-9, integral);
        check(&format!("waveform {text}"), &waveform(text), 11, 1e-9, integral);
        check(&format!("equation {text}"), &equation(text), 11, 1e-9, integral);
    }
}

/// A condition that guards a root: the rate behind the crossing has no value in the branch decided before.
#[test]
fn a_condition_guards_a_branch_without_a_value() {
    let text = "y = U < 1.21 ? sqrt(1.21 - U) : 0";
    let area = 2.0 / 3.0 * 1.21_f64.powf(1.5);
    check(text, &equation(text), 8, 1e-7, |t| area - 2.0 / 3.0 * (1.21 - t).max(0.0).powf(1.5));
}

/// An equation slides: x' = −sign(x) − 0.2 comes to rest at 0.
#[test]
fn a_sign_in_an_equation_slides() {
    let sketch = Sketch::new(0.5)
        .block(
            1,
            "User/ODE",
            &[("Equations", &["z' = -sign(z) - 0.2"]), ("Initial Values", &["z = 1.1"]), ("Inputs", &[""])],
        )
        .block(3, "exit z", &[])
        .wire("1.z", "3.Input");
    check("sign", &sketch, 11, 1e-9, |t| (1.1 - 1.2 * t).max(0.0));
}

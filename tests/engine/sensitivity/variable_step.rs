//! Sensitivities under implicit solvers and solvers of variable step, and their jumps at events.

use super::{near, param, record};
use crate::sketch::Sketch;

const VARIABLE: [&str; 3] = ["dopri45", "rodas34", "radau35"];

/// x' = g·x: integrator 0, gain 1.
fn decay(solver: &str) -> Sketch {
    let mut sketch = Sketch::new(0.125)
        .solver(solver)
        .block(0, "Math/Integrate", &[("Initial Value", &["3"])])
        .block(1, "Math/Gain", &[("Gain", &["-0.75"])])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "0.Input")]);
    sketch.simulation.attributes.set("rtol", "1e-9");
    sketch
}

/// A step of θ-methods multiplies x by (1 + (1 − θ)·z) / (1 − θ·z) with z = g·h.
#[test]
fn the_derivatives_under_one_stage_implicit_methods_are_those_of_their_recursion() {
    for (solver, theta) in [("backward-euler", 1.0), ("trapezoidal", 0.5)] {
        let made = record(&decay(solver).simulation, 0, &[param(1, "Gain"), param(0, "Initial Value")], 60);
        let (h, z): (f64, f64) = (0.125, -0.75 * 0.125);
        let r = (1.0 + (1.0 - theta) * z) / (1.0 - theta * z);
        let slope = h / (1.0 - theta * z).powi(2);
        for n in 0..60 {
            near(made.tangents[0][0][n as usize], f64::from(n) * slope * r.powi(n - 1) * 3.0, 1e-11);
            near(made.tangents[0][1][n as usize], r.powi(n), 1e-11);
        }
    }
}

/// x = x₀·exp(g·t), so that ∂x/∂g = t·x and ∂x/∂x₀ = exp(g·t).
#[test]
fn the_derivatives_of_a_decay_are_those_of_the_exponential() {
    for solver in VARIABLE.into_iter().chain(["rodas4"]) {
        let made = record(&decay(solver).simulation, 0, &[param(1, "Gain"), param(0, "Initial Value")], 60);
        let tolerance = if solver == "rodas4" { 1e-5 } else { 1e-7 };
        for n in 0..60 {
            let t = f64::from(n) * 0.125;
            near(made.tangents[0][0][n as usize], t * 3.0 * (-0.75 * t).exp(), tolerance);
            near(made.tangents[0][1][n as usize], (-0.75 * t).exp(), tolerance);
        }
    }
}

/// A stiff pair: x' = −1000·(x − y), y' = −k·y, where x follows y as y·1000/(1000 − k) after a short time.
#[test]
fn a_stiff_model_has_the_derivatives_of_its_slow_state() {
    for solver in ["rodas34", "radau35"] {
        let mut sketch = Sketch::new(0.5)
            .solver(solver)
            .block(0, "Math/Integrate", &[("Initial Value", &["0"])])
            .block(1, "Math/Gain", &[("Gain", &["1000"])])
            .block(2, "Math/Sum", &[("Signs", &["-+"])])
            .block(3, "Math/Integrate", &[("Initial Value", &["2"])])
            .block(4, "Math/Gain", &[("Gain", &["-0.5"])])
            .wires(
                "Main",
                &[
                    ("0.Output", "2.Input 1"),
                    ("3.Output", "2.Input 2"),
                    ("2.Output", "1.Input"),
                    ("1.Output", "0.Input"),
                    ("3.Output", "4.Input"),
                    ("4.Output", "3.Input"),
                ],
            );
        sketch.simulation.attributes.set("rtol", "1e-8");
        let made = record(&sketch.simulation, 0, &[param(4, "Gain"), param(3, "Initial Value")], 12);
        for n in 2..12 {
            let (t, g) = (0.5 * n as f64, -0.5_f64);
            let (e, part) = ((g * t).exp(), 1000.0 / (1000.0 + g));
            near(made.tangents[0][0][n], 2.0 * e * part * (t - 1.0 / (1000.0 + g)), 1e-5);
            near(made.tangents[0][1][n], e * part, 1e-5);
        }
    }
}

/// x' = −1 where x is above c, −k below: after the crossing at t = x₀ − c, x = c − k·(t − x₀ + c). So the derivative by
/// the threshold c jumps from 0 to 1 − k there, and that by x₀ from 1 to k. Nothing but the saltation makes it so.
#[test]
fn tangents_jump_where_a_comparator_switches() {
    for solver in VARIABLE {
        let mut sketch = Sketch::new(0.25)
            .solver(solver)
            .block(0, "Math/Integrate", &[("Initial Value", &["1.1"])])
            .block(1, "Logic/Compare To Constant", &[("Operator", &[">"]), ("Constant", &["0.4"])])
            .block(2, "Var/Static", &[("Value", &["-1"])])
            .block(3, "Var/Static", &[("Value", &["-2.5"])])
            .block(4, "Routing/Switch", &[("Threshold", &["0.5"])])
            .wires(
                "Main",
                &[
                    ("0.Output", "1.Input"),
                    ("2.Output", "4.Input 1"),
                    ("1.Output", "4.Control"),
                    ("3.Output", "4.Input 2"),
                    ("4.Output", "0.Input"),
                ],
            );
        sketch.simulation.attributes.set("rtol", "1e-9");
        let params = [param(1, "Constant"), param(0, "Initial Value"), param(3, "Value")];
        let made = record(&sketch.simulation, 0, &params, 9);
        for n in 0..9 {
            let t = 0.25 * n as f64;
            let since = t - 0.7;
            let want = if since < 0.0 { [0.0, 1.0, 0.0] } else { [1.0 - 2.5, 2.5, since] };
            for (number, want) in want.into_iter().enumerate() {
                near(made.tangents[0][number][n], want, 1e-8);
            }
        }
    }
}

/// A ball that falls from h and keeps e of its speed at each bounce: between the bounces n and n + 1 it is at
/// eⁿ·v·τ − g·τ²/2, τ after tₙ = (v/g)·(1 + 2·Σ eᵏ), where v² = 2·g·h.
#[test]
fn a_bouncing_ball_has_the_derivatives_of_its_parabolas() {
    for solver in VARIABLE {
        let mut sketch = Sketch::new(0.05)
            .solver(solver)
            .block(0, "Var/Static", &[("Value", &["-9.81"])])
            .block(
                1,
                "Continuous/Integrator",
                &[("Reset", &["falling"]), ("Initial Source", &["input"]), ("Show State", &["1"])],
            )
            .block(
                2,
                "Continuous/Integrator",
                &[("Initial Value", &["10"]), ("Limited", &["1"]), ("Lower Limit", &["0"])],
            )
            .block(3, "Math/Gain", &[("Gain", &["-0.8"])])
            .wires(
                "Main",
                &[
                    ("0.Output", "1.Input"),
                    ("1.Output", "2.Input"),
                    ("2.Output", "1.Reset"),
                    ("1.State", "3.Input"),
                    ("3.Output", "1.Initial"),
                ],
            );
        sketch.simulation.attributes.set("rtol", "1e-9");
        let made = record(&sketch.simulation, 2, &[param(3, "Gain"), param(2, "Initial Value")], 200);
        let (g, h, e): (f64, f64, f64) = (9.81, 10.0, 0.8);
        let v = (2.0 * g * h).sqrt();
        let sum = |n: i32, term: &dyn Fn(i32) -> f64| (1..n).map(term).sum::<f64>();
        let begin = |n: i32| v / g * (1.0 + 2.0 * sum(n, &|k| e.powi(k)));
        let mut bounces = 0;
        for step in 0..200 {
            let t = 0.05 * step as f64;
            while t > begin(bounces + 1) {
                bounces += 1;
            }
            let n = bounces;
            if n == 0 {
                near(made.tangents[0][0][step], 0.0, 1e-7);
                near(made.tangents[0][1][step], 1.0, 1e-7);
                continue;
            }
            let (tau, speed) = (t - begin(n), e.powi(n) * v);
            near(made.values[0][step], speed * tau - g * tau * tau / 2.0, 1e-5);
            let begin_by_e = v / g * 2.0 * sum(n, &|k| f64::from(k) * e.powi(k - 1));
            let by_e = f64::from(n) * e.powi(n - 1) * v * tau - (speed - g * tau) * begin_by_e;
            near(made.tangents[0][0][step], -by_e, 1e-5);
            let by_h = speed / (2.0 * h) * tau - (speed - g * tau) * begin(n) / (2.0 * h);
            near(made.tangents[0][1][step], by_h, 1e-5);
        }
        assert!(bounces >= 5, "{bounces} bounces");
    }
}

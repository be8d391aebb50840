//! Sensitivities of discrete models, delays, and conditional and iterated parts.

use super::{near, param, record};
use crate::sketch::Sketch;

/// x⁺ = k·x with an initial value, so that dx/dk = n·kⁿ⁻¹·x₀, and the same delayed by three steps.
#[test]
fn a_discrete_recursion_and_a_delay_are_differentiated_exactly() {
    let sketch = Sketch::new(1.0)
        .block(0, "Discrete/Unit Delay", &[("Initial Value", &["2"])])
        .block(1, "Math/Gain", &[("Gain", &["0.75"])])
        .block(2, "Discrete/Delay", &[("Length", &["3"]), ("Initial Value", &["-1"])])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "0.Input"), ("0.Output", "2.Input")]);
    let params = [param(1, "Gain"), param(0, "Initial Value"), param(2, "Initial Value")];
    let by = |n: i32| (f64::from(n) * 0.75_f64.powi(n - 1) * 2.0, 0.75_f64.powi(n), 0.0);
    for (watched, behind) in [(0, 0), (2, 3)] {
        let made = record(&sketch.simulation, watched, &params, 20);
        for n in 0..20 {
            let want = if n < behind { (0.0, 0.0, 1.0) } else { by(n - behind) };
            let got = |number: usize| made.tangents[0][number][n as usize];
            near(got(0), want.0, 1e-13);
            near(got(1), want.1, 1e-13);
            near(got(2), want.2, 1e-13);
        }
    }
}

/// A chain of delays: each takes the value of the one before it, all at once.
#[test]
fn delays_in_a_row_hand_their_tangents_on() {
    let mut sketch = Sketch::new(1.0);
    for id in 0..5_u64 {
        let initial = id.to_string();
        sketch = sketch.block(id, "Discrete/Unit Delay", &[("Initial Value", &[&initial])]);
    }
    for id in 0..5_u64 {
        sketch = sketch.wire(&format!("{id}.Output"), &format!("{}.Input", (id + 1) % 5));
    }
    let params: Vec<_> = (0..5).map(|id| param(id, "Initial Value")).collect();
    let made = record(&sketch.simulation, 3, &params, 12);
    for (number, tangents) in made.tangents[0].iter().enumerate() {
        for (step, tangent) in tangents.iter().enumerate() {
            let is_own = (3 + 5 * 4 - step) % 5 == number;
            assert_eq!(*tangent, f64::from(u8::from(is_own)), "by {number} in step {step}");
        }
    }
}

/// An enabled subsystem holds its output, and the tangents of it, while it does not run: it adds k in the steps in which
/// the square wave is on.
#[test]
fn an_idle_subsystem_holds_its_tangents() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .source(1, &[1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0])
        .block(2, "model Inner", &[])
        .block_in("Inner", 0, "entry in", &[])
        .block_in("Inner", 1, "entry on", &[])
        .mark("Inner", 1, &[("role", "enable")])
        .block_in("Inner", 2, "Math/Gain", &[("Gain", &["2"])])
        .block_in("Inner", 3, "Math/Sum", &[("Signs", &["++"])])
        .block_in("Inner", 4, "Discrete/Unit Delay", &[])
        .block_in("Inner", 5, "exit out", &[])
        .wires(
            "Inner",
            &[
                ("0.Output", "2.Input"),
                ("2.Output", "3.Input 1"),
                ("4.Output", "3.Input 2"),
                ("3.Output", "4.Input"),
                ("3.Output", "5.Input"),
            ],
        )
        .block(3, "Math/Gain", &[("Gain", &["0.5"])])
        .wires("Main", &[("0.Output", "2.in"), ("1.Output", "2.on"), ("2.out", "3.Input")]);
    let made = record(&sketch.simulation, 3, &[param(0, "Value"), param(3, "Gain")], 8);
    let runs = [1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 4.0, 5.0];
    for (step, runs) in runs.into_iter().enumerate() {
        near(made.tangents[0][0][step], runs, 1e-14);
        near(made.tangents[0][1][step], 6.0 * runs, 1e-14);
    }
}

/// A model that runs several times a step multiplies by k in each run.
#[test]
fn a_for_model_is_differentiated_run_by_run() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .block(1, "Var/Static", &[("Value", &["1.25"])])
        .block(2, "model Inner", &[])
        .block_in("Inner", 0, "entry factor", &[])
        .block_in("Inner", 1, "entry count", &[])
        .mark("Inner", 1, &[("role", "for")])
        .block_in("Inner", 2, "Math/Multiply", &[])
        .block_in("Inner", 3, "Discrete/Unit Delay", &[("Initial Value", &["2"])])
        .block_in("Inner", 4, "exit out", &[])
        .wires(
            "Inner",
            &[
                ("0.Output", "2.Multiplicand 1"),
                ("3.Output", "2.Multiplicand 2"),
                ("2.Product", "3.Input"),
                ("2.Product", "4.Input"),
            ],
        )
        .block(3, "Math/Gain", &[("Gain", &["1"])])
        .wires("Main", &[("1.Output", "2.factor"), ("0.Output", "2.count"), ("2.out", "3.Input")]);
    let made = record(&sketch.simulation, 3, &[param(1, "Value")], 6);
    for step in 0..6 {
        let n = 3 * (step + 1);
        near(made.values[0][step as usize], 2.0 * 1.25_f64.powi(n), 1e-13);
        near(made.tangents[0][0][step as usize], 2.0 * f64::from(n) * 1.25_f64.powi(n - 1), 1e-13);
    }
}

//! Sensitivities under solvers of fixed step: the derivatives of the recursion that the solver makes of a model.

use simulate::engine::{Context, Sensitivity, SensitivityError};

use super::{element, near, output, param, program, record};
use crate::sketch::Sketch;

/// x' = −a·x: integrator 0, gain 1.
fn decay(solver: &str, a: f64) -> Sketch {
    let gain = (-a).to_string();
    Sketch::new(0.125)
        .solver(solver)
        .block(0, "Math/Integrate", &[("Initial Value", &["3"])])
        .block(1, "Math/Gain", &[("Gain", &[&gain])])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "0.Input")])
}

/// A step of an explicit method of order p with as many stages multiplies x by the Taylor polynomial R(g·h) of the
/// exponential, so that x = R(g·h)ⁿ·x₀ and its derivative by g is n·h·R'·Rⁿ⁻¹·x₀.
#[test]
fn the_derivatives_of_a_decay_are_those_of_its_recursion() {
    for (solver, order) in [("euler", 1), ("heun", 2), ("rk4", 4)] {
        let (g, h, x0) = (-0.75, 0.125, 3.0);
        let made = record(&decay(solver, 0.75).simulation, 0, &[param(1, "Gain"), param(0, "Initial Value")], 100);
        let z: f64 = g * h;
        let terms: Vec<f64> = (0..=order).map(|power| (1..=power).map(f64::from).product::<f64>().recip()).collect();
        let r: f64 = terms.iter().zip(0..).map(|(term, power)| term * z.powi(power)).sum();
        let slope: f64 = terms.iter().zip(0..order).map(|(term, power)| term * z.powi(power)).sum();
        for n in 0..100 {
            near(made.values[0][n as usize], r.powi(n) * x0, 1e-13);
            near(made.tangents[0][0][n as usize], f64::from(n) * h * slope * r.powi(n - 1) * x0, 1e-12);
            near(made.tangents[0][1][n as usize], r.powi(n), 1e-13);
        }
    }
}

/// The numbers are those of complex steps with 60 digits (`pendulum.py`).
#[test]
fn a_pendulum_under_pid_control_has_the_derivatives_of_complex_steps() {
    let sketch = Sketch::new(0.01)
        .solver("rk4")
        .block(0, "Var/Static", &[("Value", &["0.25"])])
        .block(1, "Math/Sum", &[("Signs", &["+-"])])
        .block(
            2,
            "Continuous/PID Controller",
            &[("P", &["8"]), ("I", &["3"]), ("D", &["1.5"]), ("Filter Coefficient", &["40"])],
        )
        .block(3, "Math/Sum", &[("Signs", &["+-"])])
        .block(4, "Math/Integrate", &[])
        .block(5, "Math/Integrate", &[("Initial Value", &["0.7"])])
        .block(6, "Math/Trigonometry", &[("Function", &["sin"])])
        .block(7, "Math/Gain", &[("Gain", &["9.81"])])
        .wires(
            "Main",
            &[
                ("0.Output", "1.Input 1"),
                ("5.Output", "1.Input 2"),
                ("1.Output", "2.Error"),
                ("2.Output", "3.Input 1"),
                ("7.Output", "3.Input 2"),
                ("3.Output", "4.Input"),
                ("4.Output", "5.Input"),
                ("5.Output", "6.Input"),
                ("6.Output", "7.Input"),
            ],
        );
    let of_pid = ["P", "I", "D", "Filter Coefficient"].map(|name| param(2, name));
    let params: Vec<_> = of_pid.into_iter().chain([param(5, "Initial Value"), param(7, "Gain")]).collect();
    let made = record(&sketch.simulation, 5, &params, 301);
    let mut rows = 0;
    for line in include_str!("pendulum.csv").lines().skip(1) {
        let (step, want) = line.split_once(',').expect("a step");
        let step: usize = step.parse().expect("a number");
        for (tangents, want) in made.tangents[0].iter().zip(want.split(',')) {
            near(tangents[step], want.parse().expect("a number"), 1e-11);
        }
        rows += 1;
    }
    assert_eq!(rows, 7);
}

/// A vector has a derivative for each of its elements, and an element of a parameter moves its own alone.
#[test]
fn elements_are_differentiated_one_by_one() {
    let sketch = Sketch::new(0.1)
        .solver("euler")
        .block(0, "Var/Static", &[("Value", &["1", "2", "5"])])
        .block(1, "Math/Gain", &[("Gain", &["2", "3", "4"])])
        .block(2, "Math/Integrate", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
    let made = record(&sketch.simulation, 2, &[element(1, "Gain", 1), element(0, "Value", 2)], 11);
    for step in 0..11 {
        let time = 0.1 * step as f64;
        for (number, want) in [[0.0, 2.0 * time, 0.0], [0.0, 0.0, 4.0 * time]].iter().enumerate() {
            let got = &made.tangents[0][number][3 * step..][..3];
            got.iter().zip(want).for_each(|(got, want)| near(*got, *want, 1e-13));
        }
    }
}

#[test]
fn what_cannot_be_differentiated_is_refused_by_name() {
    let simulation = decay("rk4", 1.0).simulation;
    let program = program(&simulation);
    let watched = [output(&program, 0, "Output")];
    let refusal = |params| Sensitivity::new(&program, &[params], &watched).expect_err("it is refused");
    assert!(matches!(refusal(param(1, "Gian")), SensitivityError::Param(0, _)));
    assert_eq!(refusal(param(1, "Gian")).to_string(), "the block has no parameter “Gian”");
    assert_eq!(refusal(param(9, "Gain")).to_string(), "there is no such block");
    assert_eq!(refusal(element(1, "Gain", 3)).to_string(), "it has 1 elements, counted from 0");
}

/// The same program with tangents serves further values of its parameters.
#[test]
fn a_program_with_tangents_serves_other_values_of_its_parameters() {
    let program = program(&decay("rk4", 1.0).simulation);
    let watched = [output(&program, 0, "Output")];
    let params = [param(1, "Gain"), param(0, "Initial Value")];
    let sensitivity = Sensitivity::new(&program, &params, &watched).expect("there are sensitivities");
    let mut context = Context::new(sensitivity.program());
    for (gain, first) in [(-0.5, 2.0), (0.25, -1.0)] {
        for (param, value) in params.iter().zip([gain, first]) {
            context.set_param(&program, &param.param, &[value]).expect("it can change");
        }
        context.reset(sensitivity.program());
        let made = sensitivity.record(&mut context, 50).expect("the steps run");
        let z: f64 = 0.125 * gain;
        let r = 1.0 + z + z * z / 2.0 + z.powi(3) / 6.0 + z.powi(4) / 24.0;
        let slope = 0.125 * (1.0 + z + z * z / 2.0 + z.powi(3) / 6.0);
        for n in 0..50 {
            near(made.tangents[0][0][n as usize], f64::from(n) * slope * r.powi(n - 1) * first, 1e-12);
            near(made.tangents[0][1][n as usize], r.powi(n), 1e-13);
        }
    }
}

//! Equilibria, compared with closed forms.

use std::f64::consts::PI;

use simulate::engine::{AnalysisError, LinearState, SignalElement, Target, Trim, TrimResult};
use simulate::model::{BlockAddress, BlockId, ParamAddress};

use super::{element, near, pendulum};
use crate::sketch::Sketch;

fn trim(sketch: &Sketch, trim: &Trim) -> Result<TrimResult, AnalysisError> {
    let run = sketch.run();
    trim.solve(&run.program, &run.context)
}

fn state(found: &TrimResult, id: u64) -> f64 {
    let is_it = |(state, _): &&(LinearState, f64)| state.block.block == BlockId(id.into());
    found.states.iter().find(is_it).expect("the state").1
}

/// The pendulum is in equilibrium at sin θ = torque/14.01…; and the torque that holds it at 30° is found.
#[test]
fn a_pendulum_has_an_equilibrium() {
    let found = trim(&pendulum(0.3, 7.0), &Trim::default()).expect("a point");
    near(state(&found, 2), f64::asin(7.0 / 14.014285714285714));
    near(state(&found, 1), 0.0);
    let hold = Trim {
        free: vec![ParamAddress::new(&[], BlockId(0), "Value")],
        targets: vec![Target { element: element(2), value: PI / 6.0 }],
        ..Trim::default()
    };
    let found = trim(&pendulum(0.3, 0.0), &hold).expect("a point");
    near(found.params[0][0], 14.014285714285714 / 2.0);
    near(state(&found, 2), PI / 6.0);
    // It stays there in a run.
    let mut run = pendulum(0.3, 0.0).run();
    run.context = found.context;
    run.steps(1000);
    near(run.context.continuous[1], PI / 6.0);
}

/// x⁺ = 3·x·(1 - x) has the equilibrium 2/3; the history of a delay of three steps behind it is filled with that value.
#[test]
fn a_discrete_system_has_an_equilibrium() {
    let sketch = Sketch::new(1.0)
        .block(0, "Discrete/Unit Delay", &[("Initial Value", &["0.5"])])
        .block(1, "Math/Product", &[("Operations", &["**"])])
        .block(2, "Math/Gain", &[("Gain", &["-1"])])
        .block(3, "Math/Bias", &[("Bias", &["1"])])
        .block(4, "Math/Gain", &[("Gain", &["3"])])
        .block(5, "Discrete/Delay", &[("Length", &["3"])])
        .wires(
            "Main",
            &[
                ("0.Output", "2.Input"),
                ("2.Output", "3.Input"),
                ("0.Output", "1.Input 1"),
                ("3.Output", "1.Input 2"),
                ("1.Output", "4.Input"),
                ("4.Output", "0.Input"),
                ("0.Output", "5.Input"),
            ],
        );
    let found = trim(&sketch, &Trim::default()).expect("a point");
    near(state(&found, 0), 2.0 / 3.0);
    let ring: Vec<f64> =
        found.states.iter().filter(|(state, _)| state.age.is_some()).map(|(_, value)| *value).collect();
    assert_eq!(ring.len(), 3);
    ring.into_iter().for_each(|value| near(value, 2.0 / 3.0));
}

/// y = [1, 2, 3] + y/2 with a delay of two steps and one of a step, of vectors: all that they hold is [2, 4, 6].
#[test]
fn delays_of_vectors_are_in_equilibrium_element_by_element() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["1", "2", "3"])])
        .block(1, "Discrete/Delay", &[("Length", &["2"])])
        .block(2, "Discrete/Delay", &[("Length", &["1"])])
        .block(3, "Math/Gain", &[("Gain", &["0.5"])])
        .block(4, "Math/Sum", &[("Signs", &["++"])])
        .wires("Main", &[("0.Output", "4.Input 1"), ("4.Output", "1.Input"), ("1.Output", "2.Input")])
        .wires("Main", &[("2.Output", "3.Input"), ("3.Output", "4.Input 2")]);
    let found = trim(&sketch, &Trim::default()).expect("a point");
    assert_eq!(found.states.len(), 9);
    for (state, value) in &found.states {
        near(*value, 2.0 * (state.element + 1) as f64);
    }
}

/// x' = relay(x) - x from x = 5 on: the relay switches on, and is still on at 0.3, between its thresholds; from -5 on it
/// stays off, and x comes to -0.3.
#[test]
fn a_relay_stays_as_it_is_on_the_way_to_the_equilibrium() {
    for (begin, end) in [("5", 0.3), ("-5", -0.3)] {
        let sketch = Sketch::new(0.1)
            .block(0, "Math/Integrate", &[("Initial Value", &[begin])])
            .block(1, "Nonlinear/Relay", &[("On Value", &["0.3"]), ("Off Value", &["-0.3"])])
            .block(2, "Math/Sum", &[("Signs", &["+-"])])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input 1"), ("0.Output", "2.Input 2")])
            .wire("2.Output", "0.Input");
        let found = trim(&sketch, &Trim::default()).expect("a point");
        near(state(&found, 0), end);
        let mut run = sketch.run();
        run.context = found.context;
        run.steps(100);
        near(run.context.continuous[0], end);
    }
}

/// An integrator with a constant input cannot be balanced; one without input keeps its state.
#[test]
fn states_that_cannot_be_balanced_are_reported() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["2"])])
        .block(1, "Math/Integrate", &[("Initial Value", &["5"])])
        .block(2, "Math/Integrate", &[("Initial Value", &["7"])])
        .block(3, "Var/Static", &[("Value", &["0"])])
        .wires("Main", &[("0.Output", "1.Input"), ("3.Output", "2.Input")]);
    let found = trim(&sketch, &Trim::default()).expect("a point");
    let unbalanced: Vec<i128> = found.unbalanced.iter().map(|state| state.block.block.0).collect();
    assert_eq!(unbalanced, [1]);
    assert_eq!((state(&found, 1), state(&found, 2)), (5.0, 7.0));
    // x' = x² + 1 has no equilibrium.
    let sketch = Sketch::new(1.0)
        .block(0, "Math/Integrate", &[("Initial Value", &["3"])])
        .block(1, "Math/Product", &[("Operations", &["**"])])
        .block(2, "Math/Bias", &[("Bias", &["1"])])
        .wires(
            "Main",
            &[("0.Output", "1.Input 1"), ("0.Output", "1.Input 2"), ("1.Output", "2.Input"), ("2.Output", "0.Input")],
        );
    let refused = trim(&sketch, &Trim::default());
    assert!(matches!(refused, Err(AnalysisError::NoEquilibrium(..))), "{refused:?}");
}

#[test]
fn an_element_behind_the_last_cannot_be_held() {
    let target = Target { element: SignalElement { element: 1, ..element(2) }, value: 0.0 };
    let refused = trim(&pendulum(0.3, 0.0), &Trim { targets: vec![target], ..Trim::default() });
    assert!(matches!(refused, Err(AnalysisError::NoSignal(_))), "{:?}", refused.is_ok());
}

/// The angle keeps its value, so that nothing influences the target: it was left out without a word.
#[test]
fn a_target_that_nothing_influences_is_not_reached() {
    let held = Trim {
        fixed: vec![BlockAddress::new(&[], BlockId(2))],
        targets: vec![Target { element: element(2), value: 0.5 }],
        ..Trim::default()
    };
    let refused = trim(&pendulum(0.3, 14.014285714285714 * 0.3_f64.sin()), &held).map(|found| found.residual);
    assert!(matches!(refused, Err(AnalysisError::NoEquilibrium(left, _)) if (left - 0.2).abs() < 1e-12), "{refused:?}");
}

#[test]
fn each_element_of_a_history_has_its_equilibrium() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["3", "5"])])
        .block(1, "Discrete/Delay", &[("Length", &["3"])])
        .wire("0.Output", "1.Input");
    let found = trim(&sketch, &Trim::default()).expect("an equilibrium");
    assert_eq!(found.states.len(), 6);
    found.states.iter().for_each(|(state, value)| near(*value, [3.0, 5.0][state.element]));
}

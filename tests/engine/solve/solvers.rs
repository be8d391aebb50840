//! Solvers and continuous blocks, compared with closed forms.

use simulate::engine::Solver;

use crate::sketch::odes::{Net, counts, robertson, smooth};
use crate::sketch::{Run, Sketch};

/// The harmonic oscillator after one period: the error decreases with the step to the power of the solver's order.
#[test]
fn solvers_have_their_order() {
    let error = |solver: &str, steps: u32| {
        let turn = std::f64::consts::TAU;
        let mut run = Sketch::new(turn / f64::from(steps))
            .solver(solver)
            .block(0, "Math/Integrate", &[("Initial Value", &["1"])])
            .block(1, "Math/Integrate", &[])
            .block(2, "Math/Gain", &[("Gain", &["-1"])])
            .block(3, "exit x", &[])
            .wire("1.Output", "0.Input")
            .wire("0.Output", "2.Input")
            .wire("2.Output", "1.Input")
            .wire("0.Output", "3.Input")
            .run();
        run.steps(u64::from(steps) + 1);
        (run.exit("x")[0] - 1.0).abs().max(f64::MIN_POSITIVE)
    };
    for (solver, order, steps) in
        [("euler", 1.0, 2000), ("heun", 3.0, 200), ("rk4", 5.0, 100), ("dopri5", 5.0, 60), ("dopri8", 9.0, 12)]
    {
        // After full periods the error of the amplitude remains: of order 1 for Euler, of one order more than their own
        // for the others.
        let got = (error(solver, steps) / error(solver, 2 * steps)).log2();
        assert!((got - order).abs() < 0.35, "{solver}: order {got}, not {order}");
    }
}

/// x' = -2x + sin(3t), x(0) = 1: x = (1 + 3/13)·e^(-2t) + (2·sin(3t) - 3·cos(3t))/13.
#[test]
fn sources_are_seen_at_the_stages_times() {
    let mut run = Sketch::new(0.01)
        .block(0, "Var/Sine", &[("Frequency", &["3"])])
        .block(1, "Math/Sum", &[("Signs", &["+-"])])
        .block(2, "Math/Integrate", &[("Initial Value", &["1"])])
        .block(3, "Math/Gain", &[("Gain", &["2"])])
        .block(4, "exit x", &[])
        .wire("0.Output", "1.Input 1")
        .wire("3.Output", "1.Input 2")
        .wire("1.Output", "2.Input")
        .wire("2.Output", "3.Input")
        .wire("2.Output", "4.Input")
        .run();
    let t = 200.0 * 0.01;
    let want = (1.0 + 3.0 / 13.0) * (-2.0f64 * t).exp() + (2.0 * (3.0f64 * t).sin() - 3.0 * (3.0f64 * t).cos()) / 13.0;
    let got = run.steps(201).exit("x")[0];
    assert!((got - want).abs() < 1e-9, "{got}, not {want}");
}

/// The step response of 1/(s² + 2ζs + 1), ζ = 0.5: 1 - e^(-ζt)·(cos(ωt) + ζ/ω·sin(ωt)), ω = √(1 - ζ²).
#[test]
fn a_transfer_function_has_its_step_response() {
    let mut run = Sketch::new(0.01)
        .block(0, "Var/Static", &[])
        .block(1, "Continuous/Transfer Function", &[("Denominator", &["1", "1", "1"])])
        .block(2, "exit y", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input")
        .run();
    let omega = 0.75f64.sqrt();
    for step in 0..1000 {
        let t = f64::from(step) * 0.01;
        let want = 1.0 - (-0.5 * t).exp() * ((omega * t).cos() + 0.5 / omega * (omega * t).sin());
        let got = run.steps(1).exit("y")[0];
        assert!((got - want).abs() < 1e-9, "at {t}: {got}, not {want}");
    }
}

/// The step response of (s + 3)/(s + 2): 1.5 - 0.5·e^(-2t), with direct feedthrough.
#[test]
fn a_transfer_function_of_equal_powers_passes_its_input_through() {
    let mut run = Sketch::new(0.01)
        .block(0, "Var/Static", &[])
        .block(1, "Continuous/Transfer Function", &[("Numerator", &["2", "6"]), ("Denominator", &["2", "4"])])
        .block(2, "exit y", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input")
        .run();
    for step in 0..300 {
        let t = f64::from(step) * 0.01;
        let want = 1.5 - 0.5 * (-2.0 * t).exp();
        let got = run.steps(1).exit("y")[0];
        assert!((got - want).abs() < 1e-9, "at {t}: {got}, not {want}");
    }
}

/// A delayed sine, integrated, with the delay interpolated between steps: order 4 except for the interpolation error.
#[test]
fn a_transport_delay_delays_between_steps() {
    let mut run = Sketch::new(0.001)
        .block(0, "Var/Sine", &[])
        .block(1, "Continuous/Transport Delay", &[("Delay", &["0.5"])])
        .block(2, "Math/Integrate", &[])
        .block(3, "exit y", &[])
        .block(4, "exit x", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input")
        .wire("1.Output", "3.Input")
        .wire("2.Output", "4.Input")
        .run();
    run.steps(2001);
    let y = run.exit("y")[0];
    assert!((y - 1.5f64.sin()).abs() < 1e-12, "{y}");
    let x = run.exit("x")[0];
    assert!((x - (1.0 - 1.5f64.cos())).abs() < 1e-6, "{x}");
}

/// The limit is met exactly and left at once when the input changes its sign.
#[test]
fn a_limited_integrator_does_not_wind_up() {
    let mut run = Sketch::new(0.1)
        .block(0, "Var/Sine", &[])
        .block(1, "Continuous/Integrator", &[("Limited", &["1"]), ("Upper Limit", &["0.5"])])
        .block(2, "exit y", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input")
        .run();
    let trace = run.trace("y", 64);
    assert!(trace.iter().all(|y| *y <= 0.5), "never above");
    // 1 - cos(t) reaches 0.5 at 1.05 s and the sine changes its sign at 3.14 s.
    assert!(trace[11..31].iter().all(|y| *y == 0.5), "{trace:?}");
    assert!(trace[33] < 0.5, "{}", trace[33]);
}

/// An infinite state has no next step; that is an error, not an endless search.
#[test]
fn an_infinite_state_is_an_error_of_a_solver_of_variable_step() {
    for solver in ["dopri45", "rodas34", "radau35"] {
        let sketch = Sketch::new(0.1)
            .solver(solver)
            .block(0, "Math/Integrate", &[("Initial Value", &["inf"])])
            .block(1, "Math/Gain", &[("Gain", &["-1"])])
            .wire("0.Output", "1.Input")
            .wire("1.Output", "0.Input");
        for engine in ["simple", "flat", "compiled"] {
            let mut run = Run::new(&sketch.simulation, engine);
            let error = run.try_steps(3).expect_err("it fails");
            assert_eq!(error.step, 0, "{solver} {engine}: {error}");
        }
    }
}

/// The time of a stage is the sum of its factors, and the weights integrate powers of the time up to the order exactly,
/// as for every explicit Runge–Kutta method (Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I,
/// section II.1).
#[test]
fn tableaus_are_consistent() {
    let orders = [(Solver::Euler, 1), (Solver::Heun, 2), (Solver::Rk4, 4), (Solver::Dopri5, 5), (Solver::Dopri8, 8)];
    for (solver, order) in orders {
        let tableau = solver.tableau().expect("an explicit method of fixed step");
        assert_eq!(tableau.parts.len(), tableau.rows.len() + 1);
        for (row, part) in tableau.rows.iter().zip(&tableau.parts[1..]) {
            let sum: f64 = row.iter().map(|(_, factor)| factor).sum();
            assert!((sum - part).abs() < 1e-13, "{solver:?}: {sum} at {part}");
        }
        for power in 0..order {
            let terms = tableau.weights.iter().map(|&(stage, weight)| weight * tableau.parts[stage].powi(power));
            let (sum, want) = (terms.sum::<f64>() / tableau.divisor, 1.0 / f64::from(power + 1));
            assert!((sum - want).abs() < 1e-13, "{solver:?}: {sum} for {want}");
        }
    }
}

/// Every solver evaluates the rates twice at the begin, for the first step and its length. Dormand and Prince's method
/// has six new stages in each step that is tried, Rosenbrock's at most five, and each iteration of Radau's method three;
/// of those two each step that is made adds one at its end, and at most one for what is put out within it.
#[test]
fn evaluations_of_the_rates_are_counted() {
    let counted = |solver: &str, problem: fn(&mut Net)| {
        let mut net = Net::new(0.5).attribute("solver", solver).attribute("rtol", "1e-6").attribute("atol", "1e-9");
        problem(&mut net);
        let mut run = net.run("simple");
        run.steps(20);
        counts(&run.context)
    };
    let (made, refused, evaluations) = counted("dopri45", smooth);
    assert!(made > 20.0);
    assert_eq!(evaluations, 2.0 + 6.0 * (made + refused));
    let (made, refused, evaluations) = counted("rodas34", smooth);
    let stages = 2.0 + 5.0 * (made + refused) + made;
    assert!((stages..=stages + made + refused).contains(&evaluations), "{evaluations}, {made} + {refused}");
    let (made, refused, evaluations) = counted("radau35", robertson);
    let least = 2.0 + 3.0 * made + made;
    assert!(evaluations >= least, "{evaluations} are fewer than {least}: {made} + {refused}");
}

//! Where a decision on each side of a crossing drives the states back to it, solvers of variable step slide along it; what
//! jumps in ever shorter intervals comes to rest.

use simulate::engine::HeldSwitch;
use simulate::model::BlockId;

use crate::simx::load_sound;
use crate::sketch::{Run, Sketch};

const SOLVERS: [&str; 3] = ["dopri45", "rodas34", "radau35"];
const ENGINES: [&str; 2] = ["simple", "compiled"];

/// Runs a sketch with accurate solvers and compares an exit with a closed form at the given times.
fn check(sketch: &Sketch, exit: &str, times: &[f64], tolerance: f64, want: impl Fn(f64) -> f64) {
    let delta = sketch.simulation.delta;
    for solver in SOLVERS {
        let mut sketch = Sketch { simulation: sketch.simulation.clone() }.solver(solver);
        sketch.simulation.attributes.set("rtol", "1e-9");
        sketch.simulation.attributes.set("atol", "1e-11");
        for engine in ENGINES {
            let count = times.iter().fold(0.0, |most: f64, time| most.max(*time)) / delta;
            let trace = Run::new(&sketch.simulation, engine).trace(exit, count.round() as usize + 1);
            for time in times {
                let (got, want) = (trace[(time / delta).round() as usize], want(*time));
                assert!((got - want).abs() < tolerance, "{solver} on {engine}, at {time} s: {got}, not {want}");
            }
        }
    }
}

/// x' = −a·sign(x − r), from `x`; the block 0 is r.
fn follower(x: &str, a: &str, source: (&str, &[(&str, &[&str])])) -> Sketch {
    Sketch::new(0.1)
        .block(0, source.0, source.1)
        .block(1, "Math/Sum", &[("Signs", &["+-"])])
        .block(2, "Math/Sign", &[])
        .block(3, "Math/Gain", &[("Gain", &[a])])
        .block(4, "Math/Integrate", &[("Initial Value", &[x])])
        .block(5, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input 1"), ("4.Output", "1.Input 2"), ("1.Output", "2.Input")])
        .wires("Main", &[("2.Output", "3.Input"), ("3.Output", "4.Input"), ("4.Output", "5.Input")])
}

#[test]
fn a_sign_drives_to_zero_and_stays() {
    let sketch = follower("0.73", "1", ("Var/Static", &[("Value", &["0"])]));
    check(&sketch, "x", &[0.3, 0.7, 0.8, 2.0, 5.0], 1e-9, |t| (0.73 - t).max(0.0));
}

/// It falls from 2 until it meets sin t, which is slower than it; then it follows.
#[test]
fn a_sign_follows_what_is_slower_than_it() {
    let sketch = follower("2", "3", ("Var/Sine", &[("Frequency", &["1"])]));
    // 2 − 3·t = sin t at 0.506 s.
    check(&sketch, "x", &[0.2, 0.5, 0.6, 1.0, 2.0, 5.0], 1e-6, |t| if t < 0.506 { 2.0 - 3.0 * t } else { t.sin() });
}

#[test]
fn a_step_is_followed_and_held() {
    let sketch = follower("0", "1", ("Var/Step", &[("Step Time", &["1"])]));
    check(&sketch, "x", &[0.5, 1.0, 1.5, 2.0, 3.0, 4.0], 1e-9, |t| (t - 1.0).clamp(0.0, 1.0));
}

/// A source that jumps between the points of the grid, and one that is sampled, take the state along: it leaves the place
/// where it rests at once, with the speed 1.
#[test]
fn what_slides_is_released_by_a_jump() {
    let step: (&str, &[(&str, &[&str])]) = ("Var/Step", &[("Step Time", &["1.234"]), ("Final Value", &["-0.5"])]);
    check(&follower("0.25", "1", step), "x", &[0.2, 0.6, 1.2, 1.3, 1.5, 1.7, 1.8, 3.0], 1e-9, |t| match t {
        t if t < 1.234 => (0.25 - t).max(0.0),
        t => -(t - 1.234).min(0.5),
    });
    let stair: (&str, &[(&str, &[&str])]) =
        ("Var/Repeating Stair", &[("Values", &["0", "1"]), ("Sample Time", &["2"])]);
    check(&follower("0", "1", stair), "x", &[1.0, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5], 1e-9, |t| match t {
        t if t < 2.0 => 0.0,
        t if t < 4.0 => (t - 2.0).min(1.0),
        t => (5.0 - t).max(0.0),
    });
}

/// A relay without hysteresis is a sign.
#[test]
fn a_relay_without_hysteresis_slides() {
    let options: &[(&str, &[&str])] =
        &[("Switch On", &["0"]), ("Switch Off", &["0"]), ("On Value", &["-2"]), ("Off Value", &["1"])];
    let sketch = Sketch::new(0.1)
        .block(0, "Nonlinear/Relay", options)
        .block(1, "Math/Integrate", &[("Initial Value", &["-0.55"])])
        .block(2, "exit x", &[])
        .wires("Main", &[("1.Output", "0.Input"), ("0.Output", "1.Input"), ("1.Output", "2.Input")]);
    check(&sketch, "x", &[0.3, 0.5, 0.6, 1.0, 3.0], 1e-9, |t| (t - 0.55).min(0.0));
}

/// A vector of signs: each element slides on its own, the first while the second still moves.
#[test]
fn several_signs_slide_at_once() {
    let sketch = Sketch::new(0.1)
        .block(0, "Math/Integrate", &[("Initial Value", &["0.5", "-1.25", "3"])])
        .block(1, "Math/Sign", &[])
        .block(2, "Math/Gain", &[("Gain", &["-1", "-1", "-2"])])
        .block(3, "Math/Dot Product", &[])
        .block(4, "Var/Static", &[("Value", &["1", "10", "100"])])
        .block(5, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "0.Input")])
        .wires("Main", &[("0.Output", "3.A"), ("4.Output", "3.B"), ("3.Output", "5.Input")]);
    check(&sketch, "x", &[0.3, 0.8, 1.3, 1.4, 1.6, 3.0], 1e-7, |t| {
        (0.5 - t).max(0.0) + 10.0 * (t - 1.25).min(0.0) + 100.0 * (3.0 - 2.0 * t).max(0.0)
    });
}

/// A mass on a spring, k = m = 1, with Coulomb friction of 0.8, starts at 5: half waves of amplitude 4.2 around 0.8, of 2.6
/// around −0.8 and of 1 around 0.8; at −0.2 the spring is too weak.
fn oscillator() -> Sketch {
    Sketch::new(0.05)
        .block(0, "Math/Integrate", &[])
        .block(1, "Math/Integrate", &[("Initial Value", &["5"])])
        .block(2, "Nonlinear/Friction", &[("Offset", &["0.8"]), ("Gain", &["0"])])
        .block(3, "Math/Sum", &[("Signs", &["--"])])
        .block(4, "exit x", &[])
        .block(5, "exit v", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("0.Output", "2.Input"), ("2.Output", "3.Input 1")])
        .wires("Main", &[("1.Output", "3.Input 2"), ("3.Output", "0.Input"), ("1.Output", "4.Input")])
        .wires("Main", &[("0.Output", "5.Input")])
}

#[test]
fn friction_brings_an_oscillator_to_rest() {
    use std::f64::consts::PI;
    let place = |t: f64| match t / PI {
        turns if turns < 1.0 => 0.8 + 4.2 * t.cos(),
        turns if turns < 2.0 => -0.8 + 2.6 * t.cos(),
        turns if turns < 3.0 => 0.8 + t.cos(),
        _ => -0.2,
    };
    check(&oscillator(), "x", &[1.0, 3.0, 4.0, 6.0, 7.0, 9.0, 9.4, 9.5, 12.0, 30.0], 1e-6, place);
    check(&oscillator(), "v", &[9.5, 12.0, 30.0], 1e-6, |_| 0.0);
}

/// A force t on a mass of 1 with friction of 1: it sticks until 1 s, then v = (t − 1)²/2.
#[test]
fn a_body_sticks_until_the_force_is_strong_enough() {
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Clock", &[])
        .block(1, "Nonlinear/Friction", &[("Offset", &["1"]), ("Gain", &["0"])])
        .block(2, "Math/Sum", &[("Signs", &["+-"])])
        .block(3, "Math/Integrate", &[])
        .block(4, "exit v", &[])
        .wires("Main", &[("0.Output", "2.Input 1"), ("1.Output", "2.Input 2"), ("2.Output", "3.Input")])
        .wires("Main", &[("3.Output", "1.Input"), ("3.Output", "4.Input")]);
    check(&sketch, "v", &[0.3, 0.9, 1.0, 1.5, 3.0], 1e-8, |t| 0.5 * (t - 1.0).max(0.0).powi(2));
}

/// PI controllers that clamp, around a plant 1/(s² + s + 0.5), agree with a hundredth of the step.
#[test]
fn a_clamping_controller_agrees_with_short_steps() {
    for (p, i, limit) in [("2", "3", "0.8"), ("5", "1", "0.6"), ("0.5", "2", "0.55"), ("8", "6", "2")] {
        let low = format!("-{limit}");
        let sketch = |delta| {
            Sketch::new(delta)
                .block(0, "Var/Step", &[("Step Time", &["0.5"])])
                .block(1, "Math/Sum", &[("Signs", &["+-"])])
                .block(
                    2,
                    "Continuous/PID Controller",
                    &[
                        ("P", &[p]),
                        ("I", &[i]),
                        ("Limited", &["1"]),
                        ("Lower Limit", &[&low]),
                        ("Upper Limit", &[limit]),
                        ("Anti-Windup", &["clamping"]),
                    ],
                )
                .block(3, "Continuous/Transfer Function", &[("Denominator", &["1", "1", "0.5"])])
                .block(4, "exit y", &[])
                .wires("Main", &[("0.Output", "1.Input 1"), ("3.Output", "1.Input 2"), ("1.Output", "2.Error")])
                .wires("Main", &[("2.Output", "3.Input"), ("3.Output", "4.Input")])
        };
        let fine = Run::new(&sketch(1e-4).solver("rk4").simulation, "compiled").trace("y", 80_001);
        check(&sketch(0.01), "y", &[1.0, 2.0, 3.0, 5.0, 8.0], 2e-4, |t| fine[(t / 1e-4).round() as usize]);
    }
}

/// The ball of the example keeps 0.8 of its speed: it rests from 1.428·(1 + 2·0.8/0.2) = 12.85 s on.
#[test]
fn a_ball_comes_to_rest() {
    let simulation = load_sound(include_str!("../../../assets/examples/bouncing_ball.simx"));
    for solver in SOLVERS {
        let mut simulation = simulation.clone();
        simulation.attributes.set("solver", solver);
        for engine in ENGINES {
            let mut run = Run::new(&simulation, engine);
            run.steps(1_300);
            for _ in 0..30 {
                run.steps(617);
                let [height, speed] = ["height", "speed"].map(|name| run.exit(name)[0]);
                assert!(height.abs() < 1e-6 && speed.abs() < 1e-3, "{solver} on {engine}: {height} m, {speed} m/s");
            }
        }
    }
}

/// Filters of any speed settle at 1 with the default tolerances.
#[test]
fn fast_filters_settle_with_the_default_tolerances() {
    for (frequency, delta) in [("1", 1.0), ("1e4", 1e-3), ("1e6", 1e-5), ("1e9", 1e-8)] {
        for order in ["2", "3", "6"] {
            for solver in SOLVERS {
                let sketch = Sketch::new(delta)
                    .solver(solver)
                    .block(0, "Var/Static", &[("Value", &["1"])])
                    .block(1, "Continuous/Analog Filter Design", &[("Order", &[order]), ("Frequency", &[frequency])])
                    .block(2, "exit y", &[])
                    .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
                let got = Run::new(&sketch.simulation, "compiled").trace("y", 31)[30];
                assert!((got - 1.0).abs() < 1e-3, "{frequency} Hz, order {order}, {solver}: {got}");
            }
        }
    }
}

/// Who reads the results learns where a switch was held; that a limited state stays at its limit is no news.
#[test]
fn what_was_held_is_told_with_its_time() {
    for solver in SOLVERS {
        let sketch = follower("2", "3", ("Var/Sine", &[("Frequency", &["1"])])).solver(solver);
        let mut run = sketch.run();
        run.steps(5);
        assert_eq!(run.context.held_switches(&run.program), [], "{solver}: it still falls");
        run.steps(20);
        let held = run.context.held_switches(&run.program);
        let [HeldSwitch { since, block, is_at_rest: false }] = &held[..] else { panic!("{solver}: {held:?}") };
        // 2 − 3·t = sin t.
        assert!((2.0 - 3.0 * since - since.sin()).abs() < 1e-3 && block.block == BlockId(2), "{solver}: {held:?}");
        let limited = Sketch::new(0.1)
            .solver(solver)
            .block(0, "Var/Static", &[("Value", &["1"])])
            .block(1, "Continuous/Integrator", &[("Limited", &["1"]), ("Upper Limit", &["0.5"])])
            .block(2, "Nonlinear/Rate Limiter", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
        let mut run = limited.run();
        run.steps(20);
        assert_eq!(run.context.held_switches(&run.program), [], "{solver}: a limit");
    }
}

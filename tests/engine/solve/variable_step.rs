//! What a solver of variable step puts out between its own steps, and what it must not step over.

use crate::sketch::odes::Net;
use crate::sketch::{Run, Sketch};

const SOLVERS: [&str; 3] = ["dopri45", "rodas34", "radau35"];

/// A lag of a microsecond follows a cosine at once: x' = (cos t − x)/10⁻⁶, x = cos(t − 10⁻⁶) to 10⁻¹².
#[test]
fn a_fast_lag_follows_between_the_steps() {
    let mut net = Net::new(0.01).attribute("solver", "rodas34");
    net.simulation.steps = 2000;
    let u = net.sine(1.0, std::f64::consts::FRAC_PI_2);
    let x = net.state("x", 1.0);
    let rate = net.sum(&[(1e6, &u), (-1e6, &x)]);
    net.rate(&x, &rate);
    for engine in ["simple", "flat", "compiled"] {
        let mut run = net.run(engine);
        for (step, got) in run.trace("x", 2000).into_iter().enumerate().skip(1) {
            let want = (step as f64 * 0.01 - 1e-6).cos();
            // The tolerance is 10⁻³ relative and 10⁻⁶ absolute.
            assert!((got - want).abs() < 1.5e-3, "{engine}, step {step}: {got}, not {want}");
        }
    }
}

/// The same without a source that limits the step: the drive is itself a state.
#[test]
fn a_fast_lag_follows_a_state_between_the_steps() {
    let mut net = Net::new(0.01).attribute("solver", "rodas34").attribute("max-step", "1000");
    net.simulation.steps = 2000;
    let (c, s) = (net.state("c", 1.0), net.state("s", 0.0));
    let minus = net.sum(&[(-1.0, &s)]);
    net.rate(&c, &minus);
    net.rate(&s, &c);
    let x = net.state("x", 1.0);
    let rate = net.sum(&[(1e6, &c), (-1e6, &x)]);
    net.rate(&x, &rate);
    let mut run = net.run("compiled");
    for step in 0..2000 {
        run.steps(1);
        let (got, want) = (run.exit("x")[0], run.exit("c")[0]);
        assert!(step == 0 || (got - want).abs() < 3e-3, "step {step}: {got}, not {want}");
    }
}

/// The integral of a pulse at 50 s with a deviation of 10 ms is √(2π)/100.
#[test]
fn a_pulse_in_a_long_silence_is_met() {
    for solver in SOLVERS {
        let mut sketch = Sketch::new(0.1)
            .solver(solver)
            .block(0, "Var/Gaussian Pulse", &[("Centre", &["50"]), ("Width", &["0.01"])])
            .block(1, "Math/Integrate", &[])
            .block(2, "exit y", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
        sketch.simulation.steps = 1000;
        let mut run = Run::new(&sketch.simulation, "compiled");
        let got = run.steps(1000).exit("y")[0];
        let want = (2.0 * std::f64::consts::PI).sqrt() / 100.0;
        assert!((got - want).abs() < 2e-5, "{solver}: {got}, not {want}");
    }
}

/// A source that is one period long within each of the steps that a solver would like to make.
#[test]
fn no_step_is_longer_than_the_scale_of_a_source() {
    type Options = &'static [(&'static str, &'static [&'static str])];
    let waves: [(&str, Options); 4] = [
        ("Var/Sine", &[("Frequency", &["62.83185307179586"])]),
        ("Var/Signal Generator", &[("Frequency", &["10"])]),
        ("Var/Signal Generator", &[("Wave", &["triangle"]), ("Frequency", &["10"])]),
        ("Var/Chirp", &[("Initial Frequency", &["10"]), ("Target Frequency", &["10"])]),
    ];
    for (block, options) in waves {
        for solver in SOLVERS {
            // The integral of the square: for sines half the time, for the triangle a third.
            let mut sketch = Sketch::new(0.1)
                .solver(solver)
                .block(0, block, options)
                .block(1, "Math/Multiply", &[])
                .block(2, "Math/Integrate", &[])
                .block(3, "exit y", &[])
                .wires("Main", &[("0.Output", "1.Multiplicand 1"), ("0.Output", "1.Multiplicand 2")])
                .wires("Main", &[("1.Product", "2.Input"), ("2.Output", "3.Input")]);
            sketch.simulation.attributes.set("max-step", "1000");
            let mut run = Run::new(&sketch.simulation, "compiled");
            let got = run.steps(1001).exit("y")[0];
            let want = if options.iter().any(|(_, value)| value[0] == "triangle") { 100.0 / 3.0 } else { 50.0 };
            assert!((got - want).abs() < 0.02, "{block} {options:?} with {solver}: {got}, not {want}");
        }
    }
}

/// An integral of cos t, clamped to ±0.5: sin t until π/6, 0.5 until the cosine turns at π/2, then sin t − 0.5 until π,
/// −0.5 until 3π/2, then sin t + 0.5.
#[test]
fn a_controller_clamps_at_the_time_it_reaches_its_limit() {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_6, PI};
    let limits: [(&str, &[&str]); 3] =
        [("Lower Limit", &["-0.5"]), ("Upper Limit", &["0.5"]), ("Anti-Windup", &["clamping"])];
    let options = [("P", &["0"][..]), ("I", &["1"]), ("Limited", &["1"]), limits[0], limits[1], limits[2]];
    for solver in SOLVERS {
        let mut sketch = Sketch::new(0.03)
            .solver(solver)
            .block(0, "Var/Sine", &[("Frequency", &["1"]), ("Phase", &["pi/2"])])
            .block(1, "Continuous/PID Controller", &options)
            .block(2, "exit u", &[])
            .wires("Main", &[("0.Output", "1.Error"), ("1.Output", "2.Input")]);
        sketch.simulation.attributes.set("rtol", "1e-9");
        sketch.simulation.attributes.set("atol", "1e-11");
        for engine in ["simple", "flat", "compiled"] {
            for (step, got) in Run::new(&sketch.simulation, engine).trace("u", 200).into_iter().enumerate() {
                let t = step as f64 * 0.03;
                let want = match t {
                    t if t < FRAC_PI_6 => t.sin(),
                    t if t < FRAC_PI_2 => 0.5,
                    t if t < PI => t.sin() - 0.5,
                    t if t < 3.0 * FRAC_PI_2 => -0.5,
                    t => t.sin() + 0.5,
                };
                assert!((got - want).abs() < 1e-8, "{solver} on {engine}, {t} s: {got}, not {want}");
            }
        }
    }
}

/// Just behind the jump of a step the state is nearly 0, against which every rate is high: the first step is guessed
/// shorter than the time can tell. From 1 s on y = 1 − exp(1 s − t).
#[test]
fn a_state_that_is_nearly_nothing_is_left_behind() {
    for solver in SOLVERS {
        let mut sketch = Sketch::new(0.01)
            .solver(solver)
            .block(0, "Var/Step", &[("Step Time", &["1"])])
            .block(1, "Continuous/PT1", &[])
            .block(2, "exit y", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
        sketch.simulation.attributes.set("atol", "1e-12");
        sketch.simulation.attributes.set("rtol", "1e-6");
        for engine in ["simple", "flat", "compiled"] {
            let got = Run::new(&sketch.simulation, engine).steps(301).exit("y")[0];
            let want = -(-2.0_f64).exp_m1();
            assert!((got - want).abs() < 1e-6, "{solver}, {engine}: {got}, not {want}");
        }
    }
}

/// A step at a time that is no multiple of the grid: the integral of it is exact.
#[test]
fn a_step_jumps_at_its_own_time() {
    for solver in SOLVERS {
        let sketch = Sketch::new(0.1)
            .solver(solver)
            .block(0, "Var/Step", &[("Step Time", &["0.333"])])
            .block(1, "Math/Integrate", &[])
            .block(2, "exit y", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
        for engine in ["simple", "flat", "compiled"] {
            let got = Run::new(&sketch.simulation, engine).steps(11).exit("y")[0];
            assert!((got - 0.667).abs() < 1e-12, "{solver} on {engine}: {got}");
        }
    }
    // Fixed steps: at the first step at or after it.
    let got = Sketch::new(0.1)
        .block(0, "Var/Step", &[("Step Time", &["0.333"])])
        .block(1, "exit y", &[])
        .wires("Main", &[("0.Output", "1.Input")])
        .run()
        .trace("y", 6);
    assert_eq!(got, [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
}

/// A polygon of short corners in a long table of times: its integral is that of its trapezia.
#[test]
fn a_solver_stops_at_the_corners_of_a_curve_of_time() {
    for block in ["Var/Piecewise", "Var/Repeating Sequence"] {
        if simulate::block::Registry::standard().get("Var", &block[4..]).is_none() {
            panic!("there is no {block}");
        }
        for solver in SOLVERS {
            let times: &[&str] = &["0", "50", "50.01", "50.02", "100"];
            let values: &[&str] = &["0", "0", "100", "0", "0"];
            let mut sketch = Sketch::new(0.5)
                .solver(solver)
                .block(0, block, &[("Times", times), ("Values", values)])
                .block(1, "Math/Integrate", &[])
                .block(2, "exit y", &[])
                .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
            sketch.simulation.attributes.set("max-step", "1000");
            let got = Run::new(&sketch.simulation, "compiled").steps(190).exit("y")[0];
            assert!((got - 1.0).abs() < 1e-9, "{block} with {solver}: {got}");
        }
    }
}

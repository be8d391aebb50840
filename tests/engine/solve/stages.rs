//! Blocks with modes or memory, in the stages of a solver.

use crate::sketch::{Run, Sketch};

/// Returns the integral after each step: a source, a block and an integrator, by the Runge–Kutta method in steps of
/// 0.25 s.
fn integral(source: (&str, &[(&str, &[&str])]), block: (&str, &[(&str, &[&str])]), ports: [&str; 2]) -> Vec<f64> {
    let sketch = Sketch::new(0.25)
        .solver("rk4")
        .block(0, source.0, source.1)
        .block(1, block.0, block.1)
        .block(2, "Math/Integrate", &[])
        .block(3, "exit y", &[])
        .wire("0.Output", &format!("1.{}", ports[0]))
        .wire(&format!("1.{}", ports[1]), "2.Input")
        .wire("2.Output", "3.Input");
    let engines = ["simple", "flat", "compiled"];
    let traces = engines.map(|engine| Run::new(&sketch.simulation, engine).trace("y", 41));
    assert_eq!(traces[0], traces[1]);
    assert_eq!(traces[0], traces[2]);
    let [trace, ..] = traces;
    trace
}

const IN_OUT: [&str; 2] = ["Input", "Output"];

/// The input passes the value within steps, not at their begins: the output is 1 for one whole step each.
#[test]
fn a_decision_stays_for_the_step() {
    let wave: (&str, &[(&str, &[&str])]) = ("Var/Sine", &[("Phase", &["0.1"]), ("Frequency", &["3"])]);
    let value = |n: usize| (3.0 * 0.25 * n as f64 + 0.1).sin();
    let count = |is_hit: &dyn Fn(usize) -> bool, steps: usize| (0..steps).filter(|n| is_hit(*n)).count() as f64 * 0.25;
    let rises = |n: usize| value(n) > 0.0 && (n == 0 || value(n - 1) <= 0.0);
    let falls = |n: usize| n > 0 && value(n) <= 0.0 && value(n - 1) > 0.0;
    let above = |n: usize| value(n) > 0.5;
    let changes = |n: usize| value(n) != if n == 0 { 0.0 } else { value(n - 1) };
    let edge = integral(wave, ("Logic/Detect Edge", &[]), IN_OUT);
    let hit = integral(wave, ("Nonlinear/Hit Crossing", &[("Direction", &["falling"])]), IN_OUT);
    let change = integral(wave, ("Logic/Detect Change", &[]), IN_OUT);
    let relay = integral(wave, ("Nonlinear/Relay", &[("Switch On", &["0.5"]), ("Switch Off", &["0.5"])]), IN_OUT);
    for n in 0..41 {
        assert_eq!(edge[n], count(&rises, n), "edge, step {n}");
        assert_eq!(hit[n], count(&falls, n), "hit, step {n}");
        assert_eq!(change[n], count(&changes, n), "change, step {n}");
        assert_eq!(relay[n], count(&above, n), "relay, step {n}");
    }
}

/// The limited output is a line of slope 1 also between steps, which the method integrates exactly.
#[test]
fn a_limited_rate_goes_on_within_the_step() {
    let limiter = ("Nonlinear/Rate Limiter", &[("Begin With", &["value"] as &[&str])] as &[(&str, &[&str])]);
    let trace = integral(("Var/Static", &[("Value", &["100"])]), limiter, IN_OUT);
    for (n, got) in trace.iter().enumerate() {
        // The first output is the rise of one step.
        let (n, h) = (n as f64, 0.25);
        let want = h * h * (n * (n + 1.0) / 2.0 + n / 2.0);
        assert!((got - want).abs() < 1e-12 * want.max(1.0), "step {n}: {got}, not {want}");
    }
}

/// After a backlash of 1 a line of slope 1 follows half a unit later.
#[test]
fn play_is_followed_within_the_step() {
    let trace = integral(("Var/Clock", &[]), ("Nonlinear/Backlash", &[]), IN_OUT);
    for (n, got) in trace.iter().enumerate() {
        let time = 0.25 * n as f64;
        let want = (time - 0.5f64).max(0.0).powi(2) / 2.0;
        assert!((got - want).abs() < 1e-12 * want.max(1.0), "step {n}: {got}, not {want}");
    }
}

/// Pulses of a duty of 3/8 in periods of 2 s: six of sixteen steps.
#[test]
fn pulses_last_as_long_as_their_duty() {
    let pulses = integral(
        ("Var/Static", &[("Value", &["0.375"])]),
        ("Nonlinear/PWM", &[("Period", &["2"])]),
        ["Duty", "Output"],
    );
    for (n, got) in pulses.iter().enumerate() {
        let want = 0.25 * (n / 8 * 3 + (n % 8).min(3)) as f64;
        assert_eq!(*got, want, "step {n}");
    }
}

/// The delayed line is exact also at the times of the stages, at whole steps or fractions.
#[test]
fn a_delayed_line_is_a_line() {
    for delay in [0.0, 0.1, 0.25, 0.6] {
        let sketch = Sketch::new(0.25)
            .solver("rk4")
            .block(0, "Var/Clock", &[])
            .block(1, "Var/Static", &[("Value", &[delay.to_string().as_str()])])
            .block(2, "Continuous/Variable Time Delay", &[])
            .block(3, "Math/Integrate", &[])
            .block(4, "exit y", &[])
            .wire("0.Output", "2.Input")
            .wire("1.Output", "2.Delay")
            .wire("2.Output", "3.Input")
            .wire("3.Output", "4.Input");
        let trace = Run::new(&sketch.simulation, "compiled").trace("y", 41);
        // From the first step in which all stages read the delayed input.
        let first = (delay / 0.25f64).ceil() as usize;
        let line = |n: usize| (0.25 * n as f64 - delay).powi(2) / 2.0;
        for n in first..41 {
            let (got, want) = (trace[n] - trace[first], line(n) - line(first));
            assert!((got - want).abs() < 1e-12 * want.max(1.0), "{delay} s, step {n}: {got}, not {want}");
        }
    }
}

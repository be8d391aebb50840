//! Linear analysis of systems with delays in time, compared with closed forms.

use std::f64::consts::PI;

use simulate::block::math::{Complex, ComplexMath};
use simulate::engine::{AnalysisError, Channel, Linear, LinearizeRequest};

use super::{channel, near, near_all, wanted};
use crate::sketch::Sketch;

/// e^(−s)/(s + 1) has the phase −ω − arctan ω, also where it turns more than once from point to point.
#[test]
fn the_phase_of_a_delay_falls_without_end() {
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Continuous/Transport Delay", &[])
        .block(2, "Continuous/PT1", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
    let points = channel(&sketch.run(), 0, 2).frequency_response(0.01, 300.0, 100);
    assert_eq!(points.len(), 100);
    for point in points {
        let want = -(point.frequency + point.frequency.atan()).to_degrees();
        assert!((point.phase - want).abs() < 1e-8, "at {} rad/s: {}, not {want}", point.frequency, point.phase);
    }
}

/// k/(s + 1) behind a delay of half a second, from the input 0 to the output 2.
fn lag(gain: &str, solver: &str) -> Sketch {
    Sketch::new(0.1)
        .solver(solver)
        .block(0, "Var/Static", &[])
        .block(1, "Continuous/Transport Delay", &[("Delay", &["0.5"])])
        .block(2, "Continuous/Transfer Function", &[("Numerator", &[gain]), ("Denominator", &["1", "1"])])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")])
}

fn exponential(phase: f64) -> Complex {
    Complex::new(phase.cos(), phase.sin())
}

#[track_caller]
fn same(got: Complex, want: Complex) {
    assert!((got - want).abs() < 1e-11 * want.abs().max(1.0), "{got}, not {want}");
}

/// At any step, also while the delay still puts out its initial value.
#[test]
fn a_delay_is_exact_in_the_frequency_response() {
    for steps in [0, 3, 40] {
        let mut run = lag("2", "rk4").run();
        run.steps(steps);
        let of = channel(&run, 0, 2);
        for point in of.frequency_response(0.01, 100.0, 50) {
            let s = Complex::new(0.0, point.frequency);
            let want = (exponential(-0.5 * point.frequency) * Complex::from(2.0)).divided_by(s + Complex::from(1.0));
            same(point.value, want);
        }
        near(of.steady_gain(), 2.0);
    }
}

/// python-control 0.10, `pade(0.5, n)`: the poles are twice those of `pade(1, n)`, the zeros their mirror images.
#[test]
fn a_pade_form_has_its_order() {
    let third = [(-9.288_741_4, 0.0), (-7.355_629_3, 7.017_523_4), (-7.355_629_3, -7.017_523_4)];
    let first = [(-4.0, 0.0)];
    for (order, poles) in [(1, &first[..]), (3, &third[..])] {
        let run = lag("2", "rk4").run();
        let request = LinearizeRequest { pade_order: order, ..wanted(0, 2) };
        let linear = Linear::new(&run.program, &run.context, &request).expect("a linear system");
        assert_eq!(linear.states.len(), 1 + order);
        assert_eq!((linear.delays.len(), linear.delays[0].seconds), (1, 0.5));
        let of = linear.channel(0, 0).expect("a way");
        let with_lag: Vec<(f64, f64)> = poles.iter().copied().chain([(-1.0, 0.0)]).collect();
        near_all(of.poles.as_deref().expect("poles"), &with_lag, 1e-6);
        let zeros: Vec<(f64, f64)> = poles.iter().map(|(re, im)| (-re, *im)).collect();
        near_all(of.zeros.as_deref().expect("zeros"), &zeros, 1e-6);
        // It is e^(−s/2) up to the power of twice the order: at s = 0.1j.
        let s = Complex::new(0.0, 0.1);
        let exact = (exponential(-0.05) * Complex::from(2.0)).divided_by(s + Complex::from(1.0));
        let got = of.at(s).expect("no pole");
        let bound = if order == 1 { 3e-5 } else { 1e-13 };
        assert!((got - exact).abs() < bound, "order {order}: {got}, not {exact}");
    }
}

/// The loop k·e^(−s/2)/(s + 1) closed by −1: its response is G/(1 + G), also with the delay in the feedback.
#[test]
fn a_loop_around_a_delay_is_closed_exactly() {
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Sum", &[("Signs", &["+-"])])
        .block(2, "Continuous/Transport Delay", &[("Delay", &["0.5"])])
        .block(3, "Continuous/Transfer Function", &[("Numerator", &["2"]), ("Denominator", &["1", "1"])])
        .block(4, "Continuous/Transport Delay", &[("Delay", &["0.25"])])
        .wires("Main", &[("0.Output", "1.Input 1"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .wires("Main", &[("3.Output", "4.Input"), ("4.Output", "1.Input 2")]);
    let of = channel(&sketch.run(), 0, 3);
    for point in of.frequency_response(0.01, 50.0, 50) {
        let s = Complex::new(0.0, point.frequency);
        let lag = Complex::from(2.0).divided_by(s + Complex::from(1.0));
        let ahead = lag * exponential(-0.5 * point.frequency);
        let want = ahead.divided_by(Complex::from(1.0) + ahead * exponential(-0.25 * point.frequency));
        same(point.value, want);
    }
}

/// Delays that feed each other are a system of equations in complex numbers: (I − G·Δ)·w = g·u, y = u + c·Δ·w, where Δ
/// has e^(−jωτ). The values were computed with mpmath's `lu_solve`.
#[test]
fn delays_that_feed_each_other_are_closed_exactly() {
    let mut sketch = Sketch::new(0.1).block(0, "Var/Static", &[]).block(5, "Math/Gain", &[]).wire("4.w", "5.Input");
    let rows = [
        (1, "w = u + 0.5*a + 2*b - c"),
        (2, "w = 0.3*u - a + 0.25*b + 0.5*c"),
        (3, "w = -u + 1.5*a - 0.5*b + c"),
        (4, "w = u + a - 2*b + 3*c"),
    ];
    for (id, text) in rows {
        let options: &[(&str, &[&str])] = &[("Inputs", &["u a b c"]), ("Formula", &[text])];
        sketch = sketch.block(id, "User/Formula", options).wire("0.Output", &format!("{id}.u"));
    }
    for (id, seconds) in [(1, "1"), (2, "0.5"), (3, "0.3")] {
        let delay = 10 + id;
        sketch = sketch.block(delay, "Continuous/Transport Delay", &[("Delay", &[seconds])]);
        sketch = sketch.wire(&format!("{id}.w"), &format!("{delay}.Input"));
    }
    for id in 1..5 {
        for (delay, input) in [(11, "a"), (12, "b"), (13, "c")] {
            sketch = sketch.wire(&format!("{delay}.Output"), &format!("{id}.{input}"));
        }
    }
    let of = channel(&sketch.run(), 0, 5);
    for (from, to, want) in [
        (
            0.2,
            1.0,
            [(2.258_427_368_948_208, -0.780_960_867_807_416_4), (2.430_929_281_872_961_8, -1.500_570_822_191_786)],
        ),
        (
            3.7,
            12.5,
            [(3.709_176_269_947_662_7, 0.988_541_343_998_893_3), (2.246_185_789_612_491_5, 0.037_727_582_023_732_06)],
        ),
    ] {
        let points = of.frequency_response(from, to, 2);
        for (point, (re, im)) in points.iter().zip(want) {
            same(point.value, Complex::new(re, im));
        }
        assert_eq!(points.len(), 2);
    }
}

/// At 2π rad/s a loop of gain 1 through a delay of 1 s has the pivot 1 − e^(−2πj) = 0, and the solution is that of the
/// other rows: w = u + a + b, a = e^(−s)·w, b = e^(−s/4)·a, so that a = e^(−s)/(1 − e^(−s) − e^(−5s/4)) = −j.
#[test]
fn a_loop_that_a_delay_closes_upon_itself_is_solved_by_another_row() {
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Sum", &[("Signs", &["+++"])])
        .block(2, "Continuous/Transport Delay", &[("Delay", &["1"])])
        .block(3, "Continuous/Transport Delay", &[("Delay", &["0.25"])])
        .wires("Main", &[("0.Output", "1.Input 1"), ("2.Output", "1.Input 2"), ("3.Output", "1.Input 3")])
        .wires("Main", &[("1.Output", "2.Input"), ("2.Output", "3.Input")]);
    let of = channel(&sketch.run(), 0, 2);
    let point = of.frequency_response(2.0 * PI, 7.0, 2)[0];
    same(point.value, Complex::new(0.0, -1.0));
}

/// e^(−s/2)/s: the gain margin is π at π rad/s, the phase margin 90° less half a radian.
#[test]
fn margins_count_the_delay() {
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Continuous/Transport Delay", &[("Delay", &["0.5"])])
        .block(2, "Math/Integrate", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
    let margins = channel(&sketch.run(), 0, 2).margins();
    near(margins.gain, PI);
    near(margins.gain_at.expect("a crossover"), PI);
    near(margins.phase, 90.0 - 0.5f64.to_degrees());
    near(margins.phase_at.expect("a crossover"), 1.0);
}

/// y = u + y(t − 1)/2: a loop through a delay without a state. Its response is 1/(1 − e^(−s)/2).
#[test]
fn a_comb_filter_has_a_response() {
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Sum", &[])
        .block(2, "Continuous/Transport Delay", &[])
        .block(3, "Math/Gain", &[("Gain", &["0.5"])])
        .wires("Main", &[("0.Output", "1.Input 1"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .wires("Main", &[("3.Output", "1.Input 2")]);
    let of = channel(&sketch.run(), 0, 1);
    for point in of.frequency_response(0.1, 20.0, 30) {
        let delayed = exponential(-point.frequency) * Complex::from(0.5);
        same(point.value, Complex::from(1.0).divided_by(Complex::from(1.0) - delayed));
    }
    // With a gain of 1 the Padé form of even order, which is 1 at infinity, leaves no solution.
    let mut closed = sketch;
    let gain = closed.simulation.model_mut("Main").and_then(|main| main.block_mut(simulate::model::BlockId(3)));
    gain.expect("the gain").set_option("Gain", Some(&["1"]));
    let run = closed.run();
    let even = LinearizeRequest { pade_order: 2, ..wanted(0, 1) };
    assert_eq!(Linear::new(&run.program, &run.context, &even), Err(AnalysisError::Pade(2)));
    let odd = LinearizeRequest { pade_order: 3, ..wanted(0, 1) };
    assert!(Linear::new(&run.program, &run.context, &odd).is_ok());
}

/// In a discrete system the delay is a line of steps: with a unit delay of 0.1 s before it, z⁻⁴ for 0.3 s, and a straight
/// line between two powers for 0.35 s.
#[test]
fn a_delay_in_a_discrete_system_is_a_line_of_steps() {
    for (delay, powers) in [("0.3", [(4, 1.0), (5, 0.0)]), ("0.35", [(4, 0.5), (5, 0.5)])] {
        let sketch = Sketch::new(0.1)
            .block(0, "Var/Static", &[])
            .block(1, "Discrete/Unit Delay", &[])
            .block(2, "Continuous/Transport Delay", &[("Delay", &[delay])])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
        let of: Channel = channel(&sketch.run(), 0, 2);
        assert_eq!(of.period, Some(0.1));
        for point in of.frequency_response(0.1, 30.0, 20) {
            let turn = |power: i32| exponential(-0.1 * f64::from(power) * point.frequency);
            let want =
                powers.iter().fold(Complex::from(0.0), |sum, (power, part)| sum + turn(*power) * Complex::from(*part));
            same(point.value, want);
        }
    }
}

/// The time of a variable delay is that of the operating point.
#[test]
fn variable_delays_count_as_they_are() {
    for (block, input) in [("Variable Time Delay", "Delay"), ("Variable Transport Delay", "Transit Time")] {
        let sketch = Sketch::new(0.1)
            .block(0, "Var/Static", &[])
            .block(1, "Var/Static", &[("Value", &["0.7"])])
            .block(2, &format!("Continuous/{block}"), &[])
            .block(3, "Math/Integrate", &[])
            .wires("Main", &[("0.Output", "2.Input"), ("1.Output", &format!("2.{input}")), ("2.Output", "3.Input")]);
        let of = channel(&sketch.run(), 0, 3);
        let point = of.frequency_response(2.0, 3.0, 2)[0];
        same(point.value, exponential(-1.4).divided_by(Complex::new(0.0, 2.0)));
    }
}

//! Delays in time: the order of solvers with them, and what linear analysis makes of them.

use std::f64::consts::PI;

use simulate::block::math::{Complex, ComplexMath};
use simulate::engine::{AnalysisError, Channel, Linear, LinearizeRequest};

use super::analysis::{channel, near, near_all, wanted};
use super::{Run, Sketch};

/// x' = −x(t − 1), x = 1 before 0: by the method of steps a sum of (−1)ᵏ·(t − k + 1)ᵏ/k! over all k with t > k − 1.
pub fn by_steps(t: f64) -> f64 {
    let mut sum = 1.0;
    let mut factorial = 1.0;
    let mut k = 1;
    while t > f64::from(k - 1) {
        factorial *= f64::from(k);
        sum += (-1.0f64).powi(k) * (t - f64::from(k - 1)).powi(k) / factorial;
        k += 1;
    }
    sum
}

/// The same equation with one of the three delays, and its error at 6 s with so many steps a second.
fn error_of_steps(block: &str, solver: &str, steps: u32) -> f64 {
    let delta = 1.0 / f64::from(steps);
    let mut sketch = Sketch::new(delta)
        .solver(solver)
        .block(0, "Math/Integrate", &[("Initial Value", &["1"])])
        .block(2, "Math/Gain", &[("Gain", &["-1"])])
        .block(3, "exit x", &[])
        .block(4, "Var/Static", &[("Value", &["1"])])
        .block(1, block, &[("Initial Value", &["1"])])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "0.Input")])
        .wires("Main", &[("0.Output", "3.Input")]);
    if let Some(input) = match block {
        "Continuous/Variable Time Delay" => Some("1.Delay"),
        "Continuous/Variable Transport Delay" => Some("1.Transit Time"),
        _ => None,
    } {
        sketch = sketch.wire("4.Output", input);
    }
    sketch.simulation.attributes.set("loops", "solve");
    let mut run = Run::new(&sketch.simulation, "compiled");
    run.steps(6 * u64::from(steps) + 1);
    (run.exit("x")[0] - by_steps(6.0)).abs()
}

#[test]
fn solvers_keep_their_order_with_a_delay() {
    for block in ["Continuous/Transport Delay", "Continuous/Variable Transport Delay", "Continuous/Variable Time Delay"]
    {
        for (solver, order) in [("euler", 1.0), ("heun", 2.0), ("rk4", 4.0), ("rodas4", 4.0), ("dopri5", 4.0)] {
            let [coarse, fine] = [16, 32].map(|steps| error_of_steps(block, solver, steps));
            let found = (coarse / fine).log2();
            assert!(found > order - 0.35, "{block} with {solver}: order {found} ({coarse:e}, {fine:e})");
            assert!(order < 4.0 || fine < 2e-6, "{block} with {solver}: {fine:e}");
        }
    }
}

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

/// A pipe whose transit time varies: p(t) = ∫dt/tᵢ = t + sin(t)/2, y(t) = u(t − τ) with p(t − τ) = p(t) − 1.
#[test]
fn a_pipe_of_varying_speed_has_the_order_of_the_solver() {
    let moved = |t: f64| t + 0.5 * t.sin();
    let entered = |t: f64| {
        let (mut low, mut high) = (0.0, t);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if moved(middle) < moved(t) - 1.0 { low = middle } else { high = middle }
        }
        low
    };
    let error = |solver: &str, steps: u64| {
        let delta = 1.0 / steps as f64;
        let sketch = Sketch::new(delta)
            .solver(solver)
            .block(0, "Var/Sine", &[("Frequency", &["2"])])
            .block(1, "Var/Waveform", &[("Formula", &["y = 1/(1 + cos(t)/2)"])])
            .block(3, "Continuous/Variable Transport Delay", &[])
            .block(4, "exit y", &[])
            .wires("Main", &[("0.Output", "3.Input"), ("1.y", "3.Transit Time"), ("3.Output", "4.Input")]);
        let mut run = Run::new(&sketch.simulation, "compiled");
        let trace = run.trace("y", 8 * steps as usize + 1);
        // Where the pipe is full of what came after the begin; the mean, since where the input bends the other way a
        // straight line is taken for a step or two.
        let seen = 2 * steps as usize..trace.len();
        let count = seen.len() as f64;
        seen.map(|step| (trace[step] - (2.0 * entered(step as f64 * delta)).sin()).abs()).sum::<f64>() / count
    };
    for (solver, order, bound) in [("euler", 1.0, 0.1), ("rk4", 4.0, 1e-8)] {
        let [coarse, fine] = [128, 256].map(|steps| error(solver, steps));
        let found = (coarse / fine).log2();
        assert!(found > order - 0.35 && fine < bound, "{solver}: order {found} ({coarse:e}, {fine:e})");
    }
}

/// Beside a jump nothing overshoots, and what is a multiple of the step is exact.
#[test]
fn a_delayed_step_does_not_overshoot() {
    for (delay, solver) in [("0.35", "rk4"), ("0.3", "rk4"), ("0.3", "euler"), ("0.47", "rk4")] {
        let sketch = Sketch::new(0.1)
            .solver(solver)
            .block(0, "Var/Step", &[("Step Time", &["1"])])
            .block(1, "Continuous/Transport Delay", &[("Delay", &[delay])])
            .block(2, "exit y", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
        let trace = sketch.run().trace("y", 30);
        assert!(trace.iter().all(|y| (0.0..=1.0).contains(y)), "{delay}: {trace:?}");
        if delay == "0.3" {
            assert_eq!((trace[12], trace[13]), (0.0, 1.0));
        }
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

const DELAYS: [&str; 2] = ["Continuous/Transport Delay", "Continuous/Variable Time Delay"];

/// A source, one of the delays or two in series, and an integrator behind it, `i`; `d` is what is delayed.
fn delayed(block: &str, (source, options): (&str, &[(&str, &[&str])]), seconds: &str, count: u64) -> Sketch {
    let mut sketch = Sketch::new(0.1)
        .block(0, source, options)
        .block(1, "Math/Integrate", &[])
        .block(2, "exit i", &[])
        .block(3, "exit d", &[])
        .block(4, "Var/Static", &[("Value", &[seconds])])
        .wires("Main", &[("1.Output", "2.Input")]);
    let mut from = "0.Output".to_owned();
    for id in 10..10 + count {
        let is_fixed = block == DELAYS[0];
        sketch = match is_fixed {
            true => sketch.block(id, block, &[("Delay", &[seconds])]),
            false => sketch.block(id, block, &[]).wire("4.Output", &format!("{id}.Delay")),
        };
        sketch = sketch.wire(&from, &format!("{id}.Input"));
        from = format!("{id}.Output");
    }
    sketch.wire(&from, "1.Input").wire(&from, "3.Input")
}

const FIXED: [&str; 6] = ["heun", "rk4", "dopri5", "dopri8", "trapezoidal", "rodas4"];
const VARIABLE: [&str; 3] = ["dopri45", "rodas34", "radau35"];

/// A ramp that is delayed by less than a step: the kink at 0.03 s is within a step, behind it all is exact.
#[test]
fn a_ramp_is_delayed_by_less_than_a_step() {
    for block in DELAYS {
        for solver in FIXED.into_iter().chain(VARIABLE) {
            let mut sketch = delayed(block, ("Var/Clock", &[]), "0.03", 1).solver(solver);
            sketch.simulation.attributes.set("rtol", "1e-9");
            let mut run = Run::new(&sketch.simulation, "compiled");
            let (mut first, mut last) = (0.0, 0.0);
            for step in 0..11 {
                run.steps(1);
                let time = f64::from(step) * 0.1;
                assert!((run.exit("d")[0] - (time - 0.03).max(0.0)).abs() < 1e-12, "{block}, {solver}, at {time} s");
                last = run.exit("i")[0];
                if step == 1 {
                    first = last;
                }
            }
            // From 0.1 s on: (0.97² − 0.07²)/2.
            assert!((last - first - 0.468).abs() < 1e-9, "{block}, {solver}: {last} − {first}");
            assert!((last - 0.47045).abs() < 2e-3, "{block}, {solver}: {last}");
        }
    }
}

/// A step that enters a delay leaves it as a step: ∫ from 0.5 s + τ on, through one delay and through three.
#[test]
fn a_step_leaves_a_delay_as_a_step() {
    let step: (&str, &[(&str, &[&str])]) = ("Var/Step", &[("Step Time", &["0.5"])]);
    for block in DELAYS {
        for solver in FIXED.into_iter().chain(VARIABLE) {
            for engine in ["simple", "compiled"] {
                for (seconds, count, want) in [("0.1", 1, 0.4), ("0.2", 1, 0.3), ("0.1", 3, 0.2), ("0.3", 1, 0.2)] {
                    let sketch = delayed(block, step, seconds, count).solver(solver);
                    let got = Run::new(&sketch.simulation, engine).trace("i", 11)[10];
                    assert!(
                        (got - want).abs() < 1e-9,
                        "{count} of {block} by {seconds} s, {solver}: {got}, not {want}"
                    );
                }
            }
        }
    }
}

/// What is delayed by less than a step keeps the order of the solver: ∫ sin(t − 0.03) dt.
#[test]
fn a_short_delay_keeps_the_order() {
    for block in DELAYS {
        for (solver, order) in [("heun", 2.0), ("rk4", 3.0)] {
            let error = |steps: u32| {
                let delta = 1.0 / f64::from(steps);
                let mut sketch = delayed(block, ("Var/Sine", &[("Frequency", &["1"])]), "0.01", 1).solver(solver);
                sketch.simulation.delta = delta;
                let count = 4 * steps as usize + 1;
                let trace = Run::new(&sketch.simulation, "compiled").trace("i", count);
                // Behind the start, where the signal begins.
                let from = steps as usize;
                let closed = |t: f64| -(t - 0.01).cos();
                (trace[count - 1] - trace[from] - (closed(4.0) - closed(1.0))).abs()
            };
            let (coarse, fine) = (error(8), error(16));
            let found = (coarse / fine).log2();
            assert!(found > order - 0.4, "{block} with {solver}: order {found} ({coarse:e}, {fine:e})");
        }
    }
}

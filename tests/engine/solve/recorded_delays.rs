//! Delays with solvers of variable step: the past is what the solver itself has seen, so that the grid does not matter.
//! Closed forms, on every solver and engine.

use simulate::engine::{Context, Trim};

use crate::sketch::{Run, Sketch};

const SOLVERS: [&str; 3] = ["dopri45", "rodas34", "radau35"];
const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];

/// Runs a model to `end` seconds on several grids and compares the exit x with its closed form at each of their points.
fn check(name: &str, sketch: &Sketch, deltas: &[f64], end: f64, tolerance: f64, closed: impl Fn(f64) -> f64) {
    for delta in deltas {
        for solver in SOLVERS {
            let mut simulation = sketch.simulation.clone();
            simulation.delta = *delta;
            for (attribute, value) in [("solver", solver), ("rtol", "1e-10"), ("atol", "1e-12"), ("loops", "solve")] {
                simulation.attributes.set(attribute, value);
            }
            for engine in ENGINES {
                let mut run = Run::new(&simulation, engine);
                let steps = (end / delta).round() as usize;
                for (step, got) in run.trace("x", steps + 1).into_iter().enumerate() {
                    let (time, want) = (step as f64 * delta, closed(step as f64 * delta));
                    assert!(
                        (got - want).abs() < tolerance,
                        "{name}, {solver} on {engine}, step {delta} s, at {time} s: {got}, not {want}"
                    );
                }
            }
        }
    }
}

/// A jump of the input at 0.37 s leaves two delays as a jump, at 0.91 s, and then rises as a ramp.
#[test]
fn a_jump_stays_a_jump_through_a_chain() {
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Step", &[("Step Time", &["0.37"])])
        .block(1, "Continuous/Transport Delay", &[("Delay", &["0.21"])])
        .block(2, "Continuous/Transport Delay", &[("Delay", &["0.33"])])
        .block(3, "Math/Integrate", &[])
        .block(4, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .wires("Main", &[("3.Output", "4.Input")]);
    check("a chain", &sketch, &[0.1, 0.5, 3.0], 3.0, 1e-13, |t| (t - 0.91).max(0.0));
}

/// The same jump as it leaves, without any state that is integrated.
#[test]
fn a_delay_needs_no_other_state() {
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Step", &[("Step Time", &["0.37"]), ("Initial Value", &["2"]), ("Final Value", &["5"])])
        .block(1, "Continuous/Transport Delay", &[("Delay", &["0.21"]), ("Initial Value", &["-1"])])
        .block(2, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
    check("a jump", &sketch, &[0.1, 0.01, 0.7], 2.1, 1e-15, |t| match t {
        t if t < 0.21 => -1.0,
        t if t < 0.58 => 2.0,
        _ => 5.0,
    });
}

/// A ramp and a delay that is shorter than the step, and shorter than the solver's own steps may be.
#[test]
fn a_short_delay_is_as_exact_as_a_long_one() {
    for delay in [0.03, 0.001, 1e-7] {
        let sketch = Sketch::new(0.1)
            .block(0, "Var/Clock", &[])
            .block(1, "Continuous/Transport Delay", &[("Delay", &[&delay.to_string()])])
            .block(2, "Math/Integrate", &[])
            .block(3, "exit x", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")]);
        check("a ramp", &sketch, &[0.1, 1.0], 2.0, 1e-9, |t| 0.5 * (t - delay).max(0.0).powi(2));
    }
}

/// x' = −x(t − 1), x = 1 before 0: Bellen, Zennaro: Numerical Methods for Delay Differential Equations, 2003, section 1.1.
/// By the method of steps x is a sum of (−1)ᵏ·(t − k + 1)ᵏ/k! over all k with t > k − 1.
#[test]
fn breaking_points_propagate_through_a_loop() {
    for block in ["Continuous/Transport Delay", "Continuous/Variable Time Delay", "Continuous/Variable Transport Delay"]
    {
        let sketch = Sketch::new(0.1)
            .block(0, "Math/Integrate", &[("Initial Value", &["1"])])
            .block(1, block, &[("Initial Value", &["1"])])
            .block(2, "Math/Gain", &[("Gain", &["-1"])])
            .block(3, "exit x", &[])
            .block(4, "Var/Static", &[("Value", &["1"])])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "0.Input")])
            .wires("Main", &[("0.Output", "3.Input")]);
        let sketch = match block {
            "Continuous/Variable Time Delay" => sketch.wire("4.Output", "1.Delay"),
            "Continuous/Variable Transport Delay" => sketch.wire("4.Output", "1.Transit Time"),
            _ => sketch,
        };
        check(block, &sketch, &[0.3, 2.0], 6.0, 2e-7, super::delays::by_steps);
    }
}

/// y₁' = y₁(t − 1), y₂' = y₁(t − 1) + y₂(t − 0.2), y₃' = y₂, all 1 before 0: Willé, Baker: DELSOL, Appl. Num. Math. 9,
/// 1992, and the first example of Shampine, Thompson: Solving DDEs in MATLAB, 2001. Up to 1 s y₁ = 1 + t, and y₂ follows
/// from its own delay alone.
#[test]
fn two_delays_break_at_all_sums_of_theirs() {
    let integrator: &[(&str, &[&str])] = &[("Initial Value", &["1"])];
    let delay = |seconds: &'static str| [("Delay", vec![seconds]), ("Initial Value", vec!["1"])];
    let mut sketch = Sketch::new(0.1)
        .block(0, "Math/Integrate", integrator)
        .block(1, "Math/Integrate", integrator)
        .block(4, "Math/Sum", &[])
        .block(6, "exit x", &[]);
    for (id, seconds) in [(2, "1"), (3, "0.2")] {
        let options = delay(seconds);
        let options: Vec<(&str, &[&str])> = options.iter().map(|(name, values)| (*name, &values[..])).collect();
        sketch = sketch.block(id, "Continuous/Transport Delay", &options);
    }
    let sketch = sketch
        .wires("Main", &[("0.Output", "2.Input"), ("2.Output", "0.Input"), ("2.Output", "4.Input 1")])
        .wires("Main", &[("1.Output", "3.Input"), ("3.Output", "4.Input 2"), ("4.Output", "1.Input")])
        .wire("1.Output", "6.Input");
    // Polynomials of t by the method of steps, in pieces of 0.2 s, as coefficients from the lowest; of y₁ and of y₂.
    let mut pieces: [Vec<Vec<f64>>; 2] = [Vec::new(), Vec::new()];
    for piece in 0..15 {
        // Within a piece s = t − 0.2·piece.
        let before = |back: usize, of: usize| if piece < back { vec![1.0] } else { pieces[of][piece - back].clone() };
        let (one, two) = (before(5, 0), before(1, 1));
        let both: Vec<f64> = (0..one.len().max(two.len()))
            .map(|power| one.get(power).unwrap_or(&0.0) + two.get(power).unwrap_or(&0.0))
            .collect();
        let start = |of: usize| pieces[of].last().map_or(1.0, |last| value(last, 0.2));
        let integral = |start: f64, rate: &[f64]| {
            let rest = rate.iter().enumerate().map(|(power, factor)| factor / (power + 1) as f64);
            std::iter::once(start).chain(rest).collect::<Vec<f64>>()
        };
        let made = [integral(start(0), &one), integral(start(1), &both)];
        pieces.iter_mut().zip(made).for_each(|(pieces, made)| pieces.push(made));
    }
    let closed = |t: f64| {
        let piece = ((t / 0.2 + 1e-9) as usize).min(14);
        value(&pieces[1][piece], t - 0.2 * piece as f64)
    };
    assert!((closed(0.2) - 1.4).abs() < 1e-15, "y₂ = 1 + 2t at first");
    check("two delays", &sketch, &[0.1, 1.5], 3.0, 1e-6, closed);
}

fn value(coefficients: &[f64], at: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, factor| sum * at + factor)
}

/// The pantograph equation y' = y(t/2), y(0) = 1, whose delay is t/2 and vanishes at 0: a sum of 2^(−k(k−1)/2)·tᵏ/k!
/// (Bellen, Zennaro, section 1.1).
#[test]
fn a_delay_may_vanish() {
    let sketch = Sketch::new(0.1)
        .block(0, "Math/Integrate", &[("Initial Value", &["1"])])
        .block(1, "Var/Clock", &[])
        .block(2, "Math/Gain", &[("Gain", &["0.5"])])
        .block(3, "Continuous/Variable Time Delay", &[("Initial Value", &["1"])])
        .block(4, "exit x", &[])
        .wires("Main", &[("1.Output", "2.Input"), ("2.Output", "3.Delay"), ("0.Output", "3.Input")])
        .wires("Main", &[("3.Output", "0.Input"), ("0.Output", "4.Input")]);
    check("pantograph", &sketch, &[0.1, 1.0], 4.0, 1e-6, |t| {
        let (mut sum, mut term) = (0.0, 1.0);
        for k in 0..60 {
            sum += term;
            term *= t / f64::from(k + 1) * 0.5f64.powi(k);
        }
        sum
    });
}

/// A delay that depends on the state: y' = y·y(ln y)/t from t = 1, y = 1 up to there; y = t up to e, then e^(t/e) up to e²
/// (Neves: Automatic integration of functional differential equations, ACM TOMS 1, 1975).
#[test]
fn a_delay_may_depend_on_what_it_delays() {
    let sketch = Sketch::new(0.1)
        .block(0, "Math/Integrate", &[("Initial Value", &["1"])])
        // The run begins at t = 1.
        .block(1, "User/Formula", &[("Inputs", &["y"]), ("Formula", &["d = t + 1 - ln(y)"])])
        .block(2, "Continuous/Variable Time Delay", &[("Initial Value", &["1"])])
        .block(3, "User/Formula", &[("Inputs", &["y z"]), ("Formula", &["rate = y*z/(t + 1)"])])
        .block(4, "exit x", &[])
        .wires("Main", &[("0.Output", "1.y"), ("1.d", "2.Delay"), ("0.Output", "2.Input")])
        .wires("Main", &[("0.Output", "3.y"), ("2.Output", "3.z"), ("3.rate", "0.Input"), ("0.Output", "4.Input")]);
    let e = std::f64::consts::E;
    let closed = |s: f64| if s + 1.0 < e { s + 1.0 } else { ((s + 1.0) / e).exp() };
    check("Neves", &sketch, &[0.1, 1.0], 6.0, 1e-5, closed);
}

/// A pipe whose transit time varies: p(t) = ∫dt/tᵢ = t + sin(t)/2, and what has entered leaves when p has grown by 1. The
/// input jumps at 1 s.
#[test]
fn a_jump_leaves_a_pipe_in_time() {
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Step", &[("Step Time", &["1"])])
        .block(1, "Var/Waveform", &[("Formula", &["y = 1/(1 + cos(t)/2)"])])
        .block(2, "Continuous/Variable Transport Delay", &[])
        .block(3, "Math/Integrate", &[])
        .block(4, "exit x", &[])
        .wires("Main", &[("0.Output", "2.Input"), ("1.y", "2.Transit Time"), ("2.Output", "3.Input")])
        .wire("3.Output", "4.Input");
    let moved = |t: f64| t + 0.5 * t.sin();
    let (mut low, mut high) = (1.0, 5.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if moved(middle) < moved(1.0) + 1.0 { low = middle } else { high = middle }
    }
    check("a pipe", &sketch, &[0.1, 0.7], 4.9, 1e-7, |t| (t - low).max(0.0));
}

/// Samples that a discrete block holds are jumps too: each leaves the delay on its own.
#[test]
fn samples_leave_a_delay_one_by_one() {
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Clock", &[])
        .block(1, "Discrete/Zero-Order Hold", &[("Sample Time", &["0.2"])])
        .block(2, "Continuous/Transport Delay", &[("Delay", &["0.13"])])
        .block(3, "Math/Integrate", &[])
        .block(4, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .wire("3.Output", "4.Input");
    check("samples", &sketch, &[0.1, 0.2], 2.0, 1e-12, |t| {
        let since = t - 0.13;
        let whole = (since / 0.2 + 1e-9).floor().max(0.0);
        // Samples 0, 0.2, 0.4, … of 0.2 s each.
        0.04 * whole * (whole - 1.0) / 2.0 + (since - 0.2 * whole).max(0.0) * 0.2 * whole
    });
}

/// A run that is resumed from a checkpoint has the bits of one that was never interrupted, past included.
#[test]
fn a_record_is_part_of_a_checkpoint() {
    let sketch = Sketch::new(0.1)
        .solver("dopri45")
        .block(0, "Math/Integrate", &[("Initial Value", &["1"])])
        .block(1, "Continuous/Transport Delay", &[("Initial Value", &["1"]), ("Delay", &["0.77"])])
        .block(2, "Math/Gain", &[("Gain", &["-1"])])
        .block(3, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "0.Input")])
        .wires("Main", &[("0.Output", "3.Input")]);
    for engine in ENGINES {
        let mut whole = Run::new(&sketch.simulation, engine);
        whole.steps(40);
        let mut first = Run::new(&sketch.simulation, engine);
        first.steps(17);
        let bytes = first.context.to_bytes(&first.program);
        let mut second = Run::new(&sketch.simulation, engine);
        second.context = Context::from_bytes(&bytes, &second.program).expect("a checkpoint");
        second.steps(23);
        assert_eq!(second.context, whole.context, "{engine}");
    }
}

/// 3 − x(t − 0.33) = 0: in the equilibrium the record is x, too, and it stays there.
#[test]
fn an_equilibrium_fills_the_record() {
    let sketch = Sketch::new(0.1)
        .solver("dopri45")
        .block(0, "Math/Integrate", &[("Initial Value", &["1"])])
        .block(1, "Var/Static", &[("Value", &["3"])])
        .block(2, "Math/Sum", &[("Signs", &["+-"])])
        .block(3, "Continuous/Transport Delay", &[("Delay", &["0.33"])])
        .block(4, "exit x", &[])
        .wires("Main", &[("1.Output", "2.Input 1"), ("3.Output", "2.Input 2"), ("2.Output", "0.Input")])
        .wires("Main", &[("0.Output", "3.Input"), ("0.Output", "4.Input")]);
    let mut run = sketch.run();
    run.steps(10);
    run.context = Trim::default().solve(&run.program, &run.context).expect("a point").context;
    run.steps(20);
    assert!((run.exit("x")[0] - 3.0).abs() < 1e-12, "{:?}", run.exit("x"));
}

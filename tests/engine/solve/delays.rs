//! Delays in time: solvers keep their order with them, and what jumps leaves them as a jump.

use crate::sketch::{Run, Sketch};

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

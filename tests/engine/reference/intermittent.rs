//! What depends on time in a model that does not run in every step counts from its last run. All expected values are
//! worked out by hand.

use simulate::model::{BlockId, ParamAddress};

use crate::sketch::{Run, Sketch};

/// Returns the output of a block in a model that a control runs, in steps of 0.1 s; the control and the input of the block
/// have a value in each step.
#[track_caller]
fn check(
    role: &[(&str, &str)],
    block: &str,
    options: &[(&str, &[&str])],
    control: &[f64],
    input: &[f64],
    want: &[f64],
) {
    let sketch = Sketch::new(0.1)
        .solver("euler")
        .block(0, "Var/Static", &[])
        .block(1, "Var/Static", &[])
        .block(2, "model Part", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("0.Output", "2.on"), ("1.Output", "2.u"), ("2.y", "3.Input")])
        .block_in("Part", 0, "entry on", &[])
        .mark("Part", 0, role)
        .block_in("Part", 1, "entry u", &[])
        .block_in("Part", 2, block, options)
        .block_in("Part", 3, "exit y", &[]);
    let port = if block.ends_with("Controller") { "2.Error" } else { "2.Input" };
    let sketch = sketch.wires("Part", &[("1.Output", port), ("2.Output", "3.Input")]);
    for engine in ["simple", "flat", "compiled"] {
        let mut run = Run::new(&sketch.simulation, engine);
        for (step, ((control, input), want)) in control.iter().zip(input).zip(want).enumerate() {
            for (id, value) in [(0, *control), (1, *input)] {
                run.context
                    .set_param(&run.program, &ParamAddress::new(&[], BlockId(id), "Value"), &[value])
                    .expect("a value is fed");
            }
            let got = run.steps(1).exit("y")[0];
            assert!((got - want).abs() < 1e-12, "{block} {options:?} on {engine}, step {step}: {got}, not {want}");
        }
    }
}

const TRIGGER: &[(&str, &str)] = &[("role", "trigger")];
const ENABLE: &[(&str, &str)] = &[("role", "enable")];
/// Rising edges at steps 1, 4 and 6.
const EDGES: [f64; 8] = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0];
const ONES: [f64; 8] = [1.0; 8];

#[test]
fn a_triggered_integrator_takes_the_time_between_triggers() {
    let integrator = "Discrete/Discrete-Time Integrator";
    check(TRIGGER, integrator, &[], &EDGES, &ONES, &[0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.5, 0.5]);
    // The first run has no run before it, and takes one step.
    let backward: &[(&str, &[&str])] = &[("Method", &["backward"])];
    check(TRIGGER, integrator, backward, &EDGES, &ONES, &[0.0, 0.1, 0.1, 0.1, 0.4, 0.4, 0.6, 0.6]);
    // With a ramp: 0.1·1/2, then the trapezia from step to step.
    let ramp: [f64; 8] = std::array::from_fn(|step| step as f64);
    let trapezoidal: &[(&str, &[&str])] = &[("Method", &["trapezoidal"])];
    let want = [0.0, 0.05, 0.05, 0.05, 0.8, 0.8, 1.8, 1.8];
    check(TRIGGER, integrator, trapezoidal, &EDGES, &ramp, &want);
    // Forward: each value holds until the next run.
    check(TRIGGER, integrator, &[], &EDGES, &ramp, &[0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 1.1, 1.1]);
    // A sum of samples knows no time.
    check(TRIGGER, integrator, &[("Accumulate", &["1"])], &EDGES, &ONES, &[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0]);
}

#[test]
fn an_enabled_integrator_takes_the_time_of_the_pause() {
    let integrator = "Discrete/Discrete-Time Integrator";
    let control = [1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0];
    check(ENABLE, integrator, &[], &control, &ONES, &[0.0, 0.1, 0.1, 0.1, 0.4, 0.5, 0.5, 0.7]);
    // When its states are reset it begins anew.
    let reset: &[(&str, &str)] = &[("role", "enable"), ("states", "reset")];
    check(reset, integrator, &[], &control, &ONES, &[0.0, 0.1, 0.1, 0.1, 0.0, 0.1, 0.1, 0.0]);
    let output: &[(&str, &[&str])] =
        &[("Method", &["backward"]), ("Initial Value Of", &["output"]), ("Initial Value", &["5"])];
    check(reset, integrator, output, &control, &ONES, &[5.0, 5.1, 5.1, 5.1, 5.0, 5.1, 5.1, 5.0]);
}

#[test]
fn rates_of_change_count_the_time_between_runs() {
    let ramp: [f64; 8] = std::array::from_fn(|step| step as f64);
    let derivative = [0.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0];
    check(TRIGGER, "Discrete/Discrete Derivative", &[], &EDGES, &ramp, &derivative);
    // 2 per second: 0.2 in the first run, then 0.3 s and 0.2 s.
    let limits: &[(&str, &[&str])] =
        &[("Rising Slope", &["2"]), ("Falling Slope", &["-2"]), ("Begin With", &["value"])];
    let want = [0.0, 0.2, 0.2, 0.2, 0.8, 0.8, 1.2, 1.2];
    check(TRIGGER, "Nonlinear/Rate Limiter", limits, &EDGES, &[9.0; 8], &want);
}

/// P = 0, I = 1: the integral of ones, by each method.
#[test]
fn a_triggered_controller_takes_the_time_between_triggers() {
    for (method, want) in [
        ("forward", [0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.5, 0.5]),
        ("backward", [0.0, 0.1, 0.1, 0.1, 0.4, 0.4, 0.6, 0.6]),
        ("trapezoidal", [0.0, 0.05, 0.05, 0.05, 0.35, 0.35, 0.55, 0.55]),
    ] {
        let options: &[(&str, &[&str])] = &[("P", &["0"]), ("D", &["0"]), ("Integral Method", &[method])];
        check(TRIGGER, "Discrete/Discrete PID Controller", options, &EDGES, &ONES, &want);
    }
    // D = 1, N = 2, backward: e⁺ = (D·u − f)·N/(1 + N·T), f grows by T times that; T is 0.1, 0.3 and 0.2 s.
    let first = 2.0 / 1.2;
    let second = (1.0 - 0.1 * first) * 2.0 / 1.6;
    let third = (1.0 - 0.1 * first - 0.3 * second) * 2.0 / 1.4;
    let options: &[(&str, &[&str])] = &[
        ("P", &["0"]),
        ("I", &["0"]),
        ("D", &["1"]),
        ("Filter Coefficient", &["2"]),
        ("Filter Method", &["backward"]),
    ];
    let want = [0.0, first, first, first, second, second, third, third];
    check(TRIGGER, "Discrete/Discrete PID Controller", options, &EDGES, &ONES, &want);
}

/// y' = 1, reset to 0 where u rises while the model runs. It does not run in step 4, and keeps what step 3 made.
#[test]
fn an_integrator_is_reset_while_its_model_runs() {
    for solver in ["euler", "rk4", "dopri45"] {
        let sketch = Sketch::new(1.0)
            .solver(solver)
            .source(0, &[1.0, 1.0, 1.0, 1.0, 0.0, 1.0])
            .source(10, &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0])
            .block(20, "model Part", &[])
            .block(30, "exit y", &[])
            .wires("Main", &[("0.Output", "20.on"), ("10.Output", "20.u"), ("20.y", "30.Input")])
            .block_in("Part", 0, "entry on", &[])
            .mark("Part", 0, ENABLE)
            .block_in("Part", 1, "entry u", &[])
            .block_in("Part", 2, "Var/Static", &[])
            .block_in("Part", 3, "Continuous/Integrator", &[("Reset", &["rising"])])
            .block_in("Part", 4, "exit y", &[])
            .wires("Part", &[("2.Output", "3.Input"), ("1.Output", "3.Reset"), ("3.Output", "4.Input")]);
        for engine in ["simple", "flat", "compiled", "threaded"] {
            let found = Run::new(&sketch.simulation, engine).trace("y", 8);
            let want = [0.0, 1.0, 0.0, 1.0, 1.0, 2.0, 0.0, 1.0];
            assert!(
                found.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-12),
                "{solver}, {engine}: {found:?}"
            );
        }
    }
}

/// In a model that is enabled between two samples the output of a block is its initial value until its first sample, and
/// again after the states were reset; where they are held, it is the output of the last sample.
#[test]
fn a_sampled_block_that_is_enabled_between_samples_begins_with_its_initial_value() {
    const SAMPLED: (&str, &[&str]) = ("Sample Time", &["0.4"]);
    const INITIAL: (&str, &[&str]) = ("Initial Value", &["-7"]);
    const LINE: [(&str, &[&str]); 3] = [("Taps", &["1"]), ("Order", &["newest first"]), ("Include Current", &["1"])];
    const LEAD: [(&str, &[&str]); 3] = [("Pole", &["0.5"]), ("Zero", &["0"]), ("Initial Output", &["-7"])];
    type Options = [(&'static str, &'static [&'static str])];
    // A block, its options, the values of its further inputs. The outputs: from enabling on, from the first sample on;
    // when it is enabled again, from the second sample on; the last two if the states are reset.
    type Case<'a> = (&'a str, &'a Options, &'a [(&'a str, &'a str)], [f64; 6]);
    let cases: [Case; 12] = [
        ("Unit Delay", &[INITIAL], &[], [-7.0, -7.0, -7.0, 4.0, -7.0, -7.0]),
        ("Rate Transition", &[INITIAL, ("Delayed", &["1"])], &[], [-7.0, -7.0, -7.0, 4.0, -7.0, -7.0]),
        ("Delay", &[INITIAL, ("Length", &["2"])], &[], [-7.0; 6]),
        (
            "Delay",
            &[INITIAL, ("Length", &["1"]), ("Reset", &["rising"])],
            &[("Reset", "0")],
            [-7.0, -7.0, -7.0, 4.0, -7.0, -7.0],
        ),
        (
            "Delay",
            &[INITIAL, ("Length", &["1"]), ("Initial Source", &["input"])],
            &[("Initial", "-9")],
            [-7.0, -9.0, -9.0, 4.0, -7.0, -9.0],
        ),
        ("Variable Integer Delay", &[INITIAL], &[("Delay", "1")], [-7.0, -7.0, -7.0, 4.0, -7.0, -7.0]),
        (
            "Unit Delay Enabled Resettable",
            &[INITIAL],
            &[("Enable", "1"), ("Reset", "0")],
            [-7.0, -7.0, -7.0, 4.0, -7.0, -7.0],
        ),
        // x + T·u: T is the sample time in the first sample, then 0.8 s.
        ("Discrete-Time Integrator", &[INITIAL, ("Method", &["backward"])], &[], [-7.0, -5.4, -5.4, 4.2, -7.0, -2.2]),
        (
            "Discrete PID Controller",
            &[("Initial Integral", &["-7"]), ("P", &["0"]), ("I", &["0"]), ("D", &["0"])],
            &[],
            [-7.0; 6],
        ),
        // 0.5·y[n−1] + 0.5·u[n].
        ("Transfer Function First Order", &[INITIAL, ("Pole", &["0.5"])], &[], [-7.0, -1.5, -1.5, 5.25, -7.0, 2.5]),
        // 0.5·y[n−1] + u[n].
        ("Transfer Function Lead or Lag", &LEAD, &[], [-7.0, 0.5, 0.5, 12.25, -7.0, 8.5]),
        ("Tapped Delay", &[INITIAL, LINE[0], LINE[1], LINE[2]], &[], [-7.0, 4.0, 4.0, 12.0, -7.0, 12.0]),
    ];
    for (name, options, further, [begin, first, held, second, reset, second_reset]) in cases {
        for (states, again, then) in [("hold", held, second), ("reset", reset, second_reset)] {
            let options = [options, &[SAMPLED]].concat();
            let input = if name.ends_with("Controller") { "Error" } else { "Input" };
            let mut sketch = Sketch::new(0.1)
                .solver("euler")
                .block(0, "Var/Static", &[])
                .block(1, "Var/Static", &[])
                .block(2, "model Part", &[])
                .block(3, "exit y", &[])
                .wires("Main", &[("0.Output", "2.on"), ("1.Output", "2.u"), ("2.y", "3.Input")])
                .block_in("Part", 0, "entry on", &[])
                .mark("Part", 0, &[("role", "enable"), ("states", states)])
                .block_in("Part", 1, "entry u", &[])
                .block_in("Part", 2, &format!("Discrete/{name}"), &options)
                .block_in("Part", 3, "exit y", &[])
                .wires("Part", &[("1.Output", &*format!("2.{input}")), ("2.Output", "3.Input")]);
            for (id, (port, value)) in (10..).zip(further) {
                sketch = sketch.block_in("Part", id, "Var/Static", &[("Value", &[value])]);
                sketch = sketch.wires("Part", &[(&*format!("{id}.Output"), &*format!("2.{port}"))]);
            }
            for engine in ["simple", "flat", "compiled"] {
                let mut run = Run::new(&sketch.simulation, engine);
                for step in 0..13 {
                    // Enabled in the steps 1 to 5 and 9 to 12; samples in the steps 0, 4, 8 and 12.
                    let on = f64::from(u8::from((1..6).contains(&step) || step >= 9));
                    for (id, value) in [(0, on), (1, f64::from(step))] {
                        run.context
                            .set_param(&run.program, &ParamAddress::new(&[], BlockId(id), "Value"), &[value])
                            .expect("a value is fed");
                    }
                    let want = match step {
                        0 => 0.0,
                        1..4 => begin,
                        4..9 => first,
                        9..12 => again,
                        _ => then,
                    };
                    let got = run.steps(1).exit("y")[0];
                    let about = format!("{name}, states {states}, on {engine}, step {step}");
                    assert!((got - want).abs() < 1e-12, "{about}: {got}, not {want}");
                }
            }
        }
    }
}

//! Conditional subsystems: what the roles enable, trigger and reset of an entry mean, on every engine.

use simulate::block::Registry;
use simulate::engine::{Solver, compile};

use super::iterated::summing;
use super::{ENGINES, check};
use crate::sketch::{Run, Sketch};

/// A counter in an enabled model: y is the number of its earlier runs.
fn enabled_counter(states: &str, idle: &str) -> Sketch {
    Sketch::new(1.0)
        .block_in("Child", 0, "entry on", &[])
        .mark("Child", 0, &[("role", "enable"), ("states", states)])
        .block_in("Child", 1, "Var/Static", &[("Value", &["1"])])
        .block_in("Child", 2, "Math/Sum", &[])
        .block_in("Child", 3, "Discrete/Unit Delay", &[])
        .block_in("Child", 4, "exit y", &[("Initial Value", &["-7"])])
        .mark("Child", 4, &[("idle", idle)])
        .wires("Child", &[("1.Output", "2.Input 1"), ("3.Output", "2.Input 2"), ("2.Output", "3.Input")])
        .wires("Child", &[("3.Output", "4.Input")])
        .source(1, &[0.0, 1.0, 1.0, 0.0, -1.0, 2.0, 1.0, 0.0])
        .block(2, "model Child", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("1.Output", "2.on"), ("2.y", "3.Input")])
}

#[test]
fn an_enabled_model_runs_where_the_value_is_above_0_and_its_exit_holds() {
    check(&enabled_counter("hold", "hold"), &[("y", &[-7.0, 0.0, 1.0, 1.0, 1.0, 2.0, 3.0, 3.0, 3.0])]);
}

#[test]
fn its_states_are_reset_when_it_is_enabled_again() {
    check(&enabled_counter("reset", "hold"), &[("y", &[-7.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0])]);
}

#[test]
fn its_exit_goes_back_to_the_initial_value() {
    check(&enabled_counter("hold", "reset"), &[("y", &[-7.0, 0.0, 1.0, -7.0, -7.0, 2.0, 3.0, -7.0])]);
}

/// dx/dt = 1 by RK4 while enabled: x continues from its last value, or from 5.
#[test]
fn an_integrator_stands_while_its_model_does_not_run() {
    for (states, want) in
        [("hold", [0.0, 5.0, 6.0, 6.0, 7.0, 8.0, 8.0, 8.0]), ("reset", [0.0, 5.0, 6.0, 6.0, 5.0, 6.0, 6.0, 6.0])]
    {
        let sketch = Sketch::new(1.0)
            .block_in("Child", 0, "entry on", &[])
            .mark("Child", 0, &[("role", "enable"), ("states", states)])
            .block_in("Child", 1, "Var/Static", &[("Value", &["1"])])
            .block_in("Child", 2, "Math/Integrate", &[("Initial Value", &["5"])])
            .block_in("Child", 3, "exit y", &[])
            .wires("Child", &[("1.Output", "2.Input"), ("2.Output", "3.Input")])
            .source(1, &[0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0])
            .block(2, "model Child", &[])
            .block(3, "exit y", &[])
            .wires("Main", &[("1.Output", "2.on"), ("2.y", "3.Input")]);
        // Held: the state is 7 at the begin of the first step without a run, which the next run reads.
        check(&sketch, &[("y", &want)]);
    }
}

/// dx/dt = 1 in steps 1 and 2 and from 4 on, x is held in between; dz/dt = x behind it: with every solver, on every
/// engine.
#[test]
fn every_solver_leaves_out_what_does_not_run() {
    for solver in Solver::ALL {
        let sketch = Sketch::new(1.0)
            .solver(solver.name())
            .block_in("Child", 0, "entry on", &[])
            .mark("Child", 0, &[("role", "enable")])
            .block_in("Child", 1, "Var/Static", &[("Value", &["1"])])
            .block_in("Child", 2, "Math/Integrate", &[])
            .block_in("Child", 3, "exit x", &[])
            .wires("Child", &[("1.Output", "2.Input"), ("2.Output", "3.Input")])
            .source(1, &[0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
            .block(2, "model Child", &[])
            .block(3, "exit x", &[])
            .block(4, "Math/Integrate", &[])
            .block(5, "exit z", &[])
            .wires("Main", &[("1.Output", "2.on"), ("2.x", "3.Input"), ("2.x", "4.Input"), ("4.Output", "5.Input")]);
        for engine in ENGINES {
            let mut run = Run::new(&sketch.simulation, engine);
            let x = [0.0, 0.0, 1.0, 1.0, 2.0, 2.0];
            // While it runs ∫x is 1/2, then 3/2; then x is held at 1, its last output; then 5/2, and 2.
            let z = [0.0, 0.0, 0.5, 2.0, 3.0, 5.5];
            for (step, (x, z)) in x.into_iter().zip(z).enumerate() {
                run.steps(1);
                assert!((run.exit("x")[0] - x).abs() < 1e-6, "{} on {engine}, step {step}: x", solver.name());
                // Methods of order 1 ignore the slope within a step.
                let is_first_order = matches!(solver, Solver::Euler | Solver::BackwardEuler);
                let tolerance = if is_first_order { 3.0 } else { 1e-6 };
                assert!((run.exit("z")[0] - z).abs() < tolerance, "{} on {engine}, step {step}: z", solver.name());
            }
        }
    }
}

/// The exit of an idle model is constant for the integrator behind it, in all stages of a solver.
#[test]
fn what_is_held_is_held_in_every_stage() {
    let sketch = Sketch::new(1.0)
        .block_in("Child", 0, "entry on", &[])
        .mark("Child", 0, &[("role", "enable")])
        .block_in("Child", 1, "entry u", &[])
        .block_in("Child", 2, "Math/Gain", &[("Gain", &["2"])])
        .block_in("Child", 3, "exit y", &[])
        .wires("Child", &[("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .source(1, &[1.0, 0.0, 0.0, 1.0, 0.0])
        .block(2, "Var/Clock", &[])
        .block(3, "model Child", &[])
        .block(4, "Math/Integrate", &[])
        .block(5, "exit y", &[])
        .block(6, "exit x", &[])
        .wires("Main", &[("1.Output", "3.on"), ("2.Output", "3.u"), ("3.y", "4.Input"), ("3.y", "5.Input")])
        .wires("Main", &[("4.Output", "6.Input")]);
    // dx/dt = 2t in the first step: 1; then 0 for two; then 2t from 3 to 4: 7; then 6.
    check(&sketch, &[("y", &[0.0, 0.0, 0.0, 6.0, 6.0, 6.0]), ("x", &[0.0, 1.0, 1.0, 1.0, 8.0, 14.0])]);
}

fn triggered(edge: &str) -> Sketch {
    Sketch::new(1.0)
        .block_in("Child", 0, "entry go", &[])
        .mark("Child", 0, &[("role", "trigger"), ("edge", edge)])
        .block_in("Child", 1, "entry u", &[])
        .block_in("Child", 2, "exit y", &[])
        .wires("Child", &[("1.Output", "2.Input")])
        .source(1, &[1.0, -1.0, 1.0, 2.0, 0.0, 1.0, 0.0, -1.0, 3.0, -3.0])
        .block(2, "Var/Clock", &[])
        .block(3, "model Child", &[])
        .block(4, "exit y", &[])
        .wires("Main", &[("1.Output", "3.go"), ("2.Output", "3.u"), ("3.y", "4.Input")])
}

/// From ≤ 0 to > 0 rising, from > 0 to ≤ 0 falling; never in the first step.
#[test]
fn a_triggered_model_samples_at_edges() {
    check(&triggered("rising"), &[("y", &[0.0, 0.0, 2.0, 2.0, 2.0, 5.0, 5.0, 5.0, 8.0, 8.0])]);
    check(&triggered("falling"), &[("y", &[0.0, 1.0, 1.0, 1.0, 4.0, 4.0, 6.0, 6.0, 6.0, 9.0])]);
    check(&triggered("either"), &[("y", &[0.0, 1.0, 2.0, 2.0, 4.0, 5.0, 6.0, 6.0, 8.0, 9.0])]);
}

#[test]
fn enabled_and_triggered_runs_where_both_hold() {
    let sketch = triggered("rising")
        .block_in("Child", 9, "entry on", &[])
        .mark("Child", 9, &[("role", "enable")])
        .source(5, &[1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0])
        .wire("5.Output", "3.on");
    check(&sketch, &[("y", &[0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 5.0, 5.0, 5.0, 5.0])]);
}

/// An accumulator whose states are reset at an edge, and which runs in every step.
#[test]
fn a_reset_model_runs_in_every_step() {
    let sketch = Sketch::new(1.0)
        .block_in("Child", 0, "entry again", &[])
        .mark("Child", 0, &[("role", "reset")])
        .block_in("Child", 1, "Var/Static", &[("Value", &["1"])])
        .block_in("Child", 2, "Math/Integrate", &[("Initial Value", &["10"])])
        .block_in("Child", 3, "exit y", &[])
        .wires("Child", &[("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .source(1, &[1.0, 0.0, 0.0, 1.0, 1.0, -1.0, 1.0])
        .block(2, "model Child", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("1.Output", "2.again"), ("2.y", "3.Input")]);
    check(&sketch, &[("y", &[10.0, 11.0, 12.0, 10.0, 11.0, 12.0, 10.0, 11.0])]);
}

/// Past values count runs of the model: the delay is two runs, not two steps.
#[test]
fn past_values_count_runs() {
    let sketch = Sketch::new(1.0)
        .block_in("Child", 0, "entry on", &[])
        .mark("Child", 0, &[("role", "enable"), ("states", "reset")])
        .block_in("Child", 1, "entry u", &[])
        .block_in("Child", 2, "Continuous/Transport Delay", &[("Delay", &["2"]), ("Initial Value", &["-1"])])
        .block_in("Child", 3, "exit y", &[])
        .wires("Child", &[("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .source(1, &[1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
        .block(2, "Var/Clock", &[])
        .block(3, "model Child", &[])
        .block(4, "exit y", &[])
        .wires("Main", &[("1.Output", "3.on"), ("2.Output", "3.u"), ("3.y", "4.Input")]);
    check(&sketch, &[("y", &[-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 4.0, 5.0, 6.0])]);
    let held = sketch.mark("Child", 0, &[("states", "hold")]);
    check(&held, &[("y", &[-1.0, -1.0, -1.0, -1.0, 0.0, 1.0, 4.0, 5.0, 6.0])]);
}

/// An enabled model that runs in the second half of a loop of 2 runs, inside of another enabled model.
#[test]
fn subsystems_may_be_nested() {
    let sketch = Sketch::new(1.0)
        .block_in("Count", 0, "entry on", &[])
        .mark("Count", 0, &[("role", "enable")])
        .block_in("Count", 1, "Discrete/Unit Delay", &[])
        .block_in("Count", 2, "Math/Sum", &[])
        .block_in("Count", 3, "Var/Static", &[("Value", &["1"])])
        .block_in("Count", 4, "exit n", &[])
        .wires("Count", &[("1.Output", "2.Input 1"), ("3.Output", "2.Input 2"), ("2.Output", "1.Input")])
        .wires("Count", &[("2.Output", "4.Input")])
        .block_in("Loop", 0, "entry times", &[])
        .mark("Loop", 0, &[("role", "for")])
        .block_in("Loop", 1, "entry i", &[])
        .mark("Loop", 1, &[("role", "index")])
        .block_in("Loop", 2, "model Count", &[])
        .block_in("Loop", 3, "exit n", &[])
        .wires("Loop", &[("1.Output", "2.on"), ("2.n", "3.Input")])
        .block_in("Gate", 0, "entry on", &[])
        .mark("Gate", 0, &[("role", "enable"), ("states", "reset")])
        .block_in("Gate", 1, "Var/Static", &[("Value", &["3"])])
        .block_in("Gate", 2, "model Loop", &[])
        .block_in("Gate", 3, "exit n", &[])
        .wires("Gate", &[("1.Output", "2.times"), ("2.n", "3.Input")])
        .source(1, &[1.0, 1.0, 0.0, 1.0])
        .block(2, "model Gate", &[])
        .block(3, "exit n", &[])
        .wires("Main", &[("1.Output", "2.on"), ("2.n", "3.Input")]);
    // Runs 1 and 2 of each three count.
    check(&sketch, &[("n", &[2.0, 4.0, 4.0, 2.0, 4.0, 6.0])]);
}

#[test]
fn invalid_roles_are_reported() {
    let registry = Registry::standard();
    let code = |sketch: &Sketch| {
        let found = compile(&sketch.simulation, &registry).map(|_| ()).expect_err("it is refused");
        let found: Vec<_> = found.into_iter().filter(|diagnostic| diagnostic.is_error()).collect();
        (found[0].code, found[0].location.to_string())
    };
    let with = |id, attributes: &[(&str, &str)]| summing("hold").mark("Child", id, attributes);
    assert_eq!(code(&with(0, &[("role", "sometimes")])), ("unknown-role", "Child #0".to_owned()));
    assert_eq!(code(&with(1, &[("role", "for")])), ("duplicate-role", "Child #1".to_owned()));
    // The second of the file is the duplicate, whichever has the smaller id.
    let second = with(0, &[]).block_in("Child", 90, "entry m", &[]).block_in("Child", 80, "entry l", &[]);
    let second = second.mark("Child", 90, &[("role", "enable")]).mark("Child", 80, &[("role", "enable")]);
    assert_eq!(code(&second), ("duplicate-role", "Child #80".to_owned()));
    assert_eq!(code(&with(0, &[("role", "while")])), ("no-while-exit", "Child #0".to_owned()));
    assert_eq!(code(&with(0, &[("limit", "many")])), ("bad-attribute", "Child #0".to_owned()));
    assert_eq!(code(&with(0, &[("states", "lost")])), ("bad-attribute", "Child #0".to_owned()));
    assert_eq!(code(&with(5, &[("idle", "forget")])), ("bad-attribute", "Child #5".to_owned()));
    assert_eq!(code(&with(2, &[("role", "enable")])), ("paired-role", "Child #2".to_owned()));
    let integrating = summing("hold").block_in("Child", 9, "Math/Integrate", &[]);
    assert_eq!(code(&integrating), ("continuous-in-loop", "Child #9".to_owned()));
    // The output of the delay inside is available only when all inputs are set.
    let round = enabled_counter("hold", "hold").wire("2.y", "2.on");
    assert_eq!(code(&round), ("loop", "Main #2".to_owned()));
    let wide = summing("hold").block(77, "Var/Static", &[("Value", &["1", "2"])]).wire("77.Output", "2.n");
    assert_eq!(code(&wide), ("width", "Main #2".to_owned()));
}

/// `If` enables two models, `Merge` takes the output of the one that ran.
#[test]
fn merge_takes_the_model_that_ran() {
    let mut sketch = Sketch::new(1.0)
        .source(1, &[0.0, 1.0, 0.0, 0.0])
        .source(2, &[0.0, 1.0, 1.0, 0.0])
        .block(3, "Flow/If", &[("Conditions", &["2"])])
        .block(4, "model High", &[])
        .block(5, "model Low", &[])
        .block(6, "Flow/Merge", &[("Initial Value", &["-1"])])
        .block(7, "exit y", &[]);
    for (name, value) in [("High", "10"), ("Low", "20")] {
        sketch = sketch
            .block_in(name, 0, "entry on", &[])
            .mark(name, 0, &[("role", "enable")])
            .block_in(name, 1, "Var/Static", &[("Value", &[value])])
            .block_in(name, 2, "exit y", &[])
            .wires(name, &[("1.Output", "2.Input")]);
    }
    let sketch = sketch
        .wires("Main", &[("1.Output", "3.Condition 1"), ("2.Output", "3.Condition 2"), ("3.If 1", "4.on")])
        .wires("Main", &[("3.If 2", "5.on"), ("4.y", "6.Input 1"), ("5.y", "6.Input 2"), ("6.Output", "7.Input")]);
    check(&sketch, &[("y", &[-1.0, 10.0, 20.0, 20.0, 20.0])]);
}

#[test]
fn runs_are_counted() {
    let sketch = enabled_counter("hold", "hold");
    for engine in ENGINES {
        let mut run = Run::new(&sketch.simulation, engine);
        let executed: Vec<u64> = (0..4).map(|_| run.steps(1).context.executed).collect();
        // Outside of the model: 8 blocks of the source, the enable entry, the exit. Inside: 4.
        assert_eq!(executed, [10, 14, 14, 10], "{engine}");
    }
    let sketch = summing("hold");
    for engine in ENGINES {
        let mut run = Run::new(&sketch.simulation, engine);
        let executed: Vec<u64> = (0..3).map(|_| run.steps(1).context.executed).collect();
        assert_eq!(executed, [8 + 3 * 5, 8, 8 + 5 * 5], "{engine}");
    }
}

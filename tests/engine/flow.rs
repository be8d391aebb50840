//! Conditional and iterated subsystems: the meaning of each role of an entry, on every engine.

use simulate::block::Registry;
use simulate::engine::{Engines, Samples, Solver, TierUp, compile};
use simulate::model::BlockId;

use super::{Run, Sketch};

pub const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];

impl Sketch {
    /// Sets attributes of a block of a model.
    pub fn mark(mut self, model: &str, id: u64, attributes: &[(&str, &str)]) -> Sketch {
        let model = self.simulation.model_mut(model).expect("the model");
        let block = model.block_mut(BlockId(id.into())).expect("the block");
        attributes.iter().for_each(|(name, value)| block.attributes.set(name, value));
        self
    }

    /// Adds a source to `Main` whose output has these values in order, then stays at the last.
    pub fn source(mut self, id: u64, values: &[f64]) -> Sketch {
        let number = |at: usize| if at == 0 { id } else { id * 1000 + at as u64 };
        for (at, value) in values.iter().enumerate() {
            let text = value.to_string();
            if at + 1 == values.len() {
                self = self.block(number(at), "Var/Static", &[("Value", &[&text])]);
            } else {
                self = self.block(number(at), "Discrete/Unit Delay", &[("Initial Value", &[&text])]);
            }
        }
        for at in 1..values.len() {
            self = self.wire(&format!("{}.Output", number(at)), &format!("{}.Input", number(at - 1)));
        }
        self
    }

    /// `from` may be several, separated by commas.
    pub fn wires(mut self, model: &str, wires: &[(&str, &str)]) -> Sketch {
        for (from, to) in wires {
            self = self.wire_in(model, from, to);
        }
        self
    }
}

/// Runs on every engine, step by step and in longer calls; compares the exits in the first steps.
pub fn check(sketch: &Sketch, exits: &[(&str, &[f64])]) {
    for engine in ENGINES {
        for chunks in [&[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1][..], &[100], &[2, 5, 100]] {
            let mut run = Run::new(&sketch.simulation, engine);
            let known = run.program.exits();
            for (exit, want) in exits {
                let (.., output) = known.iter().find(|(name, ..)| &**name == *exit).expect("the exit");
                run.context.reset(&run.program.clone());
                let mut samples = Samples::new([*output]);
                chunks.iter().for_each(|count| run.watched_steps(*count, &mut samples));
                let width = run.program.outputs[*output].width as usize;
                let got = &samples.watches()[0].values;
                let count = want.len().min(got.len());
                assert!(count >= want.len().min(14 * width), "enough steps");
                assert_eq!(&got[..count], &want[..count], "{exit} on {engine}, {chunks:?} steps a call");
            }
        }
    }
}

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

/// x := x + i in N runs with i from 0, from 0 in each step: N(N−1)/2.
fn summing(states: &str) -> Sketch {
    Sketch::new(1.0)
        .block_in("Child", 0, "entry n", &[])
        .mark("Child", 0, &[("role", "for"), ("states", states)])
        .block_in("Child", 1, "entry i", &[])
        .mark("Child", 1, &[("role", "index")])
        .block_in("Child", 2, "entry x", &[])
        .block_in("Child", 3, "Math/Sum", &[])
        .block_in("Child", 4, "exit x", &[])
        .block_in("Child", 5, "exit y", &[])
        .wires("Child", &[("1.Output", "3.Input 1"), ("2.Output", "3.Input 2"), ("3.Output", "4.Input")])
        .wires("Child", &[("3.Output", "5.Input")])
        .source(1, &[3.0, 0.0, 5.7, f64::NAN, -1.0, 4.0])
        .block(2, "model Child", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("1.Output", "2.n"), ("2.y", "3.Input")])
}

#[test]
fn a_for_loop_sums() {
    check(&summing("reset"), &[("y", &[3.0, 3.0, 10.0, 10.0, 10.0, 6.0, 6.0])]);
    check(&summing("hold"), &[("y", &[3.0, 3.0, 13.0, 13.0, 13.0, 19.0, 25.0])]);
}

/// The factorial: x := x·(i + 1).
#[test]
fn a_called_model_runs_as_often_as_it_is_called() {
    let sketch = Sketch::new(1.0)
        .block_in("Child", 0, "entry n", &[])
        .mark("Child", 0, &[("role", "call"), ("states", "reset")])
        .block_in("Child", 1, "entry i", &[])
        .mark("Child", 1, &[("role", "index")])
        .block_in("Child", 2, "Discrete/Unit Delay", &[("Initial Value", &["1"])])
        .block_in("Child", 3, "Math/Sum", &[])
        .block_in("Child", 4, "Var/Static", &[("Value", &["1"])])
        .block_in("Child", 5, "Math/Multiply", &[])
        .block_in("Child", 6, "exit y", &[("Initial Value", &["1"])])
        .mark("Child", 6, &[("idle", "reset")])
        .wires("Child", &[("1.Output", "3.Input 1"), ("4.Output", "3.Input 2"), ("3.Output", "5.Multiplicand 1")])
        .wires("Child", &[("2.Output", "5.Multiplicand 2"), ("5.Product", "2.Input"), ("5.Product", "6.Input")])
        .source(1, &[0.0, 1.0, 2.0, 3.0, 10.0])
        .block(2, "model Child", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("1.Output", "2.n"), ("2.y", "3.Input")]);
    check(&sketch, &[("y", &[1.0, 1.0, 2.0, 6.0, 3_628_800.0])]);
}

/// Newton: x := (x + a/x)/2 from a while |x² − a| > 1e-9.
fn newton(attributes: &[(&str, &str)]) -> Sketch {
    Sketch::new(1.0)
        .block_in("Child", 0, "entry a", &[])
        .block_in("Child", 1, "entry x", &[("Initial Value", &["1"])])
        .block_in("Child", 2, "Math/Product", &[("Signs", &["*/"])])
        .block_in("Child", 3, "Math/Sum", &[])
        .block_in("Child", 4, "Math/Gain", &[("Gain", &["0.5"])])
        .block_in("Child", 5, "exit x", &[])
        .block_in("Child", 6, "exit y", &[])
        .block_in("Child", 7, "Math/Multiply", &[])
        .block_in("Child", 8, "Math/Sum", &[("Signs", &["+-"])])
        .block_in("Child", 9, "Math/Abs", &[])
        .block_in("Child", 10, "Logic/Compare", &[("Operator", &[">"])])
        .block_in("Child", 12, "Var/Static", &[("Value", &["1e-9"])])
        .block_in("Child", 11, "exit on", &[])
        .mark("Child", 11, &[("role", "while"), ("states", "reset")])
        .mark("Child", 11, attributes)
        .wires("Child", &[("0.Output", "2.Input 1"), ("1.Output", "2.Input 2"), ("2.Output", "3.Input 1")])
        .wires("Child", &[("1.Output", "3.Input 2"), ("3.Output", "4.Input"), ("4.Output", "5.Input")])
        .wires("Child", &[("4.Output", "6.Input"), ("4.Output", "7.Multiplicand 1")])
        .wires("Child", &[("4.Output", "7.Multiplicand 2"), ("7.Product", "8.Input 1"), ("0.Output", "8.Input 2")])
        .wires(
            "Child",
            &[
                ("8.Output", "9.Input"),
                ("9.Output", "10.Input 1"),
                ("12.Output", "10.Input 2"),
                ("10.Output", "11.Input"),
            ],
        )
        .source(1, &[4.0, 2.0, 100.0, 1.0])
        .block(2, "model Child", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("1.Output", "2.a"), ("2.y", "3.Input")])
}

#[test]
fn a_while_loop_takes_a_square_root() {
    let sketch = newton(&[]);
    for engine in ENGINES {
        let mut run = Run::new(&sketch.simulation, engine);
        for a in [4.0, 2.0, 100.0, 1.0, 1.0] {
            let x = run.steps(1).exit("y")[0];
            assert!((x * x - a).abs() <= 1e-9, "{engine}: the root of {a} is {x}");
        }
    }
    // From 1 to the root of 4 by hand: 2.5, 2.05, 2.000609…; so it needs more than two runs, and a limit of 2 fails.
    let sketch = newton(&[("limit", "2")]);
    for engine in ENGINES {
        let mut run = Run::new(&sketch.simulation, engine);
        let error = run.try_steps(1).expect_err("it fails");
        assert_eq!((error.step, error.block), (0, Some((vec![], BlockId(2)))), "{engine}");
        assert!(error.problem.contains("more than 2 times"), "{}", error.problem);
        // As text, since a value that was never set is NaN.
        let begin = format!("{:?}", simulate::engine::Context::new(&run.program));
        assert_eq!(format!("{:?}", run.context), begin, "nothing was done");
    }
}

/// A loop without an entry for its condition waits for its other inputs, whichever block is the first in the file.
#[test]
fn a_while_loop_begins_when_its_inputs_have_come() {
    let sketch = newton(&[]).block(8, "Math/Gain", &[("Gain", &["9"])]);
    let sketch = sketch.wires("Main", &[("1.Output", "8.Input"), ("8.Output", "2.a")]);
    for engine in ENGINES {
        let mut run = Run::new(&sketch.simulation, engine);
        for want in [6.0, 18f64.sqrt(), 30.0, 3.0, 3.0] {
            let got = run.steps(1).exit("y")[0];
            assert!((got - want).abs() < 1e-9, "{engine}: {got}, not {want}");
        }
    }
}

#[test]
fn the_first_condition_may_say_no() {
    let sketch = newton(&[])
        .block_in("Child", 20, "entry first", &[])
        .mark("Child", 20, &[("role", "while"), ("states", "reset")])
        .source(5, &[1.0, 0.0, 1.0])
        .wire("5.Output", "2.first");
    for engine in ENGINES {
        let mut run = Run::new(&sketch.simulation, engine);
        let roots = run.trace("y", 3);
        assert!((roots[0] - 2.0).abs() < 1e-9 && roots[1] == roots[0] && (roots[2] - 10.0).abs() < 1e-9, "{roots:?}");
    }
}

/// Each iteration has a delay of its own; the scalar goes to all.
#[test]
fn each_iteration_of_for_each_has_states_of_its_own() {
    let sketch = Sketch::new(1.0)
        .block_in("Child", 0, "entry u", &[])
        .mark("Child", 0, &[("role", "each")])
        .block_in("Child", 1, "entry k", &[])
        .block_in("Child", 2, "Discrete/Unit Delay", &[])
        .block_in("Child", 3, "Math/Sum", &[("Signs", &["+++"])])
        .block_in("Child", 4, "Math/Multiply", &[])
        .block_in("Child", 5, "exit y", &[])
        .block_in("Child", 6, "entry i", &[])
        .mark("Child", 6, &[("role", "index")])
        .wires("Child", &[("0.Output", "3.Input 1"), ("2.Output", "3.Input 2"), ("6.Output", "3.Input 3")])
        .wires("Child", &[("3.Output", "2.Input"), ("3.Output", "4.Multiplicand 1"), ("1.Output", "4.Multiplicand 2")])
        .wires("Child", &[("4.Product", "5.Input")])
        .block(1, "Var/Static", &[("Value", &["1", "10", "100"])])
        .source(2, &[1.0, 2.0, 1.0])
        .block(3, "model Child", &[])
        .block(4, "exit y", &[])
        .wires("Main", &[("1.Output", "3.u"), ("2.Output", "3.k"), ("3.y", "4.Input")]);
    let want = [1.0, 11.0, 102.0, 4.0, 44.0, 408.0, 3.0, 33.0, 306.0];
    check(&sketch, &[("y", &want)]);
}

/// Until it runs, the exit of an enabled for-each model has its initial value for each element.
#[test]
fn an_idle_for_each_model_has_its_initial_values() {
    for (idle, off) in [("hold", [2.0, 20.0]), ("reset", [-7.0, -7.0])] {
        let sketch = Sketch::new(1.0)
            .block_in("Child", 0, "entry on", &[])
            .mark("Child", 0, &[("role", "enable")])
            .block_in("Child", 1, "entry u", &[])
            .mark("Child", 1, &[("role", "each")])
            .block_in("Child", 2, "Math/Gain", &[("Gain", &["2"])])
            .block_in("Child", 3, "exit y", &[("Initial Value", &["-7"])])
            .mark("Child", 3, &[("idle", idle)])
            .wires("Child", &[("1.Output", "2.Input"), ("2.Output", "3.Input")])
            .source(1, &[0.0, 1.0, 0.0, 1.0])
            .block(2, "Var/Static", &[("Value", &["1", "10"])])
            .block(3, "model Child", &[])
            .block(4, "exit y", &[])
            .wires("Main", &[("1.Output", "3.on"), ("2.Output", "3.u"), ("3.y", "4.Input")]);
        check(&sketch, &[("y", &[-7.0, -7.0, 2.0, 20.0, off[0], off[1], 2.0, 20.0])]);
    }
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

/// Where a model runs for each element and several times in a step, the index is that of the runs. A model without
/// conditions within a loop, or within one that runs for each element, has the index of that, as if its blocks stood
/// there.
#[test]
fn an_index_is_that_of_the_loop_around_it() {
    let counted = |name: &str| {
        Sketch::new(1.0)
            .block_in(name, 0, "entry n", &[])
            .mark(name, 0, &[("role", "for")])
            .block_in(name, 9, "exit y", &[])
            .source(1, &[3.0, 1.0, 5.0])
            .block(2, &format!("model {name}"), &[])
            .block(3, "exit y", &[])
            .wires("Main", &[("1.Output", "2.n"), ("2.y", "3.Input")])
    };
    let within = counted("Loop")
        .block_in("Inner", 0, "entry i", &[])
        .mark("Inner", 0, &[("role", "index")])
        .block_in("Inner", 1, "Math/Gain", &[("Gain", &["10"])])
        .block_in("Inner", 2, "exit y", &[])
        .wires("Inner", &[("0.Output", "1.Input"), ("1.Output", "2.Input")])
        .block_in("Loop", 1, "model Inner", &[])
        .wires("Loop", &[("1.y", "9.Input")]);
    check(&within, &[("y", &[20.0, 0.0, 40.0, 40.0])]);
    let each = counted("Both")
        .block_in("Both", 1, "entry u", &[])
        .mark("Both", 1, &[("role", "each")])
        .block_in("Both", 2, "entry i", &[])
        .mark("Both", 2, &[("role", "index")])
        .block_in("Both", 3, "Math/Sum", &[])
        .wires("Both", &[("1.Output", "3.Input 1"), ("2.Output", "3.Input 2"), ("3.Output", "9.Input")])
        .block(4, "Var/Static", &[("Value", &["100", "200"])])
        .wire("4.Output", "2.u");
    let within = Sketch::new(1.0)
        .block_in("Each", 0, "entry u", &[])
        .mark("Each", 0, &[("role", "each")])
        .block_in("Each", 1, "model Inner", &[])
        .block_in("Each", 2, "Math/Sum", &[])
        .block_in("Each", 3, "exit y", &[])
        .wires("Each", &[("0.Output", "2.Input 1"), ("1.y", "2.Input 2"), ("2.Output", "3.Input")])
        .block_in("Inner", 0, "entry i", &[])
        .mark("Inner", 0, &[("role", "index")])
        .block_in("Inner", 1, "exit y", &[])
        .wires("Inner", &[("0.Output", "1.Input")])
        .block(1, "Var/Static", &[("Value", &["100", "200", "300"])])
        .block(2, "model Each", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("1.Output", "2.u"), ("2.y", "3.Input")]);
    check(&within, &[("y", &[100.0, 201.0, 302.0, 100.0, 201.0, 302.0])]);
    for engine in ENGINES {
        let Some(mut run) = Run::where_possible(&each.simulation, engine) else { continue };
        for want in [[102.0, 202.0], [100.0, 200.0], [104.0, 204.0]] {
            assert_eq!(run.steps(1).exit("y"), want, "{engine}");
        }
    }
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

/// The block with two inputs runs five times, its other input is set once; the delay behind it takes the last value.
#[test]
fn what_is_behind_a_repeat_runs_each_time_its_input_is_set_again() {
    let sketch = Sketch::new(1.0)
        .source(9, &[5.0, 0.0, 2.0])
        .block(1, "Flow/Repeat", &[])
        .block(2, "Var/Static", &[("Value", &["10"])])
        .block(3, "Math/Sum", &[])
        .block(4, "Discrete/Unit Delay", &[("Initial Value", &["-1"])])
        .block(5, "exit sum", &[])
        .block(6, "exit before", &[])
        .wires("Main", &[("9.Output", "1.Times"), ("1.Output", "3.Input 1"), ("2.Output", "3.Input 2")])
        .wires("Main", &[("3.Output", "4.Input"), ("3.Output", "5.Input"), ("4.Output", "6.Input")]);
    for engine in ["simple", "flat", "compiled", "auto"] {
        let mut run = Run::new(&sketch.simulation, engine);
        let mut steps = Vec::new();
        for _ in 0..3 {
            run.steps(1);
            steps.push((run.exit("sum")[0], run.exit("before")[0], run.context.executed));
        }
        // Once: three blocks of the source, the repeat, the constant, the exit of the delay. Five times: sum, delay,
        // exit.
        assert_eq!(steps, [(14.0, -1.0, 6 + 15), (14.0, 14.0, 6), (11.0, 14.0, 6 + 6)], "{engine}");
    }
}

/// A repeat in a repeat, and a conditional model behind them: it runs in each iteration in which its condition holds.
#[test]
fn iterations_may_be_nested() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["4"])])
        .block(1, "Flow/Repeat", &[])
        .block(2, "Flow/Repeat", &[])
        .block(3, "Math/Sum", &[])
        .block(4, "exit y", &[])
        .wires("Main", &[("0.Output", "1.Times"), ("1.Output", "2.Times"), ("2.Output", "3.Input 1")])
        .wires("Main", &[("1.Output", "3.Input 2"), ("3.Output", "4.Input")]);
    let mut run = sketch.run();
    // Outer value 0 causes no inner iteration; 1, 2 and 3 cause 1, 2 and 3. The sum runs for each outer value once the
    // inner output is set: 1 + (1 + 2) + (1 + 3), as the inner output is still missing at the first outer value.
    assert_eq!(run.steps(1).exit("y"), [5.0]);
    assert_eq!(run.context.executed, 2 + 4 + 2 * (1 + 3 + 4));
    let program = std::sync::Arc::new(compile(&sketch.simulation, &Registry::standard()).expect("it compiles"));
    for engine in ["flat", "compiled"] {
        let declined = Engines::with(TierUp::Wait).get(engine).expect("the engine").prepare(&program).map(|_| ());
        let reason = declined.expect_err("it is declined").reason;
        assert_eq!(
            reason,
            "Repeat #2 in “Main” sets its output several times in each iteration of Repeat #1 in “Main”"
        );
    }
    let execute = Engines::with(TierUp::Wait).get("auto").expect("auto").prepare(&program).expect("it runs");
    assert_eq!(execute.engine(), "simple");
    assert!(execute.reason().is_some_and(|reason| reason.contains("Repeat #2")), "it says why");
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

/// A vector is split into its elements, a single value goes to each of them.
#[test]
fn a_single_value_goes_to_each_element() {
    let sketch = Sketch::new(1.0)
        .block_in("Child", 0, "entry a", &[])
        .mark("Child", 0, &[("role", "each")])
        .block_in("Child", 1, "entry b", &[])
        .mark("Child", 1, &[("role", "each")])
        .block_in("Child", 2, "Math/Sum", &[("Signs", &["++"])])
        .block_in("Child", 3, "exit y", &[])
        .wires("Child", &[("0.Output", "2.Input 1"), ("1.Output", "2.Input 2"), ("2.Output", "3.Input")])
        .block(0, "Var/Static", &[("Value", &["1", "2"])])
        .block(1, "Var/Static", &[("Value", &["10"])])
        .block(2, "model Child", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("0.Output", "2.a"), ("1.Output", "2.b"), ("2.y", "3.Input")]);
    for engine in ENGINES {
        assert_eq!(Run::new(&sketch.simulation, engine).steps(1).exit("y"), [11.0, 12.0], "{engine}");
    }
}

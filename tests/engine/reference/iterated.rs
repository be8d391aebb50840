//! Iterated subsystems: what the roles for, while and call of an entry mean, on every engine.

use simulate::block::Registry;
use simulate::engine::{Engines, TierUp, compile};
use simulate::model::{BlockAddress, BlockId};

use super::{ENGINES, check};
use crate::sketch::{Run, Sketch};

/// x := x + i in N runs with i from 0, from 0 in each step: N(N−1)/2.
pub fn summing(states: &str) -> Sketch {
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
        assert_eq!((error.step, error.block), (0, Some(BlockAddress::new(&[], BlockId(2)))), "{engine}");
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
